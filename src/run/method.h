/* method.h - solver.method auto: whether the solves of a quark take multigrid
 *
 * The records of the output decide where they can: a quark goes on as its stored solves were made, and what
 * is heavier than a quark without multigrid, or lighter than one with it, follows that one. Otherwise the
 * quark's first column is solved alone by what goes before multigrid, for as many iterations as pay for a
 * setup. All of that is the same on any grid, in any batch, and in a run that goes on.
 */
#ifndef NAIK_RUN_METHOD_H
#define NAIK_RUN_METHOD_H

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
/* Iterations of a column of that quark that are worth a setup. Collective. */
naik_status solve_method_limit(const solve_job *j, int first, int *out);
/* The method after a column was tried: the log and the output say what becomes of the quark. Collective. What
 * writing returns */
naik_status solve_method_after(const solve_job *j, int first, solve_method *out);

/* Of a record: a solve that converged, but not on the whole lattice. */
extern const char solve_method_above[];

#endif
