/* turn.c - spinors of a field by aggregates, with their right-hand sides side by side, and back */
/* The loops over right-hand sides and rows are to become vectors at any level of optimisation. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include <stdlib.h>
#include <string.h>

#include "backend/coarse/layouts.h"
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
    naik_status status = NAIK_OK;
    naik_log *log = a->geometry->backend->log;
    const size_t bytes = (size_t)a->geometry->lattice->volume_cb * sizeof(int32_t);
    mg_tables *tables = NULL;
    NAIK_TRY(naik_alloc(log, sizeof *tables, "tables of aggregates", (void **)&tables));
    a->tables = tables;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(naik_alloc(log, bytes, "tables of aggregates", (void **)&tables->slot[parity]));
        fill_slots(a, parity, tables->slot[parity]);
    }
done:
    return status;
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
    int nrhs, lanes;
} turning;

static turning turning_of(const naik_aggregates *a, naik_parity parity, const naik_field *v,
                          float *work)
{
    return (turning){.a = a,
                     .slot = ((const mg_tables *)a->tables)->slot[parity],
                     .work = work,
                     .field = v->data,
                     .nrhs = v->nrhs,
                     .lanes = cpu_tables_of(a->geometry)->shape.lanes};
}

/* The numbers of rhs c and the first lane of a cell are `lanes` apart: 24 of them. */
static float *numbers_of(const turning *t, int32_t cell, int c)
{
    return t->field +
           ((size_t)cell * (size_t)t->nrhs + (size_t)c) * NAIK_SPIN * 6 * (size_t)t->lanes;
}

static void turn_cell_in(const turning *t, int32_t cell)
{
    const size_t second = (size_t)t->a->fine * MG_ROWS * MG_NUMBER;
    for (int l = 0; l < t->lanes; l++) {
        float *first = spinor_of(t->a, t->work, t->slot[cell * t->lanes + l]);
        for (int i = 0; i < NAIK_SPIN * 6; i++) {
            float *to = first + (i < 12 ? 0 : second) + (size_t)(i % 12) * MG_RHS;
            const float *from = numbers_of(t, cell, 0) + i * t->lanes + l;
            for (int c = 0; c < t->nrhs; c++) {
                to[c] = from[(size_t)c * NAIK_SPIN * 6 * (size_t)t->lanes];
            }
            for (int c = t->nrhs; c < MG_RHS; c++) {
                to[c] = 0;
            }
        }
    }
}

static void turn_cell_out(const turning *t, int32_t cell)
{
    const size_t second = (size_t)t->a->fine * MG_ROWS * MG_NUMBER;
    for (int l = 0; l < t->lanes; l++) {
        const float *first = spinor_of(t->a, t->work, t->slot[cell * t->lanes + l]);
        for (int i = 0; i < NAIK_SPIN * 6; i++) {
            const float *from = first + (i < 12 ? 0 : second) + (size_t)(i % 12) * MG_RHS;
            float *to = numbers_of(t, cell, 0) + i * t->lanes + l;
            for (int c = 0; c < t->nrhs; c++) {
                to[(size_t)c * NAIK_SPIN * 6 * (size_t)t->lanes] = from[c];
            }
        }
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
