/* elsewhere.c - what a run would cost on another machine, as a command asks for it */
#include "base/memory.h"
#include "base/text.h"
#include "plan/cost.h"

naik_status cost_elsewhere(naik_comm *comm, const naik_input *input, const char *name,
                           const char *counts, const char *from, bool json)
{
    naik_status status = NAIK_OK;
    model_machine machine;
    naik_yaml *file = NULL;
    int nodes[COST_NODES], count = 0;
    cost *c = NULL;
    char *pilot = NULL;
    const char *config = input->gauge.config;
    if (counts != NULL && !naik_text_counts(counts, 1, 4096, COST_NODES, nodes, &count)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "--nodes %s is no list of at most %d numbers from 1 to 4096", counts,
                           COST_NODES);
        goto done;
    }
    NAIK_TRY(naik_machine_find(comm, name, MODEL_NAIK, &file, &machine));
    NAIK_TRY(naik_comm_agree(
        comm, naik_alloc(comm->log, sizeof *c, "the costs of the run", (void **)&c)));
    if (from != NULL && config != NULL) {
        NAIK_TRY(
            naik_comm_agree(comm, naik_alloc(comm->log, naik_input_put_config(from, config, NULL),
                                             "the name of a file", (void **)&pilot)));
        naik_input_put_config(from, config, pilot);
    }
    NAIK_TRY(cost_of(comm, input, &machine, pilot != NULL ? pilot : from, nodes, count, c));
    if (input->gauge.every && !json) {
        naik_log_line(comm->log, "the input has %d configurations; this is the plan of one",
                      input->gauge.configs.count);
    }
    status = cost_print(comm, input, c, json);
done:
    naik_yaml_destroy(&file);
    naik_free(pilot);
    naik_free(c);
    return status;
}
