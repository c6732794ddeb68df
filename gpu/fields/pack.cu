/* pack.cu - a lattice's tables, canonical arrays in and out */
#include "gpu/backend_gpu.h"

extern "C" {
#include "base/memory.h"
}

#include <stdlib.h>
#include <string.h>

#include "gpu/fields/prec.cuh"

enum { PACK_THREADS = 128, TURNED_SITES = 256 };

static dim3 pack_blocks(int count, int rhs)
{
    return dim3((unsigned)((count + PACK_THREADS - 1) / PACK_THREADS), (unsigned)rhs);
}

/* ---- tables */

static gpu_hop hop_of(const naik_lattice *lat, int kind, int mu, int stride)
{
    const int extent = lat->local[mu], distance = kind / 2 == 0 ? 1 : 3;
    const int reduced = lat->split[mu] ? distance : distance % extent;
    const bool ahead = kind % 2 == 0;
    const int sign = ahead ? 1 : -1;
    const int from = ahead ? distance - extent : distance - 1; /* layers of the zone */
    const int outside = lat->split[mu] ? lat->zone[mu][!ahead] + from * lat->face[mu] : 0;
    const int along = sign * lat->face[mu] - (mu == 0 ? 0 : stride);
    return {sign * reduced, sign * reduced * stride, sign * (reduced - extent) * stride, outside,
            along};
}

static gpu_stencil stencil_of(const naik_lattice *lat)
{
    gpu_stencil st = {};
    int stride = lat->local[0] / 2;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        st.local[mu] = lat->local[mu];
        st.stride[mu] = mu == 0 ? 0 : stride;
        for (int kind = 0; kind < 4; kind++) {
            st.point[kind][mu] = hop_of(lat, kind, mu, mu == 0 ? 1 : stride);
        }
        stride *= mu == 0 ? 1 : lat->local[mu];
        st.layers[mu] = gpu_divider_of((uint32_t)stride);
        st.above[mu] = st.stride[mu] - stride;
    }
    st.extent[0] = gpu_divider_of((uint32_t)lat->local[0] / 2);
    st.extent[1] = gpu_divider_of((uint32_t)lat->local[1]);
    st.extent[2] = gpu_divider_of((uint32_t)lat->local[2]);
    st.volume_cb = lat->volume_cb;
    return st;
}

/* Whether some neighbour of a site at x, so many sites away along mu, is beyond the box. */
static bool leaves(const naik_lattice *lat, const int x[NAIK_DIM], int mu, int depth)
{
    return lat->split[mu] && (x[mu] < depth || x[mu] >= lat->local[mu] - depth);
}

/* The sites of a parity: those inside, of which it returns the number, then those of the boundary. Goes
 * by rows of direction x, whose other coordinates are found once. */
static int32_t order_sites(const naik_lattice *lat, int parity, int depth, int32_t *sites)
{
    const int32_t row = lat->local[0] / 2;
    int32_t count = 0, inside = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t begin = 0; begin < lat->volume_cb; begin += row) {
            int x[NAIK_DIM];
            naik_lattice_coords(lat, naik_lattice_site_of(lat, (naik_parity)parity, begin), x);
            const bool beyond =
                leaves(lat, x, 1, depth) || leaves(lat, x, 2, depth) || leaves(lat, x, 3, depth);
            for (int32_t cb = begin; cb < begin + row; cb++, x[0] += 2) {
                if ((beyond || leaves(lat, x, 0, depth)) == (pass == 1)) {
                    sites[count++] = cb;
                }
            }
        }
        inside = pass == 0 ? count : inside;
    }
    return inside;
}

static naik_status upload_list(naik_backend *backend, const int32_t *list, int32_t count,
                               int32_t **out)
{
    size_t bytes = (size_t)count * sizeof *list;
    NAIK_PASS(gpu_alloc(&backend->device, bytes, "a list of sites", (void **)out));
    if (bytes > 0) {
        NAIK_PASS(gpu_upload(&backend->device, *out, list, bytes));
    }
    return NAIK_OK;
}

static naik_status upload_sites(naik_backend *backend, const naik_lattice *lat, int parity,
                                int depth, gpu_sites *out)
{
    int32_t *sites = (int32_t *)malloc((size_t)lat->volume_cb * sizeof *sites);
    if (sites == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for a list of sites");
    }
    out->inside = order_sites(lat, parity, depth, sites);
    naik_status status = upload_list(backend, sites, lat->volume_cb, &out->site);
    free(sites);
    return status;
}

static naik_status upload_hops(naik_backend *backend, const naik_lattice *lat, int parity,
                               int32_t **out)
{
    naik_status status = NAIK_OK;
    int32_t *turned = (int32_t *)malloc((size_t)lat->volume_cb * NAIK_STENCIL * sizeof *turned);
    if (turned == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the table of neighbours");
    }
    const size_t sites = (size_t)lat->volume_cb;
    for (size_t begin = 0; begin < sites; begin += TURNED_SITES) { /* which the cache holds */
        const size_t end = begin + TURNED_SITES < sites ? begin + TURNED_SITES : sites;
        for (size_t k = 0; k < NAIK_STENCIL; k++) {
            for (size_t site = begin; site < end; site++) {
                turned[k * sites + site] = lat->neighbour[parity][site * NAIK_STENCIL + k];
            }
        }
    }
    status = upload_list(backend, turned, lat->volume_cb * NAIK_STENCIL, out);
    free(turned);
    return status;
}

naik_status gpu_tables_create(naik_backend *backend, const naik_lattice *lattice, void **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    gpu_tables *tables = (gpu_tables *)calloc(1, sizeof *tables);
    if (tables == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the tables of a lattice");
    }
    tables->stencil = stencil_of(lattice);
    for (int parity = 0; parity < 2 && lattice->halo > 0; parity++) {
        NAIK_TRY(upload_sites(backend, lattice, parity, 1, &tables->near[parity]));
        NAIK_TRY(upload_sites(backend, lattice, parity, NAIK_HALO_DEPTH, &tables->far[parity]));
        NAIK_TRY(upload_hops(backend, lattice, parity, &tables->point[parity]));
    }
    *out = tables;
done:
    if (status != NAIK_OK) {
        gpu_tables_destroy(backend, tables);
    }
    return status;
}

void gpu_tables_destroy(naik_backend *backend, void *tables)
{
    gpu_tables *t = (gpu_tables *)tables;
    for (int parity = 0; t != NULL && parity < 2; parity++) {
        gpu_release(&backend->device, t->near[parity].site);
        gpu_release(&backend->device, t->far[parity].site);
        gpu_release(&backend->device, t->point[parity]);
    }
    if (t != NULL) {
        gpu_exchange_release(backend, &t->exchange);
    }
    free(t);
}

/* ---- canonical arrays */

enum {
    CANONICAL_BYTES = 6 * sizeof(double),
    IMPORT_CHUNK = 1 << 14,
    EXPORT_CHUNK = GPU_STAGING_BYTES / 48
};

template <class V> __device__ static inline void store_as(char *to, const double n[6])
{
    typedef typename V::real real;
    colour_vector<real> v;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        v.e[i] = {(real)n[2 * i], (real)n[2 * i + 1]};
    }
    V::store(to, v);
}

template <class V>
__global__ void import_kernel(gpu_stencil st, int parity, int begin, int count, const double *sites,
                              char *data, int first, int nrhs)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    const int row = (int)blockIdx.y, rows = (int)gridDim.y; /* colour vectors of an rhs */
    if (i >= count) {
        return;
    }
    double numbers[6];
    int x[4];
    gpu_coords(st, parity, begin + i, x);
#pragma unroll
    for (int k = 0; k < 6; k++) {
        numbers[k] = sites != NULL ? sites[((size_t)(2 * i + (x[0] & 1)) * rows + row) * 6 + k] : 0;
    }
    store_as<V>(data + vec_offset<V>(begin + i, first + row, nrhs), numbers);
}

/* One parity by itself, or at its places among all sites. */
template <class V>
__global__ void export_kernel(gpu_stencil st, int parity, bool compact, int begin, int count,
                              double *sites, const char *data, int first, int nrhs)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    const int row = (int)blockIdx.y, rows = (int)gridDim.y;
    int x[4];
    if (i >= count) {
        return;
    }
    gpu_coords(st, parity, begin + i, x);
    const size_t at = (size_t)(compact ? i : 2 * (begin + i) + (x[0] & 1)) * rows + row;
    colour_vector<typename V::real> v = V::load(data + vec_offset<V>(begin + i, first + row, nrhs));
#pragma unroll
    for (int k = 0; k < 3; k++) {
        sites[at * 6 + 2 * k] = v.e[k].re;
        sites[at * 6 + 2 * k + 1] = v.e[k].im;
    }
}

static naik_status export_sites(const naik_field *field, naik_parity parity, int irhs, bool compact,
                                int begin, int count, double *sites)
{
    naik_backend *backend = field->geometry->backend;
    BY_PRECISION(field->precision, export_kernel, pack_blocks(count, field->spin), PACK_THREADS,
                 gpu_state_of(backend)->stream, gpu_tables_of(field->geometry)->stencil,
                 (int)parity, compact, begin, count, sites, (const char *)field->data,
                 irhs * field->spin, naik_field_vectors(field));
    return GPU_LAUNCHED(backend, "exporting a field");
}

/* sites: canonical from checkerboard site `begin` on; NULL: zeroes. */
static naik_status import_sites(naik_field *field, naik_parity parity, int irhs, int begin,
                                int count, const double *sites)
{
    naik_backend *backend = field->geometry->backend;
    BY_PRECISION(field->precision, import_kernel, pack_blocks(count, field->spin), PACK_THREADS,
                 gpu_state_of(backend)->stream, gpu_tables_of(field->geometry)->stencil,
                 (int)parity, begin, count, sites, (char *)field->data, irhs * field->spin,
                 naik_field_vectors(field));
    return GPU_LAUNCHED(backend, "importing a field");
}

naik_status gpu_field_from_host(naik_field *field, naik_parity parity, int irhs,
                                const double *sites)
{
    const int32_t all[2] = {0, field->geometry->lattice->sites};
    return gpu_field_from_part(field, parity, irhs, sites, all);
}

/* Zeroes of checkerboard sites begin..end-1. */
static naik_status import_zeroes(naik_field *field, naik_parity parity, int irhs, int begin,
                                 int end)
{
    return begin < end ? import_sites(field, parity, irhs, begin, end - begin, NULL) : NAIK_OK;
}

/* Pieces without a number in them do not travel, either. */
naik_status gpu_field_from_part(naik_field *field, naik_parity parity, int irhs,
                                const double *sites, const int32_t part[2])
{
    naik_backend *backend = field->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const gpu_stencil st = gpu_tables_of(field->geometry)->stencil;
    const size_t site_bytes = (size_t)field->spin * CANONICAL_BYTES;
    const int first = part[0] / 2, end = part[1] / 2;
    NAIK_PASS(import_zeroes(field, parity, irhs, 0, first));
    NAIK_PASS(import_zeroes(field, parity, irhs, end, st.volume_cb));
    for (int begin = first; begin < end; begin += IMPORT_CHUNK) {
        const int count = end - begin < IMPORT_CHUNK ? end - begin : IMPORT_CHUNK;
        const double *from = sites + (size_t)begin * 12 * field->spin;
        const bool zero = naik_all_zero(from, (size_t)count * 2 * site_bytes);
        if (!zero) {
            NAIK_PASS(
                gpu_upload(&backend->device, state->staging, from, (size_t)count * 2 * site_bytes));
        }
        NAIK_PASS(import_sites(field, parity, irhs, begin, count,
                               zero ? NULL : (const double *)state->staging));
    }
    return NAIK_OK;
}

naik_status gpu_field_to_host(const naik_field *field, naik_parity parity, int irhs, double *sites)
{
    naik_backend *backend = field->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const naik_lattice *lat = field->geometry->lattice;
    const double *compact = (const double *)state->pinned;
    const int chunk = EXPORT_CHUNK / field->spin;
    for (int begin = 0; begin < lat->volume_cb; begin += chunk) {
        int count = lat->volume_cb - begin < chunk ? lat->volume_cb - begin : chunk;
        NAIK_PASS(export_sites(field, parity, irhs, true, begin, count, (double *)state->staging));
        NAIK_PASS(gpu_download(&backend->device, state->pinned, state->staging,
                               (size_t)count * (size_t)field->spin * CANONICAL_BYTES));
        naik_lattice_scatter(lat, parity, begin, count, compact, 6 * field->spin, sites);
    }
    return NAIK_OK;
}

naik_status gpu_field_from_device(naik_field *field, naik_parity parity, int irhs,
                                  const double *sites)
{
    return import_sites(field, parity, irhs, 0, field->geometry->lattice->volume_cb, sites);
}

naik_status gpu_field_to_device(const naik_field *field, naik_parity parity, int irhs,
                                double *sites)
{
    NAIK_PASS(
        export_sites(field, parity, irhs, false, 0, field->geometry->lattice->volume_cb, sites));
    return gpu_sync(&field->geometry->backend->device);
}

/* ---- modes, as they lie in files */

enum { MODE_BYTES = 6 * sizeof(float), MODE_CHUNK = GPU_STAGING_BYTES / MODE_BYTES };

__global__ void mode_to_host_kernel(int begin, int count, float2 *sites, const char *data, int irhs,
                                    int nrhs)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    if (i < count) {
        const colour_vector<float> v =
            vec_single::load(data + vec_offset<vec_single>(begin + i, irhs, nrhs));
#pragma unroll
        for (int k = 0; k < 3; k++) {
            sites[3 * (size_t)i + k] = make_float2(v.e[k].re, v.e[k].im);
        }
    }
}

__global__ void mode_from_host_kernel(int begin, int count, const float2 *sites, char *data,
                                      int irhs, int nrhs)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    if (i < count) {
        colour_vector<float> v;
#pragma unroll
        for (int k = 0; k < 3; k++) {
            const float2 c = sites[3 * (size_t)i + k];
            v.e[k] = {c.x, c.y};
        }
        vec_single::store(data + vec_offset<vec_single>(begin + i, irhs, nrhs), v);
    }
}

naik_status gpu_mode_to_host(const naik_field *block, int irhs, float *mode)
{
    naik_backend *backend = block->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const int sites = block->geometry->lattice->volume_cb;
    for (int begin = 0; begin < sites; begin += MODE_CHUNK) {
        const int count = sites - begin < MODE_CHUNK ? sites - begin : MODE_CHUNK;
        mode_to_host_kernel<<<pack_blocks(count, 1), PACK_THREADS, 0, state->stream>>>(
            begin, count, (float2 *)state->staging, (const char *)block->data, irhs,
            naik_field_vectors(block));
        NAIK_PASS(GPU_LAUNCHED(backend, "exporting a mode"));
        NAIK_PASS(gpu_download(&backend->device, mode + 6 * (size_t)begin, state->staging,
                               (size_t)count * MODE_BYTES));
    }
    return NAIK_OK;
}

naik_status gpu_mode_from_host(naik_field *block, int irhs, const float *mode)
{
    naik_backend *backend = block->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const int sites = block->geometry->lattice->volume_cb;
    for (int begin = 0; begin < sites; begin += MODE_CHUNK) {
        const int count = sites - begin < MODE_CHUNK ? sites - begin : MODE_CHUNK;
        NAIK_PASS(gpu_upload(&backend->device, state->staging, mode + 6 * (size_t)begin,
                             (size_t)count * MODE_BYTES));
        mode_from_host_kernel<<<pack_blocks(count, 1), PACK_THREADS, 0, state->stream>>>(
            begin, count, (const float2 *)state->staging, (char *)block->data, irhs,
            naik_field_vectors(block));
        NAIK_PASS(GPU_LAUNCHED(backend, "importing a mode"));
    }
    return NAIK_OK;
}
