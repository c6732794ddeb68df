/* dense.c - dense algebra of an aggregate in double: its columns orthonormal, its matrices inverted */
/* The loops over right-hand sides and rows are to become vectors at any level of optimisation. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/coarse/layouts.h"
#include "base/clones.h"

enum { SUMS = 8 }; /* partial sums of a product, so that vectors can be made of it */

/* A column: re and im apart, each `padded` long, zeros behind its rows. */
typedef struct column_set {
    double *numbers; /* [columns][2][padded] */
    size_t padded, rows;
} column_set;

static double *column_of(const column_set *s, int j)
{
    return s->numbers + (size_t)j * 2 * s->padded;
}

/* out = (v, w) */
NAIK_CLONES static void product(const double *v, const double *w, size_t padded, double out[2])
{
    double re[SUMS] = {0}, im[SUMS] = {0};
    const double *v_im = v + padded, *w_im = w + padded;
    for (size_t i = 0; i < padded; i += SUMS) {
        for (size_t l = 0; l < SUMS; l++) {
            re[l] += v[i + l] * w[i + l] + v_im[i + l] * w_im[i + l];
            im[l] += v[i + l] * w_im[i + l] - v_im[i + l] * w[i + l];
        }
    }
    out[0] = out[1] = 0;
    for (int l = 0; l < SUMS; l++) {
        out[0] += re[l];
        out[1] += im[l];
    }
}

/* w -= a v */
NAIK_CLONES static void subtract(double *w, const double *v, size_t padded, const double a[2])
{
    double *w_im = w + padded;
    const double *v_im = v + padded;
    for (size_t i = 0; i < padded; i++) {
        w[i] -= a[0] * v[i] - a[1] * v_im[i];
        w_im[i] -= a[0] * v_im[i] + a[1] * v[i];
    }
}

static double length_of(const double *v, size_t padded)
{
    double square[2];
    product(v, v, padded, square);
    return sqrt(square[0]);
}

/* So many columns are taken out of another in one pass over it. */
enum { ABREAST = 4 };

/* w without its parts along four columns, `stride` apart, which are orthonormal. */
NAIK_CLONES static void reduce_by_four(const double *restrict v, size_t stride, size_t padded,
                                       double *restrict w)
{
    double re[ABREAST][SUMS] = {{0}}, im[ABREAST][SUMS] = {{0}};
    for (size_t i = 0; i < padded; i += SUMS) {
        for (size_t k = 0; k < ABREAST; k++) {
            const double *a = v + k * stride + i, *b = w + i;
            for (size_t l = 0; l < SUMS; l++) {
                re[k][l] += a[l] * b[l] + a[padded + l] * b[padded + l];
            }
            for (size_t l = 0; l < SUMS; l++) { /* by itself: see clones.h */
                im[k][l] += a[l] * b[padded + l] - a[padded + l] * b[l];
            }
        }
    }
    for (int k = 0; k < ABREAST; k++) {
        for (int l = 1; l < SUMS; l++) {
            re[k][0] += re[k][l];
            im[k][0] += im[k][l];
        }
    }
    for (size_t i = 0; i < padded; i += SUMS) {
        double b[2][SUMS]; /* by itself, or both parts are taken one number at a time */
        memcpy(b[0], w + i, sizeof b[0]);
        memcpy(b[1], w + padded + i, sizeof b[1]);
        for (size_t k = 0; k < ABREAST; k++) {
            const double *a = v + k * stride + i;
            for (size_t l = 0; l < SUMS; l++) {
                b[0][l] -= re[k][0] * a[l] - im[k][0] * a[padded + l];
            }
            for (size_t l = 0; l < SUMS; l++) {
                b[1][l] -= re[k][0] * a[padded + l] + im[k][0] * a[l];
            }
        }
        memcpy(w + i, b[0], sizeof b[0]);
        memcpy(w + padded + i, b[1], sizeof b[1]);
    }
}

/* Column j without its parts along those before it. */
static void reduce(const column_set *s, int j)
{
    int i = 0;
    for (; i + ABREAST <= j; i += ABREAST) {
        reduce_by_four(column_of(s, i), 2 * s->padded, s->padded, column_of(s, j));
    }
    for (; i < j; i++) {
        double part[2];
        product(column_of(s, i), column_of(s, j), s->padded, part);
        subtract(column_of(s, j), column_of(s, i), s->padded, part);
    }
}

/* Where an aggregate's numbers of a column are: row r of fine parity p. */
static float *number_of(const naik_transfer *p, int32_t aggregate, int chirality, size_t row, int j)
{
    const size_t half = (size_t)p->aggregates->fine * MG_ROWS;
    const int parity = row >= half;
    return (float *)p->data + mg_columns_at(p, aggregate, parity, chirality) +
           ((row - (size_t)parity * half) * (size_t)p->vectors + (size_t)j) * 2;
}

static void fill_with_noise(const naik_transfer *p, int64_t global, int chirality, int j,
                            const column_set *s)
{
    double *v = column_of(s, j);
    for (size_t row = 0; row < s->rows; row++) {
        float number[2];
        naik_mg_noise(global, (int)(row / MG_ROWS), chirality * MG_ROWS + (int)(row % MG_ROWS),
                      chirality * p->vectors + j, number);
        v[row] = (double)number[0];
        v[s->padded + row] = (double)number[1];
    }
}

/* Column j becomes orthonormal to those before it; *least, *replaced as naik_orthonormal's. */
static void make_column(const naik_transfer *p, int64_t global, int chirality, int j,
                        const column_set *s, naik_orthonormal *met)
{
    double *v = column_of(s, j);
    const double before = length_of(v, s->padded);
    reduce(s, j);
    const double left = before > 0 ? length_of(v, s->padded) / before : 0;
    met->least = left < met->least ? left : met->least;
    if (!(left >= NAIK_MG_ALIKE)) {
        met->replaced++;
        fill_with_noise(p, global, chirality, j, s);
        reduce(s, j);
    }
    reduce(s, j);
    const double length = length_of(v, s->padded);
    for (size_t i = 0; i < 2 * s->padded; i++) {
        v[i] /= length;
    }
}

static void orthonormalise_part(const naik_transfer *p, int32_t aggregate, int chirality,
                                const column_set *s, naik_orthonormal *met)
{
    const naik_aggregates *a = p->aggregates;
    const int c = aggregate >= a->count[0];
    const int64_t global = a->global[c][aggregate - mg_first(a, c)];
    memset(s->numbers, 0, (size_t)p->vectors * 2 * s->padded * sizeof *s->numbers);
    for (size_t row = 0; row < s->rows; row++) {
        for (int j = 0; j < p->vectors; j++) {
            const float *number = number_of(p, aggregate, chirality, row, j);
            column_of(s, j)[row] = (double)number[0];
            column_of(s, j)[s->padded + row] = (double)number[1];
        }
    }
    for (int j = 0; j < p->vectors; j++) {
        make_column(p, global, chirality, j, s, met);
    }
    for (size_t row = 0; row < s->rows; row++) {
        for (int j = 0; j < p->vectors; j++) {
            float *number = number_of(p, aggregate, chirality, row, j);
            number[0] = (float)column_of(s, j)[row];
            number[1] = (float)column_of(s, j)[s->padded + row];
        }
    }
}

naik_status mg_orthonormalise(naik_transfer *p, naik_orthonormal *out)
{
    const naik_aggregates *a = p->aggregates;
    naik_backend *backend = a->geometry->backend;
    const size_t rows = 2 * (size_t)a->fine * MG_ROWS;
    /* a little longer than rows, lest all columns fall upon the same lines of a cache */
    const size_t padded = (rows + SUMS - 1) / SUMS * SUMS + SUMS;
    double least = 1;
    int64_t replaced = 0;
    bool failed = false;
#pragma omp parallel num_threads(cpu_threads(backend)) reduction(min : least)                      \
    reduction(+ : replaced)
    {
        const column_set s = {aligned_alloc(64, (size_t)p->vectors * 2 * padded * sizeof(double)),
                              padded, rows};
        naik_orthonormal met = {.least = 1};
#pragma omp for schedule(static)
        for (int32_t i = 0; i < 2 * mg_aggregates(a); i++) {
            if (s.numbers == NULL) {
#pragma omp atomic write
                failed = true;
            } else {
                orthonormalise_part(p, i / 2, i % 2, &s, &met);
            }
        }
        least = met.least;
        replaced = met.replaced;
        free(s.numbers);
    }
    *out = (naik_orthonormal){.least = least, .replaced = replaced};
    return failed ? NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for an aggregate's columns")
                  : NAIK_OK;
}

/* Square matrices in double, by columns, re and im apart: [column][2][n]. */
static double *entry(double *matrix, int n, int column)
{
    return matrix + (size_t)column * 2 * (size_t)n;
}

/* column -= a times another */
NAIK_CLONES static void subtract_column(double *restrict to, const double *restrict from, int n,
                                        double re, double im)
{
    for (int m = 0; m < n; m++) {
        to[m] -= re * from[m] - im * from[n + m];
    }
    for (int m = 0; m < n; m++) { /* by itself: see clones.h */
        to[n + m] -= re * from[n + m] + im * from[m];
    }
}

NAIK_CLONES static void scale_column(double *v, int n, double re, double im)
{
    for (int m = 0; m < n; m++) {
        const double x = re * v[m] - im * v[n + m];
        v[n + m] = re * v[n + m] + im * v[m];
        v[m] = x;
    }
}

static void swap_columns(double *a, double *b, int n)
{
    for (int i = 0; i < 2 * n; i++) {
        const double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* `inverse`, the unit matrix at first, becomes that of `matrix`, which becomes the unit matrix: column
 * operations, the pivot the largest number of a row. False where there is none. */
static bool invert_matrix(double *matrix, double *inverse, int n)
{
    double largest = 0;
    for (int i = 0; i < 2 * n * n; i++) {
        largest = fmax(largest, fabs(matrix[i]));
    }
    for (int row = 0; row < n; row++) {
        int pivot = row;
        double best = 0;
        for (int j = row; j < n; j++) {
            const double *v = entry(matrix, n, j);
            const double size = v[row] * v[row] + v[n + row] * v[n + row];
            if (size > best) {
                best = size;
                pivot = j;
            }
        }
        if (!(best > 1e-24 * largest * largest)) {
            return false;
        }
        swap_columns(entry(matrix, n, row), entry(matrix, n, pivot), pivot == row ? 0 : n);
        swap_columns(entry(inverse, n, row), entry(inverse, n, pivot), pivot == row ? 0 : n);
        const double re = entry(matrix, n, row)[row], im = entry(matrix, n, row)[n + row];
        scale_column(entry(matrix, n, row), n, re / best, -im / best);
        scale_column(entry(inverse, n, row), n, re / best, -im / best);
        for (int j = 0; j < n; j++) {
            const double *v = entry(matrix, n, j);
            if (j != row) {
                const double a = v[row], b = v[n + row];
                subtract_column(entry(matrix, n, j), entry(matrix, n, row), n, a, b);
                subtract_column(entry(inverse, n, j), entry(inverse, n, row), n, a, b);
            }
        }
    }
    return true;
}

static void take_matrix(const float *from, int n, double *to)
{
    for (int j = 0; j < n; j++) {
        for (int m = 0; m < n; m++) {
            entry(to, n, j)[m] = (double)from[(j * n + m) * 2];
            entry(to, n, j)[n + m] = (double)from[(j * n + m) * 2 + 1];
        }
    }
}

/* to = a b */
static void multiply_matrices(double *a, double *b, int n, double *to)
{
    memset(to, 0, (size_t)(2 * n * n) * sizeof *to);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            subtract_column(entry(to, n, j), entry(a, n, k), n, -entry(b, n, j)[k],
                            -entry(b, n, j)[n + k]);
        }
    }
}

static void put_matrix(double *from, int n, const naik_coarse_links *m, size_t at)
{
    const size_t numbers = mg_matrix_numbers(m);
    double largest = 0;
    for (size_t i = 0; i < numbers; i++) {
        largest = fmax(largest, fabs(from[i]));
    }
    const double unit = m->precision == NAIK_HALF ? 32767 / largest : 1;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < 2 * n; k++) {
            const double number = entry(from, n, j)[k % 2 * n + k / 2] * unit;
            const size_t place = at * numbers + (size_t)(j * 2 * n + k);
            if (m->precision == NAIK_HALF) {
                ((int16_t *)m->data)[place] = (int16_t)(largest > 0 ? lrint(number) : 0);
            } else {
                ((float *)m->data)[place] = (float)number;
            }
        }
    }
    if (m->precision == NAIK_HALF) {
        mg_links_scales(m)[at] = (float)(largest / 32767);
    }
}

/* All matrices of a site; room for four. False where X cannot be inverted: then zeros. */
static bool invert_site(const naik_coarse_links *from, const naik_coarse_links *to, size_t site,
                        double *room)
{
    const int n = from->components;
    const size_t numbers = mg_matrix_numbers(from);
    double *x = room, *inverse = room + numbers, *y = inverse + numbers, *z = y + numbers;
    const float *matrices = (const float *)from->data + site * NAIK_MG_MATRICES * numbers;
    take_matrix(matrices + NAIK_MG_LOCAL * numbers, n, x);
    memset(inverse, 0, numbers * sizeof *inverse);
    for (int j = 0; j < n; j++) {
        entry(inverse, n, j)[j] = 1;
    }
    const bool regular = invert_matrix(x, inverse, n);
    if (!regular) {
        memset(inverse, 0, numbers * sizeof *inverse);
    }
    put_matrix(inverse, n, to, site * NAIK_MG_MATRICES + NAIK_MG_LOCAL);
    for (int k = 0; k < NAIK_MG_POINTS; k++) {
        take_matrix(matrices + (size_t)k * numbers, n, y);
        multiply_matrices(inverse, y, n, z);
        put_matrix(z, n, to, site * NAIK_MG_MATRICES + (size_t)k);
    }
    return regular;
}

naik_status mg_invert(const naik_coarse_links *from, naik_coarse_links *to, int64_t *singular)
{
    naik_backend *backend = from->aggregates->geometry->backend;
    int64_t lost = 0;
    bool failed = false;
#pragma omp parallel num_threads(cpu_threads(backend)) reduction(+ : lost)
    {
        double *room = malloc(4 * mg_matrix_numbers(from) * sizeof *room);
#pragma omp for schedule(static)
        for (int32_t i = 0; i < mg_aggregates(from->aggregates); i++) {
            if (room == NULL) {
#pragma omp atomic write
                failed = true;
            } else {
                lost += !invert_site(from, to, (size_t)i, room);
            }
        }
        free(room);
    }
    *singular = lost;
    return failed ? NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for a coarse matrix")
                  : NAIK_OK;
}
