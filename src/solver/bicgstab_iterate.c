/* bicgstab_iterate.c - one iteration of BiCGStab, and of conjugate gradient on the normal equations */
#include <math.h>

#include "base/timer.h"
#include "solver/bicgstab_batch.h"

/* A term of a sum: a field times one of the coefficients. */
static naik_term times(const naik_bicgstab *s, naik_coefficient coefficient, const naik_field *v)
{
    return (naik_term){v, (const double(*)[2])s->coefficients + coefficient * s->width_now};
}

/* Of running rhs. */
static naik_status combine(const naik_bicgstab *s, const naik_combination *of, int count,
                           const naik_products *products)
{
    return s->geometry->backend->ops->field.combine(of, count, products, s->rhs, NAIK_RHS_RUN);
}

static naik_status apply(const naik_bicgstab *s, bool adjoint, const naik_field *in,
                         naik_field *out, const naik_products *products)
{
    const naik_operator *op = bg_operator_of(s, s->now);
    return op->ops->apply(op, s->parity, adjoint, in, out, products, s->rhs, NAIK_RHS_RUN);
}

/* The scalars that follow from the sums that were just made. */
static naik_status take(naik_bicgstab *s, naik_bicgstab_stage stage)
{
    naik_backend *backend = s->geometry->backend;
    return backend->ops->solver.bicgstab_step(backend, stage, s->rhs, s->record, s->coefficients,
                                              s->sums, s->width_now, s->history, s->poll);
}

naik_status bg_direction(naik_bicgstab *s, const naik_rhs *rhs, naik_rhs_state state)
{
    naik_field *const *f = bg_fields_of(s, s->now)->field;
    const naik_field *gradient = bg_is_normal(s->now) ? f[BG_T] : f[BG_R];
    const naik_combination p = {
        f[BG_P],
        bg_is_normal(s->now) ? 2 : 3,
        {{gradient, NULL}, times(s, NAIK_BETA, f[BG_P]), times(s, NAIK_MINUS_BETA_OMEGA, f[BG_V])}};
    return s->geometry->backend->ops->field.combine(&p, 1, NULL, rhs, state);
}

static naik_status iterate_bicgstab(naik_bicgstab *s)
{
    naik_status status = NAIK_OK;
    naik_field *const *f = bg_fields_of(s, s->now)->field;
    const naik_term r = {f[BG_R], NULL}, x = {f[BG_X], NULL};
    const naik_products with_shadow = {f[BG_SHADOW], s->sums}, with_r = {f[BG_R], s->sums};
    const naik_combination half = {f[BG_R], 2, {r, times(s, NAIK_MINUS_ALPHA, f[BG_V])}};
    const naik_combination whole[] = {
        {f[BG_R], 2, {r, times(s, NAIK_MINUS_OMEGA, f[BG_T])}},
        {f[BG_X], 3, {x, times(s, NAIK_ALPHA, f[BG_P]), times(s, NAIK_OMEGA, f[BG_R])}}};
    NAIK_TRY(apply(s, false, f[BG_P], f[BG_V], &with_shadow));
    NAIK_TRY(take(s, NAIK_STAGE_ALPHA));
    NAIK_TRY(combine(s, &half, 1, NULL));
    NAIK_TRY(apply(s, false, f[BG_R], f[BG_T], &with_r));
    NAIK_TRY(take(s, NAIK_STAGE_OMEGA));
    NAIK_TRY(combine(s, whole, 2, &with_shadow));
    NAIK_TRY(take(s, NAIK_STAGE_BETA));
    NAIK_TRY(bg_direction(s, s->rhs, NAIK_RHS_RUN));
done:
    return status;
}

static naik_status iterate_normal(naik_bicgstab *s)
{
    naik_status status = NAIK_OK;
    naik_field *const *f = bg_fields_of(s, s->now)->field;
    const naik_term r = {f[BG_R], NULL}, x = {f[BG_X], NULL};
    const naik_products first = {NULL, s->sums}, second = {NULL, s->sums + s->width_now};
    const naik_combination step[] = {{f[BG_R], 2, {r, times(s, NAIK_MINUS_ALPHA, f[BG_V])}},
                                     {f[BG_X], 2, {x, times(s, NAIK_ALPHA, f[BG_P])}}};
    NAIK_TRY(apply(s, false, f[BG_P], f[BG_V], &first));
    NAIK_TRY(take(s, NAIK_STAGE_NORMAL_ALPHA));
    NAIK_TRY(combine(s, step, 2, &second));
    NAIK_TRY(apply(s, true, f[BG_R], f[BG_T], &first));
    NAIK_TRY(take(s, NAIK_STAGE_NORMAL_BETA));
    NAIK_TRY(bg_direction(s, s->rhs, NAIK_RHS_RUN));
done:
    return status;
}

/* The residual history since the last poll, from the ring on the backend. */
static naik_status drain_history(naik_bicgstab *s, const int before[])
{
    naik_status status = NAIK_OK;
    if (s->history_stride == 0) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_backend_download(s->geometry->backend, s->ring, s->history,
                                   (size_t)s->poll * (size_t)s->width_now * sizeof *s->ring));
    for (int c = 0; c < s->width_now; c++) {
        for (int i = before[c]; i < s->host[c].iterations && i < s->history_stride; i++) {
            const double rr = s->ring[i % s->poll * s->width_now + c];
            s->slot[c].history[i] = sqrt(rr / s->slot[c].bb);
        }
    }
done:
    return status;
}

naik_status bg_run_to_poll(naik_bicgstab *s)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->geometry->backend;
    const double start_s = naik_time_s();
    const int running = bg_in_state(s, NAIK_RHS_RUN);
    int before[NAIK_MAX_RHS] = {0}, iterations = 0;
    for (int c = 0; c < s->width_now; c++) {
        before[c] = s->host[c].iterations;
    }
    naik_timer_start(backend->timer, "iterate");
    NAIK_TRY(backend->ops->reduction.clear(backend, s->sums, NAIK_STAGE_SUMS * s->width_now));
    for (int i = 0; i < s->poll; i++) {
        NAIK_TRY(bg_is_normal(s->now) ? iterate_normal(s) : iterate_bicgstab(s));
    }
    NAIK_TRY(bg_download(s));
    NAIK_TRY(drain_history(s, before));
    for (int c = 0; c < s->width_now; c++) {
        const int done = s->host[c].iterations - before[c];
        iterations += done;
        s->slot[c].seconds += done > 0 ? (naik_time_s() - start_s) / running : 0;
    }
    naik_timer_count(backend->timer,
                     iterations * s->outer_op->ops->step_flops(s->outer_op) * 0.5 *
                         (double)s->geometry->lattice->volume,
                     0);
    naik_timer_stop(backend->timer, "iterate");
done:
    return status;
}
