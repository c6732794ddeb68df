/* test_multigrid_parameters.c - the aggregates that lattices hold
 *
 * ranks: 1
 */
#include "check.h"
#include "multigrid/parameters.h"

/* Extents of one direction, and of its aggregates; 0: none. */
static void aggregates_follow_from_the_extents_alone(check *t)
{
    static const int rows[][2] = {{8, 4},  {12, 3}, {16, 4}, {20, 5}, {24, 4}, {32, 4}, {36, 6},
                                  {48, 4}, {96, 4}, {28, 7}, {18, 3}, {6, 3},  {4, 2},  {2, 2},
                                  {10, 5}, {14, 7}, {22, 0}, {26, 0}, {60, 5}};
    const int free_choice[4] = {0, 0, 0, 0}, grid[4] = {1, 1, 1, 2};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int size[4] = {8, rows[i][0], 16, 24};
        int extent[4], mu;
        const bool found = naik_multigrid_aggregate(size, free_choice, extent, &mu);
        CHECK_INT(t, found, rows[i][1] != 0);
        CHECK_INT(t, found ? extent[1] : mu, found ? rows[i][1] : 1);
    }
    const int size[4] = {8, 8, 8, 24}, whole[4] = {0, 0, 8, 4}, odd[4] = {0, 0, 0, 8};
    int extent[4], mu;
    CHECK_TRUE(t, naik_multigrid_aggregate(size, whole, extent, &mu) && extent[2] == 8);
    CHECK_TRUE(t, naik_multigrid_fits(size, extent, grid));
    CHECK_TRUE(t, !naik_multigrid_fits(size, extent, (const int[4]){1, 1, 2, 1}));
    CHECK_TRUE(t, !naik_multigrid_aggregate(size, odd, extent, &mu) && mu == 3);
}

CHECK_MAIN(CHECK(aggregates_follow_from_the_extents_alone))
