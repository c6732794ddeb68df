/* batch_state.c - an rhs in mid solve, out of its batch and back into it
 *
 * What an algorithm iterates depends on the vectors of its stage and the records alone: an rhs that is
 * put back goes on to the same bits. Vectors of 16 bits are not kept: their scales do not survive the
 * way through double unchanged.
 */
#include "solver/batch.h"

naik_status batch_save(naik_solver *s, const naik_solver_stream *stream, int c)
{
    const batch_slot *slot = &s->slot[c];
    const int stage = batch_stage_of(s, c);
    naik_solver_state state = slot->state;
    naik_field *fields[NAIK_SOLVER_VECTORS] = {s->outer.field[BATCH_X]};
    if (stream->save == NULL || s->vectors == NAIK_HALF ||
        (!state.started && s->record[c].iterations == 0)) {
        return NAIK_OK; /* or has not begun */
    }
    state.record = s->record[c];
    if (state.record.state == NAIK_RHS_HELD) { /* its true residual is formed again */
        state.record.state = NAIK_RHS_CHECK;
    } else if (state.record.state == NAIK_RHS_WAIT) {
        state.record.state = state.started ? slot->resumes : NAIK_RHS_CHECK;
    }
    state.live = state.started;
    state.vectors = 0;
    if (s->kind->keep != NULL) {
        s->kind->keep(s, c, &state);
    }
    const int iterations = state.record.iterations;
    state.history_length = iterations < s->history_stride ? iterations : s->history_stride;
    if (state.started) {
        s->kind->vectors(s, stage, fields);
        if (s->kind->needed != NULL) {
            s->kind->needed(stage, (naik_rhs_state)state.record.state, fields);
        }
    }
    return stream->save(stream->data, slot->index, &state, fields, c);
}

naik_status batch_restore(naik_solver *s, const naik_solver_stream *stream, int c, bool *found)
{
    batch_slot *slot = &s->slot[c];
    naik_solver_state state = {.history = slot->state.history};
    naik_field *fields[NAIK_RUNGS][NAIK_SOLVER_VECTORS] = {{NULL}};
    *found = false;
    if (stream->restore == NULL || s->vectors == NAIK_HALF) {
        return NAIK_OK;
    }
    for (int stage = 0; stage < s->kind->stages; stage++) {
        s->kind->vectors(s, stage, fields[s->kind->rung(s, stage)]);
    }
    NAIK_PASS(stream->restore(stream->data, slot->index, &state, fields, c, found));
    if (*found) {
        const int limit = s->record[c].limit;
        slot->state = state;
        slot->resumes = state.record.state;
        s->record[c] = state.record;
        s->record[c].limit = limit;
    }
    return NAIK_OK;
}
