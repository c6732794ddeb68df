/* hooks.h - what a setup asks between its steps */
#ifndef NAIK_MULTIGRID_HOOKS_H
#define NAIK_MULTIGRID_HOOKS_H

#include <stdbool.h>

#include "naik/log.h"

/* stop: true, alike on all ranks, ends the setup; NULL: nobody is asked. */
typedef struct naik_multigrid_hooks {
    void *data;
    bool (*stop)(void *data);
} naik_multigrid_hooks;

bool naik_multigrid_stops(const naik_multigrid_hooks *hooks);
/* NAIK_ERR_INTERRUPTED, with its sentence. */
naik_status naik_multigrid_interrupted(naik_log *log);
/* That where it is asked for. hooks may be NULL. */
naik_status naik_multigrid_ask(const naik_multigrid_hooks *hooks, naik_log *log);

#endif
