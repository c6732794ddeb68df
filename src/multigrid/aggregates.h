/* aggregates.h - the fine lattice cut into equal boxes, the sites of the coarse lattice
 *
 * The cut follows from the global extents alone, never from the process grid, so that a solution does not
 * depend on the grid. No aggregate lies on two ranks: a grid whose boxes do not hold whole aggregates is
 * refused.
 */
#ifndef NAIK_MULTIGRID_AGGREGATES_H
#define NAIK_MULTIGRID_AGGREGATES_H

#include "backend/multigrid.h"

/* Extents of aggregates for a lattice: 4 along each direction where that leaves an even number of them, else
 * the number nearest that does. False where there is none. */
bool naik_aggregates_choose(const int size[NAIK_DIM], int extent[NAIK_DIM]);

/* Whether aggregates of these extents cut a lattice: evenly, into an even number along each direction or
 * into one, with as many even as odd sites in each. */
bool naik_aggregates_cut(const int size[NAIK_DIM], const int extent[NAIK_DIM]);
/* Whether they cut the boxes of a grid, too. */
bool naik_aggregates_fit(const int size[NAIK_DIM], const int grid[NAIK_DIM],
                         const int extent[NAIK_DIM]);
/* "1x1x2x4, ...", a few grids of so many ranks that do; "none". */
void naik_aggregates_grids(const int size[NAIK_DIM], int ranks, const int extent[NAIK_DIM],
                           char *text, size_t text_size);

/* extent: all 0, as naik_aggregates_choose. Collective.
 * NAIK_ERR_INPUT   the backend has no multigrid, or the lattice or this grid no such aggregates: the
 *                  sentence names grids that have
 * NAIK_ERR_MEMORY */
naik_status naik_aggregates_create(const naik_geometry *geometry, const int extent[NAIK_DIM],
                                   naik_aggregates **out);
void naik_aggregates_destroy(naik_aggregates **aggregates);

/* The functions of the backend behind it. */
static inline const naik_multigrid_ops *naik_multigrid_of(const naik_geometry *geometry)
{
    return geometry->backend->ops->multigrid;
}

/* Number of coarse sites on the whole lattice. */
static inline int64_t naik_aggregates_volume(const naik_aggregates *a)
{
    return (int64_t)a->size[0] * a->size[1] * a->size[2] * a->size[3];
}

#endif
