/* modes.c - low modes on the CPU: projection, addition, rotation, rounding to bricks */
/* The loops over lanes are to become vectors at any level of optimisation. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/cpu.h"

#define INLINE static inline __attribute__((always_inline))

enum { BRICK = NAIK_BRICK_SITES, BRICKS_AT_ONCE = 16 }; /* cells; bricks that a thread takes */

/* The cells of one parity in a brick, y fastest: each has one site there, whatever the parity. */
static void brick_cells(const cpu_shape *shape, int32_t brick, int32_t cell[BRICK])
{
    const int32_t half = shape->extent[0] / 2;
    const int32_t x = brick % half;
    int32_t rest = brick / half;
    int32_t at[3];
    for (int mu = 0; mu < 3; mu++) {
        at[mu] = 2 * (rest % (shape->extent[mu + 1] / 2));
        rest /= shape->extent[mu + 1] / 2;
    }
    for (int k = 0; k < BRICK; k++) {
        const int32_t y = at[0] + (k & 1), z = at[1] + (k >> 1 & 1), t = at[2] + (k >> 2);
        cell[k] = ((t * shape->extent[2] + z) * shape->extent[1] + y) * half + x;
    }
}

static int32_t brick_of_cell(const cpu_shape *shape, int32_t cell)
{
    const int32_t half = shape->extent[0] / 2, y = shape->extent[1], z = shape->extent[2];
    const int32_t row = cell / half, plane = row / y, t = plane / z;
    return (((t / 2) * (z / 2) + plane % z / 2) * (y / 2) + row % y / 2) * half + cell % half;
}

/* Those of a brick and rhs, [lanes]. */
INLINE float *brick_scales(const naik_field *v, int32_t brick, int irhs, const int lanes)
{
    return cpu_scales(v) + ((size_t)brick * (size_t)v->nrhs + (size_t)irhs) * (size_t)lanes;
}

#define REAL    double
#define NAME(x) x##_d
#include "backend/cpu/modes.inc"
#undef REAL
#undef NAME
#define REAL    float
#define NAME(x) x##_f
#include "backend/cpu/modes.inc"
#undef REAL
#undef NAME

/* Bytes of a thread's room: enough for `vectors` vectors of a cell in double. */
static void *room_for(size_t vectors)
{
    return aligned_alloc(64, vectors * 6 * CPU_LANES * sizeof(double));
}

static naik_status no_room(const naik_geometry *geometry)
{
    return NAIK_FAIL(geometry->backend->log, NAIK_ERR_MEMORY, "no memory to work on modes");
}

static void project_range(const naik_field *block, const naik_field *r, int32_t begin, int32_t end,
                          const double *scale, void *room, int64_t *products)
{
    const int lanes = cpu_tables_of(r->geometry)->shape.lanes;
    double *const d = room;
    float *const f = room;
    if (r->precision == NAIK_DOUBLE) {
        double *rest = d + BRICK * 6 * CPU_LANES;
        lanes == 1 ? project_d(block, r, begin, end, 1, scale, d, rest, products)
                   : project_d(block, r, begin, end, CPU_LANES, scale, d, rest, products);
    } else {
        float *rest = f + BRICK * 6 * CPU_LANES;
        lanes == 1 ? project_f(block, r, begin, end, 1, scale, f, rest, products)
                   : project_f(block, r, begin, end, CPU_LANES, scale, f, rest, products);
    }
}

naik_status cpu_modes_project(const naik_field *const *block, int count, const naik_field *r,
                              const double *scale, int64_t *products)
{
    const naik_geometry *geometry = r->geometry;
    const int32_t bricks = cpu_tables_of(geometry)->shape.cells / BRICK;
    const int32_t pieces = (bricks + BRICKS_AT_ONCE - 1) / BRICKS_AT_ONCE;
    const size_t each = (size_t)NAIK_MODES_BLOCK * (size_t)r->nrhs * 2;
    bool failed = false;
    memset(products, 0, (size_t)count * each * sizeof *products);
#pragma omp parallel num_threads(cpu_threads(geometry->backend))
    {
        void *room = room_for((size_t)BRICK * (size_t)(1 + r->nrhs));
        int64_t *mine = malloc(each * sizeof *mine);
#pragma omp for schedule(dynamic)
        for (int32_t item = 0; item < count * pieces; item++) {
            const int32_t b = item % count, begin = item / count * BRICKS_AT_ONCE;
            const int32_t end = begin + BRICKS_AT_ONCE < bricks ? begin + BRICKS_AT_ONCE : bricks;
            if (room == NULL || mine == NULL) {
#pragma omp atomic write
                failed = true;
                continue;
            }
            memset(mine, 0, each * sizeof *mine);
            project_range(block[b], r, begin, end, scale, room, mine);
            for (size_t i = 0; i < each; i++) {
#pragma omp atomic
                products[(size_t)b * each + i] += mine[i];
            }
        }
        free(room);
        free(mine);
    }
    return failed ? no_room(geometry) : NAIK_OK;
}

naik_status cpu_modes_add(const naik_field *const *block, int count, const double *a, naik_field *x,
                          const naik_rhs *rhs, naik_rhs_state state)
{
    const naik_geometry *geometry = x->geometry;
    const cpu_shape *shape = &cpu_tables_of(geometry)->shape;
    bool wanted[NAIK_MAX_RHS], failed = false;
    for (int c = 0; c < x->nrhs; c++) {
        wanted[c] = rhs == NULL || rhs[c].state == (int32_t)state;
    }
#pragma omp parallel num_threads(cpu_threads(geometry->backend))
    {
        void *room = room_for((size_t)x->nrhs);
#pragma omp for schedule(static)
        for (int32_t cell = 0; cell < shape->cells; cell++) {
            if (room == NULL) {
#pragma omp atomic write
                failed = true;
            } else if (x->precision == NAIK_DOUBLE) {
                shape->lanes == 1 ? add_d(block, count, a, x, wanted, cell, 1, room)
                                  : add_d(block, count, a, x, wanted, cell, CPU_LANES, room);
            } else {
                shape->lanes == 1 ? add_f(block, count, a, x, wanted, cell, 1, room)
                                  : add_f(block, count, a, x, wanted, cell, CPU_LANES, room);
            }
        }
        free(room);
    }
    return failed ? no_room(geometry) : NAIK_OK;
}

/* The cell's modes, all of them read before one is written. old: room for all of them. */
INLINE void rotate_cell(naik_field *const *block, int count, const double *q, int kept,
                        int32_t cell, const int lanes, double *old)
{
    const int modes = count * NAIK_MODES_BLOCK;
    for (int i = 0; i < modes; i++) {
        load_d(block[i / NAIK_MODES_BLOCK], cell, i % NAIK_MODES_BLOCK, lanes, old + i * 6 * lanes);
    }
    for (int j = 0; j < kept; j++) {
        double sum[6 * CPU_LANES] = {0};
        for (int i = 0; i < modes; i++) {
            axpy_d(sum, old + i * 6 * lanes, q + 2 * (i * kept + j), lanes);
        }
        float *to =
            (float *)block[j / NAIK_MODES_BLOCK]->data +
            ((size_t)cell * NAIK_MODES_BLOCK + (size_t)(j % NAIK_MODES_BLOCK)) * 6 * (size_t)lanes;
        for (int k = 0; k < 6 * lanes; k++) {
            to[k] = (float)sum[k];
        }
    }
}

naik_status cpu_modes_rotate(naik_field *const *block, int count, const double *q, int kept,
                             void *aside, size_t aside_bytes)
{
    (void)aside; /* a thread has all modes of a cell */
    (void)aside_bytes;
    const naik_geometry *geometry = block[0]->geometry;
    const cpu_shape *shape = &cpu_tables_of(geometry)->shape;
    bool failed = false;
#pragma omp parallel num_threads(cpu_threads(geometry->backend))
    {
        double *room = room_for((size_t)count * NAIK_MODES_BLOCK);
#pragma omp for schedule(static)
        for (int32_t cell = 0; cell < shape->cells; cell++) {
            if (room == NULL) {
#pragma omp atomic write
                failed = true;
            } else {
                shape->lanes == 1 ? rotate_cell(block, count, q, kept, cell, 1, room)
                                  : rotate_cell(block, count, q, kept, cell, CPU_LANES, room);
            }
        }
        free(room);
    }
    return failed ? no_room(geometry) : NAIK_OK;
}

/* v [BRICK][6][lanes] into the cells of a brick. */
INLINE void round_brick(const naik_field *to, const int32_t cell[BRICK], int irhs, const float *v,
                        float *scales, const int lanes)
{
    for (int l = 0; l < lanes; l++) {
        float largest = 0, sum = 0;
        for (int i = 0; i < 6 * BRICK; i++) {
            largest = fmaxf(largest, fabsf(v[i * lanes + l]));
            sum += fabsf(v[i * lanes + l]);
        }
        scales[l] = naik_brick_scale(largest, !(sum < NAIK_BRICK_SUM));
    }
    for (int k = 0; k < BRICK; k++) {
        const size_t at = ((size_t)cell[k] * (size_t)to->nrhs + (size_t)irhs) * 6 * (size_t)lanes;
        int16_t *data = (int16_t *)to->data + at;
        for (int i = 0; i < 6 * lanes; i++) {
            const float scale = scales[i % lanes];
            data[i] = (int16_t)(scale > 0 ? lrintf(v[k * 6 * lanes + i] / scale) : 0);
        }
    }
}

naik_status cpu_modes_round(naik_field *to, const naik_field *from)
{
    const cpu_shape *shape = &cpu_tables_of(to->geometry)->shape;
    const int lanes = shape->lanes;
#pragma omp parallel for schedule(static) num_threads(cpu_threads(to->geometry->backend))
    for (int32_t brick = 0; brick < shape->cells / BRICK; brick++) {
        int32_t cell[BRICK];
        float v[BRICK * 6 * CPU_LANES];
        brick_cells(shape, brick, cell);
        for (int c = 0; c < to->nrhs; c++) {
            for (int k = 0; k < BRICK; k++) {
                load_f(from, cell[k], c, lanes, v + k * 6 * lanes);
            }
            round_brick(to, cell, c, v, brick_scales(to, brick, c, lanes), lanes);
        }
    }
    return NAIK_OK;
}

naik_status cpu_modes_widen(naik_field *to, const naik_field *from)
{
    const cpu_shape *shape = &cpu_tables_of(to->geometry)->shape;
    const cpu_kernels *kernels = cpu_kernels_of(to->geometry);
#pragma omp parallel for schedule(static) num_threads(cpu_threads(to->geometry->backend))
    for (int32_t cell = 0; cell < shape->cells; cell++) {
        const int32_t brick = brick_of_cell(shape, cell);
        double v[6 * CPU_LANES];
        for (int c = 0; c < to->nrhs; c++) {
            load_mode_d(from, brick, cell, c, shape->lanes, v);
            kernels->store(to, cell, c, v);
        }
    }
    return NAIK_OK;
}

/* Number, among bricks of the box, of a sub-lattice's brick where the sub-lattice begins at this site. */
static int64_t brick_of_box(const naik_lattice *lat, const cpu_shape *shape, int32_t brick,
                            int64_t origin)
{
    int64_t number = 0, times = 1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const int32_t half = shape->extent[mu] / 2;
        number += times * (brick % half + origin % lat->local[mu] / 2);
        times *= lat->local[mu] / 2;
        brick /= half;
        origin /= lat->local[mu];
    }
    return number;
}

naik_status cpu_mode_place(naik_field *block, int irhs, const naik_brick *bricks)
{
    const naik_lattice *lat = block->geometry->lattice;
    const cpu_shape *shape = &cpu_tables_of(block->geometry)->shape;
    const int lanes = shape->lanes;
#pragma omp parallel for schedule(static) num_threads(cpu_threads(block->geometry->backend))
    for (int32_t brick = 0; brick < shape->cells / BRICK; brick++) {
        int32_t cell[BRICK];
        brick_cells(shape, brick, cell);
        for (int l = 0; l < lanes; l++) {
            const naik_brick *from =
                bricks + brick_of_box(lat, shape, brick, shape->lane_origin[l]);
            brick_scales(block, brick, irhs, lanes)[l] = from->scale;
            for (int k = 0; k < BRICK; k++) {
                const size_t at =
                    ((size_t)cell[k] * (size_t)block->nrhs + (size_t)irhs) * 6 * (size_t)lanes;
                for (int i = 0; i < 6; i++) {
                    ((int16_t *)block->data)[at + (size_t)(i * lanes + l)] = from->number[k][i];
                }
            }
        }
    }
    return NAIK_OK;
}
