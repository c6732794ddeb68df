/* bicgstab.cu - what BiCGStab asks of the GPU: complex products, sums of multiples, its scalars */
#include "gpu/backend_gpu.h"
#include "gpu/fields/prec.cuh"
#include "gpu/vectors/reduce.cuh"
#include "gpu/vectors/rhs.cuh"

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

/* A field that is turned (naik_term); nrhs 0: it is not. */
typedef struct turned {
    const char *data;
    int nrhs, turn;
} turned;

static turned turned_of(const naik_field *v, int turn, int nrhs)
{
    return (turned){(const char *)v->data, turn != 0 || v->nrhs != nrhs ? v->nrhs : 0, turn};
}

/* Where what colour vector s of rhs c takes of it lies: at `offset` where it is not. */
template <class V>
__device__ static inline const char *turned_at(const turned &v, int site, int c, int s, int spin,
                                               size_t offset)
{
    return v.data + (v.nrhs == 0
                         ? offset
                         : vec_offset<V>(site, (c + v.turn) % v.nrhs * spin + s, v.nrhs * spin));
}

/* A site's term is the sum over its spins, as dot_kernel has it (blas.cu). */
template <class V>
__global__ void complex_dot_kernel(const char *v, const turned w, int spin, int count,
                                   const naik_rhs *rhs, int state, naik_exactsum *sums)
{
    __shared__ exact_block<2> shared;
    const int site = (int)(blockIdx.x * BICGSTAB_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y, nrhs = (int)gridDim.y;
    double term[2] = {0, 0};
    if (rhs != NULL && rhs[c].state != state) {
        return; /* the whole block */
    }
    for (int s = 0; site < count && s < spin; s++) {
        const size_t offset = vec_offset<V>(site, c * spin + s, nrhs * spin);
        const colour_vector<typename V::real> a = V::load(v + offset);
        const colour_vector<typename V::real> b =
            V::load(turned_at<V>(w, site, c, s, spin, offset));
        term[0] += real_product(a, b);
        term[1] += imaginary_product(a, b);
    }
    exact_block_add(shared, term, 2, &sums[c], nrhs);
}

naik_status gpu_complex_dot(const naik_field *v, const naik_field *w, int turn, const naik_rhs *rhs,
                            naik_rhs_state state, naik_exactsum *sums)
{
    BY_PRECISION(v->precision, complex_dot_kernel, site_grid(v, v->nrhs), BICGSTAB_THREADS,
                 stream_of(v), (const char *)v->data, turned_of(w, turn, v->nrhs), v->spin,
                 v->geometry->lattice->volume_cb, rhs, (int)state, sums);
    return GPU_LAUNCHED(v->geometry->backend, "summing complex products");
}

typedef struct combined {
    char *out;
    int terms;
    turned v[NAIK_TERMS_MOST];
    const double (*coefficient[NAIK_TERMS_MOST])[2];
} combined;

typedef struct combining {
    combined of[NAIK_COMBINED_MOST];
    int count, vectors, spin, sites;
    const naik_rhs *rhs;
    int state;
    const char *with;
    naik_exactsum *sums; /* NULL: none */
} combining;

template <class T>
__device__ static inline void load_coefficients(const combined &of, int c,
                                                cplx<T> (&a)[NAIK_TERMS_MOST])
{
#pragma unroll
    for (int k = 0; k < NAIK_TERMS_MOST; k++) {
        a[k] = {(T)1, (T)0};
        if (k < of.terms && of.coefficient[k] != NULL) {
            a[k] = {(T)of.coefficient[k][c][0], (T)of.coefficient[k][c][1]};
        }
    }
}

/* The combination at one colour vector, which lies at `offset` where nothing is turned. */
template <class V, bool TURNED>
__device__ static inline colour_vector<typename V::real>
combine_vector(const combined &of, int site, int vector, int spin, size_t offset,
               const cplx<typename V::real> (&a)[NAIK_TERMS_MOST])
{
    colour_vector<typename V::real> sum = {};
#pragma unroll
    for (int k = 0; k < NAIK_TERMS_MOST; k++) {
        if (k >= of.terms) {
            continue;
        }
        const colour_vector<typename V::real> v =
            V::load(TURNED ? turned_at<V>(of.v[k], site, vector / spin, vector % spin, spin, offset)
                           : of.v[k].data + offset);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            sum.e[i] = mul_add(a[k], v.e[i], sum.e[i]);
        }
    }
    return sum;
}

/* A thread has ROWS colour vectors of an rhs at a site: one, or all where there are sums, a site's
 * terms of which are those of all its spins. What two combinations read alike is in the cache. */
template <class V, int ROWS, bool TURNED> __global__ void combine_kernel(const combining p)
{
    typedef typename V::real real;
    __shared__ exact_block<3> shared;
    const int site = (int)(blockIdx.x * BICGSTAB_THREADS + threadIdx.x);
    const int vector = (int)blockIdx.y * ROWS, c = vector / p.spin;
    double term[3] = {0, 0, 0};
    cplx<real> a[NAIK_COMBINED_MOST][NAIK_TERMS_MOST];
    if (p.rhs != NULL && p.rhs[c].state != p.state) {
        return; /* the whole block */
    }
    load_coefficients(p.of[0], c, a[0]);
    load_coefficients(p.of[1], c, a[1]);
#pragma unroll
    for (int s = 0; s < ROWS; s++) {
        if (site >= p.sites) {
            continue;
        }
        const size_t offset = vec_offset<V>(site, vector + s, p.vectors);
        colour_vector<real> sum =
            combine_vector<V, TURNED>(p.of[0], site, vector + s, p.spin, offset, a[0]);
        if (p.count > 1) {
            colour_vector<real> other =
                combine_vector<V, TURNED>(p.of[1], site, vector + s, p.spin, offset, a[1]);
            V::store(p.of[1].out + offset, other);
        }
        V::store(p.of[0].out + offset, sum);
        term[0] += p.sums != NULL ? real_product(sum, sum) : 0;
        if (p.with != NULL) {
            const colour_vector<real> with = V::load(p.with + offset);
            term[1] += real_product(with, sum);
            term[2] += imaginary_product(with, sum);
        }
    }
    if (p.sums != NULL) {
        exact_block_add(shared, term, p.with != NULL ? 3 : 1, &p.sums[c], p.vectors / p.spin);
    }
}

template <int ROWS, bool TURNED>
static void launch_combine(const naik_field *shape, const combining &p)
{
    const dim3 grid = site_grid(shape, p.vectors / ROWS);
    const gpu_stream stream = stream_of(shape);
    switch (shape->precision) {
    case NAIK_DOUBLE:
        combine_kernel<vec_double, ROWS, TURNED><<<grid, BICGSTAB_THREADS, 0, stream>>>(p);
        break;
    case NAIK_SINGLE:
        combine_kernel<vec_single, ROWS, TURNED><<<grid, BICGSTAB_THREADS, 0, stream>>>(p);
        break;
    case NAIK_HALF:
        combine_kernel<vec_half, ROWS, TURNED><<<grid, BICGSTAB_THREADS, 0, stream>>>(p);
        break;
    }
}

/* Fields that pass: each that is read, once, and those written. */
static int combine_passes(const combining &p)
{
    const char *seen[NAIK_COMBINED_MOST * NAIK_TERMS_MOST + 1] = {p.with};
    int count = p.with != NULL;
    for (int i = 0; i < p.count; i++) {
        for (int k = 0; k < p.of[i].terms; k++) {
            bool known = false;
            for (int j = 0; j < count; j++) {
                known = known || seen[j] == p.of[i].v[k].data;
            }
            seen[count] = p.of[i].v[k].data;
            count += !known;
        }
    }
    return count + p.count;
}

naik_status gpu_combine(const naik_combination *of, int count, const naik_products *products,
                        const naik_rhs *rhs, naik_rhs_state state)
{
    const naik_field *shape = of[0].out;
    combining p = {};
    bool turned = false;
    p.count = count;
    p.vectors = naik_field_vectors(shape);
    p.spin = shape->spin;
    p.sites = shape->geometry->lattice->volume_cb;
    p.rhs = rhs;
    p.state = (int)state;
    for (int i = 0; i < count; i++) {
        p.of[i].out = (char *)of[i].out->data;
        p.of[i].terms = of[i].count;
        for (int k = 0; k < of[i].count; k++) {
            p.of[i].v[k] = turned_of(of[i].term[k].v, of[i].term[k].turn, shape->nrhs);
            p.of[i].coefficient[k] = of[i].term[k].coefficient;
            turned = turned || p.of[i].v[k].nrhs > 0;
        }
    }
    if (products != NULL) {
        p.with = products->with != NULL ? (const char *)products->with->data : NULL;
        p.sums = products->sums;
    }
    gpu_sample_moves(shape->geometry->backend, shape->nrhs,
                     combine_passes(p) * (double)shape->size_bytes);
    const bool whole = p.sums != NULL && p.spin == NAIK_SPIN;
    if (turned) {
        (whole ? launch_combine<NAIK_SPIN, true> : launch_combine<1, true>)(shape, p);
    } else {
        (whole ? launch_combine<NAIK_SPIN, false> : launch_combine<1, false>)(shape, p);
    }
    return GPU_LAUNCHED(shape->geometry->backend, "adding multiples of fields");
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
    const int each = naik_stage_sums(stage);
    const step_params p = {stage, rhs, record, coefficients, sums, history, history_stride};
    if (!backend->route.single_node) { /* kernels do not reach the other ranks */
        NAIK_PASS(gpu_sums_reduce(backend, sums, each * count));
    }
    bicgstab_step_kernel<<<count, (unsigned)(each * GPU_LANES), 0, gpu_state_of(backend)->stream>>>(
        peer_sums_of(backend), p);
    return GPU_LAUNCHED(backend, "computing the scalars of BiCGStab");
}
