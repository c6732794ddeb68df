/* grid.c - every grid is tried: there are a few hundred of 4096 ranks, and the cost is exact */
#include "lattice/grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "comm/collective.h"
#include "comm/new.h"

enum { DIM = 4, MAX_CANDIDATES = 4096, LISTED = 4 };

bool naik_grid_works(const int size[4], const int grid[4])
{
    for (int mu = 0; mu < DIM; mu++) {
        if (grid[mu] < 1 || size[mu] % grid[mu] != 0) {
            return false;
        }
        int local = size[mu] / grid[mu];
        if (grid[mu] > 1 && (local % 2 != 0 || local < 4)) {
            return false;
        }
    }
    return true;
}

/* Rank of the neighbour `step` boxes away in direction mu; ranks are laid out x fastest. */
static int neighbour(const int grid[DIM], int rank, int mu, int step)
{
    int stride = 1;
    for (int nu = 0; nu < mu; nu++) {
        stride *= grid[nu];
    }
    int coord = rank / stride % grid[mu];
    return rank + ((coord + step + grid[mu]) % grid[mu] - coord) * stride;
}

naik_grid_cost naik_grid_cost_of(const int size[4], const int grid[4], const int *node_of)
{
    naik_grid_cost worst = {0, 0};
    int64_t volume = 1;
    int ranks = 1;
    for (int mu = 0; mu < DIM; mu++) {
        volume *= size[mu] / grid[mu];
        ranks *= grid[mu];
    }
    /* On one node every rank pays the same. */
    for (int rank = 0; rank < (node_of != NULL ? ranks : 1); rank++) {
        naik_grid_cost cost = {0, 0};
        for (int mu = 0; mu < DIM; mu++) {
            int64_t face = volume / (size[mu] / grid[mu]);
            for (int step = -1; grid[mu] > 1 && step <= 1; step += 2) {
                int there = neighbour(grid, rank, mu, step);
                bool inside = node_of == NULL || node_of[there] == node_of[rank];
                *(inside ? &cost.inside : &cost.between) += face;
            }
        }
        worst = naik_grid_weight(cost) > naik_grid_weight(worst) ? cost : worst;
    }
    return worst;
}

typedef struct candidate {
    int grid[DIM];
    int64_t cost;
} candidate;

static int compare_candidates(const void *a, const void *b)
{
    const candidate *first = a, *second = b;
    if (first->cost != second->cost) {
        return first->cost < second->cost ? -1 : 1;
    }
    for (int mu = 0; mu < DIM; mu++) {
        if (first->grid[mu] != second->grid[mu]) {
            return first->grid[mu] < second->grid[mu] ? -1 : 1;
        }
    }
    return 0;
}

/* Every grid that works, best first; returns how many were stored. */
static int list_grids(const int size[DIM], int ranks, const int *node_of, candidate *list,
                      int capacity)
{
    int count = 0;
    for (int gx = 1; gx <= ranks; gx++) {
        for (int gy = 1; ranks % gx == 0 && gy <= ranks / gx; gy++) {
            for (int gz = 1; ranks / gx % gy == 0 && gz <= ranks / gx / gy; gz++) {
                if (ranks / gx / gy % gz != 0 || count == capacity) {
                    continue;
                }
                candidate c = {{gx, gy, gz, ranks / gx / gy / gz}, 0};
                if (naik_grid_works(size, c.grid)) {
                    c.cost = naik_grid_weight(naik_grid_cost_of(size, c.grid, node_of));
                    list[count++] = c;
                }
            }
        }
    }
    qsort(list, (size_t)count, sizeof *list, compare_candidates);
    return count;
}

int naik_grid_list(const int size[4], int ranks, const int *node_of, char *text, size_t text_size,
                   int best[4])
{
    candidate *list = malloc(MAX_CANDIDATES * sizeof *list);
    int count = list == NULL ? 0 : list_grids(size, ranks, node_of, list, MAX_CANDIDATES);
    snprintf(text, text_size, "%s", count == 0 ? "none" : "");
    for (int i = 0; i < count && i < LISTED; i++) {
        const int *g = list[i].grid;
        naik_text_append(text, text_size, "%s%dx%dx%dx%d", i > 0 ? ", " : "", g[0], g[1], g[2],
                         g[3]);
    }
    if (count > 0 && best != NULL) {
        memcpy(best, list[0].grid, sizeof list[0].grid);
    }
    free(list);
    return count;
}

void naik_grid_grow(int ranks, int grid[4])
{
    int mu = DIM - 1;
    for (int nu = 0; nu < DIM; nu++) {
        grid[nu] = 1;
    }
    for (int factor = 2; ranks > 1; factor++) {
        for (; ranks % factor == 0; ranks /= factor) {
            grid[mu] *= factor;
            mu = (mu + DIM - 1) % DIM;
        }
    }
}

/* The largest number of ranks up to `ranks` that some grid serves. */
static int usable_ranks(const int size[DIM], int ranks)
{
    candidate one;
    while (ranks > 1 && list_grids(size, ranks, NULL, &one, 1) == 0) {
        ranks--;
    }
    return ranks;
}

/* *out [ranks], the node of every rank; NULL where there is but one. */
static naik_status find_nodes(naik_comm *comm, int **out)
{
    const size_t bytes = (size_t)comm->size * sizeof **out;
    *out = NULL;
    if (comm->nodes == 1) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_new(comm, bytes, "a list of nodes", (void **)out));
    NAIK_PASS(naik_comm_gather(comm, &comm->node, sizeof comm->node, *out));
    return naik_comm_broadcast(comm, *out, bytes, 0);
}

naik_status naik_grid_choose(naik_comm *comm, const int size[4], int grid[4])
{
    naik_status status = NAIK_OK;
    int *node_of = NULL;
    candidate *list = NULL;
    NAIK_TRY(naik_new(comm, MAX_CANDIDATES * sizeof *list, "process grids", (void **)&list));
    NAIK_TRY(find_nodes(comm, &node_of));
    if (list_grids(size, comm->size, node_of, list, MAX_CANDIDATES) > 0) {
        memcpy(grid, list[0].grid, sizeof list[0].grid);
    } else {
        char working[128];
        int fewer = usable_ranks(size, comm->size);
        naik_grid_list(size, fewer, NULL, working, sizeof working, NULL);
        status = NAIK_FAIL(
            comm->log, NAIK_ERR_INPUT,
            "%d ranks cannot share the lattice %dx%dx%dx%d in boxes with even extents, at "
            "least 4 where split; use %d ranks, for example as %s",
            comm->size, size[0], size[1], size[2], size[3], fewer, working);
    }
done:
    free(node_of);
    free(list);
    return status;
}

naik_status naik_grid_cost_here(naik_comm *comm, const int size[4], const int grid[4],
                                naik_grid_cost *out)
{
    naik_status status = NAIK_OK;
    int *node_of = NULL;
    NAIK_TRY(find_nodes(comm, &node_of));
    *out = naik_grid_cost_of(size, grid, node_of);
done:
    free(node_of);
    return status;
}
