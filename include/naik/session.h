/* session.h - for programs that link naik: from a configuration to solutions in a few calls
 *
 * A session holds the links of one configuration on one backend, CPU or GPU, and solves for any number
 * of sources, masses and quarks. A typical program calls
 *
 *   naik_session_create     links in
 *   naik_session_source     a source as an input file describes it, or the caller's own numbers
 *   naik_session_solve      solutions out
 *   naik_session_meson      correlators of them
 *   naik_session_destroy
 *
 * examples/ has whole programs. Quarks, sources and options are texts, written as in an input file of
 * `naik solve` (doc/input.md), in YAML or JSON. So a session knows every action, source and option that
 * the program knows, refuses what the program refuses in the same words, and makes the same bits.
 */
#ifndef NAIK_SESSION_H
#define NAIK_SESSION_H

#include <stddef.h>

#include "naik/gauge.h"

typedef struct naik_session naik_session;

/* What a session is made of. Thin links come from the first of `configuration`, `links` and `array` that
 * is not NULL. With action.type links all three are NULL, because the keys name the files of links.
 *
 *   configuration  a file of any format that naik reads; verified
 *   links          thin links without phases, on the host. Only read during create, but the session
 *                  uses their lattice, which must outlive the session
 *   array          [sites][4][3][3][2] double, thin links without phases on this rank's box
 *                  (naik_session_box) of a lattice of the extents `size`. Only read during create
 *   size           x, y, z, t; for `array` only
 *   keys           the sections lattice, gauge, action, solver, deflation, multigrid and run of an input
 *                  file, for example "action: {type: clover, csw: 1.2}\nsolver: {tolerance: 1e-9}".
 *                  lattice.size may be left out. gauge.file must be left out. A session refuses keys that do
 *                  nothing in it, such as run.wall_limit. NULL: "action: {type: hisq}" */
typedef struct naik_session_options {
    const char *configuration;
    const naik_gauge *links;
    const double *array;
    int size[NAIK_DIM];
    const char *keys;
} naik_session_options;

/* The box of sites that a rank holds, and the shape of arrays over the box. Directions are x, y, z, t. */
typedef struct naik_session_shape {
    int size[NAIK_DIM];   /* extents of the whole lattice */
    int grid[NAIK_DIM];   /* ranks in each direction */
    int local[NAIK_DIM];  /* extents of the box */
    int origin[NAIK_DIM]; /* global coordinates of the first site of the box */
    int spin;             /* 1 for staggered quarks, 4 for quarks with spin; 0: not known yet */
    int columns; /* sources of a propagator: 3 for staggered quarks, by colour; 12 for quarks with
                    spin, by 3 spin + colour */
    bool gpu;    /* the session solves on a GPU, and arrays may lie in the memory of that GPU too */
} naik_session_shape;

/* The box that this rank has of a lattice of the extents `size`.
 *
 *   grid   ranks in each direction. NULL: the grid that exchanges least, as a session takes it without
 *          run.grid. The environment variable NAIK_GRID replaces either grid, as it does for a session
 *   out    spin and columns are 0: they are not known before a session is made
 *
 * Collective. NAIK_ERR_INPUT  the grid does not cut the lattice */
naik_status naik_session_box(naik_comm *comm, const int size[NAIK_DIM], const int *grid,
                             naik_session_shape *out);

/* Reads or takes the links, verifies them, and prepares the backend. `comm` must outlive the session; the
 * texts in `options` must be the same on every rank, and are copied. Collective.
 * NAIK_ERR_INPUT    a key is wrong, there are no links, the links are no SU(3) field, the file is missing
 *                   or of no known format, or there is no such backend
 * NAIK_ERR_CORRUPT  the file contradicts itself (gauge_io.h)
 * NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_session_create(naik_comm *comm, const naik_session_options *options,
                                naik_session **out);
/* Frees the session and sets *session = NULL. Collective; accepts NULL in *session. */
void naik_session_destroy(naik_session **session);

/* The lattice of the session, borrowed until the session is destroyed. Its local lexicographic order is
 * the order of the sites in every array below. Local. */
const naik_lattice *naik_session_lattice(const naik_session *session);
/* The box of this rank, and the spins and columns of the session's quarks. Local. */
void naik_session_shape_of(const naik_session *session, naik_session_shape *out);

/* Where a solve stands. */
typedef struct naik_session_progress {
    int count;       /* solutions asked for */
    int done;        /* solutions finished */
    int running;     /* solutions at work */
    int iterations;  /* of the solution that is furthest on */
    double residual; /* the largest iterated residual of the solutions at work */
} naik_session_progress;

/* Functions that the session calls while it solves, on every rank. Either may be NULL. */
typedef struct naik_session_hooks {
    void *data; /* handed to both */
    void (*progress)(void *data, const naik_session_progress *progress);
    bool (*stop)(void *data); /* true on any rank stops the solve on all ranks */
} naik_session_hooks;
/* Sets the hooks of all later solves; the structure is copied, `data` must stay valid. Local. */
void naik_session_hear(naik_session *session, const naik_session_hooks *hooks);

/* What became of one solution. */
typedef struct naik_session_result {
    bool converged;
    char reason[32];        /* why the solve ended: "converged", "iteration limit", ... */
    int iterations;         /* of the solver; by multigrid the outer ones */
    int modes;              /* low modes that were removed */
    double residual;        /* |b - A x| / |b| of the even-odd system, formed in double */
    double source_residual; /* |src - M x| / |src| on the whole lattice, formed in double */
    double norm;            /* |x| on the whole lattice */
    double seconds;         /* this solution's share of the seconds that the solver took */
} naik_session_result;

/* x = M^-1 src for `count` sources, several at a time. There is no further factor: M = 2m + D for staggered
 * quarks and m + 4 + C - D/2 for quarks with spin, where C is the clover term and twisted mass adds i mu g5
 * (doc/quarks.md).
 *
 *   mass        in lattice units; > 0 for staggered quarks, > -4 for quarks with spin
 *   tolerance   on the residual of the even-odd system, verified in double; 0: solver.tolerance
 *   count       at least 1
 *   src, x      [count][sites][3][2] double for staggered quarks, [count][sites][4][3][2] for quarks with
 *               spin; local lexicographic. `x` may be `src`; otherwise the arrays share no memory. Both
 *               lie on the host, or both in the memory of the session's GPU. In that case neither array
 *               passes through the host
 *   results     [count], written. A solution that has not converged is a result and no error
 *
 * Collective.
 * NAIK_ERR_INTERRUPTED  a hook stopped the solve. x and results hold what was finished; the `reason` of
 *                       every other result is ""
 * NAIK_ERR_CORRUPT      links or a solution changed in memory. x must not be used; the next solve makes the
 *                       links again
 * NAIK_ERR_INPUT        mass, tolerance or sources cannot be solved for; NAIK_ERR_ARG  count is below 1
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_session_solve(naik_session *session, double mass, double tolerance, int count,
                               const double *src, double *x, naik_session_result *results);
/* naik_session_solve for a quark that is written as an entry of `solve` in an input file, with one mass or
 * one kappa: "{masses: [0.05], naik_epsilon: [-0.1], twist: [0.5, 0, 0], tolerance: 1e-9, deflate: false}".
 * All else is as above. */
naik_status naik_session_solve_quark(naik_session *session, const char *quark, int count,
                                     const double *src, double *x, naik_session_result *results);

/* Makes the right-hand sides of a source that is written as solve[].source in an input file, with one origin
 * or one time slice: "{type: corner_wall, t0: 3}".
 *
 *   out   [columns][sites][spin][3][2] double, on the host
 *
 * Collective. NAIK_ERR_INPUT, NAIK_ERR_MEMORY; for a source in a file also what reading the file returns */
naik_status naik_session_source(naik_session *session, const char *source, double *out);

/* The correlator of a meson, summed over the columns of its propagators, without a factor 1/V.
 *
 *   meson      a name as in output.correlators: pion5, rhox ...; of quarks with spin pion, rho_x ...
 *   frame      the site from which coordinates are counted, and the momentum (lattice.h)
 *   quark      [columns][sites][spin][3][2] double, the propagator of the quark
 *   antiquark  the same for the antiquark. NULL: `quark` is also the antiquark, and the correlator has the
 *              bits of `naik solve`
 *   out        [size t][2] double, real and imaginary part, by t of the lattice
 *
 * Propagators may lie on the session's GPU. naik copies them to the host where an antiquark is given, and
 * where the meson of quarks with spin is not the pion.
 *
 * Collective; exact sums.
 * NAIK_ERR_INPUT  no such meson, or the ranks ask for different ones        NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_session_meson(const naik_session *session, const char *meson,
                               const naik_frame *frame, const double *quark,
                               const double *antiquark, double *out);

/* Bytes that went to the session's GPU and came from it so far; 0 on a CPU. Local. */
void naik_session_moved(const naik_session *session, double *up_bytes, double *down_bytes);

/* sizeof of a structure of this header, or of naik_frame, by its name; 0 for any other name. Other languages
 * describe these structures anew, and compare. Local. */
size_t naik_session_size_of(const char *structure);

#endif
