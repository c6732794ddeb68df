/* su3.h - complex numbers and 3 x 3 matrices in double, for everything that is not a hot kernel,
 * on the host and in the device's code that must agree with the host's to the bit
 */
#ifndef NAIK_LATTICE_SU3_H
#define NAIK_LATTICE_SU3_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/hd.h"
#include "naik/gauge.h"

NAIK_HD static inline naik_complex naik_cadd(naik_complex a, naik_complex b)
{
    return (naik_complex){a.re + b.re, a.im + b.im};
}
NAIK_HD static inline naik_complex naik_csub(naik_complex a, naik_complex b)
{
    return (naik_complex){a.re - b.re, a.im - b.im};
}
NAIK_HD static inline naik_complex naik_cmul(naik_complex a, naik_complex b)
{
    return (naik_complex){fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}
NAIK_HD static inline naik_complex naik_conj(naik_complex a)
{
    return (naik_complex){a.re, -a.im};
}
NAIK_HD static inline naik_complex naik_cscale(double s, naik_complex a)
{
    return (naik_complex){s * a.re, s * a.im};
}
NAIK_HD static inline double naik_cnorm2(naik_complex a)
{
    return fma(a.re, a.re, a.im * a.im);
}
/* acc + a b */
NAIK_HD static inline naik_complex naik_cfma(naik_complex a, naik_complex b, naik_complex acc)
{
    return (naik_complex){fma(-a.im, b.im, fma(a.re, b.re, acc.re)),
                          fma(a.im, b.re, fma(a.re, b.im, acc.im))};
}
/* acc + a conj(b) */
NAIK_HD static inline naik_complex naik_cfma_conj(naik_complex a, naik_complex b, naik_complex acc)
{
    return (naik_complex){fma(a.im, b.im, fma(a.re, b.re, acc.re)),
                          fma(a.im, b.re, fma(-a.re, b.im, acc.im))};
}

/* a b c, of real parts alone where not `both`: the weight of a site in a sum over time slices. */
NAIK_HD static inline naik_complex naik_slice_product(naik_complex a, naik_complex b,
                                                      naik_complex c, bool both)
{
    const naik_complex real = {a.re * b.re * c.re, 0};
    return both ? naik_cmul(naik_cmul(a, b), c) : real;
}

/* Whether the coordinates of a set of directions have an odd sum; odd: the directions whose coordinate is. */
NAIK_HD static inline bool naik_slice_minus(unsigned directions, unsigned odd)
{
    return (0x6996U >> (directions & odd) & 1) !=
           0; /* bit number s: s has an odd number of directions */
}

NAIK_HD static inline naik_matrix naik_mat_zero(void)
{
    return (naik_matrix){{{{0, 0}}}};
}
NAIK_HD static inline naik_matrix naik_mat_unit(void)
{
    return (naik_matrix){
        {{{1, 0}, {0, 0}, {0, 0}}, {{0, 0}, {1, 0}, {0, 0}}, {{0, 0}, {0, 0}, {1, 0}}}};
}
/* Exactly. */
NAIK_HD static inline bool naik_mat_is_unit(const naik_matrix *a)
{
    bool same = true;
    for (int i = 0; i < 9; i++) {
        const naik_complex z = a->e[i / 3][i % 3];
        same = same && z.re == (i % 4 == 0) && z.im == 0;
    }
    return same;
}
/* a b */
NAIK_HD static inline naik_matrix naik_mat_mul(const naik_matrix *a, const naik_matrix *b)
{
    naik_matrix c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            naik_complex s = naik_cmul(a->e[i][0], b->e[0][j]);
            s = naik_cfma(a->e[i][1], b->e[1][j], s);
            c.e[i][j] = naik_cfma(a->e[i][2], b->e[2][j], s);
        }
    }
    return c;
}
/* a b^+ */
NAIK_HD static inline naik_matrix naik_mat_mul_dagger(const naik_matrix *a, const naik_matrix *b)
{
    naik_matrix c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            naik_complex s = naik_cmul(a->e[i][0], naik_conj(b->e[j][0]));
            s = naik_cfma_conj(a->e[i][1], b->e[j][1], s);
            c.e[i][j] = naik_cfma_conj(a->e[i][2], b->e[j][2], s);
        }
    }
    return c;
}
/* out = u v, or u^+ v, of reals v[3][re, im]. */
NAIK_HD static inline void naik_mat_times(const naik_matrix *u, bool dagger, const double *v,
                                          naik_complex out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i].re = out[i].im = 0;
        for (int j = 0; j < 3; j++) {
            const naik_complex e = dagger ? naik_conj(u->e[j][i]) : u->e[i][j];
            const naik_complex c = {v[2 * j], v[2 * j + 1]};
            out[i] = naik_cfma(e, c, out[i]);
        }
    }
}
NAIK_HD static inline naik_matrix naik_mat_dagger(const naik_matrix *a)
{
    naik_matrix c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.e[i][j] = naik_conj(a->e[j][i]);
        }
    }
    return c;
}
/* a^+ b */
NAIK_HD static inline naik_matrix naik_mat_dagger_mul(const naik_matrix *a, const naik_matrix *b)
{
    naik_matrix d = naik_mat_dagger(a);
    return naik_mat_mul(&d, b);
}
/* acc += s a */
NAIK_HD static inline void naik_mat_add(naik_matrix *acc, double s, const naik_matrix *a)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            acc->e[i][j].re = fma(s, a->e[i][j].re, acc->e[i][j].re);
            acc->e[i][j].im = fma(s, a->e[i][j].im, acc->e[i][j].im);
        }
    }
}
NAIK_HD static inline naik_matrix naik_mat_scale(double s, const naik_matrix *a)
{
    naik_matrix c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.e[i][j] = naik_cscale(s, a->e[i][j]);
        }
    }
    return c;
}
/* A number times a matrix; 1 leaves every bit as it is. */
NAIK_HD static inline naik_complex naik_rotate(naik_complex phase, naik_complex a)
{
    return phase.re == 1 && phase.im == 0 ? a : naik_cmul(phase, a);
}
NAIK_HD static inline naik_matrix naik_mat_rotate(naik_complex phase, const naik_matrix *a)
{
    naik_matrix c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.e[i][j] = naik_rotate(phase, a->e[i][j]);
        }
    }
    return c;
}
NAIK_HD static inline naik_complex naik_mat_trace(const naik_matrix *a)
{
    return naik_cadd(naik_cadd(a->e[0][0], a->e[1][1]), a->e[2][2]);
}
NAIK_HD static inline naik_complex naik_mat_det(const naik_matrix *a)
{
    naik_complex m0 =
        naik_csub(naik_cmul(a->e[1][1], a->e[2][2]), naik_cmul(a->e[1][2], a->e[2][1]));
    naik_complex m1 =
        naik_csub(naik_cmul(a->e[1][2], a->e[2][0]), naik_cmul(a->e[1][0], a->e[2][2]));
    naik_complex m2 =
        naik_csub(naik_cmul(a->e[1][0], a->e[2][1]), naik_cmul(a->e[1][1], a->e[2][0]));
    naik_complex d = naik_cmul(a->e[0][0], m0);
    d = naik_cfma(a->e[0][1], m1, d);
    return naik_cfma(a->e[0][2], m2, d);
}

NAIK_HD static inline double naik_mat_row_norm(const naik_matrix *u, int i)
{
    return sqrt(naik_cnorm2(u->e[i][0]) + naik_cnorm2(u->e[i][1]) + naik_cnorm2(u->e[i][2]));
}
/* Gram-Schmidt on the rows, third row = conj(row0 x row1). False where a row vanishes, is not finite
 * or is, but for rounding, a multiple of the one before. */
NAIK_HD static inline bool naik_mat_reunitarise(naik_matrix *u)
{
    for (int i = 0; i < 2; i++) {
        const double before = naik_mat_row_norm(u, i);
        for (int k = 0; k < i; k++) {
            naik_complex overlap = {0, 0}; /* row_k^* . row_i */
            for (int j = 0; j < 3; j++) {
                overlap = naik_cfma(naik_conj(u->e[k][j]), u->e[i][j], overlap);
            }
            for (int j = 0; j < 3; j++) {
                u->e[i][j] = naik_csub(u->e[i][j], naik_cmul(overlap, u->e[k][j]));
            }
        }
        const double norm = naik_mat_row_norm(u, i);
        if (!(norm > 1e-10 * before && norm <= DBL_MAX)) {
            return false;
        }
        for (int j = 0; j < 3; j++) {
            u->e[i][j] = (naik_complex){u->e[i][j].re / norm, u->e[i][j].im / norm};
        }
    }
    for (int j = 0; j < 3; j++) {
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        u->e[2][j] = naik_conj(
            naik_csub(naik_cmul(u->e[0][k], u->e[1][l]), naik_cmul(u->e[0][l], u->e[1][k])));
    }
    return true;
}

#endif
