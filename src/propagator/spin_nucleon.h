/* spin_nucleon.h - nucleons of quarks with spin
 *
 *   N = eps_abc (q_a^T C g5 r_b) s_c,  Nbar = N^+ gt,  C = gy gt
 *   C(t) = sum_x tr [ (1 + gt)/2 <N(x) Nbar(x0)> ]
 *
 * Of u, d and u that is the nucleon, of u, s and u the Sigma, of s, u and s the Xi. With G = C g5,
 * H = gt G^+ gt, P = (1 + gt)/2 and Q, R, S the propagators of q, r, s, spin and colour of the sink
 * first:
 *
 *   tr = sum eps_abc eps_a'b'c' G_ij H_j'i' R_{b j, b' j'} P_k'k
 *            [ Q_{a i, a' i'} S_{c k, c' k'} - S_{c k, a' i'} S_{a i, c' k'} ]
 *
 * the last term only where q is s, Q = S. r is a flavour of its own, whatever its mass.
 *
 * No 1/V, no sign; three quarks change sign across an antiperiodic boundary.
 * D. Leinweber, R. Woloshyn, T. Draper, Phys. Rev. D43 (1991) 1659.
 */
#ifndef NAIK_PROPAGATOR_SPIN_NUCLEON_H
#define NAIK_PROPAGATOR_SPIN_NUCLEON_H

#include "lattice/su3.h"
#include "naik/lattice.h"

/* out[size t] from columns [12][sites][4][3][2] of the three quarks, column 3 spin + colour; the first
 * is the third where their addresses are one. Exact sums over time slices: the same bits on every
 * process grid. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_spin_nucleon(const naik_lattice *lattice, const double *const quark[3],
                              naik_complex *out);

#endif
