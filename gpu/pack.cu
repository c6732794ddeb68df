/* pack.cu - a lattice's tables, canonical arrays in and out, halo messages */
#include "backend_gpu.h"

extern "C" {
#include "naik/memory.h"
}

#include <stdlib.h>
#include <string.h>

#include "prec.cuh"

enum { PACK_THREADS = 128 };

static dim3 pack_blocks(int count, int columns)
{
    return dim3((unsigned)((count + PACK_THREADS - 1) / PACK_THREADS), (unsigned)columns);
}

/* ---- tables */

static gpu_stencil stencil_of(const naik_lattice *lat)
{
    gpu_stencil st = {};
    int stride = lat->local[0] / 2;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        st.local[mu] = lat->local[mu];
        st.step[0][mu] = 1 % lat->local[mu];
        st.step[1][mu] = 3 % lat->local[mu];
        st.stride[mu] = mu == 0 ? 0 : stride;
        stride *= mu == 0 ? 1 : lat->local[mu];
    }
    st.extent[0] = gpu_divider_of((uint32_t)lat->local[0] / 2);
    st.extent[1] = gpu_divider_of((uint32_t)lat->local[1]);
    st.extent[2] = gpu_divider_of((uint32_t)lat->local[2]);
    st.half = lat->half;
    st.halo = lat->halo;
    return st;
}

static naik_status upload_list(naik_backend *backend, const int32_t *list, int32_t count,
                               int32_t **out)
{
    naik_status status = NAIK_OK;
    size_t bytes = (size_t)count * sizeof *list;
    NAIK_TRY(gpu_alloc(backend, bytes, "a list of sites", (void **)out));
    if (bytes > 0) {
        NAIK_TRY(gpu_upload(backend, *out, list, bytes));
    }
done:
    return status;
}

static naik_status upload_hops(naik_backend *backend, const naik_lattice *lat, int parity,
                               int32_t **out)
{
    naik_status status = NAIK_OK;
    int32_t *turned = (int32_t *)malloc((size_t)lat->half * NAIK_HOPS * sizeof *turned);
    if (turned == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the table of hops");
    }
    for (size_t site = 0; site < (size_t)lat->half; site++) {
        for (size_t k = 0; k < NAIK_HOPS; k++) {
            turned[k * (size_t)lat->half + site] = lat->hop[parity][site * NAIK_HOPS + k];
        }
    }
    status = upload_list(backend, turned, lat->half * NAIK_HOPS, out);
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
        NAIK_TRY(upload_list(backend, lattice->interior[parity], lattice->interior_count[parity],
                             &tables->interior[parity]));
        NAIK_TRY(upload_list(backend, lattice->boundary[parity], lattice->boundary_count[parity],
                             &tables->boundary[parity]));
        NAIK_TRY(upload_hops(backend, lattice, parity, &tables->hop[parity]));
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
        gpu_release(backend, t->interior[parity]);
        gpu_release(backend, t->boundary[parity]);
        gpu_release(backend, t->hop[parity]);
    }
    free(t);
}

/* ---- canonical arrays */

enum { CANONICAL_BYTES = 6 * sizeof(double), IMPORT_CHUNK = 1 << 14, EXPORT_CHUNK = GPU_STAGING_BYTES / 48 };

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
                              char *data, int column, int nrhs)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    if (i >= count) {
        return;
    }
    const double zeros[6] = {0, 0, 0, 0, 0, 0};
    int x[4];
    gpu_coords(st, parity, begin + i, x);
    store_as<V>(data + vec_offset<V>(begin + i, column, nrhs),
                sites != NULL ? sites + (size_t)(2 * i + (x[0] & 1)) * 6 : zeros);
}

template <class V>
__global__ void export_kernel(int begin, int count, double *sites, const char *data, int column,
                              int nrhs)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    if (i >= count) {
        return;
    }
    colour_vector<typename V::real> v = V::load(data + vec_offset<V>(begin + i, column, nrhs));
#pragma unroll
    for (int k = 0; k < 3; k++) {
        sites[(size_t)i * 6 + 2 * k] = v.e[k].re;
        sites[(size_t)i * 6 + 2 * k + 1] = v.e[k].im;
    }
}

#define BY_PRECISION(precision, kernel, grid, stream, ...)                                         \
    do {                                                                                           \
        if ((precision) == NAIK_DOUBLE) {                                                          \
            kernel<vec_double><<<grid, PACK_THREADS, 0, stream>>>(__VA_ARGS__);                    \
        } else if ((precision) == NAIK_SINGLE) {                                                   \
            kernel<vec_single><<<grid, PACK_THREADS, 0, stream>>>(__VA_ARGS__);                    \
        } else {                                                                                   \
            kernel<vec_half><<<grid, PACK_THREADS, 0, stream>>>(__VA_ARGS__);                      \
        }                                                                                          \
    } while (0)

/* Most sources are zero but on one time slice: pieces without a number in them do not travel. */
naik_status gpu_field_import(naik_field *field, naik_parity parity, int column, const double *sites)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = field->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const gpu_stencil st = gpu_tables_of(field->geometry)->stencil;
    for (int begin = 0; begin < st.half; begin += IMPORT_CHUNK) {
        int count = st.half - begin < IMPORT_CHUNK ? st.half - begin : IMPORT_CHUNK;
        const double *from = sites + (size_t)begin * 12;
        const bool zero = naik_all_zero(from, (size_t)count * 2 * CANONICAL_BYTES);
        if (!zero) {
            NAIK_TRY(gpu_upload(backend, state->staging, from, (size_t)count * 2 * CANONICAL_BYTES));
        }
        BY_PRECISION(field->precision, import_kernel, pack_blocks(count, 1), state->stream, st,
                     (int)parity, begin, count, zero ? NULL : (const double *)state->staging,
                     (char *)field->data, column, field->nrhs);
        NAIK_TRY(GPU_LAUNCHED(backend, "importing a field"));
    }
done:
    return status;
}

naik_status gpu_field_export(const naik_field *field, naik_parity parity, int column, double *sites)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = field->geometry->backend;
    gpu_state *state = gpu_state_of(backend);
    const naik_lattice *lat = field->geometry->lattice;
    const double *compact = (const double *)state->pinned;
    for (int begin = 0; begin < lat->half; begin += EXPORT_CHUNK) {
        int count = lat->half - begin < EXPORT_CHUNK ? lat->half - begin : EXPORT_CHUNK;
        BY_PRECISION(field->precision, export_kernel, pack_blocks(count, 1), state->stream, begin,
                     count, (double *)state->staging, (const char *)field->data, column,
                     field->nrhs);
        NAIK_TRY(GPU_LAUNCHED(backend, "exporting a field"));
        NAIK_TRY(
            gpu_download(backend, state->pinned, state->staging, (size_t)count * CANONICAL_BYTES));
        naik_lattice_scatter(lat, parity, begin, count, compact, 6, sites);
    }
done:
    return status;
}

/* ---- halo messages: [depth * face + number][nrhs] of what one lane of one column holds */

size_t gpu_face_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs, int mu,
                      int depth)
{
    size_t site = precision == NAIK_DOUBLE ? 48 : precision == NAIK_SINGLE ? 24 : 16;
    return site * (size_t)nrhs * (size_t)lattice->face[mu] * (size_t)depth;
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

typedef struct halo_params {
    gpu_stencil stencil;
    int parity, mu, coordinate, step; /* layer d lies at coordinate + d step */
    int first;                        /* halo site of number 0; -1: sites of the box */
    int face, count, nrhs;
} halo_params;

template <class V>
__device__ static inline char *halo_place(const halo_params &h, char *data, int i)
{
    int site = h.first + i;
    if (h.first < 0) {
        int layer = i / h.face;
        site = layer_site(h.stencil, h.parity, h.mu, h.coordinate + layer * h.step,
                          i - layer * h.face);
    }
    return data + vec_offset<V>(site, (int)blockIdx.y, h.nrhs);
}

template <class V> __global__ void pack_kernel(halo_params h, char *data, char *buffer)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    if (i >= h.count) {
        return;
    }
    const int units = V::COLUMN_BYTES / PREC_BLOCK / V::LANE_BYTES;
    const char *from = halo_place<V>(h, data, i);
    char *to = buffer + ((size_t)blockIdx.y * h.count + i) * (units * V::LANE_BYTES);
#pragma unroll
    for (int u = 0; u < units * V::LANE_BYTES / 8; u++) {
        int unit = u * 8 / V::LANE_BYTES, part = u * 8 % V::LANE_BYTES;
        *(uint2 *)(to + u * 8) = *(const uint2 *)(from + unit * PREC_BLOCK * V::LANE_BYTES + part);
    }
}

template <class V> __global__ void unpack_kernel(halo_params h, char *data, const char *buffer)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    if (i >= h.count) {
        return;
    }
    const int units = V::COLUMN_BYTES / PREC_BLOCK / V::LANE_BYTES;
    char *to = halo_place<V>(h, data, i);
    const char *from = buffer + ((size_t)blockIdx.y * h.count + i) * (units * V::LANE_BYTES);
#pragma unroll
    for (int u = 0; u < units * V::LANE_BYTES / 8; u++) {
        int unit = u * 8 / V::LANE_BYTES, part = u * 8 % V::LANE_BYTES;
        *(uint2 *)(to + unit * PREC_BLOCK * V::LANE_BYTES + part) = *(const uint2 *)(from + u * 8);
    }
}

static halo_params halo_params_of(const naik_field *field, naik_parity parity, int mu, int depth)
{
    const naik_lattice *lat = field->geometry->lattice;
    halo_params h = {};
    h.stencil = gpu_tables_of(field->geometry)->stencil;
    h.parity = (int)parity;
    h.mu = mu;
    h.face = lat->face[mu];
    h.count = lat->face[mu] * depth;
    h.nrhs = field->nrhs;
    return h;
}

naik_status gpu_pack(const naik_field *field, naik_parity parity, int mu, int side, int depth,
                     void *buffer)
{
    naik_backend *backend = field->geometry->backend;
    halo_params h = halo_params_of(field, parity, mu, depth);
    h.first = -1;
    h.coordinate = side == NAIK_AHEAD ? field->geometry->lattice->local[mu] - 1 : 0;
    h.step = side == NAIK_AHEAD ? -1 : 1;
    BY_PRECISION(field->precision, pack_kernel, pack_blocks(h.count, h.nrhs),
                 gpu_state_of(backend)->stream, h, (char *)field->data, (char *)buffer);
    return GPU_LAUNCHED(backend, "packing a halo message");
}

naik_status gpu_unpack(naik_field *field, naik_parity parity, int mu, int side, int depth,
                       const void *buffer)
{
    naik_backend *backend = field->geometry->backend;
    halo_params h = halo_params_of(field, parity, mu, depth);
    h.first = field->geometry->lattice->zone[mu][side];
    BY_PRECISION(field->precision, unpack_kernel, pack_blocks(h.count, h.nrhs),
                 gpu_state_of(backend)->stream, h, (char *)field->data, (const char *)buffer);
    return GPU_LAUNCHED(backend, "unpacking a halo message");
}
