/* lanczos_basis.h - the basis of a Lanczos search and its orthogonality, and its state, for lanczos.c alone */
#ifndef NAIK_MODES_LANCZOS_BASIS_H
#define NAIK_MODES_LANCZOS_BASIS_H

#include "modes/lanczos.h"

enum { BLOCK = NAIK_MODES_BLOCK };

typedef struct lanczos {
    const naik_geometry *geometry;
    naik_log *log;
    const naik_lanczos_options *options;
    const naik_lanczos_hooks *hooks;
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
    double begun;
} lanczos;

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

/* Whether the hooks ask for a stop; data: lanczos. */
bool lanczos_asked(void *data);
/* Before a block: offers what the search is now to be saved, and stops where that is asked for:
 * NAIK_ERR_INTERRUPTED. */
naik_status lanczos_keep(lanczos *l);
/* Saves what lanczos_keep saw last: NAIK_ERR_INTERRUPTED */
naik_status lanczos_stop(lanczos *l);
/* Goes on from what an earlier run kept. NAIK_ERR_CORRUPT where it does not fit */
naik_status lanczos_resume(lanczos *l, bool *found);

#endif
