/* batch.h - the batch of a solver: its right-hand sides, their fields, and the row of an algorithm
 *
 * A batch holds `width` right-hand sides (rhs), and all of them iterate together. Systems wait in the
 * stream until a place of the batch, a slot, is free. batch.c moves the rhs about, batch_solve.c takes
 * a stream through them, batch_state.c keeps those that are interrupted. What an algorithm does
 * otherwise than the others is its row, naik_solver_kind.
 *
 * An algorithm works in stages, from the fastest to the safest: a storage, and a form of the
 * iteration. One stage is at work at a time. An rhs of another stage waits with nothing but x, or as
 * it was restored; when no rhs runs any more, the fastest stage that is waited for comes to work.
 */
#ifndef NAIK_SOLVER_BATCH_H
#define NAIK_SOLVER_BATCH_H

#include "backend/launch.h"
#include "base/exactsum.h"
#include "solver/solver.h"

/* Vectors in one precision: what was added to x since the last true residual, or x itself; the
 * residual, the direction, the operator times that; one that holds nothing between iterations; another.
 * An algorithm has the first `fields` of them. */
enum { BATCH_X, BATCH_R, BATCH_P, BATCH_IMAGE, BATCH_SPARE, BATCH_OTHER, BATCH_FIELDS };
typedef struct batch_fields {
    naik_field *field[BATCH_FIELDS];
} batch_fields;

/* What the host knows of an rhs beside its record. */
typedef struct batch_slot {
    int64_t index; /* of the system in the stream */
    naik_solver_system system;
    naik_solver_state
        state;            /* its record is that of naik_solver; its history is the slot's memory */
    int start_iterations; /* naik_solver_start */
    int32_t resumes;      /* naik_rhs_state in which an rhs that was restored goes on */
    naik_solver_reason reason; /* and true |r|^2 of an rhs that is held */
    double rr;
    bool broke, slow, apart;     /* of bicgstab.h: since the last check */
    double begun_rr;             /* and with multigrid: |r|^2 when its directions were full last, */
    naik_solver_state refreshed; /* what it was at the last check */
} batch_slot;

struct naik_solver {
    const naik_solver_kind *kind;
    const naik_geometry *geometry;
    const naik_operator *op[NAIK_RUNGS]; /* NULL: without this rung */
    naik_precision vectors; /* of the rungs below double; NAIK_DOUBLE: there are none */
    naik_parity parity;
    int now; /* stage at work */
    int width, width_now, fields;
    naik_field *b;                /* right-hand sides, in double */
    batch_fields outer, low;      /* in double; in `vectors`, or outer's own where that is double */
    naik_rhs *rhs, *mask;         /* backend memory [width]; of mask only the state counts, */
    int32_t masked[NAIK_MAX_RHS]; /* which the host knows once it has been set; 0: it has not */
    naik_rhs record[NAIK_MAX_RHS]; /* the host's copy of rhs */
    batch_slot slot[NAIK_MAX_RHS];
    naik_exactsum *sums; /* backend memory [kind->sums][width_now] */
    double *history,
        *ring;         /* backend memory [longest][width_now], NULL: not kept; the host's copy */
    int poll, longest; /* iterations between two polls, at least and at most */
    int history_stride;
    size_t history_capacity, slot_history_capacity;
    int64_t next;    /* system to load */
    int missed;      /* iterations that rhs which ask for a true residual have waited, together */
    uint64_t serial; /* of what an iteration enqueues (backend.h) */
    naik_launch launch; /* how iterations are enqueued */
    bool open;          /* the residual has been sent to the neighbours, for the next iteration */
    void *own;          /* the algorithm's */
};

/* An algorithm: cg.c has an example. create, destroy, upload, download, is_normal, needed, begin, clear
 * and close may be NULL: then there is nothing to do. */
struct naik_solver_kind {
    const char *name; /* as a subject: "conjugate gradient" */
    int sums;         /* an rhs */
    int stages;       /* how many; the first is at work first, unless begin says otherwise */
    int (*fields)(const naik_operator_ops *ops); /* how many of batch_fields */
    bool (*takes)(const naik_operator *op);      /* whether the operator can be solved */
    /* Memory of the algorithm's own, which destroy gives back; create agrees on failures. */
    naik_status (*create)(naik_solver *s);
    void (*destroy)(naik_solver *s);
    /* The records of all rhs to the backend and back, where the algorithm has more than naik_rhs. */
    naik_status (*upload)(naik_solver *s);
    naik_status (*download)(naik_solver *s);

    /* A stage of an rhs; what a stage stores its iteration in; whether it is of the normal equations. */
    int (*stage)(const naik_solver_state *state);
    naik_rung (*rung)(const naik_solver *s, int stage);
    bool (*is_normal)(int stage);
    /* The vectors of a stage, out[NAIK_SOLVER_VECTORS]; NULL where it has none. */
    void (*vectors)(const naik_solver *s, int stage, naik_field *out[NAIK_SOLVER_VECTORS]);
    /* Drops from `field` the vectors of a stage that an rhs in this state does not need to go on. */
    void (*needed)(int stage, naik_rhs_state state, naik_field *field[NAIK_SOLVER_VECTORS]);

    /* Flops of the iterations of rhs c so far, a parity site; NULL: each takes the operator's step_flops. */
    double (*flops)(const naik_solver *s, int c);
    /* What is kept of rhs c in mid solve where that is not what it stands at; may be NULL. */
    void (*keep)(const naik_solver *s, int c, naik_solver_state *state);
    /* The algorithm's own vectors, where rhs map[0 .. n-1] become 0 .. n-1; may be NULL. */
    naik_status (*narrow)(naik_solver *s, const int *map, int n);

    /* Before the first system of a stream. */
    void (*begin)(naik_solver *s, const naik_solver_options *options);
    /* The first stage of rhs c, whose system is loaded, into its state. */
    void (*load)(naik_solver *s, const naik_solver_options *options, int c);
    /* Whether the state, of the right b, can be one of rhs c; it is in the slot and the record. */
    bool (*fits)(naik_solver *s, const naik_solver_options *options, int c);
    /* The vectors of rhs that begin at the stage at work, which the mask has in NAIK_RHS_CHECK. */
    naik_status (*clear)(naik_solver *s);
    /* Forms the true residuals of all rhs that ask for one: they end, climb, or go on. */
    naik_status (*check)(naik_solver *s, const naik_solver_options *options,
                         const naik_solver_stream *stream);
    /* Runs until the next poll, at most *count iterations, and downloads the records. */
    naik_status (*run)(naik_solver *s, int *count);
    /* Before anything but iterations. */
    naik_status (*close)(naik_solver *s);
};

/* batch.c */
/* Whether there are rungs below double. */
static inline bool batch_is_mixed(const naik_solver *s)
{
    return s->vectors != NAIK_DOUBLE;
}
/* The first rung from this one on that there is. */
naik_rung batch_rung_from(const naik_solver *s, naik_rung rung);
int batch_in_state(const naik_solver *s, naik_rhs_state state);
/* Whether every rhs of the batch took `count` iterations since it had before[]: an rhs that has ended or
 * asks for its true residual takes none, and the kernels then do less than their width says. */
bool batch_took_all(const naik_solver *s, const int before[], int count);
/* Tells the backend (naik_solver_ops.repeated). */
naik_status batch_repeated(const naik_solver *s, bool whole);
static inline int batch_stage_of(const naik_solver *s, int c)
{
    return s->kind->stage(&s->slot[c].state);
}
/* Empties all slots, for systems on `parity`; room for what options want to be kept. */
naik_status batch_begin(naik_solver *s, naik_parity parity, const naik_solver_options *options,
                        int64_t count);
naik_status batch_upload(naik_solver *s);
naik_status batch_download(naik_solver *s);
/* What mask is from now on: NAIK_RHS_CHECK for those wanted. */
naik_status batch_set_mask(naik_solver *s, const bool wanted[NAIK_MAX_RHS]);
bool batch_any(const naik_solver *s, const bool of[NAIK_MAX_RHS]);
/* dots[c] = Re (v_c, w_c) over all ranks; rhs NULL: of all, else of those in NAIK_RHS_CHECK, else 0. */
naik_status batch_dots(naik_solver *s, const naik_field *v, const naik_field *w,
                       const naik_rhs *rhs, double dots[NAIK_MAX_RHS]);
/* The same of `count` sums that were cleared and added to. */
naik_status batch_sums(naik_solver *s, int count, double *values);
/* Fills site_residual of the rhs that ask, where their systems want it. */
naik_status batch_site_residuals(naik_solver *s, const bool asks[NAIK_MAX_RHS]);
/* Moves the rhs that are not idle together, once they are too few for the width. */
naik_status batch_narrow(naik_solver *s);
/* Makes room for `more` rhs beside those that are not idle, as far as the batch was made for them. */
naik_status batch_widen(naik_solver *s, int64_t more);
/* The iterations after which rhs c ends at the latest. */
int batch_limit(const naik_solver *s, const naik_solver_options *options, int c);

/* batch_solve.c */
/* What a true residual that is finite says of every algorithm's rhs: a naik_solver_reason, or -1 to
 * go on. */
int batch_verdict(const naik_solver *s, const naik_solver_options *options, int c, double rr);
/* Hands rhs c, |r|^2 = rr, back to the stream and frees its slot, or holds it until the stream takes it. */
naik_status batch_finish(naik_solver *s, const naik_solver_stream *stream, int c,
                         naik_solver_reason reason, double rr);

/* batch_state.c: keeps rhs c by the stream's save; fills slot and fields with what its restore has. */
naik_status batch_save(naik_solver *s, const naik_solver_stream *stream, int c);
naik_status batch_restore(naik_solver *s, const naik_solver_stream *stream, int c, bool *found);

#endif
