/* propagator.h - columns of M^-1: x = M^-1 src on the whole lattice, by even-odd solves
 *
 * A x_p = b_p is solved on the parity p that carries the source (even if both do, or if low modes
 * correct the solve), and x on the other parity reconstructed (operator.h). Every solution is verified in double by
 * |src - M x| / |src|, independently of the solver, before it is handed out.
 */
#ifndef NAIK_PROPAGATOR_PROPAGATOR_H
#define NAIK_PROPAGATOR_PROPAGATOR_H

#include "propagator/start_value.h"
#include "solver/multishift.h"

typedef struct naik_propagator_result {
    naik_solver_result cg; /* residual: of the even-odd system, as formed by the solver in double */
    naik_parity parity;    /* solved */
    double source_residual;      /* |src - M x| / |src| on the whole lattice; 0 for a zero source */
    double independent_residual; /* as cg.residual, from src - M x */
    bool suspect; /* the two disagree by more than rounding: something was corrupted on the way */
    double norm;  /* |x| */
    double flops; /* of the iterations */
    const naik_field *part[2]; /* x on even and odd sites, one rhs in double; borrowed */
} naik_propagator_result;

/* Whether x meets its tolerance, and |src - M x| / |src| that of the whole lattice; tolerance_full 0: it is
 * a number at least. */
bool naik_propagator_converged(const naik_propagator_result *result, double tolerance_full);

/* What a starting value is: not there; a solution of this system, as naik stored it; or somebody
 * else's, which is weighed first (start_value.h). */
typedef enum naik_guess { NAIK_GUESS_NONE, NAIK_GUESS_OWN, NAIK_GUESS_FOREIGN } naik_guess;

/* The solves of one operator. Callbacks are collective and see the same on
 * all ranks. */
typedef struct naik_propagator_stream {
    void *data;
    int64_t count;
    /* Whether anybody reads the solution of solve `index` on the host; NULL: yes. */
    bool (*read)(void *data, int64_t index);
    /* Fills src [sites][spin][3][2] canonical, and the mass, tolerance and site_tolerance (0: not
     * asked for) of solve `index`. Called several times for one index, with the same result each
     * time. */
    naik_status (*source)(void *data, int64_t index, double *src, double *mass, double *tolerance,
                          double *site_tolerance);
    /* The sites part[0] to part[1] - 1 of this rank, which are all that source writes: the others are 0, whatever
     * src holds there. NULL: source writes all. */
    void (*part)(void *data, int64_t index, int32_t part[2]);
    /* Takes x [sites][spin][3][2], borrowed; NULL where `read` says that nobody reads it there.
     * A solve that was interrupted is not handed out. */
    naik_status (*solution)(void *data, int64_t index, const double *x,
                            const naik_propagator_result *result);
    /* Instead, the canonical array of solve `index` in backend memory: its source, or where its solution
     * goes, which may be one array. Then source is called with src NULL, and solution with x NULL. */
    double *(*there)(void *data, int64_t index, bool solution);
    /* A starting value x [sites][spin][3][2] of solve `index`, of one that shares no Krylov space.
     * NULL: none has any. */
    naik_status (*guess)(void *data, int64_t index, double *x, naik_guess *guess);
    /* What a foreign one came to. NULL where none is foreign. */
    void (*weighed)(void *data, int64_t index, const naik_start_value *value);
    /* The rest may be NULL, and is as in solver.h. */
    bool (*stop)(void *data);
    /* As in solver.h, where solve 0 is the first; those of another parity come after it. */
    naik_solver_pace (*pace)(void *data);
    int limit;             /* on the iterations of solve 0; 0: that of the options */
    double tolerance_full; /* on |src - M x| / |src| as well; 0: not asked for */
    naik_status (*poll)(void *data, const naik_solver_progress *progress);
    /* Vector number `vector` of an interrupted solve on the parity solved, half [half][spin][3][2] by
     * checkerboard number; called for NAIK_SOLVER_X first, and once for each that differs. */
    naik_status (*save)(void *data, int64_t index, const naik_solver_state *state, int vector,
                        const double *half);
    /* The way back, NAIK_SOLVER_X last and the state with it; *found = false where nothing is kept. */
    naik_status (*restore)(void *data, int64_t index, naik_solver_state *state, int vector,
                           double *half, bool *found);
    /* Made with the solver, or NULL: every solve by itself. Solves of one source that may share a
     * Krylov space have the same number, >= 0; -1: none. *base_mass: the smallest of all its
     * masses, whether or not it is in the stream. Sources on both parities never share. */
    naik_multishift *multishift;
    int64_t (*group)(void *data, int64_t index, double *base_mass);
    /* Corrects all solves; its start is not called. NULL: none does */
    const naik_solver_starter *starter;
} naik_propagator_stream;

/* op      in double        solver  made with it
 * Solves everything in the stream; order of the solutions as they finish. *interrupted tells
 * whether the stream's stop ended it before all were done. Collective. Host memory: one vector
 * [sites][spin][3][2] and a half.
 * NAIK_ERR_ARG     a mass that the operator does not take
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE, and what the callbacks return */
naik_status naik_propagator_solve(const naik_operator *op, naik_solver *solver,
                                  const naik_solver_options *options,
                                  const naik_propagator_stream *stream, bool *interrupted);

#endif
