/* parameters.c - what multigrid is set to, and which aggregates a lattice holds */
#include "multigrid/parameters.h"

naik_multigrid_parameters naik_multigrid_defaults(void)
{
    return (naik_multigrid_parameters){.vectors = 24,
                                       .start = 20,
                                       .cycles = 3,
                                       .smoother = 8,
                                       .coarse_tolerance = 0.1,
                                       .coarse_space = 128,
                                       .restart = 16,
                                       .precision = 16,
                                       .seed = 1};
}

/* Whether an extent falls into whole aggregates, and those into pairs. */
static bool divides(int size, int extent)
{
    return extent > 0 && size % extent == 0 && (size / extent % 2 == 0 || size / extent == 1);
}

/* The extents to try, the best first: fewer coarse sites than 4 gives rather than more, and 3 only where nothing
 * else is there: its coarse lattice takes most of the time (tests/results/multigrid.txt). 0: none. */
static int choose(int size)
{
    static const int wide[] = {4, 5, 6, 7, 8}, narrow[] = {4, 6, 5, 7, 3, 2};
    for (int i = 0; i < 5; i++) {
        if (divides(size, wide[i]) && size / wide[i] >= 4) {
            return wide[i];
        }
    }
    for (int i = 0; i < 6; i++) {
        if (divides(size, narrow[i]) && size / narrow[i] > 1) {
            return narrow[i];
        }
    }
    return size <= 8 ? size : 0;
}

/* Half of an aggregate's sites are even: where all extents are odd, t's becomes an even one. */
static bool halves(const int size[NAIK_MULTIGRID_DIM], const int asked[NAIK_MULTIGRID_DIM],
                   int extent[NAIK_MULTIGRID_DIM], int *mu)
{
    static const int even[] = {4, 6, 2, 8};
    const int t = NAIK_MULTIGRID_DIM - 1;
    if (extent[0] % 2 == 0 || extent[1] % 2 == 0 || extent[2] % 2 == 0 || extent[t] % 2 == 0) {
        return true;
    }
    *mu = t;
    for (int i = 0; i < 4 && asked[t] == 0; i++) {
        if (divides(size[t], even[i])) {
            extent[t] = even[i];
            return true;
        }
    }
    return false;
}

bool naik_multigrid_aggregate(const int size[NAIK_MULTIGRID_DIM],
                              const int asked[NAIK_MULTIGRID_DIM], int extent[NAIK_MULTIGRID_DIM],
                              int *mu)
{
    for (*mu = 0; *mu < NAIK_MULTIGRID_DIM; (*mu)++) {
        extent[*mu] = asked[*mu] > 0 ? asked[*mu] : choose(size[*mu]);
        if (!divides(size[*mu], extent[*mu])) {
            return false;
        }
    }
    return halves(size, asked, extent, mu);
}

bool naik_multigrid_fits(const int size[NAIK_MULTIGRID_DIM], const int extent[NAIK_MULTIGRID_DIM],
                         const int grid[NAIK_MULTIGRID_DIM])
{
    for (int mu = 0; mu < NAIK_MULTIGRID_DIM; mu++) {
        if (size[mu] % (extent[mu] * grid[mu]) != 0) {
            return false;
        }
    }
    return true;
}
