/* method.c - solver.method auto: whether the solves of a quark take multigrid */
#include "run/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rough_log2.h"
#include "solver/bicgstab.h"
#include "stored/told_multigrid.h"

const char solve_method_above[] = "above tolerance_full";

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
    bool plain = false, begun = false;
    *out = SOLVE_METHOD_OPEN;
    NAIK_PASS(solve_multigrid_noted(j, quark, &begun));
    for (int i = 0; i < j->input->task_count && !begun; i++) {
        const naik_solve_record *r = solve_record(j, &j->input->tasks[i]);
        if (tells(r) && naik_quark_shares_operator(solve_quark(j, i), quark)) {
            begun = told_multigrid_has(r);
            plain = true;
        }
    }
    *out = begun ? SOLVE_METHOD_MULTIGRID : plain ? SOLVE_METHOD_PLAIN : SOLVE_METHOD_OPEN;
    return NAIK_OK;
}

bool solve_method_stored_undecided(const naik_propagator_reader *v, const naik_input *input)
{
    bool begun = false, every = true;
    for (int i = 0; i < v->text_count; i++) {
        begun = begun || (strncmp(v->texts[i].name, "run ", 4) == 0 &&
                          strstr(v->texts[i].text, "multigrid_q") != NULL);
    }
    for (int q = 0; q < input->quark_count; q++) {
        bool plain = false;
        for (int i = 0; i < v->columns * v->pair_count; i++) {
            const naik_reader_pair *pair = &v->pairs[i / v->columns];
            const naik_solve_record *r = &pair->solve[i % v->columns];
            if (pair->quark.kind != NULL && tells(r) &&
                naik_quark_shares_operator(&pair->quark, &input->quarks[q])) {
                plain = true;
                begun = begun || told_multigrid_has(r);
            }
        }
        every = every && plain;
    }
    return begun || !every;
}

/* The first task of the quark of `task`. */
static int beginning(const solve_job *j, int task)
{
    int first = 0;
    while (!naik_quark_shares_operator(solve_quark(j, first), solve_quark(j, task))) {
        first++;
    }
    return first;
}

naik_status solve_method_undecided(const solve_job *j, bool *undecided)
{
    *undecided = false;
    for (int i = 0; i < j->input->task_count && !*undecided; i++) {
        solve_method its;
        if (beginning(j, i) == i) {
            NAIK_PASS(of_quark(j, solve_quark(j, i), &its));
            *undecided = its != SOLVE_METHOD_PLAIN;
        }
    }
    return NAIK_OK;
}

static double tolerance_of(const solve_job *j, int task)
{
    return j->input->solve[j->input->tasks[task].solve].tolerance;
}

/* What follows from quarks that come before in the input: *from is the first task of the one. */
static naik_status of_others(const solve_job *j, int first, int *from, solve_method *out)
{
    const naik_quark *mine = solve_quark(j, first);
    *out = SOLVE_METHOD_OPEN;
    for (int i = 0; i < first && *out == SOLVE_METHOD_OPEN; i++) {
        const naik_quark *other = solve_quark(j, i);
        solve_method its;
        if (!quark_multigrid_is_family(other, mine) || beginning(j, i) != i) {
            continue;
        }
        NAIK_PASS(of_quark(j, other, &its));
        const double finer = tolerance_of(j, i), own = tolerance_of(j, first);
        *from = i;
        if ((its == SOLVE_METHOD_MULTIGRID && quark_multigrid_is_lighter(mine, other) &&
             own <= finer) ||
            (its == SOLVE_METHOD_PLAIN && quark_multigrid_is_lighter(other, mine) &&
             own >= finer)) {
            *out = its;
        }
    }
    return NAIK_OK;
}

/* Whether an interrupted run was in the midst of multigrid. */
static naik_status is_kept(const solve_job *j, int first, bool *kept)
{
    double nothing = 0;
    bool found = false;
    *kept = false;
    for (int i = first; i < j->input->task_count && !*kept; i++) {
        naik_solver_state state = {.history = &nothing};
        if (naik_quark_shares_operator(solve_quark(j, i), solve_quark(j, first)) &&
            solve_record(j, &j->input->tasks[i])->state == NAIK_SOLVE_PENDING) {
            NAIK_PASS(naik_checkpoint_restore(j->checkpoint, solve_number(j, &j->input->tasks[i]),
                                              0, &state, NAIK_SOLVER_STATE, NULL, &found));
            *kept = found && naik_solver_state_is_multigrid(&state);
        }
    }
    return NAIK_OK;
}

naik_status solve_method_known(const solve_job *j, int first, solve_method *out, bool *kept)
{
    char mass[NAIK_QUARK_NAME], other[NAIK_QUARK_NAME];
    int from = 0;
    naik_quark_fields(solve_quark(j, first), "", 6, mass);
    NAIK_PASS(of_quark(j, solve_quark(j, first), out));
    *kept = *out == SOLVE_METHOD_MULTIGRID;
    if (*out == SOLVE_METHOD_OPEN) {
        NAIK_PASS(of_others(j, beginning(j, first), &from, out));
        if (*out != SOLVE_METHOD_OPEN) {
            naik_log_line(j->log, "method: %s takes %s, as the %s %s did", mass,
                          *out == SOLVE_METHOD_PLAIN ? solve_plan_plain_name(j->input)
                                                     : "multigrid",
                          *out == SOLVE_METHOD_PLAIN ? "lighter" : "heavier",
                          naik_quark_fields(solve_quark(j, from), "", 6, other));
        }
    }
    if (*out == SOLVE_METHOD_OPEN) {
        bool begun = false;
        NAIK_PASS(is_kept(j, first, &begun));
        *out = begun ? SOLVE_METHOD_MULTIGRID : *out;
        *kept = begun;
    }
    if (*kept) {
        naik_log_line(j->log, "method: %s goes on with multigrid, as it began", mass);
    }
    return NAIK_OK;
}

/* Columns that need as many iterations at least: of the quark and the lighter ones of its family. */
static int columns_of(const solve_job *j, const naik_quark *quark)
{
    int columns = 0;
    for (int i = 0; i < j->input->task_count; i++) {
        const naik_input_task *t = &j->input->tasks[i];
        const naik_quark *other = solve_quark(j, i);
        columns += quark_multigrid_is_family(other, quark) &&
                   !quark_multigrid_is_lighter(quark, other) &&
                   naik_input_asks_colour(&j->input->solve[t->solve], t->colour % 3);
    }
    return columns;
}

static naik_status is_made(const solve_job *j, int first, bool *made)
{
    *made = false;
    for (int i = 0; i < first && !*made; i++) {
        if (quark_multigrid_is_family(solve_quark(j, i), solve_quark(j, first)) &&
            beginning(j, i) == i) {
            solve_method its;
            NAIK_PASS(of_quark(j, solve_quark(j, i), &its));
            *made = its == SOLVE_METHOD_MULTIGRID;
        }
    }
    return NAIK_OK;
}

bool solve_method_is_joint(const solve_job *j)
{
    return j->groups == NULL && !j->input->solver.double_check && !j->plan.multishift &&
           j->multigrid.mg == NULL;
}

naik_status solve_method_try(solve_job *j, int task, bool joint)
{
    bool made = false;
    NAIK_PASS(is_made(j, beginning(j, task), &made));
    const int limit =
        solve_plan_multigrid_from(j->plan.on_host, columns_of(j, solve_quark(j, task)), made);
    const int most = j->input->solver.max_iterations;
    j->trial = (solve_trial){.task = task,
                             .limit = limit < most ? limit : most,
                             .joint = joint,
                             .pace = joint ? NAIK_SOLVER_FIRST : NAIK_SOLVER_ALL};
    return NAIK_OK;
}

/* BiCGStab falls fast until it meets the small eigenvalues. From LOOK to twice as many iterations on, columns of
 * 91 to 94 iterations promised 80 to 93 in all, and columns of 318 to 324 promised 204 to 379
 * (tests/results/multigrid.txt). The next looks are each at twice the iterations of the one before. */
enum { LOOK = 10 };
static const double FAR_BELOW = 0.5; /* of the limit */
/* So many polls without the first column: it waits for another stage of the ladder, while the others iterate. */
enum { AWAY_MOST = 3 };

/* The first column is alone again, and nothing joins it any more. */
static void leave_alone(solve_trial *trial)
{
    trial->pace = NAIK_SOLVER_FIRST;
    trial->looked_at = trial->limit;
}

/* The place of the column that is tried among those that iterate; negative: it does not. */
static int place_of(const solve_job *j, const naik_solver_progress *progress)
{
    int place = progress->running - 1;
    while (place >= 0 && j->pending[progress->index[place]] != j->trial.task) {
        place--;
    }
    return place;
}

/* The iterations that a column takes in all if it goes on as since it was looked at last. */
static double foresee(const solve_job *j, int now, double residual)
{
    const solve_trial *trial = &j->trial;
    const double fallen = naik_rough_log2(trial->residual / residual);
    const double left = naik_rough_log2(residual / tolerance_of(j, trial->task));
    return fallen > 0 ? now + left * (now - trial->looked_at) / fallen : INFINITY;
}

void solve_method_look(solve_job *j, const naik_solver_progress *progress)
{
    solve_trial *trial = &j->trial;
    const int place = trial->pace != NAIK_SOLVER_ALL ? place_of(j, progress) : -1;
    trial->away = place < 0 ? trial->away + 1 : 0;
    if (trial->pace == NAIK_SOLVER_BESIDE && trial->away > AWAY_MOST) {
        leave_alone(trial);
    }
    if (place < 0 || progress->iterations_of[place] < LOOK ||
        progress->iterations_of[place] < 2 * trial->looked_at) {
        return;
    }
    const int now = progress->iterations_of[place];
    const double residual = progress->residual_of[place];
    const double foreseen = trial->looked_at > 0 ? foresee(j, now, residual) : trial->limit;
    trial->looked_at = now;
    trial->residual = residual;
    if (foreseen <= FAR_BELOW * trial->limit) {
        trial->pace = NAIK_SOLVER_BESIDE;
    } else if (foreseen > trial->limit && trial->pace == NAIK_SOLVER_BESIDE) {
        leave_alone(trial);
    }
}

static naik_status say(const solve_job *j, solve_method method)
{
    char text[256 + NAIK_QUARK_NAME], name[NAIK_QUARK_NAME];
    const naik_quark *quark = solve_quark(j, j->trial.task);
    snprintf(text, sizeof text,
             method == SOLVE_METHOD_MULTIGRID
                 ? "%s takes multigrid: %s has not solved the first column in %d iterations, "
                   "after which multigrid pays for %d columns"
                 : "%s stays with %s: the first column took fewer than the %d iterations "
                   "after which multigrid pays for %d columns",
             naik_quark_fields(quark, "", 6, name), solve_plan_plain_name(j->input), j->trial.limit,
             columns_of(j, quark));
    naik_log_line(j->log, "method: %s", text);
    return naik_propagator_file_note(j->file, "method", text);
}

naik_status solve_method_tell(solve_job *j, const naik_solve_record *record)
{
    solve_trial *trial = &j->trial;
    trial->told = tells(record);
    trial->over = !trial->told; /* a source of zeros tells nothing */
    trial->pace = trial->told ? NAIK_SOLVER_ALL : trial->pace;
    return trial->told ? say(j, SOLVE_METHOD_PLAIN) : NAIK_OK;
}

naik_status solve_method_after(const solve_job *j, int first, solve_method *out)
{
    if (j->trial.told) {
        *out = SOLVE_METHOD_PLAIN;
        return NAIK_OK;
    }
    NAIK_PASS(of_quark(j, solve_quark(j, first), out));
    *out = j->trial.gave_up ? SOLVE_METHOD_MULTIGRID : *out;
    if (*out != SOLVE_METHOD_OPEN) { /* nor does what is repeated */
        NAIK_PASS(say(j, *out));
    }
    return NAIK_OK;
}
