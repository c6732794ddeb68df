/* links_cmd.c - `naik links INPUT.yaml -o FILE.h5`: fat and long links into a file
 *
 * One link set for every Naik epsilon that the input's solves name, so that a later run with
 * action.type links finds all it needs in one file.
 */
#include <stdlib.h>

#include "base/options.h"
#include "cli/commands.h"
#include "comm/new.h"
#include "comm/paths.h"
#include "io/links/links_file.h"
#include "io/output.h"
#include "run/workplace.h"

typedef struct job {
    naik_input *input;
    workplace at;
    naik_fatlong **sets; /* [count] */
    int count;
} job;

/* One set of links for all quarks of the input that share them. */
static naik_status build(naik_comm *comm, job *j)
{
    const naik_input *input = j->input;
    j->count = 0;
    NAIK_PASS(naik_new(comm, (size_t)input->quark_count * sizeof *j->sets, "a list of link sets",
                       (void **)&j->sets));
    for (int q = 0; q < input->quark_count; q++) {
        if (naik_quark_first_of_links(input->quarks, q) == q) {
            NAIK_PASS(naik_link_provider_links(&j->at.links, input->quarks[q].naik_epsilon, NULL,
                                               &j->sets[j->count]));
            NAIK_PASS(naik_fatlong_to_host(j->sets[j->count++]));
        }
    }
    return NAIK_OK;
}

static naik_status write(naik_comm *comm, const job *j, const char *path)
{
    const naik_input *input = j->input;
    const naik_gauge_meta meta = {
        .source_path = input->gauge.file, .source = &j->at.links.file, .input_text = input->text};
    NAIK_PASS(naik_links_h5_write(path, (const naik_fatlong *const *)j->sets, j->count,
                                  input->kind->name, naik_input_boundary_name(input), 64, &meta));
    naik_log_line(comm->log, "wrote %s, verified", path);
    return NAIK_OK;
}

static void clear(job *j)
{
    for (int i = 0; i < j->count; i++) {
        naik_fatlong_destroy(&j->sets[i]);
    }
    free(j->sets);
    workplace_close(&j->at);
    naik_input_destroy(&j->input);
}

naik_status naik_command_links(naik_comm *comm, int argc, char **argv)
{
    naik_status status = NAIK_OK;
    const char *out = NULL, *path = NULL;
    naik_option_list overrides = {.count = 0};
    const naik_option options[] = {
        {.name = "output",
         .letter = 'o',
         .kind = NAIK_OPTION_TEXT,
         .target = &out,
         .required = true},
        {.name = "set", .kind = NAIK_OPTION_LIST, .target = &overrides},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    static const char *const operands[] = {"INPUT.yaml"};
    job j = {.count = 0};
    NAIK_TRY(naik_options_parse(comm->log, "links", argc, argv, options, 3, operands, 1, &path));
    NAIK_TRY(naik_input_load(comm, path, overrides.text, overrides.count, &j.input));
    NAIK_TRY(naik_input_choose_one(comm->log, j.input));
    if (j.input->kind->links == NAIK_QUARK_STORED) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "action.type links reads links from a file; `naik links` builds them: "
                           "choose naive, asqtad or hisq");
        goto done;
    }
    if (j.input->kind->links == NAIK_QUARK_THIN) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                      "action.type %s has no fat and long links, because quarks with spin take the "
                      "configuration as it is: give this input to naik solve. `naik links` "
                      "makes the links of naive, asqtad and hisq",
                      j.input->kind->name);
        goto done;
    }
    const char *const inputs[] = {path, j.input->gauge.file};
    NAIK_TRY(naik_path_refuse_input(comm, "-o", out, inputs, 2));
    NAIK_TRY(naik_output_refuse(comm, "-o", out));
    workplace_options place = workplace_of_input(j.input);
    place.placement = false;
    NAIK_TRY(workplace_open(comm, &place, &j.at));
    NAIK_TRY(workplace_links(&j.at, j.input, NULL));
    NAIK_TRY(build(comm, &j));
    NAIK_TRY(write(comm, &j, out));
done:
    clear(&j);
    return status;
}
