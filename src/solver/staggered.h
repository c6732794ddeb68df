/* staggered.h - M = 2m + D and its even-odd Schur complement
 *
 *   A x = (4 m^2 - D_pq D_qp) x   on parity p (q the other), hermitian and positive: M^+ M on p
 *   M x = src with b = M^+ src:   A x_p = b_p = 2m src_p - D_pq src_q,
 *                                 x_q = (src_q - D_qp x_p) / (2m)
 */
#ifndef NAIK_SOLVER_STAGGERED_H
#define NAIK_SOLVER_STAGGERED_H

#include "backend/dslash.h"
#include "base/exactsum.h"

typedef struct naik_schur {
    const naik_links *links; /* borrowed */
    naik_parity parity;      /* p */
    naik_field *scratch; /* on q, same shape and precision as the vectors; borrowed, overwritten */
} naik_schur;

/* Those of a conjugate gradient: solution, residual, direction, and A times that. */
typedef struct naik_cg_vectors {
    naik_field *x, *r, *p, *ap;
} naik_cg_vectors;
/* The step of a conjugate gradient in two halves for running rhs, each leaving what the scalars
 * between them are made of (rhs.h): scratch = D r, sums_c += |D r|^2; then NAIK_FORM_STEP of
 * all vectors, sums [2][nrhs] += |r|^2, Re (r, A p). deferred: naik_dslash_args.deferred of both, may be
 * NULL. send: the outer layers that the next half wants of the neighbours go there while they are
 * written, where the backend can. Such steps stand between open and close, which send the layers of
 * r before the first and receive those that the last has sent. */
naik_status naik_schur_open(const naik_schur *schur, const naik_field *r);
naik_status naik_schur_close(const naik_schur *schur, naik_field *r);
naik_status naik_schur_first(const naik_schur *schur, const naik_field *r, const naik_rhs *rhs,
                             naik_exactsum *sums, const naik_deferred_reductions *deferred,
                             bool send);
naik_status naik_schur_second(const naik_schur *schur, const naik_rhs *rhs,
                              const naik_cg_vectors *v, naik_exactsum *sums,
                              const naik_deferred_reductions *deferred, bool send);
/* The second half of a classical step, after naik_schur_first of p: r_c -= alpha_c A p_c for
 * running rhs, sums_c += |r_c|^2. */
naik_status naik_schur_descend(const naik_schur *schur, const naik_rhs *rhs,
                               const naik_cg_vectors *v, naik_exactsum *sums);
/* out_c = b_c - (shift_c - D D) v_c for rhs in `state`; sums_c += |out_c|^2. out may be b. */
naik_status naik_schur_residual(const naik_schur *schur, const naik_field *b, const naik_field *v,
                                const naik_rhs *rhs, naik_rhs_state state, naik_field *out,
                                naik_exactsum *sums);

#endif
