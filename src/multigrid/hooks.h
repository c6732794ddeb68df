/* hooks.h - what a setup asks between its steps */
#ifndef NAIK_MULTIGRID_HOOKS_H
#define NAIK_MULTIGRID_HOOKS_H

#include <stdbool.h>

#include "naik/log.h"

/* ask: what it returns, alike on all ranks, ends the setup, NAIK_ERR_INTERRUPTED where it was asked to stop; NULL:
 * nobody is asked. */
typedef struct naik_multigrid_hooks {
    void *data;
    naik_status (*ask)(void *data);
} naik_multigrid_hooks;

struct naik_test_vectors; /* vectors.h */
/* Where a setup may find the vectors that an earlier one ended with, and leaves its own. Collective. */
typedef struct naik_multigrid_store {
    void *data;
    /* *found: all of `vectors` are those; otherwise the setup makes them. */
    naik_status (*fetch)(void *data, struct naik_test_vectors *vectors, bool *found);
    naik_status (*keep)(void *data, struct naik_test_vectors *vectors);
} naik_multigrid_store;

/* NAIK_ERR_INTERRUPTED, with its sentence. */
naik_status naik_multigrid_interrupted(naik_log *log);
/* What the one who is asked returns. hooks may be NULL. */
naik_status naik_multigrid_ask(const naik_multigrid_hooks *hooks);

#endif
