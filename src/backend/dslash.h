/* dslash.h - the improved staggered hopping term
 *
 *   (D v)(x) = sum_mu  F_mu(x) v(x+mu)  - F_mu(x-mu)^+  v(x-mu)
 *                    + L_mu(x) v(x+3mu) - L_mu(x-3mu)^+ v(x-3mu)
 *
 * F and L carry the staggered phases, the boundary sign and the Naik coefficient (backend/packed_links.h).
 * No factor 1/2: M = 2m + D.     S. Naik, Nucl. Phys. B316 (1989) 238; E. Follana et al., PRD 75
 * (2007) 054502.
 */
#ifndef NAIK_BACKEND_DSLASH_H
#define NAIK_BACKEND_DSLASH_H

#include "backend/field.h"
#include "backend/packed_links.h"

/* Flops of a site that D writes: 1146 with 16 points, 570 with the 8 of naive links. */
static inline int naik_dslash_flops(int points)
{
    return points * 66 + (points - 1) * 6;
}
/* Flops of a site of Wilson's D. */
enum {
    NAIK_WILSON_FLOPS = 1320, /* 8 (2 x 66 + 12) + 7 x 24 */
    NAIK_CLOVER_FLOPS = 504   /* more, with the blocks of a site */
};

/* The form `args` asks for (backend.h): starts the halo of `in`, computes the interior, waits,
 * computes the boundary. Each site is written once, whole; sums->args are added to, not yet over
 * ranks. The halo zones of `in` are overwritten. Collective. Allocates nothing after the first call
 * of a shape. NAIK_ERR_ARG     shapes disagree; found on every rank before anything is sent
 * NAIK_ERR_MPI     the exchange failed           NAIK_ERR_DEVICE  a kernel or a copy failed */
naik_status naik_dslash(const naik_dslash_args *args);

/* out = D in on the sites of `parity`. */
naik_status naik_dslash_plain(const naik_links *links, const naik_field *in, naik_parity parity,
                              naik_field *out);

#endif
