/* clover_block.h - hermitian 6 x 6 matrices: half of what a clover quark has at one site
 *
 * Rows and columns are 3 spin + colour of two spins. The two blocks of a site stand for spins 0, 1
 * and for spins 2, 3. One source for the host and devices.
 */
#ifndef NAIK_LINKS_CLOVER_BLOCK_H
#define NAIK_LINKS_CLOVER_BLOCK_H

#include "lattice/su3.h"

enum { NAIK_BLOCK_SIZE = 6, NAIK_BLOCK_LOWER = 15, NAIK_BLOCK_REALS = 36, NAIK_SITE_BLOCKS = 2 };

/* 36 reals: the diagonal, and what is below it, row after row. */
typedef struct naik_block {
    double diagonal[NAIK_BLOCK_SIZE];
    naik_complex lower[NAIK_BLOCK_LOWER]; /* (i, j), i > j, at i (i - 1) / 2 + j */
} naik_block;

typedef enum naik_block_way {
    NAIK_BLOCK_CHOLESKY, /* positive definite */
    NAIK_BLOCK_PIVOTED,  /* it is not: elimination with pivots */
    NAIK_BLOCK_SINGULAR  /* a pivot below NAIK_BLOCK_LEAST_PIVOT */
} naik_block_way;
#define NAIK_BLOCK_LEAST_PIVOT 1e-12

NAIK_HD static inline naik_complex naik_block_at(const naik_block *a, int i, int j)
{
    if (i == j) {
        return (naik_complex){a->diagonal[i], 0};
    }
    return i > j ? a->lower[i * (i - 1) / 2 + j] : naik_conj(a->lower[j * (j - 1) / 2 + i]);
}

/* out = a^-1 from A = L L^+: A^-1 = (L^-1)^+ L^-1. False where a pivot is not positive. */
NAIK_HD static inline bool naik_block_cholesky(const naik_block *a, naik_block *out)
{
    naik_complex l[NAIK_BLOCK_SIZE][NAIK_BLOCK_SIZE]; /* L below, then L^-1 */
    double pivot[NAIK_BLOCK_SIZE];                    /* 1 / L_jj */
    NAIK_UNROLL
    for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
        double d = a->diagonal[j];
        NAIK_UNROLL
        for (int k = 0; k < NAIK_BLOCK_SIZE; k++) {
            if (k < j) {
                d -= naik_cnorm2(l[j][k]);
            }
        }
        if (!(d > NAIK_BLOCK_LEAST_PIVOT)) {
            return false;
        }
        pivot[j] = 1 / sqrt(d);
        NAIK_UNROLL
        for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
            if (i > j) {
                naik_complex s = naik_block_at(a, i, j);
                NAIK_UNROLL
                for (int k = 0; k < NAIK_BLOCK_SIZE; k++) {
                    if (k < j) {
                        s = naik_csub(s, naik_cmul(l[i][k], naik_conj(l[j][k])));
                    }
                }
                l[i][j] = naik_cscale(pivot[j], s);
            }
        }
    }
    NAIK_UNROLL
    for (int j = 0; j < NAIK_BLOCK_SIZE; j++) { /* L^-1, column after column */
        NAIK_UNROLL
        for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
            if (i > j) {
                naik_complex s = naik_cscale(pivot[j], l[i][j]);
                NAIK_UNROLL
                for (int k = 0; k < NAIK_BLOCK_SIZE; k++) {
                    if (k > j && k < i) {
                        s = naik_cfma(l[i][k], l[k][j], s);
                    }
                }
                l[i][j] = naik_cscale(-pivot[i], s);
            }
        }
    }
    NAIK_UNROLL
    for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
        NAIK_UNROLL
        for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
            if (j <= i) {
                naik_complex s = j == i ? (naik_complex){pivot[i] * pivot[i], 0}
                                        : naik_cscale(pivot[i], l[i][j]);
                NAIK_UNROLL
                for (int k = 0; k < NAIK_BLOCK_SIZE; k++) {
                    if (k > i) {
                        s = naik_cfma(naik_conj(l[k][i]), l[k][j], s);
                    }
                }
                if (i == j) {
                    out->diagonal[i] = s.re;
                } else {
                    out->lower[i * (i - 1) / 2 + j] = s;
                }
            }
        }
    }
    return true;
}

/* a / b */
NAIK_HD static inline naik_complex naik_block_divide(naik_complex a, naik_complex b)
{
    return naik_cscale(1 / naik_cnorm2(b), naik_cmul(a, naik_conj(b)));
}

NAIK_HD static inline void naik_block_swap(bool really, naik_complex *a, naik_complex *b)
{
    const double re[2] = {a->re, b->re}, im[2] = {a->im, b->im};
    a->re = really ? re[1] : re[0]; /* by numbers: compilers keep those in registers */
    a->im = really ? im[1] : im[0];
    b->re = really ? re[0] : re[1];
    b->im = really ? im[0] : im[1];
}

/* out = a^-1 by Gauss and Jordan in place, the largest number of a column as its pivot; the hermitian
 * part of what rounding leaves. False where a pivot is too small. */
NAIK_HD static inline bool naik_block_eliminate(const naik_block *a, naik_block *out)
{
    naik_complex m[NAIK_BLOCK_SIZE][NAIK_BLOCK_SIZE];
    int row[NAIK_BLOCK_SIZE]; /* that was exchanged with row k */
    NAIK_UNROLL
    for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
        NAIK_UNROLL
        for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
            m[i][j] = naik_block_at(a, i, j);
        }
    }
    NAIK_UNROLL
    for (int k = 0; k < NAIK_BLOCK_SIZE; k++) {
        double most = naik_cnorm2(m[k][k]);
        row[k] = k;
        NAIK_UNROLL
        for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
            const double size = naik_cnorm2(m[i][k]);
            row[k] = i > k && size > most ? i : row[k];
            most = i > k && size > most ? size : most;
        }
        if (!(sqrt(most) > NAIK_BLOCK_LEAST_PIVOT)) {
            return false;
        }
        NAIK_UNROLL
        for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
            NAIK_UNROLL
            for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
                if (i > k) {
                    naik_block_swap(i == row[k], &m[k][j], &m[i][j]);
                }
            }
        }
        const naik_complex pivot = m[k][k];
        m[k][k] =
            (naik_complex){1, 0}; /* the column of 1 takes the place of the one that is done */
        NAIK_UNROLL
        for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
            m[k][j] = naik_block_divide(m[k][j], pivot);
        }
        NAIK_UNROLL
        for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
            const naik_complex factor = m[i][k];
            if (i != k) {
                m[i][k] = (naik_complex){0, 0};
                NAIK_UNROLL
                for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
                    m[i][j] = naik_csub(m[i][j], naik_cmul(factor, m[k][j]));
                }
            }
        }
    }
    NAIK_UNROLL
    for (int k = NAIK_BLOCK_SIZE - 1; k >= 0; k--) { /* columns as rows were exchanged, backwards */
        NAIK_UNROLL
        for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
            NAIK_UNROLL
            for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
                if (j > k) {
                    naik_block_swap(j == row[k], &m[i][k], &m[i][j]);
                }
            }
        }
    }
    NAIK_UNROLL
    for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
        out->diagonal[i] = m[i][i].re;
        NAIK_UNROLL
        for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
            if (j < i) {
                out->lower[i * (i - 1) / 2 + j] =
                    naik_cscale(0.5, naik_cadd(m[i][j], naik_conj(m[j][i])));
            }
        }
    }
    return true;
}

/* The largest sum of magnitudes in a row: a bound of |a|. NaN counts as nothing. */
NAIK_HD static inline double naik_block_largest_row(const naik_block *a)
{
    double largest = 0;
    NAIK_UNROLL
    for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
        double sum = 0;
        NAIK_UNROLL
        for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
            sum += sqrt(naik_cnorm2(naik_block_at(a, i, j)));
        }
        largest = fmax(largest, sum);
    }
    return largest;
}

/* out = a^2 + add; not in place. */
NAIK_HD static inline void naik_block_square(const naik_block *a, double add, naik_block *out)
{
    NAIK_UNROLL
    for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
        NAIK_UNROLL
        for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
            if (j <= i) {
                naik_complex s = {i == j ? add : 0, 0};
                NAIK_UNROLL
                for (int k = 0; k < NAIK_BLOCK_SIZE; k++) {
                    s = naik_cfma(naik_block_at(a, i, k), naik_block_at(a, k, j), s);
                }
                if (i == j) {
                    out->diagonal[i] = s.re;
                } else {
                    out->lower[i * (i - 1) / 2 + j] = s;
                }
            }
        }
    }
}

/* out = a^-1, or of a twisted mass mu that is not 0 (a^2 + mu^2)^-1 */
NAIK_HD static inline naik_block_way naik_block_invert(const naik_block *a, double mu,
                                                       naik_block *out)
{
    if (mu != 0) { /* the square waits in `out`, which is written once the inverse is known */
        naik_block_square(a, mu * mu, out);
        a = out;
    }
    if (naik_block_cholesky(a, out)) {
        return NAIK_BLOCK_CHOLESKY;
    }
    return naik_block_eliminate(a, out) ? NAIK_BLOCK_PIVOTED : NAIK_BLOCK_SINGULAR;
}

#endif
