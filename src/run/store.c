/* store.c - record, correlators and solution of a finished solve, into the file and the log */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "contract/contraction_list.h"
#include "contract/frame.h"
#include "naik/meson.h"
#include "propagator/meson_field.h"
#include "run/method.h"
#include "solver/bicgstab.h"
#include "stored/told_multigrid.h"

/* Of a solution, all in one pass. */
static naik_status make_correlators(solve_job *j, const naik_input_task *task,
                                    const naik_field *const part[2])
{
    naik_status status = NAIK_OK;
    const naik_input *input = j->input;
    const naik_input_solve *solve = &input->solve[task->solve];
    const int mesons = solve->correlators.count, momenta = solve->momenta.count;
    const size_t count = (size_t)(mesons * momenta) * (size_t)input->lattice.size[3];
    const bool real = naik_propagator_file_parts(j->file, task->source) == 1;
    naik_meson *meson = NULL;
    naik_frame *frame = NULL;
    naik_timer_start(j->timer, "correlators");
    status = naik_alloc(j->log, (size_t)mesons * sizeof *meson, "mesons", (void **)&meson);
    if (status == NAIK_OK) {
        status = naik_alloc(j->log, (size_t)momenta * sizeof *frame, "momenta", (void **)&frame);
    }
    NAIK_TRY(naik_comm_agree(j->lattice->comm, status));
    for (int c = 0; c < mesons; c++) {
        meson[c] = input->kind->spin > 1 ? NAIK_PION5 : (naik_meson)solve->correlators.data[c];
    }
    for (int p = 0; p < momenta; p++) {
        frame[p] = correlator_frame(input, 1, &task->source, solve->momenta.data[p]);
    }
    NAIK_TRY(naik_meson_correlators_of(part, meson, mesons, frame, momenta, j->correlators));
    for (size_t i = 0; i < count && real; i++) {
        j->correlators[i] = j->correlators[2 * i];
    }
done:
    naik_free(meson);
    naik_free(frame);
    naik_timer_stop(j->timer, "correlators");
    return status;
}

static naik_solve_record record_of(const solve_job *j, const naik_input_task *task,
                                   const naik_propagator_result *result)
{
    const naik_input_solve *solve = &j->input->solve[task->solve];
    const bool good = naik_propagator_converged(result, j->input->solver.tolerance_full);
    naik_solve_record record = {.state = good ? NAIK_SOLVE_DONE : NAIK_SOLVE_NOT_CONVERGED,
                                .iterations = result->cg.iterations,
                                .restarts = result->cg.restarts,
                                .rung = (int)result->cg.rung,
                                .modes = solve_modes_of(j, result),
                                .target = solve->tolerance,
                                .true_residual = result->cg.residual,
                                .source_residual = result->source_residual,
                                .norm = result->norm,
                                .seconds = result->cg.seconds,
                                .flops = result->flops,
                                .at_limit = result->cg.reason == NAIK_SOLVER_ITERATION_LIMIT};
    const bool asked = naik_input_asks_colour(solve, task->colour % 3);
    const bool converged = result->cg.reason == NAIK_SOLVER_CONVERGED;
    snprintf(record.stop_reason, sizeof record.stop_reason, "%s",
             !asked               ? "colour not asked for"
             : converged && !good ? solve_method_above
             : converged && j->by_multigrid && result->cg.climb == NAIK_SOLVER_NO_CLIMB
                 ? told_multigrid_converged
             : converged && j->by_multigrid ? told_multigrid_left
             : converged && result->cg.normal && j->input->solver.method != NAIK_METHOD_CG
                 ? "converged by cg"
                 : naik_solver_reason_text(result->cg.reason));
    return record;
}

naik_status solve_finished_make(solve_job *j, int task, const double *x,
                                const naik_propagator_result *result, solve_finished *out)
{
    naik_status status = NAIK_OK;
    const naik_input_task *of = &j->input->tasks[task];
    const bool with_correlators = j->input->solve[of->solve].correlators.count > 0;
    if (with_correlators) {
        NAIK_TRY(make_correlators(j, of, result->part));
    }
    *out = (solve_finished){.task = task,
                            .record = record_of(j, of, result),
                            .result = result,
                            .correlators = with_correlators ? j->correlators : NULL,
                            .x = contraction_keeps(j->input) ? x : NULL};
done:
    return status;
}

naik_status solve_store(solve_job *j, const solve_finished *finished)
{
    naik_status status = NAIK_OK;
    const naik_input_task *task = &j->input->tasks[finished->task];
    const naik_propagator_result *result = finished->result;
    const int solve = naik_propagator_file_solve(j->file, task->source, task->mass, task->colour);
    naik_timer_start(j->timer, "write");
    if (finished->x != NULL) {
        naik_timer_count(j->timer, 0,
                         j->input->kind->reals * (double)j->lattice->volume *
                             j->input->output.precision / 8);
    }
    naik_fault_before_write(j->fault);
    NAIK_TRY(naik_propagator_file_commit(j->file, solve, finished->x, finished->correlators,
                                         &finished->record, result->cg.history,
                                         result->cg.history_length));
    naik_fault_after_write(j->fault);
    naik_timer_stop(j->timer, "write");
    j->done++;
    solve_progress_done(j, task, result);
    solve_report_solve(j, task, result);
    if (finished->correlators != NULL) {
        NAIK_TRY(solve_report_correlators(j, task));
    }
done:
    return status;
}
