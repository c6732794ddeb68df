/* dslash_ref.h - the slow, obvious operator that the fast ones are tested against
 *
 *   (D v)(s) = sum_mu  Fat_mu(s) v(s+mu)   - Fat_mu(s-mu)^+   v(s-mu)
 *                    + Long_mu(s) v(s+3mu) - Long_mu(s-3mu)^+ v(s-3mu)
 *
 * Phases, boundary and coefficients are in the links. Both parities at once. It shares no code with
 * kernels, halos or hop tables: every rank holds the whole lattice and counts global coordinates.
 * Therefore for small lattices only.
 */
#ifndef NAIK_TESTS_DSLASH_REF_H
#define NAIK_TESTS_DSLASH_REF_H

#include "links/smear.h"

enum { NAIK_DSLASH_REF_MAX_VOLUME = 1 << 18 }; /* sites of the largest global lattice taken */

/* out = D in.
 *
 *   links  fat links, and long ones or NULL, on the lattice of links->fat
 *   in     [sites][3][2], canonical; out the same shape, not `in` itself
 *
 * Collective; the same bits on every process grid.
 * NAIK_ERR_ARG     the lattice is larger than NAIK_DSLASH_REF_MAX_VOLUME
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_dslash_ref(const naik_fatlong *links, const double *in, double *out);

/* out = M in = 2 mass in + D in. As naik_dslash_ref. */
naik_status naik_operator_ref(const naik_fatlong *links, double mass, const double *in,
                              double *out);

/* out = M^+ M in = 4 mass^2 in - D D in. As naik_dslash_ref. */
naik_status naik_normal_ref(const naik_fatlong *links, double mass, const double *in, double *out);

#endif
