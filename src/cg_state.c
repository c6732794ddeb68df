/* cg_state.c - a column in mid solve, out of the batch and back into it
 *
 * The iteration depends on x, the correction, the residual, the direction, A times that and the
 * record alone: a column that is put back goes on to the same bits. Vectors of 16 bits are not
 * kept: their scales do not survive the way through double unchanged.
 */
#include <string.h>

#include "cg_batch.h"

naik_status cg_save(naik_cg *cg, const naik_cg_stream *stream, int c)
{
    const cg_slot *slot = &cg->slot[c];
    const naik_column *record = &cg->record[c];
    if (stream->save == NULL || cg->vectors == NAIK_HALF) {
        return NAIK_OK;
    }
    const naik_cg_state state = {.record = *record,
                                 .bb = slot->bb,
                                 .best_rr = slot->best_rr,
                                 .site_residual = slot->site_residual,
                                 .seconds = slot->seconds,
                                 .restarts = slot->restarts,
                                 .stalls = slot->stalls,
                                 .breaks = slot->breaks,
                                 .started = slot->started,
                                 .restart = slot->restart,
                                 .history = slot->history,
                                 .history_length = record->iterations < cg->history_stride
                                                       ? record->iterations
                                                       : cg->history_stride};
    naik_field *const fields[NAIK_CG_VECTORS] = {cg->x, cg->xi, cg->ri, cg->p, cg->ap};
    return stream->save(stream->data, slot->index, &state, fields, c);
}

naik_status cg_restore(naik_cg *cg, const naik_cg_stream *stream, int c, naik_cg_state *state,
                       bool *found)
{
    *found = false;
    if (stream->restore == NULL || cg->vectors == NAIK_HALF) {
        return NAIK_OK;
    }
    naik_field *const fields[NAIK_CG_VECTORS] = {cg->x, cg->xi, cg->ri, cg->p, cg->ap};
    memset(state, 0, sizeof *state);
    state->history = cg->slot[c].history;
    return stream->restore(stream->data, cg->slot[c].index, state, fields, c, found);
}

naik_status cg_adopt(naik_cg *cg, const naik_cg_options *options, int c, const naik_cg_state *state)
{
    cg_slot *slot = &cg->slot[c];
    if (state->bb != slot->bb || state->record.shift != slot->system.shift) {
        return NAIK_FAIL(cg->geometry->backend->log, NAIK_ERR_CORRUPT,
                         "the kept state of an interrupted solve belongs to another right-hand "
                         "side: remove it to start that solve again");
    }
    slot->best_rr = state->best_rr;
    slot->site_residual = state->site_residual;
    slot->seconds = state->seconds;
    slot->restarts = state->restarts;
    slot->stalls = state->stalls;
    slot->breaks = state->breaks;
    slot->started = state->started != 0;
    slot->restart = state->restart != 0;
    cg->record[c] = state->record;
    cg->record[c].limit = options->max_iterations;
    return NAIK_OK;
}
