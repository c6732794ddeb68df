/* group_count.c - run.groups: auto, from the model of the device that the ranks have */
#include "plan/group_count.h"

#include <math.h>

#include "base/memory.h"
#include "plan/cost.h"

/* With the groups of `input`; *c says what became of it. */
static naik_status ask_model(naik_comm *comm, const naik_input *input, const group_place *place,
                             int machine, cost *c)
{
    model_machine m = model_machine_of(machine, MODEL_NAIK);
    const int nodes = place->nodes > 0 && place->ranks % place->nodes == 0 ? place->nodes : 1;
    m.node_size = place->ranks / nodes;
    m.memory_gib = place->memory_gib > 0 ? fmin(m.memory_gib, place->memory_gib) : m.memory_gib;
    c->case_count = 0;
    naik_status status = cost_of(comm, input, &m, NULL, &nodes, 1, c);
    if (status == NAIK_ERR_INPUT) { /* the run says it, once it has a grid */
        naik_log_clear(comm->log);
        c->case_count = 0;
        status = NAIK_OK;
    }
    return status;
}

static bool fits(const cost *c)
{
    return c->case_count > 0 && c->cases[0].verdict == COST_FITS;
}

naik_status group_count_choose(naik_comm *comm, const naik_input *input, const group_place *place,
                               group_count *out)
{
    naik_status status = NAIK_OK;
    const int machine = model_machine_of_device(place->device);
    naik_input asked = *input;
    cost *c = NULL;
    *out = (group_count){.groups = 1};
    out->why = place->ranks == 1                    ? "there is one rank"
               : naik_input_most_groups(input) == 1 ? "some sources are made of other solutions"
               : machine < 0 ? "naik's model of machines does not know this device"
                             : NULL;
    if (out->why != NULL) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_comm_agree(
        comm, naik_alloc(comm->log, sizeof *c, "the costs of the run", (void **)&c)));
    asked.run.groups = 1;
    NAIK_TRY(ask_model(comm, &asked, place, machine, c));
    out->one_s = fits(c) ? c->cases[0].wall_s : 0;
    asked.run.groups = NAIK_INPUT_GROUPS_AUTO;
    NAIK_TRY(ask_model(comm, &asked, place, machine, c));
    if (fits(c)) {
        out->groups = c->cases[0].groups;
        out->wall_s = c->cases[0].wall_s;
    } else {
        out->why = "the model finds no way to hold this run";
    }
done:
    naik_free(c);
    return status;
}
