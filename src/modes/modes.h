/* modes.h - low modes of the staggered operator, and what is done with them
 *
 *   -D_eo D_oe v_i = 4 lambda_i^2 v_i   on the even sites,   V^+ V = 1
 *
 * so that A = 4 m^2 - D_eo D_oe has the eigenvalues 4 (m^2 + lambda_i^2) for any mass, and D_oe
 * v_i / (2 lambda_i) are modes of the odd sites. A mode is checkerboard vector without halo; they
 * are stored in blocks of NAIK_MODES_BLOCK.
 */
#ifndef NAIK_MODES_MODES_H
#define NAIK_MODES_MODES_H

#include "backend/field.h"
#include "naik/gauge.h"

typedef struct naik_modes {
    const naik_geometry *geometry; /* borrowed */
    naik_precision precision;      /* NAIK_SINGLE, or NAIK_HALF: bricks (field.h) */
    int count;                     /* modes in use */
    int blocks;                    /* those of the modes it was created for */
    naik_field **block;            /* [blocks], NAIK_MODES_BLOCK rhs each; NULL: given back */
    double *lambda2;               /* [count] eigenvalues of -D_eo D_oe, ascending: 4 lambda^2 */
    double *residual;              /* [count] |-D_eo D_oe v - lambda2 v| */
} naik_modes;

/* Room for `capacity` modes, zeroed; count = capacity. Collective.
 * NAIK_ERR_ARG     capacity not in 1 .. NAIK_MODES_MAX, or double precision
 * NAIK_ERR_MEMORY  on some rank; the sentence says how many modes had room */
naik_status naik_modes_create(const naik_geometry *geometry, naik_precision precision, int capacity,
                              naik_modes **out);
void naik_modes_destroy(naik_modes **modes);
/* Gives the memory of all blocks back in which none of the first `count` modes is. */
void naik_modes_give_back(naik_modes *modes, int count);
/* Has memory for all modes again, zeroed where it was given back. Collective. NAIK_ERR_MEMORY */
naik_status naik_modes_take_back(naik_modes *modes);
/* Ascending by eigenvalue, equal ones in their order: in place, by way of one rhs of `spare`, whose
 * contents are lost. Rhs of the last block beyond the modes become 0. */
naik_status naik_modes_sort(naik_modes *modes, naik_field *spare);
/* *to = *from in 16 bits, a block after the other, each given back by `from` when it is copied: at no
 * time is there memory for more than `from` and one block. *from is destroyed. Collective.
 * NAIK_ERR_MEMORY */
naik_status naik_modes_round(naik_modes **from, naik_modes **to);
/* to = from: a block in single precision into 16 bits, or out of them, or into another such block. */
naik_status naik_modes_copy_block(naik_field *to, const naik_field *from);
/* to = from, as naik_modes_copy_block does, with eigenvalues and residuals; as many as `to` has. */
naik_status naik_modes_copy(const naik_modes *from, naik_modes *to);
/* Bytes of so many modes on this rank, for the memory plan. */
size_t naik_modes_bytes(const naik_geometry *geometry, naik_precision precision, int capacity);

/* Room for what travels between host and backend in the calls below: made once. */
typedef struct naik_modes_work {
    const naik_geometry *geometry; /* borrowed */
    int modes, nrhs;               /* at most */
    int64_t *products;             /* backend memory [modes][nrhs][2] */
    double *coefficients;          /* backend memory [modes][nrhs][2] */
    int64_t *words;                /* host [modes][nrhs][2] */
    double *numbers;               /* host [modes][nrhs][2] */
    naik_exactsum *sums;           /* backend memory [nrhs] */
    void *aside;                   /* backend memory [aside_bytes] of naik_modes_rotate, or NULL */
    size_t aside_bytes;
} naik_modes_work;
/* modes up to a whole number of blocks. Collective. NAIK_ERR_MEMORY */
naik_status naik_modes_work_create(const naik_geometry *geometry, int modes, int nrhs,
                                   naik_modes_work **out);
void naik_modes_work_destroy(naik_modes_work **work);
/* Room for naik_modes_rotate besides, which makes it where it is not there. Collective.
 * NAIK_ERR_MEMORY */
naik_status naik_modes_work_rotates(naik_modes_work *work);
/* Bytes of it in backend memory, for the memory plan. */
size_t naik_modes_work_bytes(const naik_geometry *geometry, int modes, int nrhs, bool rotates);
/* And on the host, whatever the backend. */
size_t naik_modes_work_host_bytes(int modes, int nrhs);

/* norm2[c] = |r_c|^2 over all ranks. Collective. */
naik_status naik_modes_norms(naik_modes_work *work, const naik_field *r, double *norm2);

/* The first `count` modes of blocks that are rhs of fields: c [count][r->nrhs], row-major,
 * c_ij = v_i^+ r_j; identical bits on any ranks, grid and threads. |v_i| <= largest; norm2 as
 * naik_modes_norms gives it, of which those that are 0 or not finite leave their column 0. v in
 * single precision may be fields with halo. Collective.
 * NAIK_ERR_ARG, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_modes_project(naik_modes_work *work, naik_field *const *block, int count,
                               double largest, const naik_field *r, const double *norm2,
                               naik_complex *c);
/* x_j += sum_i v_i c_ij for rhs in `state` (rhs NULL: all), c [count][x->nrhs]. */
naik_status naik_modes_add(naik_modes_work *work, naik_field *const *block, int count,
                           const naik_complex *c, naik_field *x, const naik_rhs *rhs,
                           naik_rhs_state state);
/* v_j = sum_i v_i q_ij of the first `count` modes for j < kept, in place; q [count][kept]. Modes in
 * single precision; those from `kept` on are undefined afterwards. kept <= work->nrhs or not:
 * coefficients have room for count x kept numbers where work->modes x work->nrhs are no fewer. */
naik_status naik_modes_rotate(naik_modes_work *work, naik_field *const *block, int count,
                              const naik_complex *q, int kept);

#endif
