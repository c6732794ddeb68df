/* multishift.h - several shifts of one right-hand side from one Krylov space
 *
 *   (shift_s + B^+ B) x_s = scale_s b,   s = 0 the smallest shift, the base
 *
 * The base's conjugate gradient carries all others along at two vectors each (shifts.h), batched
 * over right-hand sides. What it leaves are starting values for cg.h, which measures their true
 * residuals and goes on where one is not good enough: accuracy is never this file's affair.
 *
 * The shifted residuals keep the error of every step's rounding, weighted with the residual of that
 * step. So the iteration begins in double and changes to the inner precision once that error is
 * below the tolerance. J. van den Eshof, G. Sleijpen, SIAM J. Matrix Anal. Appl. 26 (2004) 125.
 * The vectors of one right-hand side and shift depend on b, the base and that shift alone.
 */
#ifndef NAIK_SOLVER_MULTISHIFT_H
#define NAIK_SOLVER_MULTISHIFT_H

#include "solver/cg.h"

enum {
    NAIK_MAX_SHIFTS = 17, /* of a right-hand side, the base included */
    NAIK_SHIFT_FLOPS = 30 /* a parity site and iteration of a shift */
};

/* One right-hand side. */
typedef struct naik_shift_group {
    int count;                         /* 1 .. NAIK_MAX_SHIFTS */
    double shift[NAIK_MAX_SHIFTS];     /* shift[0] the smallest, > 0 */
    double scale[NAIK_MAX_SHIFTS];     /* scale[0] = 1 */
    double tolerance[NAIK_MAX_SHIFTS]; /* on |b - A x|/|b|, as iterated */
} naik_shift_group;

typedef struct naik_shift_group_stream {
    void *data;
    int count; /* of groups, at most what the solver was made for */
    const naik_shift_group *group;
    /* Writes b of group `index`, for shift 0, into `rhs`. */
    naik_status (*load)(void *data, int index, naik_field *b, int irhs);
    /* As in solver.h, may be NULL; systems and rhs are groups and the progress is the bases'. */
    bool (*stop)(void *data);
    naik_status (*poll)(void *data, const naik_solver_progress *progress);
} naik_shift_group_stream;

/* groups   right-hand sides at a time, at most the width of cg
 * shifts     of each, the base included; groups (shifts - 1) <= NAIK_MAX_RHS
 * cg         a naik_solver_cg, borrowed for the life of this: the multi-shift solver works with its
 *            fields and its operator
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_ARG. */
typedef struct naik_multishift naik_multishift;
naik_status naik_multishift_create(naik_solver *cg, int groups, int shifts, naik_multishift **out);
void naik_multishift_destroy(naik_multishift **multishift);
/* The numbers it was created with; 0 for NULL. */
void naik_multishift_shape(const naik_multishift *multishift, int *groups, int *shifts);
/* Bytes of its fields on this rank, beside those of cg. */
size_t naik_multishift_bytes(const naik_geometry *geometry, naik_precision vectors, int groups,
                             int shifts);

/* Iterates until every group's base has converged as iterated, has used up options'
 * max_iterations or broke down; *stopped: the stream said stop, and there is nothing to take.
 * Collective. NAIK_ERR_ARG, NAIK_ERR_MPI, NAIK_ERR_DEVICE, and what load returns. */
naik_status naik_multishift_solve(naik_multishift *multishift, naik_parity parity,
                                  const naik_solver_options *options,
                                  const naik_shift_group_stream *stream, bool *stopped);
/* x of shift s into `rhs` as a starter of solver.h writes it; start->history is borrowed until the next
 * solve. A right-hand side that is zero or broke down has nothing to offer. */
naik_status naik_multishift_take(const naik_multishift *multishift, int group, int s, naik_field *x,
                                 int irhs, naik_solver_start *start);

/* The residual |r|/|b| of the base at which the iteration may change from double to the inner
 * precision: never before the end for light quarks, whose recurrences do not hold there. */
double naik_multishift_switch(naik_precision vectors, naik_precision stored, double shift,
                              double tolerance);

#endif
