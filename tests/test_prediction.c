/* test_prediction.c - what solves took beside what was foreseen of their like: means by hand, places that are known, and
 * choices that are kept
 *
 * ranks: 1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "check.h"
#include "input/input.h"
#include "model/multigrid.h"
#include "plan/cost_multigrid.h"
#include "plan/group_count.h"
#include "plan/prediction.h"
#include "stored/told_multigrid.h"

/* Two masses of two tolerances each, of two Naik epsilons, with and without modes. */
static const char text[] =
    "lattice: {size: [16, 16, 16, 32]}\n"
    "gauge: {file: lat.h5}\n"
    "action: {type: hisq}\n"
    "solver: {tolerance: 1e-8}\n"
    "deflation: {modes: 16, file: m.h5}\n"
    "solve:\n"
    "  - {name: a, masses: [0.1, 0.2], source: {type: point, origin: [0, 0, 0, 0]}}\n"
    "  - {name: b, masses: [0.1], tolerance: 1e-4, source: {type: point, origin: [0, 0, 0, 0]}}\n"
    "  - {name: c, masses: [0.1], deflate: false, source: {type: point, origin: [0, 0, 0, 0]}}\n"
    "  - {name: d, masses: [0.1], naik_epsilon: [0.5], source: {type: point, origin: [0, 0, 0, "
    "0]}}\n"
    "output: {file: out.h5, correlators: [pion5]}\n";

static naik_input *read_input(check *t)
{
    naik_input *input = NULL;
    CHECK_OK(
        t, naik_input_parse(t->log, "input.yaml", text, strlen(text), NULL, 0, NULL, NULL, &input));
    return input;
}

/* Number n of a solve takes 10 n + 1 iterations and n/4 seconds; every fifth is pending. */
static naik_solve_record record_of(int n)
{
    return (naik_solve_record){.state = n % 5 == 4 ? NAIK_SOLVE_PENDING : NAIK_SOLVE_DONE,
                               .iterations = 10 * n + 1,
                               .seconds = n / 4.0};
}

static void solves_are_counted_with_their_like_alone(check *t)
{
    naik_input *input = read_input(t);
    CHECK_REQUIRE(t, input != NULL && input->task_count == 15);
    prediction p = {
        .mass_count = 5,
        .masses = {{.mass = 0.1, .tolerance = 1e-8, .deflate = true},
                   {.mass = 0.2, .tolerance = 1e-8, .deflate = true},
                   {.mass = 0.1, .tolerance = 1e-4, .deflate = true},
                   {.mass = 0.1, .tolerance = 1e-8},
                   {.mass = 0.1, .tolerance = 1e-8, .deflate = true, .naik_epsilon = 0.5}}};
    double iterations[5] = {0}, seconds[5] = {0};
    int count[5] = {0};
    for (int i = 0; i < input->task_count; i++) {
        const naik_solve_record record = record_of(i);
        const naik_input_task *task = &input->tasks[i];
        /* by the order of the input: entry a has two masses, each other entry is a row of its own */
        const int row = task->solve == 0 ? task->mass : task->solve + 1;
        prediction_measure(&p, input, i, &record);
        if (record.state != NAIK_SOLVE_PENDING) {
            iterations[row] += record.iterations;
            seconds[row] += record.seconds;
            count[row]++;
        }
    }
    for (int row = 0; row < 5; row++) {
        CHECK_TRUE(t, count[row] >= 2);
        CHECK_INT(t, p.masses[row].measured, count[row]);
        CHECK_NEAR(t, p.masses[row].measured_iterations, iterations[row] / count[row], 1e-10);
        CHECK_NEAR(t, p.masses[row].measured_s, seconds[row] / count[row], 1e-12);
    }
    naik_input_destroy(&input);
}

static void without_modes_the_epsilon_is_of_no_matter(check *t)
{
    naik_input *input = read_input(t);
    CHECK_REQUIRE(t, input != NULL);
    prediction p = {.mass_count = 1, .masses = {{.mass = 0.1, .tolerance = 1e-8}}};
    input->deflation.modes = 0;
    for (int i = 0; i < input->task_count; i++) {
        const naik_solve_record record = {.state = NAIK_SOLVE_NOT_CONVERGED, .iterations = 1};
        prediction_measure(&p, input, i, &record);
    }
    CHECK_INT(t, p.masses[0].measured, 9); /* three columns of each of a, c and d */
    naik_input_destroy(&input);
}

/* Seconds are foreseen on devices that the model knows, and nothing of quarks with spin. */
static void what_is_foreseen_depends_on_the_device(check *t)
{
    static const struct {
        const char *device, *machine;
    } rows[] = {{"NVIDIA H200", "h200"},
                {"NVIDIA H100 80GB HBM3", "h100"},
                {"NVIDIA A100-SXM4-80GB", "perlmutter-80gb"},
                {"NVIDIA A100-SXM4-40GB", "perlmutter"},
                {"AMD Instinct MI250X", "lumi-g"},
                {"NVIDIA GeForce", NULL}};
    naik_input *input = read_input(t);
    CHECK_REQUIRE(t, input != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const prediction_place place = {
            .device = rows[i].device, .ranks = 1, .nodes = 1, .grid = {1, 1, 1, 1}};
        prediction p;
        CHECK_OK(t, prediction_make(t->comm, input, &place, &p));
        CHECK_TRUE(t, p.made && p.mass_count == 5);
        CHECK_TRUE(t, (p.machine != NULL) == (rows[i].machine != NULL));
        CHECK_TRUE(t, p.machine == NULL || strcmp(p.machine, rows[i].machine) == 0);
        CHECK_TRUE(t, (p.gap == NULL) == (p.machine != NULL));
        CHECK_TRUE(t, (p.masses[0].solve_s > 0) == (p.machine != NULL));
        CHECK_TRUE(t, p.masses[0].iterations.expected > p.masses[1].iterations.expected);
        CHECK_TRUE(t, p.output_bytes > 15 * 16 * 16 * 16 * 32 * 3 * 16); /* in double */
    }
    naik_input_destroy(&input);
}

static void a_node_that_is_not_full_counts(check *t)
{
    /* on grids of so many ranks along t, in nodes of so many */
    static const struct {
        int ranks, node_size, nodes;
    } rows[] = {{1, 4, 1}, {4, 4, 1}, {5, 4, 2}, {6, 4, 2}, {8, 4, 2}, {9, 4, 3}, {6, 3, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        model_machine m = model_machine_of(0, MODEL_NAIK);
        m.node_size = rows[i].node_size;
        const model_problem problem = {
            .local = {16, 16, 16, 16}, .recon = 18, .nrhs = 1, .kind = naik_quark_kind_of("hisq")};
        model_prediction p = {.grid = {1, 1, 1, rows[i].ranks}};
        CHECK_OK(t, model_predict(t->log, &m, &problem, &p));
        CHECK_NEAR(t, p.reduce_us,
                   (rows[i].ranks > 1 ? m.figures[REDUCE_US].value : 0) +
                       m.figures[REDUCE_STEP_US].value * log2(rows[i].nodes),
                   1e-9);
    }
}

/* Ranks that nodes do not divide are taken as one node, as are nodes that are not told. */
static void nodes_that_do_not_divide_the_ranks_are_one(check *t)
{
    static const struct {
        int nodes;
        bool one;
    } rows[] = {{1, true}, {3, true}, {0, true}, {-2, true}, {8, true}, {2, false}, {4, false}};
    naik_input *input = read_input(t);
    CHECK_REQUIRE(t, input != NULL);
    prediction first = {.mass_count = 0};
    group_count alone = {.groups = 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const prediction_place place = {
            .device = "NVIDIA H200", .ranks = 4, .nodes = rows[i].nodes, .grid = {1, 1, 1, 4}};
        const group_place groups = {.device = "NVIDIA H200", .ranks = 4, .nodes = rows[i].nodes};
        prediction p;
        group_count count;
        CHECK_OK(t, prediction_make(t->comm, input, &place, &p));
        CHECK_OK(t, group_count_choose(t->comm, input, &groups, &count));
        first = i == 0 ? p : first;
        alone = i == 0 ? count : alone;
        CHECK_TRUE(t, p.made && first.made);
        CHECK_TRUE(t, (p.masses[0].solve_s == first.masses[0].solve_s) == rows[i].one);
        CHECK_TRUE(t, (count.one_s == alone.one_s) == rows[i].one);
    }
    naik_input_destroy(&input);
}

/* One group, with the reason, where the model has no choice. */
static void a_group_has_its_reason(check *t)
{
    static const struct {
        group_place place;
        const char *why;
    } rows[] = {{{.device = "NVIDIA H200", .ranks = 1, .nodes = 1}, "there is one rank"},
                {{.device = "CPU", .ranks = 4, .nodes = 1},
                 "naik's model of machines does not know this device"},
                {{.device = "NVIDIA H200", .ranks = 4, .nodes = 1, .memory_gib = 1e-3},
                 "the model finds no way to hold this run"},
                {{.device = "NVIDIA H200", .ranks = 4, .nodes = 1, .memory_gib = 1e3}, NULL},
                {{.device = "NVIDIA H200", .ranks = 4, .nodes = 1}, NULL}};
    naik_input *input = read_input(t);
    CHECK_REQUIRE(t, input != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        group_count count;
        CHECK_OK(t, group_count_choose(t->comm, input, &rows[i].place, &count));
        CHECK_TEXT(t, count.why != NULL ? count.why : "", rows[i].why != NULL ? rows[i].why : "");
        CHECK_TRUE(t, count.groups == 1 || rows[i].why == NULL);
        CHECK_TRUE(t, (count.wall_s > 0) == (rows[i].why == NULL));
    }
    naik_input_destroy(&input);
}

static const char clover[] =
    "lattice: {size: [16, 16, 16, 32]}\n"
    "gauge: {file: lat.h5}\n"
    "action: {type: clover, csw: 1}\n"
    "solver: {method: auto, max_iterations: 100000}\n"
    "solve:\n"
    "  - {name: a, masses: [-0.375, -0.125, 0.0625], source: {type: point, origin: [0, 0, 0, 0]}}\n"
    "output: {file: out.h5, correlators: [pion]}\n";

/* Costs of the quarks of `clover`, of 12 solves each and one iteration without multigrid. */
static cost *cost_of_clover(check *t, naik_input **input)
{
    cost *c = calloc(1, sizeof *c);
    CHECK_OK(t, naik_input_parse(t->log, "input.yaml", clover, strlen(clover), NULL, 0, NULL, NULL,
                                 input));
    for (int i = 0; c != NULL && *input != NULL && i < 3; i++) {
        const naik_quark *quark = naik_input_quark(*input, 0, 2 - i); /* the heaviest first */
        c->masses[c->mass_count++] = (cost_mass){.mass = quark->mass,
                                                 .tolerance = 1e-10,
                                                 .quark = quark,
                                                 .solves = 12,
                                                 .plain = {1, 1, 1}};
    }
    return c;
}

/* The solves of the pilot run that are nearest to a mass say whether multigrid takes it, and how it does. */
static void the_nearest_mass_of_a_pilot_run_decides(check *t)
{
    naik_input *input = NULL;
    cost *c = cost_of_clover(t, &input);
    CHECK_REQUIRE(t, c != NULL && input != NULL);
    const pilot_means by = {
        .count = 2,
        .mean = {{.mass = -0.5, .tolerance = 1e-10, .mean = 20, .least = 18, .most = 25},
                 {.mass = -0.25, .tolerance = 1e-10, .mean = 10, .least = 9, .most = 11}},
        .steps = {30, 0}};
    const pilot_means plain = {
        .count = 2,
        .mean = {{.mass = 0.5, .tolerance = 1e-10, .mean = 1, .least = 1, .most = 1},
                 {.mass = 0, .tolerance = 1e-10, .mean = 1, .least = 1, .most = 1}}};
    c->told.multigrid = by;
    c->told.plain = plain;
    cost_multigrid_expect(input, c);
    /* -0.125 is as near to -0.25 as to 0, 0.0625 nearer to 0 */
    CHECK_TRUE(t, !c->masses[0].multigrid && c->masses[1].multigrid && c->masses[2].multigrid);
    CHECK_NEAR(t, c->masses[1].outer.expected, 10, 1e-12);
    CHECK_NEAR(t, c->masses[0].outer.most, 11, 1e-12);
    CHECK_NEAR(t, c->masses[1].steps.expected, model_multigrid_steps().expected, 0);
    c->told.plain.count = 0;
    c->told.multigrid.mean[0].mass = 0.0625;
    cost_multigrid_expect(input, c);
    CHECK_TRUE(t, c->masses[0].multigrid);
    CHECK_NEAR(t, c->masses[0].steps.expected, 30, 0);
    CHECK_NEAR(t, c->masses[0].steps.least, 30, 0);
    CHECK_NEAR(t, c->masses[0].outer.least, 18, 1e-12);
    c->told.multigrid.count = 0;
    cost_multigrid_expect(input, c);
    CHECK_TRUE(t, !c->masses[0].multigrid && !c->masses[1].multigrid && !c->masses[2].multigrid);
    CHECK_NEAR(t, c->masses[2].outer.expected, model_multigrid_iterations(1e-10).expected, 0);
    free(c);
    naik_input_destroy(&input);
}

/* Without a pilot run a mass takes multigrid beyond so many iterations, no more of them than a solve may have. */
static void iterations_beyond_the_limit_take_multigrid(check *t)
{
    naik_input *input = NULL;
    cost *c = cost_of_clover(t, &input);
    CHECK_REQUIRE(t, c != NULL && input != NULL);
    const int all = solve_plan_multigrid_from(false, 36, false),
              own = solve_plan_multigrid_from(false, 12, false),
              made = solve_plan_multigrid_from(false, 12, true);
    CHECK_TRUE(t, made < all && all < own);
    /* a setup is of the mass and of the lighter ones */
    CHECK_INT(t, cost_multigrid_limit(input, c, 0), all);
    CHECK_INT(t, cost_multigrid_limit(input, c, 2), own);
    for (int more = 0; more < 2; more++) {
        c->masses[2].plain.expected = own + more;
        cost_multigrid_expect(input, c);
        CHECK_TRUE(t, c->masses[2].multigrid == (more == 1));
    }
    c->masses[0].plain.expected = all + 1;
    cost_multigrid_expect(input, c);
    CHECK_TRUE(t, c->masses[0].multigrid && !c->masses[1].multigrid);
    CHECK_INT(t, cost_multigrid_limit(input, c, 2), made);
    CHECK_TRUE(t, cost_multigrid_follows(c, 1) && !cost_multigrid_follows(c, 0));
    input->solver.max_iterations = 7;
    CHECK_INT(t, cost_multigrid_limit(input, c, 1), 7);
    free(c);
    naik_input_destroy(&input);
}

/* What the run that began a file chose, read again: all of it holds, and words that nobody wrote are refused. */
static void choices_of_an_unfinished_output_are_kept(check *t)
{
    static const char unknown[] = "which this version does not know";
    static const struct {
        const char *keys[2], *choices;
        bool solved;
        const char *refused; /* a piece of the sentence; NULL: kept as they are, */
        const char *kept;    /* or as this */
    } rows[] = {
        {{NULL},
         "vectors=double links=double recon=18 multishift=off first=mass",
         false,
         NULL,
         NULL},
        {{NULL},
         "vectors=single links=half recon=18 multishift=on first=single",
         false,
         NULL,
         NULL},
        {{NULL},
         "vectors=half links=half recon=13 multishift=off first=classical",
         false,
         NULL,
         NULL},
        {{NULL},
         "vectors=single links=single recon=9 multishift=off first=double",
         false,
         NULL,
         NULL},
        {{NULL},
         "vectors=triple links=single recon=18 multishift=off first=mass",
         false,
         unknown,
         NULL},
        {{NULL},
         "vectors=single links=triple recon=18 multishift=off first=mass",
         false,
         unknown,
         NULL},
        {{NULL},
         "vectors=single links=single recon=18 multishift=off first=last",
         false,
         unknown,
         NULL},
        {{NULL}, "vectors=single links=single recon=18 multishift=off", false, unknown, NULL},
        {{NULL},
         "links=single vectors=single recon=18 multishift=off first=mass",
         false,
         unknown,
         NULL},
        {{NULL}, "", false, unknown, NULL},
        {{"deflation.modes=auto"},
         "vectors=single links=single recon=18 multishift=off first=mass modes=24",
         false,
         NULL,
         NULL},
        {{"deflation.modes=auto"},
         "vectors=single links=single recon=18 multishift=off first=mass modes=16 stored",
         false,
         NULL,
         NULL},
        {{"deflation.modes=auto"},
         "vectors=single links=single recon=18 multishift=off first=mass",
         false,
         NULL,
         "vectors=single links=single recon=18 multishift=off first=mass modes=0"},
        {{"CLOVER", "solver.method=auto"},
         "vectors=single links=single recon=18 multishift=off first=single multigrid=on",
         false,
         NULL,
         NULL},
        {{"CLOVER", "solver.method=auto"},
         "vectors=single links=single recon=18 multishift=off first=single multigrid=on",
         true,
         NULL,
         NULL},
        {{"CLOVER", "solver.method=auto"},
         "vectors=single links=single recon=18 multishift=off first=single multigrid=off",
         true,
         NULL,
         NULL},
        {{"CLOVER", "solver.method=auto"},
         "vectors=single links=single recon=18 multishift=off first=single",
         false,
         NULL,
         NULL},
        {{"CLOVER", "solver.method=cg"},
         "vectors=single links=single recon=18 multishift=off first=single multigrid=on",
         true,
         "has solutions by multigrid, which solver.method auto took, and now solver.method is cg",
         NULL},
        {{"CLOVER", "solver.method=bicgstab"},
         "vectors=single links=single recon=18 multishift=off first=single multigrid=on",
         true,
         "and now solver.method is bicgstab",
         NULL},
        {{"CLOVER", "solver.method=cg"},
         "vectors=single links=single recon=18 multishift=off first=single multigrid=on",
         false,
         NULL,
         "vectors=single links=single recon=18 multishift=off first=single"}};
    naik_lattice *lat = NULL;
    naik_backend *backend = NULL;
    naik_geometry *geometry = NULL;
    const naik_backend_options alone = {.threads = 1, .tune_cache = "none"};
    CHECK_OK(t, naik_lattice_create(t->comm, (const int[]){16, 16, 16, 32}, NULL, &lat));
    CHECK_OK(t, naik_backend_create(t->comm, "cpu", &alone, &backend));
    CHECK_OK(t, naik_geometry_create(backend, lat, &geometry));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const *keys = rows[i].keys;
        const bool spin = keys[0] != NULL && strcmp(keys[0], "CLOVER") == 0;
        const char *base = spin ? clover : text, *key = spin ? keys[1] : keys[0];
        naik_input *input = NULL;
        solve_plan plan;
        CHECK_OK(t, naik_input_parse(t->log, "input.yaml", base, strlen(base), &key, key != NULL,
                                     NULL, NULL, &input));
        CHECK_REQUIRE(t, input != NULL);
        CHECK_OK(t, solve_plan_make(input, geometry, input->task_count, 0, &plan));
        const naik_status status =
            solve_plan_restore(&plan, input, geometry, rows[i].choices, rows[i].solved, false);
        char said[1024];
        snprintf(said, sizeof said, "%s", naik_log_message(t->log));
        naik_log_clear(t->log);
        CHECK_STATUS(t, status, rows[i].refused != NULL ? NAIK_ERR_INPUT : NAIK_OK);
        if (rows[i].refused != NULL) {
            CHECK_TRUE(t, strstr(said, rows[i].refused) != NULL);
        } else {
            CHECK_TEXT(t, plan.choices, rows[i].kept != NULL ? rows[i].kept : rows[i].choices);
        }
        naik_input_destroy(&input);
    }
    naik_geometry_destroy(&geometry);
    naik_backend_destroy(&backend);
    naik_lattice_destroy(&lat);
}

/* The texts of a file, each with its name; the last run that says all counts. */
static void a_place_is_what_the_last_run_said(check *t)
{
    static const struct {
        const char *name[2], *text[2];
        bool found;
        prediction_place place;
        const char *device;
    } rows[] = {
        {{"run 1"},
         {"device=A\nranks=8\nnodes=2\ngrid=1x1x2x4\n"},
         true,
         {.ranks = 8, .nodes = 2, .grid = {1, 1, 2, 4}},
         "A"},
        {{"run 1"},
         {"device=A b\nranks=2\ngrid=1x1x1x2\n"},
         true,
         {.ranks = 2, .nodes = 1, .grid = {1, 1, 1, 2}},
         "A b"},
        {{"run 1"},
         {"device=A\nranks=8\nnodes=4\ngrid=1x1x1x2\ngroups=4\n"},
         true,
         {.ranks = 2, .nodes = 1, .grid = {1, 1, 1, 2}},
         "A"},
        {{"run 1"},
         {"device=A\nranks=8\nnodes=4\ngrid=1x1x1x4\ngroups=2\n"},
         true,
         {.ranks = 4, .nodes = 2, .grid = {1, 1, 1, 4}},
         "A"},
        {{"run 1"},
         {"device=A\nranks=8\nnodes=1\ngrid=1x1x1x4\ngroups=2\n"},
         true,
         {.ranks = 4, .nodes = 1, .grid = {1, 1, 1, 4}},
         "A"},
        {{"run 1", "run 2"},
         {"device=A\nranks=1\ngrid=1x1x1x1\n", "device=B\nranks=2\ngrid=1x1x1x2\n"},
         true,
         {.ranks = 2, .nodes = 1, .grid = {1, 1, 1, 2}},
         "B"},
        {{"run 1", "note"},
         {"device=A\nranks=1\ngrid=1x1x1x1\n", "device=B\nranks=2\ngrid=1x1x1x2\n"},
         true,
         {.ranks = 1, .nodes = 1, .grid = {1, 1, 1, 1}},
         "A"},
        {{"run 1"},
         {"device=A\nranks=1048575\ngrid=1x1x1x1\n"},
         true,
         {.ranks = 1048575, .nodes = 1, .grid = {1, 1, 1, 1}},
         "A"},
        {{"run 1"}, {"device=A\nranks=1048576\ngrid=1x1x1x1\n"}, false, {.ranks = 0}, NULL},
        {{"run 1"}, {"device=A\nranks=0\ngrid=1x1x1x1\n"}, false, {.ranks = 0}, NULL},
        {{"run 1"}, {"device=A\nranks=-1\ngrid=1x1x1x1\n"}, false, {.ranks = 0}, NULL},
        {{"run 1"}, {"device=A\nranks=3\ngrid=1x1x1x1\ngroups=4\n"}, false, {.ranks = 0}, NULL},
        {{"run 1"}, {"device=A\nranks=x\ngrid=1x1x1x1\n"}, false, {.ranks = 0}, NULL},
        {{"run 1"}, {"device=A\nranks=1\ngrid=1x1x1\n"}, false, {.ranks = 0}, NULL},
        {{"run 1"}, {"device=A\nranks=1\n"}, false, {.ranks = 0}, NULL},
        {{"run 1"}, {"ranks=1\ngrid=1x1x1x1\n"}, false, {.ranks = 0}, NULL},
        {{"run 1"}, {"device=A\ngrid=1x1x1x1\n"}, false, {.ranks = 0}, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_reader_fact texts[2];
        naik_propagator_reader view = {.texts = texts};
        prediction_place place = {.ranks = 0};
        char device[PREDICTION_DEVICE] = "";
        for (; view.text_count < 2 && rows[i].name[view.text_count] != NULL; view.text_count++) {
            const int k = view.text_count;
            texts[k] = (naik_reader_fact){(char *)rows[i].name[k], (char *)rows[i].text[k]};
        }
        const bool found = prediction_place_of(&view, &place, device);
        CHECK_TRUE(t, found == rows[i].found);
        if (found && rows[i].found) {
            CHECK_TEXT(t, place.device, rows[i].device);
            CHECK_INT(t, place.ranks, rows[i].place.ranks);
            CHECK_INT(t, place.nodes, rows[i].place.nodes);
            CHECK_TRUE(t, memcmp(place.grid, rows[i].place.grid, sizeof place.grid) == 0);
        }
    }
}

/* Of each mass the sums over the lines of all runs; other texts and masses are none of it. */
static void what_multigrid_did_is_added_up(check *t)
{
    char *const names[3] = {"run 1", "note", "run 2"};
    char *const lines[3] = {"multigrid=mass=-0.4 setup_s=1.5 outer=10 coarse=100\n"
                            "multigrid=mass=-0.5 setup_s=2 outer=7 coarse=70\nranks=1\n",
                            "multigrid=mass=-0.4 setup_s=50 outer=500 coarse=5000\n",
                            "multigrid=mass=-0.4 setup_s=0.25 outer=3 coarse=20\n"
                            "multigrid=mass=-0.4 setup_s=1 outer=1\n"};
    naik_reader_fact texts[3];
    for (int i = 0; i < 3; i++) {
        texts[i] = (naik_reader_fact){names[i], lines[i]};
    }
    const naik_propagator_reader view = {.texts = texts, .text_count = 3};
    told_multigrid did;
    CHECK_TRUE(t, told_multigrid_of(&view, -0.4, &did));
    CHECK_NEAR(t, did.setup_s, 1.75, 0);
    CHECK_INT(t, (int)did.outer, 13);
    CHECK_INT(t, (int)did.coarse, 120);
    CHECK_TRUE(t, told_multigrid_of(&view, -0.5, &did));
    CHECK_INT(t, (int)did.coarse, 70);
    CHECK_TRUE(t, !told_multigrid_of(&view, 0.4, &did));
    CHECK_INT(t, (int)did.outer, 0);
}

/* More masses than a prediction has rows: the last row counts the rest, and no solve is lost. */
static void masses_beyond_all_rows_are_counted_with_the_last(check *t)
{
    enum { BEYOND = 5, INPUT = 4000 };
    char many[INPUT] = "lattice: {size: [16, 16, 16, 32]}\n"
                       "gauge: {file: lat.h5}\naction: {type: naive}\n"
                       "solve:\n";
    naik_input *input = NULL;
    model_machine machine = model_machine_of(0, MODEL_NAIK);
    const int one = 1;
    cost *c = calloc(1, sizeof *c);
    for (int begin = 0; begin < COST_MASSES + BEYOND; begin += 50) {
        size_t used = strlen(many);
        used += (size_t)snprintf(many + used, INPUT - used, "  - {name: s%d, masses: [", begin);
        for (int m = begin; m < begin + 50 && m < COST_MASSES + BEYOND; m++) {
            used += (size_t)snprintf(many + used, INPUT - used, "%s%g", m > begin ? ", " : "",
                                     0.01 * (m + 1));
        }
        snprintf(many + used, INPUT - used, "], source: {type: point, origin: [0, 0, 0, 0]}}\n");
    }
    strcat(many, "output: {file: out.h5, correlators: [pion5]}\n");
    CHECK_OK(
        t, naik_input_parse(t->log, "input.yaml", many, strlen(many), NULL, 0, NULL, NULL, &input));
    CHECK_REQUIRE(t, c != NULL && input != NULL);
    CHECK_OK(t, cost_of(t->comm, input, &machine, NULL, &one, 1, c));
    int solves = 0;
    for (int i = 0; i < c->mass_count && i < COST_MASSES; i++) {
        solves += c->masses[i].solves;
    }
    CHECK_INT(t, c->mass_count, COST_MASSES);
    CHECK_INT(t, solves, 3 * (COST_MASSES + BEYOND));
    CHECK_INT(t, c->masses[COST_MASSES - 1].solves, 3 * (1 + BEYOND));
    naik_input_destroy(&input);
    free(c);
}

CHECK_MAIN(CHECK(solves_are_counted_with_their_like_alone),
           CHECK(without_modes_the_epsilon_is_of_no_matter),
           CHECK(what_is_foreseen_depends_on_the_device), CHECK(a_node_that_is_not_full_counts),
           CHECK(nodes_that_do_not_divide_the_ranks_are_one), CHECK(a_group_has_its_reason),
           CHECK(the_nearest_mass_of_a_pilot_run_decides),
           CHECK(iterations_beyond_the_limit_take_multigrid),
           CHECK(choices_of_an_unfinished_output_are_kept),
           CHECK(a_place_is_what_the_last_run_said), CHECK(what_multigrid_did_is_added_up),
           CHECK(masses_beyond_all_rows_are_counted_with_the_last))
