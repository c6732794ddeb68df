/* gauss_smear.h - gauge-covariant gaussian smearing of colour vectors in space
 *
 *   v <- (1 + r0^2/(4 n s^2) Lap)^n v
 *   (Lap v)(x) = sum_{k=x,y,z} W_k(x) v(x + s k) + W_k(x - s k)^+ v(x - s k) - 2 v(x)
 *
 * on every time slice by itself, W_k(x) the product of the s thin links from x to x + s k, without
 * boundary sign. s = 1 for quarks with spin (Chroma's GAUGE_INV_GAUSSIAN, wvf_param r0, wvfIntPar n);
 * s = 2 for staggered quarks, so that a vector stays on its corner of the hypercube and keeps its
 * taste (MILC's gauss_smear_v_field, which divides by s^2 for the same width). Staggered phases
 * cancel in W of s = 2. The width is that of exp(-r^2/r0^2) where n is large; below n = 1.5 r0^2/s^2
 * the highest momenta grow.
 * S. Gusken et al., Phys. Lett. B227 (1989) 266.
 */
#ifndef NAIK_PROPAGATOR_GAUSS_SMEAR_H
#define NAIK_PROPAGATOR_GAUSS_SMEAR_H

#include <stddef.h>

#include "naik/gauge.h"

/* The W of chosen time slices, and room for their vectors; in the host's memory. */
typedef struct naik_gauss naik_gauss;

/* thin    in the host's memory, without phases and boundary; not kept
 * stride  s, 1 or 2
 * slices  [T]: which time slices of the whole lattice are ever smeared; the same on every rank
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI. Release with naik_gauss_destroy. */
naik_status naik_gauss_create(const naik_gauge *thin, int stride, const bool *slices,
                              naik_gauss **out);
void naik_gauss_destroy(naik_gauss **gauss);
/* Bytes of one on a rank with all `slices` in its box. Local. */
size_t naik_gauss_bytes(const naik_lattice *lattice, int stride, int slices);

enum { NAIK_GAUSS_ALL = -1 };

/* Smears v [sites][3][2] on time slice t of the whole lattice, or NAIK_GAUSS_ALL that were chosen;
 * the others stay. The same bits on any number of ranks.
 *   radius  r0        steps  n, 1 and more
 * Collective. NAIK_ERR_ARG for a slice that was not chosen, NAIK_ERR_MPI */
naik_status naik_gauss_smear(naik_gauss *gauss, double radius, int steps, int t, double *v);

/* v <- S_k v on time slice t, (S_k v)(x) = (W_k(x) v(x + s k) + W_k(x - s k)^+ v(x - s k))/2: the
 * symmetric shift in direction k of x, y, z. Otherwise as naik_gauss_smear. */
naik_status naik_gauss_shift(naik_gauss *gauss, int k, int t, double *v);

#endif
