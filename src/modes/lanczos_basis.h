/* lanczos_basis.h - the basis of a Lanczos search and its orthogonality, and its state, for lanczos.c alone */
#ifndef NAIK_MODES_LANCZOS_BASIS_H
#define NAIK_MODES_LANCZOS_BASIS_H

#include "modes/lanczos.h"

enum { BLOCK = NAIK_MODES_BLOCK, LANCZOS_STARTS = 12 }; /* corrections of an interval */
enum { LANCZOS_SPARE = 16 };                            /* Ritz vectors kept beyond those wanted */
#define LANCZOS_FACTOR_MOST                                                                        \
    1e6                        /* of the polynomial at 0: beyond it rounding hides the last modes */
#define LANCZOS_LOW_MOST  0.9  /* lower end of an interval, times the upper */
#define LANCZOS_HIGH_MOST 2.0  /* upper end that is given, times the largest eigenvalue */
#define LANCZOS_RAISE     1.15 /* of the upper end in a correction */

typedef struct lanczos {
    const naik_geometry *geometry;
    naik_log *log;
    const naik_lanczos_options *options;
    const naik_lanczos_hooks *hooks;
    const naik_links *single, *half; /* half may be NULL */
    naik_filter *filter;
    naik_modes_work *work;
    naik_modes *basis;                /* [krylov + BLOCK] */
    naik_field *w;                    /* the block at work */
    int krylov, size;                 /* vectors of V now */
    naik_complex *t;                  /* [krylov][krylov], lower triangle */
    naik_complex *scratch, *vectors;  /* the same size */
    naik_complex *c;                  /* [krylov][BLOCK] products */
    naik_complex last[BLOCK * BLOCK]; /* R of the block after V */
    double *ritz;                     /* [krylov] */
    double *bound;                    /* [krylov] residuals of the polynomial's Ritz vectors */
    naik_lanczos_state state;
    bool overflow; /* the polynomial had no finite values */
    bool resumed;  /* from a kept state */
    int limited;   /* converged modes whose residual is what single precision leaves */
    double begun;
} lanczos;

/* The polynomial works with links of so many bits. */
void lanczos_use_links(lanczos *l, int bits);
/* w = a block of random vectors that no other block of this seed is. */
naik_status lanczos_fill_random(lanczos *l);
/* The largest |w_c|^2; NaN stays. */
naik_status lanczos_largest_norm2(lanczos *l, double *out);
/* w -= V V^+ w over the first `size` vectors; the products join column block `column` of T, where
 * there is one (>= 0). */
naik_status lanczos_project_out(lanczos *l, int size, int column);
/* w = w R^-1 with w^+ w = R^+ R; r (NULL: not wanted) becomes R r. *condition as
 * naik_hermitian_cholesky gives it. NAIK_ERR_CORRUPT where w is no numbers */
naik_status lanczos_cholesky_qr(lanczos *l, naik_complex *r, double *condition);
/* w becomes the next block of V, orthonormal; l->last its R, and T its products where it is coupled
 * to V. NAIK_ERR_INPUT where the lattice has no further directions */
naik_status lanczos_append(lanczos *l, bool coupled);

/* A little above the largest eigenvalue, from the next random block. */
naik_status lanczos_measure_largest(lanczos *l, double *largest);
/* Of a search that begins: what is asked for, where it does, else from the spectrum. NAIK_ERR_INPUT
 * where there is none that does */
naik_status lanczos_choose_interval(lanczos *l);
/* The largest degree with which single precision holds what the polynomial makes of a vector. */
int lanczos_degree_most(double low, double high);
void lanczos_choose_degree(lanczos *l);
/* Whether the interval lets modes through that it should not, or too few: then a wider one. After a
 * cycle; `before` is the factor of the last mode wanted at its beginning, or 0. */
naik_status lanczos_correct_interval(lanczos *l, double before, bool *corrected);

/* Whether the hooks ask for a stop; data: lanczos. */
bool lanczos_asked(void *data);
/* Before a block: offers what the search is now to be saved, and stops where that is asked for:
 * NAIK_ERR_INTERRUPTED. */
naik_status lanczos_keep(lanczos *l);
/* Saves what lanczos_keep saw last: NAIK_ERR_INTERRUPTED */
naik_status lanczos_stop(lanczos *l);
/* Goes on from what an earlier run kept, where that is what a search can be. */
naik_status lanczos_resume(lanczos *l, bool *found);

#endif
