/* checkpoint.c - the batch in flight, kept when a run is asked to stop and restored by the next */
#include "run/groups.h"
#include "run/method.h"
#include "solver/bicgstab.h"

naik_status solve_checkpoint(void *data, int64_t index, const naik_solver_state *state, int vector,
                             const double *half)
{
    solve_job *j = data;
    if (solve_method_drops(j)) {
        return NAIK_OK;
    }
    NAIK_PASS(sdc_check_links(&j->guard));
    if (j->guard.links_lost || !sdc_check_continues(&j->guard, j->pending[index])) {
        return NAIK_OK;
    }
    /* x is in double always, the iteration's own vectors lose nothing in their own precision */
    const bool wide = vector == NAIK_SOLVER_X || state->rung == NAIK_RUNG_DOUBLE;
    return solve_meeting_keep(j, solve_number(j, solve_task(j, index)), state, vector,
                              wide ? 64 : 32, half);
}

/* Whether what was kept of a column is of the algorithm at work. With solver.method auto it may be of the
 * other one: of a column that was tried. */
static bool suits(const solve_job *j, const naik_solver_state *state)
{
    return !(j->plan.multigrid_auto && j->plan.multigrid) ||
           j->by_multigrid == naik_solver_state_is_multigrid(state);
}

naik_status solve_restore_checkpoint(void *data, int64_t index, naik_solver_state *state,
                                     int vector, double *half, bool *found)
{
    solve_job *j = data;
    *found = false;
    if (!sdc_check_continues(&j->guard, j->pending[index])) {
        return NAIK_OK;
    }
    naik_checkpoint *kept = j->restored != NULL ? j->restored : j->checkpoint;
    NAIK_PASS(naik_checkpoint_restore(kept, solve_number(j, solve_task(j, index)),
                                      j->plan.history_stride, state, vector, half, found));
    *found = *found && (vector != NAIK_SOLVER_STATE || suits(j, state));
    if (*found && vector == NAIK_SOLVER_X) {
        NAIK_PASS(solve_meeting_restored(j, j->pending[index], state));
    }
    return NAIK_OK;
}
