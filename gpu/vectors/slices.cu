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
    const naik_complex *weight[3];
    int parts, times;
    naik_exactsum *sums; /* [parts][times] */
} slice_params;

/* One row of blocks a time slice. */
__global__ void slice_kernel(const slice_params p)
{
    __shared__ exact_block<2> shared;
    const int i = (int)(blockIdx.x * SLICE_THREADS + threadIdx.x), t = (int)blockIdx.y;
    double term[2] = {0, 0};
    if (i < p.sites) {
        const int cb = t * p.sites + i;
        int x[4];
        gpu_coords(p.st, p.parity, cb, x);
        double norm = 0;
        for (int s = 0; s < p.spin; s++) {
            const colour_vector<double> v =
                vec_double::load(p.data + vec_offset<vec_double>(cb, p.first + s, p.vectors));
            norm += real_product(v, v);
        }
        const naik_complex w = naik_slice_product(p.weight[0][x[0]], p.weight[1][x[1]],
                                                  p.weight[2][x[2]], p.parts == 2);
        term[0] = w.re * norm;
        term[1] = w.im * norm;
    }
    exact_block_add(shared, term, p.parts, &p.sums[t], p.times);
}

naik_status gpu_slice_norms(const naik_field *v, naik_parity parity, int irhs,
                            const naik_complex *const weight[3], int parts, naik_exactsum *sums)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = v->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const naik_lattice *lat = v->geometry->lattice;
    naik_complex *room = (naik_complex *)state->staging;
    slice_params p = {};
    if (v->precision != NAIK_DOUBLE) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG, "time slices are summed in double only");
    }
    for (int k = 0; k < 3; k++) {
        NAIK_TRY(gpu_upload(&backend->device, room, weight[k],
                            (size_t)lat->local[k] * sizeof *weight[k]));
        p.weight[k] = room;
        room += lat->local[k];
    }
    p.st = gpu_tables_of(v->geometry)->stencil;
    p.data = (const char *)v->data;
    p.parity = (int)parity;
    p.first = irhs * v->spin;
    p.spin = v->spin;
    p.vectors = naik_field_vectors(v);
    p.sites = lat->volume_cb / lat->local[3];
    p.parts = parts;
    p.times = lat->local[3];
    p.sums = sums;
    slice_kernel<<<slice_grid(p.sites, lat->local[3]), SLICE_THREADS, 0, state->stream>>>(p);
    NAIK_TRY(GPU_LAUNCHED(backend, "summing time slices"));
done:
    return status;
}
