/* plan_print.c - the plan as a run says it
 */
#include <math.h>

#include "base/text.h"
#include "lattice/grid.h"
#include "plan/plan_multigrid.h"

naik_status solve_plan_print_lattice(const naik_geometry *geometry)
{
    naik_grid_cost cost;
    naik_log *log = geometry->backend->log;
    const naik_lattice *lat = geometry->lattice;
    NAIK_PASS(naik_grid_cost_here(lat->comm, lat->size, lat->grid, &cost));
    naik_log_line(log, "lattice: %dx%dx%dx%d, process grid %dx%dx%dx%d, %dx%dx%dx%d a rank",
                  lat->size[0], lat->size[1], lat->size[2], lat->size[3], lat->grid[0],
                  lat->grid[1], lat->grid[2], lat->grid[3], lat->local[0], lat->local[1],
                  lat->local[2], lat->local[3]);
    if (lat->comm->size > 1) {
        naik_log_line(log,
                      "halo: a rank sends at most %lld face sites to ranks of its node and %lld to "
                      "other nodes",
                      (long long)cost.inside, (long long)cost.between);
    }
    return NAIK_OK;
}

enum { TOLD_MASSES = 16, TOLD_SOURCES = 16 };

/* The heaviest mass of the input that is lighter than *mass; false where there is none. */
static bool next_mass(const naik_input *input, double *mass)
{
    double next = -INFINITY;
    for (int q = 0; q < input->quark_count; q++) {
        const double m = input->quarks[q].mass;
        next = m < *mass && m > next ? m : next;
    }
    *mass = next;
    return next > -INFINITY;
}

/* "half at mass 0.05, 0.01 and classical at mass 0.002": a rung's masses are neighbours. Of many
 * masses those after the first TOLD_MASSES are left out, but where another rung begins. */
static void print_rungs(const solve_plan *plan, const naik_input *input, naik_log *log)
{
    char text[(TOLD_MASSES + NAIK_RUNGS) * 40] = "";
    naik_rung before = NAIK_RUNGS;
    double mass = INFINITY;
    bool dots = false;
    for (int i = 0; next_mass(input, &mass); i++) {
        const naik_rung rung = solve_plan_rung(plan, mass);
        if (rung != before) {
            naik_text_append(text, sizeof text, "%s%s at mass %g", i == 0 ? "" : " and ",
                             naik_rung_name(rung), mass);
        } else if (!dots) {
            naik_text_append(text, sizeof text, i < TOLD_MASSES ? ", %g" : ", ...", mass);
        }
        dots = rung == before && i >= TOLD_MASSES;
        before = rung;
    }
    naik_log_line(log, "solver: solves begin on the rung (storage precision) %s", text);
}

/* The solves that three-point functions add. */
static void print_three_points(const naik_input *input, naik_log *log)
{
    for (int i = 0; i < input->three_point_count; i++) {
        const naik_input_three_point *three = &input->three_points[i];
        int solves = 0;
        for (int s = 0; s < input->source_count; s++) {
            const bool mine = naik_input_three_point_of(input, input->sources[s].solve) == three;
            solves += mine ? three->masses.count * input->kind->columns : 0;
        }
        naik_log_line(log, "three_point: %s adds %d solves, which begin when those of %s are done",
                      three->name, solves, three->spectator);
    }
}

/* The solves that averages add, and the sources that they are of. */
static void print_averages(const naik_input *input, naik_log *log)
{
    for (int i = 0; i < input->average_count; i++) {
        const naik_input_average *average = &input->averages[i];
        const naik_input_solve *sloppy = &input->solve[average->of];
        if (average->type == NAIK_INPUT_LOW_MODES) {
            naik_log_line(
                log,
                "averages: %s: naik averages the part of the low modes in the %s of %s over "
                "all sites, which adds no solves",
                average->name, naik_input_averages_loops(input, average) ? "loops" : "mesons",
                average->pair < 0 ? sloppy->name : input->pairs[average->pair].name);
            continue;
        }
        const int each = sloppy->masses.count * input->kind->columns;
        char list[TOLD_SOURCES * 8] = "";
        for (int k = 0; k < average->subset.count && k < TOLD_SOURCES; k++) {
            naik_text_append(list, sizeof list, "%s%d", k > 0 ? ", " : "", average->subset.data[k]);
        }
        naik_log_line(
            log,
            "averages: %s: naik solves all %d sources of %s to %g, and %d of them (%s%s) to %g as "
            "well, which adds %d solves",
            average->name, sloppy->origins.count, sloppy->name, average->tolerance_sloppy,
            average->subset.count, list, average->subset.count > TOLD_SOURCES ? ", ..." : "",
            input->solve[average->exact].tolerance, average->subset.count * each);
    }
}

void solve_plan_print(const solve_plan *plan, const naik_input *input, naik_log *log)
{
    naik_log_line(log,
                  "solver: naik solves up to %d right-hand side%s together. These choices hold "
                  "for the whole output (doc/output.md): %s",
                  plan->batch, plan->batch == 1 ? "" : "s", plan->choices);
    solve_plan_print_modes(plan, input, log);
    if (plan->first_rung < 0 && plan->modes == 0) {
        print_rungs(plan, input, log);
    }
    if (input->solver.multishift == NAIK_INPUT_CHOOSE && naik_quark_shifts(input->kind)) {
        solve_plan_print_sharing(plan, input, log);
    }
    print_three_points(input, log);
    print_averages(input, log);
    naik_log_line(
        log,
        "memory: a rank needs at most %.3f of its %.1f GiB (link building %.3f; then links "
        "%.3f, packed links %.3f, fields %.3f, halos %.3f, vectors %.3f, modes %.3f)",
        solve_plan_gib(plan->total_bytes), solve_plan_gib(plan->available_bytes),
        solve_plan_gib(plan->gauge_bytes), solve_plan_gib(plan->kept_bytes),
        solve_plan_gib(plan->packed_bytes), solve_plan_gib(plan->field_bytes),
        solve_plan_gib(plan->halo_bytes), solve_plan_gib(plan->vector_bytes),
        solve_plan_gib(plan->mode_bytes));
    solve_plan_print_multigrid(plan, input, log);
    if (plan->contraction_bytes > 0) {
        naik_log_line(
            log, "memory: correlators that need several solves take %.3f GiB a rank%s, at the end",
            solve_plan_gib(plan->contraction_bytes),
            plan->packed_bytes > 0 && plan->vector_bytes == 0 ? " on the host" : "");
    }
}
