/* messages.c - halo messages of the CPU: packed, and unpacked into whole cells (cpu.h)
 *
 * A message is [depth][cells of the layer][vectors that travel][3][2][lanes at the face], and in half
 * precision after all that the scales [depth][cells][vectors][lanes at the face]. Half spinors
 * (backend/halves.h) are made of whole cells before lanes are picked from them; those lanes of a halo
 * cell that are not at the face are made so as well, of the box's own cells.
 */
#include <string.h>

#include "backend/cpu/cpu.h"
#include "backend/halves.h"

static int face_lanes(const cpu_shape *shape, int mu)
{
    return shape->lanes / shape->cut[mu];
}

size_t cpu_face_bytes(const naik_lattice *lat, naik_precision precision, int nrhs, int mu,
                      int depth)
{
    const cpu_shape shape = cpu_shape_of(lat);
    const size_t vectors =
        (size_t)depth * (size_t)shape.face[mu] * (size_t)nrhs * (size_t)face_lanes(&shape, mu);
    return vectors * (6 * cpu_real_bytes(precision) + (precision == NAIK_HALF ? sizeof(float) : 0));
}

/* The components of a field, or its scales, as vectors of lanes. Of a cell `block` of them travel,
 * `gap` behind them do not and are 0 in the halo, and so on. */
typedef struct lane_array {
    char *data;
    size_t per_cell, block, gap;
    size_t bytes;       /* of one lane */
    size_t lanes, part; /* of a vector, and those at the face */
    int mu, sign;       /* 0, or half spinors of 1 + sign g_mu travel */
} lane_array;

enum { HALF_SPINOR = NAIK_SPIN / 2 * 6 }; /* reals */

/* zone: side of the box whose halo zone it is for. */
static lane_array components(const naik_field *field, naik_halves halves, int mu, int zone)
{
    const cpu_shape *shape = &cpu_tables_of(field->geometry)->shape;
    lane_array a = {.data = field->data,
                    .per_cell = 6 * (size_t)naik_field_vectors(field),
                    .bytes = cpu_real_bytes(field->precision),
                    .lanes = (size_t)shape->lanes,
                    .part = (size_t)face_lanes(shape, mu),
                    .mu = mu};
    a.block = a.per_cell;
    if (halves != NAIK_WHOLE) {
        a.block = a.gap = HALF_SPINOR;
        a.sign = naik_zone_sign(halves, zone);
    }
    return a;
}

static lane_array scales(const naik_field *field, int mu)
{
    lane_array a = components(field, NAIK_WHOLE, mu, 0);
    a.data = (char *)cpu_scales(field);
    a.per_cell = a.block = (size_t)naik_field_vectors(field);
    a.bytes = sizeof(float);
    return a;
}

static size_t travelling(const lane_array *a)
{
    return a->per_cell / (a->block + a->gap) * a->block;
}

static size_t message_bytes(const lane_array *a, int32_t count)
{
    return (size_t)count * travelling(a) * a->part * a->bytes;
}

/* h of one rhs, [2][6][lanes], from its spinor: the additions of the hop itself. */
#define HALVE(name, real)                                                                          \
    static void name(const lane_array *a, const real *spinor, real h[])                            \
    {                                                                                              \
        for (int row = 0; row < NAIK_SPIN / 2; row++) {                                            \
            const naik_half_row r = naik_half_row_of(a->mu, a->sign, row);                         \
            for (int i = 0; i < 6; i++) {                                                          \
                const int j = r.imaginary ? i ^ 1 : i;                                             \
                const real factor = (real)(j < i || !r.imaginary ? r.factor : -r.factor);          \
                const real *p = spinor + (size_t)(6 * row + i) * a->lanes;                         \
                const real *q = spinor + (size_t)(6 * r.other + j) * a->lanes;                     \
                for (size_t k = 0; k < a->lanes; k++) {                                            \
                    h[(size_t)(6 * row + i) * a->lanes + k] = p[k] + factor * q[k];                \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
HALVE(halve_double, double)
HALVE(halve_single, float)
#undef HALVE

/* What of a cell travels, [travelling][lanes]: where it lies, or made in `room`. */
static const char *taken(const lane_array *a, int32_t cell, char *room)
{
    const size_t vector = a->lanes * a->bytes;
    const char *here = a->data + (size_t)cell * a->per_cell * vector;
    if (a->sign == 0) {
        return here;
    }
    for (size_t v = 0; v < a->per_cell; v += a->block + a->gap) {
        const void *from = here + v * vector;
        void *to = room + v / 2 * vector;
        if (a->bytes == sizeof(double)) {
            halve_double(a, from, to);
        } else {
            halve_single(a, from, to);
        }
    }
    return room;
}

/* Room for it: half of the colour vectors that there may be. */
enum { ROOM = NAIK_MAX_RHS / 2 * 6 * CPU_LANES * (int)sizeof(double) };

/* The lanes at the face on `side`, in ascending order, and where each lane of a halo cell comes
 * from otherwise. */
typedef struct face_map {
    int edge[CPU_LANES], count;
    int inner[CPU_LANES]; /* of a halo cell on the other side: lane of the box, -1: the message */
} face_map;

static face_map map_face(const cpu_shape *shape, int mu, int side)
{
    face_map map = {.count = 0};
    int stride = 1;
    for (int nu = 0; nu < mu; nu++) {
        stride *= shape->cut[nu];
    }
    for (int lane = 0; lane < shape->lanes; lane++) {
        const int place = shape->lane_place[lane][mu];
        if (place == (side == NAIK_FORWARD ? shape->cut[mu] - 1 : 0)) {
            map.edge[map.count++] = lane;
        }
        /* a backward halo cell takes its lanes from the sub-lattice before: layers at its far end */
        const int from = side == NAIK_FORWARD ? place - 1 : place + 1;
        const bool inside = from >= 0 && from < shape->cut[mu];
        map.inner[lane] = inside ? lane + (from - place) * stride : -1;
    }
    return map;
}

static void pack_array(const naik_geometry *geometry, const lane_array *from, const int32_t *layer,
                       int32_t count, const face_map *map, char *to)
{
    const size_t vector = from->lanes * from->bytes, part = from->part * from->bytes;
    const size_t vectors = travelling(from);
#pragma omp parallel for schedule(static) num_threads(cpu_threads(geometry->backend))
    for (int32_t i = 0; i < count; i++) {
        _Alignas(64) char room[ROOM];
        char *message = to + (size_t)i * vectors * part;
        const char *cell = taken(from, layer[i], room);
        if (from->part == from->lanes) {
            memcpy(message, cell, vectors * vector);
            continue;
        }
        for (size_t v = 0; v < vectors; v++) {
            for (int k = 0; k < map->count; k++) {
                memcpy(message + v * part + (size_t)k * from->bytes,
                       cell + v * vector + (size_t)map->edge[k] * from->bytes, from->bytes);
            }
        }
    }
}

naik_status cpu_pack(const naik_field *field, const naik_layers *layers, int mu, int side,
                     void *buffer)
{
    const cpu_tables *t = cpu_tables_of(field->geometry);
    const face_map map = map_face(&t->shape, mu, side);
    const int32_t count = layers->depth * t->shape.face[mu];
    const int32_t *layer = t->layer[layers->parity][mu][side];
    const lane_array numbers = components(field, layers->halves, mu, !side);
    pack_array(field->geometry, &numbers, layer, count, &map, buffer);
    if (field->precision == NAIK_HALF) {
        const lane_array units = scales(field, mu);
        pack_array(field->geometry, &units, layer, count, &map,
                   (char *)buffer + message_bytes(&numbers, count));
    }
    return NAIK_OK;
}

/* A block of `vectors` vectors of lanes of a halo cell: lanes at the face from the message, the others
 * from `inner`, which is what travels of a cell of the box. */
static void unpack_block(const lane_array *a, const face_map *map, size_t vectors,
                         const char *message, const char *inner, char *halo)
{
    const size_t vector = a->lanes * a->bytes, part = a->part * a->bytes;
    for (size_t v = 0; v < vectors; v++) {
        size_t next = 0;
        for (size_t k = 0; k < a->lanes; k++) {
            const char *source = map->inner[k] < 0
                                     ? message + v * part + next++ * a->bytes
                                     : inner + v * vector + (size_t)map->inner[k] * a->bytes;
            memcpy(halo + v * vector + k * a->bytes, source, a->bytes);
        }
    }
}

static void unpack_array(const naik_geometry *geometry, const lane_array *to, int32_t first,
                         const int32_t *layer, int32_t count, const face_map *map, const char *from)
{
    const size_t vector = to->lanes * to->bytes, part = to->part * to->bytes;
    const size_t blocks = to->per_cell / (to->block + to->gap);
#pragma omp parallel for schedule(static) num_threads(cpu_threads(geometry->backend))
    for (int32_t i = 0; i < count; i++) {
        _Alignas(64) char room[ROOM];
        const bool whole_lanes = to->part == to->lanes;
        const char *inner = whole_lanes ? NULL : taken(to, layer[i], room);
        char *halo = to->data + (size_t)(first + i) * to->per_cell * vector;
        for (size_t b = 0; b < blocks; b++) {
            const char *message = from + ((size_t)i * blocks + b) * to->block * part;
            char *here = halo + b * (to->block + to->gap) * vector;
            if (whole_lanes) {
                memcpy(here, message, to->block * vector);
            } else {
                unpack_block(to, map, to->block, message, inner + b * to->block * vector, here);
            }
            memset(here + to->block * vector, 0, to->gap * vector);
        }
    }
}

naik_status cpu_unpack(naik_field *field, const naik_layers *layers, int mu, int side,
                       const void *buffer)
{
    const cpu_tables *t = cpu_tables_of(field->geometry);
    const int sender = !side; /* the backward zone holds what lies at the forward ends */
    const face_map map = map_face(&t->shape, mu, sender);
    const int32_t count = layers->depth * t->shape.face[mu];
    const int32_t *layer = t->layer[layers->parity][mu][sender];
    const int32_t first = t->shape.zone[mu][side];
    const lane_array numbers = components(field, layers->halves, mu, side);
    unpack_array(field->geometry, &numbers, first, layer, count, &map, buffer);
    if (field->precision == NAIK_HALF) {
        const lane_array units = scales(field, mu);
        unpack_array(field->geometry, &units, first, layer, count, &map,
                     (const char *)buffer + message_bytes(&numbers, count));
    }
    return NAIK_OK;
}
