/* layout.c - how the CPU lays a box out in lanes and cells (cpu.h)
 *
 * Everything here follows from the extents of the box alone, so that neighbours, which all have the
 * same box, agree on messages without a word.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"
#include "base/memory.h"

/* A halo as deep as three sites must come from the next sub-lattice, not from the one after. */
static bool can_cut(const naik_lattice *lat, const cpu_shape *shape, int mu)
{
    const int half = shape->extent[mu] / 2;
    return shape->extent[mu] % 4 == 0 && (!lat->split[mu] || half >= NAIK_HALO_DEPTH);
}

/* Halves directions until there are as many sub-lattices as lanes: x and y first, as long as four
 * sites remain, then the longest. Small layers in x, y and z are what keeps the neighbours' vectors
 * in the caches while the cells pass by. A direction that is split over ranks comes last, because
 * its halo would have to be assembled. */
static bool cut_into_lanes(const naik_lattice *lat, cpu_shape *shape)
{
    for (int lanes = 1; lanes < CPU_LANES; lanes *= 2) {
        int best = -1, first = -1, longest = 0;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            const int length = shape->extent[mu];
            const int turn = (lat->split[mu] ? 0 : 2) + (mu < 2 && length >= 8 ? 1 : 0);
            if (can_cut(lat, shape, mu) && (turn > first || (turn == first && length > longest))) {
                best = mu;
                first = turn;
                longest = length;
            }
        }
        if (best < 0) {
            return false;
        }
        shape->extent[best] /= 2;
        shape->cut[best] *= 2;
    }
    return true;
}

static void place_lanes(const naik_lattice *lat, cpu_shape *shape)
{
    for (int lane = 0; lane < shape->lanes; lane++) {
        int rest = lane, x[NAIK_DIM];
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            shape->lane_place[lane][mu] = rest % shape->cut[mu];
            rest /= shape->cut[mu];
            x[mu] = shape->lane_place[lane][mu] * shape->extent[mu];
        }
        shape->lane_origin[lane] = naik_lattice_site(lat, x);
    }
}

cpu_shape cpu_shape_of(const naik_lattice *lat)
{
    cpu_shape shape = {.lanes = CPU_LANES, .cut = {1, 1, 1, 1}};
    memcpy(shape.extent, lat->local, sizeof shape.extent);
    if (!cut_into_lanes(lat, &shape)) {
        shape.lanes = 1;
        memcpy(shape.extent, lat->local, sizeof shape.extent);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            shape.cut[mu] = 1;
        }
    }
    place_lanes(lat, &shape);
    shape.cells = lat->volume_cb / shape.lanes;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        shape.face[mu] = shape.cells / shape.extent[mu];
        for (int side = 0; side < 2; side++) {
            shape.zone[mu][side] = lat->split[mu] ? shape.cells + shape.halo : -1;
            shape.halo += lat->split[mu] ? NAIK_HALO_DEPTH * shape.face[mu] : 0;
        }
    }
    return shape;
}

/* Coordinates of a cell in its sub-lattice. */
static void cell_coords(const cpu_shape *shape, naik_parity parity, int32_t cell, int x[NAIK_DIM])
{
    int32_t row = 2 * cell / shape->extent[0];
    x[1] = (int)(row % shape->extent[1]);
    x[2] = (int)(row / shape->extent[1] % shape->extent[2]);
    x[3] = (int)(row / shape->extent[1] / shape->extent[2]);
    x[0] = 2 * cell % shape->extent[0] + ((x[1] + x[2] + x[3] + (int)parity) & 1);
}

/* The cell at coordinates x of its sub-lattice; without coordinate mu (none: -1), the number of
 * the cell in its layer. */
static int32_t cell_number(const cpu_shape *shape, const int x[NAIK_DIM], int mu)
{
    int32_t number = 0;
    for (int nu = NAIK_DIM - 1; nu >= 0; nu--) {
        number = nu == mu ? number : number * shape->extent[nu] + x[nu];
    }
    return number / 2;
}

/* Numbers of the lane movements: 0 none, then for each mu by 1 .. cut - 1 sub-lattices. */
static int shift_number(const cpu_shape *shape, int mu, int by)
{
    int first = 1;
    for (int nu = 0; nu < mu; nu++) {
        first += shape->cut[nu] - 1;
    }
    return by == 0 ? 0 : first + by - 1;
}

static void fill_moves(cpu_tables *t)
{
    const cpu_shape *s = &t->shape;
    for (int lane = 0; lane < s->lanes; lane++) {
        int stride = 1;
        t->move[0].from[lane] = lane;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            const int place = s->lane_place[lane][mu];
            for (int by = 1; by < s->cut[mu]; by++) {
                const int there = (place + by) % s->cut[mu];
                t->move[shift_number(s, mu, by)].from[lane] = lane + (there - place) * stride;
            }
            stride *= s->cut[mu];
        }
    }
    for (int shift = 0; shift < CPU_SHIFTS; shift++) {
        cpu_move *move = &t->move[shift];
        move->fours = true;
        for (int lane = 0; lane < s->lanes; lane++) {
            move->fours &= move->from[lane] / 4 == move->from[lane / 4 * 4] / 4;
        }
    }
}

/* Cells in tiles of a few layers in z, each through the time slices of a thread: few enough cells
 * in a slice of a tile that their neighbours in t are still in a cache. A thread's share is about
 * the same slices as in the updates, which take cells by number. */
static void fill_order(cpu_tables *t, int threads)
{
    enum { TILE_CELLS = 128, LAYERS = 4 };
    const cpu_shape *s = &t->shape;
    const int32_t depth = s->extent[2], layer = s->extent[0] * s->extent[1] / 2;
    const int32_t most = depth / LAYERS, wanted = layer * depth / TILE_CELLS;
    const int32_t tiles = wanted < 1 || most < 1 ? 1 : wanted < most ? wanted : most;
    const int32_t shares = threads < s->extent[3] ? threads : s->extent[3];
    int32_t count = 0;
    for (int32_t i = 0; i < shares * tiles; i++) {
        const int32_t share = i / tiles, tile = i % tiles,
                      end = s->extent[3] * (share + 1) / shares;
        const int32_t below = depth * tile / tiles, above = depth * (tile + 1) / tiles;
        for (int32_t slice = s->extent[3] * share / shares; slice < end; slice++) {
            for (int32_t cell = (slice * depth + below) * layer;
                 cell < (slice * depth + above) * layer; cell++) {
                t->order[count++] = cell;
            }
        }
    }
}

static void fill_hops(const naik_lattice *lat, cpu_tables *t, naik_parity parity)
{
    static const int step[4] = {1, -1, 3, -3};
    const cpu_shape *s = &t->shape;
    int32_t interior = 0, boundary = 0;
    for (int32_t i = 0; i < s->cells; i++) {
        const int32_t cell = t->order[i];
        int x[NAIK_DIM];
        bool inside = true;
        cell_coords(s, parity, cell, x);
        for (int k = 0; k < NAIK_STENCIL; k++) {
            const int mu = k % 4, extent = s->extent[mu], there = x[mu] + step[k / 4];
            int y[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
            int32_t *point = &t->point[parity][(size_t)cell * NAIK_STENCIL + (size_t)k];
            if (lat->split[mu] && (there < 0 || there >= extent)) {
                const int side = there < 0 ? NAIK_BACKWARD : NAIK_FORWARD;
                const int depth = there < 0 ? -1 - there : there - extent;
                *point = s->zone[mu][side] + depth * s->face[mu] + cell_number(s, x, mu);
                inside = false;
                continue;
            }
            y[mu] = (there % extent + extent) % extent;
            *point = cell_number(s, y, -1);
            const int by = ((there - y[mu]) / extent % s->cut[mu] + s->cut[mu]) % s->cut[mu];
            t->shift[parity][(size_t)cell * NAIK_STENCIL + (size_t)k] =
                (uint8_t)shift_number(s, mu, by);
        }
        if (inside) {
            t->interior[parity][interior++] = cell;
        } else {
            t->boundary[parity][boundary++] = cell;
        }
    }
    t->interior_count[parity] = interior;
    t->boundary_count[parity] = boundary;
}

static void fill_layers(const naik_lattice *lat, cpu_tables *t, naik_parity parity)
{
    const cpu_shape *s = &t->shape;
    for (int32_t cell = 0; cell < s->cells; cell++) {
        int x[NAIK_DIM];
        cell_coords(s, parity, cell, x);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            const int depth[2] = {s->extent[mu] - 1 - x[mu],
                                  x[mu]}; /* from forward, from backward */
            for (int side = 0; lat->split[mu] && side < 2; side++) {
                if (depth[side] < NAIK_HALO_DEPTH) {
                    t->layer[parity][mu][side][depth[side] * s->face[mu] + cell_number(s, x, mu)] =
                        cell;
                }
            }
        }
    }
}

static naik_status allocate_tables(naik_log *log, const naik_lattice *lat, cpu_tables *t)
{
    const cpu_shape *s = &t->shape;
    const size_t cells = (size_t)s->cells * sizeof(int32_t);
    NAIK_PASS(naik_alloc(log, cells, "order of cells", (void **)&t->order));
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(
            naik_alloc(log, NAIK_STENCIL * cells, "neighbour table", (void **)&t->point[parity]));
        NAIK_PASS(naik_alloc(log, NAIK_STENCIL * (size_t)s->cells, "neighbour table",
                             (void **)&t->shift[parity]));
        NAIK_PASS(naik_alloc(log, cells, "interior list", (void **)&t->interior[parity]));
        NAIK_PASS(naik_alloc(log, cells, "boundary list", (void **)&t->boundary[parity]));
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            for (int side = 0; lat->split[mu] && side < 2; side++) {
                NAIK_PASS(
                    naik_alloc(log, (size_t)NAIK_HALO_DEPTH * (size_t)s->face[mu] * sizeof(int32_t),
                               "halo tables", (void **)&t->layer[parity][mu][side]));
            }
        }
    }
    return NAIK_OK;
}

naik_status cpu_tables_create(naik_backend *backend, const naik_lattice *lat, void **out)
{
    cpu_tables *t = calloc(1, sizeof *t);
    *out = t;
    if (t == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the lattice tables");
    }
    t->shape = cpu_shape_of(lat);
    NAIK_PASS(allocate_tables(backend->log, lat, t));
    fill_moves(t);
    fill_order(t, cpu_threads(backend));
    for (int parity = 0; parity < 2; parity++) {
        fill_hops(lat, t, (naik_parity)parity);
        fill_layers(lat, t, (naik_parity)parity);
    }
    return NAIK_OK;
}

void cpu_tables_destroy(naik_backend *backend, void *tables)
{
    (void)backend;
    cpu_tables *t = tables;
    if (t != NULL) {
        naik_free(t->order);
    }
    for (int parity = 0; t != NULL && parity < 2; parity++) {
        naik_free(t->point[parity]);
        naik_free(t->shift[parity]);
        naik_free(t->interior[parity]);
        naik_free(t->boundary[parity]);
        for (int i = 0; i < NAIK_DIM * 2; i++) {
            naik_free(t->layer[parity][i / 2][i % 2]);
        }
    }
    free(t);
}

static size_t field_bytes(const naik_lattice *lat, naik_precision precision, int nrhs, bool bare)
{
    const cpu_shape shape = cpu_shape_of(lat);
    const size_t cells = (size_t)shape.cells + (size_t)(bare ? 0 : shape.halo);
    const size_t vectors = cells * (size_t)nrhs * (size_t)shape.lanes;
    const size_t scales = bare ? vectors / NAIK_BRICK_SITES : vectors;
    return precision == NAIK_HALF ? cpu_scales_offset(&shape, nrhs, bare) + scales * sizeof(float)
                                  : vectors * 6 * cpu_real_bytes(precision);
}

size_t cpu_field_bytes(const naik_lattice *lat, naik_precision precision, int nrhs)
{
    return field_bytes(lat, precision, nrhs, false);
}

size_t cpu_bare_field_bytes(const naik_lattice *lat, naik_precision precision, int nrhs)
{
    return field_bytes(lat, precision, nrhs, true);
}
