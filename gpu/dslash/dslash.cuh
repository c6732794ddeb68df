/* dslash.cuh - the Dslash kernel of one thread a site and tile of rhs, and what it shares with
 * those of several threads a site (dslash_divided.cuh)
 *
 * The order of additions, for every variant: one partial sum for each kind of point (+1, -1, +3, -3),
 * its four directions in the order x, y, z, t; the partial sums, each times the scale of its links,
 * added in the order of the kinds.
 *
 * Template parameters: V storage of vectors (prec.cuh), S and R storage of links (recon.cuh; R of
 * the long links, or of the naive ones: links of 18 may be either), N rhs a thread.
 */
#ifndef NAIK_GPU_DSLASH_CUH
#define NAIK_GPU_DSLASH_CUH

#include "gpu/fields/stencil.cuh"
#include "gpu/halo/exchange.cuh"
#include "gpu/links/recon.cuh"
#include "gpu/vectors/rhs.cuh"

enum { DSLASH_THREADS = 128 }; /* a block of one rhs a thread: sites times tiles */

template <class S> constexpr naik_precision precision_of()
{
    return sizeof(S) == 8 ? NAIK_DOUBLE : sizeof(S) == 4 ? NAIK_SINGLE : NAIK_HALF;
}

/* Threads of a block at most; the registers they have come out the same. Rebuilding links of 13 and
 * 9 numbers takes more of them. */
constexpr int dslash_threads(naik_precision vectors, int recon, int rhs)
{
    const bool more = GPU_MORE_REGISTERS, rebuilt = recon == 13 || recon == 9;
    if (rhs == 1) {
        return DSLASH_THREADS;
    }
    if (vectors == NAIK_DOUBLE) {
        return 256;
    }
    if (vectors == NAIK_HALF && (rhs > 2 || recon == 13)) {
        return more || (recon == RECON_WORDS && rhs == 4) ? 256 : 384;
    }
    return rhs > 2 && (rebuilt || more) ? 384 : 512;
}

/* rhs a thread at most: what a thread keeps must fit into its registers. Of vectors of 16 bits
 * with links of 32, whose links take the time, there are kernels of one rhs only. */
constexpr int dslash_rhs(naik_precision vectors, naik_precision links, int recon)
{
    return vectors == NAIK_HALF && links == NAIK_SINGLE ? 1
           : vectors == NAIK_DOUBLE && recon == 9       ? 3
                                                        : 4;
}

/* Whether there are kernels of so many rhs a thread: of 3, a colour each, where they count, and
 * where they are as many as there may be. */
constexpr bool dslash_has_rhs(naik_precision vectors, naik_precision links, int recon, int rhs)
{
    const int most = dslash_rhs(vectors, links, recon);
    return rhs <= most && (rhs != 3 || most == 3 || (recon != 13 && recon != 9));
}

typedef struct dslash_params {
    const char *links; /* of this parity */
    const char *in, *v, *b;
    char *out;
    char *x, *direction, *ap; /* of a step */
    const naik_rhs *rhs;
    naik_exactsum *sums;
    const int32_t *list;  /* sites to write; NULL: 0 .. count - 1 */
    const int32_t *table; /* [16][half] points, for sites whose neighbours are not all in the box */
    int boundary_from;    /* number in the list from which there are such sites */
    exchange_view view;   /* where the others are */
    exchange_send send;   /* outer layers of out, by the blocks of the boundary */
    int count, parity, nrhs, state;
    int kinds; /* of points: 2, or 4 with long links */
    naik_form form;
    int first;      /* the block to begin with, from the last one goes on to block 0 */
    bool backwards; /* in the opposite order: what was written last is read first */
    double scale[2], a, c, s;
    bool unit_time;    /* backend/packed_links.h */
    int time_slice[2]; /* where links forward and backward in direction t are not 1 all the same */
    gpu_stencil stencil;
    deferred_reductions
        deferred; /* the scalars of a step of one rhs; before it, D puts sums aside */
    bool forward; /* links are few enough to be fetched while the kernel before ends */
} dslash_params;

typedef struct dslash_shape {
    int recon, rhs; /* rhs a thread */
    int threads;    /* a site and rhs: 1, 3, 4, 12; 1 alone with several rhs */
    dim3 grid, block;
    gpu_stream stream;
    bool latency_bound; /* gpu_is_latency_bound */
} dslash_shape;

/* dslash.cu, for every kernel that applies D: what it needs beside its shape; whether boundary
 * sites fetch the halo themselves (halo.h, hand_over); whether interior and boundary are one launch,
 * that of the boundary. */
dslash_params dslash_params_of(const naik_dslash_args *args, naik_region region);
bool dslash_fetches_halo(const naik_dslash_args *args);
bool dslash_is_one_launch(const naik_dslash_args *args);
/* The same work without its effects, to be tried: nothing is added, written down, or heard from
 * other ranks. */
naik_status dslash_repeatable(const naik_dslash_args *args, const dslash_params &p,
                              dslash_params *out);

/* Of vectors V and links of numbers S, in dslash_kernels.cu; false where the shape has no kernel. */
template <class V, class S>
bool dslash_launch(const dslash_params &params, const dslash_shape &shape);

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
    int cb, x[4], irhs; /* first rhs of the tile */
    gpu_place halo;     /* where the field would begin that has the sites beyond the box;
                            GPU_NOWHERE: none of the neighbours is one */
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

/* Where the vector lies that a point takes of the site, whose coordinate there is x: by the table where
 * the point leaves the box. */
template <class V>
__device__ static inline const char *dslash_from(const dslash_params &p, const dslash_site &site,
                                                 int x, int kind, int mu)
{
    bool leaves;
    int there = gpu_neighbour(p.stencil, site.cb, x, kind, mu, &leaves);
    const gpu_place inside = gpu_place_of(p.in, p.in);
    gpu_place from = inside;
    if (leaves && site.halo != GPU_NOWHERE) {
        there = p.table[(size_t)(4 * kind + mu) * p.stencil.volume_cb + site.cb];
        from = there < p.stencil.volume_cb ? inside : site.halo;
    }
    return gpu_at(p.in, from, vec_offset<V>(there, site.irhs, p.nrhs));
}

/* Whether the link of this point need not be read: only links of 12 numbers are asked. */
template <class S, int R>
__device__ static inline bool dslash_alone(const dslash_params &p, int x, int mu, bool backward)
{
    return R == 12 && sizeof(S) > 2 && mu == 3 && p.unit_time && x != p.time_slice[backward];
}

/* A point whose link is 1: the same bits. */
template <class V, int N>
__device__ static inline void add_alone(const char *from, bool backward,
                                        colour_vector<typename V::real> (&part)[N])
{
#pragma unroll
    for (int c = 0; c < N; c++) {
        colour_vector<typename V::real> v = V::load(from + c * V::RHS_BYTES);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            part[c].e[i].re += backward ? -v.e[i].re : v.e[i].re;
            part[c].e[i].im += backward ? -v.e[i].im : v.e[i].im;
        }
    }
}

/* The four points of a kind, into part. */
template <class V, class S, int R, int N>
__device__ static inline void add_kind(const dslash_params &p, const dslash_site &site,
                                       const char *group, int kind,
                                       colour_vector<typename V::real> (&part)[N])
{
    /* four rhs in double leave no register free on sm_80 */
    constexpr bool full = GPU_MORE_REGISTERS && N == 4 && sizeof(typename V::real) == 8;
    constexpr int UNROLLED = full ? 1 : (int)GPU_UNROLLED_PAIRS;
    constexpr bool whole = recon_is_uncompressed(R);
    const bool backward = kind % 2 == 1;
    link_group<S, R, (N > 1)> links;
    links.open(group, site.cb % PREC_BLOCK);
#pragma unroll UNROLLED
    for (int pair = 0; pair < 2; pair++) {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const int mu = 2 * pair + k, x = site.along(pair, k);
            const char *from = dslash_from<V>(p, site, x, kind, mu);
            if (dslash_alone<S, R>(p, x, mu, backward)) {
                add_alone<V, N>(from, backward, part);
                continue;
            }
            colour_matrix<typename V::real> u;
            links.get(pair, k, u);
            if (!whole && backward) {
                u = minus_adjoint(u);
            }
#pragma unroll
            for (int c = 0; c < N; c++) {
                const colour_vector<typename V::real> v = V::load(from + c * V::RHS_BYTES);
                add_product(u, v, part[c]);
            }
        }
    }
}

/* Where the groups of a site's block lie: two near ones, then two far ones. */
template <class S, int R> struct dslash_groups {
    enum { FAT = R == 12 ? 12 : 18 };
    enum { NEAR = link_group<S, FAT>::BYTES, FAR = link_group<S, R>::BYTES };
    __device__ static inline unsigned bytes(const dslash_params &p)
    {
        return 2 * NEAR + (unsigned)(p.kinds - 2) * FAR;
    }
    __device__ static inline const char *of(const dslash_params &p, int cb)
    {
        return p.links + (size_t)(cb / PREC_BLOCK) * bytes(p);
    }
};

/* Brings the links of the next kind into the second-level cache meanwhile, where tiles of 4 rhs
 * lie side by side and all kinds are stored alike: few sites are under way then, and what they need
 * fits. On an H200 8 rhs took 4% less in half, 2% in double, 2% more with single links. With
 * one tile or one rhs links drove each other out, which cost up to 16%. */
template <class S, int N>
__device__ static inline void fetch_next(const char *links, unsigned bytes)
{
    if (N == 4 && sizeof(S) != 4 && blockDim.y > 1 && threadIdx.y == 0 &&
        threadIdx.x % GPU_LANES == 0) {
        gpu_prefetch_all(links, bytes);
    }
}

/* Kinds `first` to last - 1, whose links are stored alike, folded into total. The code of a kind is
 * there once, or twice where loads of the next should begin early: kernels stay small for the cache
 * of instructions and for who waits for the compiler. */
template <class V, class S, int R, int N, int TOGETHER>
__device__ static inline void add_kinds(const dslash_params &p, const dslash_site &site,
                                        const char *groups, int first, int last,
                                        colour_vector<typename V::real> (&total)[N])
{
    typedef typename V::real real;
    typedef link_group<S, R> group;
#pragma unroll 1
    for (int pair = first; pair < last; pair += TOGETHER) {
#pragma unroll
        for (int kind = pair; kind < pair + TOGETHER; kind++) {
            if (TOGETHER == 1 && kind + 1 < last) {
                fetch_next<S, N>(groups + group::BYTES, group::BYTES);
            }
            colour_vector<real> part[N];
            clear(part);
            add_kind<V, S, R, N>(p, site, groups, kind, part);
            fold((real)p.scale[kind / 2], part, total);
            groups += group::BYTES;
        }
    }
}

/* total = D in */
template <class V, class S, int R, int N>
__device__ static inline void apply_hops(const dslash_params &p, const dslash_site &site,
                                         colour_vector<typename V::real> (&total)[N])
{
    typedef dslash_groups<S, R> groups;
    const char *begin = groups::of(p, site.cb);
    clear(total);
    if (R == 18) {
        add_kinds<V, S, R, N, (N > 1 ? 1 : 2)>(p, site, begin, 0, p.kinds, total);
        return;
    }
    add_kinds<V, S, groups::FAT, N, 2>(p, site, begin, 0, 2, total);
    if (R != groups::FAT) {
        add_kinds<V, S, R, N, 2>(p, site, begin + 2 * groups::NEAR, 2, 4, total);
    }
}

/* A site's terms of the sums. */
typedef struct dslash_terms {
    double norm, product; /* |out|^2; of a step Re (r, A p) */
} dslash_terms;

/* NAIK_FORM_STEP, from D in. */
template <class V>
__device__ static inline dslash_terms finish_step(const dslash_params &p, size_t offset,
                                                  const naik_rhs &step,
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
    axpy(beta, last, direction);
    V::store(p.direction + offset, direction);
    if (step.x_deferred == 0) {
        colour_vector<real> x = V::load(p.x + offset);
        axpy((real)step.x_deferred_last, last, x);
        axpy(alpha, direction, x);
        V::store(p.x + offset, x);
    }
    axpy(-alpha, out, r);
    V::store(p.out + offset, r);
    return {real_product(r, r), real_product(r, out)};
}

/* NAIK_FORM_AFFINE of a colour vector, from v and D in. */
template <class V>
__device__ static inline void make_affine(const dslash_params &p, size_t offset,
                                          const colour_vector<typename V::real> &v,
                                          colour_vector<typename V::real> &out)
{
    typedef typename V::real real;
    const real a = (real)p.a, s = (real)p.s;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        out.e[i] = {fma(a, v.e[i].re, s * out.e[i].re), fma(a, v.e[i].im, s * out.e[i].im)};
    }
    if (p.b != NULL) {
        const real c = (real)p.c;
        const colour_vector<real> b = V::load(p.b + offset);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            out.e[i] = {fma(c, b.e[i].re, out.e[i].re), fma(c, b.e[i].im, out.e[i].im)};
        }
    }
}

/* out from D in as the form says; `scalars` is the rhs's record, where there is one. */
template <class V>
__device__ static inline dslash_terms finish_site(const dslash_params &p, size_t offset,
                                                  const naik_rhs *scalars,
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
        make_affine<V>(p, offset, v, out);
    } else if (p.form != NAIK_FORM_D) {
        const real s = (real)scalars->shift;
        const real alpha = p.form == NAIK_FORM_DESCENT ? (real)scalars->alpha : (real)1;
        const colour_vector<real> b = V::load(p.b + offset);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            out.e[i] = {fma(s, v.e[i].re, -out.e[i].re), fma(s, v.e[i].im, -out.e[i].im)};
            out.e[i] = {fma(-alpha, out.e[i].re, b.e[i].re), fma(-alpha, out.e[i].im, b.e[i].im)};
        }
    }
    V::store(p.out + offset, out);
    if (p.sums == NULL) {
        return {0, 0};
    }
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
template <class S, int R>
__device__ static inline void fetch_links(const dslash_params &p, int index, int thread,
                                          int threads)
{
    typedef dslash_groups<S, R> groups;
    if (!p.forward || index >= p.count) {
        return;
    }
    const char *begin = groups::of(p, p.list != NULL ? p.list[index] : index);
    const int lines = (int)groups::bytes(p) / 128;
    for (int i = thread; i < lines; i += threads) {
        gpu_prefetch(begin + (size_t)i * 128);
    }
}

/* The site number `index`. */
__device__ static inline void open_site(const dslash_params &p, int index, dslash_site *site)
{
    site->cb = p.list != NULL ? p.list[index] : index;
    gpu_coords(p.stencil, p.parity, site->cb, site->x);
}

/* Whether block number `block` of `sites` sites has some of the boundary. */
__device__ static inline bool dslash_on_boundary(const dslash_params &p, int block, int sites)
{
    return p.table != NULL && (block + 1) * sites > p.boundary_from;
}

/* Where such a block reads sites beyond the box, once they have come (dslash_site.halo). All
 * threads of the block call. */
__device__ static inline gpu_place dslash_halo(const dslash_params &p, int block, int sites,
                                               int thread)
{
    if (!dslash_on_boundary(p, block, sites)) {
        return GPU_NOWHERE;
    }
    return gpu_place_of(p.in, p.view.epoch != NULL ? exchange_await(p.view, thread) : p.in);
}

/* Whether this block of `sites` sites has something to send. */
__device__ static inline bool dslash_sends(const dslash_params &p, int sites)
{
    return p.send.counters != NULL && dslash_on_boundary(p, dslash_block(p), sites);
}

/* Sends what this thread has written of the rhs from `rhs` on whose bit is set. Finds the
 * site again, which takes no registers before. */
template <class V, int N>
__device__ static inline void dslash_send(const dslash_params &p, int irhs, unsigned rhs)
{
    const int index = dslash_block(p) * (int)blockDim.x + (int)threadIdx.x;
    if (index < p.count) {
        const int cb = p.list[index]; /* there is one where there is a boundary */
        int x[4];
        gpu_coords(p.stencil, p.parity, cb, x);
        exchange_send_site<V, N>(p.send, p.stencil, p.out, cb, x, irhs, rhs, p.nrhs);
    }
}

/* The last thread of a block that sends says that it has, after a barrier behind the stores: this
 * one, if it is wanted. So the others need not wait for what has been sent to arrive. */
__device__ static inline void dslash_signal(const dslash_params &p, bool sends, bool barrier)
{
    if (!sends) {
        return;
    }
    if (barrier) {
        __syncthreads();
    }
    if (threadIdx.x == blockDim.x - 1 && threadIdx.y == blockDim.y - 1) {
        exchange_signal(p.send);
    }
}

/* Which of N rhs from `rhs` on are to be written, of `count`. */
template <int N>
__device__ static inline unsigned dslash_active(const dslash_params &p, int irhs, int count)
{
    unsigned active = 0;
#pragma unroll
    for (int c = 0; c < N; c++) {
        if (irhs + c < count && (p.rhs == NULL || p.rhs[irhs + c].state == p.state)) {
            active |= 1u << c;
        }
    }
    return active;
}

/* The bound that a site's share of the rhs's sums hardly ever reaches; 0: not known. */
__device__ static inline double dslash_grid(const dslash_params &p, int irhs)
{
    return p.rhs != NULL ? p.rhs[irhs].sum_quantum : 0;
}

template <class V, class S, int R, int N, int BLOCKS>
__global__ void __launch_bounds__(dslash_threads(V::PRECISION, R, N), BLOCKS)
    dslash_kernel(const dslash_params p)
{
    __shared__ block_sums<typename V::real, N> shared[2];
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    if (N == 1) {
        fetch_links<S, R>(p, dslash_block(p) * (int)blockDim.x + x, x % GPU_LANES, GPU_LANES);
    }
    gpu_await_kernel();
    if (p.form == NAIK_FORM_D && blockIdx.x == 0 && y == 0 && x < GPU_LANES) {
        rhs_put_aside(p.deferred, x);
    }
    const int irhs = ((int)(blockIdx.y * blockDim.y) + y) * N;
    dslash_terms term[N];
#pragma unroll
    for (int c = 0; c < N; c++) {
        term[c] = {0, 0};
    }
    const int block = dslash_block(p), index = block * (int)blockDim.x + x;
    const gpu_place halo = dslash_halo(p, block, (int)blockDim.x, y * (int)blockDim.x + x);
    colour_vector<typename V::real> total[N];
    dslash_site site;
    const unsigned active = dslash_active<N>(p, irhs, p.nrhs);
    if (index < p.count && active != 0) {
        site.irhs = irhs;
        site.halo = halo;
        open_site(p, index, &site);
        apply_hops<V, S, R, N>(p, site, total);
        const size_t offset = vec_offset<V>(gpu_again(site.cb), irhs, p.nrhs);
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (active >> c & 1) {
                term[c] = finish_site<V>(p, offset + (size_t)c * V::RHS_BYTES,
                                         p.rhs + gpu_again(irhs + c), total[c]);
            }
        }
    }
    const bool sends = dslash_sends(p, (int)blockDim.x);
    if (sends) {
        dslash_send<V, N>(p, irhs, active);
    }
    if (p.sums == NULL) {
        dslash_signal(p, sends, true);
        return;
    }
    const int thread = y * (int)blockDim.x + x;
    const int sums = p.form == NAIK_FORM_STEP ? 2 : 1;
    for (int k = 0; k < sums; k++) {
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (active >> c & 1) {
                shared[k].keep(thread / GPU_LANES, c, thread % GPU_LANES,
                               k == 0 ? term[c].norm : term[c].product, dslash_grid(p, irhs + c),
                               p.sums + k * p.nrhs + irhs + c);
            }
        }
    }
    __syncthreads();
    enum { WORDS = block_sums<typename V::real, N>::WORDS };
    const int warps = (int)blockDim.x / GPU_LANES;
    const int c = x / WORDS;
    for (int k = 0; k < sums && c < N && (active >> c & 1); k++) {
        shared[k].flush(y * warps, warps, c, x % WORDS, dslash_grid(p, irhs + c),
                        p.sums + k * p.nrhs + irhs + c);
    }
    dslash_signal(p, sends, false);
}

#endif
