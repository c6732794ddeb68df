/* hermitian.c - Householder and QL, for bits that no thread changes */
#include "modes/hermitian.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QL_SWEEPS = 60 }; /* an eigenvalue */

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

/* The block [n][n] at `a`, rows `stride` apart, becomes H a H, H = 1 - factor v v^+; p [n] is room.
 * Whole matrix, so that rows are all that is ever read. */
static void transform(int n, naik_complex *a, int stride, const naik_complex *v, double factor,
                      naik_complex *p)
{
    naik_complex overlap = {0, 0};
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        naik_complex sum = {0, 0};
        for (int j = 0; j < n; j++) {
            sum = add_product(sum, a[(size_t)i * (size_t)stride + (size_t)j], v[j]);
        }
        p[i] = (naik_complex){factor * sum.re, factor * sum.im};
    }
    for (int i = 0; i < n; i++) {
        overlap = add_product(overlap, conjugate(v[i]), p[i]);
    }
    const double half = 0.5 * factor * overlap.re; /* v^+ a v is real */
    for (int i = 0; i < n; i++) {
        p[i].re -= half * v[i].re;
        p[i].im -= half * v[i].im;
    }
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        naik_complex *row = a + (size_t)i * (size_t)stride;
        const naik_complex vi = {-v[i].re, -v[i].im}, pi = {-p[i].re, -p[i].im};
        for (int j = 0; j < n; j++) {
            row[j] = add_product(row[j], vi, conjugate(p[j]));
            row[j] = add_product(row[j], pi, conjugate(v[j]));
        }
    }
}

/* Plane rotation of two rows. */
static void rotate(int n, double *restrict x, double *restrict y, double c, double s)
{
    for (int j = 0; j < n; j++) {
        const double old = x[j];
        x[j] = c * old - s * y[j];
        y[j] = s * old + c * y[j];
    }
}

typedef struct rotation {
    double c, s;
} rotation;

/* Where the matrix decouples at or after `l`. */
static int decoupled(int n, const double *d, const double *e, int l)
{
    int m = l;
    while (m < n - 1 && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1]))) {
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

/* Eigenvalues d and eigenvectors, the rows of z [n][n], of the tridiagonal matrix d, e; z is the
 * unit matrix before. A thread has some of the columns. */
static bool tridiagonal_solve(int n, double *d, double *e, double *z, rotation *turn)
{
    enum { COLUMNS = 64 };
    for (int l = 0; l < n; l++) {
        int sweeps = 0;
        if (!isfinite(d[l]) || !isfinite(e[l])) {
            return false;
        }
        for (int m = decoupled(n, d, e, l); m != l; m = decoupled(n, d, e, l)) {
            if (sweeps++ == QL_SWEEPS) {
                return false;
            }
            const int last = step(d, e, l, m, turn);
#pragma omp parallel for schedule(static)
            for (int begin = 0; begin < n; begin += COLUMNS) {
                const int width = n - begin < COLUMNS ? n - begin : COLUMNS;
                for (int i = m - 1; i >= last; i--) {
                    double *row = z + (size_t)i * (size_t)n + begin;
                    rotate(width, row, row + n, turn[i].c, turn[i].s);
                }
            }
        }
    }
    return true;
}

/* vectors = H_0 H_1 ... phases z^T, columns in the order of `from`. */
static void back(int n, const naik_complex *a, const double *factor, const naik_complex *phase,
                 const double *z, const int *from, naik_complex *vectors)
{
    enum { COLUMNS = 32 };
#pragma omp parallel for schedule(static)
    for (int begin = 0; begin < n; begin += COLUMNS) {
        const int width = n - begin < COLUMNS ? n - begin : COLUMNS;
        for (int i = 0; i < n; i++) {
            for (int j = begin; j < begin + width; j++) {
                const double y = z[(size_t)from[j] * (size_t)n + (size_t)i];
                vectors[(size_t)i * (size_t)n + (size_t)j] =
                    (naik_complex){phase[i].re * y, phase[i].im * y};
            }
        }
        for (int k = n - 3; k >= 0; k--) { /* v_k is column k of a, from row k + 1 on */
            naik_complex sum[COLUMNS];
            memset(sum, 0, sizeof sum);
            for (int i = k + 1; i < n; i++) {
                const naik_complex v = conjugate(a[(size_t)i * (size_t)n + (size_t)k]);
                for (int j = 0; j < width; j++) {
                    sum[j] = add_product(sum[j], v,
                                         vectors[(size_t)i * (size_t)n + (size_t)(begin + j)]);
                }
            }
            for (int i = k + 1; i < n; i++) {
                const naik_complex v = a[(size_t)i * (size_t)n + (size_t)k];
                const naik_complex w = {-factor[k] * v.re, -factor[k] * v.im};
                for (int j = 0; j < width; j++) {
                    naik_complex *to = &vectors[(size_t)i * (size_t)n + (size_t)(begin + j)];
                    *to = add_product(*to, w, sum[j]);
                }
            }
        }
    }
}

typedef struct room {
    double *e, *factor, *z;
    naik_complex *v, *p, *phase;
    rotation *turn;
    int *from;
} room;

static bool room_create(int n, room *w)
{
    const size_t size = (size_t)n;
    *w = (room){.e = calloc(size, sizeof(double)),
                .factor = calloc(size, sizeof(double)),
                .z = calloc(size * size, sizeof(double)),
                .v = calloc(size, sizeof(naik_complex)),
                .p = calloc(size, sizeof(naik_complex)),
                .phase = calloc(size, sizeof(naik_complex)),
                .turn = calloc(size, sizeof(rotation)),
                .from = calloc(size, sizeof(int))};
    return w->e != NULL && w->factor != NULL && w->z != NULL && w->v != NULL && w->p != NULL &&
           w->phase != NULL && w->turn != NULL && w->from != NULL;
}

static void room_destroy(room *w)
{
    free(w->e);
    free(w->factor);
    free(w->z);
    free(w->v);
    free(w->p);
    free(w->phase);
    free(w->turn);
    free(w->from);
}

/* a becomes tridiagonal: value and w->e, its phases in w->phase; below stay the reflections. */
static void reduce(int n, naik_complex *a, double *value, room *w)
{
    const size_t row = (size_t)n;
    w->phase[0] = (naik_complex){1, 0};
    for (int i = 0; i < n; i++) { /* what is above the diagonal is what is below it */
        a[i * row + (size_t)i].im = 0;
        for (int j = 0; j < i; j++) {
            a[(size_t)j * row + (size_t)i] = conjugate(a[(size_t)i * row + (size_t)j]);
        }
    }
    for (int k = 0; k < n - 1; k++) {
        const int rest = n - 1 - k;
        for (int i = 0; i < rest; i++) {
            w->v[i] = a[(size_t)(k + 1 + i) * row + (size_t)k];
        }
        const naik_complex below = reflect(rest, w->v, &w->factor[k]);
        if (w->factor[k] != 0) {
            transform(rest, a + (size_t)(k + 1) * (row + 1), n, w->v, w->factor[k], w->p);
        }
        for (int i = 0; i < rest; i++) {
            a[(size_t)(k + 1 + i) * row + (size_t)k] = w->v[i];
        }
        const double length = sqrt(norm2(below));
        const naik_complex last = w->phase[k], zero = {0, 0};
        w->e[k] = length;
        w->phase[k + 1] =
            length > 0
                ? add_product(zero, last, (naik_complex){below.re / length, below.im / length})
                : last;
    }
    for (int k = 0; k < n; k++) {
        value[k] = a[(size_t)k * (row + 1)].re;
    }
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

naik_status naik_hermitian_solve(naik_log *log, int n, naik_complex *a, double *value,
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
        w.z[(size_t)i * (size_t)(n + 1)] = 1;
    }
    if (!tridiagonal_solve(n, value, w.e, w.z, w.turn)) {
        status =
            NAIK_FAIL(log, NAIK_ERR_ARG, "the eigenvalues of a matrix of %d rows: no numbers", n);
        goto done;
    }
    sort(n, value, w.from);
    back(n, a, w.factor, w.phase, w.z, w.from, vectors);
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
