/* su2.h - SU(2) subgroups of SU(3), row by row and column by column
 *
 * N. Cabibbo, E. Marinari, PLB 119 (1982) 387.
 */
#ifndef NAIK_LINKS_SU2_H
#define NAIK_LINKS_SU2_H

#include <math.h>

#include "lattice/su3.h"

/* An SU(2) matrix a0 + i a.sigma. */
typedef struct naik_su2 {
    double a[4];
} naik_su2;

/* a b^+ */
NAIK_HD static inline naik_su2 naik_su2_times_dagger(const naik_su2 *a, const naik_su2 *b)
{
    const double *p = a->a, *q = b->a;
    return (naik_su2){{p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3],
                       q[0] * p[1] - p[0] * q[1] + p[2] * q[3] - p[3] * q[2],
                       q[0] * p[2] - p[0] * q[2] + p[3] * q[1] - p[1] * q[3],
                       q[0] * p[3] - p[0] * q[3] + p[1] * q[2] - p[2] * q[1]}};
}

/* Re tr(g w) over rows and columns i, j of w is norm Re tr(g v) for every SU(2) matrix g; returns
 * norm, v = 1 where it vanishes. */
NAIK_HD static inline double naik_su2_project(const naik_matrix *w, int i, int j, naik_su2 *v)
{
    const naik_complex ii = w->e[i][i], ij = w->e[i][j], ji = w->e[j][i], jj = w->e[j][j];
    double *a = v->a;
    a[0] = 0.5 * (ii.re + jj.re);
    a[1] = 0.5 * (ij.im + ji.im);
    a[2] = 0.5 * (ij.re - ji.re);
    a[3] = 0.5 * (ii.im - jj.im);
    double norm = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
    if (norm < 1e-150) {
        *v = (naik_su2){{1, 0, 0, 0}};
        return 0;
    }
    for (int k = 0; k < 4; k++) {
        a[k] /= norm;
    }
    return norm;
}

/* m = g m with g in rows i, j. */
NAIK_HD static inline void naik_su2_rotate(const naik_su2 *g, int i, int j, naik_matrix *m)
{
    const naik_complex gii = {g->a[0], g->a[3]}, gij = {g->a[2], g->a[1]};
    const naik_complex gji = {-g->a[2], g->a[1]}, gjj = {g->a[0], -g->a[3]};
    for (int c = 0; c < 3; c++) {
        const naik_complex top = m->e[i][c], bottom = m->e[j][c];
        m->e[i][c] = naik_cfma(gij, bottom, naik_cmul(gii, top));
        m->e[j][c] = naik_cfma(gjj, bottom, naik_cmul(gji, top));
    }
}

#endif
