/* grid.h - process grids: which are possible, what they cost, which is chosen
 *
 *   cost of a rank = sum over its faces of the sites in the face,
 *                    times NAIK_GRID_BETWEEN where the neighbour is on another node
 *   cost of a grid = that of its most expensive rank, for the ranks where they really are
 *
 * The cheapest grid is chosen; among equals the one that splits t first, then z, then y: long
 * faces and file rows in one piece. The choice depends on the extents and on which ranks share a
 * node, on nothing else, and is the same on every rank.
 *
 * Ranks are laid out x fastest, so that the ranks of a node, numbered in a row by every launcher
 * unless told otherwise, are neighbours in the first directions that are split.
 */
#ifndef NAIK_LATTICE_GRID_H
#define NAIK_LATTICE_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naik/comm.h"

/* How much dearer a byte between nodes is than one inside: NVLink between two A100 of a node moves
 * 100 GB/s a direction, a node's network card 25. */
enum { NAIK_GRID_BETWEEN = 4 };

typedef struct naik_grid_cost {
    int64_t inside, between; /* face sites of the most expensive rank, by where they go */
} naik_grid_cost;

static inline int64_t naik_grid_weight(naik_grid_cost cost)
{
    return cost.inside + NAIK_GRID_BETWEEN * cost.between;
}

/* Whether the grid cuts the extents into boxes with even extents, at least 4 where split. */
bool naik_grid_works(const int size[4], const int grid[4]);

/* node_of   [ranks] a number for the node of each rank; NULL: all on one */
naik_grid_cost naik_grid_cost_of(const int size[4], const int grid[4], const int *node_of);

/* Writes "AxBxCxD, ...", the grids that `ranks` ranks can use, best first, into text; "none" if
 * none. Returns how many there are, and the best in `best` (may be NULL). */
int naik_grid_list(const int size[4], int ranks, const int *node_of, char *text, size_t text_size,
                   int best[4]);

/* The best grid for the ranks of comm where they are. Collective. NAIK_ERR_MEMORY; NAIK_ERR_INPUT
 * where there is none, with a sentence that names a number of ranks that has one. */
naik_status naik_grid_choose(naik_comm *comm, const int size[4], int grid[4]);

/* The grid of a weak-scaling study: the prime factors of ranks, smallest first, go to t, z, y, x,
 * t, ..., so that the lattice grows in all directions and every one is split soon. */
void naik_grid_grow(int ranks, int grid[4]);

/* The cost of a grid for the ranks of comm where they are. Collective. NAIK_ERR_MEMORY */
naik_status naik_grid_cost_here(naik_comm *comm, const int size[4], const int grid[4],
                                naik_grid_cost *out);

#endif
