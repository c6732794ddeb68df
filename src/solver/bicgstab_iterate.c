/* bicgstab_iterate.c - one iteration of BiCGStab, and of conjugate gradient on the normal equations */
#include "solver/bicgstab_parts.h"

/* A term of a sum: a field times one of the coefficients. */
static naik_term times(const naik_solver *s, naik_coefficient coefficient, const naik_field *v)
{
    return (naik_term){.v = v,
                       .coefficient = (const double(*)[2])bg_own_of(s)->coefficients +
                                      coefficient * s->width_now};
}

/* Of running rhs. */
static naik_status combine(const naik_solver *s, const naik_combination *of, int count,
                           const naik_products *products)
{
    return s->geometry->backend->ops->field.combine(of, count, products, s->rhs, NAIK_RHS_RUN);
}

static naik_status apply(const naik_solver *s, bool adjoint, const naik_field *in, naik_field *out,
                         const naik_products *products)
{
    const naik_operator *op = bg_operator_of(s, bg_at_work(s));
    return op->ops->apply(op, s->parity, adjoint, in, out, products, s->rhs, NAIK_RHS_RUN);
}

/* The scalars that follow from the sums that were just made. */
static naik_status take(naik_solver *s, naik_bicgstab_stage stage)
{
    naik_backend *backend = s->geometry->backend;
    return backend->ops->solver.bicgstab_step(backend, stage, s->rhs, bg_own_of(s)->record,
                                              bg_own_of(s)->coefficients, s->sums, s->width_now,
                                              s->history, s->poll);
}

naik_status bg_direction(naik_solver *s, const naik_rhs *rhs, naik_rhs_state state)
{
    naik_field *const *f = bg_fields_of(s, bg_at_work(s));
    const naik_field *gradient = bg_is_normal(bg_at_work(s)) ? f[BATCH_SPARE] : f[BATCH_R];
    const naik_combination p = {f[BATCH_P],
                                bg_is_normal(bg_at_work(s)) ? 2 : 3,
                                {{.v = gradient},
                                 times(s, NAIK_BETA, f[BATCH_P]),
                                 times(s, NAIK_MINUS_BETA_OMEGA, f[BATCH_IMAGE])}};
    return s->geometry->backend->ops->field.combine(&p, 1, NULL, rhs, state);
}

static naik_status iterate_bicgstab(naik_solver *s)
{
    naik_field *const *f = bg_fields_of(s, bg_at_work(s));
    const naik_term r = {.v = f[BATCH_R]}, x = {.v = f[BATCH_X]};
    const naik_products with_shadow = {f[BG_SHADOW], s->sums}, with_r = {f[BATCH_R], s->sums};
    const naik_products length = {NULL, s->sums + 3 * s->width_now};
    const naik_combination half = {f[BATCH_R], 2, {r, times(s, NAIK_MINUS_ALPHA, f[BATCH_IMAGE])}};
    const naik_combination whole[] = {
        {f[BATCH_R], 2, {r, times(s, NAIK_MINUS_OMEGA, f[BATCH_SPARE])}},
        {f[BATCH_X], 3, {x, times(s, NAIK_ALPHA, f[BATCH_P]), times(s, NAIK_OMEGA, f[BATCH_R])}}};
    NAIK_PASS(apply(s, false, f[BATCH_P], f[BATCH_IMAGE], &with_shadow));
    NAIK_PASS(take(s, NAIK_STAGE_ALPHA));
    NAIK_PASS(combine(s, &half, 1, &length));
    NAIK_PASS(apply(s, false, f[BATCH_R], f[BATCH_SPARE], &with_r));
    NAIK_PASS(take(s, NAIK_STAGE_OMEGA));
    NAIK_PASS(combine(s, whole, 2, &with_shadow));
    NAIK_PASS(take(s, NAIK_STAGE_BETA));
    return bg_direction(s, s->rhs, NAIK_RHS_RUN);
}

static naik_status iterate_normal(naik_solver *s)
{
    naik_field *const *f = bg_fields_of(s, bg_at_work(s));
    const naik_term r = {.v = f[BATCH_R]}, x = {.v = f[BATCH_X]};
    const naik_products first = {NULL, s->sums}, second = {NULL, s->sums + s->width_now};
    const naik_combination step[] = {
        {f[BATCH_R], 2, {r, times(s, NAIK_MINUS_ALPHA, f[BATCH_IMAGE])}},
        {f[BATCH_X], 2, {x, times(s, NAIK_ALPHA, f[BATCH_P])}}};
    NAIK_PASS(apply(s, false, f[BATCH_P], f[BATCH_IMAGE], &first));
    NAIK_PASS(take(s, NAIK_STAGE_NORMAL_ALPHA));
    NAIK_PASS(combine(s, step, 2, &second));
    NAIK_PASS(apply(s, true, f[BATCH_R], f[BATCH_SPARE], &first));
    NAIK_PASS(take(s, NAIK_STAGE_NORMAL_BETA));
    return bg_direction(s, s->rhs, NAIK_RHS_RUN);
}

/* Right-hand sides that ask for their true residual wait for a poll, while the links are read for those that go on.
 * Where an iteration has so much work, a rank's sites times rhs, a poll is cheap beside it. */
enum { LONG_WORK = 1 << 21 };

static int iterations_to_poll(const naik_solver *s)
{
    const naik_lattice *lat = s->geometry->lattice;
    const double work = (double)lat->volume / lat->comm->size * s->width_now;
    return work > LONG_WORK ? (s->poll + 1) / 2 : s->poll;
}

naik_status bg_run(naik_solver *s, int *count)
{
    if (bg_at_work(s) == BG_MULTIGRID) {
        return bg_run_multigrid(s, count);
    }
    *count = iterations_to_poll(s);
    for (int i = 0; i < *count; i++) {
        NAIK_PASS(bg_is_normal(bg_at_work(s)) ? iterate_normal(s) : iterate_bicgstab(s));
    }
    return batch_download(s);
}
