/* wilson_blocks.cu - what multiplies a spinor at its own site: packed, and by itself */
#include "gpu/backend_gpu.h"
#include "gpu/dslash/wilson.cuh"

extern "C" {
#include "backend/site_blocks.h"
}

enum { BLOCKS_THREADS = 128 };

static size_t parity_bytes(const naik_lattice *lattice, naik_precision precision)
{
    const size_t blocks = ((size_t)lattice->volume_cb + PREC_BLOCK - 1) / PREC_BLOCK;
    return blocks * NAIK_SITE_BLOCKS *
           (precision == NAIK_DOUBLE ? (size_t)site_block<double>::BYTES
                                     : (size_t)site_block<float>::BYTES);
}

size_t gpu_blocks_bytes(const naik_lattice *lattice, naik_precision precision)
{
    return 2 * parity_bytes(lattice, precision);
}

/* One thread a number of a site of this parity: source [sites][2][36]. */
template <class T>
__global__ void pack_blocks_kernel(gpu_stencil st, int parity, const double *source, char *data)
{
    enum { NUMBERS = NAIK_SITE_BLOCKS * NAIK_BLOCK_REALS };
    const int64_t thread = (int64_t)blockIdx.x * BLOCKS_THREADS + threadIdx.x;
    const int cb = (int)(thread / NUMBERS), n = (int)(thread % NUMBERS);
    if (cb >= st.volume_cb) {
        return;
    }
    int x[4];
    gpu_coords(st, parity, cb, x);
    char *block = data + ((size_t)(cb / PREC_BLOCK) * NAIK_SITE_BLOCKS + n / NAIK_BLOCK_REALS) *
                             site_block<T>::BYTES;
    *(T *)(block + site_block<T>::place(cb % PREC_BLOCK, n % NAIK_BLOCK_REALS)) =
        (T)source[(2 * (size_t)cb + (x[0] & 1)) * NUMBERS + n];
}

naik_status gpu_blocks_pack(naik_blocks *blocks, const naik_block (*source)[NAIK_SITE_BLOCKS])
{
    const naik_geometry *geometry = blocks->geometry;
    naik_backend *backend = geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const gpu_stencil st = gpu_tables_of(geometry)->stencil;
    const double *from = (const double *)source;
    const int64_t threads = (int64_t)st.volume_cb * NAIK_SITE_BLOCKS * NAIK_BLOCK_REALS;
    const unsigned grid = (unsigned)((threads + BLOCKS_THREADS - 1) / BLOCKS_THREADS);
    static_assert(sizeof(naik_block) == NAIK_BLOCK_REALS * sizeof(double), "36 numbers");
    for (int parity = 0; parity < 2; parity++) {
        char *data = (char *)blocks->data +
                     (size_t)parity * parity_bytes(geometry->lattice, blocks->precision);
        if (blocks->precision == NAIK_DOUBLE) {
            pack_blocks_kernel<double>
                <<<grid, BLOCKS_THREADS, 0, state->stream>>>(st, parity, from, data);
        } else {
            pack_blocks_kernel<float>
                <<<grid, BLOCKS_THREADS, 0, state->stream>>>(st, parity, from, data);
        }
        NAIK_PASS(GPU_LAUNCHED(backend, "packing clover blocks"));
    }
    return NAIK_OK;
}

typedef struct multiply_params {
    wilson_diagonal b; /* of the parity */
    const char *in;
    char *out;
    int vectors, count, state;
    const naik_rhs *rhs;
} multiply_params;

template <class V>
__global__ void __launch_bounds__(BLOCKS_THREADS) multiply_kernel(const multiply_params p)
{
    typedef typename V::real real;
    const int cb = (int)(blockIdx.x * BLOCKS_THREADS + threadIdx.x), c = (int)blockIdx.y;
    if (cb >= p.count || (p.rhs != NULL && p.rhs[c].state != p.state)) {
        return;
    }
    const size_t offset = vec_offset<V>(cb, c * NAIK_SPIN, p.vectors);
    spinor<real> v[1];
    load_spinor<V>(p.in + offset, v[0]);
    if (p.b.blocks != NULL) {
        multiply_site<real, 1>(p.b, cb, v);
    } else {
        multiply_number<real, 1>((real)p.b.number, (real)p.b.chiral, v);
    }
#pragma unroll
    for (int s = 0; s < NAIK_SPIN; s++) {
        V::store(p.out + offset + s * V::RHS_BYTES, v[0].row[s]);
    }
}

naik_status gpu_blocks_multiply(const naik_blocks *blocks, const naik_field *in, naik_parity parity,
                                const naik_rhs *rhs, naik_rhs_state state, naik_field *out)
{
    const naik_lattice *lat = in->geometry->lattice;
    naik_backend *backend = in->geometry->backend;
    multiply_params p = {};
    p.b = wilson_diagonal_of(blocks, parity);
    p.in = (const char *)in->data;
    p.out = (char *)out->data;
    p.vectors = naik_field_vectors(in);
    p.count = lat->volume_cb;
    p.rhs = rhs;
    p.state = (int)state;
    const dim3 grid((unsigned)((p.count + BLOCKS_THREADS - 1) / BLOCKS_THREADS),
                    (unsigned)in->nrhs);
    BY_PRECISION(in->precision, multiply_kernel, grid, BLOCKS_THREADS,
                 gpu_state_of(backend)->stream, p);
    return GPU_LAUNCHED(backend, "multiplying by clover blocks");
}

/* Where the blocks of a parity begin; NULL: there are none. */
static const char *blocks_of(const naik_blocks *blocks, naik_parity parity)
{
    return blocks == NULL || blocks->data == NULL
               ? NULL
               : (const char *)blocks->data +
                     (size_t)parity * parity_bytes(blocks->geometry->lattice, blocks->precision);
}

wilson_diagonal wilson_diagonal_of(const naik_blocks *blocks, naik_parity parity)
{
    const wilson_diagonal b = {blocks_of(blocks, parity), blocks_of(blocks->factor, parity),
                               blocks->data == NULL ? blocks->number : 1, blocks->chiral};
    return b;
}
