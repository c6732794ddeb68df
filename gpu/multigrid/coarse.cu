/* coarse.cu - coarse vectors: their size, what of them travels, and one rhs from and to the host */
#include "gpu/multigrid/layout.cuh"

enum { COARSE_VECTOR_THREADS = 128 };

size_t gpu_coarse_site_bytes(int components, int capacity)
{
    return (size_t)mg_tiles(components) * (size_t)mg_rhs_tiles(capacity) * MG_VECTOR_TILE *
           sizeof(float);
}

/* A block a site. */
__global__ void pack_coarse_kernel(const int32_t *list, int units, const uint4 *from, uint4 *to)
{
    const uint4 *site = from + (size_t)list[blockIdx.x] * units;
    for (int n = (int)threadIdx.x; n < units; n += COARSE_VECTOR_THREADS) {
        to[(size_t)blockIdx.x * units + n] = site[n];
    }
}

naik_status gpu_coarse_pack(const naik_coarse *v, const naik_aggregates *a, naik_parity parity,
                            int mu, int side, void *buffer)
{
    const int32_t count = a->sends[parity][mu][side];
    if (count == 0) {
        return NAIK_OK;
    }
    pack_coarse_kernel<<<(unsigned)count, COARSE_VECTOR_THREADS, 0, mg_stream(a)>>>(
        gpu_aggregates_of(a)->send[parity][mu][side], (int)(v->site_bytes / sizeof(uint4)),
        (const uint4 *)v->data, (uint4 *)buffer);
    return GPU_LAUNCHED(mg_backend(a), "packing a coarse halo");
}

/* Of an rhs: a block a site, a thread a component, and what pads the last tile. */
__global__ void take_coarse_kernel(const double2 *from, int components, int rhs_tiles, int c,
                                   size_t site_numbers, float *to)
{
    float *site = to + blockIdx.x * site_numbers;
    for (int i = (int)threadIdx.x; i < mg_tiles(components) * MG_TILE; i += COARSE_VECTOR_THREADS) {
        const bool there = i < components;
        const double2 a = there ? from[(size_t)blockIdx.x * components + i] : make_double2(0, 0);
        site[mg_vector_place(i, c, 0, rhs_tiles)] = (float)a.x;
        site[mg_vector_place(i, c, 1, rhs_tiles)] = (float)a.y;
    }
}

__global__ void give_coarse_kernel(const float *from, int components, int rhs_tiles, int c,
                                   size_t site_numbers, double2 *to)
{
    const float *site = from + blockIdx.x * site_numbers;
    for (int i = (int)threadIdx.x; i < components; i += COARSE_VECTOR_THREADS) {
        to[(size_t)blockIdx.x * components + i] = make_double2(
            site[mg_vector_place(i, c, 0, rhs_tiles)], site[mg_vector_place(i, c, 1, rhs_tiles)]);
    }
}

/* Sites that go through the staging memory at a time. */
static int staged_sites(const naik_coarse *v)
{
    return GPU_STAGING_BYTES / (int)sizeof(double2) / v->components;
}

naik_status gpu_coarse_clear(naik_coarse *v, size_t size_bytes)
{
    return GPU_CHECK(mg_backend(v->aggregates),
                     gpu_memset(v->data, 0, size_bytes, mg_stream(v->aggregates)),
                     "clearing a coarse vector");
}

naik_status gpu_coarse_from_host(naik_coarse *v, naik_parity parity, int irhs, const double *sites)
{
    naik_backend *backend = mg_backend(v->aggregates);
    void *staging = gpu_state_of(backend)->staging;
    const size_t numbers = v->site_bytes / sizeof(float), each = 2 * (size_t)v->components;
    const int32_t count = v->aggregates->count[parity];
    for (int first = 0; first < count; first += staged_sites(v)) {
        const int left = count - first, here = left < staged_sites(v) ? left : staged_sites(v);
        NAIK_PASS(gpu_upload(&backend->device, staging, sites + (size_t)first * each,
                             (size_t)here * each * sizeof(double)));
        take_coarse_kernel<<<(unsigned)here, COARSE_VECTOR_THREADS, 0, mg_stream(v->aggregates)>>>(
            (const double2 *)staging, v->components, mg_rhs_tiles(v->capacity), irhs, numbers,
            (float *)v->data + (size_t)first * numbers);
        NAIK_PASS(GPU_LAUNCHED(backend, "taking coarse vectors"));
    }
    return NAIK_OK;
}

naik_status gpu_coarse_to_host(const naik_coarse *v, naik_parity parity, int irhs, double *sites)
{
    naik_backend *backend = mg_backend(v->aggregates);
    void *staging = gpu_state_of(backend)->staging;
    const size_t numbers = v->site_bytes / sizeof(float), each = 2 * (size_t)v->components;
    const int32_t count = v->aggregates->count[parity];
    for (int first = 0; first < count; first += staged_sites(v)) {
        const int left = count - first, here = left < staged_sites(v) ? left : staged_sites(v);
        give_coarse_kernel<<<(unsigned)here, COARSE_VECTOR_THREADS, 0, mg_stream(v->aggregates)>>>(
            (const float *)v->data + (size_t)first * numbers, v->components,
            mg_rhs_tiles(v->capacity), irhs, numbers, (double2 *)staging);
        NAIK_PASS(GPU_LAUNCHED(backend, "giving coarse vectors"));
        NAIK_PASS(gpu_download(&backend->device, sites + (size_t)first * each, staging,
                               (size_t)here * each * sizeof(double)));
    }
    return NAIK_OK;
}
