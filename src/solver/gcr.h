/* gcr.h - flexible GCR, batched over right-hand sides: the directions of the last steps, and one step
 *
 *   z = K r,  w = B z without its parts along the w_j before,  x += alpha z', r -= alpha w
 *
 * K is a preconditioner that need not be the same operator twice; z' is z without the parts that belong to
 * what w lost. S. Eisenstat, H. Elman, M. Schultz, SIAM J. Numer. Anal. 20 (1983) 345. Classical
 * Gram-Schmidt: two sums over ranks a step. x moves when the directions of an rhs are full or it stops: until
 * then it is in them. Every rhs counts its own directions, and none knows what is beside it.
 */
#ifndef NAIK_SOLVER_GCR_H
#define NAIK_SOLVER_GCR_H

#include "solver/solver.h"

enum { NAIK_GCR_RESTART = 16, NAIK_GCR_RESTART_MOST = 32 };

typedef struct naik_gcr naik_gcr;

/* For at most `width` rhs of `spin` colour vectors, `restart` directions of each, in `precision`. Collective.
 * NAIK_ERR_ARG, NAIK_ERR_MEMORY */
naik_status naik_gcr_create(const naik_geometry *geometry, naik_precision precision, int spin,
                            int width, int restart, naik_gcr **out);
void naik_gcr_destroy(naik_gcr **gcr);
/* The backend memory of a GCR. */
size_t naik_gcr_bytes(const naik_geometry *geometry, naik_precision precision, int spin, int width,
                      int restart);
int naik_gcr_restart(const naik_gcr *gcr);
int naik_gcr_rhs(const naik_gcr *gcr); /* in use */

/* From now on there are `nrhs` rhs, none with a direction. */
void naik_gcr_begin(naik_gcr *gcr, int nrhs);
/* The directions of rhs c are forgotten. */
void naik_gcr_forget(naik_gcr *gcr, int c);
/* Rhs map[0 .. n-1], in ascending order, are the only ones and become 0 .. n-1. */
naik_status naik_gcr_narrow(naik_gcr *gcr, const int *map, int n);
/* Whether the directions of rhs c are full: it was collected, and the next step begins anew. */
bool naik_gcr_is_full(const naik_gcr *gcr, int c);

typedef struct naik_gcr_step {
    const naik_operator *op;
    naik_parity parity;
    const naik_preconditioner *preconditioner;
    naik_field *r, *x; /* nrhs */
    bool active[NAIK_MAX_RHS];
    double rr[NAIK_MAX_RHS]; /* |r|^2, before and after; NaN after a step that broke down */
    int32_t inner_steps[NAIK_MAX_RHS]; /* += those of the preconditioner */
} naik_gcr_step;
/* One step of the rhs that are active; x of those whose directions are full afterwards is whole.
 * Collective. Failures as of the operator. */
naik_status naik_gcr_iterate(naik_gcr *gcr, naik_gcr_step *step);
/* x of those wanted becomes whole, and their directions are forgotten. */
naik_status naik_gcr_collect(naik_gcr *gcr, naik_field *x, const bool wanted[NAIK_MAX_RHS]);

#endif
