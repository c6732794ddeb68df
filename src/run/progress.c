/* progress.c - how far a run is, while it iterates
 *
 * On a terminal one line that stays in place; in a log file a line now and then, when nothing else
 * was said for run.progress_interval. A solve is as long as the model expects, and what is left of one
 * goes by the logarithm of its residual.
 */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "base/timer.h"
#include "model/deflation.h"
#include "run/job.h"

enum { LIVE_PER_S = 5 };

/* Iterations that the model expects, as a plan does; with low modes those of the modes that are removed, and what removing
 * them takes. */
static double weight_of(const solve_job *j, const naik_input_task *task)
{
    const naik_quark *quark = &j->input->quarks[task->quark];
    const double tolerance = j->input->solve[task->solve].tolerance;
    const model_iterations plain =
        model_iterations_ahead(quark->kind->costs.by_mass, quark->mass, tolerance, 1);
    if (!solve_plan_deflates(&j->plan, j->input, task->solve, task->mass)) {
        return plain.expected;
    }
    const double lambda = j->plan.modes / model_mode_density(j->input->lattice.size);
    return model_iterations_deflated(plain, quark->mass, lambda, tolerance, 1).expected +
           model_deflating_iterations(j->plan.modes, j->input->deflation.precision, tolerance,
                                      j->input->deflation.again);
}

void solve_progress_begin(solve_job *j)
{
    solve_progress *p = &j->progress;
    *p = (solve_progress){.start_s = naik_time_s()};
    p->spoke_s = p->looked_s = p->start_s;
    for (int i = 0; i < j->input->task_count; i++) {
        const naik_input_task *task = &j->input->tasks[i];
        const bool pending = solve_record(j, task)->state == NAIK_SOLVE_PENDING;
        p->work_left += pending ? weight_of(j, task) : 0;
    }
    p->work = p->work_left;
}

void solve_progress_passed(solve_job *j, double seconds)
{
    j->progress.start_s += seconds;
    j->progress.looked_s += seconds;
}

void solve_progress_done(solve_job *j, const naik_input_task *task,
                         const naik_propagator_result *result)
{
    solve_progress *p = &j->progress;
    p->work_left -= weight_of(j, task);
    p->iterations += result->cg.iterations;
    p->flops_per_iteration =
        result->cg.iterations > 0 ? result->flops / result->cg.iterations : p->flops_per_iteration;
    p->spoke_s = naik_time_s();
}

double solve_progress_left_s(const solve_job *j, double in_flight)
{
    const solve_progress *p = &j->progress;
    const double done = p->work - p->work_left + in_flight;
    const double elapsed_s = naik_time_s() - p->start_s;
    return done > 0 ? elapsed_s * (p->work_left - in_flight) / done : INFINITY;
}

void solve_progress_text(double left_s, char text[SOLVE_LEFT_TEXT])
{
    const long s = left_s < 1e7 ? lround(left_s) : 0;
    text[0] = '\0';
    if (s >= 3600) {
        snprintf(text, SOLVE_LEFT_TEXT, ", %ld:%02ld:%02ld left", s / 3600, s / 60 % 60, s % 60);
    } else if (s > 0) {
        snprintf(text, SOLVE_LEFT_TEXT, ", %ld:%02ld left", s / 60, s % 60);
    }
}

void solve_progress_speed_text(double per_s, double flops_per_iteration,
                               char text[SOLVE_SPEED_TEXT])
{
    text[0] = '\0';
    if (per_s > 0) {
        snprintf(text, SOLVE_SPEED_TEXT, ", %.*f iterations/s", per_s < 9.95 ? 2 : 0, per_s);
        if (flops_per_iteration > 0) {
            naik_text_append(text, SOLVE_SPEED_TEXT, ", %.1f GFLOP/s",
                             1e-9 * per_s * flops_per_iteration);
        }
    }
}

/* The work that the running rhs have behind them. */
static double work_in_flight(const solve_job *j, const naik_solver_progress *now)
{
    double work = 0;
    for (int i = 0; i < now->running; i++) {
        const naik_input_task *task = solve_task(j, now->index[i]);
        const double way = log(now->residual_of[i]) / log(j->input->solve[task->solve].tolerance);
        work += weight_of(j, task) * (way > 0 ? fmin(way, 0.99) : 0);
    }
    return work;
}

/* Iterations of all rhs a second, since the last line; 0: not known, as after a column was dropped. */
static double rate(solve_progress *p, const naik_solver_progress *now, double now_s)
{
    double iterations = p->iterations;
    for (int i = 0; i < now->running; i++) {
        iterations += now->iterations_of[i];
    }
    const double per_s = now_s > p->looked_s && iterations > p->looked_iterations
                             ? (iterations - p->looked_iterations) / (now_s - p->looked_s)
                             : 0;
    p->looked_s = now_s;
    p->looked_iterations = iterations;
    return per_s;
}

void solve_progress_poll(solve_job *j, const naik_solver_progress *now)
{
    solve_progress *p = &j->progress;
    const int how = j->input->run.progress;
    const double now_s = naik_time_s();
    char line[192], rest[SOLVE_LEFT_TEXT], speed[SOLVE_SPEED_TEXT];
    p->iterated = true;
    const bool due = now_s - p->spoke_s >= j->input->run.progress_interval_s;
    const bool live = how == NAIK_INPUT_PROGRESS_AUTO && now_s - p->looked_s >= 1.0 / LIVE_PER_S;
    if (j->comm->rank != 0 || how == NAIK_INPUT_PROGRESS_OFF || now->running == 0 ||
        !(due || live)) {
        return;
    }
    solve_progress_speed_text(rate(p, now, now_s), p->flops_per_iteration, speed);
    solve_progress_text(solve_progress_left_s(j, work_in_flight(j, now)), rest);
    snprintf(line, sizeof line,
             "progress: %d/%d solves, %d running, iteration %d, residual %.1e%s%s", j->done,
             j->total, now->running, now->iterations, now->residual, speed, rest);
    if (how == NAIK_INPUT_PROGRESS_AUTO && naik_log_live(j->log, "%s", line)) {
        return;
    }
    if (due) {
        naik_log_line(j->log, "%s", line);
        p->spoke_s = now_s;
    }
}
