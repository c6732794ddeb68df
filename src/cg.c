/* cg.c - the batched conjugate gradient, on any backend
 *
 * One iteration is a few calls that only enqueue (iterate). Between polls nothing reaches the host;
 * they are as rare as the columns will not need one (iterations_to_poll).
 * At a poll the host looks at the columns' records: those that ask get their true residual
 * (check_columns), those that are done leave, new systems take their places, and when none are left
 * the batch is narrowed.
 */
#include "naik/cg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cg_batch.h"

const char *naik_cg_reason_text(naik_cg_reason reason)
{
    switch (reason) {
    case NAIK_CG_CONVERGED: return "converged";
    case NAIK_CG_ZERO_SOURCE: return "zero source";
    case NAIK_CG_ITERATION_LIMIT: return "iteration limit";
    case NAIK_CG_STAGNATED: return "stagnated";
    case NAIK_CG_BROKEN: return "broken by NaN or a singular direction";
    case NAIK_CG_INTERRUPTED: return "interrupted";
    }
    return "unknown";
}

naik_cg_options naik_cg_defaults(void)
{
    return (naik_cg_options){
        .max_iterations = 20000, .delta = 0.01, .max_restarts = 10, .first_rung = -1};
}

/* Whether kernels do what follows them, too: scalars, and sending. */
static bool kernels_do_more(const naik_backend *backend)
{
    const naik_orchestration how = backend->choices.orchestration;
    return how != NAIK_ORCHESTRATE_SEPARATE && how != NAIK_ORCHESTRATE_GRAPH;
}

/* Whether kernels compute the scalars for themselves. */
static bool kernels_take_sums(const naik_cg *cg)
{
    const naik_backend *backend = cg->geometry->backend;
    naik_takes_sums takes = NAIK_TAKES_NONE;
    if (backend->ops->takes_sums != NULL && kernels_do_more(backend)) {
        takes = backend->ops->takes_sums(cg->geometry, cg->width_now);
    }
    return takes == NAIK_TAKES_GLADLY || (takes == NAIK_TAKES_IF_ASKED &&
                                          backend->choices.orchestration != NAIK_ORCHESTRATE_AUTO);
}

static naik_status scalars(naik_cg *cg, naik_scalars which)
{
    naik_backend *backend = cg->geometry->backend;
    return backend->ops->column_step(backend, cg->columns, cg->sums, cg->width_now, which,
                                     cg->history, cg->longest);
}

naik_status cg_step(naik_cg *cg, const naik_schur *schur, const naik_cg_vectors *v)
{
    naik_status status = NAIK_OK;
    const bool send = kernels_do_more(cg->geometry->backend);
    NAIK_TRY(naik_schur_first(schur, v->r, cg->columns, cg->sums + 2 * cg->width_now, NULL, send));
    NAIK_TRY(scalars(cg, NAIK_TAKE));
    NAIK_TRY(naik_schur_second(schur, cg->columns, v, cg->sums, NULL, false));
    NAIK_TRY(scalars(cg, NAIK_COUNT));
done:
    return status;
}

/* A step with D applied to the residual, and the scalars of the one before with its own: its last
 * one is not counted yet. */
static naik_status iterate_reduced(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    const naik_schur schur = cg_schur(cg, cg->now);
    const naik_cg_vectors v = cg_vectors(cg, cg->now);
    const naik_columns_due due = {cg->columns, cg->sums, cg->history, cg->longest};
    const bool take = cg->width_now == 1 && kernels_take_sums(cg);
    const bool send = kernels_do_more(cg->geometry->backend);
    NAIK_TRY(naik_schur_first(&schur, v.r, cg->columns, cg->sums + 2 * cg->width_now,
                              take ? &due : NULL, send));
    if (!take) {
        NAIK_TRY(scalars(cg, NAIK_COUNT_AND_TAKE));
    }
    NAIK_TRY(naik_schur_second(&schur, cg->columns, &v, cg->sums, take ? &due : NULL, send));
done:
    return status;
}

/* A step with D applied to the direction, counted. */
static naik_status iterate_classical(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    const naik_schur schur = cg_schur(cg, cg->now);
    const naik_cg_vectors v = cg_vectors(cg, cg->now);
    const bool send = kernels_do_more(cg->geometry->backend);
    NAIK_TRY(ops->update_direction(cg->columns, v.r, v.x, v.p));
    NAIK_TRY(naik_schur_first(&schur, v.p, cg->columns, cg->sums + 2 * cg->width_now, NULL, send));
    NAIK_TRY(scalars(cg, NAIK_TAKE));
    NAIK_TRY(naik_schur_descend(&schur, cg->columns, &v, cg->sums));
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
    NAIK_TRY(
        backend->ops->download(backend, cg->ring, cg->history,
                               (size_t)cg->longest * (size_t)cg->width_now * sizeof *cg->ring));
    for (int c = 0; c < cg->width_now; c++) {
        cg_slot *slot = &cg->slot[c];
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
    const int per_site = cg->links[NAIK_RUNG_DOUBLE]->hops == NAIK_HOPS ? NAIK_CG_FLOPS : NAIK_CG_FLOPS_NAIVE;
    double iterations = 0;
    for (int c = 0; c < cg->width_now; c++) {
        iterations += cg->record[c].iterations - before[c];
    }
    return iterations * per_site * 0.5 * (double)cg->geometry->lattice->volume;
}

/* The logarithm to base 2, roughly, but to the same bits on every processor. */
static double rough_log2(double x)
{
    int exponent = 0;
    const double mantissa = frexp(x, &exponent);
    return exponent + 2 * mantissa - 2;
}

/* Iterations until a column asks for a check: at the rate at which it came so far, or after as many
 * as the time before. */
static double expected_iterations(const cg_slot *slot, const naik_column *record)
{
    const double goal = fmax(record->stop, record->delta2 * record->rr_max);
    const double rate = rough_log2(slot->bb / record->rr) / record->iterations;
    const double left = record->limit - record->iterations;
    const double expected = 0.8 * rough_log2(record->rr / goal) / rate;
    const double again = slot->begun_at + slot->stretch - record->iterations;
    const double least = slot->stretch > 0 && again > 0 ? fmin(expected, again) : expected;
    return rate > 0 && expected > 0 ? fmin(least, left) : 0;
}

/* How many to enqueue until the next poll: the same on all ranks. A column that asks early is
 * frozen until then, so most of what is expected, not all of it. */
static int iterations_to_poll(const naik_cg *cg)
{
    double least = cg->longest;
    for (int c = 0; c < cg->width_now && cg->longest > cg->poll; c++) {
        if (cg->record[c].state == NAIK_COLUMN_RUN) {
            least = fmin(least, expected_iterations(&cg->slot[c], &cg->record[c]));
        }
    }
    const int polls = (int)(least / cg->poll);
    return polls > 1 ? polls * cg->poll : cg->poll;
}

/* Runs until the next poll. */
static naik_status run_to_poll(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    int before[NAIK_MAX_RHS];
    double start_s = naik_time_s();
    int running = cg_columns_in(cg, NAIK_COLUMN_RUN);
    for (int c = 0; c < cg->width_now; c++) {
        before[c] = cg->record[c].iterations;
    }
    naik_timer_start(backend->timer, "iterate");
    NAIK_TRY(ops->sums_clear(backend, cg->sums, CG_SUMS * cg->width_now));
    if (kernels_do_more(backend) && !cg->open && cg->now != NAIK_RUNG_CLASSICAL) {
        const naik_schur schur = cg_schur(cg, cg->now);
        NAIK_TRY(naik_schur_open(&schur, cg_vectors(cg, cg->now).r));
        cg->open = true;
    }
    NAIK_TRY(ops->repeat(backend, cg->serial, iterate, cg, iterations_to_poll(cg)));
    NAIK_TRY(scalars(cg, NAIK_COUNT));
    NAIK_TRY(cg_columns_download(cg));
    NAIK_TRY(drain_history(cg, before));
    naik_timer_count(backend->timer, flops_since(cg, before), 0);
    naik_timer_stop(backend->timer, "iterate");
    for (int c = 0; c < cg->width_now; c++) {
        cg->slot[c].seconds +=
            cg->record[c].iterations > before[c] ? (naik_time_s() - start_s) / running : 0;
    }
done:
    return status;
}

/* Before anything but iterations: what the last of them sent is received. */
static naik_status close_iteration(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    if (cg->open) {
        const naik_schur schur = cg_schur(cg, cg->now);
        NAIK_TRY(naik_schur_close(&schur, cg_vectors(cg, cg->now).r));
        cg->open = false;
    }
done:
    return status;
}

/* What went before the starting value counts as done by this column. */
static void take_start(const naik_cg *cg, cg_slot *slot)
{
    naik_cg_start *start = &slot->system.start;
    for (int i = 0; i < start->history_length && i < cg->history_stride; i++) {
        slot->history[i] = start->history[i];
    }
    slot->seconds = start->seconds;
    start->history = NULL;
}

/* Gives every idle column a new system, as long as there are some; the new ones wait for their rung. */
static naik_status load_systems(naik_cg *cg, const naik_cg_options *options,
                                const naik_cg_stream *stream)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    double norms[NAIK_MAX_RHS];
    bool fresh[NAIK_MAX_RHS] = {false}, kept[NAIK_MAX_RHS] = {false};
    naik_cg_state state[NAIK_MAX_RHS];
    int loaded = 0;
    for (int c = 0; c < cg->width_now; c++) {
        fresh[c] = cg->record[c].state == NAIK_COLUMN_IDLE && cg->next + loaded < stream->count;
        loaded += fresh[c];
    }
    if (loaded == 0) {
        return NAIK_OK;
    }
    NAIK_TRY(ops->field_zero(cg->outer.x, cg->columns, NAIK_COLUMN_IDLE));
    for (int c = 0; c < cg->width_now; c++) {
        if (fresh[c]) {
            cg_slot *slot = &cg->slot[c];
            double *history = slot->history;
            *slot = (cg_slot){.index = cg->next++, .history = history};
            NAIK_TRY(stream->load(stream->data, slot->index, cg->b, cg->outer.x, c, &slot->system));
            NAIK_TRY(cg_check_system(cg, &slot->system));
            take_start(cg, slot);
            NAIK_TRY(cg_restore(cg, stream, c, &state[c], &kept[c]));
        }
    }
    NAIK_TRY(cg_dots(cg, cg->b, cg->b, norms));
    for (int c = 0; c < cg->width_now; c++) {
        if (fresh[c]) {
            cg_slot *slot = &cg->slot[c];
            slot->bb = norms[c];
            slot->best_rr = INFINITY;
            slot->rung = cg_first_rung(cg, options, slot->system.shift);
            cg->record[c] = (naik_column){.shift = slot->system.shift,
                                          .state = NAIK_COLUMN_WAIT,
                                          .iterations = slot->system.start.iterations,
                                          .limit = options->max_iterations};
            if (kept[c]) {
                NAIK_TRY(cg_adopt(cg, options, c, &state[c]));
            }
        }
    }
    NAIK_TRY(cg_columns_upload(cg));
done:
    return status;
}

/* Whether a column that gets no further is to be given up: on the last rung. */
static bool is_last(const naik_cg *cg, const naik_cg_options *options, int c)
{
    return cg->slot[c].rung == NAIK_RUNG_DOUBLE || options->stay;
}

/* What the true residual says of a column: done, and why; or -1 to go on. */
static int verdict(const naik_cg *cg, const naik_cg_options *options, int c, double rr)
{
    const cg_slot *slot = &cg->slot[c];
    const double tolerance = slot->system.tolerance;
    if (slot->bb == 0) {
        return NAIK_CG_ZERO_SOURCE;
    }
    if (!isfinite(rr) || !isfinite(slot->bb)) {
        const int most = is_last(cg, options, c) ? 1 : 3; /* or where no rung helps */
        return slot->breaks > most || !isfinite(slot->bb) ? NAIK_CG_BROKEN : -1;
    }
    bool site_ok =
        slot->system.site_tolerance <= 0 || slot->site_residual <= slot->system.site_tolerance;
    if (rr <= tolerance * tolerance * slot->bb && site_ok) {
        return NAIK_CG_CONVERGED;
    }
    if (cg->record[c].iterations >= options->max_iterations) {
        return NAIK_CG_ITERATION_LIMIT;
    }
    if (!is_last(cg, options, c)) {
        return -1;
    }
    return slot->breaks > 1                        ? NAIK_CG_BROKEN
           : slot->stalls >= options->max_restarts ? NAIK_CG_STAGNATED
                                                   : -1;
}

static naik_status finish_column(naik_cg *cg, const naik_cg_stream *stream, int c, int reason,
                                 double rr)
{
    cg_slot *slot = &cg->slot[c];
    const bool zero = reason == NAIK_CG_ZERO_SOURCE;
    const naik_cg_result result = {
        .reason = (naik_cg_reason)reason,
        .iterations = cg->record[c].iterations,
        .start_iterations = slot->system.start.iterations,
        .restarts = slot->restarts,
        .rung = slot->rung,
        .residual = zero ? 0 : sqrt(rr / slot->bb),
        .site_residual = slot->system.site_tolerance > 0 ? slot->site_residual : NAN,
        .seconds = slot->seconds,
        .history = slot->history,
        .history_length = cg->record[c].iterations < cg->history_stride ? cg->record[c].iterations
                                                                        : cg->history_stride};
    cg->record[c].state = NAIK_COLUMN_IDLE;
    return stream->finish(stream->data, slot->index, cg->outer.x, c, &result);
}

/* What a stretch of iterations up to the true residual rr says of its column. */
static void judge_stretch(naik_cg *cg, int c, double rr)
{
    cg_slot *slot = &cg->slot[c];
    const naik_column *record = &cg->record[c];
    const bool halved = !(rr > 0.25 * slot->best_rr);
    if (slot->started) {
        slot->stalls = halved ? 0 : slot->stalls + (record->rr <= record->stop);
        slot->stretch = record->iterations - slot->begun_at;
    }
    slot->begun_at = record->iterations;
    if (halved) {
        slot->best_rr = rr;
        slot->best_at = record->iterations;
    }
}

/* The next stretch of iterations starts from the true residual rr; inner_rr is its norm as stored,
 * inner_rs its product with A p. */
static void resume_column(naik_cg *cg, const naik_cg_options *options, int c, double rr,
                          double inner_rr, double inner_rs)
{
    cg_slot *slot = &cg->slot[c];
    naik_column *record = &cg->record[c];
    /* A direction that no longer fits the true residual leads nowhere: begin from the residual
     * alone. A residual ten times what the iteration believed is no rounding: x was damaged. */
    const bool damaged = slot->started && rr > 100 * record->rr;
    const bool restart = slot->restart || slot->stalls > 0 || damaged || !slot->started;
    const bool low = slot->rung != NAIK_RUNG_DOUBLE;
    record->waiting = 0;
    record->beta = restart ? 0 : inner_rr / record->rr_last;
    record->rr = inner_rr;
    record->rs = inner_rs;
    record->xp = record->xx = 0;
    record->rr_max = inner_rr;
    record->headroom = cg_headroom(cg);
    record->grid = record->headroom * inner_rr;
    double aim = slot->system.tolerance * slot->system.tolerance * slot->bb;
    if (rr <= aim) { /* the site-relative residual is not there yet */
        aim = 0.01 * rr;
    }
    record->stop = aim;
    const bool coarse = cg->vectors == NAIK_HALF; /* rounding that no estimate knows of */
    const double stray = options->stray > 0 ? options->stray : naik_cg_stray(slot->rung);
    const double delta = coarse ? fmax(options->delta, 0.3) : options->delta;
    record->delta2 = low ? delta * delta : 0;
    record->stray2 = low ? 1 / (stray * stray) : 0;
    record->classical = slot->rung == NAIK_RUNG_CLASSICAL;
    record->state = NAIK_COLUMN_RUN;
    slot->started = true;
    slot->restart = false;
}

/* A column that broke drops what it added since its last check; once more, it gives up. */
static naik_status recover_broken(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    if (cg_columns_in(cg, NAIK_COLUMN_BROKEN) == 0) {
        return NAIK_OK;
    }
    naik_field *field[NAIK_CG_VECTORS];
    cg_fields_of(cg, cg->now, field);
    for (int v = NAIK_CG_CORRECTION; v < NAIK_CG_VECTORS; v++) {
        if (field[v] != NULL && v != NAIK_CG_RESIDUAL) {
            NAIK_TRY(ops->field_zero(field[v], cg->columns, NAIK_COLUMN_BROKEN));
        }
    }
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_COLUMN_BROKEN) {
            cg->slot[c].breaks++;
            cg->slot[c].restart = true;
            cg->record[c].waiting = 0;
            cg->record[c].state = NAIK_COLUMN_CHECK;
        }
    }
    NAIK_TRY(cg_columns_upload(cg));
done:
    return status;
}

/* The correction joins x; one that is not finite is dropped, with what it came by. */
static naik_status add_correction(naik_cg *cg, naik_field *correction)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    double norms[NAIK_MAX_RHS];
    NAIK_TRY(cg_dots(cg, correction, correction, norms));
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_COLUMN_CHECK && !isfinite(norms[c])) {
            cg->record[c].state = NAIK_COLUMN_BROKEN;
        }
    }
    if (cg_columns_in(cg, NAIK_COLUMN_BROKEN) > 0) {
        NAIK_TRY(cg_columns_upload(cg));
        NAIK_TRY(recover_broken(cg));
    }
    NAIK_TRY(ops->field_add(cg->outer.x, correction, cg->columns, NAIK_COLUMN_CHECK));
    NAIK_TRY(ops->field_zero(correction, cg->columns, NAIK_COLUMN_CHECK));
done:
    return status;
}

/* x is beyond repair (its true residual is not finite): start again from zero. */
static naik_status restart_from_zero(naik_cg *cg, const double rr[])
{
    naik_status status = NAIK_OK;
    bool any = false;
    for (int c = 0; c < cg->width_now; c++) {
        bool lost = cg->record[c].state == NAIK_COLUMN_CHECK && !isfinite(rr[c]);
        if (lost) {
            cg->record[c].state = NAIK_COLUMN_BROKEN;
            any = true;
        }
    }
    if (any) {
        NAIK_TRY(cg_columns_upload(cg));
        NAIK_TRY(cg->geometry->backend->ops->field_zero(cg->outer.x, cg->columns, NAIK_COLUMN_BROKEN));
    }
done:
    return status;
}

/* rr_c = |b - A x|^2 of all columns that ask, the residual in outer.r; what their iteration still
 * holds back joins x before. */
static naik_status true_residuals(naik_cg *cg, double rr[])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    const naik_cg_vectors v = cg_vectors(cg, cg->now);
    const naik_schur outer = cg_schur(cg, NAIK_RUNG_DOUBLE);
    naik_timer_start(backend->timer, "true residuals");
    NAIK_TRY(ops->field_settle(v.x, v.p, cg->columns, NAIK_COLUMN_CHECK));
    if (v.x != cg->outer.x) {
        NAIK_TRY(add_correction(cg, v.x));
    }
    NAIK_TRY(ops->sums_clear(backend, cg->sums, cg->width_now));
    NAIK_TRY(naik_schur_residual(&outer, cg->b, cg->outer.x, cg->columns, NAIK_COLUMN_CHECK,
                                 cg->outer.r, cg->sums));
    NAIK_TRY(ops->sums_reduce(backend, cg->sums, cg->width_now));
    NAIK_TRY(ops->sums_values(backend, cg->sums, cg->width_now, rr));
    NAIK_TRY(cg_site_residuals(cg));
    naik_timer_stop(backend->timer, "true residuals");
done:
    return status;
}

/* Columns that are checked end, or climb; the others go on from their true residuals. */
static naik_status check_columns(naik_cg *cg, const naik_cg_options *options,
                                 const naik_cg_stream *stream)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    const naik_cg_vectors v = cg_vectors(cg, cg->now);
    double rr[NAIK_MAX_RHS], inner_rr[NAIK_MAX_RHS], inner_rs[NAIK_MAX_RHS] = {0};
    if (cg_columns_in(cg, NAIK_COLUMN_CHECK) == 0) {
        return NAIK_OK;
    }
    NAIK_TRY(true_residuals(cg, rr));
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state != NAIK_COLUMN_CHECK) {
            continue;
        }
        judge_stretch(cg, c, rr[c]);
        const int reason = verdict(cg, options, c, rr[c]);
        if (reason >= 0) {
            NAIK_TRY(finish_column(cg, stream, c, reason, rr[c]));
        } else {
            cg->slot[c].restarts += cg->slot[c].started;
        }
    }
    NAIK_TRY(restart_from_zero(cg, rr));
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_COLUMN_CHECK && cg_climbs(cg, options, c, rr[c])) {
            cg->record[c].state = NAIK_COLUMN_WAIT;
        }
    }
    NAIK_TRY(cg_columns_upload(cg));
    if (v.r != cg->outer.r) {
        NAIK_TRY(ops->field_copy(v.r, cg->outer.r, cg->columns, NAIK_COLUMN_CHECK));
        NAIK_TRY(cg_dots(cg, v.r, v.r, inner_rr));
    } else {
        memcpy(inner_rr, rr, sizeof inner_rr);
    }
    if (v.ap != NULL) {
        NAIK_TRY(cg_dots(cg, v.r, v.ap, inner_rs));
    }
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_COLUMN_CHECK) {
            resume_column(cg, options, c, rr[c], inner_rr[c], inner_rs[c]);
        }
    }
    NAIK_TRY(cg_columns_upload(cg));
done:
    return status;
}

/* Keeps and gives back every column as it stands: not even a true residual is formed, since an
 * update that an undisturbed run would not make changes bits. */
static naik_status interrupt_columns(naik_cg *cg, const naik_cg_stream *stream)
{
    naik_status status = NAIK_OK;
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state != NAIK_COLUMN_IDLE) {
            NAIK_TRY(cg_save(cg, stream, c));
            NAIK_TRY(finish_column(cg, stream, c, NAIK_CG_INTERRUPTED, cg->record[c].rr));
        }
    }
done:
    return status;
}

/* Tells the stream where the solver is. */
static naik_status tell_poll(naik_cg *cg, const naik_cg_stream *stream)
{
    naik_cg_progress progress = {.parity = cg->parity, .rung = cg->now};
    if (stream->poll == NULL) {
        return NAIK_OK;
    }
    cg_fields_of(cg, cg->now, progress.field);
    for (int c = 0; c < cg->width_now; c++) {
        const naik_column *record = &cg->record[c];
        if (record->state != NAIK_COLUMN_RUN) {
            continue;
        }
        double residual = sqrt(record->rr / cg->slot[c].bb);
        progress.residual = residual > progress.residual ? residual : progress.residual;
        progress.iterations =
            record->iterations > progress.iterations ? record->iterations : progress.iterations;
        progress.iterations_of[progress.running] = record->iterations;
        progress.residual_of[progress.running] = residual;
        progress.index[progress.running] = cg->slot[c].index;
        progress.column[progress.running++] = c;
    }
    return stream->poll(stream->data, &progress);
}

naik_status naik_cg_solve(naik_cg *cg, naik_parity parity, const naik_cg_options *options,
                          const naik_cg_stream *stream)
{
    naik_status status = NAIK_OK;
    if (options->max_iterations < 1 || !(options->delta > 0) || options->delta >= 1 ||
        options->first_rung >= NAIK_RUNGS) {
        return NAIK_FAIL(cg->geometry->backend->log, NAIK_ERR_ARG,
                         "the solver needs a positive iteration limit and a delta between 0 and 1");
    }
    NAIK_TRY(cg_begin(cg, parity, options, stream->count));
    for (;;) {
        bool stopping = stream->stop != NULL && stream->stop(stream->data);
        if (stopping || cg_columns_in(cg, NAIK_COLUMN_RUN) < cg->width_now) {
            NAIK_TRY(close_iteration(cg));
        }
        if (stopping) {
            NAIK_TRY(interrupt_columns(cg, stream));
            break;
        }
        NAIK_TRY(load_systems(cg, options, stream));
        NAIK_TRY(cg_release(cg));
        NAIK_TRY(recover_broken(cg));
        NAIK_TRY(check_columns(cg, options, stream));
        const int running =
            cg_columns_in(cg, NAIK_COLUMN_RUN) + cg_columns_in(cg, NAIK_COLUMN_BROKEN);
        const int held = cg->width_now - cg_columns_in(cg, NAIK_COLUMN_IDLE);
        if (held == 0 && cg->next >= stream->count) {
            break;
        }
        if (running == 0) {
            continue; /* all were done at their first check, or wait: load the next */
        }
        if (cg->next >= stream->count && 4 * held <= 3 * cg->width_now) {
            NAIK_TRY(cg_narrow(cg));
        }
        NAIK_TRY(run_to_poll(cg));
        status = tell_poll(cg, stream);
        if (status != NAIK_OK) { /* of the stream: the next solve begins with nothing under way */
            (void)close_iteration(cg);
            goto done;
        }
    }
done:
    return status;
}
