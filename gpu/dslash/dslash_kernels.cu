/* dslash_kernels.cu - the Dslash kernels, compiled once a pair of precisions
 *
 * The Makefile says which pair: VECTORS, as prec.cuh stores them, and LINKS, the numbers of a link.
 */
#include "gpu/dslash/dslash_divided.cuh"

/* Blocks of most threads that a multiprocessor shall hold: leaves the registers that were fastest.
 */
template <class V, class S, int R, int N> constexpr int dslash_blocks()
{
    constexpr bool half = V::PRECISION == NAIK_HALF;
    if (N > 1 || sizeof(typename V::real) == 8) {
        return N > 1 ? 1 : GPU_LANES == 64 ? 2 : 4 - GPU_MORE_REGISTERS;
    }
    if (GPU_LANES == 64) {
        return 4;
    }
    if (sizeof(S) == 4) {
        return R == 9 && !half ? 8 - GPU_MORE_REGISTERS : 4;
    }
    return R == 18 ? (half ? 8 : 4) : R == RECON_WORDS ? 8 - half : 6;
}

/* Beside numbers of rhs a thread. */
enum { DSLASH_KINDS = 0, DSLASH_ROWS = -1 };

template <class V, class S, int R, int N>
static bool dslash_start(const dslash_params &params, const dslash_shape &shape)
{
    if constexpr (N == DSLASH_ROWS && !recon_is_uncompressed(R)) {
        return false;
    } else if constexpr (N > 0 && !dslash_has_rhs(V::PRECISION, precision_of<S>(), R, N)) {
        return false;
    } else if constexpr (N <= 0) {
        gpu_launch_behind(dslash_divided_kernel < V, S, R, N == DSLASH_ROWS ? 3 : 1 >,
                          shape.latency_bound, shape.grid, shape.block, shape.stream, params);
        return true;
    } else {
        gpu_launch_behind(dslash_kernel<V, S, R, N, dslash_blocks<V, S, R, N>()>,
                          shape.latency_bound, shape.grid, shape.block, shape.stream, params);
        return true;
    }
}

template <class V, class S, int N>
static bool dslash_choose(const dslash_params &params, const dslash_shape &shape)
{
    const bool improved = params.kinds == 4;
    switch (shape.recon) {
    case 18: return dslash_start<V, S, 18, N>(params, shape);
    case 12: return !improved && dslash_start<V, S, 12, N>(params, shape);
    case 13: return improved && dslash_start<V, S, 13, N>(params, shape);
    case 9: return improved && dslash_start<V, S, 9, N>(params, shape);
    case RECON_WORDS:
        if constexpr (sizeof(S) == 2) {
            return improved && dslash_start<V, S, RECON_WORDS, N>(params, shape);
        }
        return false;
    default: return false;
    }
}

template <class V, class S>
bool dslash_launch(const dslash_params &params, const dslash_shape &shape)
{
    if (shape.threads > 1) {
        return shape.threads % 3 == 0 ? dslash_choose<V, S, DSLASH_ROWS>(params, shape)
                                      : dslash_choose<V, S, DSLASH_KINDS>(params, shape);
    }
    switch (shape.rhs) {
    case 1: return dslash_choose<V, S, 1>(params, shape);
    case 2: return dslash_choose<V, S, 2>(params, shape);
    case 3: return dslash_choose<V, S, 3>(params, shape);
    case 4: return dslash_choose<V, S, 4>(params, shape);
    default: return false;
    }
}

template bool dslash_launch<VECTORS, LINKS>(const dslash_params &, const dslash_shape &);
