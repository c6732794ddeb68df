/* stencil.cuh - from a checkerboard number to coordinates and to the 16 neighbours
 *
 * A neighbour in the box is arithmetic, which costs less than reading a table of 64 bytes a site. Points
 * that leave the box are arithmetic for spinors, and read lattice.h's table for colour vectors, whose
 * kernels have no instructions to spare: 16 points a site, of which few leave.
 */
#ifndef NAIK_GPU_STENCIL_CUH
#define NAIK_GPU_STENCIL_CUH

#include <stdint.h>

#include "gpu/gpu.h"

/* n / d for 0 <= n < 2^31 by a multiplication. T. Granlund, P. Montgomery, PLDI 1994. */
typedef struct gpu_divider {
    uint32_t divisor, multiplier, shift;
} gpu_divider;

static inline gpu_divider gpu_divider_of(uint32_t divisor)
{
    uint32_t shift = 0;
    while ((UINT64_C(1) << shift) < divisor) {
        shift++;
    }
    uint64_t multiplier = ((UINT64_C(1) << 32) * ((UINT64_C(1) << shift) - divisor)) / divisor + 1;
    return (gpu_divider){divisor, (uint32_t)multiplier, shift};
}

/* Hops of a kind: +1, -1, +3, -3. */
typedef struct gpu_hop {
    int step; /* modulo the extent, where the box is periodic */
    /* what the point adds, within the box and round its edge: to the number of the site, in direction
     * x to the coordinate */
    int inside, beyond;
    /* where the direction is split, the number of the halo site is the sum of: `outside` (0: the box is
     * periodic there), so many times the coordinate, and gpu_stencil.above */
    int outside, along;
} gpu_hop;

typedef struct gpu_stencil {
    int local[4];
    int stride[4];         /* of a step in mu on the checkerboard; mu > 0 */
    gpu_hop point[4][4];   /* [kind][mu] */
    gpu_divider extent[3]; /* nx/2, ny, nz */
    gpu_divider layers[4]; /* sites of a parity with one value of the coordinates above mu */
    int above[4]; /* what each further value of these changes, beside the number of the site */
    int volume_cb;
} gpu_stencil;

__device__ static inline int gpu_divide(int n, gpu_divider d)
{
    return (int)((__umulhi((uint32_t)n, d.multiplier) + (uint32_t)n) >> d.shift);
}

/* Coordinates of checkerboard site cb of a parity. */
__device__ static inline void gpu_coords(const gpu_stencil &st, int parity, int cb, int x[4])
{
    int row = gpu_divide(cb, st.extent[0]);
    int i = cb - row * (int)st.extent[0].divisor;
    int plane = gpu_divide(row, st.extent[1]);
    x[1] = row - plane * st.local[1];
    x[3] = gpu_divide(plane, st.extent[2]);
    x[2] = plane - x[3] * st.local[2];
    x[0] = 2 * i + ((x[1] + x[2] + x[3] + parity) & 1);
}

/* The neighbour in direction mu of the site whose coordinate there is x, periodic within the box;
 * whether the point leaves it. */
__device__ static inline int gpu_neighbour(const gpu_stencil &st, int cb, int x, int kind, int mu,
                                           bool *leaves)
{
    const gpu_hop point = st.point[kind][mu];
    *leaves = (unsigned)(x + point.step) >= (unsigned)st.local[mu];
    const int change = *leaves ? point.beyond : point.inside;
    return cb + (mu == 0 ? (change + (x & 1)) >> 1 : change);
}

/* The halo site that a point takes which leaves the box in a split direction: the zone's sites are
 * numbered as those of the box without mu, layer by layer (lattice.h). In few registers. */
__device__ static inline int gpu_halo_site(const gpu_stencil &st, int cb, int x, int kind, int mu)
{
    const gpu_hop point = st.point[kind][mu];
    const int above = gpu_divide(cb, st.layers[mu]);
    return point.outside + x * point.along + (mu == 0 ? above >> 1 : cb + above * st.above[mu]);
}

#endif
