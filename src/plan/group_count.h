/* group_count.h - run.groups: auto, into how many groups a run splits its ranks
 *
 * The model (cost.h) of the machine whose device the ranks have: the number with the shortest wall time,
 * fewer groups where the gain is small. The bits of a run do not depend on it.
 */
#ifndef NAIK_PLAN_GROUP_COUNT_H
#define NAIK_PLAN_GROUP_COUNT_H

#include "input/input.h"

typedef struct group_place {
    const char *device; /* as its backend describes it */
    int ranks, nodes;
    double memory_gib; /* of a device, that is free; 0: as the model has it */
} group_place;

typedef struct group_count {
    int groups;
    const char *why; /* NULL: the model has chosen; else the sentence on why there is one group */
    double wall_s, one_s; /* predicted, with these groups and with one; one_s 0: one does not fit */
} group_count;

/* Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status group_count_choose(naik_comm *comm, const naik_input *input, const group_place *place,
                               group_count *out);

#endif
