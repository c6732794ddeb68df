/* dslash.cuh - the Dslash kernel, one thread a site and tile of columns
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

#include "exchange.cuh"
#include "recon.cuh"
#include "reduce.cuh"
#include "stencil.cuh"

enum { DSLASH_THREADS = 128 }; /* a block: sites times tiles */

typedef struct dslash_params {
    const char *links; /* of this parity */
    const char *in, *v, *b;
    char *out;
    const naik_column *columns;
    naik_exactsum *sums;
    const int32_t *list;  /* sites to write; NULL: 0 .. count - 1 */
    const int32_t *table; /* [16][half] hops, for sites whose neighbours are not all in the box */
    int boundary_from;    /* number in the list from which there are such sites */
    exchange_view view;   /* where the others are */
    int count, parity, nrhs, state;
    naik_form form;
    double scale[2], a, s;
    gpu_stencil stencil;
} dslash_params;

typedef struct dslash_shape {
    int recon, hops, columns; /* columns a thread */
    dim3 grid, block;
    gpu_stream stream;
} dslash_shape;

/* One a pair of precisions (vectors, links); false where the shape has no kernel. */
bool dslash_launch_double(const dslash_params &params, const dslash_shape &shape);
bool dslash_launch_single(const dslash_params &params, const dslash_shape &shape);
bool dslash_launch_single_half(const dslash_params &params, const dslash_shape &shape);
bool dslash_launch_half(const dslash_params &params, const dslash_shape &shape);
bool dslash_launch_half_single(const dslash_params &params, const dslash_shape &shape);

template <class T, int N> struct dslash_accumulator {
    colour_vector<T> total[N];
};

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
} dslash_site;

/* The four hops of a kind, into part. */
template <class V, class S, int R, int N, bool BEHIND>
__device__ static inline void add_kind(const dslash_params &p, const dslash_site &site,
                                       const char *group, int far,
                                       colour_vector<typename V::real> (&part)[N])
{
    link_group<S, R> links;
    links.open(group, site.cb % PREC_BLOCK);
#pragma unroll
    for (int mu = 0; mu < 4; mu++) {
        int there;
        const char *from = p.in;
        if (site.halo != NULL) {
            int hop = 8 * far + 4 * BEHIND + mu;
            there = p.table[(size_t)hop * p.stencil.half + site.cb];
            from = there < p.stencil.half ? p.in : site.halo;
        } else {
            there = gpu_neighbour(p.stencil, site.cb, site.x, mu, BEHIND, p.stencil.step[far][mu]);
        }
        from += vec_offset<V>(there, site.column, p.nrhs);
        colour_matrix<typename V::real> u;
        links.get(mu, u);
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

/* Both kinds of a distance, folded into total. */
template <class V, class S, int R, int N>
__device__ static inline void add_distance(const dslash_params &p, const dslash_site &site,
                                           const char *groups, int far,
                                           colour_vector<typename V::real> (&total)[N])
{
    typedef typename V::real real;
    colour_vector<real> part[N];
    real s = (real)p.scale[far];
    clear(part);
    add_kind<V, S, R, N, false>(p, site, groups, far, part);
    fold(s, part, total);
    clear(part);
    add_kind<V, S, R, N, true>(p, site, groups + link_group<S, R>::BYTES, far, part);
    fold(s, part, total);
}

/* total = D in */
template <class V, class S, int R, bool LONG, int N>
__device__ static inline void apply_hops(const dslash_params &p, const dslash_site &site,
                                         colour_vector<typename V::real> (&total)[N])
{
    enum { FAT = LONG ? 18 : R };
    const size_t near_bytes = 2 * link_group<S, FAT>::BYTES;
    const size_t far_bytes = LONG ? 2 * link_group<S, R>::BYTES : 0;
    const char *groups = p.links + (size_t)(site.cb / PREC_BLOCK) * (near_bytes + far_bytes);
    clear(total);
    add_distance<V, S, FAT, N>(p, site, groups, 0, total);
    if (LONG) {
        add_distance<V, S, R, N>(p, site, groups + near_bytes, 1, total);
    }
}

/* out from D in as the form says; the site's term of the sum. */
template <class V>
__device__ static inline double finish_site(const dslash_params &p, size_t offset, double shift,
                                            colour_vector<typename V::real> &out)
{
    typedef typename V::real real;
    colour_vector<real> v = {};
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
        const real s = (real)shift;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            out.e[i] = {fma(s, v.e[i].re, -out.e[i].re), fma(s, v.e[i].im, -out.e[i].im)};
        }
    }
    if (p.form == NAIK_FORM_RESIDUAL) {
        colour_vector<real> b = V::load(p.b + offset);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            out.e[i] = {b.e[i].re - out.e[i].re, b.e[i].im - out.e[i].im};
        }
    }
    V::store(p.out + offset, out);
    double term = 0;
    if (p.sums != NULL) {
        V::round(out);
#pragma unroll
        for (int i = 0; i < 3; i++) {
            double re = out.e[i].re, im = out.e[i].im;
            term = fma(p.form == NAIK_FORM_SCHUR ? (double)v.e[i].re : re, re, term);
            term = fma(p.form == NAIK_FORM_SCHUR ? (double)v.e[i].im : im, im, term);
        }
    }
    return term;
}

template <class V, class S, int R, bool LONG, int N, int BLOCKS>
__global__ void __launch_bounds__(DSLASH_THREADS, BLOCKS) dslash_kernel(const dslash_params p)
{
    __shared__ exact_block<N> shared;
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    const int column = ((int)(blockIdx.y * blockDim.y) + y) * N;
    unsigned active = 0; /* columns of the tile to be written */
#pragma unroll
    for (int c = 0; c < N; c++) {
        if (column + c < p.nrhs && (p.columns == NULL || p.columns[column + c].state == p.state)) {
            active |= 1u << c;
        }
    }
    double term[N];
#pragma unroll
    for (int c = 0; c < N; c++) {
        term[c] = 0;
    }
    const int index = (int)(blockIdx.x * blockDim.x) + x;
    const char *halo = NULL;
    if (p.table != NULL && (int)((blockIdx.x + 1) * blockDim.x) > p.boundary_from) {
        halo = p.view.turn != NULL ? exchange_await(p.view, y * (int)blockDim.x + x) : p.in;
    }
    if (index < p.count && active != 0) {
        dslash_site site;
        site.column = column;
        site.halo = halo;
        site.cb = p.list != NULL ? p.list[index] : index;
        gpu_coords(p.stencil, p.parity, site.cb, site.x);
        colour_vector<typename V::real> total[N];
        apply_hops<V, S, R, LONG, N>(p, site, total);
        size_t offset = vec_offset<V>(site.cb, column, p.nrhs);
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (active >> c & 1) {
                double shift = p.columns != NULL ? p.columns[column + c].shift : 0;
                term[c] = finish_site<V>(p, offset + (size_t)c * V::COLUMN_BYTES, shift, total[c]);
            }
        }
    }
    if (p.sums == NULL) {
        return;
    }
    const int thread = y * (int)blockDim.x + x;
#pragma unroll
    for (int c = 0; c < N; c++) {
        exact_partial partial;
        partial.base = -1;
        if (active >> c & 1) {
            partial = exact_lanes(term[c], p.sums + column + c);
        }
        exact_keep(shared, thread / GPU_LANES, c, partial, thread % GPU_LANES);
    }
    __syncthreads();
    const int warps = (int)blockDim.x / GPU_LANES;
    const int c = x / REDUCE_WORDS;
    if (c < N && (active >> c & 1)) {
        exact_flush(shared, y * warps, warps, c, x % REDUCE_WORDS, p.sums + column + c);
    }
}

/* Blocks that a multiprocessor shall hold: leaves the registers that were fastest. */
template <class V, class S, int R, int N> constexpr int dslash_blocks()
{
    if (sizeof(typename V::real) == 8) {
        return N == 1 ? 4 : 2;
    }
    if (N == 1) {
        return sizeof(S) == 4 || R == 18 ? 4 : R == 9 ? 6 : 7;
    }
    return 4;
}

template <class V, class S, int R, bool LONG, int N>
static void dslash_launch(const dslash_params &params, const dslash_shape &shape)
{
    constexpr int BLOCKS = dslash_blocks<V, S, R, N>();
    dslash_kernel<V, S, R, LONG, N, BLOCKS><<<shape.grid, shape.block, 0, shape.stream>>>(params);
}

/* The kernels of a pair of precisions for one number of columns a thread. */
template <class V, class S, int N>
static bool dslash_choose(const dslash_params &params, const dslash_shape &shape)
{
    void (*launch)(const dslash_params &, const dslash_shape &) = NULL;
    if (shape.hops == NAIK_HOPS) {
        launch = shape.recon == 18   ? dslash_launch<V, S, 18, true, N>
                 : shape.recon == 13 ? dslash_launch<V, S, 13, true, N>
                 : shape.recon == 9  ? dslash_launch<V, S, 9, true, N>
                                     : NULL;
    } else {
        launch = shape.recon == 18   ? dslash_launch<V, S, 18, false, N>
                 : shape.recon == 12 ? dslash_launch<V, S, 12, false, N>
                                     : NULL;
    }
    if (launch != NULL) {
        launch(params, shape);
    }
    return launch != NULL;
}

#endif
