/* dslash.cuh - the Dslash kernel of one thread a site and tile of columns, and what it shares with
 * those of several threads a site (dslash_divided.cuh)
 *
 * The order of additions, for every variant: one partial sum for each kind of hop (+1, -1, +3, -3),
 * its four directions in the order x, y, z, t; the partial sums, each times the scale of its links,
 * added in the order of the kinds.
 *
 * Template parameters: V storage of vectors (prec.cuh), S and R storage of links (recon.cuh; R of
 * the long links, or of the naive ones), LONG whether there are long links, N columns a thread.
 */
#ifndef NAIK_GPU_DSLASH_CUH
#define NAIK_GPU_DSLASH_CUH

#include "columns.cuh"
#include "exchange.cuh"
#include "recon.cuh"
#include "stencil.cuh"

enum { DSLASH_THREADS = 128 }; /* a block of one column a thread: sites times tiles */

/* Threads of a block at most; the registers they have come out the same. Rebuilding links of 13 and
 * 9 numbers takes more of them. */
constexpr int dslash_threads(naik_precision vectors, int recon, int columns)
{
    const bool most = recon == 13 || recon == 9 || GPU_MORE_REGISTERS;
    return columns == 1             ? (int)DSLASH_THREADS
           : vectors == NAIK_DOUBLE ? 256
           : columns < 3            ? 512
           : vectors == NAIK_HALF
               ? GPU_MORE_REGISTERS || (recon == RECON_WORDS && columns == 4) ? 256 : 384
           : most ? 384
                  : 512;
}

/* Columns a thread at most: what a thread keeps must fit into its registers. */
constexpr int dslash_columns(naik_precision vectors, int recon)
{
    return vectors == NAIK_DOUBLE && recon == 9 ? 3 : 4;
}

typedef struct dslash_params {
    const char *links; /* of this parity */
    const char *in, *v, *b;
    char *out;
    char *x, *direction, *ap; /* of a step */
    const naik_column *columns;
    naik_exactsum *sums;
    const int32_t *list;  /* sites to write; NULL: 0 .. count - 1 */
    const int32_t *table; /* [16][half] hops, for sites whose neighbours are not all in the box */
    int boundary_from;    /* number in the list from which there are such sites */
    exchange_view view;   /* where the others are */
    exchange_send send;   /* outer layers of out, by the blocks of the boundary */
    int count, parity, nrhs, state;
    naik_form form;
    int first;      /* the block to begin with, from the last one goes on to block 0 */
    bool backwards; /* in the opposite order: what was written last is read first */
    double scale[2], a, s;
    bool unit_time;    /* links.h */
    int time_slice[2]; /* where links ahead and behind in direction t are not 1 all the same */
    gpu_stencil stencil;
    columns_due due; /* the scalars of a step of one column; before it, D puts sums aside */
    bool ahead;      /* links are few enough to be fetched while the kernel before ends */
} dslash_params;

typedef struct dslash_shape {
    int recon, hops, columns; /* columns a thread */
    int threads;              /* a site and column: 1, 3, 4, 12; 1 alone with several columns */
    dim3 grid, block;
    gpu_stream stream;
    bool brief; /* gpu_is_brief */
} dslash_shape;

/* One a pair of precisions (vectors, links); false where the shape has no kernel. */
bool dslash_launch_double(const dslash_params &params, const dslash_shape &shape);
bool dslash_launch_single(const dslash_params &params, const dslash_shape &shape);
bool dslash_launch_single_half(const dslash_params &params, const dslash_shape &shape);
bool dslash_launch_half(const dslash_params &params, const dslash_shape &shape);
bool dslash_launch_half_single(const dslash_params &params, const dslash_shape &shape);

template <class T, int N> __device__ static inline void clear(colour_vector<T> (&v)[N])
{
#pragma unroll
    for (int c = 0; c < N; c++) {
#pragma unroll
        for (int i = 0; i < 3; i++) {
            v[c].e[i] = {(T)0, (T)0};
        }
    }
}

/* total += s part */
template <class T, int N>
__device__ static inline void fold(T s, const colour_vector<T> (&part)[N],
                                   colour_vector<T> (&total)[N])
{
#pragma unroll
    for (int c = 0; c < N; c++) {
#pragma unroll
        for (int i = 0; i < 3; i++) {
            total[c].e[i].re = fma(s, part[c].e[i].re, total[c].e[i].re);
            total[c].e[i].im = fma(s, part[c].e[i].im, total[c].e[i].im);
        }
    }
}

typedef struct dslash_site {
    int cb, x[4], column; /* first column of the tile */
    const char *halo;     /* as p.in, for sites beyond the box; NULL: none of the neighbours is */
    /* The coordinate in direction 2 pair + k. */
    __device__ int along(int pair, int k) const
    {
        if (GPU_UNROLLED_PAIRS > 1) {
            return pair == 0 ? x[k] : x[2 + k];
        }
        const int low = x[k], high = x[2 + k]; /* or an address is chosen, and x put into memory */
        return pair == 0 ? low : high;
    }
} dslash_site;

/* Where the hop of this kind and direction leads from a site whose coordinate there is x. */
__device__ static inline int dslash_neighbour(const dslash_params &p, const dslash_site &site,
                                              int x, int mu, int far, bool behind)
{
    if (site.halo != NULL) {
        const int hop = 8 * far + 4 * (int)behind + mu;
        return p.table[(size_t)hop * p.stencil.half + site.cb];
    }
    return gpu_neighbour(p.stencil, site.cb, x, mu, behind, p.stencil.step[far][mu]);
}

/* Where the vector lies that this hop takes. */
template <class V>
__device__ static inline const char *dslash_from(const dslash_params &p, const dslash_site &site,
                                                 int x, int mu, int far, bool behind)
{
    const int there = dslash_neighbour(p, site, x, mu, far, behind);
    const bool inside = site.halo == NULL || there < p.stencil.half;
    return (inside ? p.in : site.halo) + vec_offset<V>(there, site.column, p.nrhs);
}

/* Whether the link of this hop need not be read. */
template <class S, bool NAIVE>
__device__ static inline bool dslash_alone(const dslash_params &p, int x, int mu, bool behind)
{
    return NAIVE && sizeof(S) > 2 && mu == 3 && p.unit_time && x != p.time_slice[behind];
}

/* A hop whose link is 1: the same bits. */
template <class V, int N>
__device__ static inline void add_alone(const char *from, bool behind,
                                        colour_vector<typename V::real> (&part)[N])
{
#pragma unroll
    for (int c = 0; c < N; c++) {
        colour_vector<typename V::real> v = V::load(from + c * V::COLUMN_BYTES);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            part[c].e[i].re += behind ? -v.e[i].re : v.e[i].re;
            part[c].e[i].im += behind ? -v.e[i].im : v.e[i].im;
        }
    }
}

/* The four hops of a kind, into part. */
template <class V, class S, int R, int N, bool BEHIND, bool NAIVE>
__device__ static inline void add_kind(const dslash_params &p, const dslash_site &site,
                                       const char *group, int far,
                                       colour_vector<typename V::real> (&part)[N])
{
    /* four columns in double leave no register free on sm_80 */
    constexpr bool full = GPU_MORE_REGISTERS && N == 4 && sizeof(typename V::real) == 8;
    constexpr int UNROLLED = full ? 1 : (int)GPU_UNROLLED_PAIRS;
    link_group<S, R> links;
    links.open(group, site.cb % PREC_BLOCK);
#pragma unroll UNROLLED
    for (int pair = 0; pair < 2; pair++) {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const int mu = 2 * pair + k, x = site.along(pair, k);
            const char *from = dslash_from<V>(p, site, x, mu, far, BEHIND);
            if (dslash_alone<S, NAIVE>(p, x, mu, BEHIND)) {
                add_alone<V, N>(from, BEHIND, part);
                continue;
            }
            colour_matrix<typename V::real> u;
            links.get(pair, k, u);
#pragma unroll
            for (int c = 0; c < N; c++) {
                colour_vector<typename V::real> v = V::load(from + c * V::COLUMN_BYTES);
                if (BEHIND) {
                    subtract_adjoint(u, v, part[c]);
                } else {
                    add_product(u, v, part[c]);
                }
            }
        }
    }
}

/* Where the groups of a site's block begin, and how far from there the groups of long links. */
template <class S, int R, bool LONG> struct dslash_groups {
    enum { FAT = LONG ? 18 : R };
    enum { NEAR_BYTES = 2 * link_group<S, FAT>::BYTES };
    enum { FAR_BYTES = LONG ? 2 * link_group<S, R>::BYTES : 0 };
    __device__ static inline const char *of(const dslash_params &p, int cb)
    {
        return p.links + (size_t)(cb / PREC_BLOCK) * (NEAR_BYTES + FAR_BYTES);
    }
};

/* Both kinds of a distance, folded into total. */
template <class V, class S, int R, int N, bool NAIVE>
__device__ static inline void add_distance(const dslash_params &p, const dslash_site &site,
                                           const char *groups, int far,
                                           colour_vector<typename V::real> (&total)[N])
{
    typedef typename V::real real;
    colour_vector<real> part[N];
    real s = (real)p.scale[far];
    clear(part);
    add_kind<V, S, R, N, false, NAIVE>(p, site, groups, far, part);
    fold(s, part, total);
    clear(part);
    add_kind<V, S, R, N, true, NAIVE>(p, site, groups + link_group<S, R>::BYTES, far, part);
    fold(s, part, total);
}

/* total = D in */
template <class V, class S, int R, bool LONG, int N>
__device__ static inline void apply_hops(const dslash_params &p, const dslash_site &site,
                                         colour_vector<typename V::real> (&total)[N])
{
    typedef dslash_groups<S, R, LONG> groups;
    const char *begin = groups::of(p, site.cb);
    clear(total);
    add_distance<V, S, groups::FAT, N, !LONG>(p, site, begin, 0, total);
    if (LONG) {
        add_distance<V, S, R, N, false>(p, site, begin + groups::NEAR_BYTES, 1, total);
    }
}

/* A site's terms of the sums. */
typedef struct dslash_terms {
    double norm, product; /* |out|^2; of a step Re (r, A p) */
} dslash_terms;

/* NAIK_FORM_STEP, from D in. */
template <class V>
__device__ static inline dslash_terms finish_step(const dslash_params &p, size_t offset,
                                                  const naik_column &step,
                                                  colour_vector<typename V::real> &out)
{
    typedef typename V::real real;
    const real alpha = (real)step.alpha, beta = (real)step.beta, shift = (real)step.shift;
    colour_vector<real> r = V::load(p.v + offset), ap = V::load(p.ap + offset);
    colour_vector<real> direction = r, last = V::load(p.direction + offset);
#pragma unroll
    for (int i = 0; i < 3; i++) {
        out.e[i] = {fma(shift, r.e[i].re, -out.e[i].re), fma(shift, r.e[i].im, -out.e[i].im)};
    }
    axpy(beta, ap, out);
    V::store(p.ap + offset, out);
    V::round(out);
    axpy(beta, last, direction);
    V::store(p.direction + offset, direction);
    if (step.waiting == 0) {
        colour_vector<real> x = V::load(p.x + offset);
        V::round(direction);
        axpy((real)step.lag, last, x);
        axpy(alpha, direction, x);
        V::store(p.x + offset, x);
    }
    axpy(-alpha, out, r);
    V::store(p.out + offset, r);
    V::round(r);
    return {real_product(r, r), real_product(r, out)};
}

/* out from D in as the form says; `scalars` is the column's record, where there is one. */
template <class V>
__device__ static inline dslash_terms finish_site(const dslash_params &p, size_t offset,
                                                  const naik_column *scalars,
                                                  colour_vector<typename V::real> &out)
{
    typedef typename V::real real;
    colour_vector<real> v = {};
    if (p.form == NAIK_FORM_STEP) {
        return finish_step<V>(p, offset, *scalars, out);
    }
    if (p.form != NAIK_FORM_D) {
        v = V::load(p.v + offset);
    }
    if (p.form == NAIK_FORM_AFFINE) {
        const real a = (real)p.a, s = (real)p.s;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            out.e[i] = {fma(a, v.e[i].re, s * out.e[i].re), fma(a, v.e[i].im, s * out.e[i].im)};
        }
    } else if (p.form != NAIK_FORM_D) {
        const real s = (real)scalars->shift;
        const colour_vector<real> b = V::load(p.b + offset);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            out.e[i] = {fma(s, v.e[i].re, -out.e[i].re), fma(s, v.e[i].im, -out.e[i].im)};
            out.e[i] = {b.e[i].re - out.e[i].re, b.e[i].im - out.e[i].im};
        }
    }
    V::store(p.out + offset, out);
    if (p.sums == NULL) {
        return {0, 0};
    }
    V::round(out);
    return {real_product(out, out), 0};
}

/* The block's number in the order of sites. */
__device__ static inline int dslash_block(const dslash_params &p)
{
    const int n = (int)gridDim.x, b = (int)blockIdx.x;
    const int at = p.backwards ? p.first - 1 - b : p.first + b;
    return at < 0 ? at + n : at < n ? at : at - n;
}

/* Brings links into the second-level cache while the kernel before ends, where they stay there. */
template <class S, int R, bool LONG>
__device__ static inline void fetch_links(const dslash_params &p, int index, int thread,
                                          int threads)
{
    typedef dslash_groups<S, R, LONG> groups;
    enum { LINES = (groups::NEAR_BYTES + groups::FAR_BYTES) / 128 };
    if (!p.ahead || index >= p.count) {
        return;
    }
    const char *begin = groups::of(p, p.list != NULL ? p.list[index] : index);
    for (int i = thread; i < LINES; i += threads) {
        gpu_prefetch(begin + (size_t)i * 128);
    }
}

/* The site number `index`. */
__device__ static inline void open_site(const dslash_params &p, int index, dslash_site *site)
{
    site->cb = p.list != NULL ? p.list[index] : index;
    gpu_coords(p.stencil, p.parity, site->cb, site->x);
}

/* Whether this block of `sites` sites has some of the boundary. */
__device__ static inline bool dslash_on_boundary(const dslash_params &p, int sites)
{
    return p.table != NULL && (dslash_block(p) + 1) * sites > p.boundary_from;
}

/* What such a block reads sites beyond the box from, once they have come; NULL in others. All
 * threads of the block call. */
__device__ static inline const char *dslash_halo(const dslash_params &p, int sites, int thread)
{
    if (!dslash_on_boundary(p, sites)) {
        return NULL;
    }
    return p.view.turn != NULL ? exchange_await(p.view, thread) : p.in;
}

/* Whether this block of `sites` sites has something to send. */
__device__ static inline bool dslash_sends(const dslash_params &p, int sites)
{
    return p.send.counters != NULL && dslash_on_boundary(p, sites);
}

/* Sends what this thread has written of the columns from `column` on whose bit is set. Finds the
 * site again, which takes no registers before. */
template <class V>
__device__ static inline void dslash_send(const dslash_params &p, int column, unsigned columns)
{
    const int index = dslash_block(p) * (int)blockDim.x + (int)threadIdx.x;
    if (index < p.count) {
        const int cb = p.list[index]; /* there is one where there is a boundary */
        int x[4];
        gpu_coords(p.stencil, p.parity, cb, x);
        exchange_send_site<V>(p.send, p.stencil, p.out, cb, x, column, columns, p.nrhs);
    }
}

/* The last thread of a block that sends says that it has, after a barrier behind the stores: this
 * one, if it is wanted. So the others need not wait for what has been sent to arrive. */
__device__ static inline void dslash_tell(const dslash_params &p, bool sends, bool barrier)
{
    if (!sends) {
        return;
    }
    if (barrier) {
        __syncthreads();
    }
    if (threadIdx.x == blockDim.x - 1 && threadIdx.y == blockDim.y - 1) {
        exchange_tell(p.send);
    }
}

/* Which of N columns from `column` on are to be written. */
template <int N> __device__ static inline unsigned dslash_active(const dslash_params &p, int column)
{
    unsigned active = 0;
#pragma unroll
    for (int c = 0; c < N; c++) {
        if (column + c < p.nrhs && (p.columns == NULL || p.columns[column + c].state == p.state)) {
            active |= 1u << c;
        }
    }
    return active;
}

/* The bound that a site's share of the column's sums hardly ever reaches; 0: not known. */
__device__ static inline double dslash_grid(const dslash_params &p, int column)
{
    return p.columns != NULL ? p.columns[column].grid : 0;
}

template <class V, class S, int R, bool LONG, int N, int BLOCKS>
__global__ void __launch_bounds__(dslash_threads(V::PRECISION, R, N), BLOCKS)
    dslash_kernel(const dslash_params p)
{
    __shared__ block_sums<typename V::real, N> shared[2];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    if (N == 1) {
        fetch_links<S, R, LONG>(p, dslash_block(p) * (int)blockDim.x + x, x % GPU_LANES, GPU_LANES);
    }
    gpu_await_kernel();
    if (p.form == NAIK_FORM_D && blockIdx.x == 0 && y == 0 && x < GPU_LANES) {
        column_put_aside(p.due, x);
    }
    const int column = ((int)(blockIdx.y * blockDim.y) + y) * N;
    dslash_terms term[N];
#pragma unroll
    for (int c = 0; c < N; c++) {
        term[c] = {0, 0};
    }
    const int block = dslash_block(p), index = block * (int)blockDim.x + x;
    const char *halo = dslash_halo(p, (int)blockDim.x, y * (int)blockDim.x + x);
    colour_vector<typename V::real> total[N];
    dslash_site site;
    const unsigned active = dslash_active<N>(p, column);
    if (index < p.count && active != 0) {
        site.column = column;
        site.halo = halo;
        open_site(p, index, &site);
        apply_hops<V, S, R, LONG, N>(p, site, total);
        const size_t offset = vec_offset<V>(gpu_again(site.cb), column, p.nrhs);
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (active >> c & 1) {
                term[c] = finish_site<V>(p, offset + (size_t)c * V::COLUMN_BYTES,
                                         p.columns + gpu_again(column + c), total[c]);
            }
        }
    }
    const bool sends = dslash_sends(p, (int)blockDim.x);
    if (sends) {
        dslash_send<V>(p, column, active);
    }
    if (p.sums == NULL) {
        dslash_tell(p, sends, true);
        return;
    }
    const int thread = y * (int)blockDim.x + x;
    const int sums = p.form == NAIK_FORM_STEP ? 2 : 1;
    for (int k = 0; k < sums; k++) {
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (active >> c & 1) {
                shared[k].keep(thread / GPU_LANES, c, thread % GPU_LANES,
                               k == 0 ? term[c].norm : term[c].product, dslash_grid(p, column + c),
                               p.sums + k * p.nrhs + column + c);
            }
        }
    }
    __syncthreads();
    enum { WORDS = block_sums<typename V::real, N>::WORDS };
    const int warps = (int)blockDim.x / GPU_LANES;
    const int c = x / WORDS;
    for (int k = 0; k < sums && c < N && (active >> c & 1); k++) {
        shared[k].flush(y * warps, warps, c, x % WORDS, dslash_grid(p, column + c),
                        p.sums + k * p.nrhs + column + c);
    }
    dslash_tell(p, sends, false);
}

#endif
