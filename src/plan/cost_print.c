/* cost_print.c - what cost.c found, as tables or as JSON; every figure with its origin */
#include <math.h>
#include <stdio.h>

#include "base/report.h"
#include "base/text.h"
#include "plan/cost_multigrid.h"
#include "quark/multigrid.h"
#include "solver/bicgstab.h"

enum { TIME_TEXT = 32, GRID_TEXT = 48 };

static void clock_text(double seconds, char text[TIME_TEXT])
{
    const long whole = lround(fmin(seconds, 1e9));
    snprintf(text, TIME_TEXT, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
}

static void grid_text(const int grid[NAIK_DIM], char text[GRID_TEXT])
{
    snprintf(text, GRID_TEXT, "%dx%dx%dx%d", grid[0], grid[1], grid[2], grid[3]);
}

static bool any_by_multigrid(const cost *c)
{
    for (int i = 0; i < c->mass_count; i++) {
        if (c->masses[i].multigrid) {
            return true;
        }
    }
    return false;
}

static const char *iterations_of_spinors(const cost *c)
{
    if (any_by_multigrid(c)) {
        return c->told.multigrid.count > 0
                   ? "measured by the pilot run at the nearest mass, scaled by ln(2/tolerance); "
                     "for multigrid these are outer iterations"
                   : "for multigrid 18 outer iterations at a tolerance of 1e-10, with 22 coarse "
                     "steps in each, are assumed (tests/results/multigrid.txt has 10 to 28, and 3 "
                     "to 46). Outer "
                     "iterations hardly depend on the mass. --from PROP.h5 takes those of a run";
    }
    return c->told.plain.count > 0
               ? "measured by the pilot run at the nearest mass, scaled by ln(2/tolerance)"
               : "assumed, 100 at a tolerance of 1e-10: they depend on the critical mass of the "
                 "configuration. --from PROP.h5 takes those of a run";
}

static const char *iterations_origin(const cost *c)
{
    if (!c->kind->costs.by_mass) {
        return iterations_of_spinors(c);
    }
    return c->told.plain.count > 0
               ? "measured by the pilot run, scaled from the nearest mass by 1/asinh(mass/2.11) "
                 "and ln(2/tolerance)"
               : "ln(2/tolerance)/(2 asinh(mass/2.11)), which is 25/mass at a tolerance of 1e-10 "
                 "for light masses. Measured on one 32^4 "
                 "configuration (tests/results/h200.txt): 491 at 0.05, 2408 at 0.01, 11080 at "
                 "0.002, 13700 at "
                 "0.0005";
}

static const char *times_origin(const cost *c)
{
    return c->machine.measured ? c->kind->costs.origin : c->kind->costs.origin_elsewhere;
}

static const char modes_origin[] =
    "25/hypot(mass, lambda) iterations, 740 modes a time slice of 6 fm and unit of lambda, 6.5 "
    "n/lambda_n applications of D D in the search for n modes (doc/deflation.md): predicted, not "
    "measured";
static const char multigrid_origin[] = "from a model fitted to one and two H100 at 24^3x48 "
                                       "(tests/results/multigrid.txt), with the bandwidths of "
                                       "this machine; on more GPUs nothing was measured";
static const char memory_origin[] = "from the memory plan that the run itself makes";
static const char wall_origin[] = "20 s to start, files at 1 GB/s a node (assumed), links "
                                  "(tests/results/h200.txt bench=links), and the "
                                  "solves";
static const char limit_origin[] =
    "1.3 times the wall time with the most iterations, and 5 minutes to stop, rounded up to 10 "
    "minutes";

/* ---- JSON */

static void put_masses(naik_report *r, const cost *c)
{
    naik_report_list(r, "masses");
    for (int i = 0; i < c->mass_count; i++) {
        const cost_mass *m = &c->masses[i];
        naik_report_begin(r, NULL);
        naik_quark_report(r, m->quark);
        naik_report_real(r, "tolerance", m->tolerance);
        naik_report_int(r, "solves", m->solves);
        naik_report_real(r, "iterations", round(m->iterations.expected));
        naik_report_real(r, "least", round(m->iterations.least));
        naik_report_real(r, "most", round(m->iterations.most));
        naik_report_end(r);
    }
    naik_report_end(r);
}

static void put_modes(naik_report *r, const cost *c, const cost_case *n)
{
    const cost_modes *m = &n->modes;
    naik_report_begin(r, "deflation");
    naik_report_int(r, "modes", n->plan.modes);
    naik_report_int(r, "mode_bytes", n->plan.mode_bytes);
    naik_report_real(r, "lambda", m->rule.lambda);
    naik_report_int(r, "searches", m->rule.sets);
    naik_report_real(r, "search_iterations", m->rule.search);
    naik_report_real(r, "search_s", m->search_s);
    naik_report_int(r, "sources", m->rule.sources);
    naik_report_real(r, "source_s_without", m->plain_s / fmax(m->rule.sources, 1));
    naik_report_real(r, "source_s", m->with_s / fmax(m->rule.sources, 1));
    if (isfinite(m->break_even)) {
        naik_report_real(r, "break_even_sources", m->break_even);
    }
    naik_report_list(r, "iterations");
    for (int i = 0; i < c->mass_count; i++) {
        naik_report_begin(r, NULL);
        naik_quark_report(r, c->masses[i].quark);
        naik_report_real(r, "iterations", round(m->iterations[i].expected));
        naik_report_end(r);
    }
    naik_report_end(r);
    naik_report_end(r);
}

static void put_multigrid(naik_report *r, const cost *c, const cost_case *n)
{
    const cost_multigrid *g = &n->multigrid;
    naik_report_list(r, "multigrid");
    for (int i = 0; i < c->mass_count; i++) {
        const cost_mass *m = &c->masses[i];
        naik_report_begin(r, NULL);
        naik_quark_report(r, m->quark);
        naik_report_bool(r, "taken", m->multigrid);
        naik_report_real(r, "outer", round(m->outer.expected));
        naik_report_real(r, "coarse_steps", m->steps.expected);
        naik_report_real(r, "seconds", g->solve_s[i]);
        naik_report_real(r, "setup_s", g->make_s[i]);
        naik_report_real(r, "try_s", g->try_s[i]);
        naik_report_end(r);
    }
    naik_report_end(r);
}

static void put_case(naik_report *r, const cost *c, const cost_case *n)
{
    static const char *const verdicts[] = {"fits", "no process grid", "does not fit"};
    char grid[GRID_TEXT];
    naik_report_begin(r, NULL);
    naik_report_int(r, "nodes", n->nodes);
    naik_report_int(r, "gpus", n->gpus);
    naik_report_int(r, "groups", n->groups);
    naik_report_text(r, "verdict", verdicts[n->verdict]);
    if (n->verdict != COST_NO_GRID) {
        grid_text(n->grid, grid);
        naik_report_text(r, "grid", grid);
        naik_report_int(r, "memory_bytes", n->plan.total_bytes);
        naik_report_int(r, "available_bytes", n->plan.available_bytes);
    }
    if (n->plan.modes_bound) {
        naik_report_int(r, "modes_that_fit", n->plan.modes_most);
    }
    if (n->verdict == COST_FITS) {
        naik_report_int(r, "batch", n->plan.batch);
        if (n->plan.multigrid) {
            naik_report_int(r, "multigrid_batch", n->plan.multigrid_batch);
        }
        naik_report_text(r, "choices", n->plan.choices);
        naik_report_list(r, "solves");
        for (int i = 0; i < c->mass_count; i++) {
            naik_report_begin(r, NULL);
            naik_quark_report(r, c->masses[i].quark);
            naik_report_real(r, "us_per_iteration", n->us_per_iteration[i]);
            naik_report_real(r, "seconds", n->solve_s[i]);
            naik_report_end(r);
        }
        naik_report_end(r);
        if (n->plan.modes > 0) {
            put_modes(r, c, n);
        }
        if (n->plan.multigrid) {
            put_multigrid(r, c, n);
        }
        naik_report_real(r, "links_s", n->links_s);
        naik_report_real(r, "files_s", n->io_s);
        naik_report_real(r, "solves_s", n->solves_s);
        naik_report_real(r, "wall_s", n->wall_s);
        naik_report_real(r, "node_hours", n->node_hours);
        naik_report_int(r, "output_bytes", n->output_bytes);
        naik_report_real(r, "wall_limit_s", n->limit_s);
        naik_report_int(r, "best_groups", n->best);
        naik_report_real(r, "best_groups_wall_s", n->best_s);
    }
    naik_report_end(r);
}

static naik_status print_json(naik_log *log, const cost *c)
{
    naik_report *r = naik_report_create();
    if (r == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a report");
    }
    naik_report_text(r, "machine", c->machine.name);
    naik_report_int(r, "gpus_per_node", c->machine.node_size);
    naik_report_real(r, "memory_gib", c->machine.memory_gib);
    naik_report_bool(r, "measured", c->machine.measured);
    naik_report_int(r, "solves", c->solves);
    naik_report_int(r, "groups", c->groups);
    naik_report_text(r, "pilot", c->pilot);
    naik_report_int(r, "smallest_nodes", c->smallest);
    put_masses(r, c);
    naik_report_list(r, "nodes");
    for (int i = 0; i < c->case_count; i++) {
        put_case(r, c, &c->cases[i]);
    }
    naik_report_end(r);
    naik_report_begin(r, "origin");
    naik_report_text(r, "memory", memory_origin);
    naik_report_text(r, "iterations", iterations_origin(c));
    naik_report_text(r, "times", times_origin(c));
    naik_report_text(r, "modes", modes_origin);
    naik_report_text(r, "wall", wall_origin);
    naik_report_text(r, "wall_limit", limit_origin);
    naik_report_end(r);
    naik_report_list(r, "figures");
    for (int i = 0; i < MODEL_FIGURES; i++) {
        naik_report_begin(r, NULL);
        naik_report_text(r, "name", model_figure_text(i));
        naik_report_real(r, "value", c->machine.figures[i].value);
        naik_report_text(r, "source", model_source_text(c->machine.figures[i].from));
        naik_report_end(r);
    }
    naik_report_end(r);
    naik_status status = naik_report_print(r, log, true);
    naik_report_destroy(&r);
    return status;
}

/* ---- for people */

/* Columns of a table: kappa, where the quarks have one, and mass. */
enum { QUARK_TEXT = NAIK_QUARK_NAME + 32 };

static const char *quark_head(const cost *c)
{
    return naik_quark_kappa(c->masses[0].quark) > 0 ? "       kappa     mass" : "    mass";
}

static const char *quark_cells(const cost_mass *m, char text[QUARK_TEXT])
{
    char kappa[NAIK_QUARK_NAME];
    naik_quark_kappa_text(m->quark, kappa);
    snprintf(text, QUARK_TEXT, kappa[0] != '\0' ? "%12s " : "%s", kappa);
    naik_text_append(text, QUARK_TEXT, "%8g", m->mass);
    return text;
}

static void print_masses(naik_log *log, const cost *c)
{
    char quark[QUARK_TEXT];
    naik_log_line(log, "%s %10s %7s %11s  %s", quark_head(c), "tolerance", "solves", "iterations",
                  "range");
    for (int i = 0; i < c->mass_count; i++) {
        const cost_mass *m = &c->masses[i];
        naik_log_line(log, "%s %10g %7d %11.0f  %.0f to %.0f", quark_cells(m, quark), m->tolerance,
                      m->solves, m->iterations.expected, m->iterations.least, m->iterations.most);
    }
    if (c->told.deflated.count > 0) {
        naik_log_line(
            log,
            "iterations of solves with %d modes removed come from the pilot run, and those without "
            "modes %s",
            c->told.deflated.modes, c->told.plain.count > 0 ? "as well" : "from the rule");
    }
    if (c->told.plain.count == 0 && c->kind->costs.by_mass) {
        naik_log_line(
            log,
            "iterations of light masses depend on the lowest modes of the configuration, which "
            "are not known here; --from PROP.h5 takes those of a pilot run%s",
            c->told.deflated.count > 0 ? " without modes" : "");
    }
}

static void print_case(naik_log *log, const cost_case *n, bool by_multigrid)
{
    char grid[GRID_TEXT], wall[TIME_TEXT], limit[TIME_TEXT];
    grid_text(n->grid, grid);
    clock_text(n->wall_s, wall);
    clock_text(n->limit_s, limit);
    if (n->verdict == COST_NO_GRID) {
        naik_log_line(log, "%5d %5d  no process grid cuts the lattice for these GPUs%s%s", n->nodes,
                      n->gpus, n->groups > 1 ? " and for those of a group" : "",
                      by_multigrid ? ", with whole aggregates" : "");
    } else if (n->verdict == COST_NO_MEMORY) {
        char fewer[48] = "";
        if (n->plan.modes_bound) {
            snprintf(fewer, sizeof fewer, ", %d modes would fit", n->plan.modes_most);
        }
        naik_log_line(log, "%5d %5d  %-11s %7.2f  more than the %.2f GiB of a GPU%s", n->nodes,
                      n->gpus, grid, solve_plan_gib(n->plan.total_bytes),
                      solve_plan_gib(n->plan.available_bytes), fewer);
    } else {
        naik_log_line(log, "%5d %5d  %-11s %7.2f %6d %10s %11.2f %10s", n->nodes, n->gpus, grid,
                      solve_plan_gib(n->plan.total_bytes), n->plan.batch, wall, n->node_hours,
                      limit);
    }
}

static bool any_fits(const cost *c)
{
    for (int i = 0; i < c->case_count; i++) {
        if (c->cases[i].verdict == COST_FITS) {
            return true;
        }
    }
    return false;
}

static void print_solves(naik_log *log, const cost *c)
{
    if (!any_fits(c)) {
        return;
    }
    char quark[QUARK_TEXT];
    naik_log_line(log, "%5s %s %10s %13s %8s", "nodes", quark_head(c), "tolerance", "us/iteration",
                  "s/solve");
    for (int i = 0; i < c->case_count; i++) {
        const cost_case *n = &c->cases[i];
        for (int k = 0; k < c->mass_count && n->verdict == COST_FITS; k++) {
            naik_log_line(log, "%5d %s %10g %13.1f %8.3g", n->nodes,
                          quark_cells(&c->masses[k], quark), c->masses[k].tolerance,
                          n->us_per_iteration[k], n->solve_s[k]);
        }
    }
}

/* A line a number of nodes: a source has the columns and masses of the input's. */
static void print_modes(naik_log *log, const naik_input *input, const cost *c)
{
    if (input->deflation.modes == 0) {
        return;
    }
    naik_log_line(log, "%5s %5s %8s %10s %9s %14s %11s %10s", "nodes", "modes", "lambda", "GiB/GPU",
                  "search s", "s/source plain", "with modes", "pay from");
    for (int i = 0; i < c->case_count; i++) {
        const cost_case *n = &c->cases[i];
        const cost_modes *m = &n->modes;
        const double sources = fmax(m->rule.sources, 1);
        char pays[TIME_TEXT];
        snprintf(pays, sizeof pays, isfinite(m->break_even) ? "%.0f" : "never", m->break_even);
        if (n->verdict == COST_FITS && n->plan.modes == 0) {
            naik_log_line(log, "%5d %5d  do not pay for these solves%s", n->nodes, 0,
                          n->plan.modes_bound ? " with what memory holds" : "");
        } else if (n->verdict == COST_FITS) {
            naik_log_line(log, "%5d %5d %8.3g %10.2f %9.3g %14.3g %11.3g %10s", n->nodes,
                          n->plan.modes, m->rule.lambda, solve_plan_gib(n->plan.mode_bytes),
                          m->search_s, m->plain_s / sources, m->with_s / sources, pays);
        }
    }
    naik_log_line(log, "modes: %s", modes_origin);
}

/* A line a number of nodes and mass: a source has the columns of the quark. */
static void print_multigrid(naik_log *log, const naik_input *input, const cost *c)
{
    bool any = false;
    char quark[QUARK_TEXT], name[NAIK_QUARK_NAME];
    for (int i = 0; i < c->case_count; i++) {
        const cost_case *n = &c->cases[i];
        for (int k = 0; k < c->mass_count && n->verdict == COST_FITS && n->plan.multigrid; k++) {
            const cost_mass *m = &c->masses[k];
            if (!any) {
                naik_log_line(log, "%5s %s %5s %6s %9s %8s  %s", "nodes", quark_head(c), "outer",
                              "coarse", "s/source", "setup s", "multigrid");
            }
            any = true;
            naik_log_line(log, "%5d %s %5.0f %6.0f %9.3g %8.3g  %s", n->nodes,
                          quark_cells(m, quark), m->outer.expected, m->steps.expected,
                          c->kind->columns * n->multigrid.solve_s[k], n->multigrid.make_s[k],
                          m->multigrid ? "taken" : "not taken");
        }
    }
    if (any) {
        naik_log_line(log, "multigrid: %s", multigrid_origin);
    }
    for (int k = 0; k < c->mass_count && any && input->solver.method_auto; k++) {
        naik_log_line(log,
                      "multigrid: at %s auto changes to multigrid if %s has not solved the first "
                      "column in %d iterations; the plan %s",
                      naik_quark_phrase(c->masses[k].quark, 6, name), solve_plan_plain_name(input),
                      cost_multigrid_limit(input, c, k),
                      c->masses[k].multigrid ? "assumes that it does" : "assumes that it does not");
    }
}

/* Its size is known where the run fits, and the same for any number of nodes. */
static void print_output(naik_log *log, const naik_input *input, const cost *c)
{
    int64_t output_bytes = 0;
    for (int i = 0; i < c->case_count; i++) {
        output_bytes = c->cases[i].verdict == COST_FITS ? c->cases[i].output_bytes : output_bytes;
    }
    if (output_bytes > 0) {
        naik_log_line(log, "output: %s, %.3f GiB", input->output.file,
                      solve_plan_gib(output_bytes));
    }
}

/* Which numbers of groups are best, where they are not those of the table. */
static void print_groups(naik_log *log, const cost *c)
{
    for (int i = 0; i < c->case_count; i++) {
        const cost_case *n = &c->cases[i];
        char wall[TIME_TEXT];
        clock_text(n->best_s, wall);
        if (n->verdict != COST_FITS) {
            continue;
        }
        if (c->groups == NAIK_INPUT_GROUPS_AUTO) {
            naik_log_line(log, "groups: on %d node%s auto takes %d group%s of %d GPU%s", n->nodes,
                          n->nodes == 1 ? "" : "s", n->groups, n->groups == 1 ? "" : "s",
                          n->gpus / n->groups, n->gpus == n->groups ? "" : "s");
        } else if (n->best != n->groups) {
            naik_log_line(
                log, "groups: on %d node%s run.groups %d would be fastest, with a wall time of %s",
                n->nodes, n->nodes == 1 ? "" : "s", n->best, wall);
        }
    }
}

static void print_people(naik_log *log, const naik_input *input, const cost *c)
{
    const int *s = input->lattice.size;
    naik_log_line(log, "plan: %dx%dx%dx%d, %d solves on %s, %d GPUs a node (%s)%s", s[0], s[1],
                  s[2], s[3], c->solves, c->machine.name, c->machine.node_size, c->machine.device,
                  c->machine.measured ? "" : ": predicted, not measured");
    print_masses(log, c);
    if (c->groups == NAIK_INPUT_GROUPS_AUTO) {
        naik_log_line(log,
                      "groups: naik takes the number of groups that is fastest; grid, memory and "
                      "batch are those of a group");
    } else if (c->groups > 1) {
        naik_log_line(log,
                      "groups: %d groups of GPUs solve different sources; grid, memory and batch "
                      "are those of a group",
                      c->groups);
    }
    naik_log_line(log, "%5s %5s  %-11s %7s %6s %10s %11s %10s", "nodes", "GPUs", "grid", "GiB/GPU",
                  "batch", "wall time", "node-hours", "ask for");
    for (int i = 0; i < c->case_count; i++) {
        print_case(log, &c->cases[i], quark_multigrid_is_asked(input));
    }
    print_groups(log, c);
    print_solves(log, c);
    print_modes(log, input, c);
    print_multigrid(log, input, c);
    print_output(log, input, c);
    if (c->smallest > 0) {
        naik_log_line(log, "fewest nodes: %d node%s of %s hold%s the run", c->smallest,
                      c->smallest == 1 ? "" : "s", c->machine.name, c->smallest == 1 ? "s" : "");
    }
    naik_log_line(log, "GiB/GPU: %s", memory_origin);
    naik_log_line(log, "iterations: %s", iterations_origin(c));
    naik_log_line(log, "s/solve: %s (doc/performance-model.md)", times_origin(c));
    naik_log_line(log, "wall time: %s", wall_origin);
    naik_log_line(log, "ask for: %s", limit_origin);
    naik_log_line(log,
                  "naik read no file that the input names; --dry-run without --machine reads them");
}

naik_status cost_print(naik_comm *comm, const naik_input *input, const cost *c, bool json)
{
    naik_status status = NAIK_OK;
    if (json) {
        status = print_json(comm->log, c);
    } else {
        print_people(comm->log, input, c);
    }
    if (status == NAIK_OK && !c->any_grid && c->groups > 1) {
        status = NAIK_FAIL(
            comm->log, NAIK_ERR_INPUT,
            "no number of nodes of %s has process grids for run.groups %d: all groups must "
            "have equally many GPUs, and it must be possible to cut the lattice for all "
            "GPUs and for those of a group, into boxes of even extents (at least 4 in "
            "the directions that are cut)",
            c->machine.name, c->groups);
    } else if (status == NAIK_OK && !c->any_grid) {
        const int *s = input->lattice.size;
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                      "no number of nodes of %s has a process grid for %dx%dx%dx%d: each of the "
                      "%d GPUs of a node takes a box of even extents (at least 4 in the "
                      "directions that are cut)",
                      c->machine.name, s[0], s[1], s[2], s[3], c->machine.node_size);
    } else if (status == NAIK_OK && c->smallest == 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY,
                           "no number of nodes of %s up to 1024 holds this run: a smaller "
                           "solver.batch needs less",
                           c->machine.name);
    } else if (status == NAIK_OK && c->case_count > 0 && !any_fits(c)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY,
                           "none of these numbers of nodes holds the run; the smallest is %d",
                           c->smallest);
    }
    return status;
}
