/* low_loop.h - what low modes give to the loops of an entry of noise: exactly, and from each of its noise fields
 *
 *   mean = low + 1/hits sum over noise fields of [ sum over parts of src^+ O (G - G_low) src ]
 *
 * low is the trace that src^+ O G_low src is an estimate of: of O G_low, over the sites that carry the noise. With
 * u = v + w of a mode (low_part.h), and O of an even number of links, which changes no parity,
 *
 *   low(t) = sum over modes of g m sum over x of time slice t of w(x) u(x)^+ (O u)(x)
 *
 * and of an odd number, as the current has it, with lambda for m and w - v for the first u. The mean is unbiased for any
 * modes, and has the noise of G - G_low alone.
 */
#ifndef NAIK_CONTRACT_LOW_LOOP_H
#define NAIK_CONTRACT_LOW_LOOP_H

#include "contract/low_part.h"
#include "input/input.h"
#include "propagator/current.h"
#include "propagator/spin_taste.h"

/* What it is made with; all borrowed. */
typedef struct low_loop_kit {
    const naik_lattice *lattice;
    const naik_input *input;
    const naik_input_average *average; /* one of loops */
    naik_shifts *shifts;
    const naik_hops *hops; /* of D, where there is a current; else NULL */
} low_loop_kit;

/* all [masses][loops][momenta][T]; each [hits] of that, zeros before. part: has its modes; *all_s: the time when `all`
 * was made. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status low_loop_make(const low_loop_kit *kit, low_part *part, naik_complex *all,
                          naik_complex *each, double *all_s);
/* Whether one of the loops is a conserved current. Local. */
bool low_loop_needs_hops(const naik_input *input);
/* Bytes beside the part's, on a rank: on the host, and where the backend has its memory. Local. */
int64_t low_loop_bytes(const naik_lattice *lattice, const naik_input *input,
                       const naik_input_average *average, int modes);
int64_t low_loop_backend_bytes(const naik_lattice *lattice, int modes);

#endif
