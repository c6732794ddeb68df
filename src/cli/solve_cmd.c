/* solve_cmd.c - `naik solve`: from an input file to propagators and correlators on disk
 *
 *   input -> lattice, backend -> configuration -> for each Naik epsilon: links -> all its solves
 *
 * Every finished solve is committed to the file before the next is looked at, so that a run can be
 * killed at any instant and continued (run/work.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/options.h"
#include "cli/commands.h"
#include "cli/configs.h"
#include "cli/skip.h"
#include "comm/collective.h"
#include "comm/new.h"
#include "comm/paths.h"
#include "contract/average.h"
#include "contract/contract.h"
#include "plan/cost.h"
#include "plan/spec.h"
#include "quark/low_modes.h"
#include "run/groups.h"
#include "run/method.h"

typedef struct switches {
    const char *path;
    naik_option_list overrides;
    bool dry_run, no_verify, fresh, skip_complete;
    const char *machine;       /* NULL: the run's own */
    const char *nodes, *pilot; /* of a plan for it */
    bool json;
    solve_plan *told; /* of a list of configurations: the plan that was printed last; else NULL */
    double start_s;   /* of the command, from which run.wall_limit counts */
} switches;

/* Backend, lattice and clock of the own group. */
static naik_status open_workplace(solve_job *j, const switches *sw, naik_comm *comm)
{
    const naik_input *input = j->input;
    workplace_options options = workplace_of_input(input);
    options.interruptible = !sw->dry_run;
    options.begun_s = sw->start_s;
    options.greet = solve_report_banner;
    if (options.grid[0] == 0) {
        NAIK_PASS(quark_multigrid_grid(comm, input, options.grid));
    }
    NAIK_PASS(workplace_open(comm, &options, &j->at));
    NAIK_PASS(quark_multigrid_check(j->at.geometry, input));
    j->backend = j->at.backend;
    j->lattice = j->at.lattice;
    j->geometry = j->at.geometry;
    j->interrupt = j->at.interrupt;
    return NAIK_OK;
}

/* What one group decides, and all alike. */
static naik_status make_plan(solve_job *j)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    const int groups = solve_groups_count(j->groups);
    int stored = 0;
    /* a file that holds no modes is refused before the output is made */
    if (input->deflation.modes != 0) {
        NAIK_PASS(low_modes_stored(input, j->geometry, &stored));
    }
    status = solve_plan_make(input, j->geometry, (input->task_count + groups - 1) / groups, stored,
                             &j->plan);
    return naik_comm_agree(j->lattice->comm, status);
}

static naik_status prepare(solve_job *j, const switches *sw)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    naik_comm *comm = NULL;
    const size_t times = (size_t)input->lattice.size[3];
    size_t values = 0;
    for (int i = 0; i < input->solve_count; i++) {
        const size_t own = (size_t)input->solve[i].correlators.count *
                           (size_t)input->solve[i].momenta.count * 2 * times;
        values = own > values ? own : values;
    }
    NAIK_PASS(solve_groups_choose(j));
    NAIK_PASS(solve_groups_create(j, &comm));
    NAIK_PASS(solve_groups_agree(j, open_workplace(j, sw, comm)));
    NAIK_PASS(solve_groups_whole(j));
    status = naik_alloc(j->log, 2 * (size_t)input->task_count * sizeof *j->pending,
                        "a list of solves", (void **)&j->pending);
    NAIK_PASS(naik_comm_agree(j->comm, status));
    j->correlator_reals = values;
    status = naik_alloc(j->log, (j->correlator_reals + 2 * times) * sizeof *j->correlators,
                        "correlators", (void **)&j->correlators);
    NAIK_PASS(naik_comm_agree(j->comm, status));
    NAIK_PASS(solve_groups_agree(j, make_plan(j)));
    NAIK_PASS(solve_groups_ready(j));
    return solve_groups_agree(j, solve_plan_print_lattice(j->geometry));
}

/* Columns without solutions are solved again where what was made of them is not whole. */
static naik_status repeat_left_out(solve_job *j)
{
    int count = 0;
    if (naik_propagator_file_complete(j->file) || naik_propagator_file_contracted(j->file)) {
        return NAIK_OK;
    }
    NAIK_PASS(contract_verify_left_out(j->comm, j->input, j->file, &count));
    if (count > 0) {
        naik_log_line(
            j->log,
            "solved again, because columns or correlators of their sources are missing or "
            "damaged: %d of %d solves stored without solutions",
            count, naik_propagator_file_solves(j->file));
    }
    return NAIK_OK;
}

/* The choices that the output was begun with; a complete one needs no method. All groups ask together what is
 * undecided, whatever the memory of each holds. */
static naik_status restore_plan(solve_job *j)
{
    bool undecided = false;
    const bool open = !naik_propagator_file_complete(j->file);
    if (open && j->input->solver.method_auto) {
        NAIK_PASS(solve_method_undecided(j, &undecided));
    }
    return solve_plan_restore(&j->plan, j->input, j->geometry,
                              naik_propagator_file_choices(j->file),
                              open && solve_method_used(j->file), undecided);
}

static naik_status open_file(solve_job *j, bool fresh)
{
    naik_status status = NAIK_OK;
    solve_spec *spec = NULL;
    status = solve_spec_create(j->input, &j->plan, j->backend, j->lattice, j->links,
                               j->guess.text != NULL ? j->guess.text : j->sources.text, &spec);
    NAIK_TRY(naik_comm_agree(j->comm, status));
    solve_report_output(j, solve_spec_file(spec));
    naik_timer_start(j->timer, "open output");
    NAIK_TRY(naik_propagator_file_open(j->whole, j->input->output.file, solve_spec_file(spec),
                                       fresh, &j->file));
    naik_timer_stop(j->timer, "open output");
    status = restore_plan(j);
    NAIK_TRY(solve_groups_agree(j, naik_comm_agree(j->lattice->comm, status)));
    solve_plan_print(&j->plan, j->input, j->log);
    NAIK_TRY(repeat_left_out(j));
    j->total = naik_propagator_file_solves(j->file);
    j->done = j->begun = naik_propagator_file_resumed(j->file);
    if (naik_propagator_file_complete(j->file)) {
        naik_log_line(j->log, "%s is complete already: nothing to solve; `naik info` verifies it",
                      j->input->output.file);
        NAIK_TRY(solve_report_part(j));
    } else if (j->done > 0) {
        naik_log_line(j->log, "resuming: %d of %d solves are done", j->done, j->total);
    }
done:
    solve_spec_destroy(&spec);
    return status;
}

/* What low modes did for the solves of the file, those of earlier runs included. */
static void tell_deflated(const solve_job *j)
{
    int count = 0, least = 0, most = 0;
    int64_t iterations = 0;
    for (int i = 0; i < j->total; i++) {
        const naik_solve_record *r = naik_propagator_file_record(j->file, i);
        if (r->state != NAIK_SOLVE_PENDING && r->modes > 0) {
            least = count == 0 || r->modes < least ? r->modes : least;
            most = r->modes > most ? r->modes : most;
            iterations += r->iterations;
            count++;
        }
    }
    if (count > 0) {
        char range[24] = "";
        if (least < most) {
            snprintf(range, sizeof range, "%d to ", least);
        }
        naik_log_line(
            j->log, "deflated: %d of %d solves used %s%d modes and took %.1f iterations on average",
            count, j->total, range, most, (double)iterations / count);
    }
}

/* The sentence of a run that was asked to stop, which says whether the next one has any more of it. */
static naik_status tell_stopped(const solve_job *j)
{
    char rest[NAIK_INTERRUPT_ADVICE], fresh[SOLVE_FRESH_TEXT];
    const char *reason = naik_interrupt_reason(j->interrupt);
    double iterated = j->progress.iterated;
    NAIK_PASS(naik_comm_max_f64(j->comm, &iterated, 1)); /* of any group */
    const bool further = naik_checkpoint_goes_on(j->checkpoint);
    const char *lacks = iterated == 0 ? "the first iteration"
                        : further     ? NULL
                                      : "an iteration that is kept";
    naik_interrupt_advise(j->interrupt, naik_timer_total_s(j->timer),
                          j->done > j->begun ? NULL : lacks, rest);
    NAIK_PASS(solve_report_fresh(j, fresh));
    return NAIK_FAIL(j->log, NAIK_ERR_INTERRUPTED, "stopped by %s with %d of %d solves done%s%s",
                     reason[0] != '\0' ? reason : solve_groups_reason(j->groups), j->done, j->total,
                     rest, fresh);
}

/* The verdict over everything in the file, solves of earlier runs included. */
static naik_status conclude(solve_job *j, bool interrupted)
{
    int failed = 0;
    naik_link_provider *whole = j->groups != NULL ? &j->whole_links : j->links;
    for (int i = 0; i < j->total; i++) {
        failed += naik_propagator_file_record(j->file, i)->state == NAIK_SOLVE_NOT_CONVERGED;
    }
    if (interrupted) {
        return tell_stopped(j);
    }
    if (j->guard.given_up > 0) {
        return NAIK_FAIL(j->log, NAIK_ERR_CORRUPT,
                         "%d of %d solves came out wrong twice by their own check and were not "
                         "stored: this machine is not to be trusted; run the same command again "
                         "elsewhere",
                         j->guard.given_up, j->total);
    }
    if (!naik_propagator_file_complete(j->file)) {
        const contract_kit kit = {.lattice = j->whole,
                                  .input = j->input,
                                  .file = j->file,
                                  .gauss = whole->gauss,
                                  .low = {.lattice = j->whole,
                                          .geometry = j->groups == NULL ? j->geometry : NULL,
                                          .links = naik_link_provider_packed,
                                          .links_data = whole,
                                          .modes = j->plan.modes,
                                          .shifts = whole->shifts,
                                          .hops = naik_link_provider_hops,
                                          .hops_data = whole},
                                  .ahead = j->ahead,
                                  .device = naik_backend_device(j->backend),
                                  .timer = j->timer};
        NAIK_PASS(naik_propagator_file_contracted(j->file)
                      ? contraction_averages_again(j->whole, j->input, j->file)
                      : contract_all(&kit));
        naik_timer_start(j->timer, "verify output");
        NAIK_PASS(naik_propagator_file_finish(j->file));
        naik_timer_stop(j->timer, "verify output");
        naik_log_line(j->log, "wrote %s, complete and verified", j->input->output.file);
    }
    tell_deflated(j);
    if (failed > 0) {
        return NAIK_FAIL(
            j->log, NAIK_ERR_NOT_CONVERGED,
            "%d of %d solves did not reach their tolerance: see the residuals above or "
            "`naik info %s`",
            failed, j->total, j->input->output.file);
    }
    return NAIK_OK;
}

/* Where the time went, for those who look at the file. */
static naik_status note_times(solve_job *j)
{
    char times[2800];
    naik_timer_list(j->timer, times, sizeof times);
    return naik_propagator_file_note(j->file, "times", times);
}

/* A device's profiler shows the regions, the watchdog knows the innermost. */
static void region_moved(void *job, const char *opened, const char *inside)
{
    const solve_job *j = job;
    if (j->backend->ops->range != NULL) {
        j->backend->ops->range(opened);
    }
    naik_watchdog_phase(j->comm->watchdog, inside);
}

/* Where there is something to solve. */
static naik_status ready_links(solve_job *j)
{
    /* what stands in the output's way is named where it is begun */
    int there = j->comm->rank == 0 && access(j->input->output.file, F_OK) == 0;
    NAIK_PASS(naik_comm_broadcast(j->comm, &there, sizeof there, 0));
    if (!there) {
        NAIK_PASS(solve_groups_agree(j, naik_link_provider_ready(j->links)));
    }
    return NAIK_OK;
}

/* The propagators that the own group's sources and starting values come from. */
static naik_status open_sources(solve_job *j)
{
    char links[512]; /* identity of them */
    naik_link_provider_identity(j->links, links, sizeof links);
    NAIK_PASS(sequential_open(j->lattice, j->input, links, NULL, &j->sources, &j->stored,
                              &j->sequential));
    return solve_guess_open(j->lattice, j->input, links, j->sources.text, &j->stored, &j->guess);
}

static naik_status run(solve_job *j, const switches *sw)
{
    bool interrupted = false;
    NAIK_PASS(naik_fault_create(j->comm, &j->fault));
    naik_timer_observe(j->timer, region_moved, j);
    NAIK_PASS(solve_groups_agree(j, sdc_check_create(j->lattice->comm, j->input, &j->guard)));
    NAIK_PASS(solve_groups_agree(j, source_file_identify(j->lattice, j->input, &j->sources)));
    NAIK_PASS(solve_groups_links(j));
    NAIK_PASS(solve_groups_agree(j, open_sources(j)));
    NAIK_PASS(ready_links(j));
    j->fresh = sw->fresh;
    NAIK_PASS(open_file(j, sw->fresh));
    naik_fault_in_plan(j->fault, &j->plan.multigrid_batch);
    solve_report_start(j);
    solve_progress_begin(j);
    if (!naik_propagator_file_complete(j->file)) {
        if (j->groups == NULL) {
            NAIK_PASS(contract_ahead_create(naik_backend_device(j->backend), j->lattice, j->input,
                                            j->links->shifts, j->plan.batch, &j->ahead));
        }
        NAIK_PASS(solve_work(j, &interrupted));
        NAIK_PASS(solve_groups_guesses(j));
        NAIK_PASS(solve_report_guesses(j));
    }
    const bool ends = !interrupted && !naik_propagator_file_complete(j->file);
    NAIK_PASS(note_times(j));
    const naik_status status = conclude(j, interrupted);
    if (ends && status == NAIK_OK) {
        NAIK_PASS(solve_report_prediction(j));
    }
    naik_timer_print(j->timer);
    solve_report_moved(j);
    return status;
}

/* refused: by rank 0's verdict, which it may know alone. */
static void clear(solve_job *j, bool refused)
{
    naik_events_close(&j->events);
    naik_checkpoint_close(&j->restored);
    naik_checkpoint_close(&j->checkpoint);
    if (j->file != NULL && naik_comm_broadcast(j->comm, &refused, sizeof refused, 0) == NAIK_OK &&
        refused) {
        naik_propagator_file_forget(j->file);
    }
    naik_propagator_file_close(&j->file);
    sequential_close(&j->sequential);
    solve_guess_close(&j->guess);
    stored_runs_close(&j->stored);
    source_file_sums_clear(&j->sources);
    naik_fault_destroy(&j->fault);
    naik_timer_observe(j->timer, NULL, NULL);
    sdc_check_destroy(&j->guard);
    naik_free(j->pending);
    naik_free(j->correlators);
    contract_ahead_destroy(&j->ahead);
    solve_waiting_clear(j);
    naik_link_provider_close(&j->whole_links);
    workplace_close(&j->at);
    naik_lattice_destroy(&j->own_whole);
    solve_groups_destroy(&j->groups);
    naik_input_destroy(&j->input);
}

/* A dry run leaves no trace. */
static naik_status open_events(solve_job *j, bool dry_run)
{
    naik_status status = NAIK_OK;
    if (j->input->run.events != NULL && j->comm->rank == 0) {
        status = dry_run ? naik_events_precheck(j->log, j->input->run.events)
                         : naik_events_open(j->log, j->input->run.events, &j->events);
    }
    return naik_comm_agree(j->comm, status);
}

/* Nothing that the input names is written over, itself included. */
static naik_status spare_inputs(naik_comm *comm, const char *path, const naik_input *input)
{
    naik_status status = NAIK_OK;
    const int count = 5 + 2 * input->solve_count;
    const char **read = NULL;
    NAIK_TRY(naik_new(comm, (size_t)count * sizeof *read, "a list of files", (void **)&read));
    read[0] = path;
    read[1] = input->gauge.file;
    read[2] = input->action.file;
    read[3] = input->action.long_file;
    read[4] = input->deflation.import;
    for (int i = 0; i < input->solve_count; i++) {
        read[5 + 2 * i] = input->solve[i].source_file;
        read[6 + 2 * i] = input->solve[i].guess;
    }
    NAIK_TRY(naik_path_refuse_input(comm, "output.file", input->output.file, read, count));
    NAIK_TRY(naik_path_refuse_input(comm, "deflation.file", input->deflation.file, read, count));
    NAIK_TRY(naik_path_refuse_input(comm, "multigrid.file", input->multigrid_file, read, count));
    NAIK_TRY(naik_path_refuse_input(comm, "run.events", input->run.events, read, count));
done:
    free(read);
    return status;
}

static naik_status check_switches(naik_log *log, const switches *sw)
{
    const bool elsewhere = sw->machine != NULL;
    const char *lone = elsewhere           ? NULL
                       : sw->nodes != NULL ? "--nodes"
                       : sw->pilot != NULL ? "--from"
                       : sw->json          ? "--json"
                                           : NULL;
    if (sw->no_verify && !sw->dry_run) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "--no-verify goes with --dry-run only: a run verifies what it reads");
    }
    if (elsewhere && !sw->dry_run) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "--machine goes with --dry-run only: it plans a run for that machine");
    }
    if (lone != NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "%s goes with --dry-run --machine NAME only", lone);
    }
    return NAIK_OK;
}

/* A default that is only spelled out does not make another input of it. */
static naik_status go_on_as_begun(naik_comm *comm, naik_input *input, bool fresh)
{
    naik_status status = NAIK_OK;
    char *begun = NULL;
    if (!fresh) {
        NAIK_TRY(naik_propagator_file_begun_with(comm, input->output.file, &begun));
    }
    if (begun != NULL) {
        status = naik_input_go_on(comm->log, input, begun);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
done:
    free(begun);
    return status;
}

/* Of a list of configurations each plan is told once: one that is the same again is a line. */
static naik_status dry_run(solve_job *j, const switches *sw)
{
    const naik_input *input = j->input;
    const bool later = sw->told != NULL && sw->told->batch > 0;
    naik_log_set_quiet(j->log, later);
    NAIK_PASS(prepare(j, sw));
    const bool again = later && strcmp(sw->told->choices, j->plan.choices) == 0 &&
                       sw->told->batch == j->plan.batch &&
                       sw->told->total_bytes == j->plan.total_bytes;
    naik_log_set_quiet(j->log, again);
    NAIK_PASS(solve_dry_run(j, !sw->no_verify, sw->fresh));
    naik_log_set_quiet(j->log, false);
    if (again) {
        naik_log_line(j->log,
                      "the plan is the one above; %s was %s, %s can be written; nothing was solved",
                      input->gauge.file != NULL ? input->gauge.file : input->action.file,
                      sw->no_verify ? "looked at" : "verified", input->output.file);
    }
    if (sw->told != NULL) {
        *sw->told = j->plan;
    }
    return NAIK_OK;
}

/* Looks for what an earlier run has left. *skipped: a complete output that is left as it is, all converged. */
static naik_status look_for_output(naik_comm *comm, const switches *sw, naik_input *input,
                                   bool *skipped)
{
    bool complete = false;
    *skipped = false;
    NAIK_PASS(go_on_as_begun(comm, input, sw->fresh));
    const char *path = input->output.file, *canonical = sw->fresh ? NULL : input->identity;
    NAIK_PASS(naik_propagator_file_find(comm, path, canonical, &complete));
    if (sw->skip_complete && complete && !sw->dry_run) {
        NAIK_PASS(skip_complete(comm, input, skipped));
    }
    return *skipped ? naik_propagator_file_tidy(comm, path) : NAIK_OK;
}

/* One run, of the input as these overrides make it; *every, the caller's: the list of configurations of
 * this input was meant, and nothing was done. */
static naik_status solve_one(naik_comm *comm, const switches *sw, const char *const *overrides,
                             int count, naik_input **every)
{
    naik_status status = NAIK_OK;
    solve_job j = {.comm = comm, .log = comm->log};
    bool skipped = false;
    NAIK_TRY(workplace_clock(comm, &j.at));
    j.timer = j.at.timer;
    j.links = &j.at.links;
    NAIK_TRY(naik_input_load(comm, sw->path, overrides, count, &j.input));
    if (every != NULL && j.input->gauge.every && sw->machine == NULL) {
        *every = j.input;
        j.input = NULL;
        goto done;
    }
    NAIK_TRY(spare_inputs(comm, sw->path, j.input));
    if (sw->machine != NULL) {
        status = cost_elsewhere(comm, j.input, sw->machine, sw->nodes, sw->pilot, sw->json);
        goto done;
    }
    NAIK_TRY(look_for_output(comm, sw, j.input, &skipped));
    if (skipped) {
        naik_log_line(comm->log, "%s is complete: skipped", j.input->output.file);
        goto done;
    }
    NAIK_TRY(open_events(&j, sw->dry_run));
    if (sw->dry_run) {
        status = dry_run(&j, sw);
        goto done;
    }
    NAIK_TRY(prepare(&j, sw));
    NAIK_TRY(run(&j, sw));
done:
    naik_log_set_quiet(comm->log, false);
    naik_log_live(comm->log, "%s", ""); /* errors begin at the margin */
    solve_report_end(&j, status);
    if (naik_comm_meet(comm, status)) { /* else the output cannot be closed together any more */
        clear(&j, status == NAIK_ERR_INPUT);
    }
    return status;
}

static naik_status solve_config(naik_comm *comm, void *sw, const char *const *overrides, int count)
{
    return solve_one(comm, sw, overrides, count, NULL);
}

static naik_status is_skipped(naik_comm *comm, void *sw, naik_input *input, bool *skipped)
{
    return look_for_output(comm, sw, input, skipped);
}

static naik_status solve_every(naik_comm *comm, const switches *given, const naik_input *input)
{
    switches sw = *given;
    solve_plan told = {.batch = 0};
    const configs_order order = {.path = sw.path,
                                 .keys = &sw.overrides,
                                 .input = input,
                                 .begun_s = sw.start_s,
                                 .hurried = !sw.dry_run,
                                 .not_converged = "solves did not reach their tolerance",
                                 .data = &sw,
                                 .is_done = is_skipped,
                                 .visit = solve_config};
    sw.skip_complete = true;
    sw.told = &told;
    return each_configuration(comm, &order);
}

naik_status naik_command_solve(naik_comm *comm, int argc, char **argv)
{
    switches sw = {.start_s = naik_time_s()};
    const naik_option options[] = {
        {.name = "set", .kind = NAIK_OPTION_LIST, .target = &sw.overrides},
        {.name = "dry-run", .kind = NAIK_OPTION_FLAG, .target = &sw.dry_run},
        {.name = "no-verify", .kind = NAIK_OPTION_FLAG, .target = &sw.no_verify},
        {.name = "fresh", .kind = NAIK_OPTION_FLAG, .target = &sw.fresh},
        {.name = "skip-complete", .kind = NAIK_OPTION_FLAG, .target = &sw.skip_complete},
        {.name = "machine", .kind = NAIK_OPTION_TEXT, .target = &sw.machine},
        {.name = "nodes", .kind = NAIK_OPTION_TEXT, .target = &sw.nodes},
        {.name = "from", .kind = NAIK_OPTION_TEXT, .target = &sw.pilot},
        {.name = "json", .kind = NAIK_OPTION_FLAG, .target = &sw.json}};
    static const char *const operands[] = {"INPUT.yaml"};
    naik_input *every = NULL;
    naik_status status = NAIK_OK;
    NAIK_PASS(naik_options_parse(comm->log, "solve", argc, argv, options,
                                 sizeof options / sizeof *options, operands, 1, &sw.path));
    NAIK_PASS(check_switches(comm->log, &sw));
    NAIK_PASS(solve_one(comm, &sw, sw.overrides.text, sw.overrides.count, &every));
    if (every != NULL) {
        status = solve_every(comm, &sw, every);
    }
    naik_input_destroy(&every);
    return status;
}
