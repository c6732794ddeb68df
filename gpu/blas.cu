/* blas.cu - vector updates: one thread a site and column, columns in the grid's second direction */
#include "backend_gpu.h"

#include "columns.cuh"
#include "exchange.cuh"
#include "prec.cuh"

enum { BLAS_THREADS = 256 };

static size_t column_bytes(naik_precision precision)
{
    return precision == NAIK_DOUBLE   ? (size_t)vec_double::COLUMN_BYTES
           : precision == NAIK_SINGLE ? (size_t)vec_single::COLUMN_BYTES
                                      : (size_t)vec_half::COLUMN_BYTES;
}

size_t gpu_field_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs)
{
    size_t blocks = ((size_t)lattice->half + (size_t)lattice->halo + PREC_BLOCK - 1) / PREC_BLOCK;
    return (blocks * (size_t)nrhs + PREC_SPARE_COLUMNS) * column_bytes(precision);
}

typedef struct blas_params {
    char *to;
    const char *from;
    int to_column, from_column; /* added to the column of the grid */
    int to_nrhs, from_nrhs, count;
    const naik_column *columns;
    int state;
    int map[NAIK_MAX_RHS];
} blas_params;

static dim3 blas_grid(const naik_field *field, int columns)
{
    int sites = field->geometry->lattice->half;
    return dim3((unsigned)((sites + BLAS_THREADS - 1) / BLAS_THREADS), (unsigned)columns);
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
    if (site >= p.count || (p.columns != NULL && p.columns[c].state != p.state)) {
        return;
    }
    char *to = p.to + vec_offset<To>(site, c + p.to_column, p.to_nrhs);
    const char *from = p.from + vec_offset<From>(site, p.map[c] + p.from_column, p.from_nrhs);
    if constexpr (!ADD && is_same<To, From>::value) {
        To::copy(to, from);
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
static naik_status run_copy(naik_field *to, const naik_field *from, int columns, blas_params *p)
{
    dim3 grid = blas_grid(to, columns);
    p->to = (char *)to->data;
    p->from = (const char *)from->data;
    p->to_nrhs = to->nrhs;
    p->from_nrhs = from->nrhs;
    p->count = to->geometry->lattice->half;
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

naik_status gpu_field_copy(naik_field *to, const naik_field *from, const naik_column *columns,
                           naik_column_state state)
{
    blas_params p = {};
    identity_map(&p);
    p.columns = columns;
    p.state = (int)state;
    return run_copy<false>(to, from, to->nrhs, &p);
}

naik_status gpu_field_add(naik_field *to, const naik_field *from, const naik_column *columns,
                          naik_column_state state)
{
    blas_params p = {};
    identity_map(&p);
    p.columns = columns;
    p.state = (int)state;
    return run_copy<true>(to, from, to->nrhs, &p);
}

naik_status gpu_field_gather(naik_field *to, const naik_field *from, const int *map)
{
    blas_params p = {};
    for (int c = 0; c < to->nrhs; c++) {
        p.map[c] = map[c];
    }
    return run_copy<false>(to, from, to->nrhs, &p);
}

naik_status gpu_field_copy_column(naik_field *to, int column, const naik_field *from,
                                  int from_column)
{
    blas_params p = {};
    p.to_column = column;
    p.from_column = from_column;
    return run_copy<false>(to, from, 1, &p);
}

template <class V>
__global__ void zero_kernel(char *data, int nrhs, int count, const naik_column *columns, int state)
{
    const int site = (int)(blockIdx.x * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    if (site < count && columns[c].state == state) {
        colour_vector<typename V::real> zero = {};
        V::store(data + vec_offset<V>(site, c, nrhs), zero);
    }
}

naik_status gpu_field_zero(naik_field *field, const naik_column *columns, naik_column_state state)
{
    naik_backend *backend = field->geometry->backend;
    if (columns == NULL) {
        return GPU_CHECK(backend, gpu_memset(field->data, 0, field->size_bytes, stream_of(field)),
                         "clearing a field");
    }
    BY_PRECISION(field->precision, zero_kernel, blas_grid(field, field->nrhs), BLAS_THREADS,
                 stream_of(field), (char *)field->data, field->nrhs, field->geometry->lattice->half,
                 columns, (int)state);
    return GPU_LAUNCHED(backend, "clearing a field");
}

template <class T> __device__ static inline double norm2_of(const colour_vector<T> &v)
{
    double sum = 0;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        double re = v.e[i].re, im = v.e[i].im;
        sum = fma(im, im, fma(re, re, sum));
    }
    return sum;
}

template <class V>
__global__ void norm2_kernel(const char *data, int nrhs, int count, naik_exactsum *sums)
{
    __shared__ exact_block<1> shared;
    const int site = (int)(blockIdx.x * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    double term = 0;
    if (site < count) {
        term = norm2_of(V::load(data + vec_offset<V>(site, c, nrhs)));
    }
    exact_block_add<typename V::real>(shared, term, &sums[c]);
}

naik_status gpu_norm2(const naik_field *v, naik_exactsum *sums)
{
    BY_PRECISION(v->precision, norm2_kernel, blas_grid(v, v->nrhs), BLAS_THREADS, stream_of(v),
                 (const char *)v->data, v->nrhs, v->geometry->lattice->half, sums);
    return GPU_LAUNCHED(v->geometry->backend, "summing a norm");
}

template <class V>
__global__ void site_ratio_kernel(const char *r, const char *x, int nrhs, int count,
                                  naik_exactsum *sums)
{
    __shared__ exact_block<1> shared;
    const int site = (int)(blockIdx.x * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    double term = 0;
    if (site < count) {
        size_t offset = vec_offset<V>(site, c, nrhs);
        double xx = norm2_of(V::load(x + offset));
        term = xx == 0 ? 1 : norm2_of(V::load(r + offset)) / xx;
    }
    exact_block_add<double>(shared, term, &sums[c]);
}

naik_status gpu_site_ratio(const naik_field *r, const naik_field *x, naik_exactsum *sums)
{
    BY_PRECISION(r->precision, site_ratio_kernel, blas_grid(r, r->nrhs), BLAS_THREADS, stream_of(r),
                 (const char *)r->data, (const char *)x->data, r->nrhs, r->geometry->lattice->half,
                 sums);
    return GPU_LAUNCHED(r->geometry->backend, "summing site residuals");
}

/* y += a x */
template <class T>
__device__ static inline void axpy(T a, const colour_vector<T> &x, colour_vector<T> &y)
{
#pragma unroll
    for (int i = 0; i < 3; i++) {
        y.e[i] = {fma(a, x.e[i].re, y.e[i].re), fma(a, x.e[i].im, y.e[i].im)};
    }
}

/* A column as this block is to use it: after its step, if one is due. All threads of the block
 * call; true in the thread that is to write the column down. */
__device__ static inline bool take_step(const columns_due &due, const naik_column *columns, int c,
                                        naik_column *shared)
{
    if (threadIdx.x < GPU_LANES) {
        const int lane = (int)threadIdx.x;
        const bool pending = columns[c].pending != 0;
        if (pending && due.peers.count > 1 && blockIdx.x == 0) {
            peer_push(due.peers, due.host.sums + c, c, lane);
        }
        if (pending) {
            const naik_column next =
                column_step(due.peers, &columns[c], due.host.sums + c, c, lane);
            if (lane == 0) {
                *shared = next;
            }
        } else if (lane == 0) {
            *shared = columns[c];
        }
    }
    __syncthreads(); /* all have read the column */
    return threadIdx.x == 0 && column_was_read(due, c);
}

/* The threads that move together call, the first of them with what take_step said. */
__device__ static inline void write_step(const columns_due &due, const naik_column &next,
                                         bool pending, bool last, int c)
{
    const int lane = (int)threadIdx.x;
    if (gpu_lanes_from(last, 0) == 0 || !pending) {
        return;
    }
    column_clear(due.peers, due.host.sums + c, c, lane);
    if (lane == 0) {
        due.host.columns[c] = next;
        if (next.state != NAIK_COLUMN_RUN) {
            due.host.columns[c].alpha = 0; /* x has had it */
        }
        column_note(next, (int)gridDim.y, due.host.history != NULL ? due.host.history + c : NULL,
                    due.host.history_stride);
    }
}

/* Where layers of p go. */
typedef struct update_sender {
    gpu_stencil stencil;
    int parity;
    exchange_send send;
} update_sender;

/* Sends what this block has written of p; how many of its sites belong to the boundary. All threads
 * of the block call. Columns that do not run have nothing to send, but count, so that turns do not
 * depend on them. */
template <class V>
__device__ static inline unsigned update_send(const update_sender &u, const char *p, int site,
                                              bool exists, int c, bool runs, int nrhs)
{
    int x[4];
    bool outer = false;
    gpu_coords(u.stencil, u.parity, site, x);
#pragma unroll
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const bool near = x[mu] < NAIK_HALO_DEPTH || u.stencil.local[mu] - x[mu] <= NAIK_HALO_DEPTH;
        outer = outer || (u.send.to[mu][0] != NULL && near);
    }
    outer = outer && exists;
    if (outer && runs) {
        exchange_send_site<V>(u.send, u.stencil, p, site, x, c, 1, nrhs);
    }
    return (unsigned)__syncthreads_count(outer); /* a barrier, too */
}

/* Blocks go through the sites from the last to the first: r was just written in the other order,
 * and its end is still in the cache. Where layers are sent they begin in the middle, so that in the
 * slowest direction the outer ones, first and last, come in between and have time to go. */
template <class V, bool DUE, bool SEND>
__global__ void __launch_bounds__(BLAS_THREADS)
    update_xp_kernel(const naik_column *columns, const char *r, char *x, char *p, int nrhs,
                     int count, naik_exactsum *sums, const columns_due due,
                     const update_sender sender)
{
    __shared__ exact_block<1> shared;
    __shared__ naik_column stepped;
    typedef typename V::real real;
    constexpr bool late = SEND || sizeof(real) == 8; /* no registers for r meanwhile */
    const unsigned place = blockIdx.x + (SEND ? gridDim.x / 2 : 0);
    const unsigned block = gridDim.x - 1 - (place < gridDim.x ? place : place - gridDim.x);
    const int site = (int)(block * BLAS_THREADS + threadIdx.x);
    const int c = (int)blockIdx.y;
    gpu_await_kernel();
    const naik_column *column = DUE ? &stepped : &columns[c];
    const bool ran = columns[c].state == NAIK_COLUMN_RUN, pending = columns[c].pending != 0;
    const size_t offset = vec_offset<V>(site, c, nrhs);
    colour_vector<real> pv = {}, xv = {}, rv = {};
    if (ran && site < count) { /* on their way while the step is computed */
        pv = V::load(p + offset);
        xv = V::load(x + offset);
        if (!late) {
            rv = V::load(r + offset);
        }
    }
    bool last = false;
    if constexpr (DUE) {
        last = take_step(due, columns, c, &stepped);
    }
    const bool runs = column->state == NAIK_COLUMN_RUN;
    const bool moves = runs || (column->state == NAIK_COLUMN_CHECK && column->alpha != 0);
    double term = 0;
    if (moves && site < count) {
        if (!ran) {
            pv = V::load(p + offset);
            xv = V::load(x + offset);
        }
        axpy((real)column->alpha, pv, xv);
        V::store(x + offset, xv);
        if (runs) {
            if (late) {
                rv = V::load(r + offset);
            }
            axpy((real)column->beta, pv, rv);
            V::store(p + offset, rv);
            V::round(rv);
            term = norm2_of(rv);
        }
    }
    unsigned sent = 0;
    if constexpr (SEND) {
        sent = update_send<V>(sender, p, site, site < count, c, runs, nrhs);
    }
    if (runs) {
        exact_block_add<real>(shared, term, &sums[c]);
    }
    if (DUE && threadIdx.x < GPU_LANES) {
        write_step(due, stepped, pending, last, c);
    }
    if (sent > 0 && threadIdx.x == BLAS_THREADS - 1) {
        exchange_tell(sender.send, sent);
    }
}

template <class V, bool SEND>
static void launch_xp(const naik_column *columns, const naik_field *r, naik_field *x, naik_field *p,
                      naik_exactsum *sums, const naik_columns_due *due, const naik_layers *send)
{
    const dim3 grid = blas_grid(p, p->nrhs);
    update_sender sender = {};
    if (SEND) {
        sender.stencil = gpu_tables_of(p->geometry)->stencil;
        sender.parity = (int)send->parity;
        sender.send = gpu_exchange_sender(p, send->depth);
        sender.send.shares =
            (unsigned)p->geometry->lattice->boundary_count[send->parity] * (unsigned)p->nrhs;
    }
    gpu_launch_behind(
        (due != NULL ? update_xp_kernel<V, true, SEND> : update_xp_kernel<V, false, SEND>),
        gpu_is_brief(p->geometry, p->nrhs), grid, BLAS_THREADS, stream_of(p), columns,
        (const char *)r->data, (char *)x->data, (char *)p->data, p->nrhs,
        p->geometry->lattice->half, sums,
        columns_due_of(p->geometry->backend, due, GPU_TICKET_STEP, grid.x), sender);
}

naik_status gpu_update_xp(const naik_column *columns, const naik_field *r, naik_field *x,
                          naik_field *p, naik_exactsum *sums, const naik_columns_due *due,
                          const naik_layers *send)
{
    const bool sends = send != NULL;
    gpu_sample_moves(p->geometry->backend, p->nrhs, 5.0 * (double)p->size_bytes);
    switch (p->precision) {
    case NAIK_DOUBLE:
        (sends ? launch_xp<vec_double, true> : launch_xp<vec_double, false>)(columns, r, x, p, sums,
                                                                             due, send);
        break;
    case NAIK_SINGLE:
        (sends ? launch_xp<vec_single, true> : launch_xp<vec_single, false>)(columns, r, x, p, sums,
                                                                             due, send);
        break;
    case NAIK_HALF:
        (sends ? launch_xp<vec_half, true> : launch_xp<vec_half, false>)(columns, r, x, p, sums,
                                                                         due, send);
        break;
    }
    return GPU_LAUNCHED(p->geometry->backend, "updating x and the search direction");
}
