/* retry.c - solves that earlier runs gave up at a lower limit of iterations
 *
 * A solve that reached solver.max_iterations is a result and is not solved again, unless the limit
 * has been raised since. A file that was finished with such solves goes back to .part by a rename:
 * killed right after it, the next run finds a complete .part, and finishes or continues it.
 */
#include <string.h>

#include "io/prop/prop_file.h"
#include "solver/solver.h"

static bool is_retried(const naik_propagator_file *file, int solve)
{
    const naik_solve_record *record = &file->records[solve];
    return record->state == NAIK_SOLVE_NOT_CONVERGED &&
           record->iterations < file->iteration_limit &&
           strcmp(record->stop_reason, naik_solver_reason_text(NAIK_SOLVER_ITERATION_LIMIT)) == 0;
}

static bool is_due(const naik_propagator_file *file, int solve)
{
    return file->records[solve].state == NAIK_SOLVE_PENDING || is_retried(file, solve) ||
           naik_prop_is_derived_due(file, solve);
}

/* A source comes behind those that it is made of. */
bool naik_prop_is_derived_due(const naik_propagator_file *file, int solve)
{
    const naik_prop_plan *plan = file->plan;
    const int made_of = plan->source[plan->solve[solve].source].made_of;
    bool due = false;
    for (int i = 0; made_of >= 0 && i < naik_prop_columns(plan) && !due; i++) {
        due = is_due(file, made_of + i);
    }
    return due;
}

static bool is_made_again(const naik_propagator_file *file, int solve)
{
    return file->records[solve].state != NAIK_SOLVE_PENDING && is_due(file, solve);
}

typedef bool is_one(const naik_propagator_file *file, int solve);

static int count_of(const naik_propagator_file *file, is_one *is)
{
    int count = 0;
    for (int i = 0; i < file->plan->solve_count; i++) {
        count += is(file, i);
    }
    return count;
}

/* `which` are these solves, in words. */
static naik_status solve_again(naik_propagator_file *file, is_one *is, const char *which)
{
    const int count = count_of(file, is);
    if (count == 0) {
        return NAIK_OK;
    }
    naik_log_line(file->comm->log, "%d of %d solves %s", count, file->plan->solve_count, which);
    for (int i = file->plan->solve_count - 1; i >= 0; i--) {
        if (is(file, i)) {
            NAIK_PASS(naik_prop_reset_solve(file, i));
        }
    }
    return naik_h5_flush(file->comm, file->h5);
}

int naik_prop_count_retries(const naik_propagator_file *file)
{
    return count_of(file, is_retried);
}

/* One line again for each solve that is kept. Rank 0. */
static naik_status write_journal(const naik_propagator_file *file)
{
    naik_log *log = file->comm->log;
    naik_journal_entry entry;
    NAIK_PASS(naik_journal_create(log, file->journal, file->identity, file->choices));
    for (int i = 0; i < file->plan->solve_count; i++) {
        if (!is_due(file, i)) {
            NAIK_PASS(naik_prop_locate(file, i, &entry));
            NAIK_PASS(naik_journal_append(log, file->journal, &entry));
        }
    }
    return NAIK_OK;
}

naik_status naik_prop_keep_journal(naik_propagator_file *file)
{
    naik_status status = NAIK_OK;
    naik_journal *journal = NULL;
    if (file->comm->rank == 0) {
        status = naik_journal_read(file->comm->log, file->journal, &journal);
        if (status == NAIK_OK &&
            (journal == NULL || !naik_prop_owns_journal(file, journal->identity))) {
            status = write_journal(file);
        }
    }
    naik_journal_destroy(&journal);
    return naik_comm_agree(file->comm, status);
}

naik_status naik_prop_reopen(naik_propagator_file *file)
{
    naik_comm *comm = file->comm;
    naik_status status = NAIK_OK;
    int64_t part = -1, whole = -1;
    NAIK_PASS(naik_lock_acquire(comm, file->path, &file->lock));
    NAIK_PASS(naik_file_size(comm, file->part, &part));
    NAIK_PASS(naik_file_size(comm, file->path, &whole));
    if (part < 0 && whole >= 0) { /* else another run was there first, or begins again */
        status = comm->rank == 0 ? write_journal(file) : NAIK_OK; /* it is gone */
        NAIK_PASS(naik_comm_agree(comm, status));
        NAIK_PASS(naik_h5_close(comm, &file->h5));
        NAIK_PASS(naik_file_publish(comm, file->path, file->part, false));
    }
    NAIK_PASS(naik_h5_close(comm, &file->h5));
    file->complete = false;
    return status;
}

naik_status naik_prop_reset_retries(naik_propagator_file *file)
{
    return solve_again(file, is_retried,
                       "had reached a lower solver.max_iterations: they are solved again");
}

naik_status naik_prop_reset_derived(naik_propagator_file *file)
{
    naik_status status = NAIK_OK;
    if (count_of(file, is_made_again) == 0) {
        return NAIK_OK;
    }
    /* the journal first: killed behind it, the next run finds them done in .part and comes here again */
    status = file->comm->rank == 0 ? write_journal(file) : NAIK_OK;
    NAIK_PASS(naik_comm_agree(file->comm, status));
    return solve_again(file, is_made_again,
                       "have sources made of such solutions: they are solved again as well");
}

naik_status naik_propagator_file_repeat(naik_propagator_file *file, int solve)
{
    NAIK_PASS(naik_prop_reset_solve(file, solve));
    NAIK_PASS(naik_h5_flush(file->comm, file->h5));
    file->resumed--;
    return NAIK_OK;
}
