/* multishift.c - several shifts of one right-hand side from one Krylov space
 *
 * Two stages with the same scalars: in double until the residual is so small that the rounding of
 * the inner precision, weighted with it, stays below the tolerance; then in the inner precision.
 * The base is an rhs of cg.h's batch in both; its vectors and those of the shifts are converted
 * once, when all rhs have arrived. Each rhs changes at its own iteration, so what it waits
 * for changes no bit.
 */
#include "solver/multishift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "comm/new.h"
#include "solver/cg_parts.h"

/* Iterated residuals aim below the tolerance by this factor, so that true ones meet it: a solve
 * that begins again for the last few per cent costs more. */
static const double AIM = 0.7;
/* Errors of this many steps' rounding are expected to add up. */
static const double STEPS = 32;
static const double roundoff[] = {
    [NAIK_DOUBLE] = 0x1p-53, [NAIK_SINGLE] = 0x1p-24, [NAIK_HALF] = 0x1p-15};

struct naik_multishift {
    naik_solver *cg;  /* borrowed */
    int groups;       /* most at a time */
    int shifts, each; /* of a group; without the base */
    /* double: solution of the bases [groups]; solutions and directions of the shifts [groups]
     * [each]; in the inner precision: what was added since, directions; NULL unless mixed */
    naik_field *x, *xs, *ps, *inner_xs, *inner_ps;
    naik_shift *shift;               /* backend memory [groups][each] */
    naik_shift record[NAIK_MAX_RHS]; /* the host's copy */
    double *history, *ring;          /* backend [longest][groups][each], and the host's copy */
    double *kept;                    /* host [groups][shifts][stride] */
    size_t ring_capacity, kept_capacity;
    /* an iteration's */
    naik_cg_vectors now;
    naik_normal normal;
    naik_rung rung; /* of the second stage */
    naik_field *now_xs, *now_ps;
    /* of the last solve */
    int count; /* groups */
    double bb[NAIK_MAX_RHS];
    naik_rhs done[NAIK_MAX_RHS]; /* the bases, as they ended */
    double seconds;              /* a system */
    int stride;
};

size_t naik_multishift_bytes(const naik_geometry *geometry, naik_precision vectors, int groups,
                             int shifts)
{
    const naik_backend_ops *ops = geometry->backend->ops;
    const naik_lattice *lat = geometry->lattice;
    const int all = groups * (shifts - 1);
    return ops->field.bytes(lat, NAIK_DOUBLE, groups) +
           2 * ops->field.bytes(lat, NAIK_DOUBLE, all) +
           (vectors == NAIK_DOUBLE ? 0 : 2 * ops->field.bytes(lat, vectors, all));
}

static naik_status create_fields(naik_multishift *m)
{
    const naik_geometry *g = m->cg->geometry;
    const int all = m->groups * m->each;
    NAIK_PASS(naik_field_create(g, NAIK_DOUBLE, m->groups, &m->x));
    NAIK_PASS(naik_field_create(g, NAIK_DOUBLE, all, &m->xs));
    NAIK_PASS(naik_field_create(g, NAIK_DOUBLE, all, &m->ps));
    if (batch_is_mixed(m->cg)) {
        NAIK_PASS(naik_field_create(g, m->cg->vectors, all, &m->inner_xs));
        NAIK_PASS(naik_field_create(g, m->cg->vectors, all, &m->inner_ps));
    }
    return naik_comm_agree(g->backend->comm,
                           naik_backend_alloc(g->backend, (size_t)all * sizeof *m->shift,
                                              "solver scalars", (void **)&m->shift));
}

naik_status naik_multishift_create(naik_solver *cg, int groups, int shifts, naik_multishift **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    *out = NULL;
    if (cg->kind != &naik_solver_cg) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "several shifts need conjugate gradient, not %s", cg->kind->name);
    }
    if (groups < 1 || groups > cg->width || shifts < 2 || shifts > NAIK_MAX_SHIFTS ||
        groups * (shifts - 1) > NAIK_MAX_RHS) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                         "%d shifts of %d right-hand sides: not in a batch of %d, nor beyond %d "
                         "vectors in all",
                         shifts, groups, cg->width, NAIK_MAX_RHS);
    }
    naik_multishift *m = NULL;
    NAIK_TRY(naik_new(backend->comm, sizeof *m, "the solver", (void **)&m));
    m->cg = cg;
    m->groups = groups;
    m->shifts = shifts;
    m->each = shifts - 1;
    NAIK_TRY(create_fields(m));
    *out = m;
    m = NULL;
done:
    naik_multishift_destroy(&m);
    return status;
}

void naik_multishift_destroy(naik_multishift **multishift)
{
    naik_multishift *m = *multishift;
    if (m == NULL) {
        return;
    }
    naik_backend *backend = m->cg->geometry->backend;
    naik_field_destroy(&m->inner_ps);
    naik_field_destroy(&m->inner_xs);
    naik_field_destroy(&m->ps);
    naik_field_destroy(&m->xs);
    naik_field_destroy(&m->x);
    naik_backend_release(backend, m->shift);
    naik_backend_release(backend, m->history);
    naik_free(m->ring);
    naik_free(m->kept);
    free(m);
    *multishift = NULL;
}

void naik_multishift_shape(const naik_multishift *m, int *groups, int *shifts)
{
    *groups = m != NULL ? m->groups : 0;
    *shifts = m != NULL ? m->shifts : 0;
}

/* Room for what the shifts' residuals were; made once and kept for the next solve. */
static naik_status reserve_history(naik_multishift *m, int stride)
{
    naik_backend *backend = m->cg->geometry->backend;
    const size_t ring = (size_t)m->cg->longest * (size_t)(m->groups * m->each);
    const size_t kept = (size_t)m->groups * (size_t)m->shifts * (size_t)stride;
    m->stride = stride;
    if (stride > 0 && ring > m->ring_capacity) {
        naik_backend_release(backend, m->history);
        naik_free(m->ring);
        m->history = NULL;
        m->ring = NULL;
        m->ring_capacity = 0;
        NAIK_PASS(naik_backend_alloc(backend, ring * sizeof *m->history, "residual history",
                                     (void **)&m->history));
        NAIK_PASS(naik_alloc(backend->log, ring * sizeof *m->ring, "residual history",
                             (void **)&m->ring));
        NAIK_PASS(naik_backend_upload(backend, m->history, m->ring, ring * sizeof *m->ring));
        m->ring_capacity = ring;
    }
    if (kept > m->kept_capacity) {
        naik_free(m->kept);
        m->kept = NULL;
        m->kept_capacity = 0;
        NAIK_PASS(naik_alloc(backend->log, kept * sizeof *m->kept, "residual history",
                             (void **)&m->kept));
        m->kept_capacity = kept;
    }
    return NAIK_OK;
}

static double *history_of(const naik_multishift *m, int group, int s)
{
    return m->kept + ((size_t)group * (size_t)m->shifts + (size_t)s) * (size_t)m->stride;
}

static naik_status check_groups(const naik_multishift *m, const naik_shift_group_stream *stream)
{
    naik_log *log = m->cg->geometry->backend->log;
    bool good = stream->count >= 1 && stream->count <= m->groups;
    for (int f = 0; good && f < stream->count; f++) {
        const naik_shift_group *group = &stream->group[f];
        good = group->count >= 1 && group->count <= m->shifts && group->scale[0] == 1;
        for (int s = 0; good && s < group->count; s++) {
            good = group->shift[s] >= group->shift[0] && group->shift[0] > 0 &&
                   group->tolerance[s] > 0 && isfinite(group->scale[s]);
        }
    }
    return good ? NAIK_OK
                : NAIK_FAIL(log, NAIK_ERR_ARG,
                            "a group of shifts needs a smallest one first and positive "
                            "tolerances");
}

double naik_multishift_switch(naik_precision vectors, naik_precision stored, double shift,
                              double tolerance)
{
    const bool stays = vectors == NAIK_DOUBLE || naik_rung_first(shift, true) != NAIK_RUNG_HALF;
    return stays ? tolerance : tolerance / (STEPS * fmax(roundoff[stored], roundoff[vectors]));
}

/* The residual that the first stage ends at, for the group's sharpest tolerance. */
static double first_goal(const naik_multishift *m, const naik_shift_group *group)
{
    double tolerance = group->tolerance[0];
    for (int s = 1; s < group->count; s++) {
        tolerance = fmin(tolerance, group->tolerance[s]);
    }
    const double change = naik_multishift_switch(m->cg->vectors, m->cg->op[m->rung]->precision,
                                                 group->shift[0], tolerance);
    return fmax(AIM * group->tolerance[0], change);
}

static naik_status upload(naik_multishift *m)
{
    naik_backend *backend = m->cg->geometry->backend;
    NAIK_PASS(batch_upload(m->cg));
    return naik_backend_upload(backend, m->shift, m->record,
                               (size_t)(m->count * m->each) * sizeof *m->record);
}

static naik_status download(naik_multishift *m)
{
    naik_backend *backend = m->cg->geometry->backend;
    NAIK_PASS(batch_download(m->cg));
    return naik_backend_download(backend, m->record, m->shift,
                                 (size_t)(m->count * m->each) * sizeof *m->record);
}

/* rhs and shifts before the first step. A right-hand side that is zero or not finite takes no
 * part. */
static void describe_rhs(naik_multishift *m, const naik_solver_options *options,
                         const naik_shift_group *groups)
{
    memset(m->record, 0, sizeof m->record);
    for (int f = 0; f < m->count; f++) {
        const naik_shift_group *group = &groups[f];
        const double bb = m->bb[f];
        const bool live = bb > 0 && isfinite(bb);
        const double aim = AIM * group->tolerance[0];
        const double first = batch_is_mixed(m->cg) ? first_goal(m, group) : aim;
        m->cg->record[f] = (naik_rhs){.shift = group->shift[0],
                                      .rr = bb,
                                      .rr_max = bb,
                                      .quantum_ratio = cg_quantum_ratio(m->cg),
                                      .sum_quantum = cg_quantum_ratio(m->cg) * bb,
                                      .stop = first * first * bb,
                                      .state = live ? NAIK_RHS_RUN : NAIK_RHS_IDLE,
                                      .limit = options->max_iterations};
        for (int s = 1; s < group->count; s++) {
            const double scale = group->scale[s], goal = AIM * group->tolerance[s] * scale;
            m->record[f * m->each + s - 1] =
                (naik_shift){.sigma = group->shift[s] - group->shift[0],
                             .zeta = scale,
                             .ratio = 1,
                             .alpha_last = 1,
                             .rr = scale * scale * bb,
                             .stop = goal * goal * bb,
                             .running = live,
                             .moves = live};
        }
    }
}

/* r = b, p_s = scale r, all solutions 0; the first step makes p = r. */
static naik_status begin(naik_multishift *m, naik_parity parity, const naik_solver_options *options,
                         const naik_shift_group_stream *stream)
{
    naik_solver *cg = m->cg;
    naik_backend *backend = cg->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    naik_field *shifted[] = {m->xs, m->ps, m->inner_xs, m->inner_ps};
    m->count = stream->count;
    NAIK_PASS(batch_begin(cg, parity, options, stream->count));
    m->rung = batch_rung_from(cg, NAIK_RUNG_HALF);
    NAIK_PASS(naik_comm_agree(backend->comm, reserve_history(m, options->history_stride)));
    naik_field_set_nrhs(m->x, m->count);
    for (int i = 0; i < (batch_is_mixed(cg) ? 4 : 2); i++) {
        naik_field_set_nrhs(shifted[i], m->count * m->each);
    }
    m->normal = cg_normal(cg, NAIK_RUNG_DOUBLE);
    m->now = (naik_cg_vectors){m->x, cg->outer.field[BATCH_R], cg->outer.field[BATCH_P],
                               cg->outer.field[BATCH_IMAGE]};
    m->now_xs = m->xs;
    m->now_ps = m->ps;
    for (int f = 0; f < m->count; f++) {
        NAIK_PASS(stream->load(stream->data, f, cg->outer.field[BATCH_R], f));
    }
    NAIK_PASS(batch_dots(cg, cg->outer.field[BATCH_R], cg->outer.field[BATCH_R], NULL, m->bb));
    describe_rhs(m, options, stream->group);
    NAIK_PASS(upload(m));
    NAIK_PASS(ops->field.zero(m->x, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->field.zero(m->xs, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->field.zero(m->ps, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->field.zero(m->now.p, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->field.zero(m->now.ap, NULL, NAIK_RHS_IDLE));
    return ops->solver.update_shifts(m->shift, m->now.r, m->xs, m->ps);
}

static naik_status iterate(void *data)
{
    naik_multishift *m = data;
    naik_solver *cg = m->cg;
    naik_backend *backend = cg->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    NAIK_PASS(cg_step(cg, &m->normal, &m->now));
    NAIK_PASS(ops->solver.shift_step(backend, cg->rhs, m->shift, m->count, m->each,
                                     m->stride > 0 ? m->history : NULL, cg->longest));
    return ops->solver.update_shifts(m->shift, m->now.r, m->now_xs, m->now_ps);
}

/* |r|/|b| of steps before..after-1 out of a ring of `width` numbers a step. */
static void keep(const naik_multishift *m, const double *ring, int width, int at, int before,
                 int after, double bb, double *history)
{
    for (int i = before; i < after && i < m->stride; i++) {
        history[i] = sqrt(ring[(size_t)(i % m->cg->longest) * (size_t)width + (size_t)at] / bb);
    }
}

static naik_status drain_history(naik_multishift *m, const naik_shift_group *groups,
                                 const int before[])
{
    naik_solver *cg = m->cg;
    naik_backend *backend = cg->geometry->backend;
    const int all = m->count * m->each;
    if (m->stride == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_backend_download(backend, cg->ring, cg->history,
                                    (size_t)cg->longest * (size_t)m->count * sizeof *cg->ring));
    NAIK_PASS(naik_backend_download(backend, m->ring, m->history,
                                    (size_t)cg->longest * (size_t)all * sizeof *m->ring));
    for (int f = 0; f < m->count; f++) {
        keep(m, cg->ring, m->count, f, before[f], cg->record[f].iterations, m->bb[f],
             history_of(m, f, 0));
        for (int s = 1; s < groups[f].count; s++) {
            const int at = f * m->each + s - 1;
            const double scale = groups[f].scale[s];
            keep(m, m->ring, all, at, before[f], m->record[at].iterations, scale * scale * m->bb[f],
                 history_of(m, f, s));
        }
    }
    return NAIK_OK;
}

static bool any_runs(const naik_multishift *m)
{
    for (int f = 0; f < m->count; f++) {
        if (m->cg->record[f].state == NAIK_RHS_RUN) {
            return true;
        }
    }
    return false;
}

/* Whether bases and shifted systems all took `count` steps. */
static bool took_all(const naik_multishift *m, const int before[], const int shifts_before[],
                     int count)
{
    for (int i = 0; i < m->count * m->each; i++) {
        if (m->record[i].iterations - shifts_before[i] != count) {
            return false;
        }
    }
    return batch_took_all(m->cg, before, count);
}

static naik_status report_poll(const naik_multishift *m, const naik_shift_group_stream *stream)
{
    naik_solver_progress progress = {.rung = NAIK_RUNG_DOUBLE,
                                     .field = {m->x, m->now.x, m->now.r, m->now.p, m->now.ap}};
    if (stream->poll == NULL) {
        return NAIK_OK;
    }
    for (int f = 0; f < m->count; f++) {
        const naik_rhs *record = &m->cg->record[f];
        if (record->state == NAIK_RHS_RUN) {
            progress.residual = fmax(progress.residual, sqrt(record->rr / m->bb[f]));
            progress.iterations =
                record->iterations > progress.iterations ? record->iterations : progress.iterations;
            progress.index[progress.running] = f;
            progress.irhs[progress.running++] = f;
        }
    }
    return stream->poll(stream->data, &progress);
}

/* Until no base runs any more. */
static naik_status run_stage(naik_multishift *m, const naik_shift_group_stream *stream,
                             bool *stopped)
{
    naik_solver *cg = m->cg;
    naik_backend *backend = cg->geometry->backend;
    int before[NAIK_MAX_RHS] = {0}, shifts_before[NAIK_MAX_RHS] = {0};
    cg->serial = naik_backend_serial(backend);
    NAIK_PASS(backend->ops->reduction.clear(backend, cg->sums, CG_SUMS * cg->width_now));
    while (any_runs(m)) {
        if (stream->stop != NULL && stream->stop(stream->data)) {
            *stopped = true;
            return NAIK_OK;
        }
        for (int f = 0; f < m->count; f++) {
            before[f] = cg->record[f].iterations;
        }
        for (int i = 0; i < m->count * m->each; i++) {
            shifts_before[i] = m->record[i].iterations;
        }
        const naik_launch_loop loop = cg_loop("multi-shift cg", m->normal.op, m->now.r);
        if (naik_launch_begin(&loop, &cg->launch)) {
            cg->serial = naik_backend_serial(backend);
        }
        const double start_s = naik_time_s();
        naik_timer_start(backend->timer, "iterate");
        NAIK_PASS(backend->ops->solver.repeat(backend, cg->serial, cg->launch.records, iterate, m,
                                              cg->poll));
        NAIK_PASS(download(m));
        const double seconds = naik_time_s() - start_s;
        NAIK_PASS(naik_launch_end(&loop, &cg->launch,
                                  batch_took_all(cg, before, cg->poll) ? cg->poll : 0, seconds));
        NAIK_PASS(batch_repeated(cg, took_all(m, before, shifts_before, cg->poll)));
        NAIK_PASS(drain_history(m, stream->group, before));
        naik_timer_stop(backend->timer, "iterate");
        NAIK_PASS(report_poll(m, stream));
    }
    NAIK_PASS(
        backend->ops->solver.apply_deferred_update(m->now.x, m->now.p, cg->rhs, NAIK_RHS_CHECK));
    for (int f = 0; f < m->count; f++) {
        cg->record[f].x_deferred = 0;
    }
    return NAIK_OK;
}

/* From double to the inner precision; rhs that are not where they wanted to be run again. The
 * base's direction is that of the step before, the shifts have theirs. */
static naik_status change_precision(naik_multishift *m, const naik_shift_group *groups)
{
    naik_solver *cg = m->cg;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    for (int f = 0; f < m->count; f++) {
        naik_rhs *record = &cg->record[f];
        const double aim = AIM * groups[f].tolerance[0];
        record->stop = aim * aim * m->bb[f];
        if (record->state == NAIK_RHS_CHECK && record->rr > record->stop &&
            record->iterations < record->limit) {
            record->state = NAIK_RHS_RUN;
        }
    }
    NAIK_PASS(upload(m));
    NAIK_PASS(ops->field.copy(cg->low.field[BATCH_R], m->now.r, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->field.copy(cg->low.field[BATCH_P], m->now.p, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->field.copy(cg->low.field[BATCH_IMAGE], m->now.ap, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->field.copy(m->inner_ps, m->ps, NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->field.zero(cg->low.field[BATCH_X], NULL, NAIK_RHS_IDLE));
    NAIK_PASS(ops->field.zero(m->inner_xs, NULL, NAIK_RHS_IDLE));
    m->normal = cg_normal(cg, m->rung);
    m->now = (naik_cg_vectors){cg->low.field[BATCH_X], cg->low.field[BATCH_R],
                               cg->low.field[BATCH_P], cg->low.field[BATCH_IMAGE]};
    m->now_xs = m->inner_xs;
    m->now_ps = m->inner_ps;
    return NAIK_OK;
}

static naik_status run_inner_stage(naik_multishift *m, const naik_shift_group_stream *stream,
                                   bool *stopped)
{
    const naik_backend_ops *ops = m->cg->geometry->backend->ops;
    NAIK_PASS(change_precision(m, stream->group));
    NAIK_PASS(run_stage(m, stream, stopped));
    NAIK_PASS(ops->field.add(m->x, m->cg->low.field[BATCH_X], NULL, NAIK_RHS_IDLE));
    return ops->field.add(m->xs, m->inner_xs, NULL, NAIK_RHS_IDLE);
}

naik_status naik_multishift_solve(naik_multishift *m, naik_parity parity,
                                  const naik_solver_options *options,
                                  const naik_shift_group_stream *stream, bool *stopped)
{
    const double start_s = naik_time_s();
    int systems = 0;
    *stopped = false;
    NAIK_PASS(check_groups(m, stream));
    NAIK_PASS(begin(m, parity, options, stream));
    NAIK_PASS(run_stage(m, stream, stopped));
    if (batch_is_mixed(m->cg) && !*stopped) {
        NAIK_PASS(run_inner_stage(m, stream, stopped));
    }
    for (int f = 0; f < m->count; f++) {
        systems += stream->group[f].count;
    }
    m->seconds = (naik_time_s() - start_s) / systems;
    memcpy(m->done, m->cg->record, sizeof m->done);
    return NAIK_OK;
}

naik_status naik_multishift_take(const naik_multishift *m, int group, int s, naik_field *x,
                                 int irhs, naik_solver_start *start)
{
    const naik_backend_ops *ops = m->cg->geometry->backend->ops;
    const naik_rhs *base = &m->done[group];
    const int at = group * m->each + s - 1;
    *start = (naik_solver_start){.iterations = 0};
    if (base->state == NAIK_RHS_IDLE || base->state == NAIK_RHS_BROKEN) {
        return NAIK_OK;
    }
    start->iterations = s == 0 ? base->iterations : m->record[at].iterations;
    start->seconds = m->seconds;
    if (m->stride > 0) {
        start->history = history_of(m, group, s);
        start->history_length = start->iterations < m->stride ? start->iterations : m->stride;
    }
    return s == 0 ? ops->field.copy_rhs(x, irhs, m->x, group)
                  : ops->field.copy_rhs(x, irhs, m->xs, at);
}
