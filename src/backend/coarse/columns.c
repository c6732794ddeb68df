/* columns.c - P on the CPU: its columns, restriction, prolongation, and the Galerkin product */
/* The loops over right-hand sides and rows are to become vectors at any level of optimisation. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include <math.h>
#include <string.h>

#include "backend/coarse/layouts.h"
#include "base/clones.h"

enum {
    DECODED = 12, /* fine sites whose columns are decoded together */
    LINE = 32     /* numbers of 16 bits in a line of a cache */
};

size_t mg_transfer_bytes(const naik_aggregates *a, int vectors, naik_precision precision)
{
    const size_t numbers =
        (size_t)mg_aggregates(a) * 4 * (size_t)a->fine * MG_ROWS * (size_t)vectors * 2;
    return precision == NAIK_HALF
               ? numbers * sizeof(int16_t) + numbers / (2 * MG_ROWS) * sizeof(float)
               : numbers * sizeof(float);
}

/* Of one of the two fields that work has room for. */
static size_t work_numbers(const naik_aggregates *a)
{
    return (size_t)mg_aggregates(a) * 2 * (size_t)a->fine * MG_ROWS * MG_NUMBER;
}

size_t mg_work_bytes(const naik_aggregates *a, int vectors)
{
    (void)vectors;
    return 2 * work_numbers(a) * sizeof(float);
}

/* Columns first .. first + count - 1 of an aggregate, and rhs of its spinors in work. */
static void put_columns(const naik_transfer *p, int32_t aggregate, naik_parity parity, int first,
                        int count)
{
    const naik_aggregates *a = p->aggregates;
    for (int chirality = 0; chirality < 2; chirality++) {
        float *to = (float *)p->data + mg_columns_at(p, aggregate, (int)parity, chirality);
        const float *from = (const float *)p->work + ((size_t)aggregate * 2 + (size_t)chirality) *
                                                         (size_t)a->fine * MG_ROWS * MG_NUMBER;
        for (int32_t row = 0; row < a->fine * MG_ROWS; row++) {
            for (int c = 0; c < count; c++) {
                float *number = to + ((size_t)row * (size_t)p->vectors + (size_t)(first + c)) * 2;
                number[0] = from[(size_t)row * MG_NUMBER + (size_t)c];
                number[1] = from[(size_t)row * MG_NUMBER + MG_RHS + (size_t)c];
            }
        }
    }
}

naik_status mg_set_columns(naik_transfer *p, naik_parity parity, int first, const naik_field *v)
{
    const naik_aggregates *a = p->aggregates;
    mg_turn_in(a, parity, v, p->work);
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int32_t i = 0; i < mg_aggregates(a); i++) {
        put_columns(p, i, parity, first, v->nrhs);
    }
    return NAIK_OK;
}

/* Rows of some fine sites, `reals` numbers each, by the scale of their column. Those of the sites that are decoded
 * after them are asked for, which come while these are multiplied. */
NAIK_CLONES static void decode_sites(const int16_t *restrict from, const float *restrict scale,
                                     int32_t sites, int reals, float *restrict to)
{
    float unit[2 * NAIK_MG_VECTORS_MOST] = {0};
    for (int32_t i = 0; i < sites; i++) {
        for (int j = 0; j < reals / 2; j++) {
            unit[2 * j] = unit[2 * j + 1] = scale[i * reals / 2 + j];
        }
        for (int row = 0; row < MG_ROWS; row++) {
            for (int j = 0; j < reals; j += LINE) {
                __builtin_prefetch(from + DECODED * MG_ROWS * reals + j, 0, 2);
            }
            for (int j = 0; j < reals; j++) {
                to[j] = unit[j] * (float)from[j];
            }
            from += reals;
            to += reals;
        }
    }
}

/* Rows of `sites` fine sites from `begin` on of a chirality, [sites][6][vectors][2] in single; room is for
 * that many where P is of 16 bits. */
static const float *rows_of(const naik_transfer *p, int32_t aggregate, int parity, int chirality,
                            int32_t begin, int32_t sites, float *room)
{
    const size_t each = (size_t)MG_ROWS * (size_t)p->vectors * 2;
    const size_t at = mg_columns_at(p, aggregate, parity, chirality) + (size_t)begin * each;
    if (p->precision == NAIK_SINGLE) {
        return (const float *)p->data + at;
    }
    decode_sites((const int16_t *)p->data + at, mg_transfer_scales(p) + at / (2 * MG_ROWS), sites,
                 2 * p->vectors, room);
    return room;
}

typedef float decoded[DECODED * MG_ROWS * NAIK_MG_VECTORS_MOST * 2];

static void take_columns(const naik_transfer *p, int32_t aggregate, naik_parity parity,
                         int chirality, int first, int count)
{
    const naik_aggregates *a = p->aggregates;
    const size_t part = (size_t)a->fine * MG_ROWS * MG_NUMBER;
    float *to = (float *)p->work + (size_t)aggregate * 2 * part;
    decoded room;
    memset(to, 0, 2 * part * sizeof *to);
    to += (size_t)chirality * part;
    for (int32_t site = 0; site < a->fine; site++) {
        const float *from = rows_of(p, aggregate, (int)parity, chirality, site, 1, room);
        for (int row = 0; row < MG_ROWS; row++) {
            for (int c = 0; c < count; c++) {
                const float *number = from + (row * p->vectors + first + c) * 2;
                float *out = to + ((size_t)site * MG_ROWS + (size_t)row) * MG_NUMBER + (size_t)c;
                out[0] = number[0];
                out[MG_RHS] = number[1];
            }
        }
    }
}

naik_status mg_get_columns(const naik_transfer *p, naik_parity parity, int chirality, int first,
                           naik_field *v)
{
    const naik_aggregates *a = p->aggregates;
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int32_t i = 0; i < mg_aggregates(a); i++) {
        take_columns(p, i, parity, chirality, first, v->nrhs);
    }
    mg_turn_out(a, parity, p->work, v);
    return NAIK_OK;
}

/* One fine site and chirality: each column by its own largest number. */
static void compress_site(const float *from, int vectors, int16_t *to, float *scale)
{
    for (int j = 0; j < vectors; j++) {
        float largest = 0;
        for (int row = 0; row < MG_ROWS; row++) {
            for (int i = 0; i < 2; i++) {
                const float size = fabsf(from[(row * vectors + j) * 2 + i]);
                largest = size > largest ? size : largest;
            }
        }
        const float inverse = largest > 0 ? 32767 / largest : 0;
        scale[j] = largest / 32767;
        for (int row = 0; row < MG_ROWS; row++) {
            for (int i = 0; i < 2; i++) {
                const int at = (row * vectors + j) * 2 + i;
                to[at] = (int16_t)lrintf(from[at] * inverse);
            }
        }
    }
}

naik_status mg_compress(naik_transfer *to, const naik_transfer *from)
{
    const naik_aggregates *a = to->aggregates;
    const int64_t sites = (int64_t)mg_aggregates(a) * 4 * a->fine;
    const size_t each = (size_t)MG_ROWS * (size_t)to->vectors * 2;
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int64_t i = 0; i < sites; i++) {
        compress_site((const float *)from->data + (size_t)i * each, to->vectors,
                      (int16_t *)to->data + (size_t)i * each,
                      mg_transfer_scales(to) + (size_t)i * (size_t)to->vectors);
    }
    return NAIK_OK;
}

/* y [vectors][2][16] += P^+ of fine sites begin .. end - 1 times those of the field in work. */
static void gather_sites(const naik_transfer *p, int32_t aggregate, int parity, int chirality,
                         int32_t begin, int32_t end, int nrhs, float *y)
{
    const naik_aggregates *a = p->aggregates;
    const cpu_multigrid *kernels = cpu_multigrid_of(a->geometry);
    const float *x = (const float *)p->work + ((size_t)aggregate * 2 + (size_t)chirality) *
                                                  (size_t)a->fine * MG_ROWS * MG_NUMBER;
    const int32_t together = p->precision == NAIK_SINGLE ? a->fine : DECODED;
    decoded room;
    for (int32_t at = begin; at < end; at += together) {
        const int32_t sites = end - at < together ? end - at : together;
        const mg_matrix rows = {.a = rows_of(p, aggregate, parity, chirality, at, sites, room),
                                .row = 2,
                                .column = 2 * (size_t)p->vectors,
                                .conjugate = true};
        kernels->multiply(&rows, p->vectors, sites * MG_ROWS, nrhs,
                          x + (size_t)at * MG_ROWS * MG_NUMBER, y);
    }
}

naik_status mg_restrict_to(const naik_transfer *p, naik_parity parity, const naik_field *v,
                           naik_coarse *const out[2])
{
    const naik_aggregates *a = p->aggregates;
    mg_turn_in(a, parity, v, p->work);
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int32_t i = 0; i < mg_aggregates(a); i++) {
        const int c = i >= a->count[0];
        float *y = mg_site(out[c], i - mg_first(a, c));
        memset(y, 0, (size_t)(2 * p->vectors) * MG_NUMBER * sizeof *y);
        for (int chirality = 0; chirality < 2; chirality++) {
            gather_sites(p, i, (int)parity, chirality, 0, a->fine, v->nrhs,
                         y + (size_t)(chirality * p->vectors) * MG_NUMBER);
        }
    }
    return NAIK_OK;
}

static void prolong_aggregate(const naik_transfer *p, int32_t aggregate, int parity, int nrhs,
                              const float *e)
{
    const naik_aggregates *a = p->aggregates;
    const cpu_multigrid *kernels = cpu_multigrid_of(a->geometry);
    const size_t part = (size_t)a->fine * MG_ROWS * MG_NUMBER;
    const int32_t together = p->precision == NAIK_SINGLE ? a->fine : DECODED;
    decoded room;
    for (int chirality = 0; chirality < 2; chirality++) {
        float *y = (float *)p->work + ((size_t)aggregate * 2 + (size_t)chirality) * part;
        memset(y, 0, part * sizeof *y);
        for (int32_t at = 0; at < a->fine; at += together) {
            const int32_t sites = a->fine - at < together ? a->fine - at : together;
            const mg_matrix rows = {.a = rows_of(p, aggregate, parity, chirality, at, sites, room),
                                    .row = 2 * (size_t)p->vectors,
                                    .column = 2};
            kernels->multiply(&rows, sites * MG_ROWS, p->vectors, nrhs,
                              e + (size_t)(chirality * p->vectors) * MG_NUMBER,
                              y + (size_t)at * MG_ROWS * MG_NUMBER);
        }
    }
}

naik_status mg_prolong(const naik_transfer *p, naik_parity parity, const naik_coarse *const e[2],
                       naik_field *v)
{
    const naik_aggregates *a = p->aggregates;
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
    for (int32_t i = 0; i < mg_aggregates(a); i++) {
        const int c = i >= a->count[0];
        prolong_aggregate(p, i, (int)parity, v->nrhs, mg_site(e[c], i - mg_first(a, c)));
    }
    mg_turn_out(a, parity, p->work, v);
    return NAIK_OK;
}

/* Columns column .. of a matrix += s y, y [N][2][16]. */
static void add_to_matrix(const float *y, int components, int column, int count, float s,
                          float *matrix)
{
    for (int c = 0; c < count; c++) {
        float *to = matrix + (size_t)(column + c) * (size_t)components * 2;
        for (int m = 0; m < components; m++) {
            to[2 * m] += s * y[m * MG_NUMBER + c];
            to[2 * m + 1] += s * y[m * MG_NUMBER + MG_RHS + c];
        }
    }
}

/* y += P^+ of the fine sites whose point k is in another aggregate, run by run. */
static void gather_outside(const naik_transfer *p, int32_t aggregate, int parity, int k, int nrhs,
                           const uint8_t *across, float *y)
{
    const int32_t fine = p->aggregates->fine;
    for (int32_t begin = 0, end; begin < fine; begin = end) {
        const int outside = across[begin] >> k & 1;
        for (end = begin + 1; end < fine && (across[end] >> k & 1) == outside; end++) {
        }
        for (int chirality = 0; chirality < 2 && outside; chirality++) {
            gather_sites(p, aggregate, parity, chirality, begin, end, nrhs,
                         y + (size_t)(chirality * p->vectors) * MG_NUMBER);
        }
    }
}

/* Columns of Y_k += s P^+ w of an aggregate's sites whose point k is in another. */
static void add_outside(const naik_transfer *p, naik_parity parity, const naik_field *w,
                        int32_t aggregate, int k, int column, float s, naik_coarse_links *m)
{
    const naik_aggregates *a = p->aggregates;
    const int c = aggregate >= a->count[0];
    const int32_t site = aggregate - mg_first(a, c);
    float y[MG_COMPONENTS_MOST * MG_NUMBER] = {0};
    gather_outside(p, aggregate, (int)parity, k, w->nrhs,
                   a->across[c] + ((size_t)site * 2 + (size_t)parity) * (size_t)a->fine, y);
    add_to_matrix(y, m->components, column, w->nrhs, s,
                  (float *)m->data + mg_matrix_at(m, c, site, k) * mg_matrix_numbers(m));
}

/* Columns of X += P^+ of what has been summed of an aggregate, turned. */
static void add_inside(const naik_transfer *p, naik_parity parity, int nrhs, int32_t aggregate,
                       int column, naik_coarse_links *m)
{
    const naik_aggregates *a = p->aggregates;
    const int c = aggregate >= a->count[0];
    const int32_t site = aggregate - mg_first(a, c);
    float y[MG_COMPONENTS_MOST * MG_NUMBER] = {0};
    for (int chirality = 0; chirality < 2; chirality++) {
        gather_sites(p, aggregate, (int)parity, chirality, 0, a->fine, nrhs,
                     y + (size_t)(chirality * p->vectors) * MG_NUMBER);
    }
    add_to_matrix(y, m->components, column, nrhs, 1,
                  (float *)m->data +
                      mg_matrix_at(m, c, site, NAIK_MG_LOCAL) * mg_matrix_numbers(m));
}

/* What stays in the aggregates is summed site by site over A and all points, and meets P^+ once. */
naik_status mg_galerkin(const naik_transfer *p, naik_parity parity, const naik_field *w, int k,
                        int column, float s, naik_coarse_links *m)
{
    const naik_aggregates *a = p->aggregates;
    float *inside = (float *)p->work + work_numbers(a);
    mg_turn_apart(a, parity, w, k, s, inside, p->work);
    if (k < NAIK_MG_POINTS) {
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
        for (int32_t i = 0; i < mg_aggregates(a); i++) {
            add_outside(p, parity, w, i, k, column, s, m);
        }
    }
    if (k == NAIK_MG_POINTS - 1) {
        naik_field sums = *w;
        sums.data = inside;
        mg_turn_in(a, parity, &sums, p->work);
#pragma omp parallel for num_threads(cpu_threads(a->geometry->backend)) schedule(static)
        for (int32_t i = 0; i < mg_aggregates(a); i++) {
            add_inside(p, parity, w->nrhs, i, column, m);
        }
    }
    return NAIK_OK;
}
