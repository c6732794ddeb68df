/* cg_state.c - an rhs in mid solve, out of the batch and back into it
 *
 * The iteration depends on x, the correction, the residual, the direction, A times that and the
 * record alone: an rhs that is put back goes on to the same bits. Vectors of 16 bits are not
 * kept: their scales do not survive the way through double unchanged.
 */
#include <math.h>
#include <string.h>

#include "solver/cg_batch.h"

naik_status cg_save(naik_cg *cg, const naik_solver_stream *stream, int c)
{
    const cg_rhs_slot *slot = &cg->slot[c];
    naik_rhs record = cg->record[c];
    const bool waits = record.state == NAIK_RHS_WAIT;
    const bool live = waits ? slot->live : true;
    if (stream->save == NULL || cg->vectors == NAIK_HALF || (!live && slot->restarts == 0)) {
        return NAIK_OK; /* or has not begun */
    }
    record.state = waits && live ? slot->resumes : record.state;
    const naik_solver_state state = {.record = record,
                                     .bb = slot->bb,
                                     .best_rr = slot->best_rr,
                                     .site_residual = slot->site_residual,
                                     .seconds = slot->seconds,
                                     .corrected_rr = slot->corrected_rr,
                                     .corrections = slot->corrections,
                                     .restarts = slot->restarts,
                                     .stalls = slot->stalls,
                                     .breaks = slot->breaks,
                                     .started = slot->started,
                                     .restart = slot->restart,
                                     .rung = (int32_t)slot->rung,
                                     .first_rung = (int32_t)slot->first_rung,
                                     .climb = (int32_t)slot->climb,
                                     .climbed_at = slot->climbed_at,
                                     .live = live,
                                     .failures = slot->failures,
                                     .shorts = slot->shorts,
                                     .best_at = slot->best_at,
                                     .begun_at = slot->begun_at,
                                     .stretch = slot->stretch,
                                     .history = slot->history,
                                     .history_length = record.iterations < cg->history_stride
                                                           ? record.iterations
                                                           : cg->history_stride};
    naik_field *fields[NAIK_SOLVER_VECTORS] = {cg->outer.x};
    if (live) {
        cg_fields_of(cg, slot->rung, fields);
    }
    return stream->save(stream->data, slot->index, &state, fields, c);
}

naik_status cg_restore(naik_cg *cg, const naik_solver_stream *stream, int c,
                       naik_solver_state *state, bool *found)
{
    *found = false;
    if (stream->restore == NULL || cg->vectors == NAIK_HALF) {
        return NAIK_OK;
    }
    naik_field *fields[NAIK_RUNGS][NAIK_SOLVER_VECTORS];
    for (int rung = 0; rung < NAIK_RUNGS; rung++) {
        cg_fields_of(cg, (naik_rung)rung, fields[rung]);
    }
    memset(state, 0, sizeof *state);
    state->history = cg->slot[c].history;
    return stream->restore(stream->data, cg->slot[c].index, state, fields, c, found);
}

naik_status cg_restore_scalars(naik_cg *cg, const naik_solver_options *options, int c,
                               const naik_solver_state *state)
{
    cg_rhs_slot *slot = &cg->slot[c];
    const bool rung = state->rung >= 0 && state->rung < NAIK_RUNGS && cg->op[state->rung] != NULL;
    if (state->bb != slot->bb || state->record.shift != slot->system.shift || !rung) {
        return NAIK_FAIL(cg->geometry->backend->log, NAIK_ERR_CORRUPT,
                         "the kept state of an interrupted solve belongs to another right-hand "
                         "side: remove it to start that solve again");
    }
    slot->best_rr = state->best_rr;
    slot->site_residual = state->site_residual;
    slot->seconds = state->seconds;
    slot->corrected_rr = state->corrected_rr;
    slot->corrections = state->corrections;
    slot->restarts = state->restarts;
    slot->stalls = state->stalls;
    slot->breaks = state->breaks;
    slot->started = state->started != 0;
    slot->restart = state->restart != 0;
    slot->rung = (naik_rung)state->rung;
    slot->first_rung = (naik_rung)state->first_rung;
    slot->climb = (naik_solver_climb)state->climb;
    slot->climbed_at = state->climbed_at;
    slot->live = state->live != 0;
    slot->failures = state->failures;
    slot->shorts = state->shorts;
    slot->best_at = state->best_at;
    slot->begun_at = state->begun_at;
    slot->stretch = state->stretch;
    slot->resumes = state->record.state;
    cg->record[c] = state->record;
    cg->record[c].state = NAIK_RHS_WAIT;
    cg->record[c].limit = options->max_iterations;
    return NAIK_OK;
}
