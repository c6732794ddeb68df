/* cg_iterate.c - one iteration of the conjugate gradient, in either form, and how many until a poll */
#include <math.h>

#include "base/timer.h"
#include "solver/cg_batch.h"

static naik_status scalars(naik_cg *cg, naik_scalars which)
{
    naik_backend *backend = cg->geometry->backend;
    return backend->ops->solver.rhs_step(backend, cg->rhs, cg->sums, cg->width_now, which,
                                         cg->history, cg->longest);
}

naik_status cg_step(naik_cg *cg, const naik_normal *a, const naik_cg_vectors *v)
{
    naik_status status = NAIK_OK;
    const bool send = cg->launch.sends;
    NAIK_TRY(naik_normal_first(a, v->r, cg->rhs, cg->sums + 2 * cg->width_now, NULL, send));
    NAIK_TRY(scalars(cg, NAIK_TAKE));
    NAIK_TRY(naik_normal_second(a, cg->rhs, v, cg->sums, NULL, false));
    NAIK_TRY(scalars(cg, NAIK_COUNT));
done:
    return status;
}

/* A step with B applied to the residual, and the scalars of the one before with its own: its last
 * one is not counted yet. */
static naik_status iterate_reduced(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    const naik_normal a = cg_normal(cg, cg->now);
    const naik_cg_vectors v = cg_vectors(cg, cg->now);
    const naik_deferred_reductions deferred = {cg->rhs, cg->sums, cg->history, cg->longest};
    const bool take = cg->launch.takes_scalars;
    const bool send = cg->launch.sends;
    NAIK_TRY(naik_normal_first(&a, v.r, cg->rhs, cg->sums + 2 * cg->width_now,
                               take ? &deferred : NULL, send));
    if (!take) {
        NAIK_TRY(scalars(cg, NAIK_COUNT_AND_TAKE));
    }
    NAIK_TRY(naik_normal_second(&a, cg->rhs, &v, cg->sums, take ? &deferred : NULL, send));
done:
    return status;
}

/* A step with B applied to the direction, counted. */
static naik_status iterate_classical(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    const naik_normal a = cg_normal(cg, cg->now);
    const naik_cg_vectors v = cg_vectors(cg, cg->now);
    const bool send = cg->launch.sends;
    NAIK_TRY(ops->solver.update_direction(cg->rhs, v.r, v.x, v.p));
    NAIK_TRY(naik_normal_first(&a, v.p, cg->rhs, cg->sums + 2 * cg->width_now, NULL, send));
    NAIK_TRY(scalars(cg, NAIK_TAKE));
    NAIK_TRY(naik_normal_descend(&a, cg->rhs, &v, cg->sums));
    NAIK_TRY(scalars(cg, NAIK_COUNT));
done:
    return status;
}

static naik_status iterate(void *data)
{
    naik_cg *cg = data;
    return cg->now == NAIK_RUNG_CLASSICAL ? iterate_classical(cg) : iterate_reduced(cg);
}

/* The residual history since the last poll, from the ring on the backend. */
static naik_status drain_history(naik_cg *cg, const int before[])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    if (cg->history_stride == 0) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_backend_download(backend, cg->ring, cg->history,
                                   (size_t)cg->longest * (size_t)cg->width_now * sizeof *cg->ring));
    for (int c = 0; c < cg->width_now; c++) {
        cg_rhs_slot *slot = &cg->slot[c];
        for (int i = before[c]; i < cg->record[c].iterations && i < cg->history_stride; i++) {
            double rr = cg->ring[i % cg->longest * cg->width_now + c];
            slot->history[i] = sqrt(rr / slot->bb);
        }
    }
done:
    return status;
}

static double flops_since(const naik_cg *cg, const int before[])
{
    const naik_operator *op = cg->op[NAIK_RUNG_DOUBLE];
    double iterations = 0;
    for (int c = 0; c < cg->width_now; c++) {
        iterations += cg->record[c].iterations - before[c];
    }
    return iterations * op->ops->step_flops(op) * 0.5 * (double)cg->geometry->lattice->volume;
}

/* The logarithm to base 2, roughly, but to the same bits on every processor. */
static double rough_log2(double x)
{
    int exponent = 0;
    const double mantissa = frexp(x, &exponent);
    return exponent + 2 * mantissa - 2;
}

/* Iterations until an rhs asks for a check: at the rate at which it came so far, or after as many
 * as the time before. */
static double expected_iterations(const cg_rhs_slot *slot, const naik_rhs *record)
{
    const double goal = fmax(record->stop, record->delta2 * record->rr_max);
    const double rate = rough_log2(slot->bb / record->rr) / record->iterations;
    const double left = record->limit - record->iterations;
    const double expected = 0.8 * rough_log2(record->rr / goal) / rate;
    const double again = slot->begun_at + slot->stretch - record->iterations;
    const double least = slot->stretch > 0 && again > 0 ? fmin(expected, again) : expected;
    return rate > 0 && expected > 0 ? fmin(least, left) : 0;
}

/* The fewest until a running rhs asks, `most` if none does before. */
static double least_expected(const naik_cg *cg, double most)
{
    double least = most;
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_RHS_RUN) {
            least = fmin(least, expected_iterations(&cg->slot[c], &cg->record[c]));
        }
    }
    return least;
}

/* How many to enqueue until the next poll: the same on all ranks. An rhs that asks early is
 * frozen until then, so most of what is expected, not all of it; few while others wait. */
static int iterations_to_poll(const naik_cg *cg)
{
    if (cg->longest == cg->poll || cg_rhs_in_state(cg, NAIK_RHS_CHECK) > 0) {
        return cg->poll;
    }
    const int polls = (int)(least_expected(cg, cg->longest) / cg->poll);
    return polls > 1 ? polls * cg->poll : cg->poll;
}

/* A true residual reads the whole operator in double precision, however few rhs ask for one. So these
 * wait for others that will ask soon: what they miss together shall not cost more. */
bool cg_waits_for_company(const naik_cg *cg)
{
    const int waiting = cg_rhs_in_state(cg, NAIK_RHS_CHECK);
    const double more = fmax(least_expected(cg, cg->longest), cg->poll);
    return cg_rhs_in_state(cg, NAIK_RHS_RUN) > 0 && cg->missed + waiting * more <= cg->width_now;
}

/* Runs until the next poll. */
naik_status cg_run_to_poll(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    int before[NAIK_MAX_RHS] = {0};
    double start_s = naik_time_s();
    int running = cg_rhs_in_state(cg, NAIK_RHS_RUN);
    for (int c = 0; c < cg->width_now; c++) {
        before[c] = cg->record[c].iterations;
    }
    const naik_launch_loop loop = cg_loop("cg", cg->op[cg->now], cg_vectors(cg, cg->now).r);
    if (naik_launch_begin(&loop, &cg->launch)) {
        NAIK_TRY(cg_close_iteration(cg));
        cg->serial = naik_backend_serial(backend);
    }
    naik_timer_start(backend->timer, "iterate");
    NAIK_TRY(ops->reduction.clear(backend, cg->sums, CG_SUMS * cg->width_now));
    if (cg->launch.sends && !cg->open && cg->now != NAIK_RUNG_CLASSICAL) {
        const naik_normal a = cg_normal(cg, cg->now);
        NAIK_TRY(naik_normal_prime(&a, cg_vectors(cg, cg->now).r));
        cg->open = true;
    }
    const int count = iterations_to_poll(cg);
    NAIK_TRY(ops->solver.repeat(backend, cg->serial, cg->launch.records, iterate, cg, count));
    NAIK_TRY(scalars(cg, NAIK_COUNT));
    NAIK_TRY(cg_rhs_download(cg));
    NAIK_TRY(naik_launch_end(&loop, &cg->launch, count, naik_time_s() - start_s));
    NAIK_TRY(drain_history(cg, before));
    naik_timer_count(backend->timer, flops_since(cg, before), 0);
    naik_timer_stop(backend->timer, "iterate");
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_RHS_CHECK) {
            cg->missed += count - (cg->record[c].iterations - before[c]);
        }
        cg->slot[c].seconds +=
            cg->record[c].iterations > before[c] ? (naik_time_s() - start_s) / running : 0;
    }
done:
    return status;
}

/* Before anything but iterations: what the last of them sent is received. */
naik_status cg_close_iteration(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    if (cg->open) {
        const naik_normal a = cg_normal(cg, cg->now);
        NAIK_TRY(naik_normal_drain(&a, cg_vectors(cg, cg->now).r));
        cg->open = false;
    }
done:
    return status;
}
