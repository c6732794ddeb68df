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

#include "gpu/dslash/boundary.cuh"
#include "gpu/links/recon.cuh"

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

/* NAIK_FORM_STEP, from D in; leaves in `out` what is stored there. */
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
    const dslash_terms terms = {real_product(r, r), real_product(r, out)};
    out = r;
    return terms;
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
    if (N == 1) {
        dslash_await_words<V>(p, (int)blockDim.x, index, 0, 1, y * (int)blockDim.x + x,
                              (int)(blockDim.x * blockDim.y));
    }
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
    const bool sends = dslash_sends(p, (int)blockDim.x); /* once more takes no register */
    if (sends) {
        dslash_send<V, N>(p, irhs, active, false, total);
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
