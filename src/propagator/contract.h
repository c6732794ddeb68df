/* contract.h - correlators of several solutions, on the host
 *
 * What one solution alone gives is in meson.h. Solutions are g [3][sites][3][2], source colour in
 * front. All sums are exact: the same bits on every process grid. out [size t] complex, no 1/V.
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI.
 */
#ifndef NAIK_PROPAGATOR_CONTRACT_H
#define NAIK_PROPAGATOR_CONTRACT_H

#include "naik/gauge.h"
#include "naik/meson.h"

/* C(t) = sum_x w(x - x0) phi(x - x0) sum_{c,c'} G(x)_{c'c} conj(H(x)_{c'c}), G the quark's and H the
 * antiquark's propagator, w and phi of meson.h. */
naik_status naik_contract_meson(const naik_lattice *lattice, naik_meson meson,
                                const naik_frame *frame, const double *g, const double *h,
                                naik_complex *out);

/* A wall sink: wall [size t][columns][columns], sink index first, = sum over each time slice of the
 * columns g [columns][sites][columns], 3 of staggered quarks and 12 of quarks with spin. */
naik_status naik_contract_wall(const naik_lattice *lattice, int columns, const double *g,
                               naik_complex *wall);
/* From the walls W and V of staggered quark and antiquark C(t) = sum_{c,c'} W(t)_{c'c} conj(V(t)_{c'c}).
 * Local. */
void naik_contract_walls(const naik_complex *w, const naik_complex *v, int times,
                         naik_complex *out);

/* out(t) += sum_x src(x)^+ x(x), of one right-hand side [sites][spin][3][2] and its solution. */
naik_status naik_contract_source(const naik_lattice *lattice, int spin, const double *src,
                                 const double *x, naik_complex *out);

#endif
