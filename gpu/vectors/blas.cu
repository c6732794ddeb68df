/* blas.cu - vector updates: one thread a site and rhs, rhs in the grid's second direction */
#include "gpu/backend_gpu.h"
#include "gpu/fields/bricks.cuh"
#include "gpu/halo/exchange.cuh"
#include "gpu/vectors/rhs.cuh"

enum { BLAS_THREADS = 256 };

static size_t rhs_bytes(naik_precision precision)
{
    return precision == NAIK_DOUBLE   ? (size_t)vec_double::RHS_BYTES
           : precision == NAIK_SINGLE ? (size_t)vec_single::RHS_BYTES
                                      : (size_t)vec_half::RHS_BYTES;
}

static size_t bytes_of(size_t sites, naik_precision precision, int nrhs)
{
    const size_t blocks = (sites + PREC_BLOCK - 1) / PREC_BLOCK;
    return (blocks * (size_t)nrhs + PREC_SPARE_RHS) * rhs_bytes(precision);
}

size_t gpu_field_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs)
{
    return bytes_of((size_t)lattice->volume_cb + (size_t)lattice->halo, precision, nrhs);
}

size_t gpu_bare_field_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs)
{
    const size_t sites = (size_t)lattice->volume_cb, rhs = (size_t)nrhs;
    return precision == NAIK_HALF
               ? vec_brick::scales(sites, nrhs) + sites / NAIK_BRICK_SITES * rhs * sizeof(float)
               : bytes_of(sites, precision, nrhs);
}

typedef struct blas_params {
    char *to;
    const char *from;
    int to_irhs, from_irhs;        /* added to the colour vector of the grid */
    int to_nrhs, from_nrhs, count; /* colour vectors; sites */
    const naik_rhs *rhs;
    int state, spin;
    int map[NAIK_MAX_RHS]; /* of colour vectors */
} blas_params;

static dim3 blas_grid(const naik_field *field, int rhs)
{
    int sites = field->geometry->lattice->volume_cb;
    return dim3((unsigned)((sites + BLAS_THREADS - 1) / BLAS_THREADS), (unsigned)rhs);
}

static gpu_stream stream_of(const naik_field *field)
{
    return gpu_state_of(field->geometry->backend)->stream;
}

template <class A, class B>
__device__ static inline colour_vector<A> convert(const colour_vector<B> &b)
{
    colour_vector<A> a;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        a.e[i] = {(A)b.e[i].re, (A)b.e[i].im};
    }
    return a;
}

template <class A, class B> struct is_same {
    enum { value = 0 };
};
template <class A> struct is_same<A, A> {
    enum { value = 1 };
};

template <class To, class From, bool ADD> __global__ void copy_kernel(const blas_params p)
{
    const int site = (int)(blockIdx.x * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    if (site >= p.count || (p.rhs != NULL && p.rhs[c / p.spin].state != p.state)) {
        return;
    }
    char *to = p.to + vec_offset<To>(site, c + p.to_irhs, p.to_nrhs);
    const char *from = p.from + vec_offset<From>(site, p.map[c] + p.from_irhs, p.from_nrhs);
    if constexpr (!ADD && is_same<To, From>::value) {
        To::keep(to, To::fetch(from));
        return;
    }
    colour_vector<typename From::real> v = From::load(from);
    colour_vector<typename To::real> out;
    if (ADD) { /* in the wider of the two arithmetics */
        colour_vector<typename To::real> old = To::load(to);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            out.e[i] = {(typename To::real)(old.e[i].re + v.e[i].re),
                        (typename To::real)(old.e[i].im + v.e[i].im)};
        }
    } else {
        out = convert<typename To::real>(v);
    }
    To::store(to, out);
}

template <class To, bool ADD>
static void launch_copy(naik_precision from, dim3 grid, gpu_stream stream, const blas_params &p)
{
    switch (from) {
    case NAIK_DOUBLE: copy_kernel<To, vec_double, ADD><<<grid, BLAS_THREADS, 0, stream>>>(p); break;
    case NAIK_SINGLE: copy_kernel<To, vec_single, ADD><<<grid, BLAS_THREADS, 0, stream>>>(p); break;
    case NAIK_HALF: copy_kernel<To, vec_half, ADD><<<grid, BLAS_THREADS, 0, stream>>>(p); break;
    }
}

template <bool ADD>
static naik_status run_copy(naik_field *to, const naik_field *from, int rhs, blas_params *p)
{
    dim3 grid = blas_grid(to, rhs * to->spin);
    p->spin = to->spin;
    p->to = (char *)to->data;
    p->from = (const char *)from->data;
    p->to_nrhs = naik_field_vectors(to);
    p->from_nrhs = naik_field_vectors(from);
    p->count = to->geometry->lattice->volume_cb;
    switch (to->precision) {
    case NAIK_DOUBLE: launch_copy<vec_double, ADD>(from->precision, grid, stream_of(to), *p); break;
    case NAIK_SINGLE: launch_copy<vec_single, ADD>(from->precision, grid, stream_of(to), *p); break;
    case NAIK_HALF: launch_copy<vec_half, ADD>(from->precision, grid, stream_of(to), *p); break;
    }
    return GPU_LAUNCHED(to->geometry->backend, "copying a field");
}

static void identity_map(blas_params *p)
{
    for (int c = 0; c < NAIK_MAX_RHS; c++) {
        p->map[c] = c;
    }
}

naik_status gpu_field_copy(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                           naik_rhs_state state)
{
    blas_params p = {};
    identity_map(&p);
    p.rhs = rhs;
    p.state = (int)state;
    return run_copy<false>(to, from, to->nrhs, &p);
}

naik_status gpu_field_add(naik_field *to, const naik_field *from, const naik_rhs *rhs,
                          naik_rhs_state state)
{
    blas_params p = {};
    identity_map(&p);
    p.rhs = rhs;
    p.state = (int)state;
    return run_copy<true>(to, from, to->nrhs, &p);
}

/* x += waiting p at one site and rhs, in the arithmetic of x. */
template <class X, class P>
__device__ static inline void add_deferred(char *x, const colour_vector<typename P::real> &p,
                                           double waiting)
{
    colour_vector<typename X::real> v = X::load(x);
    axpy((typename X::real)waiting, convert<typename X::real>(p), v);
    X::store(x, v);
}

typedef struct deferred_update_params {
    char *x;
    const char *p;
    int nrhs, count;
    const naik_rhs *rhs;
    int state;
} deferred_update_params;

template <class X, class P>
__device__ static inline void deferred_update_site(const deferred_update_params &a)
{
    const int site = (int)(blockIdx.x * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    if (site < a.count && a.rhs[c].state == a.state && a.rhs[c].x_deferred != 0) {
        add_deferred<X, P>(a.x + vec_offset<X>(site, c, a.nrhs),
                           P::load(a.p + vec_offset<P>(site, c, a.nrhs)), a.rhs[c].x_deferred);
    }
}

template <class V> __global__ void deferred_update_kernel(const deferred_update_params a)
{
    deferred_update_site<V, V>(a);
}

template <class V> __global__ void deferred_update_double_kernel(const deferred_update_params a)
{
    deferred_update_site<vec_double, V>(a);
}

template <class V>
__global__ void update_direction_kernel(const naik_rhs *rhs, const char *r, char *x, char *p,
                                        int nrhs, int count)
{
    typedef typename V::real real;
    const int site = (int)(blockIdx.x * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    if (site >= count || rhs[c].state != NAIK_RHS_RUN) {
        return;
    }
    const size_t offset = vec_offset<V>(site, c, nrhs);
    const colour_vector<real> last = V::load(p + offset);
    colour_vector<real> next = V::load(r + offset);
    add_deferred<vec_double, V>(x + vec_offset<vec_double>(site, c, nrhs), last, rhs[c].x_deferred);
    axpy((real)rhs[c].beta, last, next);
    V::store(p + offset, next);
}

naik_status gpu_update_direction(const naik_rhs *rhs, const naik_field *r, naik_field *x,
                                 naik_field *p)
{
    gpu_sample_moves(r->geometry->backend, r->nrhs,
                     3.0 * (double)r->size_bytes + 2.0 * (double)x->size_bytes);
    BY_PRECISION(p->precision, update_direction_kernel, blas_grid(p, p->nrhs), BLAS_THREADS,
                 stream_of(p), rhs, (const char *)r->data, (char *)x->data, (char *)p->data,
                 p->nrhs, p->geometry->lattice->volume_cb);
    return GPU_LAUNCHED(r->geometry->backend, "updating directions");
}

naik_status gpu_apply_deferred_update(naik_field *x, const naik_field *p, const naik_rhs *rhs,
                                      naik_rhs_state state)
{
    const deferred_update_params a = {
        (char *)x->data, (const char *)p->data, x->nrhs, x->geometry->lattice->volume_cb, rhs,
        (int)state};
    const dim3 grid = blas_grid(x, x->nrhs);
    if (x->precision == p->precision) {
        BY_PRECISION(p->precision, deferred_update_kernel, grid, BLAS_THREADS, stream_of(x), a);
    } else {
        BY_PRECISION(p->precision, deferred_update_double_kernel, grid, BLAS_THREADS, stream_of(x),
                     a);
    }
    return GPU_LAUNCHED(x->geometry->backend, "settling a field");
}

naik_status gpu_field_gather(naik_field *to, const naik_field *from, const int *map)
{
    blas_params p = {};
    for (int c = 0; c < naik_field_vectors(to); c++) {
        p.map[c] = map[c / to->spin] * to->spin + c % to->spin;
    }
    return run_copy<false>(to, from, to->nrhs, &p);
}

naik_status gpu_field_copy_rhs(naik_field *to, int irhs, const naik_field *from, int from_irhs)
{
    blas_params p = {};
    identity_map(&p);
    p.to_irhs = irhs * to->spin;
    p.from_irhs = from_irhs * to->spin;
    return run_copy<false>(to, from, 1, &p);
}

template <class V>
__global__ void zero_kernel(char *data, int nrhs, int spin, int count, const naik_rhs *rhs,
                            int state)
{
    const int site = (int)(blockIdx.x * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    if (site < count && rhs[c / spin].state == state) {
        colour_vector<typename V::real> zero = {};
        V::store(data + vec_offset<V>(site, c, nrhs), zero);
    }
}

naik_status gpu_field_zero(naik_field *field, const naik_rhs *rhs, naik_rhs_state state)
{
    naik_backend *backend = field->geometry->backend;
    if (rhs == NULL) {
        return GPU_CHECK(backend, gpu_memset(field->data, 0, field->size_bytes, stream_of(field)),
                         "clearing a field");
    }
    BY_PRECISION(field->precision, zero_kernel, blas_grid(field, naik_field_vectors(field)),
                 BLAS_THREADS, stream_of(field), (char *)field->data, naik_field_vectors(field),
                 field->spin, field->geometry->lattice->volume_cb, rhs, (int)state);
    return GPU_LAUNCHED(backend, "clearing a field");
}

/* A site's term is the sum over its spins: the fewer terms, the fewer of the integer additions that all
 * blocks make to the same words. */
template <class V>
__global__ void dot_kernel(const char *v, const char *w, int nrhs, int spin, int count,
                           const naik_rhs *rhs, int state, naik_exactsum *sums)
{
    __shared__ exact_block<1> shared;
    const int site = (int)(blockIdx.x * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    double term = 0;
    if (rhs != NULL && rhs[c].state != state) {
        return; /* the whole block */
    }
    for (int s = 0; site < count && s < spin; s++) {
        const size_t offset = vec_offset<V>(site, c * spin + s, nrhs * spin);
        term += real_product(V::load(v + offset), V::load(w + offset));
    }
    exact_block_add(shared, term, &sums[c]);
}

naik_status gpu_dot(const naik_field *v, const naik_field *w, const naik_rhs *rhs,
                    naik_rhs_state state, naik_exactsum *sums)
{
    BY_PRECISION(v->precision, dot_kernel, blas_grid(v, v->nrhs), BLAS_THREADS, stream_of(v),
                 (const char *)v->data, (const char *)w->data, v->nrhs, v->spin,
                 v->geometry->lattice->volume_cb, rhs, (int)state, sums);
    return GPU_LAUNCHED(v->geometry->backend, "summing products");
}

template <class V>
__global__ void site_ratio_kernel(const char *r, const char *x, int spin, int nrhs, int count,
                                  naik_exactsum *sums)
{
    __shared__ exact_block<1> shared;
    const int site = (int)(blockIdx.x * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    double term = 0;
    if (site < count) {
        double xx = 0, rr = 0;
        for (int s = 0; s < spin; s++) {
            const size_t offset = vec_offset<V>(site, c * spin + s, nrhs * spin);
            const colour_vector<typename V::real> xv = V::load(x + offset);
            const colour_vector<typename V::real> rv = V::load(r + offset);
            xx += real_product(xv, xv);
            rr += real_product(rv, rv);
        }
        term = xx == 0 ? 1 : rr / xx;
    }
    exact_block_add(shared, term, &sums[c]);
}

naik_status gpu_site_ratio(const naik_field *r, const naik_field *x, naik_exactsum *sums)
{
    BY_PRECISION(r->precision, site_ratio_kernel, blas_grid(r, r->nrhs), BLAS_THREADS, stream_of(r),
                 (const char *)r->data, (const char *)x->data, r->spin, r->nrhs,
                 r->geometry->lattice->volume_cb, sums);
    return GPU_LAUNCHED(r->geometry->backend, "summing site residuals");
}
