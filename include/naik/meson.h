/* meson.h - Goldstone pion correlators from staggered propagators
 *
 *   pion5   C(t) = sum_x w(x) sum_{c'} |G_{c'c}(x,t)|^2            for one source colour c
 *   pion05  the same with (-1)^(x+y+z+t)
 *   w(x) = prod_k cos(2 pi p_k x_k / n_k)   (the even part of momentum p; coordinates not shifted)
 *
 * No 1/V. Sums over source colours are the caller's, in colour order.
 */
#ifndef NAIK_MESON_H
#define NAIK_MESON_H

#include "naik/lattice.h"

typedef enum naik_meson { NAIK_PION5, NAIK_PION05 } naik_meson;

/* out[size t] = C(t) of one solution g [sites][3][2] (canonical). Collective; exact sums: the same
 * bits on every process grid. NAIK_ERR_MEMORY, NAIK_ERR_MPI. */
naik_status naik_meson_correlator(const naik_lattice *lattice, naik_meson meson,
                                  const int momentum[NAIK_DIM - 1], const double *g, double *out);

const char *naik_meson_name(naik_meson meson); /* "pion5", "pion05" */

#endif
