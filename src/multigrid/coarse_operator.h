/* coarse_operator.h - M_c = P^+ M P of Wilson quarks, and its solver
 *
 *   M_c e = b,  on coarse parity e (q the other), Z = X^-1 Y:
 *     S e_p = X_pp^-1 b_p - Z_pq X_qq^-1 b_q,  S = 1 - Z_pq Z_qp,  e_q = X_qq^-1 b_q - Z_qp e_p
 *
 * by GCR with all directions since the start, up to `space` of them, until |r| has dropped by `tolerance`;
 * each right-hand side by itself, whatever is beside it. Its products are sums of integers: exact, so long as
 * |S v| is at most NAIK_MG_LARGEST_S |v|. That is looked at in every step.
 */
#ifndef NAIK_MULTIGRID_COARSE_OPERATOR_H
#define NAIK_MULTIGRID_COARSE_OPERATOR_H

#include "multigrid/coarse_low.h"
#include "multigrid/coarse_vector.h"
#include "multigrid/hooks.h"
#include "multigrid/transfer.h"
#include "operator/wilson.h"

enum { NAIK_MG_SPACE_MOST = 128, NAIK_MG_STEPS_MOST = 256, NAIK_MG_LARGEST_S = 64 };

typedef struct naik_coarse_operator {
    const naik_aggregates *aggregates; /* borrowed */
    int components;
    naik_coarse_links *made; /* X, Y_k, in single */
    naik_coarse_links *used; /* X^-1, Z_k */
} naik_coarse_operator;

/* Of P, whose precision the matrices that are used have. Collective. NAIK_ERR_MEMORY */
naik_status naik_coarse_operator_create(const naik_transfer *p, naik_coarse_operator **out);
void naik_coarse_operator_destroy(naik_coarse_operator **op);
size_t naik_coarse_operator_bytes(const naik_aggregates *aggregates, int vectors,
                                  naik_precision precision);
/* And while it is filled. */
size_t naik_coarse_operator_fill_bytes(const naik_aggregates *aggregates, int vectors);

/* From P and M; field[0..1] are spinors in single of NAIK_MG_BLOCK rhs, scratch. Asks the hooks, which may be
 * NULL. Collective.
 * NAIK_ERR_INTERRUPTED     the operator is then no operator
 * NAIK_ERR_NOT_CONVERGED   X of some coarse site has no inverse
 * NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_coarse_operator_fill(naik_coarse_operator *op, const naik_transfer *p,
                                      const naik_wilson *wilson, naik_field *const field[3],
                                      const naik_multigrid_hooks *hooks);

typedef struct naik_coarse_solver naik_coarse_solver;
typedef struct naik_coarse_solve {
    int steps[NAIK_MG_WIDTH]; /* of each rhs */
    int most;                 /* of the slowest */
    int beyond;               /* rhs whose sums had no room: their e is what was found until then */
} naik_coarse_solve;

/* For at most `width` rhs. Collective. NAIK_ERR_MEMORY */
naik_status naik_coarse_solver_create(const naik_coarse_operator *op, int width, int space,
                                      double tolerance, naik_coarse_solver **out);
void naik_coarse_solver_destroy(naik_coarse_solver **solver);
size_t naik_coarse_solver_bytes(const naik_aggregates *aggregates, int components, int width,
                                int space);

/* Low vectors (coarse_low.h), as many as P has, of solvers that are as wide as a block of them; others go without.
 * find: block `block` of those that the setup found is a + b, on even coarse sites, of at most `size`. lower: what they
 * are for the operator at hand, again wherever that is another one; refine: S^-1 goes over them once, by this solver. Until then, and where vectors are alike, solves go
 * without. Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_coarse_solver_find(naik_coarse_solver *s, int block, const naik_coarse *a,
                                    const naik_coarse *b, const double *size);
naik_status naik_coarse_solver_lower(naik_coarse_solver *s, bool refine);
/* NULL: it has none. */
const naik_coarse_low *naik_coarse_solver_low(const naik_coarse_solver *s);

/* M_c e = b, b of both parities, which are overwritten; bound [nrhs]: |b| at most, of each rhs; 0: not
 * solved, e of it is undefined. Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_coarse_solver_solve(naik_coarse_solver *s, naik_coarse *const b[2],
                                     const double *bound, naik_coarse *const e[2],
                                     naik_coarse_solve *out);

#endif
