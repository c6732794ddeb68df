/* trial.h - a path between GPUs is tried by a real exchange, and timed
 *
 * What staging through host memory brings is what every other path must bring, byte for byte.
 */
#ifndef NAIK_BACKEND_TRIAL_H
#define NAIK_BACKEND_TRIAL_H

#include "backend/backend.h"

typedef struct naik_trial {
    naik_lattice *lattice;
    double *sites;        /* [sites][3][2] */
    char *expected, *got; /* [size_bytes] a field with its halo, as stored */
    size_t size_bytes;
} naik_trial;

/* Collective, agrees. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_trial_create(naik_backend *backend, naik_trial *trial);
void naik_trial_destroy(naik_trial *trial); /* also of one that was not created whole */

/* Exchanges over backend->route: what came (out [size_bytes]), and in how many seconds, the slowest
 * rank's. Collective, agrees. NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_trial_run(naik_backend *backend, const naik_trial *trial, char *out,
                           double *seconds);

/* Whether the path that backend->route stands for, called name, brings trial->expected within
 * timeout_s; if not, warns with the number of ranks that found wrong bytes, or with the failure,
 * which leaves no trace on the log. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_trial_verify(naik_backend *backend, const naik_trial *trial, const char *name,
                              double timeout_s, bool *works, double *seconds);

#endif
