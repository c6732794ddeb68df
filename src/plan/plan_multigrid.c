/* plan_multigrid.c - whether a run may take multigrid, what it needs then, and from where on it pays */
#include "plan/plan_multigrid.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "solver/bicgstab.h"

/* Iterations of a column by BiCGStab that take as long as a setup, as making it ready for another mass, and as a column
 * by multigrid: measured, not clocked in the run (tests/results/multigrid.txt, doc/multigrid.md). */
typedef struct pay {
    int setup, change, solve;
} pay;
static const pay on_host = {3500, 500, 100}, on_device = {2700, 500, 70};

int solve_plan_multigrid_from(bool host, int columns, bool made)
{
    const pay *p = host ? &on_host : &on_device;
    return p->solve + (made ? p->change : p->setup) / (columns > 0 ? columns : 1);
}

const char *solve_plan_plain_name(const naik_input *input)
{
    return input->solver.method == NAIK_METHOD_CG ? "cg" : "bicgstab";
}

naik_multigrid_sizes solve_plan_multigrid_sizes(const solve_plan *plan, const naik_input *input,
                                                const naik_geometry *geometry)
{
    const naik_lattice *lat = geometry->lattice;
    int extent[NAIK_DIM], mu;
    return plan->multigrid && geometry->backend->ops->multigrid != NULL &&
                   naik_multigrid_aggregate(lat->size, input->multigrid.aggregate, extent, &mu) &&
                   naik_multigrid_fits(lat->size, extent, lat->grid)
               ? naik_multigrid_bytes(geometry, extent, plan->multigrid_batch, &input->multigrid)
               : (naik_multigrid_sizes){.kept = 0};
}

static void refuse_grid(solve_plan *plan, const naik_lattice *lat, const int extent[NAIK_DIM])
{
    const int *g = lat->grid;
    snprintf(plan->without, sizeof plan->without,
             "no box of the grid %dx%dx%dx%d holds whole aggregates of %dx%dx%dx%d", g[0], g[1],
             g[2], g[3], extent[0], extent[1], extent[2], extent[3]);
}

void solve_plan_allow_multigrid(solve_plan *plan, const naik_input *input, const naik_lattice *lat)
{
    const naik_multigrid_parameters *m = &input->multigrid;
    int extent[NAIK_DIM] = {0}, mu = 0;
    plan->multigrid = input->solver.method == NAIK_METHOD_MULTIGRID;
    plan->multigrid_auto = input->solver.method_auto;
    plan->multigrid_begun = false;
    plan->without[0] = '\0';
    if (!plan->multigrid_auto) {
        return;
    }
    if (input->solver.inner_precision == NAIK_INPUT_DOUBLE) {
        snprintf(plan->without, sizeof plan->without,
                 "it iterates in single precision and solver.inner_precision is double");
    } else if (!naik_multigrid_aggregate(lat->size, m->aggregate, extent, &mu)) {
        snprintf(plan->without, sizeof plan->without,
                 "this lattice is not cut into aggregates along %c", "xyzt"[mu]);
    } else if (!naik_multigrid_fits(lat->size, extent, lat->grid)) {
        refuse_grid(plan, lat, extent);
    } else {
        plan->multigrid = true;
    }
}

void solve_plan_forgo_multigrid(solve_plan *plan, const char *what_fits)
{
    char needed[NAIK_TEXT_SIZE], there[NAIK_TEXT_SIZE];
    plan->multigrid = false;
    naik_text_print_size((double)plan->total_bytes, needed);
    naik_text_print_size((double)plan->available_bytes, there);
    snprintf(plan->without, sizeof plan->without,
             "with it a rank needs %s at the least and %s are there (%s)", needed, there,
             what_fits);
}

static const char word[] = " multigrid=";

void solve_plan_describe_multigrid(const solve_plan *plan, char text[SOLVE_PLAN_MULTIGRID_TEXT])
{
    snprintf(text, SOLVE_PLAN_MULTIGRID_TEXT, "%s%s", plan->multigrid_auto ? word : "",
             !plan->multigrid_auto                      ? ""
             : plan->multigrid || plan->multigrid_begun ? "on"
                                                        : "off");
}

naik_status solve_plan_restore_multigrid(solve_plan *plan, const naik_input *input, naik_log *log,
                                         const char *choices, bool solved, bool undecided)
{
    const char *found = strstr(choices, word);
    const bool begun = found != NULL && strncmp(found + sizeof word - 1, "on", 2) == 0;
    const bool used = begun && solved; /* where it is asked for by name, it is no choice */
    if (used && !input->solver.method_auto) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s has solutions by multigrid, which solver.method auto took, and now "
                         "solver.method is %s: leave it out, choose another output.file, or begin "
                         "again with --fresh",
                         input->output.file, solve_plan_plain_name(input));
    }
    if ((used || (begun && undecided)) && input->solver.method_auto && !plan->multigrid) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s has solutions by multigrid or may still get some, and here there can "
                         "be none: %s. Use a grid and memory like those it was begun with, or "
                         "begin again with --fresh",
                         input->output.file, plan->without);
    }
    if (input->solver.method_auto) {
        plan->multigrid = plan->multigrid && begun;
        plan->multigrid_begun = begun;
        plan->multigrid_auto = found != NULL;
        if (!begun && plan->without[0] == '\0') {
            snprintf(plan->without, sizeof plan->without, "the output was begun without it");
        }
    }
    return NAIK_OK;
}

void solve_plan_print_multigrid(const solve_plan *plan, const naik_input *input, naik_log *log)
{
    const naik_multigrid_parameters *m = &input->multigrid;
    const int *size = input->lattice.size;
    int e[NAIK_DIM] = {1, 1, 1, 1}, mu;
    if (input->solver.method_auto && !plan->multigrid) {
        naik_log_line(log, "multigrid: solver.method auto takes no multigrid, because %s",
                      plan->without);
    }
    if (!plan->multigrid) {
        return;
    }
    (void)naik_multigrid_aggregate(size, m->aggregate, e, &mu);
    naik_log_line(
        log,
        "multigrid: %d near-null vectors, aggregates of %dx%dx%dx%d sites, a coarse lattice "
        "of %dx%dx%dx%d. naik solves up to %d right-hand sides together. Multigrid takes %.3f GiB "
        "of the memory of a rank. The setup applies Mh %d times to each vector (doc/multigrid.md)",
        m->vectors, e[0], e[1], e[2], e[3], size[0] / e[0], size[1] / e[1], size[2] / e[2],
        size[3] / e[3], plan->multigrid_batch, solve_plan_gib(plan->multigrid_bytes),
        2 * m->start + 2 + m->cycles * (m->smoother + 2));
    if (plan->multigrid_auto) {
        const bool host = plan->on_host;
        naik_log_line(
            log,
            "multigrid: naik tries %s on the first column of a quark, and changes to multigrid "
            "after %d iterations without a solution if 12 columns share the setup, or after %d if "
            "48 do",
            solve_plan_plain_name(input), solve_plan_multigrid_from(host, 12, false),
            solve_plan_multigrid_from(host, 48, false));
    }
}
