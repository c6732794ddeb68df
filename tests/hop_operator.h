/* hop_operator.h - a small operator, to see that solvers know of none but what operator.h says
 *
 *   (B v)(s) = d(s) v(s) + c v(s^),   s^ the site whose x and y are the other ones of its 2 x 2 block
 *
 * with random real d of the global site. Parity and local lattice are kept, so that it needs no
 * halo, and any grid has the same numbers. The CPU backend only.
 */
#ifndef NAIK_TESTS_HOP_OPERATOR_H
#define NAIK_TESTS_HOP_OPERATOR_H

#include "operator/operator.h"

/* w = B v or B^+ v on `parity` of host vectors [sites][3][2]. */
void hop_times(const naik_lattice *lat, naik_parity parity, bool adjoint, const double *v,
               double *w);
/* One that calls itself stored in this precision. */
naik_operator hop_operator(const naik_geometry *geometry, naik_precision precision);

#endif
