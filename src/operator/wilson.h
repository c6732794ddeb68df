/* wilson.h - the operator of Wilson, clover and twisted-mass quarks, and its even-odd Schur complement
 *
 *   M = A - D/2,   A = m + 4 + C + i mu g5   (C of links/clover.h, 0 for Wilson quarks)
 *   (D psi)(x) = sum_mu (1 - g_mu) U_mu(x) psi(x+mu) + (1 + g_mu) U_mu(x-mu)^+ psi(x-mu)
 *
 * gamma matrices in the DeGrand-Rossi basis, g5 = diag(1, 1, -1, -1); no factor 1/2 in D, no phases;
 * antiperiodic in t: -1 in the t-links of the last time slice. kappa = 1/(2m + 8). A propagator is
 * M^-1 src with no further factor. The twisted mass mu, of one flavour of a doublet with mu and -mu,
 * has the norm of m: other codes' 2 kappa mu is theirs of 2 kappa M. g5 M(mu) g5 = M(-mu)^+.
 * On parity p, q the other, A^-+ the inverse of A^+:
 *
 *   Mh   = 1 - 1/4 A_pp^-1 D_pq A_qq^-1 D_qp        Mh x_p = b_p
 *   Mh^+ = 1 - 1/4 D^+_pq A_qq^-+ D^+_qp A_pp^-+    b_p = A_pp^-1 (src_p + 1/2 D_pq A_qq^-1 src_q)
 *                                                   x_q = A_qq^-1 (src_q + 1/2 D_qp x_p)
 *
 * K. Wilson, Phys. Rev. D10 (1974) 2445; B. Sheikholeslami, R. Wohlert, Nucl. Phys. B259 (1985) 572.
 */
#ifndef NAIK_OPERATOR_WILSON_H
#define NAIK_OPERATOR_WILSON_H

#include "backend/dslash.h"
#include "backend/site_blocks.h"

enum { NAIK_SPINOR_AXPY_FLOPS = 48 };

/* The operator in one storage. */
typedef struct naik_wilson {
    naik_links *links;
    naik_blocks *diagonal, *inverse; /* A, A^-1 */
    naik_blocks inverse_adjoint;     /* A^-+, of the inverse's memory */
    double largest, largest_inverse; /* bounds of |A|, |A^-1| */
} naik_wilson;

/* u          thin links on the host or on the backend, with the sign of the boundary
 *            (naik_gauge_apply_boundary) and without staggered phases
 * clover     A of these links and these masses, in the backend's memory; NULL: no clover term
 * precision, recon  storage of the links: 18, 12 or 8 numbers
 * All are only read, and not needed afterwards. Collective.
 * NAIK_ERR_ARG     A is 0 without a clover term, or the clover term is in another memory or of
 *                  another twisted mass
 * NAIK_ERR_INPUT   recon is not stored by this backend, or cannot be of these links
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_wilson_create(const naik_geometry *geometry, const naik_gauge *u,
                               const naik_clover *clover, double mass, double twisted_mass,
                               naik_precision precision, int recon, naik_wilson **out);
void naik_wilson_destroy(naik_wilson **wilson);
/* The blocks of A and A^-1 as naik_blocks_verify. */
naik_status naik_wilson_verify_blocks(const naik_wilson *wilson, int *rank);

/* Below, fields are spinors of one shape and precision; src and x have [2] by parity. rhs NULL means
 * all, else those in `state`. products, sums: may be NULL; what is summed (backend.h), not yet over ranks.
 * Collective. Failures as of naik_dslash. */
typedef struct naik_rhs_mask {
    const naik_rhs *rhs; /* backend memory */
    naik_rhs_state state;
} naik_rhs_mask;

/* out = Mh in, or Mh^+ in, on parity p; scratch on the other. All different. */
naik_status naik_wilson_schur(const naik_wilson *wilson, naik_parity p, bool dagger,
                              const naik_rhs_mask *mask, const naik_field *in, naik_field *scratch,
                              naik_field *out, const naik_products *products);
/* out = c b + s Mh in on parity p, and |out|^2 into sums; out may be b, not in; mask NULL means all. */
naik_status naik_wilson_schur_affine(const naik_wilson *wilson, naik_parity p,
                                     const naik_rhs_mask *mask, double s, const naik_field *in,
                                     double c, const naik_field *b, naik_field *scratch,
                                     naik_field *out, naik_exactsum *sums);
/* out = A in on `parity`; and the term of D of point k < 8 (lattice.h) alone. */
naik_status naik_wilson_local(const naik_wilson *wilson, const naik_field *in, naik_parity parity,
                              naik_field *out);
naik_status naik_wilson_hop(const naik_wilson *wilson, int k, const naik_field *in,
                            naik_parity parity, naik_field *out);
/* b = b_p above; scratch on the other parity. */
naik_status naik_wilson_schur_source(const naik_wilson *wilson, naik_parity p,
                                     const naik_field *const src[2], naik_field *scratch,
                                     naik_field *b);
/* x[q] from x[p]. */
naik_status naik_wilson_schur_rebuild(const naik_wilson *wilson, naik_parity p,
                                      const naik_field *const src[2], naik_field *const x[2]);
/* r = (src - M x) on one parity. */
naik_status naik_wilson_residual(const naik_wilson *wilson, naik_parity parity,
                                 const naik_field *const src[2], const naik_field *const x[2],
                                 naik_field *r, naik_exactsum *sums);

#endif
