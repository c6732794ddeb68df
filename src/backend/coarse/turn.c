/* turn.c - spinors of a field by aggregates, with their right-hand sides side by side, and back */
/* The loops over right-hand sides and rows are to become vectors at any level of optimisation. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include <stdlib.h>
#include <string.h>

#include "backend/coarse/layouts.h"
#include "base/clones.h"
#include "base/memory.h"

const cpu_multigrid *cpu_multigrid_of(const naik_geometry *geometry)
{
    const cpu_kernels *kernels = ((const cpu_state *)geometry->backend->state)->kernels;
#if defined(__x86_64__)
    if (kernels == &cpu_kernels_avx512) {
        return &cpu_multigrid_avx512;
    }
    if (kernels == &cpu_kernels_avx2) {
        return &cpu_multigrid_avx2;
    }
#endif
    (void)kernels;
    return &cpu_multigrid_portable;
}

static void fill_slots(const naik_aggregates *a, int parity, int32_t *slot)
{
    const naik_lattice *lat = a->geometry->lattice;
    const cpu_shape *shape = &cpu_tables_of(a->geometry)->shape;
    for (int c = 0; c < 2; c++) {
        for (int32_t site = 0; site < a->count[c]; site++) {
            const int32_t *member =
                a->member[c] + ((size_t)site * 2 + (size_t)parity) * (size_t)a->fine;
            for (int32_t i = 0; i < a->fine; i++) {
                int x[NAIK_DIM];
                size_t cell, lane;
                naik_lattice_coords(lat, naik_lattice_site_of(lat, (naik_parity)parity, member[i]),
                                    x);
                cpu_place_of(shape, x, &cell, &lane);
                slot[cell * (size_t)shape->lanes + lane] = (mg_first(a, c) + site) * a->fine + i;
            }
        }
    }
}

naik_status mg_aggregates_open(naik_aggregates *a)
{
    naik_log *log = a->geometry->backend->log;
    const size_t bytes = (size_t)a->geometry->lattice->volume_cb * sizeof(int32_t);
    mg_tables *tables = NULL;
    NAIK_PASS(naik_alloc(log, sizeof *tables, "tables of aggregates", (void **)&tables));
    a->tables = tables;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(naik_alloc(log, bytes, "tables of aggregates", (void **)&tables->slot[parity]));
        fill_slots(a, parity, tables->slot[parity]);
    }
    return NAIK_OK;
}

void mg_aggregates_close(naik_aggregates *a)
{
    mg_tables *tables = a->tables;
    if (tables != NULL) {
        naik_free(tables->slot[0]);
        naik_free(tables->slot[1]);
        naik_free(tables);
        a->tables = NULL;
    }
}

/* Where the spinor of a slot begins in work: rows of the first chirality; the second `second` behind. */
static float *spinor_of(const naik_aggregates *a, float *work, int32_t slot)
{
    const int32_t aggregate = slot / a->fine, member = slot % a->fine;
    return work + ((size_t)aggregate * 2 * (size_t)a->fine + (size_t)member) * MG_ROWS * MG_NUMBER;
}

typedef struct turning {
    const naik_aggregates *a;
    const int32_t *slot;
    float *work, *field;
    int parity, nrhs, lanes;
} turning;

static turning turning_of(const naik_aggregates *a, naik_parity parity, const naik_field *v,
                          float *work)
{
    return (turning){.a = a,
                     .slot = ((const mg_tables *)a->tables)->slot[parity],
                     .work = work,
                     .field = v->data,
                     .parity = (int)parity,
                     .nrhs = v->nrhs,
                     .lanes = cpu_tables_of(a->geometry)->shape.lanes};
}

/* The numbers of rhs c and the first lane of a cell are `lanes` apart: 24 of them. */
static float *numbers_of(const turning *t, int32_t cell, int c)
{
    return t->field +
           ((size_t)cell * (size_t)t->nrhs + (size_t)c) * NAIK_SPIN * 6 * (size_t)t->lanes;
}

enum { NUMBERS = NAIK_SPIN * 6, LANES = 16 };
/* The spinors of a cell, by lanes: what work has of each of them. */
typedef float cell_rows[LANES][NUMBERS][MG_RHS];

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define SHUFFLES
#endif
#endif

#ifdef SHUFFLES
typedef float row_vector __attribute__((vector_size(sizeof(float[LANES])), aligned(4)));

/* Lane l of two rows h apart, of which a block of h lanes changes places with its mirror image. */
#define LOW(l, h)  ((l) & (h) ? LANES + (l) - (h) : (l))
#define HIGH(l, h) ((l) & (h) ? LANES + (l) : (l) + (h))
#define LANES_OF(f, h)                                                                             \
    f(0, h), f(1, h), f(2, h), f(3, h), f(4, h), f(5, h), f(6, h), f(7, h), f(8, h), f(9, h),      \
        f(10, h), f(11, h), f(12, h), f(13, h), f(14, h), f(15, h)
#define SWAP_BLOCKS(m, h)                                                                          \
    for (int i = 0; i < LANES; i++) {                                                              \
        if ((i & (h)) == 0) {                                                                      \
            const row_vector a = (m)[i], b = (m)[i + (h)];                                         \
            (m)[i] = __builtin_shufflevector(a, b, LANES_OF(LOW, h));                              \
            (m)[i + (h)] = __builtin_shufflevector(a, b, LANES_OF(HIGH, h));                       \
        }                                                                                          \
    }

/* Rows become columns. */
static inline void transpose(row_vector m[LANES]){SWAP_BLOCKS(m, 8) SWAP_BLOCKS(m, 4)
                                                      SWAP_BLOCKS(m, 2) SWAP_BLOCKS(m, 1)}

NAIK_CLONES static void read_wide(const float *from, int nrhs, cell_rows to)
{
    for (int i = 0; i < NUMBERS; i++) {
        row_vector m[LANES] = {{0}};
        for (int c = 0; c < nrhs; c++) {
            m[c] = *(const row_vector *)(from + (c * NUMBERS + i) * LANES);
        }
        transpose(m);
        for (int l = 0; l < LANES; l++) {
            *(row_vector *)to[l][i] = m[l];
        }
    }
}

NAIK_CLONES static void write_wide(cell_rows from, int nrhs, float *to)
{
    for (int i = 0; i < NUMBERS; i++) {
        row_vector m[LANES];
        for (int l = 0; l < LANES; l++) {
            m[l] = *(const row_vector *)from[l][i];
        }
        transpose(m);
        for (int c = 0; c < nrhs; c++) {
            *(row_vector *)(to + (c * NUMBERS + i) * LANES) = m[c];
        }
    }
}
#endif

static void read_cell(const turning *t, int32_t cell, cell_rows to)
{
#ifdef SHUFFLES
    if (t->lanes == LANES) {
        read_wide(numbers_of(t, cell, 0), t->nrhs, to);
        return;
    }
#endif
    for (int l = 0; l < t->lanes; l++) {
        for (int i = 0; i < NUMBERS; i++) {
            for (int c = 0; c < MG_RHS; c++) {
                to[l][i][c] = c < t->nrhs ? numbers_of(t, cell, c)[i * t->lanes + l] : 0;
            }
        }
    }
}

static void write_cell(const turning *t, int32_t cell, cell_rows from)
{
#ifdef SHUFFLES
    if (t->lanes == LANES) {
        write_wide(from, t->nrhs, numbers_of(t, cell, 0));
        return;
    }
#endif
    for (int l = 0; l < t->lanes; l++) {
        for (int i = 0; i < NUMBERS; i++) {
            for (int c = 0; c < t->nrhs; c++) {
                numbers_of(t, cell, c)[i * t->lanes + l] = from[l][i][c];
            }
        }
    }
}

/* Numbers of a chirality of a spinor, and how far behind those of the first the second ones lie in work. */
enum { HALF = NUMBERS / 2 * MG_RHS };
static size_t to_second(const naik_aggregates *a)
{
    return (size_t)a->fine * MG_ROWS * MG_NUMBER;
}

static void turn_cell_in(const turning *t, int32_t cell)
{
    _Alignas(64) cell_rows rows;
    read_cell(t, cell, rows);
    for (int l = 0; l < t->lanes; l++) {
        float *to = spinor_of(t->a, t->work, t->slot[cell * t->lanes + l]);
        memcpy(to, rows[l][0], HALF * sizeof *to);
        memcpy(to + to_second(t->a), rows[l][NUMBERS / 2], HALF * sizeof *to);
    }
}

static void turn_cell_out(const turning *t, int32_t cell)
{
    _Alignas(64) cell_rows rows;
    for (int l = 0; l < t->lanes; l++) {
        const float *from = spinor_of(t->a, t->work, t->slot[cell * t->lanes + l]);
        memcpy(rows[l][0], from, HALF * sizeof *from);
        memcpy(rows[l][NUMBERS / 2], from + to_second(t->a), HALF * sizeof *from);
    }
    write_cell(t, cell, rows);
}

/* Whether point k of a site is in another aggregate. */
static bool leaves(const turning *t, int32_t slot, int k)
{
    const naik_aggregates *a = t->a;
    const int32_t aggregate = slot / a->fine, member = slot % a->fine;
    const int c = aggregate >= a->count[0];
    const size_t site = (size_t)(aggregate - mg_first(a, c));
    return k < NAIK_MG_POINTS &&
           (a->across[c][(site * 2 + (size_t)t->parity) * (size_t)a->fine + (size_t)member] >> k &
            1) != 0;
}

/* to = s from, the first time, or += it. */
NAIK_CLONES static void add_numbers(const float *restrict from, float s, bool first, int numbers,
                                    float *restrict to)
{
    for (int i = 0; i < numbers; i++) {
        to[i] = first ? s * from[i] : to[i] + s * from[i];
    }
}

/* The same of lanes that do not leave; the others stay as they are. */
NAIK_CLONES static void add_lanes(const float *restrict from, float s, const bool *leaving,
                                  int numbers, int lanes, float *restrict to)
{
    for (int i = 0; i < numbers; i += lanes) {
        for (int l = 0; l < lanes; l++) {
            to[i + l] = leaving[l] ? to[i + l] : to[i + l] + s * from[i + l];
        }
    }
}

static void part_cell(const turning *t, int32_t cell, int k, float s, float *inside)
{
    const int numbers = t->nrhs * NUMBERS * t->lanes;
    const float *from = numbers_of(t, cell, 0);
    float *to = inside + (size_t)cell * (size_t)numbers;
    bool leaving[LANES];
    int count = 0;
    for (int l = 0; l < t->lanes; l++) {
        leaving[l] = leaves(t, t->slot[cell * t->lanes + l], k);
        count += leaving[l];
    }
    if (count == 0) {
        add_numbers(from, s, k == NAIK_MG_LOCAL, numbers, to);
        return;
    }
    if (count < t->lanes) { /* of a point, before which A began the sums */
        add_lanes(from, s, leaving, numbers, t->lanes, to);
    }
    _Alignas(64) cell_rows rows;
    read_cell(t, cell, rows);
    for (int l = 0; l < t->lanes; l++) {
        if (leaving[l]) {
            float *out = spinor_of(t->a, t->work, t->slot[cell * t->lanes + l]);
            memcpy(out, rows[l][0], HALF * sizeof *out);
            memcpy(out + to_second(t->a), rows[l][NUMBERS / 2], HALF * sizeof *out);
        }
    }
}

void mg_turn_apart(const naik_aggregates *a, naik_parity parity, const naik_field *v, int k,
                   float s, float *inside, float *outside)
{
    const turning t = turning_of(a, parity, v, outside);
    const int32_t cells = cpu_tables_of(a->geometry)->shape.cells;
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int32_t cell = 0; cell < cells; cell++) {
        part_cell(&t, cell, k, s, inside);
    }
}

void mg_turn_in(const naik_aggregates *a, naik_parity parity, const naik_field *v, float *work)
{
    const turning t = turning_of(a, parity, v, work);
    const int32_t cells = cpu_tables_of(a->geometry)->shape.cells;
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int32_t cell = 0; cell < cells; cell++) {
        turn_cell_in(&t, cell);
    }
}

void mg_turn_out(const naik_aggregates *a, naik_parity parity, const float *work, naik_field *v)
{
    const turning t = turning_of(a, parity, v, (float *)work);
    const int32_t cells = cpu_tables_of(a->geometry)->shape.cells;
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int32_t cell = 0; cell < cells; cell++) {
        turn_cell_out(&t, cell);
    }
}
