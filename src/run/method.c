/* method.c - solver.method auto: whether the solves of a quark take multigrid */
#include "run/method.h"

#include <stdio.h>
#include <string.h>

#include "solver/bicgstab.h"
#include "stored/told_multigrid.h"

const char solve_method_above[] = "above tolerance_full";

static const naik_quark *quark_of(const solve_job *j, int task)
{
    return naik_input_task_quark(j->input, task);
}

static int solve_of(const solve_job *j, int task)
{
    const naik_input_task *t = &j->input->tasks[task];
    return naik_propagator_file_solve(j->file, t->source, t->mass, t->colour);
}

static const char *plain_name(const solve_job *j)
{
    return j->input->solver.method == NAIK_METHOD_CG ? "cg" : "bicgstab";
}

bool solve_method_used(const naik_propagator_file *file)
{
    bool used = false;
    for (int i = 0; i < naik_propagator_file_solves(file); i++) {
        used = used || told_multigrid_has(naik_propagator_file_record(file, i));
    }
    return used;
}

/* Whether a record tells how its quark is solved: its solver ended well, whatever the whole lattice says. */
static bool tells(const naik_solve_record *r)
{
    return r->iterations > 0 &&
           (r->state == NAIK_SOLVE_DONE || strcmp(r->stop_reason, solve_method_above) == 0);
}

/* How the stored solves of a quark were made: by multigrid where the output has the print of its setup, whatever
 * became of the solves. Where multigrid was chosen and could not be made, they are plain. */
static naik_status of_quark(const solve_job *j, const naik_quark *quark, solve_method *out)
{
    naik_status status = NAIK_OK;
    bool plain = false, begun = false;
    *out = SOLVE_METHOD_OPEN;
    NAIK_TRY(solve_multigrid_noted(j, quark, &begun));
    for (int i = 0; i < j->input->task_count && !begun; i++) {
        const naik_solve_record *r = naik_propagator_file_record(j->file, solve_of(j, i));
        if (tells(r) && naik_quark_shares_operator(quark_of(j, i), quark)) {
            begun = told_multigrid_has(r);
            plain = true;
        }
    }
    *out = begun ? SOLVE_METHOD_MULTIGRID : plain ? SOLVE_METHOD_PLAIN : SOLVE_METHOD_OPEN;
done:
    return status;
}

static bool is_first(const solve_job *j, int task)
{
    for (int i = 0; i < task; i++) {
        if (naik_quark_shares_operator(quark_of(j, i), quark_of(j, task))) {
            return false;
        }
    }
    return true;
}

/* The first task of the quark of `task`. */
static int beginning(const solve_job *j, int task)
{
    int first = 0;
    while (!naik_quark_shares_operator(quark_of(j, first), quark_of(j, task))) {
        first++;
    }
    return first;
}

static double tolerance_of(const solve_job *j, int task)
{
    return j->input->solve[j->input->tasks[task].solve].tolerance;
}

/* What follows from quarks that come before in the input: *from is the first task of the one. */
static naik_status of_others(const solve_job *j, int first, int *from, solve_method *out)
{
    naik_status status = NAIK_OK;
    const naik_quark *mine = quark_of(j, first);
    *out = SOLVE_METHOD_OPEN;
    for (int i = 0; i < first && *out == SOLVE_METHOD_OPEN; i++) {
        const naik_quark *other = quark_of(j, i);
        solve_method its;
        if (!quark_multigrid_is_family(other, mine) || !is_first(j, i)) {
            continue;
        }
        NAIK_TRY(of_quark(j, other, &its));
        const double finer = tolerance_of(j, i), own = tolerance_of(j, first);
        *from = i;
        if ((its == SOLVE_METHOD_MULTIGRID && quark_multigrid_is_lighter(mine, other) &&
             own <= finer) ||
            (its == SOLVE_METHOD_PLAIN && quark_multigrid_is_lighter(other, mine) &&
             own >= finer)) {
            *out = its;
        }
    }
done:
    return status;
}

/* Whether an interrupted run was in the midst of multigrid, or of several columns where that could not be made:
 * columns are tried alone, the first open one. */
static naik_status is_kept(const solve_job *j, int first, bool *kept)
{
    naik_status status = NAIK_OK;
    double nothing = 0;
    bool found = false;
    *kept = false;
    for (int i = first; i < j->input->task_count && !*kept; i++) {
        naik_solver_state state = {.history = &nothing};
        if (naik_quark_shares_operator(quark_of(j, i), quark_of(j, first)) &&
            naik_propagator_file_record(j->file, solve_of(j, i))->state == NAIK_SOLVE_PENDING) {
            NAIK_TRY(naik_checkpoint_restore(j->checkpoint, solve_of(j, i), 0, &state,
                                             NAIK_SOLVER_STATE, NULL, &found));
            *kept = found && (i > first || naik_solver_state_is_multigrid(&state));
        }
    }
done:
    return status;
}

naik_status solve_method_known(const solve_job *j, int first, solve_method *out, bool *kept)
{
    naik_status status = NAIK_OK;
    const double mass = quark_of(j, first)->mass;
    int from = 0;
    NAIK_TRY(of_quark(j, quark_of(j, first), out));
    *kept = *out == SOLVE_METHOD_MULTIGRID;
    if (*out == SOLVE_METHOD_OPEN) {
        NAIK_TRY(of_others(j, beginning(j, first), &from, out));
        if (*out != SOLVE_METHOD_OPEN) {
            naik_log_line(j->log, "method: mass=%g takes %s, as the %s mass=%g did", mass,
                          *out == SOLVE_METHOD_PLAIN ? plain_name(j) : "multigrid",
                          *out == SOLVE_METHOD_PLAIN ? "lighter" : "heavier",
                          quark_of(j, from)->mass);
        }
    }
    if (*out == SOLVE_METHOD_OPEN) {
        bool begun = false;
        NAIK_TRY(is_kept(j, first, &begun));
        *out = begun ? SOLVE_METHOD_MULTIGRID : *out;
        *kept = begun;
    }
    if (*kept) {
        naik_log_line(j->log, "method: mass=%g goes on with multigrid, as it began", mass);
    }
done:
    return status;
}

/* Columns that need as many iterations at least: of the quark and the lighter ones of its family. */
static int columns_of(const solve_job *j, const naik_quark *quark)
{
    int columns = 0;
    for (int i = 0; i < j->input->task_count; i++) {
        const naik_input_task *t = &j->input->tasks[i];
        const naik_quark *other = quark_of(j, i);
        columns += quark_multigrid_is_family(other, quark) &&
                   !quark_multigrid_is_lighter(quark, other) &&
                   naik_input_asks_colour(&j->input->solve[t->solve], t->colour % 3);
    }
    return columns;
}

static naik_status is_made(const solve_job *j, int first, bool *made)
{
    naik_status status = NAIK_OK;
    *made = false;
    for (int i = 0; i < first && !*made; i++) {
        if (quark_multigrid_is_family(quark_of(j, i), quark_of(j, first)) && is_first(j, i)) {
            solve_method its;
            NAIK_TRY(of_quark(j, quark_of(j, i), &its));
            *made = its == SOLVE_METHOD_MULTIGRID;
        }
    }
done:
    return status;
}

naik_status solve_method_limit(const solve_job *j, int first, int *out)
{
    naik_status status = NAIK_OK;
    bool made = false;
    NAIK_TRY(is_made(j, beginning(j, first), &made));
    const int limit =
        solve_plan_multigrid_from(j->plan.on_host, columns_of(j, quark_of(j, first)), made);
    const int most = j->input->solver.max_iterations;
    *out = limit < most ? limit : most;
done:
    return status;
}

naik_status solve_method_after(const solve_job *j, int first, solve_method *out)
{
    naik_status status = NAIK_OK;
    char text[256];
    const double mass = quark_of(j, first)->mass;
    NAIK_TRY(of_quark(j, quark_of(j, first), out));
    *out = j->gave_up ? SOLVE_METHOD_MULTIGRID : *out;
    if (*out ==
        SOLVE_METHOD_OPEN) { /* a source of zeros tells nothing, nor does what is repeated */
        return NAIK_OK;
    }
    snprintf(text, sizeof text,
             *out == SOLVE_METHOD_MULTIGRID
                 ? "mass=%g takes multigrid: %s has not solved its first column in %d iterations, "
                   "from which on multigrid pays for its %d columns"
                 : "mass=%g stays with %s, which solved its first column in less than the %d "
                   "iterations from which on multigrid pays for its %d columns",
             mass, plain_name(j), j->tried, columns_of(j, quark_of(j, first)));
    naik_log_line(j->log, "method: %s", text);
    NAIK_TRY(naik_propagator_file_note(j->file, "method", text));
done:
    return status;
}
