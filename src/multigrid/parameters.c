/* parameters.c - what multigrid is set to, and which aggregates a lattice holds */
#include "multigrid/parameters.h"

naik_multigrid_parameters naik_multigrid_defaults(void)
{
    return (naik_multigrid_parameters){.vectors = 24,
                                       .start = 20,
                                       .cycles = 3,
                                       .smoother = 8,
                                       .coarse_tolerance = 0.1,
                                       .coarse_space = 64,
                                       .restart = 16,
                                       .precision = 16,
                                       .seed = 1};
}

/* Whether an extent falls into whole aggregates, and those into pairs. */
static bool divides(int size, int extent)
{
    return extent > 0 && size % extent == 0 && (size / extent % 2 == 0 || size / extent == 1);
}

/* The extents to try, the best first: fewer coarse sites than 4 gives rather than more, except where
 * only two of them would be left. 0: none. */
static int choose(int size)
{
    static const int wide[] = {4, 5, 6, 3, 7, 8}, narrow[] = {4, 6, 5, 7, 3, 2};
    for (int i = 0; i < 6; i++) {
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

int64_t naik_multigrid_memory(const int local[NAIK_MULTIGRID_DIM],
                              const int extent[NAIK_MULTIGRID_DIM], int width,
                              const naik_multigrid_parameters *parameters)
{
    int64_t sites = 1, inside = 1;
    for (int mu = 0; mu < NAIK_MULTIGRID_DIM; mu++) {
        sites *= local[mu];
        inside *= extent[mu];
    }
    const int64_t vectors = parameters->vectors, components = 2 * vectors;
    const int64_t coarse = sites / inside, half = sites / 2;
    const bool short_reals = parameters->precision == 16;
    const int64_t spinor = 12 * 2 * (int64_t)sizeof(float);
    const int64_t p = sites * vectors * (spinor + (short_reals ? spinor / 2 + 4 : 0));
    const int64_t tested = sites * vectors * spinor; /* while they are made */
    const int64_t matrices = 9 * components * components * coarse * (short_reals ? 8 + 4 : 2 * 8);
    const int64_t directions = 2 * parameters->restart * half * width * spinor;
    const int64_t space =
        (2 * parameters->coarse_space + 4) * (coarse + 1) / 2 * components * 8 * width;
    return p + (tested > directions ? tested : directions) + matrices + space +
           6 * half * width * spinor;
}
