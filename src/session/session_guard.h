/* session_guard.h - whether a solution of a session may be handed out
 *
 * A session lives long, and its memory may fail without saying so. Before a solution is handed out the
 * links and clover blocks must still be what was packed, and the residual must be the same in two ways
 * (propagator.h). `naik solve` repeats what fails (sdc_check.h); a session cannot, because its
 * solutions may lie where the sources lay: its call fails, and the next one packs the links again.
 */
#ifndef NAIK_SESSION_SESSION_GUARD_H
#define NAIK_SESSION_SESSION_GUARD_H

#include "multigrid/setup.h"
#include "operator/set.h"
#include "propagator/propagator.h"
#include "run/fault.h"

typedef struct session_guard {
    naik_comm *comm;                 /* borrowed */
    const naik_operator_set *set;    /* at work, borrowed */
    const naik_multigrid *multigrid; /* that too; NULL: none is */
    naik_fault *fault;               /* ordered by NAIK_INJECT; mostly NULL */
    bool checked;                    /* the links are intact, by a look since the last poll */
} session_guard;

/* Collective. As naik_fault_create */
naik_status session_guard_begin(naik_comm *comm, const naik_operator_set *set,
                                const naik_multigrid *multigrid, session_guard *guard);
void session_guard_end(session_guard *guard);
/* The solver has iterated since the links were last looked at. Local. As naik_fault_in_solve */
naik_status session_guard_poll(session_guard *guard, const naik_solver_progress *progress);
/* Whether solution `index` of the call may be handed out. Collective.
 * NAIK_ERR_CORRUPT, with the sentence: it may not      NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status session_guard_judge(session_guard *guard, int64_t index,
                                const naik_propagator_result *result);

#endif
