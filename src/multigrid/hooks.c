/* hooks.c - what a setup asks between its steps */
#include "multigrid/hooks.h"

#include <stddef.h>

naik_status naik_multigrid_interrupted(naik_log *log)
{
    return NAIK_FAIL(log, NAIK_ERR_INTERRUPTED,
                     "the setup of multigrid was interrupted: a rerun begins it anew");
}

naik_status naik_multigrid_ask(const naik_multigrid_hooks *hooks)
{
    return hooks != NULL && hooks->ask != NULL ? hooks->ask(hooks->data) : NAIK_OK;
}
