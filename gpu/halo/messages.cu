/* messages.cu - halo messages of MPI: [vectors][depth * face + number] of what one lane of one vector
 * holds
 */
#include "gpu/backend_gpu.h"
#include "gpu/halo/layers.cuh"

size_t gpu_face_bytes(const naik_lattice *lattice, naik_precision precision, int nrhs, int mu,
                      int depth)
{
    size_t site = precision == NAIK_DOUBLE ? 48 : precision == NAIK_SINGLE ? 24 : 16;
    return site * (size_t)nrhs * (size_t)lattice->face[mu] * (size_t)depth;
}

typedef struct halo_params {
    gpu_stencil stencil;
    int parity, mu, coordinate, step; /* layer d lies at coordinate + d step */
    int first;                        /* halo site of number 0 */
    int face, count, nrhs, sign;
} halo_params;

/* Where a vector lies in a message. */
template <class V> __device__ static inline size_t message_offset(const halo_params &h, int i)
{
    return ((size_t)blockIdx.y * h.count + i) * (V::RHS_BYTES / PREC_BLOCK);
}

template <class V, bool HALVED = false>
__global__ void pack_kernel(halo_params h, const char *data, char *buffer)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    if (i < h.count) {
        const int layer = i / h.face;
        const int site = layer_site(h.stencil, h.parity, h.mu, h.coordinate + layer * h.step,
                                    i - layer * h.face);
        V::keep(buffer + message_offset<V>(h, i),
                take_vector<V, HALVED>(data, site, (int)blockIdx.y, h.nrhs, h.mu, h.sign),
                V::LANE_BYTES);
    }
}

template <class V, bool HALVED = false>
__global__ void unpack_kernel(halo_params h, char *data, const char *buffer)
{
    const int i = (int)(blockIdx.x * PACK_THREADS + threadIdx.x);
    if (i < h.count) {
        char *to = data + landing_of<V, HALVED>(h.first + i, (int)blockIdx.y, h.nrhs);
        V::keep(to, V::fetch(buffer + message_offset<V>(h, i), V::LANE_BYTES));
        if (HALVED) {
            clear_lower<V>(to);
        }
    }
}

static halo_params halo_params_of(const naik_field *field, const naik_layers *layers, int mu)
{
    const naik_lattice *lat = field->geometry->lattice;
    halo_params h = {};
    h.stencil = gpu_tables_of(field->geometry)->stencil;
    h.parity = (int)layers->parity;
    h.mu = mu;
    h.face = lat->face[mu];
    h.count = lat->face[mu] * layers->depth;
    h.nrhs = naik_field_vectors(field);
    return h;
}

naik_status gpu_pack(const naik_field *field, const naik_layers *layers, int mu, int side,
                     void *buffer)
{
    naik_backend *backend = field->geometry->backend;
    halo_params h = halo_params_of(field, layers, mu);
    h.coordinate = side == NAIK_FORWARD ? field->geometry->lattice->local[mu] - 1 : 0;
    h.step = side == NAIK_FORWARD ? -1 : 1;
    h.sign = naik_zone_sign(layers->halves, !side);
    BY_LAYERS(layers, field->precision, pack_kernel,
              pack_blocks(h.count, naik_layer_vectors(field, layers)), PACK_THREADS,
              gpu_state_of(backend)->stream, h, (const char *)field->data, (char *)buffer);
    return GPU_LAUNCHED(backend, "packing a halo message");
}

naik_status gpu_unpack(naik_field *field, const naik_layers *layers, int mu, int side,
                       const void *buffer)
{
    naik_backend *backend = field->geometry->backend;
    halo_params h = halo_params_of(field, layers, mu);
    h.first = field->geometry->lattice->zone[mu][side];
    BY_LAYERS(layers, field->precision, unpack_kernel,
              pack_blocks(h.count, naik_layer_vectors(field, layers)), PACK_THREADS,
              gpu_state_of(backend)->stream, h, (char *)field->data, (const char *)buffer);
    return GPU_LAUNCHED(backend, "unpacking a halo message");
}
