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

#endif
