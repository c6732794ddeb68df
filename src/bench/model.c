/* model.c - `naik bench model`: the time of a CG iteration where naik has not been run
 *
 *   T      = (1 + u) (2 K + T_L) + 2 (T_D - K) + T_0 + T_R
 *   K      = max(sites floor / (fraction copy), sites flops / roof)  of a D, on half a box's sites
 *   T_D    = K + E + sum_mu A_mu + max(0, T_wire - K interior)
 *   T_L    = vectors sites vector / copy                        beside what the two D count
 *   T_R    = R_inside [ranks a node > 1] + R_between log2(nodes)
 *   T_wire = max(bytes inside / wire_inside, bytes between / wire_between)
 *
 * doc/performance-model.md says what each figure is, where it comes from, and how well the formula
 * meets what was measured on one, two and four GPUs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/dslash.h"
#include "backend/field.h"
#include "base/memory.h"
#include "base/options.h"
#include "lattice/grid.h"

#include "bench/bench.h"

/* Where a figure comes from. */
typedef enum source { MEASURED, OTHER_CODE, LITERATURE, VENDOR, ASSUMED, COUNTED } source;
static const char *const source_names[] = {"measured", "other-code", "literature",
                                           "vendor",   "assumed",    "counted"};

/* Figures, by name so that each can be replaced with --figure. */
enum {
    COPY_GBS,         /* copy kernel */
    FRACTION_DOUBLE,  /* of copy that D reaches by its floor, by precision of the vectors */
    FRACTION_SINGLE,  /* */
    FRACTION_HALF,    /* */
    ROOF_DOUBLE,      /* GFLOP/s that no batch of right-hand sides exceeds */
    ROOF_SINGLE,      /* */
    ROOF_HALF,        /* */
    DSLASH_US,        /* E: every D that exchanges anything */
    INSIDE_US,        /* A: each direction split inside nodes only */
    BETWEEN_US,       /* A: each direction that crosses nodes */
    WIRE_INSIDE_GBS,  /* a GPU to all of its node, one way */
    WIRE_BETWEEN_GBS, /* a GPU's share of its node's network, one way */
    OVERHEAD_US,      /* T_0: launches and scalars of an iteration on one GPU */
    REDUCE_US,        /* R inside a node, all reductions of an iteration */
    REDUCE_STEP_US,   /* R for each doubling of nodes */
    UPDATES,          /* u: true residuals in double */
    VECTORS,          /* read or written in an iteration, beside the four of the floor of two D */
    FIGURES
};
static const char *const figure_names[FIGURES + 1] = {
    "copy_gbs",      "fraction_double", "fraction_single",
    "fraction_half", "roof_double",     "roof_single",
    "roof_half",     "dslash_us",       "inside_us",
    "between_us",    "wire_inside_gbs", "wire_between_gbs",
    "overhead_us",   "reduce_us",       "reduce_step_us",
    "updates",       "vectors",         NULL};

typedef struct figure {
    double value;
    source from;
} figure;

typedef struct machine {
    const char *name;
    int node_size;
    figure figures[FIGURES];
} machine;

/* What the software costs is QUDA's, measured on H200, unless --software says otherwise: no other
 * is known on four GPUs. */
#define SOFTWARE                                                                                   \
    [DSLASH_US] = {0, OTHER_CODE}, [INSIDE_US] = {19.5, OTHER_CODE},                               \
    [OVERHEAD_US] = {45, OTHER_CODE}, [REDUCE_US] = {15, OTHER_CODE},                              \
    [UPDATES] = {0.13, OTHER_CODE}, [VECTORS] = {8, COUNTED}
#define A100                                                                                       \
    [COPY_GBS] = {1370, LITERATURE}, [FRACTION_DOUBLE] = {0.97, LITERATURE},                       \
    [FRACTION_SINGLE] = {0.97, ASSUMED}, [FRACTION_HALF] = {0.67, ASSUMED},                        \
    [ROOF_DOUBLE] = {1800, ASSUMED}, [ROOF_SINGLE] = {5700, LITERATURE},                           \
    [ROOF_HALF] = {5700, ASSUMED}, [WIRE_INSIDE_GBS] = {240, VENDOR},                              \
    [WIRE_BETWEEN_GBS] = {22, VENDOR}, [BETWEEN_US] = {30, ASSUMED},                               \
    [REDUCE_STEP_US] = {6, ASSUMED}, SOFTWARE

static const machine machines[] = {{"h200",
                                    8,
                                    {[COPY_GBS] = {4040, MEASURED},
                                     [FRACTION_DOUBLE] = {0.97, OTHER_CODE},
                                     [FRACTION_SINGLE] = {0.97, OTHER_CODE},
                                     [FRACTION_HALF] = {0.67, OTHER_CODE},
                                     [ROOF_DOUBLE] = {5241, OTHER_CODE},
                                     [ROOF_SINGLE] = {7663, OTHER_CODE},
                                     [ROOF_HALF] = {8381, OTHER_CODE},
                                     [WIRE_INSIDE_GBS] = {367, MEASURED},
                                     [WIRE_BETWEEN_GBS] = {45, VENDOR},
                                     [BETWEEN_US] = {30, ASSUMED},
                                     [REDUCE_STEP_US] = {6, ASSUMED},
                                     SOFTWARE}},
                                   {"perlmutter", 4, {A100}},
                                   {"juwels-booster", 4, {A100}},
                                   {"lumi-g",
                                    8,
                                    {[COPY_GBS] = {1310, LITERATURE},
                                     [FRACTION_DOUBLE] = {0.6, ASSUMED},
                                     [FRACTION_SINGLE] = {0.6, ASSUMED},
                                     [FRACTION_HALF] = {0.4, ASSUMED},
                                     [ROOF_DOUBLE] = {1500, ASSUMED},
                                     [ROOF_SINGLE] = {3000, ASSUMED},
                                     [ROOF_HALF] = {3000, ASSUMED},
                                     [WIRE_INSIDE_GBS] = {72, LITERATURE},
                                     [WIRE_BETWEEN_GBS] = {11, VENDOR},
                                     [BETWEEN_US] = {30, ASSUMED},
                                     [REDUCE_STEP_US] = {6, ASSUMED},
                                     SOFTWARE}}};
enum { MACHINES = sizeof machines / sizeof *machines };

/* What the same steps cost in our probe: graphs, peer stores and flags. Between nodes nothing is
 * known of it. */
static void assume_probe(machine *m)
{
    m->figures[DSLASH_US] = (figure){6, MEASURED};
    m->figures[INSIDE_US] = (figure){0, MEASURED};
    m->figures[BETWEEN_US] = (figure){10, ASSUMED};
    m->figures[OVERHEAD_US] = (figure){10, MEASURED};
    m->figures[REDUCE_US] = (figure){4, MEASURED};
}

/* naik's own, from tests/results/h200.txt: kernels by one D on one GPU and by batches of 8 and 16,
 * the rest fitted to the iterations among `points`. */
static void take_naik(machine *m)
{
    m->figures[FRACTION_DOUBLE] = (figure){1.046, MEASURED};
    m->figures[FRACTION_SINGLE] = (figure){0.964, MEASURED}; /* with 16-bit links */
    m->figures[FRACTION_HALF] = (figure){0.883, MEASURED};
    m->figures[ROOF_DOUBLE] = (figure){8922.5, MEASURED};
    m->figures[ROOF_SINGLE] = (figure){21310, MEASURED};
    m->figures[ROOF_HALF] = (figure){19664, MEASURED};
    m->figures[DSLASH_US] = (figure){0.5, MEASURED};
    m->figures[INSIDE_US] = (figure){4.2, MEASURED};
    m->figures[OVERHEAD_US] = (figure){11, MEASURED};
    m->figures[REDUCE_US] = (figure){2, MEASURED};
    m->figures[UPDATES] = (figure){0.11, MEASURED};
    /* of a step: r, p, ap read, p, ap written, x both with every second one */
    m->figures[VECTORS] = (figure){6, COUNTED};
}

typedef struct problem {
    int local[NAIK_DIM];
    naik_precision vectors, links;
    int recon, points, nrhs;
} problem;

typedef struct prediction {
    int grid[NAIK_DIM];
    double dslash_us, exposed_us, wire_us, linear_us, reduce_us, iteration_us;
} prediction;

static double value_of(const machine *m, int figure_index)
{
    return m->figures[figure_index].value;
}

/* Share of a box whose neighbours at the depth of the halo are all inside. */
static double interior(const problem *p, const int grid[NAIK_DIM])
{
    const int depth = p->points == NAIK_STENCIL ? NAIK_HALO_DEPTH : 1;
    double share = 1;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const int inner = p->local[mu] - 2 * depth;
        share *= grid[mu] == 1 ? 1 : inner > 0 ? (double)inner / p->local[mu] : 0;
    }
    return share;
}

/* Whether some box's neighbour in direction mu is on another node: ranks run x fastest. */
static bool crosses(const int grid[NAIK_DIM], int mu, int node_size)
{
    int64_t stride = 1, ranks = 1;
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        stride *= nu < mu ? grid[nu] : 1;
        ranks *= grid[nu];
    }
    for (int64_t rank = 0; rank < ranks; rank++) {
        int64_t coord = rank / stride % grid[mu];
        int64_t there = rank + ((coord + 1) % grid[mu] - coord) * stride;
        if (rank / node_size != there / node_size) {
            return true;
        }
    }
    return false;
}

static double sites_of(const problem *p)
{
    return 0.5 * p->local[0] * p->local[1] * (double)p->local[2] * p->local[3];
}

static double wire_us(const machine *m, const problem *p, naik_grid_cost cost)
{
    const int depth = p->points == NAIK_STENCIL ? NAIK_HALO_DEPTH : 1;
    const double site = 0.5 * depth * p->nrhs * bench_vector_bytes(p->vectors);
    const double inside = (double)cost.inside * site / value_of(m, WIRE_INSIDE_GBS);
    const double between = (double)cost.between * site / value_of(m, WIRE_BETWEEN_GBS);
    return 1e-3 * fmax(inside, between);
}

static void predict_on(const machine *m, const problem *p, int ranks, naik_grid_cost cost,
                       prediction *out)
{
    const double sites = sites_of(p), copy = value_of(m, COPY_GBS) * 1e3; /* bytes a us */
    const double flops = naik_dslash_flops(p->points);
    const double floor_bytes =
        bench_floor_bytes(p->vectors, p->links, p->recon, p->points, p->nrhs);
    const double memory =
        sites * floor_bytes / (copy * value_of(m, FRACTION_DOUBLE + (int)p->vectors));
    const double roof =
        sites * flops * p->nrhs / (value_of(m, ROOF_DOUBLE + (int)p->vectors) * 1e3);
    const double kernel = fmax(memory, roof);
    const int nodes = (ranks + m->node_size - 1) / m->node_size;
    out->dslash_us = kernel + (ranks > 1 ? value_of(m, DSLASH_US) : 0);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (out->grid[mu] > 1) {
            out->dslash_us +=
                value_of(m, crosses(out->grid, mu, m->node_size) ? BETWEEN_US : INSIDE_US);
        }
    }
    out->wire_us = wire_us(m, p, cost);
    out->exposed_us = fmax(0, out->wire_us - kernel * interior(p, out->grid));
    out->dslash_us += out->exposed_us;
    out->linear_us = value_of(m, VECTORS) * sites * p->nrhs * bench_vector_bytes(p->vectors) / copy;
    out->reduce_us = (ranks > 1 ? value_of(m, REDUCE_US) : 0) +
                     (nodes > 1 ? value_of(m, REDUCE_STEP_US) * log2(nodes) : 0);
    out->iteration_us = (1 + value_of(m, UPDATES)) * (2 * kernel + out->linear_us) +
                        2 * (out->dslash_us - kernel) + value_of(m, OVERHEAD_US) + out->reduce_us;
}

static naik_status predict(naik_comm *comm, const machine *m, const problem *p, int ranks,
                           prediction *out)
{
    naik_status status = NAIK_OK;
    int *node_of = NULL;
    int size[NAIK_DIM];
    NAIK_TRY(naik_alloc(comm->log, (size_t)ranks * sizeof *node_of, "a list of nodes",
                        (void **)&node_of));
    for (int rank = 0; rank < ranks; rank++) {
        node_of[rank] = rank / m->node_size;
    }
    naik_grid_grow(ranks, out->grid);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        size[mu] = p->local[mu] * out->grid[mu];
    }
    if (!naik_grid_works(size, out->grid)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "naik bench model: boxes of %d,%d,%d,%d cannot be joined: extents must "
                           "be even and at least 4",
                           p->local[0], p->local[1], p->local[2], p->local[3]);
        goto done;
    }
    predict_on(m, p, ranks, naik_grid_cost_of(size, out->grid, node_of), out);
done:
    naik_free(node_of);
    return status;
}

/* ---- what is printed */

static void end_line(naik_log *log, const bench_line *line)
{
    naik_log_line(log, line->json ? "%s}" : "%s", line->text);
}

static void print_figures(naik_log *log, const machine *m, bool json)
{
    for (int i = 0; i < FIGURES; i++) {
        bench_line line = {.json = json};
        bench_put_text(&line, "model", "figure");
        bench_put_text(&line, "machine", m->name);
        bench_put_text(&line, "name", figure_names[i]);
        bench_put_real(&line, "value", "%g", m->figures[i].value);
        bench_put_text(&line, "source", source_names[m->figures[i].from]);
        end_line(log, &line);
    }
}

static void print_prediction(naik_log *log, const machine *m, const problem *p, int ranks,
                             const prediction *now, const prediction *alone, bool json)
{
    bench_line line = {.json = json};
    const double sites = 2 * sites_of(p);
    bench_put_text(&line, "model", "cg");
    bench_put_text(&line, "machine", m->name);
    bench_put_int(&line, "nodes", (ranks + m->node_size - 1) / m->node_size);
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
    bench_put_real(&line, "us_per_iteration", "%.1f", now->iteration_us / p->nrhs);
    bench_put_real(&line, "efficiency", "%.3f", alone->iteration_us / now->iteration_us);
    bench_put_real(&line, "sites_per_us", "%.4g", sites * ranks * p->nrhs / now->iteration_us);
    end_line(log, &line);
}

/* Iterations (double/half, m = 0.05) and applications of D on one host of H200, from November 2026:
 * QUDA's with recon 13/9, on one, two and four GPUs, and naik's with single vectors and 16-bit
 * links of recon 6, on the same numbers. */
typedef struct measured {
    bool own; /* naik's */
    int extent, ranks;
    naik_precision vectors;
    bool whole; /* an iteration; otherwise one D */
    double us;
} measured;
static const measured points[] = {
    {false, 32, 1, NAIK_HALF, true, 268},    {false, 32, 2, NAIK_HALF, true, 321},
    {false, 32, 4, NAIK_HALF, true, 362},    {false, 16, 1, NAIK_HALF, true, 67},
    {false, 16, 2, NAIK_HALF, true, 124},    {false, 16, 4, NAIK_HALF, true, 152},
    {false, 32, 1, NAIK_HALF, false, 90},    {false, 32, 2, NAIK_HALF, false, 109},
    {false, 32, 4, NAIK_HALF, false, 125},   {false, 32, 1, NAIK_SINGLE, false, 160},
    {false, 32, 2, NAIK_SINGLE, false, 181}, {false, 32, 4, NAIK_SINGLE, false, 200},
    {true, 32, 1, NAIK_SINGLE, true, 189.9}, {true, 32, 2, NAIK_SINGLE, true, 203.0},
    {true, 32, 4, NAIK_SINGLE, true, 218.3}, {true, 16, 1, NAIK_SINGLE, true, 22.5},
    {true, 16, 2, NAIK_SINGLE, true, 33.9},  {true, 16, 4, NAIK_SINGLE, true, 41.0},
    {true, 32, 1, NAIK_SINGLE, false, 71.1}};

static naik_status check_points(naik_comm *comm, bool json)
{
    naik_status status = NAIK_OK;
    double worst = 0;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const measured *at = &points[i];
        const int n = at->extent;
        const problem p = {.local = {n, n, n, n},
                           .vectors = at->vectors,
                           .links = at->own ? NAIK_HALF : at->vectors,
                           .recon = at->own                    ? 6
                                    : at->vectors == NAIK_HALF ? 9
                                                               : 18,
                           .points = NAIK_STENCIL,
                           .nrhs = 1};
        prediction out;
        bench_line line = {.json = json};
        machine m = machines[0];
        if (at->own) {
            take_naik(&m);
        }
        NAIK_TRY(predict(comm, &m, &p, at->ranks, &out));
        const double us = at->whole ? out.iteration_us : out.dslash_us;
        bench_put_text(&line, "model", at->whole ? "check-cg" : "check-dslash");
        bench_put_text(&line, "machine", machines[0].name);
        bench_put_text(&line, "measured_with", at->own ? "naik" : "QUDA");
        bench_put_int(&line, "gpus", at->ranks);
        bench_put_extents(&line, "local", p.local);
        bench_put_text(&line, "precision", naik_precision_name(p.vectors));
        bench_put_real(&line, "measured_us", "%.4g", at->us);
        bench_put_real(&line, "predicted_us", "%.1f", us);
        bench_put_real(&line, "ratio", "%.3f", us / at->us);
        end_line(comm->log, &line);
        worst = fmax(worst, fabs(us / at->us - 1));
    }
    naik_log_line(comm->log,
                  json ? "{\"model\": \"check\", \"worst\": %.3f}" : "model=check worst=%.3f",
                  worst);
done:
    return status;
}

/* ---- options */

static naik_status replace_figure(naik_log *log, const char *text, machine *m)
{
    char name[32];
    const char *equals = strchr(text, '=');
    const size_t length = equals != NULL ? (size_t)(equals - text) : 0;
    snprintf(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), text);
    for (int i = 0; i < FIGURES; i++) {
        char *end = NULL;
        double value = equals != NULL ? strtod(equals + 1, &end) : 0;
        if (strcmp(name, figure_names[i]) == 0 && end != NULL && end != equals + 1 &&
            *end == '\0' && value >= 0 && isfinite(value)) {
            m->figures[i] = (figure){value, MEASURED};
            return NAIK_OK;
        }
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT,
                     "naik bench model: --figure %s is no NAME=VALUE of a figure; the lines "
                     "'model=figure' list them",
                     text);
}

/* "1,2,16" */
static naik_status parse_nodes(naik_log *log, const char *text, int nodes[], int *count)
{
    const char *at = text;
    for (*count = 0; *count < BENCH_MAX_LIST; at++) {
        char *end = NULL;
        long value = strtol(at, &end, 10);
        if (end == at || value < 1 || value > 4096 || (*end != ',' && *end != '\0')) {
            break;
        }
        nodes[(*count)++] = (int)value;
        at = end;
        if (*end == '\0') {
            return NAIK_OK;
        }
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT,
                     "naik bench model: --nodes %s is no list of at most %d numbers from 1 to 4096",
                     text, BENCH_MAX_LIST);
}

typedef struct choices {
    int machine, vectors, links, recon, nrhs, action, software;
    bool json, check;
    const char *nodes;
    naik_option_list figures;
} choices;

static naik_status parse(naik_comm *comm, int argc, char **argv, choices *c, problem *p)
{
    static const char *const precisions[] = {"double", "single", "half", NULL};
    static const char *const software[] = {"quda", "probe", "naik", NULL};
    static const int recons[] = {18, 13, 12, 9, 6};
    static const char *const recon_names[] = {"18", "13", "12", "9", "6", NULL};
    static const char *const actions[] = {
        [NAIK_NAIVE] = "naive", [NAIK_ASQTAD] = "asqtad", [NAIK_HISQ] = "hisq", NULL};
    const char *names[MACHINES + 1] = {NULL};
    for (int i = 0; i < MACHINES; i++) {
        names[i] = machines[i].name;
    }
    const naik_option options[] = {
        {.name = "machine", .kind = NAIK_OPTION_CHOICE, .target = &c->machine, .choices = names},
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
        {.name = "action", .kind = NAIK_OPTION_CHOICE, .target = &c->action, .choices = actions},
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
        {.name = "json", .kind = NAIK_OPTION_FLAG, .target = &c->json}};
    naik_status status = naik_options_parse(comm->log, "bench model", argc, argv, options,
                                            sizeof options / sizeof *options, NULL, 0, NULL);
    /* what the software takes by itself */
    const bool own = c->software == 2 && c->vectors < 0;
    p->vectors = own ? NAIK_SINGLE : c->vectors < 0 ? NAIK_HALF : (naik_precision)c->vectors;
    p->links = c->links >= 0 ? (naik_precision)c->links : own ? NAIK_HALF : p->vectors;
    p->recon = c->recon >= 0 ? recons[c->recon] : c->action == NAIK_NAIVE ? 12 : own ? 6 : 9;
    if (p->recon == 6 && (p->links != NAIK_HALF || c->action == NAIK_NAIVE)) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                         "naik bench model: --recon 6 is of the long links of 16-bit links");
    }
    p->points = c->action == NAIK_NAIVE ? NAIK_STENCIL / 2 : NAIK_STENCIL;
    p->nrhs = c->nrhs;
    return status;
}

naik_status bench_model(naik_comm *comm, int argc, char **argv)
{
    naik_status status = NAIK_OK;
    choices c = {
        .machine = 1, .vectors = -1, .links = -1, .recon = -1, .nrhs = 1, .action = NAIK_HISQ};
    problem p = {.local = {32, 32, 32, 32}};
    int nodes[BENCH_MAX_LIST], count = 0;
    prediction alone, now;
    NAIK_TRY(parse(comm, argc, argv, &c, &p));
    machine m = machines[c.machine];
    if (c.check) {
        return check_points(comm, c.json);
    }
    if (c.software == 1) {
        assume_probe(&m);
    } else if (c.software == 2) {
        take_naik(&m);
    }
    for (int i = 0; i < c.figures.count; i++) {
        NAIK_TRY(replace_figure(comm->log, c.figures.text[i], &m));
    }
    if (c.nodes != NULL) {
        NAIK_TRY(parse_nodes(comm->log, c.nodes, nodes, &count));
    }
    for (int n = 1; c.nodes == NULL && n * m.node_size <= 4096; n *= 2) {
        nodes[count++] = n;
    }
    print_figures(comm->log, &m, c.json);
    NAIK_TRY(predict(comm, &m, &p, 1, &alone));
    print_prediction(comm->log, &m, &p, 1, &alone, &alone, c.json);
    for (int i = 0; i < count; i++) {
        NAIK_TRY(predict(comm, &m, &p, nodes[i] * m.node_size, &now));
        print_prediction(comm->log, &m, &p, nodes[i] * m.node_size, &now, &alone, c.json);
    }
done:
    return status;
}
