/* session.h - for programs that link naik: from a configuration to solutions in a few calls
 *
 * Holds everything that a solve needs, on the backend chosen at creation: one set of links, any
 * number of sources and masses.
 */
#ifndef NAIK_SESSION_H
#define NAIK_SESSION_H

#include "naik/gauge.h"

typedef struct naik_session naik_session;

typedef struct naik_session_options {
    const char *configuration; /* any format that naik reads; verified. NULL: */
    const naik_gauge *links;   /* thin links without phases, on the host; only read during create.
                                  The session uses their lattice, which must outlive it */
    naik_action_type action;
    double u0;           /* of asqtad */
    double naik_epsilon; /* of NAIK_HISQ and NAIK_HISQ_SU3 */
    bool periodic_t;     /* else antiperiodic */
    const char *backend; /* "auto", "cpu", "gpu"; NULL: auto */
} naik_session_options;

/* Reads the configuration, builds and packs the links. The lattice has the extents of the file and
 * the process grid that exchanges least. Collective.
 * NAIK_ERR_INPUT, NAIK_ERR_CORRUPT, NAIK_ERR_IO  of the file (gauge_io.h), or neither it nor links
 * NAIK_ERR_INPUT     no such backend         NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_session_create(naik_comm *comm, const naik_session_options *options,
                                naik_session **out);
void naik_session_destroy(naik_session **session);

/* Borrowed; the order of the sites in every array below. Local. */
const naik_lattice *naik_session_lattice(const naik_session *session);

typedef struct naik_session_result {
    bool converged;
    char reason[32];        /* why it ended: "converged", "iteration limit", ... */
    int iterations;         /* of conjugate gradient */
    double residual;        /* |b - (4m^2 - DD)x| / |b|, formed in double */
    double source_residual; /* |src - M x| / |src| on the whole lattice, formed in double */
    double norm;            /* |x| */
    double seconds;         /* its share of the time the solver took */
} naik_session_result;

/* x = M^-1 src for `count` sources, several at a time.
 *
 *   mass        > 0; M = 2 mass + D, the solution has no further factor
 *   tolerance   on |b - (4m^2 - DD)x| / |b|, verified in double
 *   src, x      [count][sites][3][2] double, local lexicographic
 *   results     [count], out; not converged is a result, not an error
 *
 * Collective. NAIK_ERR_ARG, NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_session_solve(naik_session *session, double mass, double tolerance, int count,
                               const double *src, double *x, naik_session_result *results);

#endif
