/* cg_iterate.c - one iteration of the conjugate gradient, in either form, and how many until a poll */
#include <math.h>

#include "base/rough_log2.h"
#include "base/timer.h"
#include "solver/cg_parts.h"

static naik_status scalars(naik_solver *s, naik_scalars which)
{
    naik_backend *backend = s->geometry->backend;
    return backend->ops->solver.rhs_step(backend, s->rhs, s->sums, s->width_now, which, s->history,
                                         s->longest);
}

naik_status cg_step(naik_solver *s, const naik_normal *a, const naik_cg_vectors *v)
{
    const bool send = s->launch.sends;
    NAIK_PASS(naik_normal_first(a, v->r, s->rhs, s->sums + 2 * s->width_now, NULL, send));
    NAIK_PASS(scalars(s, NAIK_TAKE));
    NAIK_PASS(naik_normal_second(a, s->rhs, v, s->sums, NULL, false));
    return scalars(s, NAIK_COUNT);
}

/* A step with B applied to the residual, and the scalars of the one before with its own: its last
 * one is not counted yet. */
static naik_status iterate_reduced(naik_solver *s)
{
    const naik_normal a = cg_normal(s, cg_rung_at_work(s));
    const naik_cg_vectors v = cg_vectors(s, cg_rung_at_work(s));
    const naik_deferred_reductions deferred = {s->rhs, s->sums, s->history, s->longest};
    const bool take = s->launch.takes_scalars;
    const bool send = s->launch.sends;
    NAIK_PASS(naik_normal_first(&a, v.r, s->rhs, s->sums + 2 * s->width_now,
                                take ? &deferred : NULL, send));
    if (!take) {
        NAIK_PASS(scalars(s, NAIK_COUNT_AND_TAKE));
    }
    return naik_normal_second(&a, s->rhs, &v, s->sums, take ? &deferred : NULL, send);
}

/* A step with B applied to the direction, counted. */
static naik_status iterate_classical(naik_solver *s)
{
    const naik_backend_ops *ops = s->geometry->backend->ops;
    const naik_normal a = cg_normal(s, cg_rung_at_work(s));
    const naik_cg_vectors v = cg_vectors(s, cg_rung_at_work(s));
    const bool send = s->launch.sends;
    NAIK_PASS(ops->solver.update_direction(s->rhs, v.r, v.x, v.p));
    NAIK_PASS(naik_normal_first(&a, v.p, s->rhs, s->sums + 2 * s->width_now, NULL, send));
    NAIK_PASS(scalars(s, NAIK_TAKE));
    NAIK_PASS(naik_normal_descend(&a, s->rhs, &v, s->sums));
    return scalars(s, NAIK_COUNT);
}

static naik_status iterate(void *data)
{
    naik_solver *s = data;
    return cg_rung_at_work(s) == NAIK_RUNG_CLASSICAL ? iterate_classical(s) : iterate_reduced(s);
}

/* Iterations until an rhs asks for a check: at the rate at which it came so far, or after as many
 * as the time before. */
static double expected_iterations(const naik_solver_state *at, const naik_rhs *record)
{
    const double goal = fmax(record->stop, record->delta2 * record->rr_max);
    const double rate = naik_rough_log2(at->bb / record->rr) / record->iterations;
    const double left = record->limit - record->iterations;
    const double expected = 0.8 * naik_rough_log2(record->rr / goal) / rate;
    const double again = at->begun_at + at->stretch - record->iterations;
    const double least = at->stretch > 0 && again > 0 ? fmin(expected, again) : expected;
    return rate > 0 && expected > 0 ? fmin(least, left) : 0;
}

/* The fewest until a running rhs asks, `most` if none does before. */
static double least_expected(const naik_solver *s, double most)
{
    double least = most;
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state == NAIK_RHS_RUN) {
            least = fmin(least, expected_iterations(&s->slot[c].state, &s->record[c]));
        }
    }
    return least;
}

/* How many to enqueue until the next poll: the same on all ranks. An rhs that asks early is
 * frozen until then, so most of what is expected, not all of it; few while others wait. */
static int iterations_to_poll(const naik_solver *s)
{
    if (s->longest == s->poll || batch_in_state(s, NAIK_RHS_CHECK) > 0) {
        return s->poll;
    }
    const int polls = (int)(least_expected(s, s->longest) / s->poll);
    return polls > 1 ? polls * s->poll : s->poll;
}

/* A true residual reads the whole operator in double precision, however few rhs ask for one. So these
 * wait for others that will ask soon: what they miss together shall not cost more. */
bool cg_waits_for_company(const naik_solver *s)
{
    const int waiting = batch_in_state(s, NAIK_RHS_CHECK);
    const double more = fmax(least_expected(s, s->longest), s->poll);
    return batch_in_state(s, NAIK_RHS_RUN) > 0 && s->missed + waiting * more <= s->width_now;
}

naik_status cg_run(naik_solver *s, int *count)
{
    naik_backend *backend = s->geometry->backend;
    const double start_s = naik_time_s();
    const naik_rung now = cg_rung_at_work(s);
    const naik_field *r = cg_vectors(s, now).r;
    const naik_launch_loop loop = cg_loop("cg", s->op[now], r);
    int before[NAIK_MAX_RHS] = {0};
    if (naik_launch_begin(&loop, &s->launch)) {
        NAIK_PASS(cg_close(s));
        s->serial = naik_backend_serial(backend);
    }
    if (s->launch.sends && !s->open && now != NAIK_RUNG_CLASSICAL) {
        const naik_normal a = cg_normal(s, now);
        NAIK_PASS(naik_normal_prime(&a, r));
        s->open = true;
    }
    *count = iterations_to_poll(s);
    for (int c = 0; c < s->width_now; c++) {
        before[c] = s->record[c].iterations;
    }
    NAIK_PASS(
        backend->ops->solver.repeat(backend, s->serial, s->launch.records, iterate, s, *count));
    NAIK_PASS(scalars(s, NAIK_COUNT));
    NAIK_PASS(batch_download(s));
    const bool whole = batch_took_all(s, before, *count);
    NAIK_PASS(naik_launch_end(&loop, &s->launch, whole ? *count : 0, naik_time_s() - start_s));
    return batch_repeated(s, whole);
}

naik_status cg_close(naik_solver *s)
{
    if (s->open) {
        const naik_normal a = cg_normal(s, cg_rung_at_work(s));
        NAIK_PASS(naik_normal_drain(&a, cg_vectors(s, cg_rung_at_work(s)).r));
        s->open = false;
    }
    return NAIK_OK;
}
