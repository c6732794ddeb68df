/* shift.cuh - the sites of a box and the numbers of their vectors, as the loops of shift_ops.h go through them */
#ifndef NAIK_GPU_SHIFT_CUH
#define NAIK_GPU_SHIFT_CUH

#include "gpu/backend_gpu.h"
#include "links/shift_ops.h"

enum { SHIFT_THREADS = 128, VECTOR = 6 };

static inline unsigned shift_blocks(int sites)
{
    return (unsigned)((sites + SHIFT_THREADS - 1) / SHIFT_THREADS);
}

static inline gpu_stream shift_stream(naik_device *device)
{
    return gpu_state_of(gpu_backend_of(device))->stream;
}

/* A complex number in one load. */
__device__ static inline naik_complex shift_load(const double *from)
{
    const double2 v = *(const double2 *)from;
    return {v.x, v.y};
}

__device__ static inline void shift_store(naik_complex v, double *to)
{
    *(double2 *)to = make_double2(v.re, v.im);
}

/* A box, and the signs of its sites. */
typedef struct shift_box {
    int local[NAIK_DIM], origin[NAIK_DIM], r0[NAIK_DIM], stride[NAIK_DIM];
    int sites;
    size_t vector; /* numbers of one */
} shift_box;

static inline shift_box shift_box_of(const naik_lattice *lat, const int *r0)
{
    shift_box b = {};
    int stride = 1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        b.local[mu] = lat->local[mu];
        b.origin[mu] = lat->origin[mu];
        b.r0[mu] = r0 != NULL ? r0[mu] : 0;
        b.stride[mu] = stride;
        stride *= lat->local[mu];
    }
    b.sites = lat->sites;
    b.vector = VECTOR * (size_t)lat->sites;
    return b;
}

__device__ static inline void shift_coords(const shift_box &b, int site, int x[NAIK_DIM])
{
#pragma unroll
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = site % b.local[mu];
        site /= b.local[mu];
    }
}

/* Where the numbers of a vector lie: `each` doubles from site to site, `step` from one number of a site to the next. */
typedef struct shift_layout {
    size_t each, step;
} shift_layout;

/* by_site: [sites][3][2]; otherwise [3][sites][2]. */
__host__ __device__ static inline shift_layout shift_layout_of(int sites, bool by_site)
{
    return by_site ? shift_layout{VECTOR, 2} : shift_layout{2, 2 * (size_t)sites};
}

/* Numbers `step` doubles apart. */
__device__ static inline void shift_vector(const double *f, size_t step, double (&v)[VECTOR])
{
#pragma unroll
    for (int c = 0; c < 3; c++) {
        const naik_complex z = shift_load(f + step * (size_t)c);
        v[2 * c] = z.re;
        v[2 * c + 1] = z.im;
    }
}

naik_status gpu_shift(naik_device *device, const naik_link_shift *step);
naik_status gpu_tie_product(naik_device *device, const naik_tie_product *args);
naik_status gpu_tie_sums(naik_device *device, const naik_tie_sums *args);

#endif
