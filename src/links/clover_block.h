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
    for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
        double d = a->diagonal[j];
        for (int k = 0; k < j; k++) {
            d -= naik_cnorm2(l[j][k]);
        }
        if (!(d > NAIK_BLOCK_LEAST_PIVOT)) {
            return false;
        }
        pivot[j] = 1 / sqrt(d);
        for (int i = j + 1; i < NAIK_BLOCK_SIZE; i++) {
            naik_complex s = naik_block_at(a, i, j);
            for (int k = 0; k < j; k++) {
                s = naik_csub(s, naik_cmul(l[i][k], naik_conj(l[j][k])));
            }
            l[i][j] = naik_cscale(pivot[j], s);
        }
    }
    for (int j = 0; j < NAIK_BLOCK_SIZE; j++) { /* L^-1, column after column */
        for (int i = j + 1; i < NAIK_BLOCK_SIZE; i++) {
            naik_complex s = naik_cscale(pivot[j], l[i][j]);
            for (int k = j + 1; k < i; k++) {
                s = naik_cfma(l[i][k], l[k][j], s);
            }
            l[i][j] = naik_cscale(-pivot[i], s);
        }
    }
    for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
        for (int j = 0; j <= i; j++) {
            naik_complex s =
                j == i ? (naik_complex){pivot[i] * pivot[i], 0} : naik_cscale(pivot[i], l[i][j]);
            for (int k = i + 1; k < NAIK_BLOCK_SIZE; k++) {
                s = naik_cfma(naik_conj(l[k][i]), l[k][j], s);
            }
            if (i == j) {
                out->diagonal[i] = s.re;
            } else {
                out->lower[i * (i - 1) / 2 + j] = s;
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

/* out = a^-1 by Gauss and Jordan, the largest number of a column as its pivot; the hermitian part of
 * what rounding leaves. False where a pivot is too small. */
NAIK_HD static inline bool naik_block_eliminate(const naik_block *a, naik_block *out)
{
    naik_complex m[NAIK_BLOCK_SIZE][2 * NAIK_BLOCK_SIZE]; /* a beside 1 */
    for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
        for (int j = 0; j < NAIK_BLOCK_SIZE; j++) {
            m[i][j] = naik_block_at(a, i, j);
            m[i][NAIK_BLOCK_SIZE + j] = (naik_complex){i == j, 0};
        }
    }
    for (int k = 0; k < NAIK_BLOCK_SIZE; k++) {
        int best = k;
        for (int i = k + 1; i < NAIK_BLOCK_SIZE; i++) {
            best = naik_cnorm2(m[i][k]) > naik_cnorm2(m[best][k]) ? i : best;
        }
        const naik_complex pivot = m[best][k];
        if (!(sqrt(naik_cnorm2(pivot)) > NAIK_BLOCK_LEAST_PIVOT)) {
            return false;
        }
        for (int j = 0; j < 2 * NAIK_BLOCK_SIZE; j++) {
            const naik_complex held = m[k][j];
            m[k][j] = naik_block_divide(m[best][j], pivot);
            if (best != k) {
                m[best][j] = held;
            }
        }
        for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
            const naik_complex factor = m[i][k];
            for (int j = 0; i != k && j < 2 * NAIK_BLOCK_SIZE; j++) {
                m[i][j] = naik_csub(m[i][j], naik_cmul(factor, m[k][j]));
            }
        }
    }
    for (int i = 0; i < NAIK_BLOCK_SIZE; i++) {
        out->diagonal[i] = m[i][NAIK_BLOCK_SIZE + i].re;
        for (int j = 0; j < i; j++) {
            const naik_complex upper = naik_conj(m[j][NAIK_BLOCK_SIZE + i]);
            out->lower[i * (i - 1) / 2 + j] =
                naik_cscale(0.5, naik_cadd(m[i][NAIK_BLOCK_SIZE + j], upper));
        }
    }
    return true;
}

/* out = a^-1 */
NAIK_HD static inline naik_block_way naik_block_invert(const naik_block *a, naik_block *out)
{
    if (naik_block_cholesky(a, out)) {
        return NAIK_BLOCK_CHOLESKY;
    }
    return naik_block_eliminate(a, out) ? NAIK_BLOCK_PIVOTED : NAIK_BLOCK_SINGULAR;
}

#endif
