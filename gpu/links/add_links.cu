/* add_links.cu - whole gauge fields in the device's memory: sums of two, and phases, with the host's bits */
#include "gpu/backend_gpu.h"

extern "C" {
#include "links/link_ops.h"
}

#include "lattice/su3.h"

enum { ADD_THREADS = 128, MATRIX = 9 };

static unsigned blocks_for(int64_t threads)
{
    return (unsigned)((threads + ADD_THREADS - 1) / ADD_THREADS);
}

/* Elements of all matrices. */
static int64_t element_count(const naik_gauge *gauge)
{
    return (int64_t)gauge->lattice->sites * NAIK_DIM * MATRIX;
}

static gpu_stream stream_of(const naik_gauge *gauge)
{
    return gpu_state_of(gpu_backend_of(gauge->device))->stream;
}

/* One thread a number. */
__global__ void combine_kernel(const double *a, double s, const double *b, double *out,
                               int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * ADD_THREADS + threadIdx.x;
    if (i < count) {
        out[i] = b == NULL ? s * a[i] : s != 0 ? fma(s, b[i], a[i]) : a[i];
    }
}

naik_status gpu_links_combine(const naik_gauge *a, double s, const naik_gauge *b, naik_gauge *out)
{
    const int64_t count = 2 * element_count(a);
    combine_kernel<<<blocks_for(count), ADD_THREADS, 0, stream_of(a)>>>(
        (const double *)a->link, s, b != NULL ? (const double *)b->link : NULL, (double *)out->link,
        count);
    return GPU_LAUNCHED(gpu_backend_of(a->device), "adding links");
}

typedef struct phases {
    naik_complex of[NAIK_DIM];
} phases;

/* One thread an element of a matrix. */
__global__ void rotate_kernel(const naik_complex *a, phases phase, naik_complex *out, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * ADD_THREADS + threadIdx.x;
    if (i < count) {
        out[i] = naik_rotate(phase.of[i / MATRIX % NAIK_DIM], a[i]);
    }
}

naik_status gpu_links_rotate(const naik_gauge *a, const naik_complex phase[NAIK_DIM],
                             naik_gauge *out)
{
    const int64_t count = element_count(a);
    phases all;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        all.of[mu] = phase[mu];
    }
    rotate_kernel<<<blocks_for(count), ADD_THREADS, 0, stream_of(a)>>>(
        (const naik_complex *)a->link, all, (naik_complex *)out->link, count);
    return GPU_LAUNCHED(gpu_backend_of(a->device), "giving links a phase");
}
