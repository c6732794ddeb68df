/* ghosted.cuh - ghosted fields (links/ghosted.h) in the device's memory: where a site is, what is beside it */
#ifndef NAIK_GPU_GHOSTED_CUH
#define NAIK_GPU_GHOSTED_CUH

#include "gpu/backend_gpu.h"

extern "C" {
#include "links/ghosted.h"
#include "links/link_ops.h"
}

#include "lattice/su3.h"

typedef struct box {
    int local[NAIK_DIM], pad[NAIK_DIM], extent[NAIK_DIM];
    int64_t sites;
} box;

static box box_of(const naik_ghosted_plan *plan)
{
    box b;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        b.local[mu] = plan->lattice->local[mu];
        b.pad[mu] = plan->pad[mu];
        b.extent[mu] = plan->extent[mu];
    }
    b.sites = plan->lattice->sites;
    return b;
}

__device__ static inline void coords(const int local[NAIK_DIM], int64_t site, int x[NAIK_DIM])
{
    int rest = (int)site;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = rest % local[mu];
        rest /= local[mu];
    }
}

__device__ static inline int64_t site_number(const int local[NAIK_DIM], const int x[NAIK_DIM])
{
    return x[0] + (int64_t)local[0] * (x[1] + local[1] * (x[2] + local[2] * x[3]));
}

/* Where component 0 of the site at x is in a ghosted field; x wraps where the direction is not split. */
__device__ static inline int64_t place(const box &b, int x, int y, int z, int t)
{
    const int row = ((t + b.pad[3]) * b.extent[2] + z + b.pad[2]) * b.extent[1] + y + b.pad[1];
    return (int64_t)row * NAIK_ROW_REALS * b.extent[0] + b.pad[0] + x;
}

__device__ static inline int64_t place_near(const box &b, const int x[NAIK_DIM], int mu, int step,
                                            int nu, int more)
{
    int y[NAIK_DIM];
#pragma unroll
    for (int k = 0; k < NAIK_DIM; k++) {
        y[k] = x[k] + (k == mu ? step : 0) + (k == nu ? more : 0);
        if (b.pad[k] == 0) {
            y[k] += y[k] < 0 ? b.local[k] : y[k] >= b.local[k] ? -b.local[k] : 0;
        }
    }
    return place(b, y[0], y[1], y[2], y[3]);
}

__device__ static inline naik_matrix load(const double *ghosted, int stride)
{
    naik_matrix m;
#pragma unroll
    for (int k = 0; k < NAIK_ROW_REALS; k += 2) {
        m.e[k / 6][k / 2 % 3] = {ghosted[(int64_t)k * stride], ghosted[(int64_t)(k + 1) * stride]};
    }
    return m;
}

__device__ static inline void store(double *ghosted, int stride, const naik_matrix &m)
{
#pragma unroll
    for (int k = 0; k < NAIK_ROW_REALS; k += 2) {
        ghosted[(int64_t)k * stride] = m.e[k / 6][k / 2 % 3].re;
        ghosted[(int64_t)(k + 1) * stride] = m.e[k / 6][k / 2 % 3].im;
    }
}

#endif
