/* model.c - `naik bench model`: iterations and D on machines where naik has not been run
 *
 * model/iteration.h has the formula; here is its command line, its output for people and tools, and
 * its check against what was measured on one, two and four GPUs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backend/packed_links.h"
#include "base/options.h"
#include "base/text.h"
#include "bench/bench.h"
#include "lattice/grid.h"
#include "model/iteration.h"
#include "plan/cost.h"

/* The grid of a weak-scaling study (naik bench --weak). */
static naik_status predict(naik_comm *comm, const model_machine *m, const model_problem *p,
                           int ranks, model_prediction *out)
{
    int size[NAIK_DIM];
    naik_grid_grow(ranks, out->grid);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        size[mu] = p->local[mu] * out->grid[mu];
    }
    if (!naik_grid_works(size, out->grid)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik bench model: boxes of %d,%d,%d,%d cannot be joined: extents must "
                         "be even and at least 4",
                         p->local[0], p->local[1], p->local[2], p->local[3]);
    }
    return model_predict(comm->log, m, p, out);
}

/* ---- what is printed */

typedef enum bench_form { FORM_TABLE, FORM_LINES, FORM_JSON } bench_form;

static void end_line(naik_log *log, const bench_line *line)
{
    naik_log_line(log, line->json ? "%s}" : "%s", line->text);
}

static void print_figures(naik_log *log, const model_machine *m, bench_form form)
{
    if (form == FORM_TABLE) {
        naik_log_line(log, "%-18s %10s  source", "figure", "value");
    }
    for (int i = 0; i < MODEL_FIGURES; i++) {
        const char *source = model_source_text(m->figures[i].from);
        bench_line line = {.json = form == FORM_JSON};
        if (form == FORM_TABLE) {
            naik_log_line(log, "%-18s %10g  %s", model_figure_text(i), m->figures[i].value, source);
            continue;
        }
        bench_put_text(&line, "model", "figure");
        bench_put_text(&line, "machine", m->name);
        bench_put_text(&line, "name", model_figure_text(i));
        bench_put_real(&line, "value", "%g", m->figures[i].value);
        bench_put_text(&line, "source", source);
        end_line(log, &line);
    }
}

static void print_row(naik_log *log, int nodes, int ranks, const model_prediction *now,
                      double us_each, double efficiency)
{
    char grid[48];
    snprintf(grid, sizeof grid, "%dx%dx%dx%d", now->grid[0], now->grid[1], now->grid[2],
             now->grid[3]);
    naik_log_line(log, "%5d %5d  %-12s %9.1f %9.1f %9.1f %9.1f %9.1f %12.1f %9.3f", nodes, ranks,
                  grid, now->dslash_us, now->wire_us, now->exposed_us, now->linear_us,
                  now->reduce_us, us_each, efficiency);
}

static void print_head(naik_log *log, const model_machine *m, const model_problem *p)
{
    naik_log_line(log, "%s", "");
    naik_log_line(log,
                  "%s, box of %d,%d,%d,%d a GPU, vectors in %s, links in %s of %d numbers, %d "
                  "right-hand side%s%s",
                  m->name, p->local[0], p->local[1], p->local[2], p->local[3],
                  naik_precision_name(p->vectors), naik_precision_name(p->links), p->recon, p->nrhs,
                  p->nrhs > 1 ? "s" : "", m->measured ? "" : ": predicted, not measured");
    naik_log_line(log, "%5s %5s  %-12s %9s %9s %9s %9s %9s %12s %9s", "nodes", "GPUs", "grid",
                  "dslash", "wire", "exposed", "vectors", "sums", "us/iteration", "efficiency");
}

static void print_prediction(naik_log *log, const model_machine *m, const model_problem *p,
                             int ranks, const model_prediction *now, const model_prediction *alone,
                             bench_form form)
{
    bench_line line = {.json = form == FORM_JSON};
    const double sites = (double)p->local[0] * p->local[1] * p->local[2] * p->local[3];
    const int nodes = (ranks + m->node_size - 1) / m->node_size;
    const double us_each = now->iteration_us / p->nrhs;
    const double efficiency = alone->iteration_us / now->iteration_us;
    if (form == FORM_TABLE) {
        print_row(log, nodes, ranks, now, us_each, efficiency);
        return;
    }
    bench_put_text(&line, "model", p->kind->solvers[0]);
    bench_put_text(&line, "machine", m->name);
    bench_put_int(&line, "nodes", nodes);
    bench_put_int(&line, "gpus", ranks);
    bench_put_extents(&line, "local", p->local);
    bench_put_extents(&line, "grid", now->grid);
    bench_put_text(&line, "precision", naik_precision_name(p->vectors));
    bench_put_text(&line, "links", naik_precision_name(p->links));
    bench_put_int(&line, "recon", p->recon);
    bench_put_int(&line, "nrhs", p->nrhs);
    bench_put_real(&line, "dslash_us", "%.1f", now->dslash_us);
    bench_put_real(&line, "wire_us", "%.1f", now->wire_us);
    bench_put_real(&line, "exposed_us", "%.1f", now->exposed_us);
    bench_put_real(&line, "linear_us", "%.1f", now->linear_us);
    bench_put_real(&line, "reduce_us", "%.1f", now->reduce_us);
    bench_put_real(&line, "us_per_iteration", "%.1f", us_each);
    bench_put_real(&line, "efficiency", "%.3f", efficiency);
    bench_put_real(&line, "sites_per_us", "%.4g", sites * ranks * p->nrhs / now->iteration_us);
    end_line(log, &line);
}

/* Iterations (double/half, m = 0.05) and applications of D on one host, from November 2026: QUDA's with
 * recon 13/9, on one, two and four H200, and naik's with single vectors and 16-bit links of recon 6, on
 * H200 and H100 (tests/results). */
typedef struct measured {
    bool own; /* naik's */
    int extent, ranks;
    naik_precision vectors;
    bool whole; /* an iteration; otherwise one D */
    double us;  /* a right-hand side */
    int machine, nrhs;
} measured;
enum { ON_H200, ON_H100 }; /* numbers of machine.h */
static const measured points[] = {{false, 32, 1, NAIK_HALF, true, 268, ON_H200, 1},
                                  {false, 32, 2, NAIK_HALF, true, 321, ON_H200, 1},
                                  {false, 32, 4, NAIK_HALF, true, 362, ON_H200, 1},
                                  {false, 16, 1, NAIK_HALF, true, 67, ON_H200, 1},
                                  {false, 16, 2, NAIK_HALF, true, 124, ON_H200, 1},
                                  {false, 16, 4, NAIK_HALF, true, 152, ON_H200, 1},
                                  {false, 32, 1, NAIK_HALF, false, 90, ON_H200, 1},
                                  {false, 32, 2, NAIK_HALF, false, 109, ON_H200, 1},
                                  {false, 32, 4, NAIK_HALF, false, 125, ON_H200, 1},
                                  {false, 32, 1, NAIK_SINGLE, false, 160, ON_H200, 1},
                                  {false, 32, 2, NAIK_SINGLE, false, 181, ON_H200, 1},
                                  {false, 32, 4, NAIK_SINGLE, false, 200, ON_H200, 1},
                                  {true, 32, 1, NAIK_SINGLE, true, 189.9, ON_H200, 1},
                                  {true, 32, 2, NAIK_SINGLE, true, 203.0, ON_H200, 1},
                                  {true, 32, 4, NAIK_SINGLE, true, 218.3, ON_H200, 1},
                                  {true, 16, 1, NAIK_SINGLE, true, 22.5, ON_H200, 1},
                                  {true, 32, 1, NAIK_SINGLE, false, 71.1, ON_H200, 1},
                                  {true, 32, 1, NAIK_SINGLE, true, 240.7, ON_H100, 1},
                                  {true, 32, 2, NAIK_SINGLE, true, 264.5, ON_H100, 1},
                                  {true, 32, 4, NAIK_SINGLE, true, 270.6, ON_H100, 1},
                                  {true, 32, 1, NAIK_SINGLE, true, 99.6, ON_H100, 8},
                                  {true, 32, 2, NAIK_SINGLE, true, 108.6, ON_H100, 8},
                                  {true, 32, 4, NAIK_SINGLE, true, 115.5, ON_H100, 8},
                                  {true, 16, 1, NAIK_SINGLE, true, 22.6, ON_H100, 1},
                                  {true, 16, 2, NAIK_SINGLE, true, 29.5, ON_H100, 1},
                                  {true, 16, 4, NAIK_SINGLE, true, 36.2, ON_H100, 1},
                                  {true, 16, 1, NAIK_SINGLE, true, 6.8, ON_H100, 8},
                                  {true, 16, 2, NAIK_SINGLE, true, 9.3, ON_H100, 8},
                                  {true, 16, 4, NAIK_SINGLE, true, 12.0, ON_H100, 8}};

static naik_status check_points(naik_comm *comm, bench_form form)
{
    double worst = 0;
    if (form == FORM_TABLE) {
        naik_log_line(comm->log, "%-9s %-6s %4s %-5s %4s  %-4s %9s %9s %7s", "of", "by", "GPUs",
                      "on", "rhs", "box", "measured", "predicted", "ratio");
    }
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const measured *at = &points[i];
        const int n = at->extent;
        const model_problem p = {.local = {n, n, n, n},
                                 .vectors = at->vectors,
                                 .links = at->own ? NAIK_HALF : at->vectors,
                                 .recon = at->own                    ? 6
                                          : at->vectors == NAIK_HALF ? 9
                                                                     : 18,
                                 .nrhs = at->nrhs,
                                 .kind = naik_quark_kind_of("hisq")};
        model_prediction out;
        bench_line line = {.json = form == FORM_JSON};
        const model_machine m = model_machine_of(at->machine, at->own ? MODEL_NAIK : MODEL_QUDA);
        NAIK_PASS(predict(comm, &m, &p, at->ranks, &out));
        const double us = (at->whole ? out.iteration_us : out.dslash_us) / at->nrhs;
        worst = fmax(worst, fabs(us / at->us - 1));
        if (form == FORM_TABLE) {
            naik_log_line(comm->log, "%-9s %-6s %4d %-5s %4d  %2d^4 %9.4g %9.1f %7.3f",
                          at->whole ? "iteration" : "D", at->own ? "naik" : "QUDA", at->ranks,
                          m.name, at->nrhs, n, at->us, us, us / at->us);
            continue;
        }
        bench_put_text(&line, "model", at->whole ? "check-cg" : "check-dslash");
        bench_put_text(&line, "machine", m.name);
        bench_put_text(&line, "measured_with", at->own ? "naik" : "QUDA");
        bench_put_int(&line, "gpus", at->ranks);
        bench_put_int(&line, "nrhs", at->nrhs);
        bench_put_extents(&line, "local", p.local);
        bench_put_text(&line, "precision", naik_precision_name(p.vectors));
        bench_put_real(&line, "measured_us", "%.4g", at->us);
        bench_put_real(&line, "predicted_us", "%.1f", us);
        bench_put_real(&line, "ratio", "%.3f", us / at->us);
        end_line(comm->log, &line);
    }
    NAIK_PASS(bench_model_multigrid(comm, form == FORM_TABLE, form == FORM_JSON));
    naik_log_line(comm->log,
                  form == FORM_JSON    ? "{\"model\": \"check\", \"worst\": %.3f}"
                  : form == FORM_LINES ? "model=check worst=%.3f"
                                       : "worst iteration or D: off by %.3f",
                  worst);
    return NAIK_OK;
}

/* ---- options */

static naik_status replace_figure(naik_log *log, const char *text, model_machine *m)
{
    char name[32];
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), text);
    for (int i = 0; i < MODEL_FIGURES; i++) {
        char *end = NULL;
        double value = equals != NULL ? naik_text_strtod(equals + 1, &end) : 0;
        if (strcmp(name, model_figure_text(i)) == 0 && end != NULL && end != equals + 1 &&
            *end == '\0' && value >= 0 && isfinite(value)) {
            m->figures[i] = (model_figure){value, MEASURED};
            return NAIK_OK;
        }
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT,
                     "naik bench model: --figure %s is no NAME=VALUE of a figure; the lines "
                     "'model=figure' list them",
                     text);
}

typedef struct choices {
    const char *machine; /* a name, or a file of plan/machine_file.c */
    int vectors, links, recon, nrhs, action, software; /* -1: not said */
    bool json, lines, check;
    bench_form form;
    int gpus;
    const char *nodes, *modes;
    bench_campaign campaign;
    naik_option_list figures;
} choices;

/* The problem, with what the software takes by itself for what is not said. */
static naik_status settle(naik_log *log, const choices *c, model_problem *p)
{
    static const int recons[] = {18, 13, 12, 9, 8, 6}; /* as recon_names */
    const bool own = c->software == MODEL_NAIK && c->vectors < 0;
    p->kind = naik_quark_kind_of(bench_actions[c->action]);
    p->blocks = c->action == BENCH_CLOVER;
    const bool staggered = p->kind->spin == 1;
    if (!staggered && c->software != MODEL_NAIK) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik bench model: --action wilson and clover need --software naik");
    }
    p->vectors = own ? NAIK_SINGLE : c->vectors < 0 ? NAIK_HALF : (naik_precision)c->vectors;
    p->links = c->links >= 0 ? (naik_precision)c->links : own && staggered ? NAIK_HALF : p->vectors;
    p->recon = c->recon >= 0             ? recons[c->recon]
               : !staggered              ? 18
               : c->action == NAIK_NAIVE ? 12
               : own                     ? 6
                                         : 9;
    p->nrhs = c->nrhs;
    if (!staggered && p->recon != 18 && !naik_recon_keeps_sign(p->recon)) {
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "naik bench model: links of Wilson quarks are stored as 18, 12 or 8 numbers");
    }
    if (staggered && p->recon == 8) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik bench model: --recon 8 is for links of Wilson quarks");
    }
    if (p->recon == 6 && (p->links != NAIK_HALF || c->action == NAIK_NAIVE)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "naik bench model: --recon 6 is for long links in 16 bits");
    }
    return NAIK_OK;
}

static naik_status parse(naik_comm *comm, int argc, char **argv, choices *c, model_problem *p)
{
    static const char *const precisions[] = {"double", "single", "half", NULL};
    static const char *const software[] = {"quda", "probe", "naik", NULL};
    static const char *const recon_names[] = {"18", "13", "12", "9", "8", "6", NULL};
    const naik_option options[] = {
        {.name = "machine", .kind = NAIK_OPTION_TEXT, .target = &c->machine},
        {.name = "local", .kind = NAIK_OPTION_EXTENTS, .target = p->local},
        {.name = "nodes", .kind = NAIK_OPTION_TEXT, .target = &c->nodes},
        {.name = "precision",
         .kind = NAIK_OPTION_CHOICE,
         .target = &c->vectors,
         .choices = precisions},
        {.name = "link-precision",
         .kind = NAIK_OPTION_CHOICE,
         .target = &c->links,
         .choices = precisions},
        {.name = "recon", .kind = NAIK_OPTION_CHOICE, .target = &c->recon, .choices = recon_names},
        {.name = "action",
         .kind = NAIK_OPTION_CHOICE,
         .target = &c->action,
         .choices = bench_actions},
        {.name = "nrhs",
         .kind = NAIK_OPTION_INT,
         .target = &c->nrhs,
         .min = 1,
         .max = NAIK_MAX_RHS},
        {.name = "software",
         .kind = NAIK_OPTION_CHOICE,
         .target = &c->software,
         .choices = software},
        {.name = "figure", .kind = NAIK_OPTION_LIST, .target = &c->figures},
        {.name = "check", .kind = NAIK_OPTION_FLAG, .target = &c->check},
        {.name = "gpus", .kind = NAIK_OPTION_INT, .target = &c->gpus, .min = 1, .max = 4096},
        {.name = "modes", .kind = NAIK_OPTION_TEXT, .target = &c->modes},
        {.name = "size", .kind = NAIK_OPTION_EXTENTS, .target = c->campaign.size},
        {.name = "mass",
         .kind = NAIK_OPTION_REAL,
         .target = &c->campaign.mass,
         .min = 1e-6,
         .max = 100},
        {.name = "lines", .kind = NAIK_OPTION_FLAG, .target = &c->lines},
        {.name = "json", .kind = NAIK_OPTION_FLAG, .target = &c->json}};
    NAIK_PASS(naik_options_parse(comm->log, "bench model", argc, argv, options,
                                 sizeof options / sizeof *options, NULL, 0, NULL));
    c->form = c->json ? FORM_JSON : c->lines ? FORM_LINES : FORM_TABLE;
    const bool filed = naik_machine_is_file(c->machine);
    c->software = c->software < 0 ? filed ? MODEL_NAIK : MODEL_QUDA : c->software;
    if (filed && c->software != MODEL_NAIK) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik bench model: --machine %s is of a file, whose figures are those of "
                         "naik: leave --software out",
                         c->machine);
    }
    return settle(comm->log, c, p);
}

static naik_status model_modes(naik_comm *comm, const choices *c, const model_machine *own)
{
    bench_campaign b = c->campaign;
    if (!naik_text_counts(c->modes, 0, 2000, BENCH_MAX_LIST, b.modes, &b.count)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik bench model: --modes %s is no list of at most %d numbers from 0 "
                         "to 2000",
                         c->modes, BENCH_MAX_LIST);
    }
    b.gpus = c->gpus;
    b.json = c->form == FORM_JSON;
    b.table = c->form == FORM_TABLE;
    return bench_model_modes(comm, own, &b);
}

static naik_status model_iterations_on(naik_comm *comm, choices c, model_machine m, model_problem p)
{
    int nodes[BENCH_MAX_LIST], count = 0;
    model_prediction alone, now;
    for (int i = 0; i < c.figures.count; i++) {
        NAIK_PASS(replace_figure(comm->log, c.figures.text[i], &m));
    }
    if (c.nodes != NULL && c.gpus > 0) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik bench model: --gpus and --nodes exclude each other");
    }
    if (c.nodes != NULL) {
        if (!naik_text_counts(c.nodes, 1, 4096, BENCH_MAX_LIST, nodes, &count)) {
            return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                             "naik bench model: --nodes %s is no list of at most %d numbers from "
                             "1 to 4096",
                             c.nodes, BENCH_MAX_LIST);
        }
    }
    for (int n = 1; c.nodes == NULL && c.gpus == 0 && n * m.node_size <= 4096; n *= 2) {
        nodes[count++] = n;
    }
    print_figures(comm->log, &m, c.form);
    if (c.form == FORM_TABLE) {
        print_head(comm->log, &m, &p);
    }
    NAIK_PASS(predict(comm, &m, &p, 1, &alone));
    print_prediction(comm->log, &m, &p, 1, &alone, &alone, c.form);
    for (int i = 0; i < count || (i == 0 && c.gpus > 1); i++) {
        const int ranks = c.gpus > 0 ? c.gpus : nodes[i] * m.node_size;
        NAIK_PASS(predict(comm, &m, &p, ranks, &now));
        print_prediction(comm->log, &m, &p, ranks, &now, &alone, c.form);
    }
    return NAIK_OK;
}

naik_status bench_model(naik_comm *comm, int argc, char **argv)
{
    choices c = {.machine = "perlmutter",
                 .vectors = -1,
                 .links = -1,
                 .recon = -1,
                 .nrhs = 1,
                 .action = NAIK_HISQ,
                 .software = -1,
                 .campaign = {.size = {64, 64, 64, 96}, .mass = 0.0012}};
    naik_status status = NAIK_OK;
    model_problem p = {.local = {32, 32, 32, 32}};
    naik_yaml *tree = NULL;
    model_machine m;
    NAIK_PASS(parse(comm, argc, argv, &c, &p));
    if (c.check) {
        return check_points(comm, c.form);
    }
    const model_software runs = c.modes != NULL ? MODEL_NAIK : (model_software)c.software;
    NAIK_TRY(naik_machine_find(comm, c.machine, runs, &tree, &m));
    NAIK_TRY(c.modes != NULL ? model_modes(comm, &c, &m) : model_iterations_on(comm, c, m, p));
done:
    naik_yaml_destroy(&tree);
    return status;
}
