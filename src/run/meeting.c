/* meeting.c - what a group brings to a meeting, and what all ranks do for it
 *
 * In a meeting every rank says what its group wants, and whether the rank was signalled (`word`). Then the groups are
 * served in order: the first rank of the group broadcasts what belongs to it (`brought`), its ranks send their boxes of
 * the vector, and all ranks do the same work on the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comm/collective.h"
#include "correlator/contraction_list.h"
#include "run/groups.h"

typedef enum wish { NOTHING, STORE, KEEP, RETRY, RESTORED } wish;

/* What a rank says in a meeting. */
typedef struct word {
    int32_t wish;
    int32_t stops;  /* it was asked to stop: */
    int32_t failed; /* the solves of its group have failed */
    int32_t ended;  /* its group has no more to do */
    char reason[64];
} word;

/* What belongs to a wish, beside a vector. */
typedef struct brought {
    int32_t task, solve, vector, bits;
    naik_solve_record record;
    naik_propagator_result result;
    naik_solver_state state;
    int32_t values, history; /* numbers that follow */
} brought;

/* ---- what all ranks do for one group */

/* Every rank has the vector of the group's boxes in its box of the job's lattice; `halves`: the sites of a
 * parity, of which a row in x has half as many. */
static naik_status take_vector(solve_job *j, int group, bool halves, size_t element_bytes,
                               const double *vector)
{
    solve_groups *s = j->groups;
    const int size = s->comm->size;
    naik_box *whole = s->boxes, *own = s->boxes + j->comm->size;
    for (int rank = 0; rank < j->comm->size; rank++) {
        whole[rank] = s->whole[rank];
        own[rank] = rank / size == group ? s->own[rank] : (naik_box){{0}, {0}};
        naik_box *both[2] = {&whole[rank], &own[rank]};
        for (int i = 0; i < 2 && halves; i++) {
            both[i]->start[0] /= 2;
            both[i]->count[0] /= 2;
        }
    }
    return naik_boxes_move(j->comm, own, whole, element_bytes, vector, s->vector);
}

/* Numbers of the group's first rank, from `mine` there, into `out` everywhere. */
static naik_status take_numbers(solve_job *j, int group, int count, const double *mine, double *out)
{
    const int root = group * j->groups->comm->size;
    if (j->comm->rank == root && mine != NULL) {
        memcpy(out, mine, (size_t)count * sizeof *out);
    }
    return naik_comm_broadcast(j->comm, out, (size_t)count * sizeof *out, root);
}

static naik_status store(solve_job *j, int group, brought *b, const double *vector)
{
    solve_groups *s = j->groups;
    const bool keeps = contraction_keeps(j->input);
    if (keeps) {
        NAIK_PASS(
            take_vector(j, group, false, (size_t)j->input->kind->reals * sizeof *vector, vector));
    }
    b->result.cg.history = s->history;
    const solve_finished finished = {.task = b->task,
                                     .record = b->record,
                                     .result = &b->result,
                                     .correlators = b->values > 0 ? s->values : NULL,
                                     .x = keeps ? s->vector : NULL};
    return solve_store(j, &finished);
}

static naik_status keep(solve_job *j, int group, brought *b, const double *vector)
{
    NAIK_PASS(take_vector(j, group, true, (size_t)j->input->kind->reals * sizeof *vector, vector));
    b->state.history = j->groups->history;
    return naik_checkpoint_save(j->checkpoint, b->solve, &b->state, b->vector, b->bits,
                                j->groups->vector);
}

/* Grants what a group wants; own: what it has brought, on its ranks. */
static naik_status serve(solve_job *j, int group, wish wish, const brought *own,
                         const double *history, const double *vector)
{
    solve_groups *s = j->groups;
    brought b;
    memset(&b, 0, sizeof b);
    if (own != NULL && group == naik_groups_mine(s->groups)) {
        b = *own;
    } else {
        history = vector = NULL;
    }
    NAIK_PASS(naik_comm_broadcast(j->comm, &b, sizeof b, group * s->comm->size));
    NAIK_PASS(take_numbers(j, group, b.history, history, s->history));
    NAIK_PASS(take_numbers(j, group, b.values, s->mine, s->values));
    switch (wish) {
    case STORE: return store(j, group, &b, vector);
    case KEEP: return keep(j, group, &b, vector);
    case RETRY: solve_report_retry(j, &j->input->tasks[b.task]); break;
    case RESTORED: solve_report_restored(j, &j->input->tasks[b.task], &b.state); break;
    case NOTHING: break;
    }
    return NAIK_OK;
}

/* ---- meetings */

/* What this rank says beside the wish of its group. */
static word say(const solve_job *j, wish wish)
{
    word mine = {.wish = wish};
    const char *reason = naik_interrupt_reason(j->interrupt);
    mine.stops = reason[0] != '\0';
    snprintf(mine.reason, sizeof mine.reason, "%s", reason);
    return mine;
}

/* Nobody asks for signals while a group that has finished waits for the others. */
typedef struct rest {
    const solve_job *j;
    word *mine;
} rest;

static bool look_for_signals(void *data)
{
    const rest *r = data;
    word *mine = r->mine;
    bool stops = false;
    if (mine->stops == 0 && !r->j->groups->stopping) {
        stops = naik_interrupt_signalled(r->j->interrupt, mine->reason, sizeof mine->reason);
        mine->stops = stops;
    }
    naik_fault_in_wait(r->j->fault);
    return stops;
}

static void hear(solve_groups *s, const word *said)
{
    if (said->stops != 0 && !s->stopping) {
        s->stopping = true;
        snprintf(s->reason, sizeof s->reason, "%.63s", said->reason);
    }
}

/* While its solves are at work a group warns of what befalls them, and waits for ranks that it numbers itself. */
static void work_apart(const solve_job *j, bool apart)
{
    const solve_groups *s = j->groups;
    naik_log_set_warns(j->log, apart && s->comm->rank == 0);
    naik_watchdog_base(j->comm->watchdog, apart ? j->comm->rank - s->comm->rank : 0);
}

/* All groups, each with its word; *ended: none has more to do. `own_status` is that of a word that says failed, and the
 * sentence of the worst is then everybody's. */
static naik_status meet_all(solve_job *j, word *mine, naik_status own_status, const brought *own,
                            const double *history, const double *vector, bool *ended)
{
    naik_status status = NAIK_OK;
    solve_groups *s = j->groups;
    const bool call =
        mine->wish != NOTHING || mine->failed != 0 || (mine->stops != 0 && !s->stopping);
    rest resting = {.j = j, .mine = mine};
    const naik_groups_look waiting = {.look = look_for_signals, .data = &resting};
    bool failed = false;
    word *said = NULL;
    *ended = true;
    naik_timer_start(j->timer, "other groups");
    NAIK_TRY(naik_groups_meet(s->groups, call, mine->ended != 0 ? &waiting : NULL, mine,
                              sizeof *mine, (void **)&said));
    naik_timer_stop(j->timer, "other groups");
    for (int rank = 0; rank < j->comm->size; rank++) {
        hear(s, &said[rank]);
        failed = failed || said[rank].failed != 0;
        *ended = *ended && said[rank].ended != 0;
    }
    for (int group = 0; group < solve_groups_count(s) && !failed; group++) {
        const wish wanted = (wish)said[naik_groups_first(s->groups, group)].wish;
        if (wanted != NOTHING) {
            NAIK_TRY(serve(j, group, wanted, own, history, vector));
        }
    }
    if (failed) {
        status = naik_comm_agree(j->comm, own_status);
    }
done:
    free(said);
    s->over = status != NAIK_OK;
    return status;
}

static naik_status meet(solve_job *j, wish wish, const brought *own, const double *history,
                        const double *vector)
{
    word mine = say(j, wish);
    bool ended = false;
    work_apart(j, false);
    const naik_status status = meet_all(j, &mine, NAIK_OK, own, history, vector, &ended);
    work_apart(j, true);
    return status;
}

naik_status solve_meeting_poll(solve_job *j)
{
    const solve_groups *s = j->groups;
    if (s == NULL) {
        return NAIK_OK;
    }
    do {
        if (naik_groups_called(s->groups)) {
            NAIK_PASS(meet(j, NOTHING, NULL, NULL, NULL));
        }
    } while (!s->stopping &&
             naik_fault_holds(j->fault, naik_groups_mine(s->groups), s->comm->size));
    return NAIK_OK;
}

naik_status solve_meeting_store(solve_job *j, const solve_finished *finished)
{
    solve_groups *s = j->groups;
    if (s == NULL) {
        return solve_store(j, finished);
    }
    brought own = {.task = finished->task,
                   .record = finished->record,
                   .result = *finished->result,
                   .history = finished->result->cg.history_length};
    const double *history = finished->result->cg.history;
    own.history = own.history < j->plan.history_stride ? own.history : j->plan.history_stride;
    own.result.cg.history_length = own.history;
    own.result.part[0] = own.result.part[1] = NULL;
    if (finished->correlators != NULL) { /* the job's are used when others are served */
        own.values = (int32_t)j->correlator_reals;
        memcpy(s->mine, finished->correlators, j->correlator_reals * sizeof *s->mine);
    }
    return meet(j, STORE, &own, history, finished->x);
}

naik_status solve_meeting_keep(solve_job *j, int solve, const naik_solver_state *state, int vector,
                               int bits, const double *half)
{
    if (j->groups == NULL) {
        return naik_checkpoint_save(j->checkpoint, solve, state, vector, bits, half);
    }
    const brought own = {.solve = solve,
                         .vector = vector,
                         .bits = bits,
                         .state = *state,
                         .history = state->history_length};
    return meet(j, KEEP, &own, state->history, half);
}

naik_status solve_meeting_retry(solve_job *j, int task)
{
    const brought own = {.task = task};
    if (j->groups == NULL) {
        solve_report_retry(j, &j->input->tasks[task]);
        return NAIK_OK;
    }
    return meet(j, RETRY, &own, NULL, NULL);
}

naik_status solve_meeting_restored(solve_job *j, int task, const naik_solver_state *state)
{
    const brought own = {.task = task, .state = *state};
    if (j->groups == NULL) {
        solve_report_restored(j, &j->input->tasks[task], state);
        return NAIK_OK;
    }
    return meet(j, RESTORED, &own, NULL, NULL);
}

void solve_meeting_begin(solve_job *j)
{
    if (j->groups != NULL) {
        work_apart(j, true);
    }
}

naik_status solve_meeting_finish(solve_job *j, naik_status status, bool *interrupted)
{
    solve_groups *s = j->groups;
    bool ended = false;
    if (s == NULL) {
        return status;
    }
    work_apart(j, false);
    if (s->over) {
        return status;
    }
    if (!naik_comm_meet(s->comm, status)) {
        j->comm->deserted = true; /* this rank alone has failed */
        return status;
    }
    while (!ended && !s->over) {
        word mine = say(j, NOTHING);
        mine.failed = status != NAIK_OK;
        mine.ended = 1;
        status = meet_all(j, &mine, status, NULL, NULL, NULL, &ended);
    }
    *interrupted = s->stopping;
    return status != NAIK_OK ? status : solve_groups_share_attempts(j);
}
