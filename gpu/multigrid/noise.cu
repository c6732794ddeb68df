/* noise.cu - noise by global site, where test vectors begin */
#include "gpu/multigrid/layout.cuh"

enum { NOISE_THREADS = 128 };

typedef struct noise_params {
    gpu_stencil stencil;
    int size[NAIK_DIM], origin[NAIK_DIM];
    char *v;
    int parity, irhs, nrhs, seed, stream;
} noise_params;

/* A thread a site (x) and spin (y). */
template <class V> __global__ void noise_kernel(const noise_params p)
{
    const int cb = (int)(blockIdx.x * NOISE_THREADS + threadIdx.x), spin = (int)blockIdx.y;
    if (cb >= p.stencil.volume_cb) {
        return;
    }
    int x[NAIK_DIM];
    int64_t site = 0;
    gpu_coords(p.stencil, p.parity, cb, x);
#pragma unroll
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        site = site * p.size[mu] + p.origin[mu] + x[mu];
    }
    colour_vector<typename V::real> v;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        float number[2];
        naik_mg_noise(site, p.seed, 3 * spin + i, p.stream, number);
        v.e[i] = {number[0], number[1]};
    }
    V::store(p.v + vec_offset<V>(cb, p.irhs * NAIK_SPIN + spin, p.nrhs * NAIK_SPIN), v);
}

naik_status gpu_multigrid_noise(naik_field *v, naik_parity parity, int irhs, uint64_t seed,
                                uint32_t stream)
{
    const naik_lattice *lat = v->geometry->lattice;
    naik_backend *backend = v->geometry->backend;
    const gpu_stream to = gpu_state_of(backend)->stream;
    noise_params p = {};
    p.stencil = gpu_tables_of(v->geometry)->stencil;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        p.size[mu] = lat->size[mu];
        p.origin[mu] = lat->origin[mu];
    }
    p.v = (char *)v->data;
    p.parity = (int)parity;
    p.irhs = irhs;
    p.nrhs = v->nrhs;
    p.seed = (int)(seed & 0x7fffffff);
    p.stream = (int)stream;
    const dim3 grid((unsigned)((lat->volume_cb + NOISE_THREADS - 1) / NOISE_THREADS), NAIK_SPIN);
    if (v->precision == NAIK_DOUBLE) {
        noise_kernel<vec_double><<<grid, NOISE_THREADS, 0, to>>>(p);
    } else {
        noise_kernel<vec_single><<<grid, NOISE_THREADS, 0, to>>>(p);
    }
    return GPU_LAUNCHED(backend, "making noise");
}
