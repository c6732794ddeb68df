/* wilson_kernels.cu - the kernels of Wilson's Dslash, compiled once a pair of precisions
 *
 * The Makefile says which pair: VECTORS, as prec.cuh stores them, and LINKS, the numbers of a link.
 */
#include "gpu/dslash/wilson.cuh"

/* Number of the site of thread x of a block, among those to be written. */
__device__ static inline int wilson_index(const wilson_params &p, int block, int x)
{
    const wilson_tiles &o = p.order;
    if (!o.used) {
        return block * (int)blockDim.x + x;
    }
    const int row = x / PREC_BLOCK;
    const int plane = gpu_divide(block, o.tiles[0]), slab = gpu_divide(plane, o.slab);
    const int here = plane - slab * (int)o.slab.divisor; /* in the slab */
    const int slice = gpu_divide(here, o.tiles[1]);
    const int y =
        ((block - plane * (int)o.tiles[0].divisor) << o.shift[0]) + (row & ((1 << o.shift[0]) - 1));
    const int z = ((here + (slab - slice) * (int)o.tiles[1].divisor) << o.shift[1]) +
                  (row >> o.shift[0] & ((1 << o.shift[1]) - 1));
    const int t = (slice << o.shift[2]) + (row >> (o.shift[0] + o.shift[1]));
    return o.first + ((t * o.slices + z) * o.rows + y) * PREC_BLOCK + x % PREC_BLOCK;
}

/* What a site adds to the sums of an rhs: |out|^2, re and im of (with, out). */
enum { WILSON_SUMS = 3 };
typedef struct wilson_terms {
    double of[WILSON_SUMS];
} wilson_terms;

/* Writes a site's spinor of one rhs. */
template <class V>
__device__ static inline wilson_terms finish_spinor(const wilson_params &p, size_t offset,
                                                    spinor<typename V::real> &v)
{
    wilson_terms term = {};
#pragma unroll
    for (int s = 0; s < NAIK_SPIN; s++) {
        const size_t at = offset + s * V::RHS_BYTES;
        if (p.d.form == NAIK_FORM_AFFINE) {
            make_affine<V>(p.d, at, V::load(p.d.v + at), v.row[s]);
        }
        V::store(p.d.out + at, v.row[s]);
        term.of[0] += p.d.sums != NULL ? real_product(v.row[s], v.row[s]) : 0;
        if (p.with != NULL) {
            const colour_vector<typename V::real> with = V::load(p.with + at);
            term.of[1] += real_product(with, v.row[s]);
            term.of[2] += imaginary_product(with, v.row[s]);
        }
    }
    return term;
}

/* The sums of a block. Vectors here may differ much from each other in size, so that no grid is known
 * beforehand: terms are laid on a window of their own in every precision (reduce.cuh). */
template <int N> struct wilson_sums {
    exact_block<N * WILSON_SUMS, WILSON_THREADS / GPU_LANES> of;
};

/* Adds them; all threads of the block call. */
template <int N>
__device__ static inline void add_sums(const wilson_params &p, int irhs, unsigned active,
                                       const wilson_terms (&term)[N], wilson_sums<N> &shared)
{
    const int x = (int)threadIdx.x, thread = (int)(threadIdx.y * blockDim.x) + x;
    const int sums = p.with != NULL ? WILSON_SUMS : 1;
#pragma unroll 1
    for (int k = 0; k < sums; k++) {
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (active >> c & 1) {
                const double mine = k == 0 ? term[c].of[0] : k == 1 ? term[c].of[1] : term[c].of[2];
                exact_keep(shared.of, thread / GPU_LANES, k * N + c,
                           exact_lanes(mine, p.d.sums + k * p.rhs_count + irhs + c),
                           thread % GPU_LANES);
            }
        }
    }
    __syncthreads();
    const int warps = (int)blockDim.x / GPU_LANES, first = (int)threadIdx.y * warps;
    const int sum = x / REDUCE_WORDS, k = sum / N, c = sum % N;
    if (k < sums && (active >> c & 1)) {
        exact_flush(shared.of, first, warps, sum, x % REDUCE_WORDS,
                    p.d.sums + k * p.rhs_count + irhs + c);
    }
}

template <class V, class S, int R, int N, int BLOCKS, bool ONE>
__global__ void __launch_bounds__(WILSON_THREADS, BLOCKS) wilson_kernel(const wilson_params p)
{
    typedef typename V::real real;
    __shared__ wilson_sums<N> shared;
    const int x = (int)threadIdx.x, y = (int)threadIdx.y;
    gpu_await_kernel();
    const int launched = dslash_block(p.d);
    const int block = gpu_divide(launched, p.order.groups);
    const int group = (int)blockIdx.y + launched - block * (int)p.order.groups.divisor;
    const int irhs = (group * (int)blockDim.y + y) * N, index = wilson_index(p, block, x);
    const gpu_place halo = dslash_halo(p.d, block, (int)blockDim.x, y * (int)blockDim.x + x);
    const unsigned active = dslash_active<N>(p.d, irhs, p.rhs_count);
    wilson_terms term[N] = {};
    if (index < p.d.count && active != 0) {
        spinor<real> total[N];
        dslash_site site;
        site.irhs = irhs * NAIK_SPIN;
        site.halo = halo;
        open_site(p.d, index, &site);
        if (halo == GPU_NOWHERE) {
            apply_spin_hops<V, S, R, N, false, ONE>(p, site, total);
        } else {
            apply_spin_hops<V, S, R, N, true, ONE>(p, site, total);
        }
        const int cb = gpu_again(site.cb);
        multiply_number<real, N>((real)p.b.number, p.b.blocks == NULL ? (real)p.b.chiral : 0,
                                 total);
        if (p.b.blocks != NULL) {
            multiply_site<real, N>(p.b, cb, total);
        }
        const size_t offset = vec_offset<V>(cb, gpu_again(site.irhs), p.d.nrhs);
#pragma unroll
        for (int c = 0; c < N; c++) {
            if (active >> c & 1) {
                term[c] =
                    finish_spinor<V>(p, offset + (size_t)c * NAIK_SPIN * V::RHS_BYTES, total[c]);
            }
        }
    }
    if (p.d.sums != NULL) {
        add_sums<N>(p, irhs, active, term, shared);
    }
}

/* Blocks of most threads that a multiprocessor shall hold: leaves the registers that were fastest, 128,
 * 168 with two rhs, and all of them in double. */
template <class V, int R, int N> constexpr int wilson_blocks()
{
    constexpr bool large = V::PRECISION == NAIK_DOUBLE;
    if (GPU_LANES == 64) { /* waves of a SIMD there */
        return large || N > 1 || R < 18 ? 1 : 2;
    }
    /* rebuilding 8 numbers of 16 bits takes a few registers more */
    constexpr int pair = V::PRECISION == NAIK_HALF && R == 8 ? 2 : 3 - GPU_MORE_REGISTERS;
    return large ? 2 : N > 1 ? pair : 4 - GPU_MORE_REGISTERS;
}

/* One hop of D, as multigrid's setup takes it: in single precision. */
template <class V, class S, int R>
static bool wilson_start_hop(const wilson_params &params, const wilson_shape &shape)
{
    if constexpr (V::PRECISION == NAIK_SINGLE && precision_of<S>() == NAIK_SINGLE) {
        gpu_launch_behind(wilson_kernel<V, S, R, 1, wilson_blocks<V, R, 1>(), true>, false,
                          shape.grid, shape.block, shape.stream, params);
        return true;
    }
    return false;
}

template <class V, class S, int R>
static bool wilson_start(const wilson_params &params, const wilson_shape &shape)
{
    constexpr int most = wilson_rhs(V::PRECISION, precision_of<S>());
    if (params.hop > 0) {
        return wilson_start_hop<V, S, R>(params, shape);
    }
    if (shape.rhs == 1) {
        gpu_launch_behind(wilson_kernel<V, S, R, 1, wilson_blocks<V, R, 1>(), false>,
                          shape.latency_bound, shape.grid, shape.block, shape.stream, params);
        return true;
    }
    if constexpr (most == 2) {
        if (shape.rhs == 2) {
            gpu_launch_behind(wilson_kernel<V, S, R, 2, wilson_blocks<V, R, 2>(), false>,
                              shape.latency_bound, shape.grid, shape.block, shape.stream, params);
            return true;
        }
    }
    return false;
}

template <class V, class S>
bool wilson_launch(const wilson_params &params, const wilson_shape &shape)
{
    switch (shape.recon) {
    case 18: return wilson_start<V, S, 18>(params, shape);
    case 12: return wilson_start<V, S, 12>(params, shape);
    case 8: return wilson_start<V, S, 8>(params, shape);
    default: return false;
    }
}

template bool wilson_launch<VECTORS, LINKS>(const wilson_params &, const wilson_shape &);
