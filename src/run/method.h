/* method.h - solver.method auto: whether the solves of a quark take multigrid
 *
 * The records of the output decide where they can: a quark goes on as its stored solves were made, and what
 * is heavier than a quark without multigrid, or lighter than one with it, follows that one. Otherwise the
 * quark's first column is solved by what goes before multigrid, for as many iterations as pay for a setup. All of
 * that is the same on any grid, in any batch, and in a run that goes on.
 *
 * When the others begin is a matter of time alone. They wait until the first column has ended, unless the fall of
 * its residual foresees that it ends far below its limit: then they join it. No solution of theirs is taken before
 * the first column has told; where it tells of multigrid, what they have come to is dropped.
 */
#ifndef NAIK_RUN_METHOD_H
#define NAIK_RUN_METHOD_H

#include "io/prop/reader.h"
#include "run/job.h"

typedef enum solve_method {
    SOLVE_METHOD_OPEN, /* nothing decides it: solve a column */
    SOLVE_METHOD_PLAIN,
    SOLVE_METHOD_MULTIGRID
} solve_method;

/* What the output and the state of interrupted solves say of the quark of task `first`, its first open one;
 * the log says why. *kept: the output itself has solves by multigrid, or begun by it. Collective. */
naik_status solve_method_known(const solve_job *j, int first, solve_method *out, bool *kept);
/* Whether the output has solutions by multigrid. Local. */
bool solve_method_used(const naik_propagator_file *file);
/* Whether the output leaves open how a quark of the input is solved, or that quark has begun by multigrid. Collective. */
naik_status solve_method_undecided(const solve_job *j, bool *undecided);
/* Whether the others are listed with a column that is tried: where all ranks solve together, each solve is done once,
 * and there is memory for all. Local. */
bool solve_method_is_joint(const solve_job *j);
/* The same of an output that is only read, or that it has solutions by multigrid. Local. */
bool solve_method_stored_undecided(const naik_propagator_reader *v, const naik_input *input);
/* Begins the trial of a column; joint: the other columns are listed behind it. Collective. */
naik_status solve_method_try(solve_job *j, int task, bool joint);
/* At a poll of the solver: whether the others join the column. Local, and the same on all ranks. */
void solve_method_look(solve_job *j, const naik_solver_progress *progress);
/* Of a joint trial, whose column has this record: it may tell that its quark stays without multigrid, and the log and
 * the output say so. Collective. What writing returns */
naik_status solve_method_tell(solve_job *j, const naik_solve_record *record);
/* Whether the columns that joined are dropped, since the first has not told that. */
static inline bool solve_method_drops(const solve_job *j)
{
    return j->trial.over && j->trial.pace == NAIK_SOLVER_BESIDE;
}
/* The method after a column was tried: the log and the output say what becomes of the quark. Collective. What
 * writing returns */
naik_status solve_method_after(const solve_job *j, int first, solve_method *out);

/* Of a record: a solve that converged, but not on the whole lattice. */
extern const char solve_method_above[];

#endif
