/* plan_modes.c - which solves a plan deflates, and what it tells of low modes */
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "plan/mode_count.h"
#include "plan/plan.h"

bool solve_plan_pays(const solve_plan *plan, const naik_input *input, const naik_quark *quark)
{
    return plan->modes > 0 && (!plan->modes_chosen || plan->modes_stored ||
                               mode_count_pays(input, plan->modes, quark));
}

bool solve_plan_deflates(const solve_plan *plan, const naik_input *input, int solve, int mass)
{
    return input->solve[solve].deflate &&
           solve_plan_pays(plan, input, naik_input_quark(input, solve, mass));
}

/* What `auto` chose, and why. */
static void print_chosen(const solve_plan *plan, const naik_input *input, naik_log *log)
{
    const int usual = plan->modes > 0 ? plan->modes : NAIK_MODES_BLOCK;
    const mode_cost cost = mode_cost_of(input, usual, plan->modes > 0 && !plan->modes_stored);
    char room[96] = "";
    snprintf(room, sizeof room, "%s", mode_count_averages(input) ? "; averages need them" : "");
    if (plan->modes_bound) {
        naik_text_append(room, sizeof room, "; memory holds at most %d", plan->modes_most);
    }
    if (plan->modes_stored) {
        naik_log_line(log, "modes: auto takes the %d modes of %s%s", plan->modes,
                      input->deflation.file, room);
    } else if (plan->modes > 0) {
        naik_log_line(
            log,
            "modes: auto takes %d modes: with them %d solves take about %.0f iterations instead of "
            "%.0f, and finding the modes costs as much as %.0f iterations%s",
            plan->modes, cost.solves, cost.with, cost.plain, cost.search, room);
    } else {
        naik_log_line(
            log,
            "modes: auto takes none, because modes would not pay: %d solves take about "
            "%.0f iterations without modes, and %.0f with %d modes, which cost as much as "
            "%.0f iterations to find%s",
            cost.solves, cost.plain, cost.with, usual, cost.search, room);
    }
}

/* What is expected of modes, by the rule; sources have the columns and masses of the input's. */
void solve_plan_print_modes(const solve_plan *plan, const naik_input *input, naik_log *log)
{
    if (plan->modes_chosen) {
        print_chosen(plan, input, log);
    }
    if (plan->modes == 0) {
        return;
    }
    const mode_cost cost =
        mode_cost_of(input, plan->modes, plan->modes_chosen && !plan->modes_stored);
    const double from = mode_cost_break_even(&cost);
    char search[160] = "The modes are there already";
    if (!plan->modes_stored) {
        snprintf(search, sizeof search, "Finding the modes costs as much as %.0f iterations",
                 cost.search);
        if (isfinite(from)) {
            naik_text_append(search, sizeof search, ", which %.0f source%s back", from,
                             from == 1 ? " earns" : "s earn");
        }
    }
    char each[48] = "";
    if (cost.sets > 1) {
        snprintf(each, sizeof each, " for each of %d Naik epsilons", cost.sets);
    }
    naik_log_line(log,
                  "modes: %d low modes%s, the last with a lambda of about %.2g. A source takes "
                  "about %.0f iterations without modes and %.0f with them. %s. This input has %d "
                  "source%s",
                  plan->modes, each, cost.lambda, cost.plain / fmax(cost.sources, 1),
                  cost.with / fmax(cost.sources, 1), search, cost.sources,
                  cost.sources == 1 ? "" : "s");
}
