/* session.h - for programs that link naik: from a configuration to solutions in a few calls
 *
 * A session holds everything that a solve needs, on one backend: the links of one configuration, any
 * number of sources, masses and quarks. What is asked of it is written as in an input file of `naik
 * solve` (doc/input.md), in YAML or JSON, so that a session knows every action, source and option
 * that the program knows, refuses what the program refuses in the same words, and makes the same bits.
 */
#ifndef NAIK_SESSION_H
#define NAIK_SESSION_H

#include <stddef.h>

#include "naik/gauge.h"

typedef struct naik_session naik_session;

/* Links come from the first of the three that is given; none of them with action.type links. */
typedef struct naik_session_options {
    const char *configuration; /* a file of any format that naik reads; verified */
    const naik_gauge *links; /* thin links without phases, on the host; only read during create. The
                                  session uses their lattice, which must outlive it */
    const double
        *array;         /* [sites][4][3][3][2]: the same on this rank's box (naik_session_box) of */
    int size[NAIK_DIM]; /* a lattice of these extents; only read during create */
    const char *keys; /* "action: {type: clover, csw: 1.2}\nsolver: {tolerance: 1e-9}": the sections
                                  lattice, gauge, action, solver, deflation, multigrid and run of an input file; the
                                  extents need not be said. NULL: "action: {type: hisq}" */
} naik_session_options;

/* The box of sites that a rank holds, and the shape of arrays over it. */
typedef struct naik_session_shape {
    int size[NAIK_DIM], grid[NAIK_DIM];    /* of the whole lattice, x, y, z, t; ranks */
    int local[NAIK_DIM], origin[NAIK_DIM]; /* of the box; its first site */
    int spin;    /* 1 of staggered quarks, 4 of those with spin; 0: not known yet */
    int columns; /* sources of a propagator: 3 or 12, column 3 spin + colour */
    bool gpu;    /* the session solves on a GPU, in whose memory arrays may lie too */
} naik_session_shape;

/* The box that this rank has of a lattice of these extents. grid: ranks in each direction, or NULL: the
 * one that exchanges least, as a session takes it without run.grid. NAIK_GRID replaces either, as it does
 * for the session. Collective. NAIK_ERR_INPUT */
naik_status naik_session_box(naik_comm *comm, const int size[NAIK_DIM], const int *grid,
                             naik_session_shape *out);

/* Reads or takes the links, verifies them and prepares the backend. Collective; the texts must be the same
 * on every rank.
 * NAIK_ERR_INPUT, NAIK_ERR_CORRUPT, NAIK_ERR_IO  of the file (gauge_io.h) or the keys, or no links
 * NAIK_ERR_INPUT     no such backend         NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_session_create(naik_comm *comm, const naik_session_options *options,
                                naik_session **out);
void naik_session_destroy(naik_session **session);

/* Borrowed; the order of the sites in every array below. Local. */
const naik_lattice *naik_session_lattice(const naik_session *session);
void naik_session_shape_of(const naik_session *session, naik_session_shape *out);

/* Where a solve stands. */
typedef struct naik_session_progress {
    int count, done, running; /* solutions asked for, finished, at work */
    int iterations;           /* of the one furthest on */
    double residual;          /* the largest of those at work, as iterated */
} naik_session_progress;

/* Heard while the session solves, on every rank; both may be NULL. */
typedef struct naik_session_hooks {
    void *data;
    void (*progress)(void *data, const naik_session_progress *progress);
    bool (*stop)(void *data); /* true on any rank stops all of them */
} naik_session_hooks;
void naik_session_hear(naik_session *session, const naik_session_hooks *hooks);

typedef struct naik_session_result {
    bool converged;
    char reason[32];        /* why it ended: "converged", "iteration limit", ... */
    int iterations;         /* of conjugate gradient or BiCGStab */
    int modes;              /* low modes that shortened it */
    double residual;        /* of the even-odd system, relative, formed in double */
    double source_residual; /* |src - M x| / |src| on the whole lattice, formed in double */
    double norm;            /* |x| */
    double seconds;         /* its share of the time the solver took */
} naik_session_result;

/* x = M^-1 src for `count` sources, several at a time; no further factor (doc/physics.md).
 *
 *   mass        of staggered quarks > 0; of those with spin > -4
 *   tolerance   on the residual of the even-odd system, verified in double; 0: solver.tolerance
 *   src, x      [count][sites][3][2] double, local lexicographic; of quarks with spin
 *               [count][sites][4][3][2]. They may be the same array, and share no memory otherwise. Both
 *               are on the host, or both in the memory of the session's GPU: then neither passes through
 *               the host
 *   results     [count], out; not converged is a result, not an error
 *
 * Collective. NAIK_ERR_INTERRUPTED where a hook stopped it: x and results hold what was finished, the other
 * reasons are "". NAIK_ERR_CORRUPT where links or a solution changed in memory: x is not to be used, and the
 * next solve makes the links again. NAIK_ERR_ARG, NAIK_ERR_INPUT, NAIK_ERR_MEMORY, NAIK_ERR_MPI,
 * NAIK_ERR_DEVICE */
naik_status naik_session_solve(naik_session *session, double mass, double tolerance, int count,
                               const double *src, double *x, naik_session_result *results);
/* The same for a quark as an entry of solve: has it: "{masses: [0.05], naik_epsilon: [-0.1], twist:
 * [0.5, 0, 0], tolerance: 1e-9, deflate: false}", one mass or one kappa. */
naik_status naik_session_solve_quark(naik_session *session, const char *quark, int count,
                                     const double *src, double *x, naik_session_result *results);

/* out [columns][sites][spin][3][2] = the right-hand sides of a source as solve[].source has it: "{type:
 * corner_wall, t0: 3}", one origin or time slice. Collective. NAIK_ERR_INPUT, NAIK_ERR_MEMORY, and of
 * sources in files what reading them returns */
naik_status naik_session_source(naik_session *session, const char *source, double *out);

/* out [size t][2] = a meson of a quark and an antiquark, complex, no 1/V.
 *
 *   meson      as output.correlators: pion5, rhox ...; of quarks with spin pion, rho_x, ...
 *   frame      of lattice.h: where coordinates are counted from, and the momentum
 *   quark, antiquark   [columns][sites][spin][3][2]; NULL: the quark's own, and then as the correlators
 *                      of `naik solve`, to the bit. Both may lie on the session's GPU; where an antiquark
 *                      is given, or the meson of quarks with spin is not the pion, they are copied to
 *                      the host
 *
 * Collective; exact sums. NAIK_ERR_INPUT  no such meson        NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_session_meson(const naik_session *session, const char *meson,
                               const naik_frame *frame, const double *quark,
                               const double *antiquark, double *out);

/* Bytes that went to and from the session's GPU so far; 0 without one. Local. */
void naik_session_moved(const naik_session *session, double *up_bytes, double *down_bytes);

/* sizeof of a structure of this header, or of naik_frame, by its name: for other languages, which describe
 * them anew. 0: of another name. Local. */
size_t naik_session_size_of(const char *structure);

#endif
