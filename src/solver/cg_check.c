/* cg_check.c - true residuals, and what they decide: done, on to a safer rung, or on from there
 */
#include <math.h>
#include <string.h>

#include "solver/cg_parts.h"

/* Whether an rhs that gets no further is to be given up: on the last rung. */
static bool is_last(const naik_solver *s, const naik_solver_options *options, int c)
{
    return s->slot[c].state.rung == NAIK_RUNG_DOUBLE || options->stay;
}

int cg_verdict(const naik_solver *s, const naik_solver_options *options, int c, double rr)
{
    const naik_solver_state *at = &s->slot[c].state;
    const bool last = is_last(s, options, c);
    if (at->bb != 0 && (!isfinite(rr) || !isfinite(at->bb))) {
        const int most = last ? 1 : 3; /* or where no rung helps */
        return at->breaks > most || !isfinite(at->bb) ? NAIK_SOLVER_BROKEN : -1;
    }
    const int reason = batch_verdict(s, options, c, rr);
    return reason >= 0 || !last                  ? reason
           : at->breaks > 1                      ? NAIK_SOLVER_BROKEN
           : at->stalls >= options->max_restarts ? NAIK_SOLVER_STAGNATED
                                                 : -1;
}

void cg_resume(naik_solver *s, const naik_solver_options *options,
               const naik_solver_starter *starter, int c, double rr, double inner_rr,
               double inner_rs)
{
    naik_solver_state *at = &s->slot[c].state;
    naik_rhs *record = &s->record[c];
    /* A direction that no longer fits the true residual leads nowhere: begin from the residual
     * alone. A residual ten times what the iteration believed is no rounding: x was damaged. */
    const bool damaged = at->started && rr > 100 * record->rr;
    const bool restart = at->restart || at->stalls > 0 || damaged || !at->started;
    const bool low = at->rung != NAIK_RUNG_DOUBLE;
    record->x_deferred = 0;
    record->beta = restart ? 0 : inner_rr / record->rr_last;
    record->rr = inner_rr;
    record->rs = inner_rs;
    record->xp = record->xx = 0;
    record->rr_max = inner_rr;
    record->quantum_ratio = cg_quantum_ratio(s);
    record->sum_quantum = record->quantum_ratio * inner_rr;
    double aim = s->slot[c].system.tolerance * s->slot[c].system.tolerance * at->bb;
    if (rr <= aim) { /* the heavy-quark residual is not there yet */
        aim = 0.01 * rr;
    }
    if (starter != NULL && starter->correct != NULL) { /* where a correction is due */
        aim = fmax(aim, starter->again * starter->again * at->corrected_rr);
    }
    record->stop = aim;
    const bool coarse = s->vectors == NAIK_HALF; /* rounding that no estimate knows of */
    const double stray = options->stray > 0 ? options->stray : naik_cg_stray((naik_rung)at->rung);
    const double wanted = options->delta > 0 ? options->delta : naik_cg_delta((naik_rung)at->rung);
    const double delta = coarse ? fmax(wanted, 0.3) : wanted;
    record->delta2 = low ? delta * delta : 0;
    record->stray2 = low ? 1 / (stray * stray) : 0;
    record->classical = at->rung == NAIK_RUNG_CLASSICAL;
    record->state = NAIK_RHS_RUN;
    at->started = 1;
    at->restart = 0;
}

/* An rhs that broke drops what it added since its last check, and its direction, so that nothing of
 * it waits for x; once more, it gives up. */
static naik_status recover_broken(naik_solver *s)
{
    const naik_backend_ops *ops = s->geometry->backend->ops;
    if (batch_in_state(s, NAIK_RHS_BROKEN) == 0) {
        return NAIK_OK;
    }
    naik_field *field[NAIK_SOLVER_VECTORS];
    s->kind->vectors(s, s->now, field);
    for (int v = NAIK_SOLVER_CORRECTION; v < NAIK_SOLVER_VECTORS; v++) {
        if (field[v] != NULL && v != NAIK_SOLVER_RESIDUAL) {
            NAIK_PASS(ops->field.zero(field[v], s->rhs, NAIK_RHS_BROKEN));
        }
    }
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state == NAIK_RHS_BROKEN) {
            s->slot[c].state.breaks++;
            s->slot[c].state.restart = 1;
            s->record[c].state = NAIK_RHS_CHECK;
        }
    }
    return batch_upload(s);
}

/* The correction joins x; one that is not finite is dropped, with what it came by. */
static naik_status add_correction(naik_solver *s, naik_field *correction)
{
    const naik_backend_ops *ops = s->geometry->backend->ops;
    double norms[NAIK_MAX_RHS];
    NAIK_PASS(batch_dots(s, correction, correction, NULL, norms));
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state == NAIK_RHS_CHECK && !isfinite(norms[c])) {
            s->record[c].state = NAIK_RHS_BROKEN;
        }
    }
    if (batch_in_state(s, NAIK_RHS_BROKEN) > 0) {
        NAIK_PASS(batch_upload(s));
        NAIK_PASS(recover_broken(s));
    }
    NAIK_PASS(ops->field.add(s->outer.field[BATCH_X], correction, s->rhs, NAIK_RHS_CHECK));
    return ops->field.zero(correction, s->rhs, NAIK_RHS_CHECK);
}

/* x is beyond repair (its true residual is not finite): start again from zero. */
static naik_status restart_from_zero(naik_solver *s, const double rr[])
{
    bool any = false;
    for (int c = 0; c < s->width_now; c++) {
        bool lost = s->record[c].state == NAIK_RHS_CHECK && !isfinite(rr[c]);
        if (lost) {
            s->record[c].state = NAIK_RHS_BROKEN;
            s->slot[c].state.corrected_rr = INFINITY;
            any = true;
        }
    }
    if (any) {
        NAIK_PASS(batch_upload(s));
        NAIK_PASS(s->geometry->backend->ops->field.zero(s->outer.field[BATCH_X], s->rhs,
                                                        NAIK_RHS_BROKEN));
    }
    return NAIK_OK;
}

/* Whether A x is known to be 0: the rhs has its first residual taken, and starts from 0. */
static bool at_zero(const naik_solver *s, int c)
{
    return !s->slot[c].state.moved && s->record[c].iterations == 0;
}

/* rr_c = |b - A x|^2 of all rhs that ask, the residual in outer.r. */
static naik_status form_residuals(naik_solver *s, double rr[])
{
    naik_backend *backend = s->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    const naik_normal outer = cg_normal(s, NAIK_RUNG_DOUBLE);
    NAIK_PASS(ops->reduction.clear(backend, s->sums, s->width_now));
    NAIK_PASS(naik_normal_residual(&outer, s->b, s->outer.field[BATCH_X], s->rhs, NAIK_RHS_CHECK,
                                   s->outer.field[BATCH_R], s->sums));
    NAIK_PASS(ops->reduction.over_ranks(backend, s->sums, s->width_now));
    return ops->reduction.values(backend, s->sums, s->width_now, rr);
}

static naik_status site_residuals(naik_solver *s)
{
    bool asks[NAIK_MAX_RHS];
    for (int c = 0; c < s->width_now; c++) {
        asks[c] = s->record[c].state == NAIK_RHS_CHECK;
    }
    return batch_site_residuals(s, asks);
}

/* What the iteration of the rhs that ask still holds back joins x. */
static naik_status complete_x(naik_solver *s)
{
    const naik_backend_ops *ops = s->geometry->backend->ops;
    const naik_cg_vectors v = cg_vectors(s, cg_rung_at_work(s));
    NAIK_PASS(ops->solver.apply_deferred_update(v.x, v.p, s->rhs, NAIK_RHS_CHECK));
    if (v.x != s->outer.field[BATCH_X]) {
        NAIK_PASS(add_correction(s, v.x));
    }
    return NAIK_OK;
}

/* rr_c = |b - A x|^2 of all rhs that ask, at less cost where none has an x yet. */
static naik_status true_residuals(naik_solver *s, double rr[])
{
    naik_backend *backend = s->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    int apply = 0;
    naik_timer_start(backend->timer, "true residuals");
    for (int c = 0; c < s->width_now; c++) {
        apply += s->record[c].state == NAIK_RHS_CHECK && !at_zero(s, c);
    }
    if (apply == 0) {
        NAIK_PASS(ops->field.copy(s->outer.field[BATCH_R], s->b, s->rhs, NAIK_RHS_CHECK));
    } else {
        NAIK_PASS(complete_x(s));
        NAIK_PASS(form_residuals(s, rr));
    }
    for (int c = 0; c < s->width_now; c++) {
        rr[c] = at_zero(s, c) ? s->slot[c].state.bb : rr[c];
    }
    NAIK_PASS(site_residuals(s));
    naik_timer_stop(backend->timer, "true residuals");
    return NAIK_OK;
}

/* rhs whose true residual says that they are done leave. */
static naik_status finish_checked(naik_solver *s, const naik_solver_options *options,
                                  const naik_solver_stream *stream, const double rr[])
{
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state == NAIK_RHS_CHECK) {
            const int reason = cg_verdict(s, options, c, rr[c]);
            if (reason >= 0) {
                NAIK_PASS(batch_finish(s, stream, c, (naik_solver_reason)reason, rr[c]));
            }
        }
    }
    return NAIK_OK;
}

/* The starter corrects x of those rhs that go on and are due, whose true residuals it changes. */
static naik_status correct(naik_solver *s, const naik_solver_options *options,
                           const naik_solver_stream *stream, double rr[])
{
    const naik_solver_starter *starter = stream->starter;
    naik_solver_correction due = {.parity = s->parity,
                                  .r = s->outer.field[BATCH_R],
                                  .x = s->outer.field[BATCH_X],
                                  .rhs = s->rhs};
    bool rest[NAIK_MAX_RHS] = {false}, any = false;
    if (starter == NULL || starter->correct == NULL) {
        return NAIK_OK;
    }
    for (int c = 0; c < s->width_now; c++) {
        const bool goes_on = s->record[c].state == NAIK_RHS_CHECK;
        due.shift[c] = s->record[c].shift;
        due.wanted[c] =
            goes_on && rr[c] <= starter->again * starter->again * s->slot[c].state.corrected_rr;
        rest[c] = goes_on && !due.wanted[c];
        any = any || due.wanted[c];
    }
    if (!any) {
        return NAIK_OK;
    }
    for (int c = 0; c < s->width_now; c++) {
        s->record[c].state = rest[c] ? NAIK_RHS_WAIT : s->record[c].state;
    }
    NAIK_PASS(batch_upload(s));
    NAIK_PASS(starter->correct(starter->data, &due));
    double corrected[NAIK_MAX_RHS] = {0};
    NAIK_PASS(form_residuals(s, corrected));
    NAIK_PASS(site_residuals(s));
    for (int c = 0; c < s->width_now; c++) {
        naik_solver_state *at = &s->slot[c].state;
        if (due.wanted[c]) {
            rr[c] = at->corrected_rr = corrected[c];
            at->best_rr = fmin(at->best_rr, rr[c]);
            at->corrections++;
            at->moved = 1;
            at->restart = 1;
        }
    }
    NAIK_PASS(finish_checked(s, options, stream, rr));
    for (int c = 0; c < s->width_now; c++) {
        s->record[c].state = rest[c] ? NAIK_RHS_CHECK : s->record[c].state;
    }
    return NAIK_OK;
}

naik_status cg_check(naik_solver *s, const naik_solver_options *options,
                     const naik_solver_stream *stream)
{
    const naik_backend_ops *ops = s->geometry->backend->ops;
    const naik_cg_vectors v = cg_vectors(s, cg_rung_at_work(s));
    double rr[NAIK_MAX_RHS] = {0}, inner_rr[NAIK_MAX_RHS], inner_rs[NAIK_MAX_RHS] = {0};
    NAIK_PASS(recover_broken(s));
    if (batch_in_state(s, NAIK_RHS_CHECK) == 0 || cg_waits_for_company(s)) {
        return NAIK_OK;
    }
    s->missed = 0;
    NAIK_PASS(true_residuals(s, rr));
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state == NAIK_RHS_CHECK) {
            cg_judge_stretch(s, c, rr[c]);
        }
    }
    NAIK_PASS(finish_checked(s, options, stream, rr));
    for (int c = 0; c < s->width_now; c++) {
        s->slot[c].state.restarts +=
            s->record[c].state == NAIK_RHS_CHECK && s->slot[c].state.started;
    }
    NAIK_PASS(restart_from_zero(s, rr));
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state == NAIK_RHS_CHECK && cg_climbs(s, options, c, rr[c])) {
            s->record[c].state = NAIK_RHS_WAIT;
        }
    }
    NAIK_PASS(correct(s, options, stream, rr));
    NAIK_PASS(batch_upload(s));
    if (v.r != s->outer.field[BATCH_R]) {
        NAIK_PASS(ops->field.copy(v.r, s->outer.field[BATCH_R], s->rhs, NAIK_RHS_CHECK));
        NAIK_PASS(batch_dots(s, v.r, v.r, NULL, inner_rr));
    } else {
        memcpy(inner_rr, rr, sizeof inner_rr);
    }
    if (v.ap != NULL) {
        NAIK_PASS(batch_dots(s, v.r, v.ap, NULL, inner_rs));
    }
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state == NAIK_RHS_CHECK) {
            cg_resume(s, options, stream->starter, c, rr[c], inner_rr[c], inner_rs[c]);
        }
    }
    return batch_upload(s);
}
