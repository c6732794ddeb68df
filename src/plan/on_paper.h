/* on_paper.h - a lattice on GPUs that are not here, for plans of memory and output
 *
 * The plan of a run (plan.h) and the description of its output (spec.h) ask lattice and backend for
 * sizes alone. These have them, and nothing else: no field can be made, nothing can be run.
 */
#ifndef NAIK_PLAN_ON_PAPER_H
#define NAIK_PLAN_ON_PAPER_H

#include "backend/backend.h"
#include "backend/halo.h"
#include "backend/route.h"

typedef struct on_paper {
    naik_backend backend;
    naik_lattice lattice; /* of the first rank; without tables */
    naik_geometry geometry;
    size_t memory_bytes; /* of a GPU, that a run may use */
} on_paper;

/* Whether a box of this size can be numbered by 32 bits, as lattice.h does. */
bool on_paper_fits_numbers(const int local[NAIK_DIM]);

/* paper   filled in place, and must stay where it is; owns nothing
 * comm    borrowed, real, and of any size
 * grid    must work (grid.h); single_node: all ranks are on one node
 * wanted  of auto, the path that is the fastest where nothing forbids it: halos go from GPU to GPU */
void on_paper_lay_out(on_paper *paper, naik_comm *comm, const int size[NAIK_DIM],
                      const int grid[NAIK_DIM], bool single_node, naik_transport wanted,
                      size_t memory_bytes);

#endif
