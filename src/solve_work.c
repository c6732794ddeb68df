/* solve_work.c - the pending solves of a run: sources in, committed solutions out
 *
 * One stream of solves for each Naik epsilon, on its own links.
 */
#include <stdio.h>

#include "naik/meson.h"
#include "naik/vector_io.h"

#include "solve_job.h"

static naik_status read_file_source(const solve_job *j, const naik_input_task *task, double *src)
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
    const solve_job *j = data;
    const naik_input_task *task = solve_task(j, index);
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

static naik_status make_correlators(solve_job *j, const double *x)
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

static naik_status take_solution(void *data, int64_t index, const double *x,
                                 const naik_propagator_result *result)
{
    naik_status status = NAIK_OK;
    solve_job *j = data;
    const naik_input_task *task = solve_task(j, index);
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
    solve_tell_solve(j, task, result);
    NAIK_TRY(with_correlators ? solve_tell_correlators(j, task) : NAIK_OK);
done:
    return status;
}

static bool asked_to_stop(void *data)
{
    return naik_interrupt_asked(((solve_job *)data)->interrupt);
}

static double epsilon_of(const solve_job *j, int task)
{
    const naik_input_task *t = &j->input->tasks[task];
    return j->input->solve[t->solve].naik_epsilon.data[t->mass];
}

static bool is_pending(const solve_job *j, int task)
{
    const naik_input_task *t = &j->input->tasks[task];
    int solve = naik_propagator_file_solve(j->file, t->source, t->mass, t->colour);
    return naik_propagator_file_record(j->file, solve)->state == NAIK_SOLVE_PENDING;
}

/* All pending solves of one Naik epsilon. */
static naik_status solve_epsilon(solve_job *j, double epsilon, bool *interrupted)
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
                                           .stop = asked_to_stop,
                                           .save = solve_keep,
                                           .restore = solve_take_up};
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

naik_status solve_work(solve_job *j, bool *interrupted)
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
    NAIK_TRY(*interrupted ? naik_batch_state_publish(j->state) : NAIK_OK);
done:
    return status;
}
