/* unitarize.c - the projections on the host, of one link and of a row
 *
 * The row goes through unitarize.inc's operations with su3.h's products, in their order, all sites
 * of it at once; the links that need singular values are done again one by one.
 */
#include "base/clones.h"
#include "lattice/su3.h"

/* rows.inc first: its INLINE is for both. */
/* clang-format off */
#include "links/rows.inc"
#include "links/unitarize.inc"
/* clang-format on */

naik_matrix naik_unitarize(const naik_matrix *v, naik_projection *how)
{
    return unitarize(v, how);
}

NAIK_CLONES naik_matrix naik_special_unitarize(const naik_matrix *w, const naik_matrix *u,
                                               naik_projection *how)
{
    return with_determinant(w, u, how);
}

/* sum_k a_k b_kj as naik_mat_mul adds */
INLINE naik_complex dot(triple a, const naik_row *b, int j, int x)
{
    naik_complex sum = naik_cmul(a.c[0], load(b, 0, j, x));
    sum = naik_cfma(a.c[1], load(b, 1, j, x), sum);
    return naik_cfma(a.c[2], load(b, 2, j, x), sum);
}

/* Row i of a product from that row of its first factor. */
INLINE void put_row(triple a, const naik_row *b, int i, int x, naik_row *out)
{
    store(out, i, 0, x, dot(a, b, 0, x));
    store(out, i, 1, x, dot(a, b, 1, x));
    store(out, i, 2, x, dot(a, b, 2, x));
}

/* a b */
static void multiply(const naik_row *a, const naik_row *b, naik_row *out)
{
    for (int i = 0; i < 3; i++) {
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            put_row(row_of(a, i, x), b, i, x, out);
        }
    }
}

/* a^+ a */
static void square(const naik_row *a, naik_row *out)
{
    for (int i = 0; i < 3; i++) {
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            put_row(dagger_row_of(a, i, x), a, i, x, out);
        }
    }
}

INLINE naik_complex minor(const naik_row *v, int i, int j, int x)
{
    return naik_csub(naik_cmul(load(v, 1, i, x), load(v, 2, j, x)),
                     naik_cmul(load(v, 1, j, x), load(v, 2, i, x)));
}

/* |det v|^2 */
static void det_norms(const naik_row *v, double out[NAIK_ROW_SITES])
{
#pragma omp simd
    for (int x = 0; x < NAIK_ROW_SITES; x++) {
        naik_complex det = naik_cmul(load(v, 0, 0, x), minor(v, 1, 2, x));
        det = naik_cfma(load(v, 0, 1, x), minor(v, 2, 0, x), det);
        out[x] = naik_cnorm2(naik_cfma(load(v, 0, 2, x), minor(v, 0, 1, x), det));
    }
}

/* Re Tr a */
INLINE double trace(const naik_row *a, int x)
{
    return a->at[0][x] + a->at[8][x] + a->at[16][x];
}

/* f of Q^(-1/2) = f0 + f1 Q + f2 Q^2, 1 in usable[] where they can be used, else 0. */
static void coefficients(const naik_row *v, const naik_row *q, const naik_row *q2,
                         double f[3][NAIK_ROW_SITES], double usable[NAIK_ROW_SITES])
{
    double cube[NAIK_ROW_SITES], det2[NAIK_ROW_SITES];
    naik_rows_trace_dagger(q2, q, cube);
    det_norms(v, det2);
#pragma omp simd
    for (int x = 0; x < NAIK_ROW_SITES; x++) {
        const three_reals g = eigenvalues(trace(q, x), trace(q2, x) / 2, cube[x] / 3);
        const three_reals root = inverse_root(g);
        f[0][x] = root.a;
        f[1][x] = root.b;
        f[2][x] = root.c;
        usable[x] = regular(det2[x], g) ? 1 : 0;
    }
}

/* f0 + f1 q + f2 q2, into q2 */
static void inverse_roots(double f[3][NAIK_ROW_SITES], const naik_row *q, naik_row *q2)
{
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
        const double diagonal = k % 8 == 0;
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            const double sum = fma(f[1][x], q->at[k][x], diagonal != 0 ? f[0][x] : 0);
            q2->at[k][x] = fma(f[2][x], q2->at[k][x], sum);
        }
    }
}

/* w (3 - w^+ w)/2 */
static void newton_steps(const naik_row *w, naik_row *out)
{
    naik_row correction;
    square(w, &correction);
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
        const double start = k % 8 == 0 ? 1.5 : 0;
#pragma omp simd
        for (int x = 0; x < NAIK_ROW_SITES; x++) {
            correction.at[k][x] = fma(-0.5, correction.at[k][x], start);
        }
    }
    multiply(w, &correction, out);
}

NAIK_CLONES void naik_unitarize_row(const naik_row *v, int n, naik_row *w, int64_t count[2])
{
    naik_row q, q2, rough;
    double f[3][NAIK_ROW_SITES], usable[NAIK_ROW_SITES];
    square(v, &q);
    multiply(&q, &q, &q2);
    coefficients(v, &q, &q2, f, usable);
    inverse_roots(f, &q, &q2);
    multiply(v, &q2, &rough);
    newton_steps(&rough, w);
    for (int x = 0; x < n; x++) {
        if (usable[x] == 0) {
            naik_matrix one;
            naik_projection how;
            for (int k = 0; k < 9; k++) {
                one.e[k / 3][k % 3] = load(v, k / 3, k % 3, x);
            }
            one = naik_unitarize(&one, &how);
            for (int k = 0; k < 9; k++) {
                store(w, k / 3, k % 3, x, one.e[k / 3][k % 3]);
            }
            count[0] += how != NAIK_PROJECTION_SERIES;
            count[1] += how == NAIK_PROJECTION_ARBITRARY;
        }
    }
}
