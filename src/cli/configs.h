/* configs.h - a command on every configuration of gauge.configs, one after the other */
#ifndef NAIK_CLI_CONFIGS_H
#define NAIK_CLI_CONFIGS_H

#include "base/options.h"
#include "input/input.h"

typedef struct configs_order {
    const char *path;             /* of the input */
    const naik_option_list *keys; /* --set */
    const naik_input *input;      /* what they say, with gauge.every */
    double begun_s;               /* since when run.wall_limit counts, by naik_time_s */
    bool hurried;                 /* none begins when wall_limit is over */
    const char *not_converged;    /* behind "on 2 of 5 configurations" */
    void *data;
    /* Whether its visit would leave a configuration as it is, done; NULL: no visit does. Collective. */
    naik_status (*is_done)(naik_comm *comm, void *data, naik_input *input, bool *done);
    /* One configuration: overrides are the keys and its name. Collective. */
    naik_status (*visit)(naik_comm *comm, void *data, const char *const *overrides, int count);
} configs_order;

/* As if each configuration were given alone. The first that fails ends it, but what did not converge is
 * told in the end: all else is done. Collective. What the visits return, NAIK_ERR_INTERRUPTED,
 * NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status each_configuration(naik_comm *comm, const configs_order *order);

#endif
