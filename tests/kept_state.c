/* kept_state.c - right-hand sides in mid solve, kept in memory */
#include "kept_state.h"

#include <stdlib.h>
#include <string.h>

naik_status kept_state_save(kept_state *kept, naik_parity parity, const naik_solver_state *state,
                            naik_field *const field[NAIK_SOLVER_VECTORS], int irhs)
{
    naik_status status = NAIK_OK;
    const naik_field *x = field[NAIK_SOLVER_X];
    const naik_backend *backend = x->geometry->backend;
    const size_t reals = (size_t)x->geometry->lattice->sites * 6 * (size_t)x->spin;
    const size_t length = (size_t)state->history_length;
    kept_state_free(kept);
    kept->state = *state;
    kept->state.history = calloc(length + 1, sizeof(double));
    if (length > 0) {
        memcpy(kept->state.history, state->history, length * sizeof(double));
    }
    for (int v = 0; v < NAIK_SOLVER_VECTORS; v++) {
        if (field[v] != NULL) {
            kept->vector[v] = calloc(reals, sizeof(double));
            NAIK_TRY(backend->ops->field.to_host(field[v], parity, irhs, kept->vector[v]));
        }
    }
done:
    return status;
}

naik_status kept_state_restore(kept_state *kept, naik_parity parity, naik_solver_state *state,
                               naik_field *const field[NAIK_RUNGS][NAIK_SOLVER_VECTORS], int irhs,
                               bool *found)
{
    naik_status status = NAIK_OK;
    double *history = state->history;
    *found = kept->state.history != NULL;
    if (!*found) {
        return NAIK_OK;
    }
    *state = kept->state;
    state->history = history;
    if (state->history_length > 0) {
        memcpy(history, kept->state.history, (size_t)state->history_length * sizeof *history);
    }
    for (int v = 0; v < NAIK_SOLVER_VECTORS; v++) {
        if (kept->vector[v] != NULL) {
            naik_field *to = field[state->rung][v];
            NAIK_TRY(
                to->geometry->backend->ops->field.from_host(to, parity, irhs, kept->vector[v]));
        }
    }
    kept_state_free(kept);
done:
    return status;
}

void kept_state_free(kept_state *kept)
{
    free(kept->state.history);
    for (int v = 0; v < NAIK_SOLVER_VECTORS; v++) {
        free(kept->vector[v]);
    }
    *kept = (kept_state){.state = {.history = NULL}};
}
