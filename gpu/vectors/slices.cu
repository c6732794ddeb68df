/* slices.cu - what is measured on a solution where it lives: residuals term by term, correlators */
#include "gpu/backend_gpu.h"
#include "gpu/fields/prec.cuh"
#include "gpu/vectors/reduce.cuh"

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

typedef struct slice_params {
    gpu_stencil st;
    const char *data;
    int parity, first, spin, vectors; /* the first colour vector, and how many of all */
    int sites;                        /* of one parity in a time slice */
    const naik_complex *weight;       /* [count][x + y + z] */
    const int *parts;                 /* [count] */
    int count, times;
    int nx, ny, factors;
    naik_exactsum *sums; /* [count][2][times] */
} slice_params;

/* One row of blocks a time slice. */
__global__ void __launch_bounds__(SLICE_THREADS) slice_kernel(const slice_params p)
{
    __shared__ exact_block<2> shared;
    const int i = (int)(blockIdx.x * SLICE_THREADS + threadIdx.x), t = (int)blockIdx.y;
    const bool mine = i < p.sites;
    const int cb = t * p.sites + (mine ? i : 0);
    int x[4];
    double norm = 0;
    gpu_coords(p.st, p.parity, cb, x);
    for (int s = 0; s < p.spin && mine; s++) {
        const colour_vector<double> v =
            vec_double::load(p.data + vec_offset<vec_double>(cb, p.first + s, p.vectors));
        norm += real_product(v, v);
    }
    for (int k = 0; k < p.count; k++) {
        const naik_complex *f = p.weight + k * p.factors;
        const int parts = p.parts[k];
        const naik_complex w =
            naik_slice_product(f[x[0]], f[p.nx + x[1]], f[p.nx + p.ny + x[2]], parts == 2);
        const double term[2] = {mine ? w.re * norm : 0, mine ? w.im * norm : 0};
        exact_block_add(shared, term, parts, &p.sums[2 * k * p.times + t], p.times);
        __syncthreads();
    }
}

naik_status gpu_slice_norms(const naik_field *v, naik_parity parity, int irhs,
                            const naik_complex *weight, const int *parts, int count,
                            naik_exactsum *sums)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = v->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const naik_lattice *lat = v->geometry->lattice;
    const int factors = lat->local[0] + lat->local[1] + lat->local[2];
    const size_t each = (size_t)factors * sizeof *weight + sizeof *parts;
    const int most = (int)(GPU_STAGING_BYTES / each);
    if (v->precision != NAIK_DOUBLE) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG, "time slices are summed in double only");
    }
    for (int begin = 0; begin < count; begin += most) {
        const int some = count - begin < most ? count - begin : most;
        naik_complex *const there = (naik_complex *)state->staging;
        int *const parts_there = (int *)(there + (size_t)some * (size_t)factors);
        slice_params p = {};
        NAIK_TRY(gpu_upload(&backend->device, there, weight + (size_t)begin * (size_t)factors,
                            (size_t)some * (size_t)factors * sizeof *weight));
        NAIK_TRY(
            gpu_upload(&backend->device, parts_there, parts + begin, (size_t)some * sizeof *parts));
        p.st = gpu_tables_of(v->geometry)->stencil;
        p.data = (const char *)v->data;
        p.parity = (int)parity;
        p.first = irhs * v->spin;
        p.spin = v->spin;
        p.vectors = naik_field_vectors(v);
        p.sites = lat->volume_cb / lat->local[3];
        p.weight = there;
        p.parts = parts_there;
        p.count = some;
        p.times = lat->local[3];
        p.nx = lat->local[0];
        p.ny = lat->local[1];
        p.factors = factors;
        p.sums = sums + 2 * (size_t)begin * (size_t)p.times;
        slice_kernel<<<slice_grid(p.sites, lat->local[3]), SLICE_THREADS, 0, state->stream>>>(p);
        NAIK_TRY(GPU_LAUNCHED(backend, "summing time slices"));
    }
done:
    return status;
}
