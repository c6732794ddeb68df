/* solver.h - what a solver is: systems come in by a stream, solutions go out, with their true residuals
 *
 *   A x = b   for many right-hand sides (rhs) at a time, each with its own tolerance, start and fate
 *
 * An algorithm is a row of functions, as an operator is: cg.h and bicgstab.h have the rows, batch.h
 * says what a row holds and does what all algorithms do alike. Every algorithm iterates in the
 * storage that is fast, and forms true residuals in double; only a true residual decides. The bits of
 * an x depend neither on the other rhs of the batch, nor on how often the host polls, nor on an
 * interruption: a stream that saves what an interrupted rhs has come to, and restores it in another
 * run, gets the x of an undisturbed one.
 */
#ifndef NAIK_SOLVER_SOLVER_H
#define NAIK_SOLVER_SOLVER_H

#include "backend/bicgstab_scalars.h"
#include "operator/operator.h"

/* How the iteration of an rhs stores what it works with: from the fastest rung of a ladder to the
 * safest. Every rung forms its true residuals in double. */
typedef enum naik_rung {
    NAIK_RUNG_HALF,      /* the operator in 16 bits; vectors in single precision */
    NAIK_RUNG_SINGLE,    /* operator and vectors in single precision */
    NAIK_RUNG_CLASSICAL, /* the same, x in double; conjugate gradient with B applied to p, not r */
    NAIK_RUNG_DOUBLE,    /* everything in double */
    NAIK_RUNGS
} naik_rung;
const char *naik_rung_name(naik_rung rung); /* "half", "single", "classical", "double" */

typedef struct naik_solver_system {
    double shift;          /* >= 0; for algorithms whose A has one (cg.h) */
    double tolerance;      /* on |b - A x| / |b|, the true residual in double */
    double site_tolerance; /* on the heavy-quark residual; 0: not asked for */
    int limit;             /* on its iterations, below that of the options; 0: that one */
} naik_solver_system;

/* ---- what becomes of a system */

typedef enum naik_solver_reason {
    NAIK_SOLVER_CONVERGED,   /* true residual at or below the tolerance */
    NAIK_SOLVER_ZERO_SOURCE, /* b = 0: x = 0 */
    NAIK_SOLVER_ITERATION_LIMIT,
    NAIK_SOLVER_STAGNATED,  /* true residuals no longer fall, at the last rung */
    NAIK_SOLVER_BROKEN,     /* NaN or no positive curvature, more often than is repaired */
    NAIK_SOLVER_INTERRUPTED /* residual as iterated, x without what was
                               added since the last true residual, or with part of it */
} naik_solver_reason;
const char *naik_solver_reason_text(naik_solver_reason reason);

/* Why an rhs went on at a safer rung. */
typedef enum naik_solver_climb {
    NAIK_SOLVER_NO_CLIMB,
    NAIK_SOLVER_CLIMB_STRAYED, /* true residuals twice what was iterated */
    NAIK_SOLVER_CLIMB_SHORT,   /* true residuals were called for as soon as they could be */
    NAIK_SOLVER_CLIMB_EMPTY,   /* claims of convergence brought nothing */
    NAIK_SOLVER_CLIMB_BROKEN,  /* NaN or no positive curvature */
    NAIK_SOLVER_CLIMB_SLOW     /* the true residual was not halved for long */
} naik_solver_climb;
const char *naik_solver_climb_text(naik_solver_climb climb);

typedef struct naik_solver_result {
    naik_solver_reason reason;
    int iterations;
    int start_iterations;    /* of them, those that went into the starting value */
    int restarts;            /* reliable updates that replaced the residual */
    int corrections;         /* of x by the starter */
    naik_rung first_rung;    /* at which the solve began */
    naik_rung rung;          /* at which it ended */
    bool normal;             /* the solve of a bicgstab.h ended with the normal equations */
    naik_solver_climb climb; /* why the rhs climbed last, and at which iteration */
    int climbed_at;
    double residual;       /* |b - A x| / |b|, true, in double */
    double site_residual;  /* sqrt((1/N) sum_s |r_s|^2/|x_s|^2); NaN where not asked for */
    double flops;          /* of all iterations, a parity site */
    double seconds;        /* wall time the rhs spent in the batch, divided by the rhs beside it */
    const double *history; /* |r|/|b| after each iteration as iterated; borrowed during finish() */
    int history_length;
} naik_solver_result;

/* ---- a preconditioner: about B^-1 */

/* z = about B^-1 r of the rhs of r, in single, on `parity`; norm [nrhs]: |r|, 0: z of this rhs is not
 * wanted. z_c depends on r_c alone. What an application takes inside is counted: steps[c] += inner steps of
 * rhs c. Collective. For BiCGStab's row with multigrid (bicgstab.h). */
typedef struct naik_preconditioner {
    void *data;
    naik_status (*apply)(void *data, naik_parity parity, const naik_field *r, const double *norm,
                         naik_field *z, int32_t *steps);
    /* Of an application beside its inner steps, and of one of those: an rhs and parity site. */
    double flops, step_flops;
} naik_preconditioner;

/* ---- how a solver is told to work */

typedef struct naik_solver_options {
    int max_iterations; /* of an rhs, > 0 */
    double delta; /* a true residual is formed when |r| drops by this factor, < 1, on rungs below
                   * double; 0: what suits the rung */
    double stray; /* and when |dx| > stray |r|, dx what was added to x since the last true residual;
                   * 0: what suits the rung, see naik_cg_stray. Of cg.h alone */
    int max_restarts; /* claims of convergence without progress before STAGNATED; of cg.h alone */
    int first_rung;   /* naik_rung; -1: naik_rung_first of the shift and `removed`; of cg.h alone */
    double removed;   /* eigenvalue of -D D up to which a starter removes all; 0: none */
    bool stay;        /* on the first rung, whatever happens: for measurements */
    int poll_interval;  /* 0: the backend's, and longer while no rhs should need a poll */
    int history_stride; /* iterations of history kept; 0: none */
    const naik_preconditioner *preconditioner; /* of naik_solver_multigrid; borrowed */
    int restart;                               /* directions that it keeps; 0: 16 */
} naik_solver_options;
naik_solver_options naik_solver_defaults(void);

/* ---- a starter: what knows a better x than the iteration has */

/* What went into a starting value; all zero: nothing. It counts as part of the solve. */
typedef struct naik_solver_start {
    int iterations;
    double seconds;
    const double *history; /* as naik_solver_result's, borrowed during start */
    int history_length;
} naik_solver_start;

/* Systems whose x is to be corrected, where their true residuals have been formed. */
typedef struct naik_solver_correction {
    naik_parity parity;
    const naik_field *r;        /* b - A x, in double */
    naik_field *x;              /* in double; of the systems meant, x += correction */
    const naik_rhs *rhs;        /* backend memory: those in NAIK_RHS_CHECK are meant */
    bool wanted[NAIK_MAX_RHS];  /* the same for the host */
    double shift[NAIK_MAX_RHS]; /* of the systems meant */
} naik_solver_correction;

/* A starter gives starting values, as a Krylov space that systems share does (multishift.h), or
 * corrects x, as low modes of A do (modes/deflate.h). Both calls are collective, and either may be
 * NULL. */
typedef struct naik_solver_starter {
    void *data;
    /* After load: writes a starting value of system `index` into rhs `irhs` of x, which is 0, and
     * what went into that value into *start, which is all zero; leaves both alone where there is no
     * such value. */
    naik_status (*start)(void *data, int64_t index, naik_field *x, int irhs,
                         naik_solver_start *start);
    /* Corrects systems which go on, the first time and then whenever |r| is at most `again` times
     * what the last correction left. The residuals of these systems are formed anew and a new
     * direction begins. A correction may depend on r, x and the shift of its system alone. Of cg.h
     * alone. */
    naik_status (*correct)(void *data, const naik_solver_correction *at);
    double again;
} naik_solver_starter;

/* ---- an rhs in mid solve */

/* Everything that an rhs in mid solve is, beside its vectors and what load gives: the checkpoint of a
 * run keeps these bytes (io/prop/checkpoint.c). */
typedef struct naik_solver_state {
    naik_rhs record;
    double bb, best_rr, site_residual, seconds;
    double corrected_rr; /* true |r|^2 after the last correction; infinity: there was none */
    int32_t corrections;
    int32_t inner_steps; /* of the preconditioner */
    int32_t restarts, stalls, breaks;
    int32_t started, restart;  /* flags: has iterated on the rung; the next direction is r alone */
    int32_t rung, first_rung;  /* naik_rung */
    int32_t climb, climbed_at; /* naik_solver_climb, iteration */
    int32_t live;              /* flag, as `started`: there are vectors of that rung, not x alone */
    int32_t failures,
        shorts; /* stretches that strayed further than foreseen; too short, in a row */
    int32_t best_at, begun_at, stretch; /* iterations: at best_rr, at the last check, before it */
    int32_t history_length;
    /* of bicgstab.h alone: a second record; level; new beginnings at that level */
    naik_bicgstab_record bicgstab;
    int32_t level, beginnings;
    int32_t moved;    /* flag: x is not 0 */
    uint32_t vectors; /* bit v: vector v belongs to it; set by who keeps them (propagator.h) */
    double *history;  /* [history_length]; borrowed */
} naik_solver_state;
/* Whether the numbers of a state can be those of an rhs in mid solve: a state out of a file is asked
 * this before it is used. Its history is not looked at. */
bool naik_solver_state_holds(const naik_solver_state *state);
/* The vectors of an rhs in mid solve: x, what was added to x since the last true residual, the
 * residual, the direction p, A p, and the shadow residual of BiCGStab. NULL where a rung has none:
 * the rungs classical and double add to x itself, and classical keeps no A p. */
enum {
    NAIK_SOLVER_STATE = -1, /* none of the vectors: the state alone */
    NAIK_SOLVER_X,
    NAIK_SOLVER_CORRECTION,
    NAIK_SOLVER_RESIDUAL,
    NAIK_SOLVER_DIRECTION,
    NAIK_SOLVER_IMAGE,
    NAIK_SOLVER_SHADOW,
    NAIK_SOLVER_VECTORS
};

/* ---- the stream of systems */

/* Where the solver stands at a poll. */
typedef struct naik_solver_progress {
    naik_parity parity; /* solved */
    int running;        /* rhs that iterate */
    naik_rung rung;
    int iterations;              /* of the rhs furthest on */
    double residual;             /* largest |r|/|b| of the running rhs, as iterated */
    int64_t index[NAIK_MAX_RHS]; /* [running] systems at work; of the first `running` rhs */
    int irhs[NAIK_MAX_RHS];      /* [running] where they are in the fields */
    int iterations_of[NAIK_MAX_RHS];
    double residual_of[NAIK_MAX_RHS]; /* |r|/|b| as iterated */
    naik_field *field[NAIK_SOLVER_VECTORS];
} naik_solver_progress;

/* Which systems of a stream are at work, where the first one decides about the others. */
typedef enum naik_solver_pace {
    NAIK_SOLVER_ALL, /* all */
    NAIK_SOLVER_FIRST, /* the first alone; the solver ends with it. What others have come to is forgotten */
    NAIK_SOLVER_BESIDE /* all, but what is done is handed back after the first only */
} naik_solver_pace;

/* The solver asks for the next system when an rhs is free, and hands each back when it is done, in
 * whatever order they finish. All calls are collective and see the same arguments on all ranks. */
typedef struct naik_solver_stream {
    void *data;
    int64_t count;
    /* Writes b of system `index` into rhs `irhs`, and describes the system. */
    naik_status (*load)(void *data, int64_t index, naik_field *b, int irhs,
                        naik_solver_system *system);
    /* Takes the solution from rhs `irhs` of x. */
    naik_status (*finish)(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_solver_result *result);
    /* Asked at polls, may be NULL: true stops the solver; unfinished rhs come back as
     * INTERRUPTED. The same answer on all ranks. */
    bool (*stop)(void *data);
    /* Asked between polls, may be NULL: ALL. The same answer on all ranks; ALL is the last, at the latest when the
     * first is handed back and the others are to be solved. Not with naik_solver_multigrid. */
    naik_solver_pace (*pace)(void *data);
    /* The rest may be NULL. Without a starter every system begins at x = 0. */
    const naik_solver_starter *starter;
    /* Told of every poll; may alter the fields (fault.h). */
    naik_status (*poll)(void *data, const naik_solver_progress *progress);
    /* Keeps an rhs that is about to be interrupted: rhs `irhs` of the fields, which are NULL where the
     * rhs has none. */
    naik_status (*save)(void *data, int64_t index, const naik_solver_state *state,
                        naik_field *const field[NAIK_SOLVER_VECTORS], int irhs);
    /* After load, before the first iteration: fills the state (its history has room for
     * history_stride numbers) and the rhs of its rung as save saw them, and the solve goes on
     * to the same bits as if it had never been interrupted. *found = false where nothing is kept. A
     * state of another b is NAIK_ERR_CORRUPT. */
    naik_status (*restore)(void *data, int64_t index, naik_solver_state *state,
                           naik_field *const field[NAIK_RUNGS][NAIK_SOLVER_VECTORS], int irhs,
                           bool *found);
} naik_solver_stream;

/* ---- a solver */

typedef struct naik_solver_kind naik_solver_kind; /* a row of functions, in batch.h */
/* An algorithm with its fields and scalars for a batch of `width` rhs. */
typedef struct naik_solver naik_solver;

/* op      one operator by how it is stored, [naik_precision], all on one lattice. The one in double
 *         must be there. Borrowed for the life of the solver
 * vectors precision of the vectors of the rungs below double; NAIK_DOUBLE: there are no such rungs
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_ARG. */
naik_status naik_solver_create(const naik_solver_kind *kind,
                               const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                               int width, naik_solver **out);
void naik_solver_destroy(naik_solver **solver);
/* Bytes of the fields on this rank, without what the operators hold, for the memory plan. */
size_t naik_solver_bytes(const naik_solver_kind *kind, const naik_operator_ops *ops,
                         const naik_geometry *geometry, naik_precision vectors, int width);
/* Solves all systems of the stream on the sites of `parity`. A system that does not converge is a
 * result, not a failure. Collective. NAIK_ERR_ARG, NAIK_ERR_MPI, NAIK_ERR_DEVICE, and what the calls
 * of the stream return. */
naik_status naik_solver_solve(naik_solver *solver, naik_parity parity,
                              const naik_solver_options *options, const naik_solver_stream *stream);

#endif
