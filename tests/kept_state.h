/* kept_state.h - right-hand sides in mid solve, kept in memory as a stream's save hands them out */
#ifndef NAIK_TESTS_KEPT_STATE_H
#define NAIK_TESTS_KEPT_STATE_H

#include "backend/field.h"
#include "solver/solver.h"

typedef struct kept_state {
    naik_solver_state state;             /* its history is its own; NULL: nothing is kept */
    double *vector[NAIK_SOLVER_VECTORS]; /* [sites][spin][3][2], NULL where there is none */
} kept_state;

/* save and restore of solver.h for one system; restored once, then nothing is kept. */
naik_status kept_state_save(kept_state *kept, naik_parity parity, const naik_solver_state *state,
                            naik_field *const field[NAIK_SOLVER_VECTORS], int irhs);
naik_status kept_state_restore(kept_state *kept, naik_parity parity, naik_solver_state *state,
                               naik_field *const field[NAIK_RUNGS][NAIK_SOLVER_VECTORS], int irhs,
                               bool *found);
void kept_state_free(kept_state *kept);

#endif
