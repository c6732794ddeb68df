/* hermitian.c - Householder and QL, for bits that no thread changes */
#include "modes/hermitian.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "comm/threads.h"

enum { QL_SWEEPS = 60, QL_FINE = 30 }; /* an eigenvalue; those that need no help of `noise` */
enum { COLUMNS = 16, SWEEPS = 32 };    /* that a thread has at once; that wait for each other */
enum { FEW = 64 };                     /* rows that one thread is done with before many have met */

static int chunks_of(int n)
{
    return (n + COLUMNS - 1) / COLUMNS;
}

static double norm2(naik_complex a)
{
    return a.re * a.re + a.im * a.im;
}

/* acc + a b */
static naik_complex add_product(naik_complex acc, naik_complex a, naik_complex b)
{
    return (naik_complex){acc.re + (a.re * b.re - a.im * b.im),
                          acc.im + (a.re * b.im + a.im * b.re)};
}
static naik_complex conjugate(naik_complex a)
{
    return (naik_complex){a.re, -a.im};
}

/* The reflection 1 - 2 v v^+/|v|^2 that takes x [n] to a multiple of the first unit vector, which is
 * returned; x becomes v, *factor 2/|v|^2, 0 for none. */
static naik_complex reflect(int n, naik_complex *x, double *factor)
{
    double rest = 0;
    for (int i = 1; i < n; i++) {
        rest += norm2(x[i]);
    }
    const naik_complex first = x[0];
    *factor = 0;
    if (rest == 0) {
        return first;
    }
    const double head = sqrt(norm2(first)), length = sqrt(rest + norm2(first));
    const naik_complex phase =
        head > 0 ? (naik_complex){first.re / head, first.im / head} : (naik_complex){1, 0};
    x[0] = (naik_complex){first.re + phase.re * length, first.im + phase.im * length};
    *factor = 2 / (rest + norm2(x[0]));
    return (naik_complex){-phase.re * length, -phase.im * length};
}

/* Vectors in two parts, so that loops run along them. */
typedef struct split {
    double *re, *im;
} split;

/* a -= v p^+ + p v^+, which every row of a takes when it is read next. */
typedef struct change {
    split v, p;
} change;

/* A row of the matrix, from column `begin` on, takes a change. The loops stand apart for the sake of
 * clones.h. */
NAIK_CLONES static void change_row(int n, const change *by, int i, int begin, double *restrict re,
                                   double *restrict im)
{
    const double vr = by->v.re[i], vi = by->v.im[i], pr = by->p.re[i], pi = by->p.im[i];
    const double *ur = by->v.re + begin, *ui = by->v.im + begin;
    const double *qr = by->p.re + begin, *qi = by->p.im + begin;
    for (int j = 0; j < n; j++) {
        re[j] -= vr * qr[j] + vi * qi[j];
        re[j] -= pr * ur[j] + pi * ui[j];
    }
    for (int j = 0; j < n; j++) {
        im[j] -= vi * qr[j] - vr * qi[j];
        im[j] -= pi * ur[j] - pr * ui[j];
    }
}

typedef struct rotation {
    double c, s;
} rotation;

/* What rounding leaves of zeros: in a null space, where nothing falls far below its neighbours. */
static double noise_of(int n, const double *d, const double *e)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(d[i]) + fabs(e[i]));
    }
    return DBL_EPSILON * most;
}

/* Where the matrix decouples at or after `l`. */
static int decoupled(int n, const double *d, const double *e, int l, double noise)
{
    int m = l;
    while (m < n - 1 && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])) &&
           fabs(e[m]) > noise) {
        m++;
    }
    return m;
}

/* One QL step with implicit shift on l .. m; turn[i] is what rows i and i + 1 of the vectors take,
 * from m - 1 down. */
static int step(double *d, double *e, int l, int m, rotation *turn)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]);
    double r = sqrt(g * g + 1);
    g = d[m] - d[l] + e[l] / (g + (g >= 0 ? r : -r));
    double s = 1, c = 1, p = 0;
    for (int i = m - 1; i >= l; i--) {
        double f = s * e[i];
        const double b = c * e[i];
        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) { /* it decouples here */
            d[i + 1] -= p;
            e[m] = 0;
            return i + 1;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        turn[i] = (rotation){c, s};
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
    return l;
}

/* The sweeps of rotations that wait, each of rows `last` .. `first` from above on. */
typedef struct waiting {
    rotation *turn; /* [SWEEPS][n] */
    int first[SWEEPS], last[SWEEPS], count;
} waiting;

typedef double lanes[COLUMNS];

/* Plane rotations of rows. */
NAIK_CLONES static void rotate(lanes *restrict z, const rotation *turn, int first, int last)
{
    double below[COLUMNS];
    memcpy(below, z[first], sizeof below);
    for (int i = first - 1; i >= last; i--) {
        const double c = turn[i].c, s = turn[i].s;
        for (int j = 0; j < COLUMNS; j++) {
            z[i + 1][j] = s * z[i][j] + c * below[j];
        }
        for (int j = 0; j < COLUMNS; j++) {
            below[j] = c * z[i][j] - s * below[j];
        }
    }
    memcpy(z[last], below, sizeof below);
}

/* All that wait, on columns that stay in a thread's cache. */
static void rotate_all(int n, waiting *w, lanes *z)
{
#pragma omp parallel for schedule(static) if (n > FEW)
    for (int chunk = 0; chunk < chunks_of(n); chunk++) {
        for (int k = 0; k < w->count; k++) {
            rotate(z + (size_t)chunk * (size_t)n, w->turn + (size_t)k * (size_t)n, w->first[k],
                   w->last[k]);
        }
    }
    w->count = 0;
}

/* Eigenvalues d and eigenvectors, the rows of z [chunks][n][COLUMNS], of the tridiagonal matrix d, e; z
 * is the unit matrix before. */
static bool tridiagonal_solve(int n, double *d, double *e, lanes *z, waiting *w)
{
    const double noise = noise_of(n, d, e);
    for (int l = 0; l < n; l++) {
        int sweeps = 0;
        if (!isfinite(d[l]) || !isfinite(e[l])) {
            return false;
        }
        for (int m; (m = decoupled(n, d, e, l, sweeps < QL_FINE ? 0 : noise)) != l;) {
            if (sweeps++ == QL_SWEEPS) {
                return false;
            }
            w->first[w->count] = m;
            w->last[w->count] = step(d, e, l, m, w->turn + (size_t)w->count * (size_t)n);
            if (++w->count == SWEEPS) {
                rotate_all(n, w, z);
            }
        }
    }
    rotate_all(n, w, z);
    return true;
}

/* x -= factor v v^+ x, of COLUMNS columns. */
NAIK_CLONES static void reflect_columns(int n, const double *vr, const double *vi, double factor,
                                        lanes *restrict xr, lanes *restrict xi)
{
    double sr[COLUMNS] = {0}, si[COLUMNS] = {0};
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            sr[j] += vr[i] * xr[i][j] + vi[i] * xi[i][j];
        }
        for (int j = 0; j < COLUMNS; j++) {
            si[j] += vr[i] * xi[i][j] - vi[i] * xr[i][j];
        }
    }
    for (int i = 0; i < n; i++) {
        const double wr = factor * vr[i], wi = factor * vi[i];
        for (int j = 0; j < COLUMNS; j++) {
            xr[i][j] -= wr * sr[j] - wi * si[j];
        }
        for (int j = 0; j < COLUMNS; j++) {
            xi[i][j] -= wr * si[j] + wi * sr[j];
        }
    }
}

typedef struct room {
    double *e, *factor;
    split a; /* [n][n]; right of the diagonal, the reflections */
    change now, last;
    naik_complex *column, *phase;
    lanes *z, *x; /* [chunks][n]; [threads][2][n] of those that have a chunk */
    waiting waiting;
    int *from;
} room;

/* vectors = H_0 H_1 ... phases z^T, columns in the order of `from`. */
static void back(int n, const room *w, naik_complex *vectors)
{
    const size_t row = (size_t)n;
#pragma omp parallel for schedule(static, 1) if (n > FEW)
    for (int chunk = 0; chunk < chunks_of(n); chunk++) {
        lanes *xr = w->x + 2 * (size_t)naik_threads_index() * row, *xi = xr + row;
        const int begin = chunk * COLUMNS;
        const int width = n - begin < COLUMNS ? n - begin : COLUMNS;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < width; j++) {
                const double y =
                    w->z[(size_t)(i / COLUMNS) * row + (size_t)w->from[begin + j]][i % COLUMNS];
                xr[i][j] = w->phase[i].re * y;
                xi[i][j] = w->phase[i].im * y;
            }
        }
        for (int k = n - 3; k >= 0; k--) {
            const size_t at = (size_t)k * (row + 1) + 1;
            reflect_columns(n - 1 - k, w->a.re + at, w->a.im + at, w->factor[k], xr + k + 1,
                            xi + k + 1);
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < width; j++) {
                vectors[(size_t)i * row + (size_t)(begin + j)] = (naik_complex){xr[i][j], xi[i][j]};
            }
        }
    }
}

static bool split_create(size_t count, split *out)
{
    out->re = calloc(count, sizeof *out->re);
    out->im = calloc(count, sizeof *out->im);
    return out->re != NULL && out->im != NULL;
}

static void split_destroy(split *s)
{
    free(s->re);
    free(s->im);
}

/* That have columns to work on. */
static int threads_of(int n)
{
    return naik_threads_count() < chunks_of(n) ? naik_threads_count() : chunks_of(n);
}

size_t naik_hermitian_bytes(int n)
{
    const size_t size = (size_t)n, strips = (size_t)chunks_of(n) + 2 * (size_t)threads_of(n);
    return size * (strips * sizeof(lanes) + SWEEPS * sizeof(rotation) + 2 * sizeof(naik_complex) +
                   10 * sizeof(double) + sizeof(int)) +
           2 * size * size * sizeof(double);
}

static bool room_create(int n, room *w)
{
    const size_t size = (size_t)n, padded = size * (size_t)chunks_of(n);
    const int threads = threads_of(n);
    *w = (room){.e = calloc(size, sizeof(double)),
                .factor = calloc(size, sizeof(double)),
                .column = calloc(size, sizeof(naik_complex)),
                .phase = calloc(size, sizeof(naik_complex)),
                .z = calloc(padded, sizeof(lanes)),
                .x = calloc(2 * size * (size_t)threads, sizeof(lanes)),
                .waiting = {.turn = calloc(SWEEPS * size, sizeof(rotation))},
                .from = calloc(size, sizeof(int))};
    bool all = split_create(size * size, &w->a);
    for (int i = 0; i < 2; i++) {
        change *c = i == 0 ? &w->now : &w->last;
        all = split_create(size, &c->v) && all;
        all = split_create(size, &c->p) && all;
    }
    return all && w->e != NULL && w->factor != NULL && w->column != NULL && w->phase != NULL &&
           w->z != NULL && w->x != NULL && w->waiting.turn != NULL && w->from != NULL;
}

static void room_destroy(room *w)
{
    free(w->e);
    free(w->factor);
    free(w->column);
    free(w->phase);
    free(w->z);
    free(w->x);
    free(w->waiting.turn);
    free(w->from);
    split_destroy(&w->a);
    split_destroy(&w->now.v);
    split_destroy(&w->now.p);
    split_destroy(&w->last.v);
    split_destroy(&w->last.p);
}

/* What is above the diagonal is what is below it; the first column beside it. */
static void take_matrix(int n, const naik_complex *a, room *w)
{
    const size_t row = (size_t)n;
    for (size_t i = 0; i < row; i++) {
        for (size_t j = 0; j <= i; j++) {
            const naik_complex x = {a[i * row + j].re, j < i ? a[i * row + j].im : 0};
            w->a.re[i * row + j] = w->a.re[j * row + i] = x.re;
            w->a.im[i * row + j] = x.im;
            w->a.im[j * row + i] = -x.im;
        }
        w->column[i] = (naik_complex){w->a.re[i * row], w->a.im[i * row]};
    }
}

/* The rows below `k` take the last change, the next column is put aside as it is then, and p = factor a v
 * where there is a reflection. One pass: the matrix moves once. */
static void pass(int n, int k, bool changes, room *w)
{
    const int rest = n - 1 - k;
    const double factor = w->factor[k];
#pragma omp parallel for schedule(static) if (rest > FEW)
    for (int i = 0; i < rest; i++) {
        const size_t at = (size_t)(k + 1 + i) * (size_t)n + (size_t)(k + 1);
        double *re = w->a.re + at, *im = w->a.im + at;
        naik_complex sum = {0, 0};
        if (changes) {
            change_row(rest, &w->last, i + 1, 1, re, im);
        }
        w->column[k + 1 + i] = (naik_complex){re[0], im[0]};
        for (int j = 0; j < rest && factor != 0; j++) {
            sum = add_product(sum, (naik_complex){re[j], im[j]},
                              (naik_complex){w->now.v.re[j], w->now.v.im[j]});
        }
        w->now.p.re[i] = factor * sum.re;
        w->now.p.im[i] = factor * sum.im;
    }
}

/* p becomes what the change is made of, so that a -= v p^+ + p v^+ is H a H, H = 1 - factor v v^+. */
static void finish_change(int n, double factor, change *c)
{
    naik_complex overlap = {0, 0};
    for (int i = 0; i < n; i++) {
        overlap = add_product(overlap, (naik_complex){c->v.re[i], -c->v.im[i]},
                              (naik_complex){c->p.re[i], c->p.im[i]});
    }
    const double half = 0.5 * factor * overlap.re; /* v^+ a v is real */
    for (int i = 0; i < n; i++) {
        c->p.re[i] -= half * c->v.re[i];
        c->p.im[i] -= half * c->v.im[i];
    }
}

/* Column `k` from the diagonal down takes the last change. */
static void change_column(int n, const change *by, naik_complex *column)
{
    const naik_complex v = {by->v.re[0], -by->v.im[0]}, p = {by->p.re[0], -by->p.im[0]};
    for (int i = 0; i < n; i++) {
        column[i] = add_product(column[i], (naik_complex){-by->v.re[i], -by->v.im[i]}, p);
        column[i] = add_product(column[i], (naik_complex){-by->p.re[i], -by->p.im[i]}, v);
    }
}

/* a becomes tridiagonal: value and w->e, its phases in w->phase; right of the diagonal stay the reflections. */
static void reduce(int n, const naik_complex *a, double *value, room *w)
{
    const size_t row = (size_t)n;
    bool changes = false;
    w->phase[0] = (naik_complex){1, 0};
    take_matrix(n, a, w);
    for (int k = 0; k < n - 1; k++) {
        const int rest = n - 1 - k;
        if (changes) {
            change_column(rest + 1, &w->last, w->column + k);
        }
        value[k] = w->column[k].re;
        const naik_complex below = reflect(rest, w->column + k + 1, &w->factor[k]);
        for (int i = 0; i < rest; i++) {
            const size_t at = (size_t)k * row + (size_t)(k + 1 + i);
            w->a.re[at] = w->now.v.re[i] = w->column[k + 1 + i].re;
            w->a.im[at] = w->now.v.im[i] = w->column[k + 1 + i].im;
        }
        pass(n, k, changes, w);
        changes = w->factor[k] != 0;
        finish_change(rest, w->factor[k], &w->now);
        const change old = w->last;
        w->last = w->now;
        w->now = old;
        const double length = sqrt(norm2(below));
        const naik_complex last = w->phase[k], zero = {0, 0};
        w->e[k] = length;
        w->phase[k + 1] =
            length > 0
                ? add_product(zero, last, (naik_complex){below.re / length, below.im / length})
                : last;
    }
    value[n - 1] = w->column[n - 1].re;
}

/* from[j] = number of the j-th smallest; equal ones in their order. */
static void sort(int n, const double *value, int *from)
{
    for (int i = 0; i < n; i++) {
        int j = i;
        for (; j > 0 && value[from[j - 1]] > value[i]; j--) {
            from[j] = from[j - 1];
        }
        from[j] = i;
    }
}

naik_status naik_hermitian_solve(naik_log *log, int n, const naik_complex *a, double *value,
                                 naik_complex *vectors)
{
    naik_status status = NAIK_OK;
    room w;
    if (!room_create(n, &w)) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a matrix of %d rows", n);
        goto done;
    }
    reduce(n, a, value, &w);
    for (int i = 0; i < n; i++) {
        w.z[(size_t)(i / COLUMNS) * (size_t)n + (size_t)i][i % COLUMNS] = 1;
    }
    if (!tridiagonal_solve(n, value, w.e, w.z, &w.waiting)) {
        status =
            NAIK_FAIL(log, NAIK_ERR_ARG, "the eigenvalues of a matrix of %d rows: no numbers", n);
        goto done;
    }
    sort(n, value, w.from);
    back(n, &w, vectors);
    memcpy(w.factor, value, (size_t)n * sizeof *value);
    for (int j = 0; j < n; j++) {
        value[j] = w.factor[w.from[j]];
    }
done:
    room_destroy(&w);
    return status;
}

void naik_hermitian_cholesky(int n, const naik_complex *a, naik_complex *r, naik_complex *inverse,
                             double *condition)
{
    const size_t row = (size_t)n;
    double smallest = HUGE_VAL, largest = 0;
    memset(r, 0, row * row * sizeof *r);
    memset(inverse, 0, row * row * sizeof *inverse);
    *condition = 0;
    for (int i = 0; i < n; i++) {
        double square = a[(size_t)i * (row + 1)].re;
        for (int k = 0; k < i; k++) {
            square -= norm2(r[(size_t)k * row + (size_t)i]);
        }
        if (!(square > 0)) {
            return;
        }
        const double pivot = sqrt(square);
        r[(size_t)i * (row + 1)].re = pivot;
        smallest = fmin(smallest, pivot);
        largest = fmax(largest, pivot);
        for (int j = i + 1; j < n; j++) {
            naik_complex sum = conjugate(a[(size_t)j * row + (size_t)i]);
            for (int k = 0; k < i; k++) {
                const naik_complex x = conjugate(r[(size_t)k * row + (size_t)i]);
                sum =
                    add_product(sum, (naik_complex){-x.re, -x.im}, r[(size_t)k * row + (size_t)j]);
            }
            r[(size_t)i * row + (size_t)j] = (naik_complex){sum.re / pivot, sum.im / pivot};
        }
    }
    for (int j = 0; j < n; j++) { /* r inverse = 1, column by column from below */
        inverse[(size_t)j * (row + 1)].re = 1 / r[(size_t)j * (row + 1)].re;
        for (int i = j - 1; i >= 0; i--) {
            naik_complex sum = {0, 0};
            for (int k = i + 1; k <= j; k++) {
                sum = add_product(sum, r[(size_t)i * row + (size_t)k],
                                  inverse[(size_t)k * row + (size_t)j]);
            }
            const double pivot = r[(size_t)i * (row + 1)].re;
            inverse[(size_t)i * row + (size_t)j] = (naik_complex){-sum.re / pivot, -sum.im / pivot};
        }
    }
    *condition = smallest / largest;
}
