/* source_current.h - conserved currents on sources: K of current.h, with the links of D of the source's quark
 *
 *   staggered   f <- eps(x - x0) K f, as operators of spin and taste act (spin_taste.h)
 *   with spin   f <- K f, in the place of the matrix H of a meson at the source
 *
 * K is of the sum over all sites of exp(2 pi i p.(x - origin)/L) J_mu(x), with the momentum p of the source: the factor
 * stands on the current, which it would not be conserved without, and no longer on f.
 */
#ifndef NAIK_QUARK_SOURCE_CURRENT_H
#define NAIK_QUARK_SOURCE_CURRENT_H

#include "contract/low_average.h"
#include "input/input.h"
#include "propagator/current.h"

/* What they are made with; all zero: nothing yet. */
typedef struct source_current {
    naik_current *current;
    naik_hops hops;
    const naik_quark *of; /* the quark of these links, borrowed */
} source_current;

/* Whether an input has such a source. Local. */
bool source_current_any(const naik_input *input);
/* Bytes of one on a rank; 0 where the input has none. Local. */
int64_t source_current_bytes(const naik_input *input, const naik_lattice *lattice);
void source_current_clear(source_current *current);
/* Keeps links of a quark, which were made for its operators, where sources of the input will want them: so they are not
 * made once more while solvers hold the memory of a device. fat: of staggered quarks; else NULL. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_DEVICE */
naik_status source_current_keep(source_current *current, const naik_input *input,
                                const naik_quark *quark, const naik_fatlong *fat);
/* v [sites][spin][3][2], a column without its momentum, in place; hops: where links come from that are not kept.
 * Collective. NAIK_ERR_MEMORY, and what it returns */
naik_status source_current_apply(source_current *current, const naik_lattice *lattice,
                                 contract_hops *hops, void *hops_data, const naik_input *input,
                                 const naik_input_source *source, double *v);

#endif
