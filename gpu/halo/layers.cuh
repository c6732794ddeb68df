/* layers.cuh - the outer layers of a field: their sites, and what of them travels
 *
 * Vectors as they are stored, or half spinors (backend/halves.h): those are added up by whoever sends
 * them and take the places of the upper rows of spinors in a halo, whose lower ones are cleared by the
 * rank whose halo it is.
 */
#ifndef NAIK_GPU_LAYERS_CUH
#define NAIK_GPU_LAYERS_CUH

#include "gpu/fields/prec.cuh"
#include "gpu/fields/stencil.cuh"

extern "C" {
#include "backend/halves.h"
}

enum { PACK_THREADS = 128 };

static inline dim3 pack_blocks(int count, int vectors)
{
    return dim3((unsigned)((count + PACK_THREADS - 1) / PACK_THREADS), (unsigned)vectors);
}

/* Checkerboard number of site `number` of a parity in the layer x_mu = coordinate. */
__device__ static inline int layer_site(const gpu_stencil &st, int parity, int mu, int coordinate,
                                        int number)
{
    int x[4], sum = coordinate + parity;
    int half_of = mu == 0 ? 1 : 0; /* the direction that goes by twos */
    int rest = number;
    for (int nu = half_of; nu < 4; nu++) {
        if (nu == mu) {
            continue;
        }
        int extent = nu == half_of ? st.local[nu] / 2 : st.local[nu];
        x[nu] = rest % extent;
        rest /= extent;
        sum += nu == half_of ? 0 : x[nu];
    }
    x[mu] = coordinate;
    x[half_of] = 2 * x[half_of] + (sum & 1);
    return (x[0] >> 1) + x[1] * st.stride[1] + x[2] * st.stride[2] + x[3] * st.stride[3];
}

/* As BY_PRECISION, of kernel<V, HALVED>. */
#define BY_LAYERS(layers, precision, kernel, grid, threads, stream, ...)                           \
    do {                                                                                           \
        if ((layers)->halves == NAIK_WHOLE) {                                                      \
            BY_PRECISION(precision, kernel, grid, threads, stream, __VA_ARGS__);                   \
        } else if ((precision) == NAIK_DOUBLE) {                                                   \
            kernel<vec_double, true><<<grid, threads, 0, stream>>>(__VA_ARGS__);                   \
        } else {                                                                                   \
            kernel<vec_single, true><<<grid, threads, 0, stream>>>(__VA_ARGS__);                   \
        }                                                                                          \
    } while (0)

/* Vector number `vector` of those that travel, from its field; halves of 1 + sign g_mu. */
template <class V, bool HALVED>
__device__ static inline typename V::stored take_vector(const char *data, int site, int vector,
                                                        int nrhs, int mu, int sign)
{
    if constexpr (HALVED) {
        typedef typename V::real real;
        const int row = vector % 2;
        const naik_half_row h = naik_half_row_of(mu, sign, row);
        const char *spinor = data + vec_offset<V>(site, vector / 2 * NAIK_SPIN, nrhs);
        const colour_vector<real> p = V::load(spinor + row * V::RHS_BYTES);
        const colour_vector<real> q = V::load(spinor + h.other * V::RHS_BYTES);
        return h.imaginary ? projected<true>((real)h.factor, p, q)
                           : projected<false>((real)h.factor, p, q);
    } else {
        (void)mu, (void)sign;
        return V::fetch(data + vec_offset<V>(site, vector, nrhs));
    }
}

/* Where it lies in a halo; behind it, by two rows, what is 0 there. */
template <class V, bool HALVED>
__device__ static inline size_t landing_of(int site, int vector, int nrhs)
{
    return vec_offset<V>(site, HALVED ? vector / 2 * NAIK_SPIN + vector % 2 : vector, nrhs);
}

template <class V> __device__ static inline void clear_lower(char *row)
{
    V::keep(row + NAIK_SPIN / 2 * V::RHS_BYTES, typename V::stored{});
}

#endif
