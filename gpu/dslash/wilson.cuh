/* wilson.cuh - Wilson's hopping term: a thread a site and N rhs, all four spins in its registers
 *
 *   (D psi)(x) = sum_mu (1 - g_mu) U_mu(x) psi(x+mu) + (1 + g_mu) U_mu(x-mu)^+ psi(x-mu)
 *
 * (1 -+ g_mu) psi is known from its first two rows, so a hop is two colour vectors times a link:
 *
 *   h0 = p0 + f0 p_a,  h1 = p1 + f1 p_b      then  r_a = f0* h0,  r_b = f1* h1
 *
 *   mu   a b   f0, f1 of 1 + g_mu (of 1 - g_mu the negatives)
 *   x    3 2    i    i
 *   y    3 2   -1    1
 *   z    2 3    i   -i
 *   t    2 3    1    1
 *
 * A spinor is four colour vectors of a field that lie behind each other (field.h). Links are those of
 * the naive staggered operator without phases. The order of additions, for every variant: forward
 * points, then backward ones, each in the order x, y, z, t.
 *
 * Locality: a block may be a tile of 4 dimensions, whose sites have each other's neighbours in the
 * first-level cache (B. Joo et al., P3HPC 2019: the gap between plain order and the best).
 */
#ifndef NAIK_GPU_WILSON_CUH
#define NAIK_GPU_WILSON_CUH

#include "gpu/dslash/dslash.cuh"

enum { WILSON_THREADS = 128 }; /* of a block at most */

/* Which sites a block has: rows of PREC_BLOCK sites beside each other in y, z and t. The box is walked
 * slab by slab, of a slab one time slice after the other, and all rhs of a tile follow each other: what
 * is read again, neighbours in time and links, is then still in the second-level cache. */
typedef struct wilson_tiles {
    gpu_divider groups;   /* of rhs that follow each other; those of the grid's y lie far apart */
    bool used;            /* else sites in their order */
    int shift[3];         /* extents are powers of two */
    gpu_divider tiles[2]; /* in y, and in z of a slab */
    gpu_divider slab;     /* tiles of a slab in z and t */
    int rows, slices;     /* of the rank's box: rows of PREC_BLOCK sites in a plane; extent in z */
    int first;            /* the first site to be written */
} wilson_tiles;

/* B of site_blocks.h on one parity: X a number, or blocks; then F, and i chiral g5 beside the last. */
typedef struct wilson_diagonal {
    const char *blocks; /* NULL: number */
    const char *factor; /* NULL: none */
    double number, chiral;
} wilson_diagonal;

wilson_diagonal wilson_diagonal_of(const naik_blocks *blocks, naik_parity parity);

typedef struct wilson_params {
    dslash_params d; /* nrhs counts colour vectors */
    int rhs_count;
    bool dagger;
    int hop;           /* of naik_dslash_args */
    wilson_diagonal b; /* applied to D in; its number has the unit of the links in it */
    const char *with;  /* of naik_products */
    wilson_tiles order;
} wilson_params;

typedef struct wilson_shape {
    int recon, rhs; /* rhs a thread */
    dim3 grid, block;
    gpu_stream stream;
    bool latency_bound;
} wilson_shape;

/* Of vectors V and links of numbers S, in wilson_kernels.cu; false where there is no kernel. */
template <class V, class S>
bool wilson_launch(const wilson_params &params, const wilson_shape &shape);

/* rhs a thread at most: two where their spinors fit into its registers. */
constexpr int wilson_rhs(naik_precision vectors, naik_precision links)
{
    return vectors == NAIK_DOUBLE || vectors != links ? 1 : 2;
}

template <class T> struct spinor {
    colour_vector<T> row[NAIK_SPIN];
};

template <class V>
__device__ static inline void load_spinor(const char *p, spinor<typename V::real> &v)
{
#pragma unroll
    for (int s = 0; s < NAIK_SPIN; s++) {
        v.row[s] = V::load(p + s * V::RHS_BYTES);
    }
}

/* sum += f* g */
template <bool IMAGINARY, class T>
__device__ static inline void add_conjugate(T f, const colour_vector<T> &g, colour_vector<T> &sum)
{
#pragma unroll
    for (int i = 0; i < 3; i++) {
        sum.e[i] = {fma(f, IMAGINARY ? g.e[i].im : g.e[i].re, sum.e[i].re),
                    fma(IMAGINARY ? -f : f, IMAGINARY ? g.e[i].re : g.e[i].im, sum.e[i].im)};
    }
}

/* One hop in direction MU; `sign` of g_mu, `one` of the link. */
template <int MU, class T>
__device__ static inline void add_spin_hop(const colour_matrix<T> &u, T sign, T one,
                                           const spinor<T> &v, spinor<T> &sum)
{
    constexpr int A = MU < 2 ? 3 : 2, B = MU < 2 ? 2 : 3;
    constexpr bool IMAGINARY = MU % 2 == 0;
    const T f0 = MU == 1 ? -sign : sign, f1 = MU == 2 ? -sign : sign;
    const colour_vector<T> h0 = projected<IMAGINARY>(f0, v.row[0], v.row[A]);
    const colour_vector<T> h1 = projected<IMAGINARY>(f1, v.row[1], v.row[B]);
    colour_vector<T> g0 = {}, g1 = {};
    add_product(u, h0, g0);
    add_product(u, h1, g1);
    axpy(one, g0, sum.row[0]);
    axpy(one, g1, sum.row[1]);
    add_conjugate<IMAGINARY>(one * f0, g0, sum.row[A]);
    add_conjugate<IMAGINARY>(one * f1, g1, sum.row[B]);
}

/* Of a site in a periodic box: bit 4 backward + mu, whether that neighbour lies round the edge; bit 8,
 * whether x is odd. Takes fewer registers than coordinates. */
enum { WILSON_ODD = 8 };
__device__ static inline unsigned edges_of(const gpu_stencil &st, const int (&x)[4])
{
    unsigned edges = (unsigned)(x[0] & 1) << WILSON_ODD;
#pragma unroll
    for (int mu = 0; mu < 4; mu++) {
        edges |= (x[mu] + 1 == st.local[mu] ? 1u : 0u) << mu | (x[mu] == 0 ? 16u : 0u) << mu;
    }
    return edges;
}

/* Where the spinor lies that a point takes. */
template <class V, bool HALO>
__device__ static inline const char *spinor_from(const wilson_params &p, const dslash_site &site,
                                                 unsigned edges, bool backward, int mu)
{
    const gpu_hop point = p.d.stencil.point[backward][mu];
    const bool leaves = (edges >> (4 * backward + mu) & 1) != 0;
    if (HALO && leaves && point.outside != 0) {
        const int x = backward ? 0 : p.d.stencil.local[mu] - 1;
        const int there = gpu_halo_site(p.d.stencil, site.cb, x, (int)backward, mu);
        return gpu_at(p.d.in, site.halo, vec_offset<V>(there, site.irhs, p.d.nrhs));
    }
    const int change = leaves ? point.beyond : point.inside;
    const int odd = (int)(edges >> WILSON_ODD & 1);
    const int there = site.cb + (mu == 0 ? (change + odd) >> 1 : change);
    return p.d.in + vec_offset<V>(there, site.irhs, p.d.nrhs);
}

template <class V, class S, int R, int N, bool HALO, int MU>
__device__ static inline void
add_point(const wilson_params &p, const dslash_site &site, unsigned edges, bool backward,
          link_group<S, R, (N > 1)> &links, spinor<typename V::real> (&total)[N])
{
    typedef typename V::real real;
    const char *from = spinor_from<V, HALO>(p, site, edges, backward, MU);
    const real sign = backward != p.dagger ? (real)1 : (real)-1;
    const real one = backward ? (real)-1 : (real)1; /* the link there is -U^+ */
    colour_matrix<real> u;
    links.get(MU / 2, MU % 2, u);
    if (!recon_is_uncompressed(R) && backward) {
        u = minus_adjoint(u);
    }
#pragma unroll
    for (int c = 0; c < N; c++) {
        spinor<real> v;
        load_spinor<V>(from + c * (NAIK_SPIN * V::RHS_BYTES), v);
        add_spin_hop<MU>(u, sign, one, v, total[c]);
    }
}

/* total = D in, in units of the links. HALO: of a block some of whose neighbours lie beyond the box.
 * Forward and backward points have code of their own where there are registers for it: no kernel then
 * chooses between a link and its adjoint. ONE: of the point p.hop alone. */
template <class V, class S, int R, int N, bool HALO, bool ONE>
__device__ static inline void apply_spin_hops(const wilson_params &p, const dslash_site &site,
                                              spinor<typename V::real> (&total)[N])
{
    typedef link_group<S, R, (N > 1)> group;
    constexpr int UNROLLED =
        GPU_LANES == 64 || (!HALO && N == 1 && recon_is_uncompressed(R)) ? 1 : 2;
    const char *begin = p.d.links + (size_t)(site.cb / PREC_BLOCK) * (2 * group::BYTES);
    const unsigned edges = edges_of(p.d.stencil, site.x);
#pragma unroll
    for (int c = 0; c < N; c++) {
        clear(total[c].row);
    }
#pragma unroll UNROLLED
    for (int kind = 0; kind < 2; kind++) {
        group links;
        links.open(begin + kind * group::BYTES, site.cb % PREC_BLOCK);
        if (!ONE || p.hop == 1 + 4 * kind) {
            add_point<V, S, R, N, HALO, 0>(p, site, edges, kind == 1, links, total);
        }
        if (!ONE || p.hop == 1 + 4 * kind + 1) {
            add_point<V, S, R, N, HALO, 1>(p, site, edges, kind == 1, links, total);
        }
        if (!ONE || p.hop == 1 + 4 * kind + 2) {
            add_point<V, S, R, N, HALO, 2>(p, site, edges, kind == 1, links, total);
        }
        if (!ONE || p.hop == 1 + 4 * kind + 3) {
            add_point<V, S, R, N, HALO, 3>(p, site, edges, kind == 1, links, total);
        }
    }
}

/* ---- blocks of a site (site_blocks.h): [block of 32 sites][2][4 (2 in double) numbers of 36][32] */

template <class T> struct site_block {
    enum { UNIT = 16 / (int)sizeof(T), UNITS = NAIK_BLOCK_REALS / UNIT };
    enum { BYTES = NAIK_BLOCK_REALS * PREC_BLOCK * (int)sizeof(T) };
    T number[NAIK_BLOCK_REALS];
    /* Where number n of a lane lies. */
    __host__ __device__ static inline size_t place(int lane, int n)
    {
        return (size_t)(n / UNIT * PREC_BLOCK + lane) * 16 + (size_t)(n % UNIT) * sizeof(T);
    }
};

__device__ static inline void load_block(const char *p, site_block<float> &b)
{
#pragma unroll
    for (int i = 0; i < site_block<float>::UNITS; i++) {
        const uint4 w = gpu_link_load16<true>(p + i * PREC_BLOCK * 16);
        b.number[4 * i] = __uint_as_float(w.x);
        b.number[4 * i + 1] = __uint_as_float(w.y);
        b.number[4 * i + 2] = __uint_as_float(w.z);
        b.number[4 * i + 3] = __uint_as_float(w.w);
    }
}
__device__ static inline void load_block(const char *p, site_block<double> &b)
{
#pragma unroll
    for (int i = 0; i < site_block<double>::UNITS; i++) {
        const cplx<double> w = load_pair<true>(p + i * PREC_BLOCK * 16, 0.0);
        b.number[2 * i] = w.re;
        b.number[2 * i + 1] = w.im;
    }
}

/* sum + i c v */
template <class T> __device__ static inline cplx<T> add_turned(T c, cplx<T> v, cplx<T> sum)
{
    return {fma(-c, v.im, sum.re), fma(c, v.re, sum.im)};
}

/* v = (b + i chiral) v of two rows: the diagonal, then what is below it and its conjugate above, row
 * after row. */
template <class T>
__device__ static inline void multiply_rows(const site_block<T> &b, T chiral,
                                            colour_vector<T> &upper, colour_vector<T> &lower)
{
    cplx<T> in[NAIK_BLOCK_SIZE], out[NAIK_BLOCK_SIZE];
#pragma unroll
    for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
        in[i] = i < 3 ? upper.e[i % 3] : lower.e[i % 3];
        out[i] = scale(b.number[i], in[i]);
    }
#pragma unroll
    for (int i = 1; i < NAIK_BLOCK_SIZE; i++) {
#pragma unroll
        for (int j = 0; j < i; j++) {
            const int at = NAIK_BLOCK_SIZE + 2 * (i * (i - 1) / 2 + j);
            const cplx<T> a = {b.number[at], b.number[at + 1]};
            out[i] = mul_add(a, in[j], out[i]);
            out[j] = mul_add(conj(a), in[i], out[j]);
        }
    }
    if (chiral != 0) {
#pragma unroll
        for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
            out[i] = add_turned(chiral, in[i], out[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < 3; i++) {
        upper.e[i] = out[i];
        lower.e[i] = out[3 + i];
    }
}

/* v = (X + i chiral g5) v of N rhs at a site of the parity whose blocks X begin at `blocks`. */
template <class T, int N>
__device__ static inline void multiply_blocks(const char *blocks, T chiral, int cb,
                                              spinor<T> (&v)[N])
{
    const char *here = blocks +
                       (size_t)(cb / PREC_BLOCK) * (NAIK_SITE_BLOCKS * site_block<T>::BYTES) +
                       cb % PREC_BLOCK * 16;
#pragma unroll
    for (int half = 0; half < NAIK_SITE_BLOCKS; half++) {
        site_block<T> b;
        load_block(here + half * site_block<T>::BYTES, b);
#pragma unroll
        for (int c = 0; c < N; c++) {
            multiply_rows(b, half == 0 ? chiral : -chiral, v[c].row[2 * half],
                          v[c].row[2 * half + 1]);
        }
    }
}

/* v = (number + i chiral g5) v */
template <class T, int N>
__device__ static inline void multiply_number(T number, T chiral, spinor<T> (&v)[N])
{
#pragma unroll
    for (int c = 0; c < N; c++) {
#pragma unroll
        for (int i = 0; i < 3 * NAIK_SPIN; i++) {
            cplx<T> &e = v[c].row[i / 3].e[i % 3];
            const cplx<T> in = e;
            e = scale(number, in);
            if (chiral != 0) {
                e = add_turned(i < 3 * NAIK_SPIN / 2 ? chiral : -chiral, in, e);
            }
        }
    }
}

/* v = B v of N rhs at a site, where B is more than a number. */
template <class T, int N>
__device__ static inline void multiply_site(const wilson_diagonal &b, int cb, spinor<T> (&v)[N])
{
    multiply_blocks<T, N>(b.blocks, b.factor == NULL ? (T)b.chiral : 0, cb, v);
    if (b.factor != NULL) {
        multiply_blocks<T, N>(b.factor, (T)b.chiral, cb, v);
    }
}

#endif
