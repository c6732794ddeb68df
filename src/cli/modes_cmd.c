/* modes_cmd.c - `naik modes INPUT.yaml`: low modes into a file
 *
 * What `naik solve` would do before its first solve: one set of modes for every Naik epsilon, on every
 * configuration of a list.
 */
#include <stdio.h>
#include <stdlib.h>

#include "backend/create.h"
#include "backend/geometry.h"
#include "base/options.h"
#include "base/watchdog.h"
#include "cli/commands.h"
#include "comm/paths.h"
#include "comm/threads.h"
#include "operator/staggered.h"
#include "run/link_provider.h"
#include "run/low_modes.h"
#include "run/plan.h"

typedef struct job {
    naik_input *input;
    naik_backend *backend;
    naik_lattice *lattice;
    naik_geometry *geometry;
    naik_timer *timer;
    naik_interrupt *interrupt;
    naik_link_provider links;
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

static naik_status find(job *j, double epsilon, const double *mass, int count)
{
    naik_status status = NAIK_OK;
    naik_fatlong *canonical = NULL;
    naik_staggered packed = {.links = {NULL}};
    naik_modes *modes = NULL;
    NAIK_TRY(naik_link_provider_links(&j->links, epsilon, NULL, &canonical));
    NAIK_TRY(naik_staggered_create(j->geometry, canonical, NAIK_SINGLE, 18, &packed));
    NAIK_TRY(naik_fatlong_to_host(canonical));
    NAIK_TRY(low_modes_get(j->input, j->plan.modes, canonical, packed.links[NAIK_DOUBLE],
                           packed.links[NAIK_SINGLE], mass, count, j->interrupt, &modes));
done:
    naik_modes_destroy(&modes);
    naik_staggered_destroy(&packed);
    naik_fatlong_destroy(&canonical);
    return status;
}

static naik_status find_all(job *j)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    for (int q = 0; q < input->quark_count; q++) {
        double mass[MOST_MASSES];
        if (naik_input_deflates(input, q) && naik_input_first_deflated(input, q) == q &&
            solve_plan_pays(&j->plan, input, &input->quarks[q])) {
            NAIK_TRY(find(j, input->quarks[q].naik_epsilon, mass, collect(input, q, mass)));
        }
    }
done:
    return status;
}

/* How many modes: what a run of the input would take. */
static naik_status decide(job *j)
{
    naik_status status = NAIK_OK;
    int stored = 0;
    NAIK_TRY(low_modes_stored(j->input, j->geometry, &stored));
    status = solve_plan_make(j->input, j->geometry, j->input->task_count, stored, &j->plan);
    NAIK_TRY(naik_comm_agree(j->backend->comm, status));
    solve_plan_print_modes(&j->plan, j->input, j->backend->log);
done:
    return status;
}

static void clear(job *j)
{
    naik_link_provider_close(&j->links);
    naik_interrupt_destroy(&j->interrupt);
    naik_geometry_destroy(&j->geometry);
    naik_lattice_destroy(&j->lattice);
    naik_backend_destroy(&j->backend);
    naik_timer_destroy(&j->timer);
    naik_input_destroy(&j->input);
}

typedef struct order {
    const char *path;
    double begun_s;
} order;

/* Of wall_limit, what configurations before this one have left. */
static naik_status make_interrupt(naik_comm *comm, const order *o, job *j)
{
    const double limit_s = j->input->run.wall_limit_s, spent_s = naik_time_s() - o->begun_s;
    const double left_s = limit_s - spent_s > 1e-3 ? limit_s - spent_s : 1e-3;
    return naik_comm_agree(comm,
                           naik_interrupt_create(comm, limit_s > 0 ? left_s : 0, &j->interrupt));
}

static naik_status prepare(naik_comm *comm, const order *o, job *j)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    if (input->deflation.modes == 0) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "'%s' asks for no modes: set deflation.modes and deflation.file", o->path);
    }
    NAIK_TRY(make_interrupt(comm, o, j));
    naik_watchdog_limit(comm->watchdog, input->run.watchdog_s);
    const char *const inputs[] = {o->path, input->gauge.file, input->action.file,
                                  input->action.long_file};
    NAIK_TRY(naik_path_refuse_input(comm, "deflation.file", input->deflation.file, inputs, 4));
    if (input->run.threads > 0) {
        naik_threads_use(input->run.threads);
    }
    NAIK_TRY(naik_input_backend_create(comm, j->input, &j->backend));
    j->backend->timer = j->timer;
    NAIK_TRY(naik_lattice_create(comm, input->lattice.size,
                                 input->run.grid[0] > 0 ? input->run.grid : NULL, &j->lattice));
    NAIK_TRY(naik_geometry_create(j->backend, j->lattice, &j->geometry));
done:
    return status;
}

/* The modes of one configuration; *every (or NULL): the list of them was meant, and nothing was done. */
static naik_status find_of_one(naik_comm *comm, const order *o, const char *const *overrides,
                               int count, bool *every)
{
    naik_status status = NAIK_OK;
    job j = {.input = NULL};
    NAIK_TRY(naik_comm_agree(comm, naik_timer_create(comm->log, &j.timer)));
    NAIK_TRY(naik_input_load(comm, o->path, overrides, count, &j.input));
    if (every != NULL && j.input->gauge.every) {
        *every = true;
        goto done;
    }
    NAIK_TRY(prepare(comm, o, &j));
    if (j.input->deflation.modes == NAIK_INPUT_MODES_AUTO) {
        NAIK_TRY(decide(&j));
    } else {
        j.plan.modes = j.input->deflation.modes;
    }
    if (j.plan.modes == 0) {
        goto done;
    }
    NAIK_TRY(naik_link_provider_open(j.lattice, j.input, j.backend, j.timer, &j.links));
    NAIK_TRY(find_all(&j));
    naik_timer_print(j.timer);
done:
    clear(&j);
    return status;
}

/* Of every configuration of the list, as if it were given alone; a search that did not converge is
 * told in the end. */
static naik_status find_of_every(naik_comm *comm, const order *o, const naik_option_list *given)
{
    naik_status status = NAIK_OK;
    naik_input *input = NULL;
    char chosen[96];
    int failed = 0;
    const char **overrides = calloc((size_t)given->count + 1, sizeof *overrides);
    NAIK_TRY(naik_comm_agree(comm, overrides != NULL ? NAIK_OK
                                                     : NAIK_FAIL(comm->log, NAIK_ERR_MEMORY,
                                                                 "no memory for a list of keys")));
    NAIK_TRY(naik_input_load(comm, o->path, given->text, given->count, &input));
    for (int i = 0; i < given->count; i++) {
        overrides[i] = given->text[i];
    }
    overrides[given->count] = chosen;
    const naik_texts *configs = &input->gauge.configs;
    for (int i = 0; i < configs->count; i++) {
        snprintf(chosen, sizeof chosen, "gauge.config=%s", configs->data[i]);
        naik_log_line(comm->log, "%sconfiguration %s, %d of %d", i > 0 ? "\n" : "",
                      configs->data[i], i + 1, configs->count);
        status = find_of_one(comm, o, overrides, given->count + 1, NULL);
        if (status == NAIK_ERR_NOT_CONVERGED) {
            naik_log_warn(comm->log, "configuration %s: %s", configs->data[i],
                          naik_log_message(comm->log));
            naik_log_clear(comm->log);
            failed++;
            status = NAIK_OK;
        }
        NAIK_TRY(status);
    }
    if (failed > 0) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_NOT_CONVERGED,
                      "on %d of %d configurations not all modes converged", failed, configs->count);
    }
done:
    naik_input_destroy(&input);
    free(overrides);
    return status;
}

naik_status naik_command_modes(naik_comm *comm, int argc, char **argv)
{
    naik_status status = NAIK_OK;
    order o = {.begun_s = naik_time_s()};
    naik_option_list overrides = {.count = 0};
    const naik_option options[] = {
        {.name = "set", .kind = NAIK_OPTION_LIST, .target = &overrides},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    static const char *const operands[] = {"INPUT.yaml"};
    bool every = false;
    NAIK_TRY(naik_options_parse(comm->log, "modes", argc, argv, options, 2, operands, 1, &o.path));
    NAIK_TRY(find_of_one(comm, &o, overrides.text, overrides.count, &every));
    if (every) {
        NAIK_TRY(find_of_every(comm, &o, &overrides));
    }
done:
    return status;
}
