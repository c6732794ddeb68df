/* cg_batch.h - the batch of a conjugate gradient: its fields, its rhs, and moving them about */
#ifndef NAIK_SOLVER_CG_BATCH_H
#define NAIK_SOLVER_CG_BATCH_H

#include "backend/launch.h"
#include "base/exactsum.h"
#include "solver/batch.h"
#include "solver/cg.h"

/* What the host knows of an rhs beside its record. */
typedef struct cg_rhs_slot {
    int64_t index; /* of the system in the stream */
    naik_solver_system system;
    int start_iterations; /* naik_solver_start */
    naik_rung rung, first_rung;
    naik_solver_climb climb; /* why it climbed last, */
    int climbed_at;          /* and at which iteration */
    bool live;               /* its vectors on that rung are in mid solve */
    int32_t resumes;         /* naik_rhs_state in which it goes on from NAIK_RHS_WAIT, if live */
    double bb;               /* |b|^2 */
    bool zero_start;         /* x was 0 when it was loaded, and has not been corrected */
    double best_rr;          /* smallest true |r|^2 at a check */
    double corrected_rr;     /* naik_solver_state */
    int corrections;
    double site_residual; /* at the last check, where asked for */
    double seconds;
    int restarts, stalls, breaks;
    int failures, shorts;           /* naik_solver_state */
    int best_at, begun_at, stretch; /* naik_solver_state */
    bool started;                   /* has iterated on this rung */
    bool restart;                   /* the next direction is the residual alone */
    double *history;
} cg_rhs_slot;

enum { CG_SUMS = 3 }; /* |r|^2, Re (r, A p), |B r|^2 or |B p|^2 */

/* Vectors in one precision: correction, residual, direction, A times that, scratch. */
typedef struct cg_fields {
    naik_field *x, *r, *p, *ap, *scratch[NAIK_SCRATCH_MOST];
} cg_fields;

typedef struct naik_cg {
    naik_solver base;
    const naik_geometry *geometry;
    const naik_operator *op[NAIK_RUNGS]; /* NULL: without this rung */
    naik_precision vectors;              /* of the rungs below double */
    naik_parity parity;
    naik_rung now;      /* at work */
    naik_launch launch; /* how its iterations are enqueued */
    int width, width_now;
    uint64_t serial;               /* of what an iteration enqueues (backend.h) */
    naik_field *b;                 /* right-hand side, in double */
    cg_fields outer, low;          /* in double; of the rungs below, where there are any */
    naik_rhs *rhs;                 /* backend memory [width] */
    naik_rhs record[NAIK_MAX_RHS]; /* the host's copy */
    naik_exactsum *sums;           /* backend memory [CG_SUMS][width_now] */
    double *history;               /* backend memory [longest][width_now], NULL: not kept */
    double *ring;                  /* the host's copy */
    int poll, longest;             /* iterations between two polls, at least and at most */
    int history_stride;
    size_t history_capacity, slot_history_capacity;
    cg_rhs_slot slot[NAIK_MAX_RHS];
    int64_t next; /* system to load */
    int missed;   /* iterations that rhs which ask for a true residual have waited, together */
    bool open;    /* the residual has been sent to the neighbours, for the next iteration */
} naik_cg;

/* Whether there are rungs below double. */
static inline bool cg_is_mixed(const naik_cg *cg)
{
    return cg->vectors != NAIK_DOUBLE;
}
/* The operator and the vectors of a rung; a vector that it has not is NULL. */
naik_normal cg_normal(const naik_cg *cg, naik_rung rung);
naik_cg_vectors cg_vectors(const naik_cg *cg, naik_rung rung);
/* A loop of iterations, as launch.h asks for it. */
static inline naik_launch_loop cg_loop(const char *name, const naik_operator *op,
                                       const naik_field *field)
{
    return (naik_launch_loop){name, naik_operator_is_fused(op), op->precision, field};
}
/* As naik_solver_stream hands them out. */
void cg_fields_of(const naik_cg *cg, naik_rung rung, naik_field *field[NAIK_SOLVER_VECTORS]);
/* The first rung from this one on that there is. */
naik_rung cg_rung_from(const naik_cg *cg, naik_rung rung);

/* One step of every running rhs, counted, with B applied to the residual. Only enqueues. */
naik_status cg_step(naik_cg *cg, const naik_normal *a, const naik_cg_vectors *v);

naik_status cg_create(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors, int width,
                      naik_solver **out);
void cg_destroy(naik_solver *solver);
naik_status cg_begin(naik_cg *cg, naik_parity parity, const naik_solver_options *options,
                     int64_t count);
naik_status cg_check_system(naik_cg *cg, const naik_solver_system *system);
naik_status cg_rhs_upload(naik_cg *cg);
naik_status cg_rhs_download(naik_cg *cg);
int cg_rhs_in_state(const naik_cg *cg, naik_rhs_state state);
/* dots[c] = Re (v_c, w_c) over all ranks. */
naik_status cg_dots(naik_cg *cg, const naik_field *v, const naik_field *w,
                    double dots[NAIK_MAX_RHS]);
/* Fills slot.site_residual of the rhs being checked, if any of them asks for it. */
naik_status cg_site_residuals(naik_cg *cg);
/* Moves the rhs that are not idle together and narrows every field to them. */
naik_status cg_narrow(naik_cg *cg);

/* cg_iterate.c: runs until the next poll; before anything but iterations, receives what the last of
 * them sent; whether rhs that ask for a true residual wait until more of them do. */
naik_status cg_run_to_poll(naik_cg *cg);
naik_status cg_close_iteration(naik_cg *cg);
bool cg_waits_for_company(const naik_cg *cg);

/* cg_check.c: drops what broken rhs added since their last check, so that they ask for one;
 * forms the true residuals of all rhs that ask: they end, climb, or go on from there; hands
 * rhs c back to the stream, |r|^2 = rr, and frees it. */
naik_status cg_recover_broken(naik_cg *cg);
naik_status cg_check_rhs(naik_cg *cg, const naik_solver_options *options,
                         const naik_solver_stream *stream);
naik_status cg_finish_rhs(naik_cg *cg, const naik_solver_stream *stream, int c, int reason,
                          double rr);

/* cg_ladder.c: the rung of a system that is loaded; whether an rhs that was checked, rr its true
 * |r|^2, goes on at a safer rung, and which. */
naik_rung cg_first_rung(const naik_cg *cg, const naik_solver_options *options, double shift);
bool cg_climbs(naik_cg *cg, const naik_solver_options *options, int c, double rr);
/* Sets the rhs that wait to work that belong to the rung at work or, where none is at work, to
 * the fastest rung that one waits for. */
naik_status cg_release(naik_cg *cg);

/* cg_state.c: keeps rhs c by the stream's save; puts back what its restore has; takes the
 * scalars of a state that was put back. */
naik_status cg_save(naik_cg *cg, const naik_solver_stream *stream, int c);
naik_status cg_restore(naik_cg *cg, const naik_solver_stream *stream, int c,
                       naik_solver_state *state, bool *found);
naik_status cg_restore_scalars(naik_cg *cg, const naik_solver_options *options, int c,
                               const naik_solver_state *state);

/* quantum_ratio of an rhs (rhs.h): 2^12 times the mean of what a site adds to |r|^2. */
static inline double cg_quantum_ratio(const naik_cg *cg)
{
    return 0x1p13 / (double)cg->geometry->lattice->volume;
}

#endif
