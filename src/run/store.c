/* store.c - record, correlators and solution of a finished solve, into the file and the log
 *
 * Columns of a source that is contracted before they are stored, and without their solutions, wait until the last has come.
 * Then the correlators are written, and after them the records of all columns. What still waits when a run is asked to stop, or
 * its solves end, is stored with its solution: a run that is killed loses the columns that wait, and nothing else.
 */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "correlator/contraction_list.h"
#include "correlator/frame.h"
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
                                .flops = result->flops};
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
    const naik_input_task *of = &j->input->tasks[task];
    const bool with_correlators = j->input->solve[of->solve].correlators.count > 0;
    if (with_correlators) {
        NAIK_PASS(make_correlators(j, of, result->part));
    }
    *out = (solve_finished){.task = task,
                            .record = record_of(j, of, result),
                            .result = result,
                            .correlators = with_correlators ? j->correlators : NULL,
                            .x = contraction_keeps(j->input) ? x : NULL};
    return NAIK_OK;
}

naik_status solve_store(solve_job *j, const solve_finished *finished)
{
    const naik_input_task *task = &j->input->tasks[finished->task];
    const naik_propagator_result *result = finished->result;
    naik_timer_start(j->timer, "write");
    if (finished->x != NULL) {
        naik_timer_count(j->timer, 0,
                         j->input->kind->reals * (double)j->lattice->volume *
                             j->input->output.precision / 8);
    }
    naik_fault_before_write(j->fault);
    NAIK_PASS(naik_propagator_file_commit(j->file, solve_number(j, task), finished->x,
                                          finished->correlators, &finished->record,
                                          result->cg.history, result->cg.history_length));
    naik_fault_after_write(j->fault);
    naik_timer_stop(j->timer, "write");
    j->done++;
    solve_progress_done(j, task, result);
    solve_report_solve(j, task, result);
    if (finished->correlators != NULL) {
        NAIK_PASS(solve_report_correlators(j, task));
    }
    return NAIK_OK;
}

/* ---- sources that are contracted first */

struct solve_waiter {
    solve_waiter *next;
    int task;
    naik_solve_record record;
    naik_propagator_result result; /* with the next as its history */
    double *history, *correlators; /* NULL: it has none */
};

static void destroy(solve_waiter *waiter)
{
    naik_free(waiter->history);
    naik_free(waiter->correlators);
    naik_free(waiter);
}

void solve_waiting_clear(solve_job *j)
{
    while (j->waiting != NULL) {
        solve_waiter *first = j->waiting;
        j->waiting = first->next;
        destroy(first);
    }
}

bool solve_waiting_has(const solve_job *j, int task)
{
    bool has = false;
    for (const solve_waiter *w = j->waiting; w != NULL; w = w->next) {
        has = has || w->task == task;
    }
    return has;
}

bool solve_waiting_reads(void *data, int64_t index)
{
    const solve_job *j = data;
    const naik_input_task *task = solve_task(j, index);
    return j->input->solver.double_check ||
           (contraction_keeps(j->input) &&
            !contract_ahead_suffices(j->ahead, task->source, task->mass));
}

naik_status solve_waiting_begin(solve_job *j)
{
    for (int64_t i = 0; i < j->pending_count; i++) {
        const naik_input_task *task = solve_task(j, i);
        NAIK_PASS(contract_ahead_ready(j->ahead, task->source, task->mass));
    }
    return NAIK_OK;
}

static naik_status copy_numbers(naik_log *log, const double *from, size_t count, double **out)
{
    if (from != NULL) {
        NAIK_PASS(naik_alloc(log, (count + 1) * sizeof *from, "a solve that waits", (void **)out));
        memcpy(*out, from, count * sizeof *from);
    }
    return NAIK_OK;
}

static naik_status wait(solve_job *j, const solve_finished *finished)
{
    naik_status status = NAIK_OK;
    solve_waiter *w = NULL;
    const size_t history = (size_t)finished->result->cg.history_length;
    status = naik_alloc(j->log, sizeof *w, "a solve that waits", (void **)&w);
    if (status == NAIK_OK) {
        *w = (solve_waiter){.next = j->waiting,
                            .task = finished->task,
                            .record = finished->record,
                            .result = *finished->result};
        j->waiting = w;
        status = copy_numbers(j->log, finished->result->cg.history, history, &w->history);
        w->result.cg.history = w->history;
        w->result.part[0] = w->result.part[1] = NULL;
    }
    if (status == NAIK_OK) {
        status = copy_numbers(j->log, finished->correlators, j->correlator_reals, &w->correlators);
    }
    return naik_comm_agree(j->comm, status);
}

static bool is_of(const solve_job *j, const solve_waiter *w, int source, int mass)
{
    const naik_input_task *task = &j->input->tasks[w->task];
    return task->source == source && task->mass == mass;
}

/* The one of a source that came first; NULL: none waits. */
static solve_waiter **earliest(solve_job *j, int source, int mass)
{
    solve_waiter **found = NULL;
    for (solve_waiter **at = &j->waiting; *at != NULL; at = &(*at)->next) {
        found = is_of(j, *at, source, mass) ? at : found;
    }
    return found;
}

/* All that wait of a source, in the order in which they came; x: room for a solution, where they are stored with it. */
static naik_status store_all(solve_job *j, int source, int mass, double *x)
{
    solve_waiter **at = earliest(j, source, mass);
    for (; at != NULL; at = earliest(j, source, mass)) {
        solve_waiter *w = *at;
        const int column = j->input->tasks[w->task].colour;
        const solve_finished finished = {.task = w->task,
                                         .record = w->record,
                                         .result = &w->result,
                                         .correlators = w->correlators,
                                         .x = x};
        *at = w->next;
        naik_status status = NAIK_OK;
        if (x != NULL) {
            status =
                naik_comm_agree(j->comm, contract_ahead_column(j->ahead, source, mass, column, x));
        }
        status = status == NAIK_OK ? solve_store(j, &finished) : status;
        destroy(w);
        NAIK_PASS(status);
    }
    return NAIK_OK;
}

/* As above, each with its solution. */
static naik_status give_back(solve_job *j, int source, int mass)
{
    naik_status status = NAIK_OK;
    double *x = NULL;
    status = naik_alloc(j->log, naik_lattice_vector_bytes(j->lattice), "a solution", (void **)&x);
    NAIK_TRY(naik_comm_agree(j->comm, status));
    NAIK_TRY(store_all(j, source, mass, x));
done:
    naik_free(x);
    return status;
}

naik_status solve_waiting_end(solve_job *j)
{
    while (j->waiting != NULL) {
        const naik_input_task *task = &j->input->tasks[j->waiting->task];
        NAIK_PASS(give_back(j, task->source, task->mass));
    }
    return NAIK_OK;
}

naik_status solve_waiting_store(solve_job *j, const solve_finished *finished)
{
    const naik_input_task *of = &j->input->tasks[finished->task];
    const bool waits = contract_ahead_suffices(j->ahead, of->source, of->mass);
    int source = -1, mass = -1;
    bool made = false;
    if (contract_ahead_loses(j->ahead, of->source, of->mass, &source, &mass)) {
        NAIK_PASS(give_back(j, source, mass));
    }
    naik_timer_start(j->timer, "contractions");
    NAIK_PASS(contract_ahead_take(j->ahead, of->source, of->mass, of->colour,
                                  finished->result->part, &made));
    naik_timer_stop(j->timer, "contractions");
    if (!waits) {
        return solve_store(j, finished);
    }
    NAIK_PASS(wait(j, finished));
    if (made) {
        naik_timer_start(j->timer, "write");
        NAIK_PASS(contract_ahead_write(j->ahead, of->source, of->mass, j->file));
        naik_timer_stop(j->timer, "write");
        NAIK_PASS(store_all(j, of->source, of->mass, NULL));
    }
    return NAIK_OK;
}
