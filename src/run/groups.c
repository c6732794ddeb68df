/* groups.c - the groups of a job, what each has for itself, and what all agree on
 */
#include "run/groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "comm/groups.h"
#include "comm/new.h"
#include "lattice/boxes.h"
#include "lattice/grid.h"
#include "plan/group_count.h"

int solve_groups_count(const solve_groups *groups)
{
    return groups != NULL ? naik_groups_count(groups->groups) : 1;
}

bool solve_groups_leads(const solve_groups *groups)
{
    return groups == NULL || naik_groups_mine(groups->groups) == 0;
}

bool solve_groups_stopping(const solve_groups *groups)
{
    return groups != NULL && groups->stopping;
}

const char *solve_groups_reason(const solve_groups *groups)
{
    return groups != NULL ? groups->reason : "";
}

naik_status solve_groups_stopped(solve_job *j)
{
    solve_groups *s = j->groups;
    if (s == NULL) {
        return NAIK_OK;
    }
    const char *reason = naik_interrupt_reason(j->interrupt);
    double first = reason[0] != '\0' ? j->comm->rank : j->comm->size;
    snprintf(s->reason, sizeof s->reason, "%s", reason);
    s->stopping = true;
    NAIK_PASS(naik_comm_min_f64(j->comm, &first, 1));
    if (first < j->comm->size) {
        NAIK_PASS(naik_comm_broadcast(j->comm, s->reason, sizeof s->reason, (int)first));
    }
    return NAIK_OK;
}

/* The device of the job's ranks, and what is free of its memory on the rank that has least. */
static naik_status look_at_device(solve_job *j, char *text, size_t text_size, double *memory_gib)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = NULL;
    workplace_options options = workplace_of_input(j->input);
    double bytes = 0;
    options.tuning.transport = NAIK_TRANSPORT_STAGED; /* none is tried */
    NAIK_TRY(naik_backend_create(j->comm, options.backend, &options.tuning, &backend));
    backend->ops->describe(backend, text, text_size);
    NAIK_TRY(naik_room(j->comm, &backend->device, 0, &bytes));
    *memory_gib = solve_plan_gib((int64_t)bytes);
done:
    naik_backend_destroy(&backend);
    return status;
}

naik_status solve_groups_choose(solve_job *j)
{
    char device[256] = "";
    group_place place = {.device = device, .ranks = j->comm->size, .nodes = j->comm->nodes};
    group_count chosen;
    if (j->input->run.groups != NAIK_INPUT_GROUPS_AUTO) {
        return NAIK_OK;
    }
    if (place.ranks > 1) {
        NAIK_PASS(look_at_device(j, device, sizeof device, &place.memory_gib));
    }
    NAIK_PASS(group_count_choose(j->comm, j->input, &place, &chosen));
    NAIK_PASS(naik_comm_broadcast(j->comm, &chosen.groups, sizeof chosen.groups, 0));
    j->input->run.groups = chosen.groups;
    if (chosen.why != NULL) {
        naik_log_line(j->log, "groups: auto takes 1 group, because %s", chosen.why);
    } else if (chosen.groups == 1) {
        naik_log_line(j->log, "groups: auto takes 1 group, for which naik predicts %.0f s",
                      chosen.wall_s);
    } else if (chosen.one_s > 0) {
        naik_log_line(
            j->log,
            "groups: auto takes %d groups, for which naik predicts %.0f s, and %.0f s for one",
            chosen.groups, chosen.wall_s, chosen.one_s);
    }
    return NAIK_OK;
}

naik_status solve_groups_create(solve_job *j, naik_comm **comm)
{
    naik_status status = NAIK_OK;
    solve_groups *s = NULL;
    *comm = j->comm;
    if (j->input->run.groups == 1) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_new(j->comm, sizeof *s, "the groups of ranks", (void **)&s));
    NAIK_TRY(naik_groups_create(j->comm, j->input->run.groups, &s->groups));
    s->comm = naik_groups_comm(s->groups);
    *comm = s->comm;
    j->groups = s;
    s = NULL;
done:
    solve_groups_destroy(&s);
    return status;
}

static bool shares_lattice(const solve_job *j, int ranks)
{
    char text[8];
    return naik_grid_list(j->input->lattice.size, ranks, NULL, text, sizeof text, NULL) > 0;
}

/* A number of ranks, the largest below the job's, of which all share the lattice, and so do those of a group. */
static int fewer_ranks(const solve_job *j)
{
    const int groups = j->input->run.groups;
    int each = j->comm->size / groups - 1;
    while (each > 1 && !(shares_lattice(j, each) && shares_lattice(j, groups * each))) {
        each--;
    }
    return each > 0 && shares_lattice(j, groups * each) ? groups * each : 0;
}

naik_status solve_groups_whole(solve_job *j)
{
    const int *size = j->input->lattice.size, ranks = j->comm->size, groups = j->input->run.groups;
    char instead[48] = "another number of groups";
    j->whole = j->lattice;
    if (j->groups == NULL) {
        return NAIK_OK;
    }
    if (!shares_lattice(j, ranks)) {
        const int fewer = fewer_ranks(j);
        if (fewer > 0) {
            snprintf(instead, sizeof instead, "%d ranks, or another number of groups", fewer);
        }
        return NAIK_FAIL(j->log, NAIK_ERR_INPUT,
                         "run.groups is %d, and all %d ranks write the output together: they "
                         "cannot share the lattice %dx%dx%dx%d in boxes with even extents, at "
                         "least 4 where split; use %s",
                         groups, ranks, size[0], size[1], size[2], size[3], instead);
    }
    const naik_status status = naik_lattice_create(j->comm, size, NULL, &j->own_whole);
    j->whole = j->own_whole;
    return status;
}

static naik_status allocate(solve_job *j)
{
    solve_groups *s = j->groups;
    const size_t ranks = (size_t)j->comm->size;
    const size_t reals = (size_t)j->input->kind->reals * sizeof(double);
    const char *list = "the groups of ranks";
    NAIK_PASS(naik_alloc(j->log, ranks * sizeof *s->whole, list, (void **)&s->whole));
    NAIK_PASS(naik_alloc(j->log, ranks * sizeof *s->own, list, (void **)&s->own));
    NAIK_PASS(naik_alloc(j->log, 2 * ranks * sizeof *s->boxes, list, (void **)&s->boxes));
    NAIK_PASS(naik_alloc(j->log, (size_t)j->input->task_count * sizeof *s->owner, list,
                         (void **)&s->owner));
    NAIK_PASS(naik_alloc(j->log, reals * (size_t)j->whole->sites, "a solution of another group",
                         (void **)&s->vector));
    NAIK_PASS(naik_alloc(j->log, (j->correlator_reals + 1) * sizeof(double), "correlators",
                         (void **)&s->mine));
    NAIK_PASS(naik_alloc(j->log, (j->correlator_reals + 1) * sizeof(double), "correlators",
                         (void **)&s->values));
    return naik_alloc(j->log, ((size_t)j->plan.history_stride + 1) * sizeof(double),
                      "a residual history", (void **)&s->history);
}

naik_status solve_groups_ready(solve_job *j)
{
    solve_groups *s = j->groups;
    if (s == NULL) {
        return NAIK_OK;
    }
    const naik_box whole = naik_lattice_box(j->whole), own = naik_lattice_box(j->lattice);
    NAIK_PASS(naik_comm_agree(j->comm, allocate(j)));
    NAIK_PASS(naik_boxes_gather(j->comm, &whole, s->whole));
    NAIK_PASS(naik_boxes_gather(j->comm, &own, s->own));
    naik_log_line(j->log, "groups: %d groups of %d rank%s solve different sources",
                  solve_groups_count(s), s->comm->size, s->comm->size == 1 ? "" : "s");
    return NAIK_OK;
}

void solve_groups_destroy(solve_groups **groups)
{
    solve_groups *s = *groups;
    if (s == NULL) {
        return;
    }
    naik_free(s->whole);
    naik_free(s->own);
    naik_free(s->boxes);
    naik_free(s->owner);
    naik_free(s->vector);
    naik_free(s->mine);
    naik_free(s->values);
    naik_free(s->history);
    naik_groups_destroy(&s->groups);
    free(s);
    *groups = NULL;
}

naik_status solve_groups_agree(solve_job *j, naik_status mine)
{
    if (j->groups == NULL) {
        return mine;
    }
    naik_timer_start(j->timer, "other groups");
    const naik_status status = naik_groups_agree(j->groups->groups, mine);
    naik_timer_stop(j->timer, "other groups");
    return status;
}

naik_status solve_groups_links(solve_job *j)
{
    if (j->groups == NULL) {
        return workplace_links(&j->at, j->input, NULL);
    }
    NAIK_PASS(naik_link_provider_open(j->whole, j->input, NULL, NULL, j->timer, &j->whole_links));
    if (j->input->kind->links == NAIK_QUARK_STORED) {
        NAIK_PASS(solve_groups_agree(j, workplace_links(&j->at, j->input, NULL)));
    } else {
        NAIK_PASS(naik_link_provider_divide(&j->whole_links, j->lattice, j->backend, j->links));
    }
    return NAIK_OK;
}

/* Number of a task among those that are dealt. */
static int number_of(const solve_job *j, solve_dealer *d, int task)
{
    const naik_input_task *t = &j->input->tasks[task];
    if (!j->plan.multishift) {
        return d->next++;
    }
    for (int column = 0; column < 12 && t->source != d->source; column++) {
        d->of_column[column] = -1;
    }
    d->source = t->source;
    int *number = &d->of_column[t->colour];
    *number = *number < 0 ? d->next++ : *number;
    return *number;
}

bool solve_groups_deal(solve_job *j, solve_dealer *dealer, int task)
{
    solve_groups *s = j->groups;
    if (s == NULL) {
        return true;
    }
    const int number = number_of(j, dealer, task);
    const solve_attempt *attempt = &j->guard.attempts[task];
    if (attempt->kept == 0 && attempt->refused == 0) {
        s->owner[task] = number % solve_groups_count(s);
    }
    return s->owner[task] == naik_groups_mine(s->groups);
}

naik_status solve_groups_share_attempts(solve_job *j)
{
    naik_status status = NAIK_OK;
    solve_groups *s = j->groups;
    const int tasks = j->input->task_count;
    enum { REFUSED, KEPT, GIVEN_UP, COUNTS };
    double *known = NULL;
    NAIK_TRY(naik_new(j->comm, COUNTS * (size_t)tasks * sizeof *known, "a list of solves",
                      (void **)&known));
    for (int i = 0; i < tasks; i++) {
        const solve_attempt *attempt = &j->guard.attempts[i];
        if (s->owner[i] == naik_groups_mine(s->groups)) {
            known[COUNTS * i + REFUSED] = attempt->refused;
            known[COUNTS * i + KEPT] = attempt->kept;
            known[COUNTS * i + GIVEN_UP] = attempt->given_up;
        }
    }
    NAIK_TRY(naik_comm_max_f64(j->comm, known, COUNTS * tasks));
    j->guard.given_up = 0;
    for (int i = 0; i < tasks; i++) {
        solve_attempt *attempt = &j->guard.attempts[i];
        attempt->refused = (int)known[COUNTS * i + REFUSED];
        attempt->kept = (int)known[COUNTS * i + KEPT];
        attempt->given_up = known[COUNTS * i + GIVEN_UP] != 0;
        j->guard.given_up += attempt->given_up;
    }
done:
    free(known);
    return status;
}

naik_status solve_groups_guesses(solve_job *j)
{
    const bool speaks = j->groups != NULL && j->groups->comm->rank == 0;
    for (int i = 0; j->groups != NULL && j->guess.input != NULL && i < j->input->solve_count; i++) {
        guess_foreign *guess = &j->guess.foreign[i];
        int64_t counts[3] = {speaks ? guess->taken : 0, speaks ? guess->scaled : 0,
                             speaks ? guess->left : 0};
        double changed = speaks && guess->scaled > 0 ? j->comm->rank : -1;
        NAIK_PASS(naik_comm_sum_i64(j->comm, counts, 3));
        NAIK_PASS(naik_comm_max_f64(j->comm, &guess->worst, 1));
        NAIK_PASS(naik_comm_max_f64(j->comm, &changed, 1));
        if (changed >= 0) {
            NAIK_PASS(naik_comm_broadcast(j->comm, &guess->last, sizeof guess->last, (int)changed));
        }
        guess->taken = (int)counts[0];
        guess->scaled = (int)counts[1];
        guess->left = (int)counts[2];
    }
    return NAIK_OK;
}
