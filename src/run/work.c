/* work.c - the pending solves of a run: sources in, committed solutions out
 *
 * One stream of solves for each operator, and one for those without low modes beside those with them. What the
 * guard does not let pass stays pending, and is listed again until it is stored or given up.
 */
#include <string.h>

#include "base/timer.h"
#include "comm/collective.h"
#include "io/files.h"
#include "io/finite.h"
#include "io/modes/modes_file.h"
#include "quark/low_modes.h"
#include "run/groups.h"
#include "run/method.h"
#include "run/quark_solver.h"
#include "solver/bicgstab.h"
#include "stored/make_source.h"

static source_kit kit_of(const solve_job *j)
{
    return (source_kit){.lattice = j->lattice,
                        .input = j->input,
                        .sums = &j->sources,
                        .gauss = j->links->gauss,
                        .hops = j->links->hops,
                        .own = j->file,
                        .sequential = &j->sequential,
                        .shifts = j->links->shifts,
                        .links = j->links};
}

/* A fault may come to any site. */
static void give_part(void *data, int64_t index, int32_t part[2])
{
    const solve_job *j = data;
    const naik_input_task *task = solve_task(j, index);
    const source_kit kit = kit_of(j);
    part[0] = 0;
    part[1] = j->lattice->sites;
    if (j->fault == NULL) {
        make_source_part(&kit, &j->input->sources[task->source], task->colour, part);
    }
}

static naik_status give_source(void *data, int64_t index, double *src, double *mass,
                               double *tolerance, double *site_tolerance)
{
    naik_status status = NAIK_OK;
    const solve_job *j = data;
    const naik_input_task *task = solve_task(j, index);
    const naik_input_solve *solve = &j->input->solve[task->solve];
    const source_kit kit = kit_of(j);
    const int64_t reals = j->input->kind->reals;
    char column[NAIK_INPUT_COLUMN_TEXT];
    int32_t part[2];
    give_part(data, index, part);
    *mass = j->input->quarks[task->quark].mass;
    *tolerance = solve->tolerance;
    *site_tolerance = j->input->solver.site_relative_tolerance;
    NAIK_PASS(make_source(&kit, &j->input->sources[task->source], task->colour, part, src));
    if (!naik_values_are_finite(src + reals * part[0], reals * (part[1] - part[0]), 64)) {
        naik_input_column_text(j->input, task->colour, column);
        status =
            NAIK_FAIL(j->log, NAIK_ERR_INPUT,
                      "source %d of '%s' is not finite at %s: its smearing or what it is made from "
                      "is beyond all numbers",
                      task->source, solve->name, column);
    }
    NAIK_PASS(naik_comm_agree(j->lattice->comm, status));
    naik_fault_in_source(j->fault, j->lattice, src);
    return NAIK_OK;
}

static naik_status give_guess(void *data, int64_t index, double *x, naik_guess *guess)
{
    const solve_job *j = data;
    return solve_guess_read(&j->guess, j->lattice, j->pending[index], x, guess);
}

static void note_guess(void *data, int64_t index, const naik_start_value *value)
{
    const solve_job *j = data;
    solve_guess_weighed(&j->guess, j->log, j->pending[index], value);
}

static bool is_pending(const solve_job *j, int task)
{
    return !solve_waiting_has(j, task) &&
           solve_record(j, &j->input->tasks[task])->state == NAIK_SOLVE_PENDING;
}

static bool is_open(const solve_job *j, int task)
{
    return is_pending(j, task) && !j->guard.attempts[task].given_up;
}

/* A file of modes that cannot be written ends the run when its solutions are stored and what is in flight is kept. */
static naik_status note_unfiled(solve_job *j, naik_status status)
{
    if (status != NAIK_OK && status != NAIK_ERR_MPI) {
        j->unfiled = status;
        naik_log_failure_get(j->log, &j->unfiled_why);
        naik_log_clear(j->log);
        return NAIK_OK;
    }
    return status;
}

/* Modes that are being written have their name before the last solve of their operator is stored: a run
 * that is killed before always has one left to do, for which it finds them again. */
static naik_status wait_for_modes(solve_job *j, int task)
{
    for (int64_t i = 0; i < j->pending_count; i++) {
        if (j->filed == NULL || (j->pending[i] != task && is_open(j, j->pending[i]))) {
            return NAIK_OK;
        }
    }
    return note_unfiled(j, filed_modes_end(&j->filed, NAIK_OK));
}

static naik_status take_solution(void *data, int64_t index, const double *x,
                                 const naik_propagator_result *result)
{
    solve_job *j = data;
    const int task = j->pending[index];
    bool good = false;
    solve_finished finished;
    if (!is_pending(j, task) || solve_method_drops(j)) {
        return NAIK_OK; /* a repetition that was not needed any more, or done at the poll that gave up the first */
    }
    const bool tried = j->trial.limit > 0 && j->trial.task == task;
    if (tried && result->cg.reason != NAIK_SOLVER_CONVERGED &&
        result->cg.reason != NAIK_SOLVER_ZERO_SOURCE) {
        NAIK_PASS(sdc_check_links(&j->guard)); /* of lost links it tells nothing */
        j->trial.gave_up = !j->guard.links_lost;
        j->trial.over = true;
        return NAIK_OK;
    }
    naik_timer_start(j->timer, "check links");
    NAIK_PASS(sdc_check_judge(&j->guard, task, x, j->lattice, result, &good));
    naik_timer_stop(j->timer, "check links");
    if (!good) {
        j->trial.over = j->trial.over || tried;
        return solve_meeting_retry(j, task);
    }
    NAIK_PASS(wait_for_modes(j, task));
    NAIK_PASS(solve_finished_make(j, task, x, result, &finished));
    NAIK_PASS(j->ahead != NULL ? solve_waiting_store(j, &finished)
                               : solve_meeting_store(j, &finished));
    if (tried && j->trial.joint) {
        NAIK_PASS(solve_method_tell(j, &finished.record));
    }
    return note_unfiled(j, filed_modes_look(&j->filed));
}

static bool asked_to_stop(void *data)
{
    solve_job *j = data;
    return j->unfiled != NAIK_OK || j->guard.links_lost || solve_method_drops(j) ||
           naik_interrupt_asked(j->interrupt) || solve_groups_stopping(j->groups);
}

static naik_solver_pace pace_of(void *data)
{
    const solve_job *j = data;
    return j->trial.pace;
}

static naik_status at_poll(void *data, const naik_solver_progress *progress)
{
    solve_job *j = data;
    naik_watchdog_step(j->comm->watchdog, progress->iterations);
    j->guard.checked = false;
    solve_progress_poll(j, progress);
    solve_method_look(j, progress);
    NAIK_PASS(solve_meeting_poll(j));
    const naik_fault_targets targets =
        naik_fault_targets_of(&j->set, quark_multigrid_at_work(&j->multigrid));
    return naik_fault_in_solve(j->fault, progress, &targets);
}

/* Whether the solve has low modes removed. */
static bool is_deflated(const solve_job *j, int task)
{
    const naik_input_task *t = &j->input->tasks[task];
    return j->plan.modes > 0 && solve_plan_deflates(&j->plan, j->input, t->solve, t->mass);
}

/* The masses of one source and colour with the same operator, unless each has its own guess. */
static int64_t group_of(void *data, int64_t index, double *base_mass)
{
    const solve_job *j = data;
    const naik_input_task *task = solve_task(j, index);
    const naik_input_solve *solve = &j->input->solve[task->solve];
    int masses = 0;
    for (int m = 0; m < solve->masses.count; m++) {
        const naik_quark *quark = &j->input->quarks[solve->quark[m]];
        if (naik_quark_shares_operator(quark, &j->input->quarks[task->quark])) {
            *base_mass = masses > 0 && *base_mass <= quark->mass ? *base_mass : quark->mass;
            masses++;
        }
    }
    return masses > 1 && solve->guess == NULL ? 3 * (int64_t)task->source + task->colour : -1;
}

static bool any_group(solve_job *j)
{
    double base_mass = 0;
    bool any = false;
    for (int64_t i = 0; i < j->pending_count; i++) {
        any = any || group_of(j, i, &base_mass) >= 0;
    }
    return any;
}

/* Whether the modes are filed already, so that all groups read them at once. */
static naik_status are_filed(const solve_job *j, double epsilon, bool *there)
{
    char path[NAIK_PATH_MAX];
    int64_t size_bytes = -1;
    naik_input_modes_path(j->input, epsilon, path);
    const naik_status status = naik_file_size(j->comm, path, &size_bytes);
    *there = size_bytes >= 0;
    return status;
}

/* Those of this group, which may have nothing to solve with them. */
static naik_status get_modes(solve_job *j, naik_fatlong *canonical)
{
    double mass[NAIK_MAX_RHS];
    low_modes_request asked = {.input = j->input,
                               .wanted = j->plan.modes,
                               .links = canonical,
                               .set = &j->set,
                               .masses = mass,
                               .interrupt = j->interrupt,
                               .filed = j->groups == NULL ? &j->filed : NULL};
    for (int64_t i = 0; i < j->pending_count && asked.count < NAIK_MAX_RHS; i++) {
        mass[asked.count++] = solve_quark(j, j->pending[i])->mass;
    }
    return asked.count == 0 ? NAIK_OK : low_modes_get(&asked, &j->modes);
}

/* The low modes of the links at work, for all their masses. Where groups have to find them, the first does, and
 * the others read what it has filed. */
static naik_status make_modes(solve_job *j, double epsilon, naik_fatlong *canonical)
{
    const double start_s = naik_time_s();
    bool there = j->groups == NULL;
    naik_timer_start(j->timer, "modes");
    if (j->groups != NULL) {
        NAIK_PASS(are_filed(j, epsilon, &there));
    }
    for (int turn = there ? 1 : 0; turn < 2; turn++) {
        const bool mine = there || solve_groups_leads(j->groups) == (turn == 0);
        NAIK_PASS(solve_groups_agree(j, mine ? get_modes(j, canonical) : NAIK_OK));
    }
    NAIK_PASS(solve_report_modes(j, epsilon));
    naik_timer_stop(j->timer, "modes");
    solve_progress_passed(j, naik_time_s() - start_s);
    return NAIK_OK;
}

/* Makes and packs the links of the solves at work, and their modes. */
static naik_status make_operators(solve_job *j, int first, const naik_set_storage *storage)
{
    naik_status status = NAIK_OK;
    const naik_quark *quark = solve_quark(j, first);
    naik_fatlong *canonical = NULL;
    if (j->pending_count > 0) {
        status = naik_link_provider_operators(j->links, j->geometry, quark, storage, &canonical,
                                              &j->set);
    }
    sdc_check_begin(&j->guard, &j->set); /* links that this group has lost are so no more */
    NAIK_TRY(solve_groups_agree(j, status));
    if (is_deflated(j, first)) {
        NAIK_TRY(make_modes(j, quark->naik_epsilon, canonical));
    }
done:
    naik_fatlong_destroy(&canonical);
    return status;
}

/* Whether two tasks share operator and modes. */
static bool is_together(const solve_job *j, int a, int b)
{
    return naik_quark_shares_operator(solve_quark(j, a), solve_quark(j, b)) &&
           is_deflated(j, a) == is_deflated(j, b);
}

/* Whether what its source is made of is in the file. */
static bool is_ready(const solve_job *j, int task)
{
    const naik_input_source *source = &j->input->sources[j->input->tasks[task].source];
    return source->made_of < 0 ||
           naik_propagator_file_has_all(j->file, source->made_of, source->made_of_mass);
}

/* Lists the open tasks of this group that share the operator and modes of task `first`, as far as their sources can be made,
 * out of the first `most` of all groups. Those to be solved twice follow a batch later: their second solve has other neighbours,
 * and mostly another place. */
static void list_pending(solve_job *j, int first, int most)
{
    const int tasks = j->input->task_count;
    int64_t begin = 0;
    int dealt = 0;
    solve_dealer dealer = {.source = -1};
    j->pending_count = 0;
    for (int i = first; i < tasks; i++) {
        if (dealt < most && is_together(j, i, first) && is_open(j, i) && is_ready(j, i)) {
            dealt++;
            if (solve_groups_deal(j, &dealer, i)) {
                j->pending[j->pending_count++] = i;
            }
        }
        const int64_t end = j->pending_count;
        if (end - begin >= j->plan.batch || i == tasks - 1) {
            for (int64_t k = begin; k < end; k++) {
                if (sdc_check_repeats(&j->guard, j->pending[k])) {
                    j->pending[j->pending_count++] = j->pending[k];
                }
            }
            begin = j->pending_count;
        }
    }
}

/* The first task that is open, whose source can be made, and that shares operator and modes with task `with`, or with any
 * where that is negative; negative: there is none. */
static int next_task(const solve_job *j, int with)
{
    for (int i = 0; i < j->input->task_count; i++) {
        if (is_open(j, i) && is_ready(j, i) && (with < 0 || is_together(j, i, with))) {
            return i;
        }
    }
    return -1;
}

/* Right-hand sides at a time of all open tasks that share the operator and modes of the listed ones, now or later. */
static int solves_at_a_time(const solve_job *j, int first)
{
    int64_t count = 0;
    for (int i = first; i < j->input->task_count; i++) {
        count += is_together(j, i, first) && is_open(j, i);
    }
    count = count > j->pending_count ? count : j->pending_count;
    return count < j->plan.batch ? (int)count : j->plan.batch;
}

/* All listed solves, which share the operator at work, as far as the guard lets them pass. */
static naik_status solve_listed(solve_job *j, quark_solver *s, int batch,
                                naik_multishift **multishift, bool *interrupted)
{
    naik_status status = NAIK_OK;
    bool stopped = false;
    if (*multishift == NULL && j->plan.multishift && any_group(j)) {
        const int groups = j->plan.groups < batch ? j->plan.groups : batch;
        status = naik_multishift_create(s->solver, groups, j->plan.shifts, multishift);
    }
    NAIK_PASS(solve_groups_agree(j, status));
    const naik_propagator_stream stream = {.data = j,
                                           .count = j->pending_count,
                                           .read = solve_waiting_reads,
                                           .source = give_source,
                                           .part = give_part,
                                           .solution = take_solution,
                                           .guess = j->guess.input != NULL ? give_guess : NULL,
                                           .weighed = note_guess,
                                           .stop = asked_to_stop,
                                           .pace = pace_of,
                                           .limit = j->trial.limit,
                                           .tolerance_full = j->input->solver.tolerance_full,
                                           .poll = at_poll,
                                           .save = solve_checkpoint,
                                           .restore = solve_restore_checkpoint,
                                           .multishift = *multishift,
                                           .group = group_of,
                                           .starter = quark_solver_starter(s)};
    NAIK_PASS(solve_waiting_begin(j));
    naik_timer_start(j->timer, "solve");
    solve_meeting_begin(j);
    if (j->pending_count > 0) { /* of a group there may be none */
        status = naik_propagator_solve(&j->set.op[NAIK_DOUBLE], s->solver, &s->options, &stream,
                                       &stopped);
    }
    status = status == NAIK_OK ? solve_waiting_end(j) : status;
    NAIK_PASS(solve_meeting_finish(j, status, &stopped));
    naik_timer_stop(j->timer, "solve");
    /* lost links stop a group as well, which is then not asked to; all groups know the same */
    *interrupted = j->unfiled != NAIK_OK || (stopped && !solve_method_drops(j) &&
                                             (j->groups != NULL || !j->guard.links_lost));
    return NAIK_OK;
}

/* What the guard did not let pass is solved again with links that are made anew. */
static bool any_listed_open(const solve_job *j)
{
    bool any = j->guard.links_lost;
    for (int64_t i = 0; i < j->pending_count; i++) {
        any = any || is_open(j, j->pending[i]);
    }
    return any;
}

static naik_status make_solver(solve_job *j, const naik_solver_kind *kind, int batch,
                               quark_solver *out)
{
    naik_timer_start(j->timer, "memory of solvers");
    NAIK_PASS(quark_solver_create(j->input, &j->plan, kind, &j->set, j->modes, batch, out));
    naik_timer_stop(j->timer, "memory of solvers");
    out->options.history_stride = j->plan.history_stride;
    out->options.preconditioner = j->by_multigrid ? quark_multigrid_use(&j->multigrid) : NULL;
    out->options.restart = j->input->multigrid.restart;
    if (j->trial.limit > 0 && !j->trial.joint) { /* or the column is listed twice */
        out->options.max_iterations = j->trial.limit;
    }
    return NAIK_OK;
}

/* One column, by what goes before multigrid: one group has it, and all know what came of it. Where it tells that its quark
 * stays without multigrid, the others that are listed with it are solved as well. */
static naik_status try_column(solve_job *j, int task, bool *interrupted)
{
    naik_status status = NAIK_OK;
    quark_solver s = {.solver = NULL};
    naik_multishift *none = NULL;
    const bool joint = solve_method_is_joint(j);
    list_pending(j, task, joint ? 2 * j->input->task_count : 1);
    const int batch = j->pending_count < j->plan.batch ? (int)j->pending_count : j->plan.batch;
    NAIK_TRY(solve_method_try(j, task, joint));
    if (j->pending_count > 0) {
        status = make_solver(j, solve_plan_solver(j->input), batch, &s);
    }
    NAIK_TRY(solve_groups_agree(j, status));
    NAIK_TRY(solve_listed(j, &s, batch, &none, interrupted));
    double told[2] = {j->trial.gave_up, j->guard.links_lost};
    NAIK_TRY(naik_comm_max_f64(j->comm, told, 2));
    j->trial.gave_up = told[0] > 0;
    j->guard.links_lost = told[1] > 0;
done:
    naik_multishift_destroy(&none);
    quark_solver_clear(&s);
    return status;
}

/* solver.method auto: columns of the quark are solved one after the other, until one tells. */
static naik_status try_columns(solve_job *j, int first, solve_method *method, bool *kept,
                               bool *interrupted)
{
    naik_status status = NAIK_OK;
    int next = first;
    NAIK_TRY(solve_method_known(j, first, method, kept));
    while (*method == SOLVE_METHOD_OPEN && next >= 0 && !*interrupted && !j->guard.links_lost) {
        NAIK_TRY(try_column(j, next, interrupted));
        NAIK_TRY(solve_method_after(j, first, method));
        next = next_task(j, first);
    }
    list_pending(j, first, 2 * j->input->task_count);
done:
    j->trial = (solve_trial){.limit = 0};
    return status;
}

/* What the solves of the quark go by; multigrid is made where it is that. */
static naik_status choose(solve_job *j, int first, const naik_set_storage *storage, double *setup_s,
                          bool *interrupted)
{
    solve_method method =
        quark_multigrid_is_asked(j->input) ? SOLVE_METHOD_MULTIGRID : SOLVE_METHOD_PLAIN;
    bool kept = false;
    j->by_multigrid = false;
    if (j->plan.multigrid_auto && j->plan.multigrid) {
        NAIK_PASS(try_columns(j, first, &method, &kept, interrupted));
    }
    if (method == SOLVE_METHOD_MULTIGRID && !*interrupted && !j->guard.links_lost) {
        NAIK_PASS(solve_multigrid_ready(j, solve_quark(j, first), storage,
                                        j->plan.multigrid_auto && !kept, setup_s, interrupted));
        j->by_multigrid = j->pending_count > 0 && quark_multigrid_use(&j->multigrid) != NULL;
    }
    if (!j->by_multigrid && j->multigrid.mg != NULL && j->plan.multigrid_batch < j->plan.batch) {
        quark_multigrid_close(&j->multigrid); /* memory holds it beside its own batch only */
    }
    return NAIK_OK;
}

/* The open solves that share operator and modes with `first`; then those of the same operator whose sources are
 * made of the solutions of these. */
static naik_status solve_pending(solve_job *j, int first, bool *interrupted)
{
    naik_status status = NAIK_OK, filed;
    quark_solver s = {.solver = NULL};
    naik_multishift *multishift = NULL;
    const int all = 2 * j->input->task_count;
    const naik_quark *quark = solve_quark(j, first);
    const double begin_s = naik_time_s();
    double setup_s = 0;
    int next = first;
    list_pending(j, first, all);
    const int batch = solves_at_a_time(j, first);
    const naik_set_storage storage = {j->plan.links, j->plan.recon, j->plan.vectors, batch};
    NAIK_TRY(make_operators(j, first, &storage));
    solve_report_links(j, quark, naik_time_s() - begin_s);
    NAIK_TRY(choose(j, first, &storage, &setup_s, interrupted));
    const int width =
        j->by_multigrid && batch > j->plan.multigrid_batch ? j->plan.multigrid_batch : batch;
    if (*interrupted || j->guard.links_lost || (j->groups == NULL && j->pending_count == 0)) {
        goto done;
    }
    if (j->pending_count > 0) {
        status = make_solver(
            j, j->by_multigrid ? &naik_solver_multigrid : solve_plan_solver(j->input), width, &s);
    }
    NAIK_TRY(solve_groups_agree(j, status));
    do {
        NAIK_TRY(solve_listed(j, &s, width, &multishift, interrupted));
        next = *interrupted || j->groups != NULL || any_listed_open(j) ? -1 : next_task(j, first);
        if (next >= 0) {
            list_pending(j, next, all);
        }
    } while (next >= 0);
    NAIK_TRY(solve_report_multigrid(j, quark, setup_s));
    if (j->guard.links_lost) { /* it may have been made of them, or is what was lost */
        quark_multigrid_close(&j->multigrid);
    }
done:
    filed = filed_modes_end(&j->filed, status);
    status = status == NAIK_OK ? note_unfiled(j, filed) : filed;
    contract_ahead_rest(j->ahead);
    naik_multishift_destroy(&multishift);
    quark_solver_clear(&s);
    naik_modes_destroy(&j->modes);
    naik_operator_set_destroy(&j->set);
    return status;
}

static bool any_open(const solve_job *j)
{
    bool any = false;
    for (int i = 0; i < j->input->task_count; i++) {
        any = any || is_open(j, i);
    }
    return any;
}

/* What an earlier run kept: a group restores of it what it solves, all ranks save. */
static naik_status open_checkpoint(solve_job *j)
{
    NAIK_PASS(naik_checkpoint_open(j->file, j->whole, &j->checkpoint));
    if (j->groups != NULL && naik_checkpoint_count(j->checkpoint) > 0) {
        NAIK_PASS(solve_groups_agree(j, naik_checkpoint_open(j->file, j->lattice, &j->restored)));
    }
    return NAIK_OK;
}

naik_status solve_work(solve_job *j, bool *interrupted)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(open_checkpoint(j));
    for (int next = next_task(j, -1); next >= 0 && !*interrupted;) {
        const int first = next;
        NAIK_TRY(solve_pending(j, first, interrupted));
        next = next_task(j, first);
        next = next >= 0 ? next : next_task(j, -1);
    }
    *interrupted = *interrupted && any_open(j);
    if (*interrupted) {
        NAIK_TRY(naik_checkpoint_publish(j->checkpoint));
    }
    if (j->unfiled != NAIK_OK) {
        naik_log_adopt(j->log, &j->unfiled_why);
        status = j->unfiled;
    }
done:
    quark_multigrid_close(&j->multigrid);
    return status;
}
