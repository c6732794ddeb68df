/* slices.cu - what is measured on a solution where it lives: residuals term by term, correlators */
#include "gpu/backend_gpu.h"
#include "gpu/fields/prec.cuh"
#include "gpu/vectors/thread_sums.cuh"

enum { SLICE_THREADS = 256 };

static dim3 slice_grid(int sites, int rows)
{
    return dim3((unsigned)((sites + SLICE_THREADS - 1) / SLICE_THREADS), (unsigned)rows);
}

template <class V>
__global__ void axpy_kernel(double a, const char *x, char *y, int nrhs, int count)
{
    typedef typename V::real real;
    const int site = (int)(blockIdx.x * SLICE_THREADS + threadIdx.x);
    if (site >= count) {
        return;
    }
    const size_t offset = vec_offset<V>(site, (int)blockIdx.y, nrhs);
    colour_vector<real> xv = V::load(x + offset), yv = V::load(y + offset);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        yv.e[i] = {(real)fma(a, (double)xv.e[i].re, (double)yv.e[i].re),
                   (real)fma(a, (double)xv.e[i].im, (double)yv.e[i].im)};
    }
    V::store(y + offset, yv);
}

naik_status gpu_field_axpy(double a, const naik_field *x, naik_field *y)
{
    naik_backend *backend = y->geometry->backend;
    gpu_stream stream = gpu_state_of(backend)->stream;
    const int half = y->geometry->lattice->volume_cb;
    const int vectors = naik_field_vectors(y);
    const dim3 grid = slice_grid(half, vectors);
    const char *from = (const char *)x->data;
    char *to = (char *)y->data;
    switch (y->precision) {
    case NAIK_DOUBLE:
        axpy_kernel<vec_double><<<grid, SLICE_THREADS, 0, stream>>>(a, from, to, vectors, half);
        break;
    case NAIK_SINGLE:
        axpy_kernel<vec_single><<<grid, SLICE_THREADS, 0, stream>>>(a, from, to, vectors, half);
        break;
    case NAIK_HALF:
        axpy_kernel<vec_half><<<grid, SLICE_THREADS, 0, stream>>>(a, from, to, vectors, half);
        break;
    }
    return GPU_LAUNCHED(backend, "adding a multiple of a field");
}

enum { NORM_THREADS = 128, NORM_SITES = 4 /* of a thread, at most */, NORM_MOMENTA = 4 };
static_assert((int)NORM_SITES <= (int)SUM_TERMS, "sums of a thread do not round");

typedef struct norm_params {
    const char *data[2];
    int spin, vectors; /* of a solution, and of all in the field */
    int half, ny, nz;  /* half: nx/2 */
    int step; /* a thread has each step-th of the layers in z whose parity is its block's */
    unsigned odd;
    int classes;
    unsigned mask[NAIK_SLICE_CLASSES];
    const naik_complex *weight; /* [momenta][factors] */
    int momenta, factors, times;
    naik_exactsum *sums; /* of the first of these momenta */
    int apart;           /* from class to class */
} norm_params;

/* The norms of a thread's sites, 0 where it has none, each in its place of shared memory; the largest. */
__device__ static inline double norms_of(const norm_params &p, const char *data, int cb, int layer,
                                         bool mine, double (*norm)[NORM_THREADS])
{
    double largest = 0;
#pragma unroll
    for (int s = 0; s < NORM_SITES; s++) {
        const int further = s * p.step; /* layers of this parity */
        double sum = 0;
        if (mine && layer + further < p.nz / 2) {
            const int at = cb + 2 * further * p.ny * p.half;
            for (int k = 0; k < p.spin; k++) {
                const colour_vector<double> v =
                    vec_double::load(data + vec_offset<vec_double>(at, k, p.vectors));
                sum += real_product(v, v);
            }
        }
        norm[s][threadIdx.x] = sum;
        largest = fmax(largest, sum);
    }
    return largest;
}

/* Rows of blocks: one a time slice, and one the parity of a site and those of y and z: all sites of a block have the same
 * signs. A solution is read once. */
template <int MOMENTA>
__global__ void __launch_bounds__(NORM_THREADS) norm_kernel(const norm_params p)
{
    enum { SUMS = 2 * MOMENTA };
    __shared__ sum_block<SUMS, NORM_THREADS / GPU_LANES> shared;
    const int i = (int)(blockIdx.x * NORM_THREADS + threadIdx.x), t = (int)blockIdx.y;
    const int parity = (int)blockIdx.z & 1, y1 = (int)blockIdx.z >> 1 & 1,
              z1 = (int)blockIdx.z >> 2;
    const int x1 = (y1 + z1 + t + parity) & 1;
    const int rows = i / p.half, layer = rows / (p.ny / 2);
    const int x = 2 * (i % p.half) + x1, y = 2 * (rows % (p.ny / 2)) + y1;
    const bool mine = layer < p.step;
    const int cb = ((t * p.nz + 2 * layer + z1) * p.ny + y) * p.half + i % p.half;
    const unsigned odd = p.odd ^ (unsigned)(x1 | y1 << 1 | z1 << 2);
    unsigned minus = 0;
#pragma unroll
    for (int c = 0; c < NAIK_SLICE_CLASSES;
         c++) { /* an index into arguments would put these into memory */
        minus |= naik_slice_minus(p.mask[c], odd) ? 1U << c : 0;
    }
    __shared__ double norm[NORM_SITES][NORM_THREADS];
    const double largest = norms_of(p, parity == 0 ? p.data[0] : p.data[1], cb, layer, mine, norm);
    const sum_cuts cuts = sum_cuts_for(largest, shared);
    for (int begin = 0; begin < p.momenta; begin += MOMENTA) {
        naik_exactsum *const sums = p.sums + 2 * begin * p.times + t;
        sum_momenta<MOMENTA> m;
        sum_momenta_begin(cuts, p.weight + begin * p.factors, p.momenta - begin,
                          {2 * p.half, p.ny, p.nz}, x, y, m);
        for (int s = 0; s < NORM_SITES && mine && layer + s * p.step < p.nz / 2; s++) {
            const double norm2 = norm[s][threadIdx.x];
            sum_momenta_add(
                cuts, 2 * (layer + s * p.step) + z1,
                [norm2](naik_complex w) {
                    return naik_complex{w.re * norm2, w.im * norm2};
                },
                sums, p.times, p.apart, 0, p.classes, minus, m);
        }
        sum_block_keep(shared, cuts, false, m.sum);
        sum_block_add(shared, cuts, 2 * m.count, sums, p.times, p.classes, p.apart, minus);
    }
}

naik_status gpu_slice_norms(const naik_field *const v[2], const naik_slice_norms *args,
                            naik_exactsum *sums)
{
    const naik_geometry *geometry = v[NAIK_EVEN]->geometry;
    naik_backend *backend = geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const int *local = geometry->lattice->local, times = local[3];
    const int factors = local[0] + local[1] + local[2];
    const int most = (int)(GPU_STAGING_BYTES / ((size_t)factors * sizeof *args->weight));
    norm_params p = {};
    if (v[NAIK_EVEN]->precision != NAIK_DOUBLE) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG, "time slices are summed in double only");
    }
    p.data[NAIK_EVEN] = (const char *)v[NAIK_EVEN]->data;
    p.data[NAIK_ODD] = (const char *)v[NAIK_ODD]->data;
    p.spin = v[NAIK_EVEN]->spin;
    p.vectors = naik_field_vectors(v[NAIK_EVEN]);
    p.half = local[0] / 2;
    p.ny = local[1];
    p.nz = local[2];
    p.step = (local[2] / 2 - 1) / NORM_SITES + 1;
    p.odd = args->odd;
    p.classes = args->classes;
    for (int c = 0; c < args->classes; c++) {
        p.mask[c] = args->mask[c];
    }
    p.weight = (const naik_complex *)state->staging;
    p.factors = factors;
    p.times = times;
    p.apart = 2 * args->frames * times;
    const int threads = p.half * (p.ny / 2) * p.step;
    const dim3 grid((unsigned)((threads + NORM_THREADS - 1) / NORM_THREADS), (unsigned)times, 8);
    for (int begin = 0; begin < args->frames; begin += most) {
        p.momenta = args->frames - begin < most ? args->frames - begin : most;
        p.sums = sums + 2 * (size_t)begin * (size_t)times;
        NAIK_PASS(gpu_upload(&backend->device, state->staging,
                             args->weight + (size_t)begin * (size_t)factors,
                             (size_t)p.momenta * (size_t)factors * sizeof *args->weight));
        if (args->frames == 1) {
            norm_kernel<1><<<grid, NORM_THREADS, 0, state->stream>>>(p);
        } else {
            norm_kernel<NORM_MOMENTA><<<grid, NORM_THREADS, 0, state->stream>>>(p);
        }
        NAIK_PASS(GPU_LAUNCHED(backend, "summing time slices"));
    }
    return NAIK_OK;
}
