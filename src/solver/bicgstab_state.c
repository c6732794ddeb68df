/* bicgstab_state.c - an rhs in mid solve, out of the batch of bicgstab.h and back into it
 *
 * As cg_state.c: what is iterated depends on the vectors below and the two records alone. B p and
 * the shadow residual are of BiCGStab alone, and B p only of an rhs whose next direction is still to
 * be made, after its true residual; z of the normal equations is made anew at each of those.
 */
#include <string.h>

#include "solver/bicgstab_batch.h"

/* Vectors of 16 bits are not kept: their scales do not survive the way through double unchanged. */
static bool keeps(const naik_bicgstab *s)
{
    return s->inner.field[BG_R]->precision != NAIK_HALF;
}

static void fields_of(const naik_bicgstab *s, bg_level level, naik_field *out[NAIK_SOLVER_VECTORS])
{
    naik_field *const *f = bg_fields_of(s, level)->field;
    out[NAIK_SOLVER_X] = s->outer.field[BG_X];
    out[NAIK_SOLVER_CORRECTION] = bg_corrects(s, level) ? f[BG_X] : NULL;
    out[NAIK_SOLVER_RESIDUAL] = f[BG_R];
    out[NAIK_SOLVER_DIRECTION] = f[BG_P];
    out[NAIK_SOLVER_IMAGE] = f[BG_V];
    out[NAIK_SOLVER_SHADOW] = f[BG_SHADOW];
}

naik_status bg_save(naik_bicgstab *s, const naik_solver_stream *stream, int c)
{
    const bg_slot *slot = &s->slot[c];
    naik_rhs record = s->host[c];
    record.state = record.state == NAIK_RHS_WAIT ? slot->resumes : record.state;
    if (stream->save == NULL || !keeps(s) || (!slot->started && record.iterations == 0)) {
        return NAIK_OK; /* or has not begun */
    }
    const int stride = s->history_stride;
    const naik_solver_state state = {.record = record,
                                     .bicgstab = s->host_record[c],
                                     .bb = slot->bb,
                                     .best_rr = slot->best_rr,
                                     .site_residual = slot->site_residual,
                                     .seconds = slot->seconds,
                                     .restarts = slot->updates,
                                     .stalls = slot->stalls,
                                     .breaks = slot->lost,
                                     .started = slot->started,
                                     .live = slot->started,
                                     .rung = (int32_t)bg_rung(s, slot->level),
                                     .climb = (int32_t)slot->climb,
                                     .climbed_at = slot->climbed_at,
                                     .best_at = slot->best_at,
                                     .level = (int32_t)slot->level,
                                     .beginnings = slot->beginnings,
                                     .moved = slot->moved,
                                     .history = slot->history,
                                     .history_length =
                                         record.iterations < stride ? record.iterations : stride};
    naik_field *fields[NAIK_SOLVER_VECTORS] = {s->outer.field[BG_X]};
    if (slot->started) {
        fields_of(s, slot->level, fields);
        const bool fast = !bg_is_normal(slot->level);
        fields[NAIK_SOLVER_SHADOW] = fast ? fields[NAIK_SOLVER_SHADOW] : NULL;
        fields[NAIK_SOLVER_IMAGE] =
            fast && record.state == NAIK_RHS_CHECK ? fields[NAIK_SOLVER_IMAGE] : NULL;
    }
    return stream->save(stream->data, slot->index, &state, fields, c);
}

naik_status bg_restore(naik_bicgstab *s, const naik_solver_stream *stream, int c,
                       naik_solver_state *state, bool *found)
{
    naik_field *fields[NAIK_RUNGS][NAIK_SOLVER_VECTORS] = {{NULL}};
    *found = false;
    if (stream->restore == NULL || !keeps(s)) {
        return NAIK_OK;
    }
    for (int level = BG_FAST; level < BG_LEVELS; level++) {
        fields_of(s, (bg_level)level, fields[bg_rung(s, (bg_level)level)]);
    }
    memset(state, 0, sizeof *state);
    state->history = s->slot[c].history;
    return stream->restore(stream->data, s->slot[c].index, state, fields, c, found);
}

naik_status bg_restore_scalars(naik_bicgstab *s, const naik_solver_options *options, int c,
                               const naik_solver_state *state)
{
    bg_slot *slot = &s->slot[c];
    const bool level = state->level >= BG_FAST && state->level < BG_LEVELS &&
                       bg_is_normal((bg_level)state->level) >= bg_is_normal(bg_first_level(s)) &&
                       bg_rung(s, (bg_level)state->level) == (naik_rung)state->rung;
    if (state->bb != slot->bb || !level) {
        return NAIK_FAIL(s->geometry->backend->log, NAIK_ERR_CORRUPT,
                         "the kept state of an interrupted solve belongs to another right-hand "
                         "side: remove it to start that solve again");
    }
    slot->level = (bg_level)state->level;
    slot->best_rr = state->best_rr;
    slot->site_residual = state->site_residual;
    slot->seconds = state->seconds;
    slot->best_at = state->best_at;
    slot->updates = state->restarts;
    slot->beginnings = state->beginnings;
    slot->stalls = state->stalls;
    slot->lost = state->breaks;
    slot->started = state->started != 0;
    slot->moved = state->moved != 0;
    slot->climb = (naik_solver_climb)state->climb;
    slot->climbed_at = state->climbed_at;
    slot->resumes = state->record.state;
    s->host_record[c] = state->bicgstab;
    s->host[c] = state->record;
    s->host[c].state = NAIK_RHS_WAIT;
    s->host[c].limit = bg_limit(s, slot, options);
    return NAIK_OK;
}
