/* solve.c - `naik solve`: from an input file to propagators and correlators on disk
 *
 *   input -> lattice, backend -> configuration -> for each Naik epsilon: links -> all its solves
 *
 * Every finished solve is committed to the file before the next is looked at, so that a run can be
 * killed at any instant and continued.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "naik/commands.h"
#include "naik/interrupt.h"
#include "naik/link_source.h"
#include "naik/memory.h"
#include "naik/options.h"
#include "naik/placement.h"
#include "naik/propagator.h"
#include "naik/propagator_file.h"
#include "naik/timer.h"
#include "naik/vector_io.h"
#include "naik/version.h"

#include "solve_plan.h"
#include "solve_spec.h"

typedef struct job {
    naik_comm *comm;
    naik_log *log;
    naik_timer *timer;
    naik_input *input;
    naik_lattice *lattice;
    naik_backend *backend;
    naik_geometry *geometry;
    naik_link_source links;
    naik_propagator_file *file;
    naik_interrupt *interrupt;
    solve_plan plan;
    int *pending; /* tasks of the epsilon at work */
    int64_t pending_count;
    int done, total, not_converged;
    double start_s, correlators_s;
    double *correlators; /* [correlators][momenta][T] of one solve */
} job;

typedef struct switches {
    const char *path;
    naik_option_list overrides;
    bool dry_run, fresh, skip_complete;
} switches;

static const naik_input_task *task_of(const job *j, int64_t index)
{
    return &j->input->tasks[j->pending[index]];
}

/* ---- what the solver asks for and gives back */

static naik_status read_file_source(const job *j, const naik_input_task *task, double *src)
{
    naik_status status = NAIK_OK;
    naik_vector_file *file = NULL;
    NAIK_TRY(naik_vector_file_open(j->comm, j->input->solve[task->solve].source_file, &file));
    NAIK_TRY(naik_vector_file_read(file, j->lattice,
                                   file->has_sources ? NAIK_VECTOR_SOURCE : NAIK_VECTOR_SOLUTION,
                                   task->colour, src));
done:
    naik_vector_file_close(&file);
    return status;
}

static naik_status give_source(void *data, int64_t index, double *src, double *mass,
                               double *tolerance, double *site_tolerance)
{
    const job *j = data;
    const naik_input_task *task = task_of(j, index);
    const naik_input_solve *solve = &j->input->solve[task->solve];
    const naik_source *source = &j->input->sources[task->source].source;
    *mass = solve->masses.data[task->mass];
    *tolerance = solve->tolerance;
    *site_tolerance = j->input->solver.site_relative_tolerance;
    if (source->type == NAIK_SOURCE_FILE) {
        return read_file_source(j, task, src);
    }
    return naik_source_fill(j->lattice, source, task->colour, src);
}

static naik_status make_correlators(job *j, const double *x)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    double *out = j->correlators;
    naik_timer_start(j->timer, "correlators");
    for (int c = 0; c < input->output.correlators.count; c++) {
        for (int p = 0; p < input->output.momenta.count; p++) {
            NAIK_TRY(naik_meson_correlator(j->lattice,
                                           (naik_meson)input->output.correlators.data[c],
                                           input->output.momenta.data[p], x, out));
            out += input->lattice.size[3];
        }
    }
done:
    naik_timer_stop(j->timer, "correlators");
    return status;
}

/* One line a solve, and how long the rest will take once that is worth saying. */
static void tell_solve(const job *j, const naik_input_task *task, const naik_propagator_result *r)
{
    const naik_input *input = j->input;
    const double elapsed_s = naik_time_s() - j->start_s;
    const double rest_s = elapsed_s / j->done * (j->total - j->done);
    char rest[48] = "";
    if (elapsed_s > 10 && rest_s > 1) {
        snprintf(rest, sizeof rest, ", %.0f s to go", rest_s);
    }
    naik_log_line(j->log,
                  "solve %d/%d: source=%s mass=%g colour=%d iterations=%d residual=%.3e "
                  "source_residual=%.3e seconds=%.3f gflops=%.1f %s%s",
                  j->done, j->total, input->sources[task->source].label,
                  input->solve[task->solve].masses.data[task->mass], task->colour, r->cg.iterations,
                  r->cg.residual, r->source_residual, r->cg.seconds,
                  r->cg.seconds > 0 ? r->flops / r->cg.seconds * 1e-9 : 0.0,
                  naik_cg_reason_text(r->cg.reason), rest);
    if (r->cg.reason == NAIK_CG_ZERO_SOURCE) {
        naik_log_warn(j->log, "the source of solve %d is zero everywhere: the solution is zero",
                      j->done);
    }
}

/* The correlators of (source, mass), once all three colours are in. */
static naik_status tell_correlators(job *j, const naik_input_task *task)
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    const int extent = input->lattice.size[3];
    double *sum = NULL;
    for (int colour = 0; colour < 3; colour++) {
        int solve = naik_propagator_file_solve(j->file, task->source, task->mass, colour);
        if (naik_propagator_file_record(j->file, solve)->state == NAIK_SOLVE_PENDING) {
            return NAIK_OK;
        }
    }
    NAIK_TRY(naik_alloc(j->log,
                        (size_t)input->output.correlators.count *
                            (size_t)input->output.momenta.count * (size_t)extent * sizeof *sum,
                        "correlators", (void **)&sum));
    if (sum == NULL) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_propagator_file_read_correlators(j->file, task->source, task->mass, sum));
    const double *value = sum;
    for (int c = 0; c < input->output.correlators.count; c++) {
        for (int p = 0; p < input->output.momenta.count; p++) {
            const int *momentum = input->output.momenta.data[p];
            naik_log_line(j->log, "correlator %s source=%s mass=%g momentum=%d,%d,%d",
                          naik_meson_name((naik_meson)input->output.correlators.data[c]),
                          input->sources[task->source].label,
                          input->solve[task->solve].masses.data[task->mass], momentum[0],
                          momentum[1], momentum[2]);
            for (int t = 0; t < extent; t++) {
                naik_log_line(j->log, "  %3d %.9e", t, *value++);
            }
        }
    }
done:
    naik_free(sum);
    return status;
}

static naik_status take_solution(void *data, int64_t index, const double *x,
                                 const naik_propagator_result *result)
{
    naik_status status = NAIK_OK;
    job *j = data;
    const naik_input_task *task = task_of(j, index);
    const bool with_correlators =
        j->input->output.correlators.count > 0 && j->input->output.momenta.count > 0;
    const bool good =
        result->cg.reason == NAIK_CG_CONVERGED || result->cg.reason == NAIK_CG_ZERO_SOURCE;
    naik_solve_record record = {.state = good ? NAIK_SOLVE_DONE : NAIK_SOLVE_NOT_CONVERGED,
                                .iterations = result->cg.iterations,
                                .restarts = result->cg.restarts,
                                .target = j->input->solve[task->solve].tolerance,
                                .true_residual = result->cg.residual,
                                .source_residual = result->source_residual,
                                .norm = result->norm,
                                .seconds = result->cg.seconds,
                                .flops = result->flops};
    snprintf(record.stop_reason, sizeof record.stop_reason, "%s",
             naik_cg_reason_text(result->cg.reason));
    naik_timer_count(j->timer, result->flops, 0);
    if (with_correlators) {
        NAIK_TRY(make_correlators(j, x));
    }
    naik_timer_start(j->timer, "write");
    int solve = naik_propagator_file_solve(j->file, task->source, task->mass, task->colour);
    NAIK_TRY(naik_propagator_file_commit(j->file, solve, j->input->output.propagators ? x : NULL,
                                         with_correlators ? j->correlators : NULL, &record,
                                         result->cg.history, result->cg.history_length));
    naik_timer_stop(j->timer, "write");
    j->done++;
    tell_solve(j, task, result);
    NAIK_TRY(with_correlators ? tell_correlators(j, task) : NAIK_OK);
done:
    return status;
}

static bool asked_to_stop(void *data)
{
    return naik_interrupt_asked(((job *)data)->interrupt);
}

/* ---- the run */

static double epsilon_of(const job *j, int task)
{
    const naik_input_task *t = &j->input->tasks[task];
    return j->input->solve[t->solve].naik_epsilon.data[t->mass];
}

static bool is_pending(const job *j, int task)
{
    const naik_input_task *t = &j->input->tasks[task];
    int solve = naik_propagator_file_solve(j->file, t->source, t->mass, t->colour);
    return naik_propagator_file_record(j->file, solve)->state == NAIK_SOLVE_PENDING;
}

/* All pending solves of one Naik epsilon. */
static naik_status solve_epsilon(job *j, double epsilon, bool *interrupted)
{
    naik_status status = NAIK_OK;
    naik_fatlong *canonical = NULL;
    naik_links *outer = NULL, *inner = NULL;
    naik_cg *cg = NULL;
    const naik_cg_options defaults = naik_cg_defaults();
    naik_cg_options options = defaults;
    options.max_iterations = j->input->solver.max_iterations;
    options.history_stride = j->plan.history_stride;
    const bool mixed = j->plan.links != NAIK_DOUBLE;
    NAIK_TRY(naik_link_source_links(&j->links, epsilon, &canonical));
    naik_timer_start(j->timer, "pack links");
    NAIK_TRY(naik_links_create(j->geometry, canonical, NAIK_DOUBLE, 18, &outer));
    if (mixed) {
        NAIK_TRY(naik_links_create(j->geometry, canonical, j->plan.links, j->plan.recon, &inner));
    }
    naik_timer_stop(j->timer, "pack links");
    naik_fatlong_destroy(&canonical);
    int batch = j->pending_count < j->plan.batch ? (int)j->pending_count : j->plan.batch;
    NAIK_TRY(naik_cg_create(outer, mixed ? inner : outer, j->plan.vectors, batch, &cg));
    const naik_propagator_stream stream = {.data = j,
                                           .count = j->pending_count,
                                           .source = give_source,
                                           .solution = take_solution,
                                           .stop = asked_to_stop};
    naik_timer_start(j->timer, "solve");
    NAIK_TRY(naik_propagator_solve(outer, cg, &options, &stream, interrupted));
    naik_timer_stop(j->timer, "solve");
done:
    naik_cg_destroy(&cg);
    naik_links_destroy(&inner);
    naik_links_destroy(&outer);
    naik_fatlong_destroy(&canonical);
    return status;
}

/* Every pending solve, epsilon after epsilon in the order of the input. */
static naik_status solve_all(job *j, bool *interrupted)
{
    naik_status status = NAIK_OK;
    const int tasks = j->input->task_count;
    for (int first = 0; first < tasks && !*interrupted; first++) {
        if (!is_pending(j, first)) {
            continue;
        }
        j->pending_count = 0;
        for (int i = first; i < tasks; i++) {
            if (epsilon_of(j, i) == epsilon_of(j, first) && is_pending(j, i)) {
                j->pending[j->pending_count++] = i;
            }
        }
        NAIK_TRY(solve_epsilon(j, epsilon_of(j, first), interrupted));
    }
done:
    return status;
}

static void banner(const job *j)
{
    char device[256];
    j->backend->ops->describe(j->backend, device, sizeof device);
    naik_log_line(j->log, "naik %s (%s), %d rank%s on %s: %s", naik_version(), naik_version_git(),
                  j->comm->size, j->comm->size == 1 ? "" : "s", j->comm->host, device);
}

static naik_status prepare(job *j)
{
    naik_status status = NAIK_OK;
    static const char *const backends[] = {[NAIK_INPUT_BACKEND_AUTO] = "auto",
                                           [NAIK_INPUT_BACKEND_CPU] = "cpu",
                                           [NAIK_INPUT_BACKEND_GPU] = "gpu"};
    const naik_input *input = j->input;
    const naik_backend_options options = {.threads = input->run.threads,
                                          .share_gpu = input->run.share_gpu};
    const bool chosen = input->run.grid[0] > 0;
    const size_t values = (size_t)input->output.correlators.count *
                          (size_t)input->output.momenta.count * (size_t)input->lattice.size[3];
    NAIK_TRY(naik_backend_create(j->comm, backends[input->run.backend], &options, &j->backend));
    banner(j);
    NAIK_TRY(input->run.placement ? naik_placement_print(j->backend) : NAIK_OK);
    NAIK_TRY(naik_lattice_create(j->comm, input->lattice.size, chosen ? input->run.grid : NULL,
                                 &j->lattice));
    NAIK_TRY(naik_geometry_create(j->backend, j->lattice, &j->geometry));
    status = naik_alloc(j->log, (size_t)input->task_count * sizeof *j->pending, "a list of solves",
                        (void **)&j->pending);
    NAIK_TRY(naik_comm_agree(j->comm, status));
    status = naik_alloc(j->log, values * sizeof *j->correlators, "correlators",
                        (void **)&j->correlators);
    NAIK_TRY(naik_comm_agree(j->comm, status));
    status = solve_plan_make(input, j->geometry, input->task_count, &j->plan);
    NAIK_TRY(naik_comm_agree(j->comm, status));
    solve_plan_print(&j->plan, j->geometry);
done:
    return status;
}

static naik_status tell_output(job *j, const naik_propagator_spec *spec)
{
    naik_log_line(j->log, "output: %s, %d solves, %.3f GiB", j->input->output.file,
                  naik_propagator_spec_solves(spec),
                  (double)naik_propagator_spec_bytes(spec, j->input->lattice.size) / (1 << 30));
    return NAIK_OK;
}

/* Checks the files that the input names, as far as that is possible without the work. */
static naik_status dry_run(job *j)
{
    naik_status status = NAIK_OK;
    solve_spec *spec = NULL;
    naik_gauge_file probe;
    const naik_input *input = j->input;
    memset(&probe, 0, sizeof probe);
    if (input->gauge.file != NULL) {
        NAIK_TRY(naik_gauge_file_probe(j->comm, input->gauge.file, &probe));
        naik_log_line(j->log, "configuration: %s, %s, %d bit, %dx%dx%dx%d", input->gauge.file,
                      probe.format, probe.precision, probe.size[0], probe.size[1], probe.size[2],
                      probe.size[3]);
        if (memcmp(probe.size, input->lattice.size, sizeof probe.size) != 0) {
            status = NAIK_FAIL(j->log, NAIK_ERR_INPUT,
                               "%s holds a lattice of %dx%dx%dx%d but lattice.size is %dx%dx%dx%d",
                               input->gauge.file, probe.size[0], probe.size[1], probe.size[2],
                               probe.size[3], input->lattice.size[0], input->lattice.size[1],
                               input->lattice.size[2], input->lattice.size[3]);
            goto done;
        }
    }
    NAIK_TRY(solve_spec_create(input, &j->plan, j->backend, j->lattice, NULL, &spec));
    tell_output(j, solve_spec_file(spec));
    naik_log_line(j->log, "dry run: the input is valid; nothing was solved");
done:
    solve_spec_destroy(&spec);
    naik_gauge_file_clear(&probe);
    return status;
}

static naik_status open_file(job *j, bool fresh)
{
    naik_status status = NAIK_OK;
    solve_spec *spec = NULL;
    status = solve_spec_create(j->input, &j->plan, j->backend, j->lattice, &j->links, &spec);
    NAIK_TRY(naik_comm_agree(j->comm, status));
    tell_output(j, solve_spec_file(spec));
    naik_timer_start(j->timer, "open output");
    NAIK_TRY(naik_propagator_file_open(j->lattice, j->input->output.file, solve_spec_file(spec),
                                       fresh, &j->file));
    naik_timer_stop(j->timer, "open output");
    NAIK_TRY(solve_plan_adopt(&j->plan, j->log, naik_propagator_file_choices(j->file)));
    j->total = naik_propagator_file_solves(j->file);
    j->done = naik_propagator_file_resumed(j->file);
    if (naik_propagator_file_complete(j->file)) {
        naik_log_line(j->log, "%s is complete already: nothing to solve", j->input->output.file);
    } else if (j->done > 0) {
        naik_log_line(j->log, "resuming: %d of %d solves are done", j->done, j->total);
    }
done:
    solve_spec_destroy(&spec);
    return status;
}

/* The verdict over everything in the file, solves of earlier runs included. */
static naik_status conclude(job *j, bool interrupted)
{
    naik_status status = NAIK_OK;
    int failed = 0;
    for (int i = 0; i < j->total; i++) {
        failed += naik_propagator_file_record(j->file, i)->state == NAIK_SOLVE_NOT_CONVERGED;
    }
    if (interrupted) {
        return NAIK_FAIL(
            j->log, NAIK_ERR_INTERRUPTED,
            "stopped by %s with %d of %d solves done: run the same command again to go on",
            naik_interrupt_reason(j->interrupt), j->done, j->total);
    }
    if (!naik_propagator_file_complete(j->file)) {
        naik_timer_start(j->timer, "verify output");
        NAIK_TRY(naik_propagator_file_finish(j->file));
        naik_timer_stop(j->timer, "verify output");
        naik_log_line(j->log, "wrote %s, complete and verified", j->input->output.file);
    }
    if (failed > 0) {
        status =
            NAIK_FAIL(j->log, NAIK_ERR_NOT_CONVERGED,
                      "%d of %d solves did not reach their tolerance: see the residuals above or "
                      "`naik info %s`",
                      failed, j->total, j->input->output.file);
    }
done:
    return status;
}

static naik_status run(job *j, const switches *sw)
{
    naik_status status = NAIK_OK;
    bool interrupted = false;
    NAIK_TRY(naik_interrupt_create(j->comm, j->input->run.wall_limit_s, &j->interrupt));
    NAIK_TRY(naik_link_source_open(j->lattice, j->input, j->timer, &j->links));
    NAIK_TRY(open_file(j, sw->fresh));
    j->start_s = naik_time_s();
    if (!naik_propagator_file_complete(j->file)) {
        NAIK_TRY(solve_all(j, &interrupted));
    }
    status = conclude(j, interrupted);
    naik_timer_print(j->timer);
done:
    return status;
}

static void clear(job *j)
{
    naik_propagator_file_close(&j->file);
    naik_link_source_close(&j->links);
    naik_interrupt_destroy(&j->interrupt);
    naik_free(j->pending);
    naik_free(j->correlators);
    naik_geometry_destroy(&j->geometry);
    naik_lattice_destroy(&j->lattice);
    naik_backend_destroy(&j->backend);
    naik_timer_destroy(&j->timer);
    naik_input_destroy(&j->input);
}

/* A file under its final name is complete: rank 0 looks whether it is there. */
static naik_status find_complete(naik_comm *comm, const char *path, bool *there)
{
    int found = comm->rank == 0 && access(path, F_OK) == 0;
    naik_status status = naik_comm_broadcast(comm, &found, sizeof found, 0);
    *there = found != 0;
    return status;
}

naik_status naik_command_solve(naik_comm *comm, int argc, char **argv)
{
    naik_status status = NAIK_OK;
    switches sw = {.path = NULL};
    const naik_option options[] = {
        {.name = "set", .kind = NAIK_OPTION_LIST, .target = &sw.overrides},
        {.name = "dry-run", .kind = NAIK_OPTION_FLAG, .target = &sw.dry_run},
        {.name = "fresh", .kind = NAIK_OPTION_FLAG, .target = &sw.fresh},
        {.name = "skip-complete", .kind = NAIK_OPTION_FLAG, .target = &sw.skip_complete}};
    static const char *const operands[] = {"INPUT.yaml"};
    job j = {.comm = comm, .log = comm->log};
    bool complete = false;
    NAIK_TRY(naik_options_parse(comm->log, "solve", argc, argv, options, 4, operands, 1, &sw.path));
    NAIK_TRY(naik_timer_create(comm->log, &j.timer));
    NAIK_TRY(naik_input_load(comm, sw.path, sw.overrides.text, sw.overrides.count, &j.input));
    NAIK_TRY(find_complete(comm, j.input->output.file, &complete));
    if (sw.skip_complete && complete && !sw.dry_run) {
        naik_log_line(comm->log, "%s is complete: skipped", j.input->output.file);
        goto done;
    }
    NAIK_TRY(prepare(&j));
    NAIK_TRY(sw.dry_run ? dry_run(&j) : run(&j, &sw));
done:
    clear(&j);
    return status;
}
