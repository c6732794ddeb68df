/* bicgstab.cu - what BiCGStab asks of the GPU: complex products, sums of multiples, its scalars */
#include "backend_gpu.h"

#include "prec.cuh"
#include "reduce.cuh"
#include "rhs.cuh"

enum { BICGSTAB_THREADS = 256 };

/* One thread a site and row. */
static dim3 site_grid(const naik_field *field, int rows)
{
    const int sites = field->geometry->lattice->volume_cb;
    return dim3((unsigned)((sites + BICGSTAB_THREADS - 1) / BICGSTAB_THREADS), (unsigned)rows);
}

static gpu_stream stream_of(const naik_field *field)
{
    return gpu_state_of(field->geometry->backend)->stream;
}

/* Im (v, w), in double */
template <class T>
__device__ static inline double imaginary_product(const colour_vector<T> &v,
                                                  const colour_vector<T> &w)
{
    double sum = 0;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        sum = fma((double)v.e[i].re, (double)w.e[i].im, sum);
        sum = fma(-(double)v.e[i].im, (double)w.e[i].re, sum);
    }
    return sum;
}

/* A site's term is the sum over its spins, as dot_kernel has it (blas.cu). */
template <class V>
__global__ void complex_dot_kernel(const char *v, const char *w, int spin, int count,
                                   naik_exactsum *sums)
{
    __shared__ exact_block<1> shared[2];
    const int site = (int)(blockIdx.x * BICGSTAB_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y, nrhs = (int)gridDim.y;
    double re = 0, im = 0;
    for (int s = 0; site < count && s < spin; s++) {
        const size_t offset = vec_offset<V>(site, c * spin + s, nrhs * spin);
        const colour_vector<typename V::real> a = V::load(v + offset), b = V::load(w + offset);
        re += real_product(a, b);
        im += imaginary_product(a, b);
    }
    exact_block_add(shared[0], re, &sums[c]);
    exact_block_add(shared[1], im, &sums[nrhs + c]);
}

naik_status gpu_complex_dot(const naik_field *v, const naik_field *w, naik_exactsum *sums)
{
    BY_PRECISION(v->precision, complex_dot_kernel, site_grid(v, v->nrhs), BICGSTAB_THREADS,
                 stream_of(v), (const char *)v->data, (const char *)w->data, v->spin,
                 v->geometry->lattice->volume_cb, sums);
    return GPU_LAUNCHED(v->geometry->backend, "summing complex products");
}

typedef struct combination {
    char *out;
    const char *v[NAIK_TERMS_MOST];
    const double (*coefficient[NAIK_TERMS_MOST])[2];
    int terms, spin, count;
    const naik_rhs *rhs;
    int state;
} combination;

template <class V> __global__ void combine_kernel(const combination p)
{
    typedef typename V::real real;
    const int site = (int)(blockIdx.x * BICGSTAB_THREADS + threadIdx.x);
    const int vector = (int)blockIdx.y, c = vector / p.spin;
    if (site >= p.count || (p.rhs != NULL && p.rhs[c].state != p.state)) {
        return;
    }
    const size_t offset = vec_offset<V>(site, vector, (int)gridDim.y);
    colour_vector<real> sum = {};
#pragma unroll
    for (int k = 0; k < NAIK_TERMS_MOST; k++) {
        if (k >= p.terms) {
            continue;
        }
        const colour_vector<real> v = V::load(p.v[k] + offset);
        cplx<real> a = {(real)1, (real)0};
        if (p.coefficient[k] != NULL) {
            a = {(real)p.coefficient[k][c][0], (real)p.coefficient[k][c][1]};
        }
#pragma unroll
        for (int i = 0; i < 3; i++) {
            sum.e[i] = mul_add(a, v.e[i], sum.e[i]);
        }
    }
    V::store(p.out + offset, sum);
}

naik_status gpu_combine(naik_field *out, const naik_term *terms, int count, const naik_rhs *rhs,
                        naik_rhs_state state)
{
    combination p = {};
    p.out = (char *)out->data;
    p.terms = count;
    p.spin = out->spin;
    p.count = out->geometry->lattice->volume_cb;
    p.rhs = rhs;
    p.state = (int)state;
    for (int k = 0; k < count; k++) {
        p.v[k] = (const char *)terms[k].v->data;
        p.coefficient[k] = terms[k].coefficient;
    }
    gpu_sample_moves(out->geometry->backend, out->nrhs,
                     (double)(count + 1) * (double)out->size_bytes);
    BY_PRECISION(out->precision, combine_kernel, site_grid(out, naik_field_vectors(out)),
                 BICGSTAB_THREADS, stream_of(out), p);
    return GPU_LAUNCHED(out->geometry->backend, "adding multiples of fields");
}

typedef struct step_params {
    naik_bicgstab_stage stage;
    naik_rhs *rhs;
    naik_bicgstab_record *record;
    double (*coefficients)[2];
    naik_exactsum *sums;
    double *history;
    int history_stride;
} step_params;

/* A block an rhs, a warp a sum. */
__global__ void bicgstab_step_kernel(const peer_sums peers, const step_params p)
{
    __shared__ int64_t word[NAIK_STAGE_SUMS][NAIK_EXACTSUM_WORDS];
    __shared__ double value[NAIK_STAGE_SUMS];
    const int c = (int)blockIdx.x, count = (int)gridDim.x;
    const int k = (int)threadIdx.x / GPU_LANES, lane = (int)threadIdx.x % GPU_LANES;
    const int box = k * NAIK_MAX_RHS + c;
    naik_exactsum *sum = &p.sums[k * count + c];
    peer_push(peers, sum, box, lane);
    const double mine = rhs_sum(peers, sum, box, word[k], lane);
    if (lane == 0) {
        value[k] = mine;
    }
    __syncthreads();
    rhs_clear(peers, sum, box, lane);
    if (threadIdx.x == 0) {
        naik_rhs *rhs = &p.rhs[c];
        naik_bicgstab_record *record = &p.record[c];
        const int before = rhs->iterations;
        naik_bicgstab_take(p.stage, rhs, record, value);
        naik_bicgstab_coefficients(record, c, count, p.coefficients);
        if (p.history != NULL && rhs->iterations > before) {
            p.history[(size_t)(before % p.history_stride) * (size_t)count + (size_t)c] = rhs->rr;
        }
    }
}

naik_status gpu_bicgstab_step(naik_backend *backend, naik_bicgstab_stage stage, naik_rhs *rhs,
                              naik_bicgstab_record *record, double (*coefficients)[2],
                              naik_exactsum *sums, int count, double *history, int history_stride)
{
    naik_status status = NAIK_OK;
    const int each = naik_stage_sums(stage);
    const step_params p = {stage, rhs, record, coefficients, sums, history, history_stride};
    if (!backend->route.single_node) { /* kernels do not reach the other ranks */
        NAIK_TRY(gpu_sums_reduce(backend, sums, each * count));
    }
    bicgstab_step_kernel<<<count, (unsigned)(each * GPU_LANES), 0, gpu_state_of(backend)->stream>>>(
        peer_sums_of(backend), p);
    NAIK_TRY(GPU_LAUNCHED(backend, "computing the scalars of BiCGStab"));
done:
    return status;
}
