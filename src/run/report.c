/* report.c - what `naik solve` says while it runs
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "backend/transport.h"
#include "base/timer.h"
#include "comm/collective.h"
#include "comm/groups.h"
#include "comm/paths.h"
#include "io/checksum.h"
#include "model/iterations.h"
#include "naik/version.h"
#include "run/job.h"

void solve_report_banner(const workplace *w)
{
    char device[256], transport[64];
    const naik_comm *comm = naik_comm_job(w->comm);
    w->backend->ops->describe(w->backend, device, sizeof device);
    naik_log_line(comm->log, "naik %s (%s), %d rank%s on %s: %s", naik_version(),
                  naik_version_git(), comm->size, comm->size == 1 ? "" : "s", comm->host, device);
    if (w->comm->size > 1 && !w->backend->ops->host_memory) {
        naik_transport_describe(w->backend, transport, sizeof transport);
        naik_log_line(comm->log, "halo transport: %s", transport);
    }
}

/* A meson at the sink that lies on the time slice of the source; more likely a slip than meant. */
static void warn_of_contact(const solve_job *j)
{
    for (int i = 0; i < j->input->three_point_count; i++) {
        const naik_input_three_point *three = &j->input->three_points[i];
        for (int k = 0; k < three->sink_times.count; k++) {
            if (three->sink_times.data[k] == 0) {
                naik_log_warn(j->log,
                              "'three_point.%d.sink_times' has 0: the meson at the sink lies on "
                              "the time slice of the source, and no state runs between them",
                              i);
            }
        }
    }
}

void solve_report_output(const solve_job *j, const naik_propagator_spec *spec)
{
    naik_log_line(j->log, "output: %s, %d solves, %.3f GiB", j->input->output.file,
                  naik_propagator_spec_solves(spec),
                  solve_plan_gib(naik_propagator_spec_bytes(spec, j->input->lattice.size,
                                                            j->input->output.alignment)));
    if (spec->until_contracted) {
        naik_log_line(
            j->log,
            "  the finished file leaves out the propagators: they stay in %s.part until the "
            "correlators that need several solves are made",
            j->input->output.file);
    }
    for (int i = 0; j->input->output.average && i < j->input->solve_count; i++) {
        const naik_input_solve *solve = &j->input->solve[i];
        if (naik_input_any_moving(&solve->momenta) && naik_input_mixes_places(j->input, solve)) {
            naik_log_warn(
                j->log,
                "output.average leaves out the momenta of %s: its sources have several places, "
                "and cosines counted from one site (output.origin) have no average",
                solve->name);
        }
    }
    warn_of_contact(j);
}

/* An event about one solve; NULL where none is kept. */
static naik_report *begin_event(const solve_job *j, const char *name, const naik_input_task *task)
{
    naik_report *event = naik_events_begin(j->events, name);
    if (event != NULL) {
        naik_report_text(event, "source", j->input->sources[task->source].label);
        naik_quark_report(event, &j->input->quarks[task->quark]);
        naik_report_column(event, j->input->kind->spin > 1, task->colour);
    }
    return event;
}

void solve_report_retry(const solve_job *j, const naik_input_task *task)
{
    naik_report *event = begin_event(j, "retry", task);
    naik_events_write(j->events, &event);
}

void solve_report_restored(const solve_job *j, const naik_input_task *task,
                           const naik_solver_state *state)
{
    char name[NAIK_INPUT_TASK_TEXT];
    solve_attempt *attempt = &j->guard.attempts[task - j->input->tasks];
    if (attempt->restored) { /* once more, with links that were made again */
        return;
    }
    attempt->restored = true;
    naik_log_line(j->log, "restored: %s after %d iterations",
                  naik_input_task_text(j->input, task, name), state->record.iterations);
}

static void record_solve(const solve_job *j, const naik_input_task *task,
                         const naik_propagator_result *r)
{
    naik_report *event = begin_event(j, "solve", task);
    if (event == NULL) {
        return;
    }
    naik_report_text(event, "state", naik_solver_reason_text(r->cg.reason));
    naik_report_int(event, "iterations", r->cg.iterations);
    naik_report_int(event, "restarts", r->cg.restarts);
    naik_report_text(event, "rung", naik_rung_name(r->cg.rung));
    if (solve_modes_of(j, r) > 0) {
        naik_report_int(event, "modes", solve_modes_of(j, r));
    }
    naik_report_real(event, "residual", r->cg.residual);
    naik_report_real(event, "source_residual", r->source_residual);
    naik_report_real(event, "seconds", r->cg.seconds);
    naik_report_real(event, "flops", r->flops);
    naik_report_int(event, "done", j->done);
    naik_report_int(event, "total", j->total);
    naik_events_write(j->events, &event);
}

naik_status solve_report_part(const solve_job *j)
{
    char part[NAIK_PATH_MAX];
    int64_t bytes = -1;
    NAIK_PASS(naik_path_append(j->log, j->input->output.file, ".part", part));
    NAIK_PASS(naik_file_size(j->comm, part, &bytes));
    if (bytes >= 0) {
        naik_log_line(j->log,
                      "%s is unfinished, of a run with --fresh that was stopped: to continue it, "
                      "move %s away first",
                      part, j->input->output.file);
    }
    return NAIK_OK;
}

naik_status solve_report_fresh(const solve_job *j, char text[SOLVE_FRESH_TEXT])
{
    int64_t bytes = -1;
    text[0] = '\0';
    if (!j->fresh) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_file_size(j->comm, j->input->output.file, &bytes));
    snprintf(text, SOLVE_FRESH_TEXT, ", without --fresh, which begins anew%s%s%s",
             bytes >= 0 ? ", and after moving the complete " : "",
             bytes >= 0 ? j->input->output.file : "", bytes >= 0 ? " away" : "");
    return NAIK_OK;
}

void solve_report_moved(const solve_job *j)
{
    double up_bytes = 0, down_bytes = 0;
    if (j->backend->device.memory->moved != NULL) {
        j->backend->device.memory->moved(&j->backend->device, &up_bytes, &down_bytes);
        naik_log_line(j->log, "moved: %.3f GiB to the device of rank 0, %.3f GiB back",
                      solve_plan_gib((int64_t)up_bytes), solve_plan_gib((int64_t)down_bytes));
    }
}

void solve_report_solve(const solve_job *j, const naik_input_task *task,
                        const naik_propagator_result *r)
{
    const naik_input *input = j->input;
    char rest[SOLVE_LEFT_TEXT] = "", name[NAIK_INPUT_TASK_TEXT], modes[24] = "";
    if (solve_modes_of(j, r) > 0) {
        snprintf(modes, sizeof modes, " modes=%d", solve_modes_of(j, r));
    }
    naik_input_task_text(input, task, name);
    if (!naik_input_asks_colour(&input->solve[task->solve], task->colour % 3)) {
        naik_log_line(j->log, "solve %d/%d: %s: the input does not ask for this colour", j->done,
                      j->total, name);
        return;
    }
    if (naik_time_s() - j->progress.start_s > 10) {
        solve_progress_text(solve_progress_left_s(j, 0), rest);
    }
    naik_log_line(j->log,
                  "solve %d/%d: %s iterations=%d residual=%.3e "
                  "source_residual=%.3e rung=%s%s seconds=%.3f gflops=%.1f %s%s",
                  j->done, j->total, name, r->cg.iterations, r->cg.residual, r->source_residual,
                  naik_rung_name(r->cg.rung), modes, r->cg.seconds,
                  r->cg.seconds > 0 ? r->flops / r->cg.seconds * 1e-9 : 0.0,
                  naik_solver_reason_text(r->cg.reason), rest);
    record_solve(j, task, r);
    if (r->cg.climb != NAIK_SOLVER_NO_CLIMB) {
        naik_log_line(j->log, "  began with %s, went on with %s%s from iteration %d on: %s",
                      naik_rung_name(r->cg.first_rung), naik_rung_name(r->cg.rung),
                      r->cg.normal ? " and the normal equations" : "", r->cg.climbed_at,
                      naik_solver_climb_text(r->cg.climb));
    }
    if (r->cg.reason == NAIK_SOLVER_ZERO_SOURCE) {
        naik_log_warn(j->log, "the source of solve %d is zero everywhere: the solution is zero",
                      j->done);
    }
}

/* What became of starting values that other codes have stored. */
static naik_status report_foreign(const solve_job *j)
{
    char text[1024];
    for (int i = 0; j->guess.input != NULL && i < j->input->solve_count; i++) {
        if (guess_foreign_summary(&j->guess.foreign[i], &j->input->solve[i], text, sizeof text)) {
            naik_log_line(j->log, "guesses: %s", text);
            NAIK_PASS(naik_propagator_file_note(j->file, "guesses", text));
        }
    }
    return NAIK_OK;
}

naik_status solve_report_guesses(const solve_job *j)
{
    char text[256];
    int solves = 0;
    double mine = 0, before = 0, without = 0;
    for (int i = 0; i < j->input->task_count; i++) {
        const naik_input_task *t = &j->input->tasks[i];
        const naik_input_solve *s = &j->input->solve[t->solve];
        const naik_solve_record *own = solve_record(j, t);
        const naik_solve_record *guess = solve_guess_record(&j->guess, i);
        if (guess == NULL || own->state == NAIK_SOLVE_PENDING) {
            continue;
        }
        const model_pilot pilot = {/* of the same mass, whichever that is */
                                   .mass = 1,
                                   .tolerance = guess->target,
                                   .mean = guess->iterations};
        solves++;
        mine += own->iterations;
        before += guess->iterations;
        without += model_iterations_from(&pilot, 1, false, 1, s->tolerance).expected;
    }
    NAIK_PASS(report_foreign(j));
    if (solves == 0) {
        return NAIK_OK;
    }
    snprintf(text, sizeof text,
             "%d solves took %.0f iterations from starting values that had taken %.0f; without "
             "starting values they would have taken about %.0f",
             solves, mine, before, without);
    naik_log_line(j->log, "guesses: %s, by the rule ln(2/tolerance)", text);
    return naik_propagator_file_note(j->file, "guesses", text);
}

naik_status solve_report_prediction(const solve_job *j)
{
    const int *grid = j->lattice->grid;
    char device[256], seconds[64] = "";
    prediction p;
    struct stat info;
    j->backend->ops->describe(j->backend, device, sizeof device);
    const prediction_place place = {.device = device,
                                    .ranks = j->lattice->comm->size,
                                    .nodes = j->lattice->comm->nodes,
                                    .grid = {grid[0], grid[1], grid[2], grid[3]}};
    const naik_status status = prediction_make(j->comm, j->input, &place, &p);
    if (status == NAIK_ERR_MEMORY) { /* the run itself has gone well */
        naik_log_clear(j->log);
        return NAIK_OK;
    }
    NAIK_PASS(status);
    for (int i = 0; i < j->input->task_count; i++) {
        prediction_measure(&p, j->input, i, solve_record(j, &j->input->tasks[i]));
    }
    for (int i = 0; i < p.mass_count; i++) {
        const prediction_mass *m = &p.masses[i];
        if (m->solve_s > 0) {
            snprintf(seconds, sizeof seconds, " and %.3g s a solve (predicted: %.3g s)",
                     m->measured_s, m->solve_s);
        }
        naik_log_line(
            j->log,
            "measured: mass=%g tolerance=%g took %.0f iterations a solve (predicted: %.0f, from "
            "%.0f to %.0f)%s",
            m->mass, m->tolerance, m->measured_iterations, m->iterations.expected,
            m->iterations.least, m->iterations.most, seconds);
    }
    if (p.made && p.output_bytes > 0 && j->comm->rank == 0 &&
        stat(j->input->output.file, &info) == 0) {
        naik_log_line(j->log, "measured: the output has %lld bytes (predicted: %lld)%s%s",
                      (long long)info.st_size, (long long)p.output_bytes,
                      p.machine != NULL ? "; the predicted times are those of " : "",
                      p.machine != NULL ? p.machine : "");
    }
    if (p.gap != NULL) {
        naik_log_line(j->log, "%s", p.gap);
    }
    return NAIK_OK;
}

void solve_report_start(const solve_job *j)
{
    char device[256];
    naik_report *event = naik_events_begin(j->events, "start");
    if (event == NULL) {
        return;
    }
    j->backend->ops->describe(j->backend, device, sizeof device);
    naik_report_text(event, "version", naik_version());
    naik_report_text(event, "git", naik_version_git());
    naik_report_text(event, "host", j->comm->host);
    naik_report_int(event, "ranks", j->comm->size);
    naik_report_text(event, "device", device);
    naik_report_text(event, "slurm_job", getenv("SLURM_JOB_ID"));
    naik_report_text(event, "gauge", j->input->gauge.file);
    naik_report_text(event, "output", j->input->output.file);
    naik_report_int(event, "done", j->done);
    naik_report_int(event, "total", j->total);
    naik_events_write(j->events, &event);
}

void solve_report_links(const solve_job *j, const naik_quark *quark, double seconds)
{
    naik_report *event = naik_events_begin(j->events, "links");
    if (event == NULL) {
        return;
    }
    naik_report_text(event, "action", j->input->kind->name);
    naik_report_real(event, "naik_epsilon", quark->naik_epsilon);
    if (!naik_quark_shifts(quark->kind)) {
        naik_quark_report(event, quark);
    }
    naik_report_real(event, "seconds", seconds);
    naik_events_write(j->events, &event);
}

/* What all groups did, and how long the slowest setup was. */
static naik_status add_groups(const solve_job *j, quark_multigrid_work *work, double *setup_s)
{
    const bool tells = j->lattice->comm->rank == 0; /* for its group */
    int64_t sum[3] = {tells ? work->outer : 0, tells ? work->coarse : 0, tells ? work->beyond : 0};
    double applications = work->applications;
    if (j->groups == NULL) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_comm_sum_i64(j->comm, sum, 3));
    NAIK_PASS(naik_comm_max_f64(j->comm, &applications, 1));
    NAIK_PASS(naik_comm_max_f64(j->comm, setup_s, 1));
    *work = (quark_multigrid_work){
        .outer = sum[0], .coarse = sum[1], .beyond = sum[2], .applications = (int)applications};
    return NAIK_OK;
}

naik_status solve_report_multigrid(const solve_job *j, const naik_quark *quark, double setup_s)
{
    char text[160];
    quark_multigrid_work work = quark_multigrid_take(&j->multigrid);
    NAIK_PASS(add_groups(j, &work, &setup_s));
    if (work.outer == 0 && setup_s == 0) {
        return NAIK_OK;
    }
    if (work.outer > 0) {
        naik_log_line(j->log,
                      "multigrid: all batches of this mass took %lld outer iterations together; an "
                      "outer iteration took %.1f coarse steps and %d applications of Mh",
                      (long long)work.outer, (double)work.coarse / (double)work.outer,
                      work.applications);
    }
    if (work.beyond > 0) {
        naik_log_warn(j->log,
                      "multigrid: %lld coarse solves were given up, because the coarse "
                      "operator makes vectors more than %d times as long: use smaller "
                      "multigrid.aggregate or another multigrid.seed",
                      (long long)work.beyond, NAIK_MG_LARGEST_S);
    }
    /* report_cmd.c and info read it again */
    snprintf(text, sizeof text, "mass=%.17g setup_s=%.3f outer=%lld coarse=%lld kappa=%.15g",
             quark->mass, setup_s, (long long)work.outer, (long long)work.coarse,
             naik_quark_kappa(quark));
    return naik_propagator_file_note(j->file, "multigrid", text);
}

enum { FILED_TEXT = NAIK_PATH_MAX + 64 };

static void describe_modes(const solve_job *j, double epsilon, char *text, size_t text_size,
                           char filed[FILED_TEXT])
{
    const naik_modes *modes = j->modes;
    const size_t bytes = (size_t)modes->count * sizeof *modes->lambda2;
    const uint32_t sums[] = {naik_crc32(modes->lambda2, bytes), naik_crc32(modes->residual, bytes)};
    char path[NAIK_PATH_MAX];
    naik_input_modes_path(j->input, epsilon, path);
    snprintf(text, text_size, "%d epsilon=%.17g lambda=%.6g,%.6g file=%s", modes->count, epsilon,
             naik_modes_lambda(modes->lambda2[0]),
             naik_modes_lambda(modes->lambda2[modes->count - 1]), path);
    snprintf(filed, FILED_TEXT, "%d of %s (checksum %08x)", modes->count, path,
             naik_crc32(sums, sizeof sums));
}

/* Other modes leave other bits in the solves that go on with them, and true residuals as small. */
static naik_status compare_modes(const solve_job *j, double epsilon, char now[FILED_TEXT])
{
    char name[40], then[FILED_TEXT];
    NAIK_PASS(naik_comm_broadcast(j->comm, now, FILED_TEXT, 0));
    snprintf(name, sizeof name, "low_modes_%.12g", epsilon);
    NAIK_PASS(naik_propagator_file_noted(j->file, name, then, sizeof then));
    if (now[0] == '\0' || strcmp(now, then) == 0) {
        return NAIK_OK;
    }
    const char *sum = strrchr(then, '(');
    if (sum != NULL && strcmp(strrchr(now, '('), sum) != 0) {
        naik_log_warn(
            j->log,
            "%s was begun with other low modes: %s then, %s now. Solves that begin or go "
            "on now are as accurate, but their bits are not those of a run with the first "
            "modes",
            j->input->output.file, then, now);
    }
    return naik_propagator_file_note(j->file, name, now);
}

naik_status solve_report_modes(const solve_job *j, double epsilon)
{
    char text[NAIK_PATH_MAX + 128] = "", filed[FILED_TEXT] = "";
    if (j->modes != NULL) { /* of the first group, which has some */
        describe_modes(j, epsilon, text, sizeof text, filed);
    }
    NAIK_PASS(naik_propagator_file_note(j->file, "modes", text));
    return compare_modes(j, epsilon, filed);
}

void solve_report_end(const solve_job *j, naik_status status)
{
    naik_report *event =
        naik_events_begin(j->events, status == NAIK_ERR_INTERRUPTED ? "interruption" : "end");
    if (event == NULL) {
        return;
    }
    naik_report_int(event, "exit_status", naik_status_exit(status));
    naik_report_text(event, "text", status != NAIK_OK ? naik_log_message(j->log) : "");
    naik_report_real(event, "seconds", naik_timer_total_s(j->timer));
    naik_report_int(event, "done", j->done);
    naik_report_int(event, "total", j->total);
    naik_events_write(j->events, &event);
}

static void print_numbers(const solve_job *j, const naik_input_task *task, const double *value)
{
    const naik_input *input = j->input;
    const naik_input_solve *solve = &input->solve[task->solve];
    const int parts = naik_propagator_file_parts(j->file, task->source);
    char quark[NAIK_QUARK_NAME];
    naik_quark_fields(&input->quarks[task->quark], "", 6, quark);
    for (int c = 0; c < solve->correlators.count; c++) {
        for (int p = 0; p < solve->momenta.count; p++) {
            const int *momentum = solve->momenta.data[p];
            naik_log_line(j->log, "correlator %s source=%s %s momentum=%d,%d,%d",
                          naik_input_correlator_name(solve->correlators.data[c]),
                          input->sources[task->source].label, quark, momentum[0], momentum[1],
                          momentum[2]);
            for (int t = 0; t < input->lattice.size[3]; t++) {
                if (parts == 2 && naik_input_is_moving(momentum)) {
                    naik_log_line(j->log, "  %3d %.9e %.9e", t, value[0], value[1]);
                } else {
                    naik_log_line(j->log, "  %3d %.9e", t, value[0]);
                }
                value += parts;
            }
        }
    }
}

/* How many there are, and two numbers of the first: at the source and half the lattice behind it. */
static void print_summary(const solve_job *j, const naik_input_task *task, const double *value)
{
    const naik_input *input = j->input;
    const naik_input_source *source = &input->sources[task->source];
    const naik_input_solve *solve = &input->solve[task->solve];
    const int *p = solve->momenta.data[0];
    const int extent = input->lattice.size[3], near = source->source.origin[3];
    const int far = (near + extent / 2) % extent,
              parts = naik_propagator_file_parts(j->file, task->source);
    char quark[NAIK_QUARK_NAME];
    naik_log_line(j->log,
                  "correlators: source=%s %s: %d stored; %s at momentum=%d,%d,%d is %.6e at t=%d, "
                  "%.6e at t=%d",
                  source->label, naik_quark_fields(&input->quarks[task->quark], "", 6, quark),
                  solve->correlators.count * solve->momenta.count,
                  naik_input_correlator_name(solve->correlators.data[0]), p[0], p[1], p[2],
                  value[parts * near], near, value[parts * far], far);
}

naik_status solve_report_correlators(const solve_job *j, const naik_input_task *task)
{
    double *const sum = j->correlators; /* of the last solve, which is in the file */
    if (!naik_propagator_file_has_all(j->file, task->source, task->mass)) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_propagator_file_read_correlators(j->file, task->source, task->mass, sum));
    if (j->input->output.print_correlators) {
        print_numbers(j, task, sum);
    } else {
        print_summary(j, task, sum);
    }
    return NAIK_OK;
}
