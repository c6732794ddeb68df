/* clover.h - what a clover quark has on the diagonal of its operator, and the inverse of that
 *
 *   M = A - D/2,   A = m + 4 + C,   C = -(csw/2) sum_{mu<nu} g_mu g_nu F_mu,nu,   F = (Q - Q^+)/8
 *
 * Q_mu,nu(x) is the sum of the four plaquettes of the plane that begin and end at x, all turning from
 * mu to nu; the trace of F stays. csw = 1 at tree level, 1/u0^3 with tadpole improvement. In the
 * DeGrand-Rossi basis (g5 = diag(1, 1, -1, -1)), with the Pauli matrices s, C is two blocks:
 *
 *   spins 0, 1:  (i csw/2) [ s1 (F_yz - F_xt) + s2 (F_xz + F_yt) + s3 (F_xy - F_zt) ]
 *   spins 2, 3:  (i csw/2) [ s1 (F_yz + F_xt) + s2 (F_xz - F_yt) + s3 (F_xy + F_zt) ]
 *
 * With a twisted mass mu, M has i mu g5 beside A. Then A^-1 gives way to (A^2 + mu^2)^-1, since
 * (A + i mu g5)^-1 = (A - i mu g5) (A^2 + mu^2)^-1.
 *
 * B. Sheikholeslami, R. Wohlert, Nucl. Phys. B259 (1985) 572.
 */
#ifndef NAIK_LINKS_CLOVER_H
#define NAIK_LINKS_CLOVER_H

#include "base/device.h"
#include "links/clover_block.h"

typedef struct naik_clover {
    const naik_lattice *lattice; /* borrowed */
    naik_device *device;         /* borrowed; in whose memory the blocks are; NULL: the host's */
    naik_block (*block)[NAIK_SITE_BLOCKS];   /* [sites], local lexicographic: A */
    naik_block (*inverse)[NAIK_SITE_BLOCKS]; /* [sites]: A^-1; with mu (A^2 + mu^2)^-1 */
    double twisted_mass;                     /* mu */
    double largest, largest_inverse; /* of all ranks: the largest sum of magnitudes in a row, bounds
                                        of |A| and of the inverse */
    int64_t pivoted; /* blocks of all ranks that are not positive definite (rough fields, light
                        quarks): inverted with pivots, not by Cholesky */
} naik_clover;

/* u       thin links, with or without the sign of an antiperiodic boundary, which C does not see;
 *         without staggered phases. Only read; copied to the device where they are on the host
 * device  where the blocks are made, and stay; NULL: on the host
 * Collective; the same bits on every process grid, and on the host and a device.
 * NAIK_ERR_INPUT   A cannot be inverted at some site, which the sentence names
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_clover_create(const naik_gauge *u, naik_device *device, double mass,
                               double twisted_mass, double csw, naik_clover **out);
void naik_clover_destroy(naik_clover **clover);
/* Bytes of the blocks on this rank, for the memory plan. */
size_t naik_clover_bytes(const naik_lattice *lattice);
/* Bytes of the links that they are made of, while they are made. */
size_t naik_clover_links_bytes(const naik_lattice *lattice, naik_device *device);

#endif
