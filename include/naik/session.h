/* session.h - for programs that link naik: from a configuration to solutions in a few calls
 *
 * Holds everything that a solve needs, on the backend chosen at creation. Programs with wishes of
 * their own (several epsilons, streams of sources) put the same together from propagator.h.
 */
#ifndef NAIK_SESSION_H
#define NAIK_SESSION_H

#include "naik/propagator.h"

typedef struct naik_session naik_session;

typedef struct naik_session_options {
    const char *configuration; /* any format that naik reads; verified */
    naik_action_type action;
    double u0;           /* of asqtad */
    double naik_epsilon; /* of hisq */
    bool periodic_t;     /* else antiperiodic */
    const char *backend; /* "auto", "cpu", "gpu"; NULL: auto */
} naik_session_options;

/* Reads the configuration, builds and packs the links. The lattice has the extents of the file and
 * the process grid of least cost. Collective.
 * What reading (gauge_io.h), lattice.h, backend.h and smear.h return. */
naik_status naik_session_create(naik_comm *comm, const naik_session_options *options,
                                naik_session **out);
void naik_session_destroy(naik_session **session);

/* Borrowed; the order of the sites in every array below. Local. */
const naik_lattice *naik_session_lattice(const naik_session *session);

/* x = M^-1 src for `count` sources, several at a time.
 *
 *   mass        > 0; M = 2 mass + D, the solution has no further factor
 *   tolerance   on |b - (4m^2 - DD)x| / |b|, verified in double
 *   src, x      [count][sites][3][2] double, local lexicographic
 *   results     [count], out; not converged is a result (result.cg.reason), not an error
 *
 * Collective. NAIK_ERR_ARG, NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_session_solve(naik_session *session, double mass, double tolerance, int count,
                               const double *src, double *x, naik_propagator_result *results);

#endif
