/* waiting.c - finished columns of a source that is contracted before they are stored, and without their solutions */
#include "run/waiting.h"

#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "run/groups.h"

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

void solve_waiting_clear(solve_waiting *waiting)
{
    while (waiting->first != NULL) {
        solve_waiter *first = waiting->first;
        waiting->first = first->next;
        destroy(first);
    }
}

bool solve_waiting_has(const solve_waiting *waiting, int task)
{
    bool has = false;
    for (const solve_waiter *w = waiting->first; w != NULL; w = w->next) {
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
    naik_status status = NAIK_OK;
    for (int64_t i = 0; i < j->pending_count; i++) {
        const naik_input_task *task = solve_task(j, i);
        NAIK_TRY(contract_ahead_ready(j->ahead, task->source, task->mass));
    }
done:
    return status;
}

static naik_status copy_numbers(naik_log *log, const double *from, size_t count, double **out)
{
    const naik_status status = from == NULL ? NAIK_OK
                                            : naik_alloc(log, (count + 1) * sizeof *from,
                                                         "a solve that waits", (void **)out);
    if (status == NAIK_OK && from != NULL) {
        memcpy(*out, from, count * sizeof *from);
    }
    return status;
}

static naik_status wait(solve_job *j, const solve_finished *finished)
{
    naik_status status = NAIK_OK;
    solve_waiter *w = NULL;
    const size_t history = (size_t)finished->result->cg.history_length;
    status = naik_alloc(j->log, sizeof *w, "a solve that waits", (void **)&w);
    if (status == NAIK_OK) {
        *w = (solve_waiter){.next = j->waiting.first,
                            .task = finished->task,
                            .record = finished->record,
                            .result = *finished->result};
        j->waiting.first = w;
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
    for (solve_waiter **at = &j->waiting.first; *at != NULL; at = &(*at)->next) {
        found = is_of(j, *at, source, mass) ? at : found;
    }
    return found;
}

/* All that wait of a source, in the order in which they came; x: room for a solution, where they are stored with it. */
static naik_status store_all(solve_job *j, int source, int mass, double *x)
{
    naik_status status = NAIK_OK;
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
        if (x != NULL) {
            status =
                naik_comm_agree(j->comm, contract_ahead_column(j->ahead, source, mass, column, x));
        }
        status = status == NAIK_OK ? solve_store(j, &finished) : status;
        destroy(w);
        NAIK_TRY(status);
    }
done:
    return status;
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
    naik_status status = NAIK_OK;
    while (j->waiting.first != NULL) {
        const naik_input_task *task = &j->input->tasks[j->waiting.first->task];
        NAIK_TRY(give_back(j, task->source, task->mass));
    }
done:
    return status;
}

naik_status solve_waiting_store(solve_job *j, const solve_finished *finished)
{
    naik_status status = NAIK_OK;
    const naik_input_task *of = &j->input->tasks[finished->task];
    const bool waits = contract_ahead_suffices(j->ahead, of->source, of->mass);
    int source = -1, mass = -1;
    bool made = false;
    if (contract_ahead_loses(j->ahead, of->source, of->mass, &source, &mass)) {
        NAIK_TRY(give_back(j, source, mass));
    }
    if (j->ahead != NULL) {
        naik_timer_start(j->timer, "contractions");
        NAIK_TRY(contract_ahead_take(j->ahead, of->source, of->mass, of->colour,
                                     finished->result->part, &made));
        naik_timer_stop(j->timer, "contractions");
    }
    if (!waits) {
        return solve_meeting_store(j, finished);
    }
    NAIK_TRY(wait(j, finished));
    if (made) {
        naik_timer_start(j->timer, "write");
        NAIK_TRY(contract_ahead_write(j->ahead, of->source, of->mass, j->file));
        naik_timer_stop(j->timer, "write");
        NAIK_TRY(store_all(j, of->source, of->mass, NULL));
    }
done:
    return status;
}
