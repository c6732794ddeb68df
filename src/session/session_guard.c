/* session_guard.c - links, clover blocks and residuals looked at before a session hands a solution out
 */
#include "session/session_guard.h"

naik_status session_guard_begin(naik_comm *comm, const naik_operator_set *set,
                                const naik_multigrid *multigrid, session_guard *guard)
{
    *guard = (session_guard){.comm = comm, .set = set, .multigrid = multigrid};
    return naik_fault_create(comm, &guard->fault);
}

void session_guard_end(session_guard *guard)
{
    naik_fault_destroy(&guard->fault);
}

naik_status session_guard_poll(session_guard *guard, const naik_solver_progress *progress)
{
    const naik_fault_targets targets = naik_fault_targets_of(guard->set, guard->multigrid);
    guard->checked = false;
    return naik_fault_in_solve(guard->fault, progress, &targets);
}

/* rank < 0: nothing did. */
static naik_status refuse(const session_guard *guard, const char *what, int rank)
{
    return rank < 0 ? NAIK_OK
                    : NAIK_FAIL(guard->comm->log, NAIK_ERR_CORRUPT,
                                "the %s changed in the memory of rank %d during a solve, whose "
                                "solutions are not to be used: the next solve makes the %s again",
                                what, rank, what);
}

static naik_status check_links(session_guard *guard)
{
    const char *what;
    int rank;
    for (int i = 0; i < NAIK_PRECISIONS && !guard->checked; i++) {
        NAIK_PASS(naik_operator_set_verify(guard->set, (naik_precision)i, &what, &rank));
        NAIK_PASS(refuse(guard, what, rank));
    }
    if (guard->multigrid != NULL && !guard->checked) {
        NAIK_PASS(naik_multigrid_verify(guard->multigrid, &what, &rank));
        NAIK_PASS(refuse(guard, what, rank));
    }
    guard->checked = true;
    return NAIK_OK;
}

naik_status session_guard_judge(session_guard *guard, int64_t index,
                                const naik_propagator_result *result)
{
    NAIK_PASS(check_links(guard));
    if (result->suspect) {
        return NAIK_FAIL(guard->comm->log, NAIK_ERR_CORRUPT,
                         "solution %d: the solver found a residual of %.3e and the check of its "
                         "solution %.3e, so something was corrupted on the way: solve again",
                         (int)index, result->cg.residual, result->independent_residual);
    }
    return NAIK_OK;
}
