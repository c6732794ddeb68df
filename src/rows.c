/* rows.c - the loops over x that link building spends its time in
 *
 * One matrix row of the result at a time keeps three accumulators and one row of `a` in vector
 * registers. The simd pragma is safe because `out` is distinct, and harmless to bits because
 * nothing is summed over x.
 */
#include "naik/rows.h"

#include <string.h>

/* A call inside a loop would keep it scalar. */
#if defined(__GNUC__)
#define INLINE static inline __attribute__((__always_inline__))
#else
#define INLINE static inline
#endif

INLINE naik_complex load(naik_row r, int i, int j, int x)
{
    const double *p = r.at + (6 * i + 2 * j) * r.stride + x;
    return (naik_complex){p[0], p[r.stride]};
}

INLINE void store(naik_row_buffer *out, int i, int j, int x, naik_complex c)
{
    out->at[6 * i + 2 * j][x] = c.re;
    out->at[6 * i + 2 * j + 1][x] = c.im;
}

INLINE naik_complex held(const naik_row_buffer *out, int i, int j, int x)
{
    return (naik_complex){out->at[6 * i + 2 * j][x], out->at[6 * i + 2 * j + 1][x]};
}

typedef struct triple {
    naik_complex c[3];
} triple;

/* start + sum_k a_k b_kj */
INLINE naik_complex times(triple a, naik_row b, int j, int x, naik_complex start)
{
    naik_complex sum = naik_cfma(a.c[0], load(b, 0, j, x), start);
    sum = naik_cfma(a.c[1], load(b, 1, j, x), sum);
    return naik_cfma(a.c[2], load(b, 2, j, x), sum);
}

/* start + sum_k a_k conj(b_jk) */
INLINE naik_complex times_dagger(triple a, naik_row b, int j, int x, naik_complex start)
{
    naik_complex sum = naik_cfma_conj(a.c[0], load(b, j, 0, x), start);
    sum = naik_cfma_conj(a.c[1], load(b, j, 1, x), sum);
    return naik_cfma_conj(a.c[2], load(b, j, 2, x), sum);
}

static const naik_complex zero = {0, 0};

void naik_rows_mul(naik_row a, naik_row b, int n, naik_row_buffer *out)
{
    for (int i = 0; i < 3; i++) {
#pragma omp simd
        for (int x = 0; x < n; x++) {
            const triple r = {{load(a, i, 0, x), load(a, i, 1, x), load(a, i, 2, x)}};
            store(out, i, 0, x, times(r, b, 0, x, zero));
            store(out, i, 1, x, times(r, b, 1, x, zero));
            store(out, i, 2, x, times(r, b, 2, x, zero));
        }
    }
}

void naik_rows_dagger_mul(naik_row a, naik_row b, int n, naik_row_buffer *out)
{
    for (int i = 0; i < 3; i++) {
#pragma omp simd
        for (int x = 0; x < n; x++) {
            const triple r = {{naik_conj(load(a, 0, i, x)), naik_conj(load(a, 1, i, x)),
                               naik_conj(load(a, 2, i, x))}};
            store(out, i, 0, x, times(r, b, 0, x, zero));
            store(out, i, 1, x, times(r, b, 1, x, zero));
            store(out, i, 2, x, times(r, b, 2, x, zero));
        }
    }
}

void naik_rows_add_mul(naik_row a, naik_row b, int n, naik_row_buffer *out)
{
    for (int i = 0; i < 3; i++) {
#pragma omp simd
        for (int x = 0; x < n; x++) {
            const triple r = {{load(a, i, 0, x), load(a, i, 1, x), load(a, i, 2, x)}};
            store(out, i, 0, x, times(r, b, 0, x, held(out, i, 0, x)));
            store(out, i, 1, x, times(r, b, 1, x, held(out, i, 1, x)));
            store(out, i, 2, x, times(r, b, 2, x, held(out, i, 2, x)));
        }
    }
}

void naik_rows_add_mul_dagger(naik_row a, naik_row b, int n, naik_row_buffer *out)
{
    for (int i = 0; i < 3; i++) {
#pragma omp simd
        for (int x = 0; x < n; x++) {
            const triple r = {{load(a, i, 0, x), load(a, i, 1, x), load(a, i, 2, x)}};
            store(out, i, 0, x, times_dagger(r, b, 0, x, held(out, i, 0, x)));
            store(out, i, 1, x, times_dagger(r, b, 1, x, held(out, i, 1, x)));
            store(out, i, 2, x, times_dagger(r, b, 2, x, held(out, i, 2, x)));
        }
    }
}

void naik_rows_clear(int n, naik_row_buffer *out)
{
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
        memset(out->at[k], 0, (size_t)n * sizeof(double));
    }
}

void naik_rows_scale(double s, naik_row a, int n, naik_row_buffer *out)
{
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
#pragma omp simd
        for (int x = 0; x < n; x++) {
            out->at[k][x] = s * a.at[k * a.stride + x];
        }
    }
}

void naik_rows_add(double s, naik_row a, int n, naik_row_buffer *out)
{
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
#pragma omp simd
        for (int x = 0; x < n; x++) {
            out->at[k][x] = fma(s, a.at[k * a.stride + x], out->at[k][x]);
        }
    }
}

void naik_rows_trace_dagger(naik_row a, naik_row b, int n, double trace[NAIK_ROW_SITES])
{
    for (int x = 0; x < n; x++) {
        trace[x] = 0;
    }
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
#pragma omp simd
        for (int x = 0; x < n; x++) {
            trace[x] = fma(a.at[k * a.stride + x], b.at[k * b.stride + x], trace[x]);
        }
    }
}
