/* cg_batch.h - the batch of a conjugate gradient: its fields, its columns, and moving them about */
#ifndef NAIK_CG_BATCH_H
#define NAIK_CG_BATCH_H

#include "naik/cg.h"

/* What the host knows of a column beside its record. */
typedef struct cg_slot {
    int64_t index; /* of the system in the stream */
    naik_cg_system system;
    double bb;            /* |b|^2 */
    double best_rr;       /* smallest true |r|^2 at a check */
    double site_residual; /* at the last check, where asked for */
    double seconds;
    int restarts, stalls, breaks;
    bool started; /* has iterated */
    bool restart; /* the next direction is the residual alone */
    double *history;
} cg_slot;

enum { CG_SUMS = 3 }; /* |r|^2, Re (r, A p), |D r|^2 */

struct naik_cg {
    const naik_geometry *geometry;
    naik_schur outer, inner;
    naik_precision vectors;
    bool mixed; /* the iteration's vectors are not the double ones */
    int width, width_now;
    uint64_t serial; /* of what an iteration enqueues (backend.h) */
    /* double: right-hand side, solution, residual, and a scratch field of the other parity */
    naik_field *b, *x, *r, *scratch;
    /* the iteration's: correction and residual (x and r themselves unless mixed), direction, A
     * times that, scratch */
    naik_field *xi, *ri, *p, *ap, *inner_scratch;
    naik_column *columns;             /* backend memory [width] */
    naik_column record[NAIK_MAX_RHS]; /* the host's copy */
    naik_exactsum *sums;              /* backend memory [CG_SUMS][width_now] */
    double *history;                  /* backend memory [longest][width_now], NULL: not kept */
    double *ring;                     /* the host's copy */
    int poll, longest;                /* iterations between two polls, at least and at most */
    int history_stride;
    size_t history_capacity, slot_history_capacity;
    cg_slot slot[NAIK_MAX_RHS];
    int64_t next; /* system to load */
    bool open;    /* the residual has been sent to the neighbours, for the next iteration */
};

/* One step of every running column, counted. Only enqueues. */
naik_status cg_step(naik_cg *cg, const naik_schur *schur, const naik_cg_vectors *v);

naik_status cg_begin(naik_cg *cg, naik_parity parity, const naik_cg_options *options,
                     int64_t count);
naik_status cg_check_system(naik_cg *cg, const naik_cg_system *system);
naik_status cg_columns_upload(naik_cg *cg);
naik_status cg_columns_download(naik_cg *cg);
/* dots[c] = Re (v_c, w_c) over all ranks. */
naik_status cg_dots(naik_cg *cg, const naik_field *v, const naik_field *w,
                    double dots[NAIK_MAX_RHS]);
/* Fills slot.site_residual of the columns being checked, if any of them asks for it. */
naik_status cg_site_residuals(naik_cg *cg);
/* Moves the columns that are not idle together and narrows every field to them. */
naik_status cg_narrow(naik_cg *cg);

/* cg_state.c: keeps column c by the stream's save; puts back what its restore has; takes the
 * scalars of a state that was put back. */
naik_status cg_save(naik_cg *cg, const naik_cg_stream *stream, int c);
naik_status cg_restore(naik_cg *cg, const naik_cg_stream *stream, int c, naik_cg_state *state,
                       bool *found);
naik_status cg_adopt(naik_cg *cg, const naik_cg_options *options, int c,
                     const naik_cg_state *state);

/* headroom of a column (columns.h): 2^20 times the mean of what a site adds to |r|^2. */
static inline double cg_headroom(const naik_cg *cg)
{
    return 0x1p21 / (double)cg->geometry->lattice->volume;
}

#endif
