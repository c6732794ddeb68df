/* spin_nucleon.h - the nucleon of Wilson and clover quarks
 *
 *   N = eps_abc (u_a^T C g5 d_b) u_c,  Nbar = N^+ gt,  C = gy gt
 *   C(t) = sum_x tr [ (1 + gt)/2 <N(x) Nbar(x0)> ]                u and d of one mass
 *
 * With G = C g5, H = gt G^+ gt, P = (1 + gt)/2 and S = S(x), spin and colour of the sink first:
 *
 *   tr = sum eps_abc eps_a'b'c' G_ij H_j'i' S_{b j, b' j'} P_k'k
 *            [ S_{a i, a' i'} S_{c k, c' k'} - S_{c k, a' i'} S_{a i, c' k'} ]
 *
 * No 1/V, no sign; three quarks change sign across an antiperiodic boundary.
 * D. Leinweber, R. Woloshyn, T. Draper, Phys. Rev. D43 (1991) 1659.
 */
#ifndef NAIK_PROPAGATOR_SPIN_NUCLEON_H
#define NAIK_PROPAGATOR_SPIN_NUCLEON_H

#include "naik/lattice.h"

#include "lattice/su3.h"

/* out[size t] from columns s [12][sites][4][3][2], column 3 spin + colour. Exact sums over time
 * slices: the same bits on every process grid. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_spin_nucleon(const naik_lattice *lattice, const double *s, naik_complex *out);

#endif
