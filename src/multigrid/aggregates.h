/* aggregates.h - the fine lattice cut into equal boxes, the sites of the coarse lattice
 *
 * The cut follows from the global extents alone, never from the process grid, so that a solution does not
 * depend on the grid. No aggregate lies on two ranks: a grid whose boxes do not hold whole aggregates is
 * refused.
 */
#ifndef NAIK_MULTIGRID_AGGREGATES_H
#define NAIK_MULTIGRID_AGGREGATES_H

#include "backend/multigrid.h"
#include "multigrid/parameters.h"

/* The grid that exchanges least of those whose boxes hold whole aggregates; all 0 where there is none, or
 * where the lattice has no aggregates. spare: multigrid may be left out, so that a grid which weighs more than
 * 1.3 times the best one of all (lattice/grid.h) is none. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_aggregates_choose_grid(naik_comm *comm, const int size[NAIK_DIM],
                                        const int asked[NAIK_DIM], bool spare, int grid[NAIK_DIM]);

/* That grid for so many ranks; node_of: the node of each, NULL: all on one. False where there is no such grid. */
bool naik_aggregates_choose_grid_on_paper(const int size[NAIK_DIM], int ranks, const int *node_of,
                                          const int asked[NAIK_DIM], bool spare,
                                          int grid[NAIK_DIM]);

/* asked: as that of naik_multigrid_aggregate. Collective.
 * NAIK_ERR_INPUT   the backend has no multigrid, or the lattice or this grid no such aggregates: the
 *                  sentence names grids that have
 * NAIK_ERR_MEMORY */
naik_status naik_aggregates_create(const naik_geometry *geometry, const int asked[NAIK_DIM],
                                   naik_aggregates **out);
void naik_aggregates_destroy(naik_aggregates **aggregates);
/* Numbers of aggregates without tables, for sizes of memory; extent: as naik_multigrid_aggregate gives it, the box
 * holds whole aggregates. Nothing to destroy. */
naik_aggregates naik_aggregates_outline(const naik_geometry *geometry, const int extent[NAIK_DIM]);

/* The functions of the backend behind it. */
static inline const naik_multigrid_ops *naik_multigrid_of(const naik_geometry *geometry)
{
    return geometry->backend->ops->multigrid;
}

#endif
