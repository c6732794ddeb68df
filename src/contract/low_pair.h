/* low_pair.h - what low modes give to a pair with one operator at source and sink: from all sites, and from each source
 *
 * O is an operator of spin and taste with links, or the conserved current of a direction in space, on the point source
 * of the quark and at the sink; the antiquark's source is the point y. With the modes u_i = v_i + w_i of low_part.h
 *
 *   C(t) = 1/V sum over y, x with x_t = y_t + t of w(x - y) Tr (G_low O)(x, y) [ (O G_low)(x, y) ]^+
 *        = sigma/V sum_s sum_ij { [g g]_ij, of parities } X_ij(s+t) Y_ji(s),     O^+ = sigma O
 *   X_ij(s) = sum over x of time slice s of w(x) (L u_i)(x)^+ u_j(x),   L = O        Y: the same with w*
 *
 * and of the current X_ij = sum over x of (K[w]^+ eps u_i)(x)^+ u_j(x), Y_ij that of K eps with w*, sigma = 1 (current.h).
 * An odd number of links changes the parity: X has then v on one side and w on the other.
 */
#ifndef NAIK_CONTRACT_LOW_PAIR_H
#define NAIK_CONTRACT_LOW_PAIR_H

#include "contract/low_part.h"
#include "input/input.h"
#include "propagator/current.h"
#include "propagator/spin_taste.h"

/* New links of D of a quark, on the host; the caller clears them. Collective. As naik_link_provider_links */
typedef naik_status contract_hops(void *data, const naik_quark *quark, naik_hops *out);

/* What it is made with; all borrowed. */
typedef struct low_pair_kit {
    const naik_lattice *lattice;
    const naik_input *input;
    const naik_input_pair *pair;
    naik_shifts *shifts;
    contract_hops *hops;
    void *hops_data;
} low_pair_kit;

/* all [masses of the quark][of the antiquark][momenta][T]; each [sources] of that, as they lie on the lattice.
 * part: has its modes; *all_s: the time when `all` was made. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE, and what hops returns */
naik_status low_pair_make(const low_pair_kit *kit, low_part *part, naik_complex *all,
                          naik_complex *each, double *all_s);
/* Bytes on a rank beside the part's. Local. */
int64_t low_pair_bytes(const naik_lattice *lattice, int modes);

#endif
