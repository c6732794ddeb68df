/* test_grid.c - process grids: what they cost, counted site by site, and which is chosen */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "lattice/grid.h"
#include "multigrid/aggregates.h"
#include "naik/lattice.h"

enum { MAX_RANKS = 64 };

static int rank_of_site(const int size[4], const int grid[4], const int x[4])
{
    int rank = 0;
    for (int mu = 3; mu >= 0; mu--) {
        rank = rank * grid[mu] + x[mu] / (size[mu] / grid[mu]);
    }
    return rank;
}

/* The definition: every hop of one site that leaves a rank, by where it goes. */
static void count_hops(const int size[4], const int grid[4], const int *node_of,
                       naik_grid_cost of_rank[MAX_RANKS])
{
    int64_t volume = (int64_t)size[0] * size[1] * size[2] * size[3];
    memset(of_rank, 0, MAX_RANKS * sizeof *of_rank);
    for (int64_t site = 0; site < volume; site++) {
        int x[4];
        int64_t rest = site;
        for (int mu = 0; mu < 4; mu++) {
            x[mu] = (int)(rest % size[mu]);
            rest /= size[mu];
        }
        int here = rank_of_site(size, grid, x);
        for (int k = 0; k < 8; k++) {
            int y[4] = {x[0], x[1], x[2], x[3]}, mu = k / 2;
            y[mu] = (x[mu] + (k % 2 ? 1 : size[mu] - 1)) % size[mu];
            int there = rank_of_site(size, grid, y);
            if (there != here) {
                bool inside = node_of == NULL || node_of[there] == node_of[here];
                *(inside ? &of_rank[here].inside : &of_rank[here].between) += 1;
            }
        }
    }
}

static void costs_count_the_hops_that_leave_a_rank(check *t)
{
    static const int size[4] = {8, 8, 16, 16};
    static const int grids[][4] = {{1, 1, 1, 1}, {1, 1, 1, 4}, {1, 1, 4, 2},
                                   {2, 2, 2, 2}, {1, 2, 4, 4}, {2, 1, 2, 4}};
    static naik_grid_cost const none = {0, 0};
    for (size_t g = 0; g < sizeof grids / sizeof *grids; g++) {
        const int ranks = grids[g][0] * grids[g][1] * grids[g][2] * grids[g][3];
        for (int per_node = 1; per_node <= 8; per_node *= 2) {
            int node_of[MAX_RANKS];
            naik_grid_cost of_rank[MAX_RANKS], worst = none;
            for (int r = 0; r < ranks; r++) {
                /* the last layout deals ranks out in turn */
                node_of[r] = per_node == 8 ? r % 3 : r / per_node;
            }
            count_hops(size, grids[g], node_of, of_rank);
            for (int r = 0; r < ranks; r++) {
                if (naik_grid_weight(of_rank[r]) > naik_grid_weight(worst)) {
                    worst = of_rank[r];
                }
            }
            naik_grid_cost got = naik_grid_cost_of(size, grids[g], node_of);
            CHECK_INT(t, naik_grid_weight(got), naik_grid_weight(worst));
            count_hops(size, grids[g], NULL, of_rank);
            got = naik_grid_cost_of(size, grids[g], NULL);
            CHECK_INT(t, got.inside, of_rank[0].inside);
            CHECK_INT(t, got.between, 0);
        }
    }
}

static void grids_are_listed_best_first(check *t)
{
    char text[128];
    const int cube[4] = {8, 8, 8, 16};
    naik_grid_list(cube, 2, NULL, text, sizeof text, NULL);
    CHECK_TEXT(t, text, "1x1x1x2, 1x1x2x1, 1x2x1x1, 2x1x1x1");
    /* four of seven, the best ones */
    CHECK_INT(t, naik_grid_list(cube, 4, NULL, text, sizeof text, NULL), 7);
    CHECK_TEXT(t, text, "1x1x1x4, 1x1x2x2, 1x2x1x2, 2x1x1x2");
    CHECK_INT(t, naik_grid_list(cube, 3, NULL, text, sizeof text, NULL), 0);
    CHECK_TEXT(t, text, "none");
}

/* On one node eight slices are cheapest; on two of them the node's own neighbours are used first.
 */
static void neighbours_on_the_node_come_first(check *t)
{
    const int size[4] = {16, 16, 16, 32};
    int node_of[8], best[4];
    char text[128];
    CHECK_TRUE(t, naik_grid_list(size, 8, NULL, text, sizeof text, best) > 0);
    CHECK_TRUE(t, best[2] == 1 && best[3] == 8);
    for (int r = 0; r < 8; r++) {
        node_of[r] = r / 4;
    }
    CHECK_TRUE(t, naik_grid_list(size, 8, node_of, text, sizeof text, best) > 0);
    CHECK_TRUE(t, best[2] == 2 && best[3] == 4);
    naik_grid_cost cost = naik_grid_cost_of(size, best, node_of);
    CHECK_INT(t, cost.inside, 3 * 2048);
    CHECK_INT(t, cost.between, 2048);
}

static void the_choice_is_the_first_of_the_list(check *t)
{
    const int size[4] = {8, 8, 16, 16};
    int grid[4], best[4];
    char text[128];
    naik_lattice *lat = NULL;
    naik_grid_cost cost = {0, 0};
    naik_grid_list(size, t->comm->size, NULL, text, sizeof text, best);
    CHECK_OK(t, naik_grid_choose(t->comm, size, grid));
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat));
    CHECK_REQUIRE(t, lat != NULL);
    if (t->comm->nodes == 1) {
        CHECK_TRUE(t, memcmp(grid, best, sizeof grid) == 0);
    }
    CHECK_TRUE(t, memcmp(grid, lat->grid, sizeof grid) == 0);
    CHECK_OK(t, naik_grid_cost_here(t->comm, size, grid, &cost));
    CHECK_INT(t, cost.inside + cost.between, naik_grid_cost_of(size, grid, NULL).inside);
    naik_lattice_destroy(&lat);
}

/* Of a job that puts every second rank on another node; for four ranks it is another choice. */
static void the_choice_knows_the_nodes(check *t)
{
    static const int sizes[][4] = {{8, 8, 16, 16}, {4, 4, 4, 32}};
    naik_comm apart = *t->comm;
    int node_of[MAX_RANKS];
    apart.node = t->comm->rank % 2;
    apart.nodes = t->comm->size > 1 ? 2 : 1;
    for (int r = 0; r < t->comm->size; r++) {
        node_of[r] = r % 2;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int grid[4], best[4];
        char text[128];
        naik_grid_cost cost = {0, 0};
        naik_grid_list(sizes[i], t->comm->size, node_of, text, sizeof text, best);
        CHECK_OK(t, naik_grid_choose(&apart, sizes[i], grid));
        CHECK_TRUE(t, memcmp(grid, best, sizeof grid) == 0);
        CHECK_OK(t, naik_grid_cost_here(&apart, sizes[i], grid, &cost));
        const naik_grid_cost wanted = naik_grid_cost_of(sizes[i], grid, node_of);
        CHECK_INT(t, cost.inside, wanted.inside);
        CHECK_INT(t, cost.between, wanted.between);
    }
}

/* Where aggregates are as long as t, boxes that cut x, y or z send eight times as much. */
static void multigrid_takes_no_grid_that_is_much_dearer(check *t)
{
    static const int size[4] = {8, 8, 8, 64};
    for (int i = 0; i < 4; i++) {
        const int asked[4] = {4, 4, 4, i < 2 ? 64 : 8};
        int grid[4], on_paper[4], best[4];
        const bool spare = i % 2 == 0, none = t->comm->size > 1 && i == 0;
        CHECK_OK(t, naik_grid_choose(t->comm, size, best));
        CHECK_OK(t, naik_aggregates_choose_grid(t->comm, size, asked, spare, grid));
        CHECK_INT(
            t,
            naik_aggregates_choose_grid_on_paper(size, t->comm->size, NULL, asked, spare, on_paper),
            !none);
        CHECK_TRUE(t, memcmp(grid, on_paper, sizeof grid) == 0);
        CHECK_INT(t, grid[0] * grid[1] * grid[2] * grid[3], none ? 0 : t->comm->size);
        CHECK_TRUE(t, i < 2 ? grid[3] == !none : memcmp(grid, best, sizeof grid) == 0);
    }
}

static void a_growing_grid_splits_every_direction_in_turn(check *t)
{
    static const int ranks[] = {1, 2, 4, 16, 32, 12, 4096};
    static const int wanted[][4] = {{1, 1, 1, 1}, {1, 1, 1, 2}, {1, 1, 2, 2}, {2, 2, 2, 2},
                                    {2, 2, 2, 4}, {1, 3, 2, 2}, {8, 8, 8, 8}};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        int grid[4];
        naik_grid_grow(ranks[i], grid);
        CHECK_TRUE(t, memcmp(grid, wanted[i], sizeof grid) == 0);
    }
}

CHECK_MAIN(CHECK(costs_count_the_hops_that_leave_a_rank), CHECK(grids_are_listed_best_first),
           CHECK(neighbours_on_the_node_come_first), CHECK(the_choice_is_the_first_of_the_list),
           CHECK(the_choice_knows_the_nodes), CHECK(multigrid_takes_no_grid_that_is_much_dearer),
           CHECK(a_growing_grid_splits_every_direction_in_turn))
