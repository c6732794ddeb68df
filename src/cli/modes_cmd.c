/* modes_cmd.c - `naik modes INPUT.yaml`: low modes into a file
 *
 * What `naik solve` would do before its first solve: one set of modes for every Naik epsilon, on every
 * configuration of a list.
 */
#include "base/options.h"
#include "cli/commands.h"
#include "cli/configs.h"
#include "comm/paths.h"
#include "operator/set.h"
#include "plan/plan.h"
#include "quark/low_modes.h"
#include "run/workplace.h"

typedef struct job {
    naik_input *input;
    workplace at;
    solve_plan plan;
} job;

enum { MOST_MASSES = 128 };

/* The masses that are deflated with the links of a quark. */
static int collect(const naik_input *input, int quark, double mass[MOST_MASSES])
{
    int count = 0;
    for (int q = quark; q < input->quark_count && count < MOST_MASSES; q++) {
        if (naik_input_deflates(input, q) &&
            naik_quark_shares_links(&input->quarks[q], &input->quarks[quark])) {
            mass[count++] = input->quarks[q].mass;
        }
    }
    return count;
}

static naik_status find(job *j, const naik_quark *quark, const double *mass, int count)
{
    naik_status status = NAIK_OK;
    naik_fatlong *canonical = NULL;
    naik_operator_set packed = {.links = {NULL}};
    naik_modes *modes = NULL;
    const naik_set_storage storage = {NAIK_SINGLE, 18, NAIK_SINGLE, 1};
    NAIK_TRY(naik_link_provider_operators(&j->at.links, j->at.geometry, quark, &storage, &canonical,
                                          &packed));
    const low_modes_request asked = {.input = j->input,
                                     .wanted = j->plan.modes,
                                     .links = canonical,
                                     .set = &packed,
                                     .masses = mass,
                                     .count = count,
                                     .asked_for = true,
                                     .interrupt = j->at.interrupt};
    NAIK_TRY(low_modes_get(&asked, &modes));
done:
    naik_modes_destroy(&modes);
    naik_operator_set_destroy(&packed);
    naik_fatlong_destroy(&canonical);
    return status;
}

static naik_status find_all(job *j)
{
    const naik_input *input = j->input;
    for (int q = 0; q < input->quark_count; q++) {
        double mass[MOST_MASSES];
        if (naik_input_deflates(input, q) && naik_input_first_deflated(input, q) == q &&
            solve_plan_pays(&j->plan, input, &input->quarks[q])) {
            NAIK_PASS(find(j, &input->quarks[q], mass, collect(input, q, mass)));
        }
    }
    return NAIK_OK;
}

/* How many modes: with auto what a run of the input would take. Files that cannot be written are refused. */
static naik_status decide(job *j)
{
    int stored = 0;
    NAIK_PASS(low_modes_stored(j->input, j->at.geometry, &stored));
    if (j->input->deflation.modes != NAIK_INPUT_MODES_AUTO) {
        j->plan.modes = j->input->deflation.modes;
        return NAIK_OK;
    }
    NAIK_PASS(naik_comm_agree(j->at.comm, solve_plan_make(j->input, j->at.geometry,
                                                          j->input->task_count, stored, &j->plan)));
    solve_plan_print_modes(&j->plan, j->input, j->at.comm->log);
    return NAIK_OK;
}

static void clear(job *j)
{
    workplace_close(&j->at);
    naik_input_destroy(&j->input);
}

typedef struct order {
    const char *path;
    double begun_s;
} order;

static naik_status prepare(naik_comm *comm, const order *o, job *j)
{
    const naik_input *input = j->input;
    if (input->deflation.modes == 0) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "'%s' asks for no modes: set deflation.modes and deflation.file", o->path);
    }
    const char *const inputs[] = {o->path, input->gauge.file, input->action.file,
                                  input->action.long_file, input->deflation.import};
    NAIK_PASS(naik_path_refuse_input(comm, "deflation.file", input->deflation.file, inputs, 5));
    workplace_options options = workplace_of_input(input);
    options.interruptible = true;
    options.placement = false;
    options.begun_s = o->begun_s;
    return workplace_open(comm, &options, &j->at);
}

/* The modes of one configuration; *every (or NULL), the caller's: the list of them of this input was meant, and
 * nothing was done. */
static naik_status find_of_one(naik_comm *comm, const order *o, const char *const *overrides,
                               int count, naik_input **every)
{
    naik_status status = NAIK_OK;
    job j = {.input = NULL};
    NAIK_TRY(workplace_clock(comm, &j.at));
    NAIK_TRY(naik_input_load(comm, o->path, overrides, count, &j.input));
    if (every != NULL && j.input->gauge.every) {
        *every = j.input;
        j.input = NULL;
        goto done;
    }
    NAIK_TRY(prepare(comm, o, &j));
    NAIK_TRY(decide(&j));
    if (j.plan.modes == 0) {
        goto done;
    }
    NAIK_TRY(workplace_links(&j.at, j.input, NULL));
    NAIK_TRY(find_all(&j));
    naik_timer_print(j.at.timer);
done:
    clear(&j);
    return status;
}

static naik_status find_config(naik_comm *comm, void *o, const char *const *overrides, int count)
{
    return find_of_one(comm, o, overrides, count, NULL);
}

static naik_status find_of_every(naik_comm *comm, order *o, const naik_option_list *keys,
                                 const naik_input *input)
{
    const configs_order order = {.path = o->path,
                                 .keys = keys,
                                 .input = input,
                                 .begun_s = o->begun_s,
                                 .hurried = true,
                                 .not_converged = "not all modes converged",
                                 .data = o,
                                 .visit = find_config};
    return each_configuration(comm, &order);
}

naik_status naik_command_modes(naik_comm *comm, int argc, char **argv)
{
    order o = {.begun_s = naik_time_s()};
    naik_option_list overrides = {.count = 0};
    const naik_option options[] = {
        {.name = "set", .kind = NAIK_OPTION_LIST, .target = &overrides},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    static const char *const operands[] = {"INPUT.yaml"};
    naik_input *every = NULL;
    naik_status status = NAIK_OK;
    NAIK_PASS(naik_options_parse(comm->log, "modes", argc, argv, options, 2, operands, 1, &o.path));
    NAIK_PASS(find_of_one(comm, &o, overrides.text, overrides.count, &every));
    if (every != NULL) {
        status = find_of_every(comm, &o, &overrides, every);
    }
    naik_input_destroy(&every);
    return status;
}
