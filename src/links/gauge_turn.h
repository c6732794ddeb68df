/* gauge_turn.h - what gauge fixing does at one site, the same bits on the host and on a device */
#ifndef NAIK_LINKS_GAUGE_TURN_H
#define NAIK_LINKS_GAUGE_TURN_H

#include "links/su2.h"

/* (1 - omega) + omega v^+, back in SU(2). */
NAIK_HD static inline naik_su2 naik_su2_overshoot(const naik_su2 *v, double omega)
{
    const naik_su2 one = {{1, 0, 0, 0}};
    naik_su2 g = naik_su2_times_dagger(&one, v);
    double norm2 = 0;
    for (int k = 0; k < 4; k++) {
        g.a[k] = (k == 0 ? 1 - omega : 0) + omega * g.a[k];
        norm2 += g.a[k] * g.a[k];
    }
    if (norm2 < 1e-30) { /* omega 2 of a half turn, and only then */
        return one;
    }
    for (int k = 0; k < 4; k++) {
        g.a[k] /= sqrt(norm2);
    }
    return g;
}

/* g of a site from its w (gauge_fix.h), subgroup by subgroup. */
NAIK_HD static inline naik_matrix naik_gauge_turn(naik_matrix w, double omega)
{
    naik_matrix g = naik_mat_unit();
    for (int k = 0; k < 3; k++) {
        const int i = k == 2 ? 1 : 0, j = k == 0 ? 1 : 2; /* 0 1, 0 2, 1 2 */
        naik_su2 v;
        naik_su2_project(&w, i, j, &v);
        const naik_su2 part = naik_su2_overshoot(&v, omega);
        naik_su2_rotate(&part, i, j, &w);
        naik_su2_rotate(&part, i, j, &g);
    }
    return g;
}

/* The link u of a site that is turned by g itself (`here`), or whose neighbour ahead is. */
NAIK_HD static inline naik_matrix naik_gauge_turned(const naik_matrix *u, const naik_matrix *g,
                                                    bool here)
{
    return here ? naik_mat_mul(g, u) : naik_mat_mul_dagger(u, g);
}

/* Tr Delta^2 of a site (naik_gauge_divergence) from d = sum_k U_k(x) - U_k(x - k). */
NAIK_HD static inline double naik_gauge_delta2(const naik_matrix *d)
{
    const double a = d->e[0][0].im, b = d->e[1][1].im, c = d->e[2][2].im;
    const double mean = (a + b + c) / 3;
    double total = (a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean);
    for (int i = 0; i < 3; i++) {
        for (int j = i + 1; j < 3; j++) {
            const double re = d->e[i][j].re - d->e[j][i].re;
            const double im = d->e[i][j].im + d->e[j][i].im;
            total += (re * re + im * im) / 2; /* both entries, each half of the difference */
        }
    }
    return total;
}

/* d += here - back */
NAIK_HD static inline void naik_gauge_add_difference(const naik_matrix *here,
                                                     const naik_matrix *back, naik_matrix *d)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            d->e[i][j] = naik_cadd(d->e[i][j], naik_csub(here->e[i][j], back->e[i][j]));
        }
    }
}

#endif
