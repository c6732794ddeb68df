/* sdc_check.c - links, clover blocks, multigrid, residuals and bits looked at before a solution is stored
 */
#include "run/sdc_check.h"

#include <stdlib.h>

#include "comm/collective.h"
#include "comm/groups.h"
#include "comm/new.h"
#include "io/checksum.h"

naik_status sdc_check_create(naik_comm *comm, const naik_input *input, sdc_check *guard)
{
    *guard = (sdc_check){.input = input, .comm = comm};
    return naik_new(comm, ((size_t)input->task_count + 1) * sizeof *guard->attempts,
                    "a list of solves", (void **)&guard->attempts);
}

void sdc_check_destroy(sdc_check *guard)
{
    free(guard->attempts);
    guard->attempts = NULL;
}

void sdc_check_begin(sdc_check *guard, const naik_operator_set *set)
{
    guard->set = set;
    guard->multigrid = NULL;
    guard->checked = false;
    guard->links_lost = false;
}

static bool is_checked_twice(const sdc_check *guard, int task)
{
    return guard->input->solver.double_check && task % guard->input->solver.double_check_every == 0;
}

bool sdc_check_repeats(const sdc_check *guard, int task)
{
    return is_checked_twice(guard, task) && guard->attempts[task].kept == 0;
}

bool sdc_check_continues(const sdc_check *guard, int task)
{
    return !is_checked_twice(guard, task) && guard->attempts[task].refused == 0;
}

/* What was found of some memory: rank < 0, nothing. */
static naik_status note_change(sdc_check *guard, const char *what, const char *kind, int rank)
{
    naik_log *log = guard->comm->log;
    const int of_job = naik_comm_job(guard->comm)->rank - guard->comm->rank + rank;
    if (rank >= 0 && guard->rebuilt > 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "the %s of %s changed in the memory of rank %d, and it is not the first "
                         "time: its memory or device is not to be trusted; what is stored was "
                         "verified, so run again elsewhere",
                         what, kind, of_job);
    }
    if (rank >= 0) {
        naik_log_warn(log,
                      "the %s of %s changed in the memory of rank %d: they are made again, and the "
                      "solves at work are repeated",
                      what, kind, of_job);
        guard->links_lost = true;
        guard->rebuilt++;
    }
    return NAIK_OK;
}

naik_status sdc_check_links(sdc_check *guard)
{
    static const char *const kinds[] = {"double precision", "the iteration", "the iteration"};
    const char *what;
    int rank;
    for (int i = 0; i < NAIK_PRECISIONS && !guard->checked && !guard->links_lost; i++) {
        NAIK_PASS(naik_operator_set_verify(guard->set, (naik_precision)i, &what, &rank));
        NAIK_PASS(note_change(guard, what, kinds[i], rank));
    }
    if (guard->multigrid != NULL && !guard->checked && !guard->links_lost) {
        NAIK_PASS(naik_multigrid_verify(guard->multigrid, &what, &rank));
        NAIK_PASS(note_change(guard, what, "multigrid", rank));
    }
    guard->checked = !guard->links_lost;
    return NAIK_OK;
}

static void give_up(sdc_check *guard, int task)
{
    guard->attempts[task].given_up = true;
    guard->given_up++;
}

static bool check_residuals(sdc_check *guard, int task, const naik_propagator_result *result)
{
    char name[NAIK_INPUT_TASK_TEXT];
    solve_attempt *attempt = &guard->attempts[task];
    if (!result->suspect) {
        return true;
    }
    const bool again = attempt->refused++ == 0;
    naik_log_warn(guard->comm->log,
                  "%s: the solver found a residual of %.3e and the check of its solution %.3e: %s",
                  naik_input_task_text(guard->input, &guard->input->tasks[task], name),
                  result->cg.residual, result->independent_residual,
                  again ? "it is solved again" : "for the second time, so it is given up");
    if (!again) {
        give_up(guard, task);
    }
    return false;
}

/* Whether the bits came out before, on every rank alike. */
static naik_status check_bits(sdc_check *guard, int task, const double *x, const naik_lattice *lat,
                              bool *good)
{
    char name[NAIK_INPUT_TASK_TEXT];
    solve_attempt *attempt = &guard->attempts[task];
    const size_t spin = (size_t)guard->input->kind->spin;
    const uint32_t sum = naik_crc32(x, spin * naik_lattice_vector_bytes(lat));
    int64_t others[2] = {sum != attempt->sum[0], sum != attempt->sum[1]};
    NAIK_PASS(naik_comm_sum_i64(guard->comm, others, 2));
    *good = false;
    for (int i = 0; i < attempt->kept; i++) {
        *good = *good || others[i] == 0;
    }
    if (*good || attempt->kept == 0) {
        attempt->sum[0] = sum;
        attempt->kept = 1;
        return NAIK_OK;
    }
    const bool again = attempt->kept == 1;
    naik_log_warn(guard->comm->log, "%s: solved again, it has other bits: %s",
                  naik_input_task_text(guard->input, &guard->input->tasks[task], name),
                  again ? "a third solve decides" : "no two of three agree, so it is given up");
    if (again) {
        attempt->sum[attempt->kept++] = sum;
    } else {
        give_up(guard, task);
    }
    return NAIK_OK;
}

naik_status sdc_check_judge(sdc_check *guard, int task, const double *x, const naik_lattice *lat,
                            const naik_propagator_result *result, bool *good)
{
    *good = false;
    NAIK_PASS(sdc_check_links(guard));
    if (guard->links_lost || guard->attempts[task].given_up) {
        return NAIK_OK;
    }
    *good = check_residuals(guard, task, result);
    if (*good && is_checked_twice(guard, task)) {
        NAIK_PASS(check_bits(guard, task, x, lat, good));
    }
    return NAIK_OK;
}
