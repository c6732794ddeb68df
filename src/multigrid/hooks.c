/* hooks.c - what a setup asks between its steps */
#include "multigrid/hooks.h"

#include <stddef.h>

bool naik_multigrid_stops(const naik_multigrid_hooks *hooks)
{
    return hooks != NULL && hooks->stop != NULL && hooks->stop(hooks->data);
}

naik_status naik_multigrid_interrupted(naik_log *log)
{
    return NAIK_FAIL(log, NAIK_ERR_INTERRUPTED,
                     "the setup of multigrid was interrupted: a rerun begins it anew");
}

naik_status naik_multigrid_ask(const naik_multigrid_hooks *hooks, naik_log *log)
{
    return naik_multigrid_stops(hooks) ? naik_multigrid_interrupted(log) : NAIK_OK;
}
