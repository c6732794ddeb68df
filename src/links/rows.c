/* rows.c - the loops over x that link building spends its time in
 *
 * One matrix row of the result at a time, which keeps its accumulators and one row of `a` in vector
 * registers. The simd pragma is safe because results are distinct from what they are made of, and
 * harmless to bits because nothing is summed over x.
 */
#include "links/rows.inc"

#include <string.h>

#include "base/clones.h"
NAIK_CLONES void naik_rows_mul(const naik_row *a, const naik_row *b, naik_row *out)
{
    for (int i = 0; i < 3; i++) {
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            const triple r = row_times(row_of(a, i, x), b, x);
            store(out, i, 0, x, r.c[0]);
            store(out, i, 1, x, r.c[1]);
            store(out, i, 2, x, r.c[2]);
        }
    }
}

NAIK_CLONES void naik_rows_add_upper(const naik_row *a, const naik_row *s, const naik_row *b,
                                     naik_row *sum)
{
    for (int i = 0; i < 3; i++) {
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            const triple r = row_times(row_of(a, i, x), s, x);
            store(sum, i, 0, x, times_dagger(r, b, 0, x, load(sum, i, 0, x)));
            store(sum, i, 1, x, times_dagger(r, b, 1, x, load(sum, i, 1, x)));
            store(sum, i, 2, x, times_dagger(r, b, 2, x, load(sum, i, 2, x)));
        }
    }
}

NAIK_CLONES void naik_rows_add_lower(const naik_row *a, const naik_row *s, const naik_row *b,
                                     naik_row *sum)
{
    for (int i = 0; i < 3; i++) {
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            const triple r = row_times(dagger_row_of(a, i, x), s, x);
            store(sum, i, 0, x, times(r, b, 0, x, load(sum, i, 0, x)));
            store(sum, i, 1, x, times(r, b, 1, x, load(sum, i, 1, x)));
            store(sum, i, 2, x, times(r, b, 2, x, load(sum, i, 2, x)));
        }
    }
}

void naik_rows_clear(naik_row *out)
{
    memset(out, 0, sizeof *out);
}

NAIK_CLONES void naik_rows_scale(double s, const naik_row *a, naik_row *out)
{
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            out->at[k][x] = s * a->at[k][x];
        }
    }
}

NAIK_CLONES void naik_rows_add(double s, const naik_row *a, naik_row *out)
{
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            out->at[k][x] = fma(s, a->at[k][x], out->at[k][x]);
        }
    }
}

NAIK_CLONES void naik_rows_trace_dagger(const naik_row *a, const naik_row *b,
                                        double trace[NAIK_ROW_SITES])
{
    memset(trace, 0, NAIK_ROW_SITES * sizeof *trace);
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            trace[x] = fma(a->at[k][x], b->at[k][x], trace[x]);
        }
    }
}

NAIK_CLONES void naik_rows_from_links(const naik_matrix *link, int64_t step, int n, naik_row *out)
{
    for (int x = 0; x < n; x++, link += step) {
        for (int k = 0; k < NAIK_ROW_REALS; k += 2) {
            const naik_complex e = link->e[k / 6][k / 2 % 3];
            out->at[k][x] = e.re;
            out->at[k + 1][x] = e.im;
        }
    }
}

NAIK_CLONES void naik_rows_to_links(const naik_row *a, int n, naik_matrix *link, int64_t step)
{
    for (int x = 0; x < n; x++, link += step) {
        for (int k = 0; k < NAIK_ROW_REALS; k += 2) {
            link->e[k / 6][k / 2 % 3] = (naik_complex){a->at[k][x], a->at[k + 1][x]};
        }
    }
}

/* One component of the row beside: eight numbers that lie in memory, but for the end of a line. */
INLINE void shift(const double *from, double edge, int64_t lane, double *out)
{
#pragma omp simd
    for (int64_t x = 0; x < NAIK_ROW_SITES; x++) {
        const double beside = from[x];
        out[x] = x == lane ? edge : beside;
    }
}

NAIK_CLONES void naik_rows_shift(const naik_row *a, int step, int lane, const double *edge,
                                 naik_row *out)
{
    const double *from = &a->at[0][0] + step;
    /* The first component has nothing before it and the last nothing after. */
    const int alone = step < 0 ? 0 : NAIK_ROW_REALS - 1;
    for (int k = alone == 0; k < NAIK_ROW_REALS - (alone != 0); k++) {
        shift(from + k * NAIK_ROW_SITES, edge[k * NAIK_ROW_SITES], lane, out->at[k]);
    }
    const double last = edge[alone * NAIK_ROW_SITES];
    memcpy(&out->at[alone][step < 0], &a->at[alone][step > 0],
           (NAIK_ROW_SITES - 1) * sizeof(double));
    out->at[alone][step < 0 ? 0 : NAIK_ROW_SITES - 1] = last;
    out->at[alone][lane] = last;
}
