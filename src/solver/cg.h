/* cg.h - conjugate gradient, batched over right-hand sides, with reliable updates
 *
 *   (shift_c + B^+ B) x_c = b_c   (operator.h), each rhs with its own shift, tolerance, start and
 *                                 fate
 *
 * The iteration runs on a rung of a ladder of storage. Whenever an rhs's residual may have
 * strayed too far from the true one, has dropped by `delta`, claims to be converged or has used up
 * its iterations, the rhs freezes until the host polls, and its true residual is formed in
 * double with the operator in double. Only that decides. M. Clark et al., Comput. Phys. Commun. 181
 * (2010) 1517 (reliable updates, after G. Sleijpen, H. van der Vorst, Computing 56 (1996) 141);
 * when they are needed: H. van der Vorst, Q. Ye, SIAM J. Sci. Comput. 22 (2000) 835. An rhs that
 * its rung does not serve goes on at a safer one. Its arithmetic never depends on what else is in
 * the batch, nor on how often the host polls.
 */
#ifndef NAIK_SOLVER_CG_H
#define NAIK_SOLVER_CG_H

#include "backend/bicgstab_scalars.h"
#include "operator/operator.h"

/* How the iteration of a right-hand side stores what it works with: from the fastest rung of a
 * ladder to the safest. Every rung forms its true residuals in double. */
typedef enum naik_rung {
    NAIK_RUNG_HALF,      /* the operator in 16 bits; vectors in single precision */
    NAIK_RUNG_SINGLE,    /* operator and vectors in single precision */
    NAIK_RUNG_CLASSICAL, /* the same, x in double; conjugate gradient with B applied to p, not r */
    NAIK_RUNG_DOUBLE,    /* everything in double */
    NAIK_RUNGS
} naik_rung;
const char *naik_rung_name(naik_rung rung); /* "half", "single", "classical", "double" */
/* Where a system begins unless it is told otherwise: the fastest rung that costs no iterations at
 * its shift (doc/performance-internals.md); `half`: with the operator in 16 bits at hand. */
naik_rung naik_rung_first(double shift, bool half);

typedef enum naik_cg_reason {
    NAIK_CG_CONVERGED,   /* true residual at or below the tolerance */
    NAIK_CG_ZERO_SOURCE, /* b = 0: x = 0 */
    NAIK_CG_ITERATION_LIMIT,
    NAIK_CG_STAGNATED,  /* reliable updates no longer reduce the true residual */
    NAIK_CG_BROKEN,     /* NaN or no positive curvature, twice */
    NAIK_CG_INTERRUPTED /* residual as iterated, x without what was
                            added since the last true residual, or with part of it */
} naik_cg_reason;
const char *naik_cg_reason_text(naik_cg_reason reason);

typedef struct naik_cg_system {
    double shift;          /* >= 0 */
    double tolerance;      /* on |b - A x| / |b|, the true residual in double */
    double site_tolerance; /* on the heavy-quark residual; 0: not asked for */
} naik_cg_system;

/* What went into a starting value; all zero: nothing. It counts as part of the solve. */
typedef struct naik_cg_start {
    int iterations;
    double seconds;
    const double *history; /* as naik_cg_result's, borrowed during start */
    int history_length;
} naik_cg_start;

/* Systems whose x is to be corrected, where their true residuals have been formed. */
typedef struct naik_cg_correction {
    naik_parity parity;
    const naik_field *r;        /* b - A x, in double */
    naik_field *x;              /* in double; of the systems meant, x += correction */
    const naik_rhs *rhs;        /* backend memory: those in NAIK_RHS_CHECK are meant */
    bool wanted[NAIK_MAX_RHS];  /* the same for the host */
    double shift[NAIK_MAX_RHS]; /* of those */
} naik_cg_correction;

/* What knows a better x than the iteration has: a Krylov space that systems share (multishift.h),
 * low modes of A. Both calls are collective, and either may be NULL. */
typedef struct naik_cg_starter {
    void *data;
    /* After load: writes a starting value of system `index` into rhs `irhs` of x, which is 0, and
     * what went into it into *start, which is all zero; leaves both alone where it has none. */
    naik_status (*start)(void *data, int64_t index, naik_field *x, int irhs, naik_cg_start *start);
    /* Corrects systems which go on, the first time and then whenever |r| is at most `again` times
     * what the last correction left. Their residuals are formed anew and a new direction begins.
     * A correction may depend on r, x and the shift of its system alone. */
    naik_status (*correct)(void *data, const naik_cg_correction *at);
    double again;
} naik_cg_starter;

/* Why a right-hand side went on at a safer rung. */
typedef enum naik_cg_climb {
    NAIK_CG_NO_CLIMB,
    NAIK_CG_CLIMB_STRAYED, /* true residuals twice what was iterated */
    NAIK_CG_CLIMB_SHORT,   /* true residuals were called for as soon as they could be */
    NAIK_CG_CLIMB_EMPTY,   /* claims of convergence brought nothing */
    NAIK_CG_CLIMB_BROKEN,  /* NaN or no positive curvature */
    NAIK_CG_CLIMB_SLOW     /* the true residual was not halved for long */
} naik_cg_climb;
const char *naik_cg_climb_text(naik_cg_climb climb);

typedef struct naik_cg_result {
    naik_cg_reason reason;
    int iterations;
    int start_iterations; /* of them, those that went into the starting value */
    int restarts;         /* reliable updates that replaced the residual */
    int corrections;      /* of x by the starter */
    naik_rung first_rung; /* at which the solve began */
    naik_rung rung;       /* at which it ended */
    bool normal;          /* of bicgstab.h: it ended with CG on the normal equations */
    naik_cg_climb climb;  /* why it climbed last, and at which iteration */
    int climbed_at;
    double residual;       /* |b - A x| / |b|, true, in double */
    double site_residual;  /* sqrt((1/N) sum_s |r_s|^2/|x_s|^2); NaN where not asked for */
    double seconds;        /* wall time the rhs spent in the batch, divided by the rhs beside it */
    const double *history; /* |r|/|b| after each iteration as iterated; borrowed during finish() */
    int history_length;
} naik_cg_result;

typedef struct naik_cg_options {
    int max_iterations; /* of an rhs, > 0 */
    double delta; /* reliable update when |r| drops by this factor, < 1, on rungs below double; 0:
                   * what suits the rung, see naik_cg_delta */
    double stray; /* and when |dx| > stray |r|, dx what was added to x since the last; 0: what suits
                   * the rung, see naik_cg_stray */
    int max_restarts;   /* claims of convergence without progress before NAIK_CG_STAGNATED */
    int first_rung;     /* naik_rung; -1: naik_rung_first of the shift and what follows */
    double removed;     /* eigenvalue of -D D up to which a starter removes all; 0: none */
    bool stay;          /* on it, whatever happens: for measurements */
    int poll_interval;  /* 0: the backend's, and longer while no rhs should need one */
    int history_stride; /* iterations of history kept; 0: none */
} naik_cg_options;
naik_cg_options naik_cg_defaults(void);
/* |dx|/|r| up to which the iterated residual is believed. It strays from the true one by c |dx|, c
 * a property of the storage: 2.7e-7 in single precision, 2.6e-4 with 16-bit numbers
 * (doc/performance-internals.md). What is allowed for is 3e-2 |r| with 16-bit numbers, 1e-3 |r| in single and
 * 1e-4 |r| in the classical form, which is for shifts at which more costs iterations. */
double naik_cg_stray(naik_rung rung);
/* The drop of |r| after which a true residual is formed in any case. */
double naik_cg_delta(naik_rung rung);

/* Everything that an rhs in mid solve is, beside its vectors and what load gives it. */
typedef struct naik_cg_state {
    naik_rhs record;
    double bb, best_rr, site_residual, seconds;
    double corrected_rr; /* true |r|^2 after the last correction; infinity: there was none */
    int32_t corrections, reserved;
    int32_t restarts, stalls, breaks;
    int32_t started, restart;  /* flags */
    int32_t rung, first_rung;  /* naik_rung */
    int32_t climb, climbed_at; /* naik_cg_climb, iteration */
    int32_t live;              /* flag: the vectors of that rung are in mid solve; else only x is */
    int32_t failures,
        shorts; /* stretches that strayed further than foreseen; too short, in a row */
    int32_t best_at, begun_at, stretch; /* iterations: at best_rr, at the last check, before it */
    int32_t history_length;
    /* of bicgstab.h alone: its second record; level; beginnings at it; flag: x is not 0 */
    naik_bicgstab_record bicgstab;
    int32_t level, beginnings, moved;
    uint32_t vectors; /* bit v: vector v belongs to it; set by who keeps them (propagator.h) */
    double *history;  /* [history_length]; borrowed */
} naik_cg_state;
/* Whether its numbers can be those of an rhs in mid solve: those of a file are asked this before
 * they are used. Its history is not looked at. */
bool naik_cg_state_holds(const naik_cg_state *state);
/* The vectors of an rhs in mid solve: x, what was added to it since the last reliable update, the
 * residual, the direction p, A p, and the shadow residual of BiCGStab. NULL where a rung has none:
 * the rungs classical and double add to x itself, and classical keeps no A p. */
enum {
    NAIK_CG_STATE = -1, /* none of them: the state alone */
    NAIK_CG_X,
    NAIK_CG_CORRECTION,
    NAIK_CG_RESIDUAL,
    NAIK_CG_DIRECTION,
    NAIK_CG_IMAGE,
    NAIK_CG_SHADOW,
    NAIK_CG_VECTORS
};

/* Where the solver stands at a poll. */
typedef struct naik_cg_progress {
    naik_parity parity; /* solved */
    int running;        /* rhs that iterate */
    naik_rung rung;
    int iterations;              /* of the rhs furthest on */
    double residual;             /* largest |r|/|b| of the running rhs, as iterated */
    int64_t index[NAIK_MAX_RHS]; /* [running] systems at work; of the first `running` rhs */
    int irhs[NAIK_MAX_RHS];      /* [running] where they are in the fields */
    int iterations_of[NAIK_MAX_RHS];
    double residual_of[NAIK_MAX_RHS]; /* |r|/|b| as iterated */
    naik_field *field[NAIK_CG_VECTORS];
} naik_cg_progress;

/* The stream of systems: the solver asks for the next one when an rhs is free, and hands each
 * back when it is done, in whatever order they finish. Both are collective and see the same
 * arguments on all ranks. */
typedef struct naik_cg_stream {
    void *data;
    int64_t count;
    /* Writes b of system `index` into rhs `irhs`, and describes the system. */
    naik_status (*load)(void *data, int64_t index, naik_field *b, int irhs, naik_cg_system *system);
    /* Takes the solution from rhs `irhs` of x. */
    naik_status (*finish)(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_cg_result *result);
    /* Asked at polls, may be NULL: true stops the solver; unfinished rhs come back as
     * INTERRUPTED. The same answer on all ranks. */
    bool (*stop)(void *data);
    /* The rest may be NULL. Without a starter every system begins at x = 0. */
    const naik_cg_starter *starter;
    /* Told of every poll; may alter the fields (fault.h). */
    naik_status (*poll)(void *data, const naik_cg_progress *progress);
    /* Keeps an rhs that is about to be interrupted: rhs `rhs` of the fields, NULL where it
     * has none. */
    naik_status (*save)(void *data, int64_t index, const naik_cg_state *state,
                        naik_field *const field[NAIK_CG_VECTORS], int irhs);
    /* After load, before the first iteration: fills the state (its history has room for
     * history_stride numbers) and the rhs of its rung as save saw them, and the solve goes on
     * to the same bits as if it had never been interrupted. *found = false where nothing is kept. A
     * state of another b is NAIK_ERR_CORRUPT. */
    naik_status (*restore)(void *data, int64_t index, naik_cg_state *state,
                           naik_field *const field[NAIK_RUNGS][NAIK_CG_VECTORS], int irhs,
                           bool *found);
} naik_cg_stream;

/* Fields and scalars for a batch of `width` rhs, made once. */
typedef struct naik_cg naik_cg;

/* op      one operator by how it is stored, [naik_precision], all on one lattice; in double it must
 *         be there, in single precision it serves the rungs single and classical. Borrowed for the
 *         life of the solver
 * vectors precision of the vectors of the rungs below double; NAIK_DOUBLE: there are none
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_ARG. */
naik_status naik_cg_create(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                           int width, naik_cg **out);
void naik_cg_destroy(naik_cg **cg);
/* Bytes of the fields on this rank, for the memory plan. */
size_t naik_cg_bytes(const naik_operator_ops *ops, const naik_geometry *geometry,
                     naik_precision vectors, int width);

/* What solves the systems of a stream. */
typedef struct naik_solver {
    void *data;
    naik_status (*solve)(void *data, naik_parity parity, const naik_cg_options *options,
                         const naik_cg_stream *stream);
} naik_solver;
naik_solver naik_cg_solver(naik_cg *cg);

/* Solves all systems of the stream on the sites of `parity`. A system that does not converge is a
 * result, not a failure. Collective. NAIK_ERR_ARG, NAIK_ERR_MPI, NAIK_ERR_DEVICE, and what load and
 * finish return. */
naik_status naik_cg_solve(naik_cg *cg, naik_parity parity, const naik_cg_options *options,
                          const naik_cg_stream *stream);

#endif
