/* cg_check.c - true residuals, and what they decide: done, on to a safer rung, or on from there
 */
#include <math.h>
#include <string.h>

#include "solver/cg_batch.h"

/* Whether an rhs that gets no further is to be given up: on the last rung. */
static bool is_last(const naik_cg *cg, const naik_solver_options *options, int c)
{
    return cg->slot[c].rung == NAIK_RUNG_DOUBLE || options->stay;
}

/* What the true residual says of an rhs: done, and why; or -1 to go on. */
static int verdict(const naik_cg *cg, const naik_solver_options *options, int c, double rr)
{
    const cg_rhs_slot *slot = &cg->slot[c];
    const double tolerance = slot->system.tolerance;
    if (slot->bb == 0) {
        return NAIK_SOLVER_ZERO_SOURCE;
    }
    if (!isfinite(rr) || !isfinite(slot->bb)) {
        const int most = is_last(cg, options, c) ? 1 : 3; /* or where no rung helps */
        return slot->breaks > most || !isfinite(slot->bb) ? NAIK_SOLVER_BROKEN : -1;
    }
    bool site_ok =
        slot->system.site_tolerance <= 0 || slot->site_residual <= slot->system.site_tolerance;
    if (rr <= tolerance * tolerance * slot->bb && site_ok) {
        return NAIK_SOLVER_CONVERGED;
    }
    if (cg->record[c].iterations >= options->max_iterations) {
        return NAIK_SOLVER_ITERATION_LIMIT;
    }
    if (!is_last(cg, options, c)) {
        return -1;
    }
    return slot->breaks > 1                        ? NAIK_SOLVER_BROKEN
           : slot->stalls >= options->max_restarts ? NAIK_SOLVER_STAGNATED
                                                   : -1;
}

naik_status cg_finish_rhs(naik_cg *cg, const naik_solver_stream *stream, int c, int reason,
                          double rr)
{
    cg_rhs_slot *slot = &cg->slot[c];
    const bool zero = reason == NAIK_SOLVER_ZERO_SOURCE;
    const naik_solver_result result = {
        .reason = (naik_solver_reason)reason,
        .iterations = cg->record[c].iterations,
        .start_iterations = slot->start_iterations,
        .restarts = slot->restarts,
        .corrections = slot->corrections,
        .first_rung = slot->first_rung,
        .rung = slot->rung,
        .climb = slot->climb,
        .climbed_at = slot->climbed_at,
        .residual = zero ? 0 : sqrt(rr / slot->bb),
        .site_residual = slot->system.site_tolerance > 0 ? slot->site_residual : NAN,
        .seconds = slot->seconds,
        .history = slot->history,
        .history_length = cg->record[c].iterations < cg->history_stride ? cg->record[c].iterations
                                                                        : cg->history_stride};
    cg->record[c].state = NAIK_RHS_IDLE;
    return stream->finish(stream->data, slot->index, cg->outer.x, c, &result);
}

/* What a stretch of iterations up to the true residual rr says of its rhs. */
static void judge_stretch(naik_cg *cg, int c, double rr)
{
    cg_rhs_slot *slot = &cg->slot[c];
    const naik_rhs *record = &cg->record[c];
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
static void resume_rhs(naik_cg *cg, const naik_solver_options *options,
                       const naik_solver_starter *starter, int c, double rr, double inner_rr,
                       double inner_rs)
{
    cg_rhs_slot *slot = &cg->slot[c];
    naik_rhs *record = &cg->record[c];
    /* A direction that no longer fits the true residual leads nowhere: begin from the residual
     * alone. A residual ten times what the iteration believed is no rounding: x was damaged. */
    const bool damaged = slot->started && rr > 100 * record->rr;
    const bool restart = slot->restart || slot->stalls > 0 || damaged || !slot->started;
    const bool low = slot->rung != NAIK_RUNG_DOUBLE;
    record->x_deferred = 0;
    record->beta = restart ? 0 : inner_rr / record->rr_last;
    record->rr = inner_rr;
    record->rs = inner_rs;
    record->xp = record->xx = 0;
    record->rr_max = inner_rr;
    record->quantum_ratio = cg_quantum_ratio(cg);
    record->sum_quantum = record->quantum_ratio * inner_rr;
    double aim = slot->system.tolerance * slot->system.tolerance * slot->bb;
    if (rr <= aim) { /* the heavy-quark residual is not there yet */
        aim = 0.01 * rr;
    }
    if (starter != NULL && starter->correct != NULL) { /* where a correction is due */
        aim = fmax(aim, starter->again * starter->again * slot->corrected_rr);
    }
    record->stop = aim;
    const bool coarse = cg->vectors == NAIK_HALF; /* rounding that no estimate knows of */
    const double stray = options->stray > 0 ? options->stray : naik_cg_stray(slot->rung);
    const double wanted = options->delta > 0 ? options->delta : naik_cg_delta(slot->rung);
    const double delta = coarse ? fmax(wanted, 0.3) : wanted;
    record->delta2 = low ? delta * delta : 0;
    record->stray2 = low ? 1 / (stray * stray) : 0;
    record->classical = slot->rung == NAIK_RUNG_CLASSICAL;
    record->state = NAIK_RHS_RUN;
    slot->started = true;
    slot->restart = false;
}

/* An rhs that broke drops what it added since its last check; once more, it gives up. */
naik_status cg_recover_broken(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    if (cg_rhs_in_state(cg, NAIK_RHS_BROKEN) == 0) {
        return NAIK_OK;
    }
    naik_field *field[NAIK_SOLVER_VECTORS];
    cg_fields_of(cg, cg->now, field);
    for (int v = NAIK_SOLVER_CORRECTION; v < NAIK_SOLVER_VECTORS; v++) {
        if (field[v] != NULL && v != NAIK_SOLVER_RESIDUAL) {
            NAIK_TRY(ops->field.zero(field[v], cg->rhs, NAIK_RHS_BROKEN));
        }
    }
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_RHS_BROKEN) {
            cg->slot[c].breaks++;
            cg->slot[c].restart = true;
            cg->record[c].x_deferred = 0;
            cg->record[c].state = NAIK_RHS_CHECK;
        }
    }
    NAIK_TRY(cg_rhs_upload(cg));
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
        if (cg->record[c].state == NAIK_RHS_CHECK && !isfinite(norms[c])) {
            cg->record[c].state = NAIK_RHS_BROKEN;
        }
    }
    if (cg_rhs_in_state(cg, NAIK_RHS_BROKEN) > 0) {
        NAIK_TRY(cg_rhs_upload(cg));
        NAIK_TRY(cg_recover_broken(cg));
    }
    NAIK_TRY(ops->field.add(cg->outer.x, correction, cg->rhs, NAIK_RHS_CHECK));
    NAIK_TRY(ops->field.zero(correction, cg->rhs, NAIK_RHS_CHECK));
done:
    return status;
}

/* x is beyond repair (its true residual is not finite): start again from zero. */
static naik_status restart_from_zero(naik_cg *cg, const double rr[])
{
    naik_status status = NAIK_OK;
    bool any = false;
    for (int c = 0; c < cg->width_now; c++) {
        bool lost = cg->record[c].state == NAIK_RHS_CHECK && !isfinite(rr[c]);
        if (lost) {
            cg->record[c].state = NAIK_RHS_BROKEN;
            cg->slot[c].corrected_rr = INFINITY;
            any = true;
        }
    }
    if (any) {
        NAIK_TRY(cg_rhs_upload(cg));
        NAIK_TRY(cg->geometry->backend->ops->field.zero(cg->outer.x, cg->rhs, NAIK_RHS_BROKEN));
    }
done:
    return status;
}

/* Whether A x is known to be 0: the rhs has its first residual taken, and starts from 0. */
static bool at_zero(const naik_cg *cg, int c)
{
    return cg->slot[c].zero_start && cg->record[c].iterations == 0;
}

/* rr_c = |b - A x|^2 of all rhs that ask, the residual in outer.r. */
static naik_status form_residuals(naik_cg *cg, double rr[])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    const naik_normal outer = cg_normal(cg, NAIK_RUNG_DOUBLE);
    NAIK_TRY(ops->reduction.clear(backend, cg->sums, cg->width_now));
    NAIK_TRY(naik_normal_residual(&outer, cg->b, cg->outer.x, cg->rhs, NAIK_RHS_CHECK, cg->outer.r,
                                  cg->sums));
    NAIK_TRY(ops->reduction.over_ranks(backend, cg->sums, cg->width_now));
    NAIK_TRY(ops->reduction.values(backend, cg->sums, cg->width_now, rr));
done:
    return status;
}

/* What the iteration of the rhs that ask still holds back joins x. */
static naik_status complete_x(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    const naik_cg_vectors v = cg_vectors(cg, cg->now);
    NAIK_TRY(ops->solver.apply_deferred_update(v.x, v.p, cg->rhs, NAIK_RHS_CHECK));
    if (v.x != cg->outer.x) {
        NAIK_TRY(add_correction(cg, v.x));
    }
done:
    return status;
}

/* rr_c = |b - A x|^2 of all rhs that ask, at less cost where none has an x yet. */
static naik_status true_residuals(naik_cg *cg, double rr[])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = cg->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    int apply = 0;
    naik_timer_start(backend->timer, "true residuals");
    for (int c = 0; c < cg->width_now; c++) {
        apply += cg->record[c].state == NAIK_RHS_CHECK && !at_zero(cg, c);
    }
    if (apply == 0) {
        NAIK_TRY(ops->field.copy(cg->outer.r, cg->b, cg->rhs, NAIK_RHS_CHECK));
    } else {
        NAIK_TRY(complete_x(cg));
        NAIK_TRY(form_residuals(cg, rr));
    }
    for (int c = 0; c < cg->width_now; c++) {
        rr[c] = at_zero(cg, c) ? cg->slot[c].bb : rr[c];
    }
    NAIK_TRY(cg_site_residuals(cg));
    naik_timer_stop(backend->timer, "true residuals");
done:
    return status;
}

/* rhs whose true residual says that they are done leave. */
static naik_status finish_checked(naik_cg *cg, const naik_solver_options *options,
                                  const naik_solver_stream *stream, const double rr[])
{
    naik_status status = NAIK_OK;
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_RHS_CHECK) {
            const int reason = verdict(cg, options, c, rr[c]);
            NAIK_TRY(reason >= 0 ? cg_finish_rhs(cg, stream, c, reason, rr[c]) : NAIK_OK);
        }
    }
done:
    return status;
}

/* The starter corrects x of those rhs that go on and are due, whose true residuals it changes. */
static naik_status correct(naik_cg *cg, const naik_solver_options *options,
                           const naik_solver_stream *stream, double rr[])
{
    naik_status status = NAIK_OK;
    const naik_solver_starter *starter = stream->starter;
    naik_solver_correction at = {
        .parity = cg->parity, .r = cg->outer.r, .x = cg->outer.x, .rhs = cg->rhs};
    bool rest[NAIK_MAX_RHS] = {false}, any = false;
    if (starter == NULL || starter->correct == NULL) {
        return NAIK_OK;
    }
    for (int c = 0; c < cg->width_now; c++) {
        const bool goes_on = cg->record[c].state == NAIK_RHS_CHECK;
        at.shift[c] = cg->record[c].shift;
        at.wanted[c] =
            goes_on && rr[c] <= starter->again * starter->again * cg->slot[c].corrected_rr;
        rest[c] = goes_on && !at.wanted[c];
        any = any || at.wanted[c];
    }
    if (!any) {
        return NAIK_OK;
    }
    for (int c = 0; c < cg->width_now; c++) {
        cg->record[c].state = rest[c] ? NAIK_RHS_WAIT : cg->record[c].state;
    }
    NAIK_TRY(cg_rhs_upload(cg));
    NAIK_TRY(starter->correct(starter->data, &at));
    double corrected[NAIK_MAX_RHS] = {0};
    NAIK_TRY(form_residuals(cg, corrected));
    NAIK_TRY(cg_site_residuals(cg));
    for (int c = 0; c < cg->width_now; c++) {
        cg_rhs_slot *slot = &cg->slot[c];
        if (at.wanted[c]) {
            rr[c] = slot->corrected_rr = corrected[c];
            slot->best_rr = fmin(slot->best_rr, rr[c]);
            slot->corrections++;
            slot->zero_start = false;
            slot->restart = true;
        }
    }
    NAIK_TRY(finish_checked(cg, options, stream, rr));
    for (int c = 0; c < cg->width_now; c++) {
        cg->record[c].state = rest[c] ? NAIK_RHS_CHECK : cg->record[c].state;
    }
done:
    return status;
}

/* rhs that are checked end, or climb; the others go on from their true residuals. */
naik_status cg_check_rhs(naik_cg *cg, const naik_solver_options *options,
                         const naik_solver_stream *stream)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    const naik_cg_vectors v = cg_vectors(cg, cg->now);
    double rr[NAIK_MAX_RHS] = {0}, inner_rr[NAIK_MAX_RHS], inner_rs[NAIK_MAX_RHS] = {0};
    if (cg_rhs_in_state(cg, NAIK_RHS_CHECK) == 0 || cg_waits_for_company(cg)) {
        return NAIK_OK;
    }
    cg->missed = 0;
    NAIK_TRY(true_residuals(cg, rr));
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_RHS_CHECK) {
            judge_stretch(cg, c, rr[c]);
        }
    }
    NAIK_TRY(finish_checked(cg, options, stream, rr));
    for (int c = 0; c < cg->width_now; c++) {
        cg->slot[c].restarts += cg->record[c].state == NAIK_RHS_CHECK && cg->slot[c].started;
    }
    NAIK_TRY(restart_from_zero(cg, rr));
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_RHS_CHECK && cg_climbs(cg, options, c, rr[c])) {
            cg->record[c].state = NAIK_RHS_WAIT;
        }
    }
    NAIK_TRY(correct(cg, options, stream, rr));
    NAIK_TRY(cg_rhs_upload(cg));
    if (v.r != cg->outer.r) {
        NAIK_TRY(ops->field.copy(v.r, cg->outer.r, cg->rhs, NAIK_RHS_CHECK));
        NAIK_TRY(cg_dots(cg, v.r, v.r, inner_rr));
    } else {
        memcpy(inner_rr, rr, sizeof inner_rr);
    }
    if (v.ap != NULL) {
        NAIK_TRY(cg_dots(cg, v.r, v.ap, inner_rs));
    }
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_RHS_CHECK) {
            resume_rhs(cg, options, stream->starter, c, rr[c], inner_rr[c], inner_rs[c]);
        }
    }
    NAIK_TRY(cg_rhs_upload(cg));
done:
    return status;
}
