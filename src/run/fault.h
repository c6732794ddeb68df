/* fault.h - faults on purpose: a developer's way to see that naik survives them
 *
 * The environment of rank 0 orders them, one after the other:
 *
 *     NAIK_INJECT=WHAT:WHERE:WHEN[@RANK][,...]
 *
 *   flip, nan  : links, inner_links : iteration   a number in memory, halved or doubled, or NaN
 *              : clover, inner_clover : iteration ... of A^-1 of clover quarks
 *              : vectors, coarse : iteration      ... of multigrid's near-null vectors, coarse matrices
 *              : x, correction, residual, direction : iteration
 *              : setup : step                     ... of the links in the iteration, at a step of multigrid's setups
 *              : source : call of the source's maker; at times it is for the verification
 *   stall, kill: solve : iteration                the rank sleeps for ever, or ends by SIGKILL
 *              : setup : step                     ... of multigrid's setups, all together
 *              : write : commit                   ... stall before it, kill at its first write
 *   stop       : solve : iteration, setup : step  the rank is asked to stop, as by a batch system
 *              : wait : look                      ... while its group, which has finished, waits for other groups;
 *                                                 those poll and do not iterate until they hear of it
 *   fail       : solve : iteration, setup : step  a call of the backend fails, on that rank alone
 *              : write : commit                   every write of that commit fails, as on a full
 *                                                 disk
 *   lack       : setup : step                     the setup of the rank's group says that it cannot be made
 *   squeeze    : batch : width                    multigrid has a batch of at most that width, as where
 *                                                 memory is short
 *
 * RANK is the last one where it is not said. A fault waits for the one before it. Iterations count
 * from the start of a solve, of the rhs that is furthest on; links:20,links:20 means the next
 * solve as well. A GPU is looked at every tenth iteration. What has not happened by the end is said then.
 * Where nothing is ordered, the handle is NULL and every call returns at once.
 */
#ifndef NAIK_RUN_FAULT_H
#define NAIK_RUN_FAULT_H

#include "backend/packed_links.h"
#include "backend/site_blocks.h"
#include "multigrid/setup.h"
#include "operator/set.h"
#include "solver/solver.h"

typedef struct naik_fault naik_fault;

/* Reads the order and warns that it was given. Collective. *out = NULL where there is none.
 * NAIK_ERR_INPUT   the order is not understood       NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_fault_create(naik_comm *comm, naik_fault **out);
void naik_fault_destroy(naik_fault **fault);

/* What is at work in double, and in the iteration. */
typedef struct naik_fault_targets {
    naik_links *links[2];
    naik_blocks *blocks[2];       /* NULL: there are none */
    const naik_transfer *vectors; /* NULL: there is no multigrid */
    const naik_coarse_links *coarse;
} naik_fault_targets;
/* Of a set of operators, and of the multigrid that is at work with it; NULL: there is none. */
naik_fault_targets naik_fault_targets_of(const naik_operator_set *set,
                                         const naik_multigrid *multigrid);
/* To be called at every poll of a solve. Local. NAIK_ERR_INPUT: there are no blocks, or no multigrid;
 * NAIK_ERR_MEMORY, NAIK_ERR_DEVICE */
naik_status naik_fault_in_solve(naik_fault *fault, const naik_solver_progress *progress,
                                const naik_fault_targets *targets);
/* Once the plan is settled. Local, the same on every rank. */
void naik_fault_in_plan(naik_fault *fault, int *multigrid_batch);
/* At every step of a setup, in groups of so many ranks. Local. NAIK_ERR_DEVICE, NAIK_ERR_NOT_CONVERGED where that is ordered; NAIK_ERR_MEMORY */
naik_status naik_fault_in_setup(naik_fault *fault, int ranks, const naik_fault_targets *targets);
/* At every look of a rank that waits for other groups. Local. */
void naik_fault_in_wait(naik_fault *fault);
/* Whether group number `group`, of so many ranks, is to poll again before it iterates. Local. */
bool naik_fault_holds(const naik_fault *fault, int group, int ranks);
/* Each time a source was made, [sites][3][2]. Local. */
void naik_fault_in_source(naik_fault *fault, const naik_lattice *lattice, double *src);
/* Around each commit. Local. */
void naik_fault_before_write(naik_fault *fault);
void naik_fault_after_write(naik_fault *fault);

#endif
