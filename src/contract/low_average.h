/* low_average.h - what low modes give to the mesons of an entry: from all sites, and from each of its sources
 *
 *   mean = low + 1/N sum_k [ C_k - L_k ]
 *
 * of point sources k, each correlator shifted to t = 0: C_k of the solve, L_k what the low modes alone give from that
 * source, low the mean of L over all sites of the lattice (low_part.h). The difference in [] has the terms high times high
 * and low times high. To solve with the modes projected out of the source would leave out the second kind, which
 * does not vanish where t is fixed; so the difference is what is taken, of solves that are as they are without averages.
 * With a source on every site the mean is the exact one, whatever the modes are. The error of the mean is that of the
 * difference: low has none on a configuration.
 */
#ifndef NAIK_CONTRACT_LOW_AVERAGE_H
#define NAIK_CONTRACT_LOW_AVERAGE_H

#include "contract/low_loop.h"
#include "contract/low_pair.h"
#include "contract/low_part.h"
#include "input/input.h"
#include "io/files.h"

/* New links of D of a quark in double, packed for that geometry; the caller destroys them. Collective. As
 * naik_link_provider_links and naik_links_create */
typedef naik_status contract_links(void *data, const naik_quark *quark,
                                   const naik_geometry *geometry, naik_links **out);

/* Where and of what links low modes are multiplied; all borrowed. */
typedef struct low_average_kit {
    const naik_lattice *lattice;   /* with all to values */
    const naik_geometry *geometry; /* of that lattice; NULL: a CPU's is opened */
    contract_links *links;
    void *links_data;
    int modes;           /* so many of a file take part */
    naik_shifts *shifts; /* where operators have links, */
    contract_hops *hops; /* or are conserved currents, */
    void *hops_data;     /* with that as data */
} low_average_kit;

typedef struct low_average {
    int count; /* of modes; 0: not made yet */
    naik_complex *
        all; /* [masses][correlators][momenta][T], of a pair as low_pair.h has it, of loops as low_loop.h */
    naik_complex *each; /* [sources] of that, as they lie on the lattice; of loops [noise fields] */
} low_average;

/* Modes on all sites, which the next average takes as well where it has the same file and links. Begins as zeros. */
typedef struct low_held {
    const naik_quark *quark; /* with their links, of the input; NULL: there are none */
    char path[NAIK_PATH_MAX];
    const naik_geometry *geometry; /* that of the kit, or own, */
    naik_geometry *own;            /* of */
    naik_backend *host;            /* this */
    low_part part;
} low_held;
void low_held_clear(low_held *held);

/* Reads the modes of an average of type low_modes, unless they are held, verifies their checksums and that they are modes of
 * these links, and makes both: on the device of kit->geometry where it has room for the vectors, else on the host. Clear it whatever comes back. Collective.
 * NAIK_ERR_INPUT  there is no such file, or one of other links     NAIK_ERR_CORRUPT, NAIK_ERR_MEMORY, ... */
naik_status low_average_make(const low_average_kit *kit, const naik_input *input,
                             const naik_input_average *average, low_held *held, low_average *out);
void low_average_clear(low_average *low);
/* The numbers [T] of a mass, correlator and momentum: of all sites (source -1), of a source. */
const naik_complex *low_average_of(const low_average *low, const naik_input *input,
                                   const naik_input_average *average, int source, int mass,
                                   int place);
/* Bytes on a rank while the largest of an input is made, with so many modes. Local. */
int64_t low_average_bytes(const naik_input *input, const naik_lattice *lattice, int modes);

#endif
