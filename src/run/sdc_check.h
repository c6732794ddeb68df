/* sdc_check.h - whether a finished solution may be stored
 *
 * Memory, processors and devices fail without saying so. Before a solution is committed, the links
 * and clover blocks, and multigrid's vectors and matrices, must still be what was packed, the residual must be the same in two ways (propagator.h), and
 * with solver.verify: double_check some solutions must come out twice with the same bits. What
 * fails is solved again, once; what fails twice is not stored, and the run ends with exit status 4.
 */
#ifndef NAIK_RUN_SDC_CHECK_H
#define NAIK_RUN_SDC_CHECK_H

#include "input/input.h"
#include "multigrid/setup.h"
#include "operator/set.h"
#include "propagator/propagator.h"

/* What is known of the attempts at one task. */
typedef struct solve_attempt {
    int refused;     /* times that the residuals disagreed */
    int kept;        /* solutions remembered by `sum`, for double_check */
    uint32_t sum[2]; /* crc of this rank's sites */
    bool given_up;
    bool restored; /* what a stopped run kept was taken up, and the log says so */
} solve_attempt;

typedef struct sdc_check {
    const naik_input *input;         /* borrowed */
    naik_comm *comm;                 /* borrowed */
    solve_attempt *attempts;         /* [task_count] */
    const naik_operator_set *set;    /* at work, borrowed */
    const naik_multigrid *multigrid; /* the same, NULL: solves do without */
    bool checked;    /* the links are intact, by a look since the last poll, which sets it back */
    bool links_lost; /* they, blocks or multigrid are not: made again before anything else */
    int rebuilt;     /* times that happened */
    int given_up;    /* tasks */
} sdc_check;

/* Collective. NAIK_ERR_MEMORY */
naik_status sdc_check_create(naik_comm *comm, const naik_input *input, sdc_check *guard);
void sdc_check_destroy(sdc_check *guard);

/* New operators are at work, without multigrid so far. */
void sdc_check_begin(sdc_check *guard, const naik_operator_set *set);
/* Looks at links and blocks, unless that was done since the last poll: guard->links_lost. Collective. As
 * sdc_check_judge. */
naik_status sdc_check_links(sdc_check *guard);
/* Whether an attempt at this task may go on from one that a stopped run has kept: not where the
 * point is to solve it from scratch. */
bool sdc_check_continues(const sdc_check *guard, int task);
/* Whether double_check wants this task solved twice from here on. */
bool sdc_check_repeats(const sdc_check *guard, int task);

/* *good: the solution x [sites][3][2] of the task may be committed. Otherwise the task is to be
 * solved again, unless it is given up. One warning where something is wrong. Collective.
 * NAIK_ERR_CORRUPT   links or blocks changed a second time        NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status sdc_check_judge(sdc_check *guard, int task, const double *x, const naik_lattice *lat,
                            const naik_propagator_result *result, bool *good);

#endif
