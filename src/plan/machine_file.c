/* machine_file.c - the keys of a machine's file, and how it becomes figures of the model */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/input_table.h"
#include "plan/cost.h"

typedef struct site {
    const char *name, *device;
    int node_size;
    double memory_gib, kernel_share;
    double figure[MODEL_FIGURES]; /* of those below; 0: as naik's on H200 */
} site;

#define SITE(member)  offsetof(site, member)
#define FIGURE(which) offsetof(site, figure[which])
#define POSITIVE      .kind = NAIK_PARAM_REAL, .range = {NAIK_ABOVE_0, 1e9}

static const naik_param params[] = {
    {.key = "name",
     .kind = NAIK_PARAM_TEXT,
     .offset = SITE(name),
     .required = true,
     .doc = "what the plan calls the machine"},
    {.key = "device",
     .kind = NAIK_PARAM_TEXT,
     .offset = SITE(device),
     .initial = "GPU",
     .doc = "what the plan calls a GPU"},
    {.key = "gpus_per_node",
     .kind = NAIK_PARAM_INT,
     .offset = SITE(node_size),
     .required = true,
     .range = {1, 64},
     .doc = "GPUs a node, a rank each; dies count as GPUs"},
    {.key = "memory_gib",
     .offset = SITE(memory_gib),
     .required = true,
     POSITIVE,
     .doc = "memory of a GPU"},
    {.key = "copy_gbs",
     .offset = FIGURE(COPY_GBS),
     .required = true,
     POSITIVE,
     .doc = "bandwidth of a copy in a GPU's memory, read and written, as naik bench stream or a "
            "STREAM measures it; data sheets have more"},
    {.key = "wire_inside_gbs",
     .offset = FIGURE(WIRE_INSIDE_GBS),
     .required = true,
     POSITIVE,
     .doc = "a GPU to the others of its node, one way"},
    {.key = "wire_between_gbs",
     .offset = FIGURE(WIRE_BETWEEN_GBS),
     .required = true,
     POSITIVE,
     .doc = "a GPU's share of its node's network, one way"},
    {.key = "between_us",
     .offset = FIGURE(BETWEEN_US),
     .initial = "30",
     POSITIVE,
     .doc = "what a direction that crosses nodes costs beside its bytes"},
    {.key = "reduce_step_us",
     .offset = FIGURE(REDUCE_STEP_US),
     .initial = "6",
     POSITIVE,
     .doc = "what the sums of an iteration cost more with each doubling of nodes"},
    {.key = "kernel_share",
     .kind = NAIK_PARAM_REAL,
     .offset = SITE(kernel_share),
     .initial = "1",
     .range = {0.01, 2},
     .doc = "share of the copy that kernels reach here, that on H200 being 1"}};

static const naik_param_table table = {.params = params,
                                       .count = (int)(sizeof params / sizeof *params)};

static naik_status parse(naik_log *log, const char *path, const char *bytes, int64_t size,
                         naik_yaml **tree, model_machine *out)
{
    site s;
    memset(&s, 0, sizeof s);
    NAIK_PASS(naik_yaml_parse(log, path, bytes, (size_t)size, tree));
    NAIK_PASS(naik_params_read(log, &table, *tree, &s));
    *out = model_machine_of_site(s.name, s.device, s.node_size, s.memory_gib, s.kernel_share,
                                 s.figure);
    return NAIK_OK;
}

static naik_status load(naik_comm *comm, const char *path, naik_yaml **tree, model_machine *out)
{
    naik_status status = NAIK_OK;
    char *bytes = NULL;
    int64_t size = 0;
    if (comm->rank == 0) {
        status = naik_input_read_file(comm->log, path, &bytes, &size);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_broadcast(comm, &size, sizeof size, 0));
    NAIK_TRY(naik_input_share_bytes(comm, path, size, &bytes));
    status = naik_comm_agree(comm, parse(comm->log, path, bytes, size, tree, out));
done:
    free(bytes);
    return status;
}

bool naik_machine_is_file(const char *word)
{
    return strpbrk(word, "./") != NULL;
}

naik_status naik_machine_find(naik_comm *comm, const char *word, model_software software,
                              naik_yaml **tree, model_machine *out)
{
    const char *const *names = model_machine_names();
    char known[256] = "";
    *tree = NULL;
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], word) == 0) {
            *out = model_machine_of(i, software);
            return NAIK_OK;
        }
        naik_text_append(known, sizeof known, "%s, ", names[i]);
    }
    if (naik_machine_is_file(word)) {
        return load(comm, word, tree, out);
    }
    return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                     "--machine '%s' must be one of %sor a file, FILE.yaml", word, known);
}
