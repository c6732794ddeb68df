/* test_input.c - the input file: what is accepted, how it is typed, overridden and expanded */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "input/input.h"
#include "input/input_table.h"
#include "io/files.h"
#include "plan/group_count.h"

static const char sample[] =
    "lattice: {size: [8, 8, 8, 16], boundary_t: periodic}\n"
    "gauge: {file: lat.h5, on_mismatch: warn}\n"
    "action: {type: hisq}\n"
    "solve:\n"
    "  - name: pt\n"
    "    masses: [0.05, 0.1]\n"
    "    naik_epsilon: [0.0, -0.1]\n"
    "    source: {type: point, origin: [[0, 0, 0, 0], [1, 2, 3, 4]]}\n"
    "  - name: noise\n"
    "    masses: 0.02\n"
    "    tolerance: 1e-6\n"
    "    source: {type: random_wall, t0: 7, seed: 18446744073709551615, noise: u1,\n"
    "             momentum: [1, 0, -1]}\n"
    "output: {file: out.h5, correlators: [pion05, pion5], momenta: [[0, 0, 0], [1, 0, 0]],\n"
    "         mpi_info: {striping_factor: 16, romio_cb_write: enable}}\n"
    "run: {wall_limit: 01:30:05}\n";

static naik_status parse(check *t, const char *text, naik_input **out)
{
    return naik_input_parse(t->log, "input.yaml", text, strlen(text), NULL, 0, NULL, NULL, out);
}

static void input_is_typed_by_the_table(check *t)
{
    naik_input *in = NULL;
    CHECK_OK(t, parse(t, sample, &in));
    CHECK_REQUIRE(t, in != NULL);
    CHECK_INT(t, in->lattice.size[3], 16);
    CHECK_TRUE(t, !in->lattice.antiperiodic_t);
    CHECK_TEXT(t, in->gauge.file, "lat.h5");
    CHECK_TRUE(t, in->gauge.warn_only && in->gauge.reunitarise);
    CHECK_NEAR(t, in->gauge.max_unitarity_deviation, 1e-5, 0);
    CHECK_TEXT(t, in->kind->name, "hisq");
    CHECK_INT(t, in->solve_count, 2);
    CHECK_INT(t, in->solve[0].masses.count, 2);
    CHECK_NEAR(t, in->solve[0].masses.data[1], 0.1, 0);
    CHECK_NEAR(t, in->solve[0].naik_epsilon.data[1], -0.1, 0);
    CHECK_NEAR(t, in->solve[0].tolerance, 1e-10, 0);
    CHECK_NEAR(t, in->solve[1].tolerance, 1e-6, 0);
    CHECK_INT(t, in->solve[1].naik_epsilon.count, 1);
    CHECK_NEAR(t, in->solve[1].naik_epsilon.data[0], 0, 0);
    CHECK_INT(t, in->solve[1].source.type, NAIK_SOURCE_RANDOM_WALL);
    CHECK_INT(t, in->solve[1].source.noise, NAIK_NOISE_U1);
    CHECK_TRUE(t, in->solve[1].source.seed == UINT64_MAX);
    CHECK_INT(t, in->solve[1].source.momentum[2], -1);
    CHECK_INT(t, in->solver.max_iterations, 20000);
    CHECK_INT(t, in->solver.inner_precision, NAIK_INPUT_AUTO);
    CHECK_INT(t, in->solver.batch, 0);
    CHECK_INT(t, in->output.precision, 64);
    CHECK_TRUE(t, in->output.propagators);
    CHECK_INT(t, in->output.correlators.count, 2);
    CHECK_INT(t, in->output.correlators.data[0], NAIK_PION05);
    CHECK_INT(t, in->output.momenta.count, 2);
    CHECK_INT(t, in->output.momenta.data[1][0], 1);
    CHECK_INT(t, in->output.mpi_info.count, 2);
    CHECK_TEXT(t, in->output.mpi_info.data[0].key, "striping_factor");
    CHECK_TEXT(t, in->output.mpi_info.data[0].value, "16");
    CHECK_NEAR(t, in->run.wall_limit_s, 5405, 0);
    CHECK_INT(t, in->run.grid[0], 0);
    CHECK_INT(t, in->run.backend, NAIK_INPUT_BACKEND_AUTO);
    naik_input_destroy(&in);
    CHECK_TRUE(t, in == NULL);
}

static void tasks_run_over_solve_origin_mass_colour(check *t)
{
    naik_input *in = NULL;
    CHECK_OK(t, parse(t, sample, &in));
    CHECK_REQUIRE(t, in != NULL);
    CHECK_INT(t, in->source_count, 3);
    CHECK_INT(t, in->task_count, 2 * 2 * 3 + 3);
    CHECK_INT(t, in->sources[1].source.origin[2], 3);
    CHECK_INT(t, in->sources[1].origin, 1);
    CHECK_TEXT(t, in->sources[1].label, "pt/s0001");
    CHECK_TEXT(t, in->sources[2].label, "noise");
    CHECK_INT(t, in->sources[2].solve, 1);
    CHECK_INT(t, in->sources[2].source.origin[3], 7);
    int task = 0;
    for (int source = 0; source < 3; source++) {
        int solve = source == 2;
        for (int mass = 0; mass < in->solve[solve].masses.count; mass++) {
            for (int colour = 0; colour < 3; colour++, task++) {
                CHECK_INT(t, in->tasks[task].source, source);
                CHECK_INT(t, in->tasks[task].solve, solve);
                CHECK_INT(t, in->tasks[task].mass, mass);
                CHECK_INT(t, in->tasks[task].colour, colour);
            }
        }
    }
    naik_input_destroy(&in);
}

/* Of a mass that two entries have the quark is one, unless links or twist differ. */
static void tasks_have_quarks_and_each_is_there_once(check *t)
{
    static const char clover[] =
        "lattice: {size: [4, 4, 4, 4]}\n"
        "gauge: {file: lat.h5}\n"
        "action: {type: clover, csw: 1.2, u0: 0.5}\n"
        "solve:\n"
        "  - {name: a, masses: [0.1, 0.0], source: {type: point, origin: [0, 0, 0, 0]}}\n"
        "  - {name: b, kappas: 0.125, source: {type: point, origin: [0, 0, 0, "
        "1]}}\n"
        "  - {name: c, masses: 0.1, twist: [0, 0.5, 0], source: {type: point, origin: [0, 0, 0, "
        "0]}}\n"
        "output: {file: out.h5}\n";
    naik_input *in = NULL;
    char text[NAIK_QUARK_TEXT];
    CHECK_OK(t, parse(t, sample, &in));
    CHECK_REQUIRE(t, in != NULL);
    CHECK_TRUE(t, in->kind == naik_quark_kind_of("hisq") && in->quark_count == 3);
    CHECK_INT(t, in->solve[1].quark[0], 2);
    CHECK_NEAR(t, naik_input_quark(in, 0, 1)->naik_epsilon, -0.1, 0);
    CHECK_NEAR(t, naik_input_task_quark(in, 3)->mass, 0.1, 0);
    CHECK_TRUE(t, naik_quark_shares_operator(&in->quarks[0], &in->quarks[2]));
    CHECK_TRUE(t, !naik_quark_shares_links(&in->quarks[0], &in->quarks[1]));
    naik_input_destroy(&in);
    CHECK_OK(t, parse(t, clover, &in));
    CHECK_REQUIRE(t, in != NULL);
    CHECK_TRUE(t, in->quark_count == 3 && in->solve[1].quark[0] == 1);
    CHECK_INT(t, in->tasks[in->task_count - 1].quark, 2);
    CHECK_NEAR(t, naik_quark_csw(&in->quarks[0]), 9.6, 1e-14);
    CHECK_TRUE(t, naik_quark_twist(&in->quarks[0]) == NULL);
    CHECK_NEAR(t, naik_quark_twist(&in->quarks[2])[1], 0.5, 0);
    for (int q = 1; q < 3; q++) { /* of another mass, and of a twist */
        CHECK_TRUE(t, !naik_quark_shares_operator(&in->quarks[0], &in->quarks[q]));
        CHECK_TRUE(t, naik_quark_shares_links(&in->quarks[0], &in->quarks[q]));
    }
    naik_quark_text(&in->quarks[0], ", ", 10, text);
    CHECK_TEXT(t, text, "mass 0.1, kappa 0.1219512195, csw 9.6");
    naik_input_destroy(&in);
}

static void kinds_are_those_of_their_operators_and_keys(check *t)
{
    for (int i = 0; naik_quark_kinds[i] != NULL; i++) {
        const naik_quark_kind *kind = naik_quark_kinds[i];
        CHECK_TEXT(t, kind->name, naik_quark_words[i]);
        CHECK_TRUE(t, naik_quark_kind_of(kind->name) == kind);
        for (int k = 0; k < kind->number_count; k++) { /* what a file has is read back */
            const naik_quark_number *number = &kind->numbers[k];
            naik_quark quark = {.kind = kind};
            CHECK_TRUE(t, k >= 2 || (number->uses & NAIK_NUMBER_HADRON) != 0);
            if ((number->uses & NAIK_NUMBER_FILE) != 0 && strcmp(number->name, "kappa") != 0) {
                naik_quark_set(&quark, number, 0.25);
                CHECK_TRUE(t, number->member != 0 && quark.kind == kind);
                CHECK_NEAR(t, number->value(&quark), 0.25, 0);
            }
        }
        CHECK_INT(t, kind->spin, kind->ops->spin);
        CHECK_INT(t, kind->columns, kind->ops->solves);
        CHECK_INT(t, kind->reals, 2 * kind->columns);
        CHECK_TEXT(t, kind->numbers[0].name, "mass");
        CHECK_TEXT(t, kind->numbers[1].name, "naik_epsilon");
        for (int n = 0; n < kind->number_count; n++) {
            bool found = kind->numbers[n].key == NULL;
            for (int k = 0; k < naik_input_table.count && !found; k++) {
                const naik_param *param = &naik_input_table.params[k];
                found = strcmp(param->key, kind->numbers[n].key) == 0 && param->identity &&
                        param->kind == NAIK_PARAM_REAL;
            }
            CHECK_TRUE(t, found);
        }
    }
    CHECK_NEAR(t, naik_quark_kind_of("hisq")->costs.flops, 1146, 0);
    CHECK_NEAR(t, naik_quark_kind_of("naive")->costs.flops, 570, 0);
    CHECK_TRUE(t, naik_quark_kind_of("hisq_su3")->smearing == NAIK_HISQ_SU3);
    CHECK_TRUE(t, naik_quark_kind_of("hisq_u3") == NULL);
}

static void overrides_and_environment_replace_keys_and_are_recorded(check *t)
{
    const char *const overrides[] = {"solver.tolerance=1e-8", "solve.0.masses=[0.3, 0.4]",
                                     "run.threads=2", "output.mpi_info.cb_nodes=4",
                                     "solver.tolerance=1e-7"};
    naik_input *in = NULL;
    CHECK_OK(t, naik_input_parse(t->log, "input.yaml", sample, strlen(sample), overrides, 5, "cpu",
                                 "1x1x2x4", &in));
    CHECK_REQUIRE(t, in != NULL);
    CHECK_NEAR(t, in->solver.tolerance, 1e-7, 0);
    CHECK_NEAR(t, in->solve[0].tolerance, 1e-7, 0);
    CHECK_NEAR(t, in->solve[1].tolerance, 1e-6, 0);
    CHECK_NEAR(t, in->solve[0].masses.data[0], 0.3, 0);
    CHECK_INT(t, in->run.threads, 2);
    CHECK_INT(t, in->run.backend, NAIK_INPUT_BACKEND_CPU);
    CHECK_INT(t, in->run.grid[2], 2);
    CHECK_INT(t, in->run.grid[3], 4);
    CHECK_INT(t, in->output.mpi_info.count, 3);
    CHECK_TRUE(t, strncmp(in->text, sample, strlen(sample)) == 0);
    CHECK_TRUE(t, strstr(in->text, "\n# --set solve.0.masses=[0.3, 0.4]\n") != NULL);
    CHECK_TRUE(t, strstr(in->text, "\n# NAIK_BACKEND=cpu\n# NAIK_GRID=1x1x2x4\n") != NULL);
    naik_input_destroy(&in);
}

static void canonical_text_does_not_depend_on_how_it_was_written(check *t)
{
    static const char terse[] = "{lattice: {size: [4,4,4,8]}, gauge: {file: a}, action: {type: "
                                "naive}, output: {file: o}, solve: [{name: p, masses: [0.50], "
                                "source: {type: even_wall, t0: 0}}]}";
    static const char wordy[] =
        "# the same\n"
        "output:\n"
        "    file: \"o\"\n"
        "action:\n"
        "    type: naive\n"
        "gauge:\n"
        "    file: 'a'\n"
        "    reunitarise: true\n"
        "lattice:\n"
        "    size:\n"
        "      - 4\n"
        "      - 4\n"
        "      - 4\n"
        "      - 8\n"
        "solver: {tolerance: 0.0000000001, batch: auto}\n"
        "solve:\n"
        "    - {name: p, masses: 5e-1, source: {type: even_wall, t0: [0]}}\n"
        "run: {threads: 3}\n";
    naik_input *a = NULL, *b = NULL;
    CHECK_OK(t, parse(t, terse, &a));
    CHECK_OK(t, parse(t, wordy, &b));
    CHECK_REQUIRE(t, a != NULL && b != NULL);
    CHECK_TEXT(t, a->identity, b->identity);
    CHECK_TRUE(t, strstr(a->identity, "run.") == NULL);
    CHECK_TRUE(t, strstr(a->identity, "lattice.size = [4, 4, 4, 8]\n") != NULL);
    CHECK_TRUE(t, strstr(a->identity, "solve.0.masses = [0.5]\n") != NULL);
    CHECK_TRUE(t, strstr(a->identity, "solve.0.tolerance = 1e-10\n") != NULL);
    naik_input_destroy(&a);
    naik_input_destroy(&b);
}

/* The factor of a wall of one corner begins at that corner, which in older files it did not. */
static void a_moving_wall_of_a_corner_says_what_it_is_counted_from(check *t)
{
    for (int moves = 0; moves < 4; moves++) {
        naik_input *in = NULL;
        char text[512];
        snprintf(
            text, sizeof text,
            "{lattice: {size: [4,4,4,8]}, gauge: {file: a}, action: {type: naive}, output: "
            "{file: o, correlators: []}, solve: [{name: p, masses: [0.5], source: {type: "
            "evenandodd_wall, subset: corner, corner: [%d, 0, 0], t0: 0, momentum: [%d, 0, 0]}}]}",
            moves & 1, moves >> 1);
        CHECK_OK(t, parse(t, text, &in));
        CHECK_REQUIRE(t, in != NULL);
        CHECK_INT(t, strstr(in->identity, "\noutput.origin = source\n") != NULL, moves == 3);
        naik_input_destroy(&in);
    }
}

static void begun_with(check *t, const char *without, const char *with, bool same)
{
    static const char base[] =
        "{lattice: {size: [4,4,4,8]}, gauge: {file: a}, action: {type: clover, csw: 1%s}, output: "
        "{file: o%s}, solve: [{name: c, kappas: [0.13], source: {type: point, origin: [0,0,0,0], "
        "colours: [1]}}, {name: p, kappas: [0.13, 0.12]%s, source: {type: point, origin: "
        "[0,0,0,0]%s}}]%s}";
    char text[2][512];
    const char *const rows[] = {without, with};
    for (int i = 0; i < 2; i++) {
        const char *part[] = {"", "", "", "", ""};
        part[rows[i][0] != '\0' ? rows[i][0] - '0' : 0] = rows[i] + (rows[i][0] != '\0');
        snprintf(text[i], sizeof text[i], base, part[0], part[1], part[2], part[3], part[4]);
    }
    for (int i = 0; i < 2; i++) {
        naik_input *now = NULL, *begun = NULL;
        CHECK_OK(t, parse(t, text[i], &now));
        CHECK_OK(t, parse(t, text[1 - i], &begun));
        CHECK_REQUIRE(t, now != NULL && begun != NULL);
        CHECK_TRUE(t, strcmp(now->identity, begun->identity) != 0);
        CHECK_OK(t, naik_input_go_on(t->comm->log, now, begun->identity));
        if ((strcmp(now->identity, begun->identity) == 0) != same) {
            CHECK_TEXT(t, with, same ? "goes on" : "is another input");
        }
        char cut[4096]; /* nothing is read behind the end of a text without its last line end */
        const int length = snprintf(cut, sizeof cut, "%s?", begun->identity);
        cut[length - 2] = '\0';
        CHECK_OK(t, naik_input_go_on(t->comm->log, now, cut));
        CHECK_TRUE(t, !same || strcmp(now->identity, cut) == 0);
        naik_input_destroy(&now);
        naik_input_destroy(&begun);
    }
}

/* The first letter says where it stands. */
static void a_default_in_words_is_no_other_input(check *t)
{
    static const char *const same[] = {"0, u0: 1",
                                       "1, correlators: [pion]",
                                       "2, twist: [0, 0, 0]",
                                       "2, correlators: [pion]",
                                       "2, momenta: [[0, 0, 0]]",
                                       "3, colours: [0, 1, 2]",
                                       "4, multigrid: {aggregate: [2, 2, 2, 4]}",
                                       "4, multigrid: {setup_kappa: 0.13}"};
    static const char *const other[] = {"0, u0: 0.9",
                                        "1, correlators: [rho_x]",
                                        "2, twist: [0, 0, 0.5]",
                                        "2, correlators: []",
                                        "2, momenta: [[0, 0, 1]]",
                                        "3, colours: [0, 1]",
                                        "4, multigrid: {aggregate: [2, 2, 2, 2]}",
                                        "4, multigrid: {setup_kappa: 0.12}",
                                        "4, solver: {tolerance: 1e-8}"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        begun_with(t, "", same[i], true);
    }
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        begun_with(t, "", other[i], false);
    }
    begun_with(t, "1, correlators: [rho_x]", "2, correlators: [pion]", false);
    begun_with(t, "1, momenta: [[1,0,0]]", "1, momenta: [[1,0,0]], momentum_weight: cos", false);
}

/* Outputs that were begun before a key came to be are still continued. */
static void keys_that_came_later_are_in_no_identity_at_their_initial_values(check *t)
{
    naik_input *in = NULL;
    int later = 0;
    CHECK_OK(
        t, parse(t,
                 "{lattice: {size: [4,4,4,8]}, gauge: {file: a}, action: {type: naive}, output: "
                 "{file: o}, solve: [{name: p, masses: [0.5], source: {type: even_wall, t0: 0}}]}",
                 &in));
    CHECK_REQUIRE(t, in != NULL);
    for (int i = 0; i < naik_input_table.count; i++) {
        const naik_param *param = &naik_input_table.params[i];
        const char *list = strstr(param->key, "[]");
        char line[128];
        snprintf(line, sizeof line,
                 "%.*s%s%s = ", list != NULL ? (int)(list - param->key) : (int)strlen(param->key),
                 param->key, list != NULL ? ".0" : "", list != NULL ? list + 2 : "");
        if (param->later) {
            later++;
            CHECK_TRUE(t, strstr(in->identity, line) == NULL);
        }
    }
    CHECK_TRUE(t, later > 5);
    naik_input_destroy(&in);
}

static void the_file_is_read_once_for_all_ranks(check *t)
{
    char path[NAIK_PATH_MAX];
    snprintf(path, sizeof path, "%s/sample-%d.yaml", check_folder(), t->comm->size);
    if (t->comm->rank == 0) {
        FILE *file = fopen(path, "w");
        CHECK_TRUE(t, file != NULL && fputs(sample, file) >= 0 && fclose(file) == 0);
    }
    naik_input *in = NULL;
    CHECK_OK(t, naik_input_load(t->comm, path, NULL, 0, &in));
    CHECK_REQUIRE(t, in != NULL);
    CHECK_INT(t, in->task_count, 15);
    naik_input_destroy(&in);
    if (t->comm->rank == 0) {
        remove(path);
    }
    naik_comm_barrier(t->comm);
    CHECK_INT(t, naik_input_load(t->comm, path, NULL, 0, &in), NAIK_ERR_INPUT);
    char expected[NAIK_PATH_MAX + 64];
    snprintf(expected, sizeof expected, "%s cannot be opened: No such file or directory", path);
    CHECK_TEXT(t, naik_log_message(t->log), expected);
    naik_log_clear(t->log);
    CHECK_INT(t, naik_input_load(t->comm, "/", NULL, 0, &in), NAIK_ERR_INPUT);
    CHECK_TEXT(t, naik_log_message(t->log), "/ cannot be read: Is a directory");
}

static void shipped_inputs_are_good(check *t)
{
    DIR *folder = opendir("inputs");
    CHECK_REQUIRE(t, folder != NULL);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[300];
        naik_input *in = NULL;
        snprintf(path, sizeof path, "inputs/%s", entry->d_name);
        if (strstr(entry->d_name, ".yaml") != NULL) {
            CHECK_OK(t, naik_input_load(t->comm, path, NULL, 0, &in));
            CHECK_TRUE(t, in != NULL && in->task_count > 0);
            naik_input_destroy(&in);
            count++;
        }
    }
    closedir(folder);
    CHECK_TRUE(t, count >= 7);
}

/* Where a text ends, its own comments are no overrides; and what a file carries may hold keys that
 * do nothing. */
static void stored_inputs_are_told_from_their_overrides(check *t)
{
    const char *const overrides[] = {"gauge.reunitarise=false",
                                     "solver.double_check_every=3"}; /* without double_check */
    naik_input *in = NULL;
    CHECK_OK(t, naik_input_parse(t->log, "input.yaml", sample, strlen(sample), overrides, 1, NULL,
                                 NULL, &in));
    CHECK_REQUIRE(t, in != NULL);
    CHECK_TEXT(t, in->text + strlen(sample), NAIK_INPUT_END "\n# --set gauge.reunitarise=false\n");
    naik_input_destroy(&in);
    CHECK_INT(t,
              naik_input_parse(t->log, "input.yaml", sample, strlen(sample), overrides, 2, NULL,
                               NULL, &in),
              NAIK_ERR_INPUT);
    CHECK_OK(
        t, naik_input_parse_stored(t->log, sample, strlen(sample), overrides, 2, NULL, NULL, &in));
    naik_input_destroy(&in);
}

static void hints_that_would_be_cut_are_refused(check *t)
{
    char text[2200];
    const char *const overrides[] = {text};
    for (int length = 1990; length <= 2040; length += 50) { /* beside 40 of the sample */
        naik_input *in = NULL;
        snprintf(text, sizeof text, "output.mpi_info.k=%0*d", length, 7);
        CHECK_INT(t,
                  naik_input_parse(t->log, "input.yaml", sample, strlen(sample), overrides, 1, NULL,
                                   NULL, &in),
                  length == 1990 ? NAIK_OK : NAIK_ERR_INPUT);
        naik_input_destroy(&in);
    }
}

/* Of 5 sources 2: each of the 10 subsets as often as the others, in 2000 draws to within five standard deviations. */
static void exact_sources_are_drawn_without_preference(check *t)
{
    enum { DRAWS = 2000, COUNT = 5 };
    static const char text[] =
        "lattice: {size: [8, 8, 8, 8]}\ngauge: {file: lat}\naction: {type: hisq}\n"
        "solve: [{name: w, masses: [0.1, 0.2], tolerance: 1e-9, "
        "source: {type: corner_wall, t0: [0, 2, 3, 5, 7]}}]\n"
        "averages: [{type: truncated_solves, solve: w, tolerance_sloppy: 1e-3, exact_sources: "
        "2}]\noutput: {file: out}\n";
    int seen[COUNT][COUNT] = {{0}};
    char seed[64];
    const char *const overrides[] = {seed};
    for (int k = 0; k < DRAWS; k++) {
        naik_input *in = NULL;
        snprintf(seed, sizeof seed, "averages.0.seed=%d", k);
        CHECK_OK(t, naik_input_parse(t->log, "input.yaml", text, strlen(text), overrides, 1, NULL,
                                     NULL, &in));
        CHECK_REQUIRE(t, in != NULL && in->averages[0].subset.count == 2);
        const int *of = in->averages[0].subset.data;
        const naik_input_solve *sloppy = &in->solve[in->averages[0].of];
        const naik_input_solve *exact = &in->solve[in->averages[0].exact];
        CHECK_TRUE(t, of[0] < of[1] && in->solve_count == 2 && in->task_count == 42);
        CHECK_TRUE(t, sloppy->tolerance == 1e-3 && exact->tolerance == 1e-9);
        CHECK_INT(t, exact->origins.data[1][3], sloppy->origins.data[of[1]][3]);
        seen[of[0]][of[1]]++;
        naik_input_destroy(&in);
    }
    for (int a = 0; a < COUNT; a++) {
        for (int b = a + 1; b < COUNT; b++) {
            CHECK_NEAR(t, seen[a][b], DRAWS / 10.0, 5 * sqrt(DRAWS * 0.1 * 0.9));
        }
    }
}

static group_count chosen(check *t, const char *action, const char *last, const char *device,
                          int ranks, double memory_gib)
{
    char text[600];
    group_count out = {.groups = -1};
    naik_input *in = NULL;
    snprintf(text, sizeof text,
             "lattice: {size: [32, 32, 32, 32]}\n"
             "gauge: {file: lat.h5}\n"
             "action: %s\n"
             "solve: [{name: pt, masses: [0.02], source: {type: random_wall, seed: 5,\n"
             "  t0: [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]}}]\n"
             "output: {file: out.h5, propagators: false, correlators: [%s]}\n"
             "run: {groups: auto}\n%s",
             action, strstr(action, "hisq") != NULL ? "pion5" : "pion", last);
    CHECK_OK(t, parse(t, text, &in));
    if (in != NULL) {
        const group_place place = {device, ranks, 1, memory_gib};
        CHECK_INT(t, in->run.groups, NAIK_INPUT_GROUPS_AUTO);
        CHECK_OK(t, group_count_choose(t->comm, in, &place, &out));
    }
    naik_input_destroy(&in);
    return out;
}

static void auto_groups_are_those_of_the_model(check *t)
{
    const char hisq[] = "{type: hisq}", h100[] = "NVIDIA H100 80GB HBM3";
    const group_count wide = chosen(t, hisq, "", h100, 4, 0);
    CHECK_INT(t, wide.groups, 4);
    CHECK_TRUE(t, wide.why == NULL && wide.wall_s < wide.one_s);
    /* 5 GiB hold no whole lattice */
    CHECK_INT(t, chosen(t, hisq, "", h100, 4, 5).groups, 2);
    const group_count none = chosen(t, hisq, "", h100, 4, 0.5);
    CHECK_TRUE(t, none.groups == 1 && none.why != NULL);
    CHECK_INT(t, chosen(t, hisq, "", h100, 1, 0).groups, 1);
    CHECK_INT(t, chosen(t, hisq, "", "AMD EPYC", 4, 0).groups, 1);
    const char point[] = "three_point: [{parent: pt, spectator: pt, insertion: [G1-G1], "
                         "sink_times: [4], daughter_masses: [0.1]}]\n";
    CHECK_INT(t, chosen(t, hisq, point, h100, 4, 0).groups, 1);
    const char clover[] = "{type: clover, csw: 1}";
    CHECK_TRUE(t, chosen(t, clover, "solver: {method: bicgstab}\n", h100, 4, 0).groups > 1);
    /* the setup of each group is shorter on two devices */
    CHECK_INT(t, chosen(t, clover, "solver: {method: multigrid}\n", h100, 4, 0).groups, 2);
}

/* What the environment says is A, A_1, users and HOME; a name as it is typed, and what comes of it. */
static void names_of_files_are_read_as_a_shell_reads_them(check *t)
{
    enum { LONG = 4095 };
    static const char known[] = "~=/h\0~a.b=/u\0~c-d=/v\0A=x\0A_1=y\0B=p\rq\0C=p\nq";
    static const struct {
        const char *typed, *name, *refused;
    } rows[] = {{"f", "f", NULL},
                {"~", "/h", NULL},
                {"~/f", "/h/f", NULL},
                {"~a.b/f", "/u/f", NULL},
                {"~c-d", "/v", NULL},
                {"~a/f", NULL, "but there is no user a"},
                {"~.a/f", "~.a/f", NULL},
                {"f~", "f~", NULL},
                {"f/~/g", "f/~/g", NULL},
                {"\\~/f", "~/f", NULL},
                {"f\\~", "f\\~", NULL},
                {"$A/f", "x/f", NULL},
                {"f$A", "fx", NULL},
                {"${A}f", "xf", NULL},
                {"$A_1$A", "yx", NULL},
                {"$Af", NULL, "but the environment has no Af"},
                {"$1", "$1", NULL},
                {"f$", "f$", NULL},
                {"\\$A", "$A", NULL},
                {"${A", NULL, "of a variable naik takes $NAME and ${NAME} only"},
                {"${}", NULL, "of a variable naik takes $NAME and ${NAME} only"},
                {"$A.it''s", "x.it's", NULL},
                {"$B", NULL, "which has a line break in it"},
                {"$C", NULL, "which has a line break in it"},
                {"${D}", "", NULL}, /* as long as a name may be */
                {"${D}f", NULL, "is longer than 4095 characters"}};
    char *list = calloc(1, sizeof known + LONG + 3);
    CHECK_REQUIRE(t, list != NULL);
    memcpy(list, known, sizeof known);
    memset(strcpy(list + sizeof known, "D=") + 2, 'd', LONG);
    const naik_variables variables = {.list = list, .size = sizeof known + LONG + 3};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        naik_input *in = NULL;
        snprintf(text, sizeof text,
                 "lattice: {size: [4, 4, 4, 8]}\ngauge: {file: '%s'}\naction: {type: naive}\n"
                 "output: {file: o}\n"
                 "solve: [{name: p, masses: [0.5], source: {type: even_wall, t0: 0}}]\n",
                 rows[i].typed);
        const naik_status status =
            naik_input_parse_stored(t->log, text, strlen(text), NULL, 0, NULL, &variables, &in);
        bool good = true;
        if (rows[i].refused != NULL) {
            good = CHECK_TRUE(t, strstr(naik_log_message(t->log), rows[i].refused) != NULL);
            good = CHECK_STATUS(t, status, NAIK_ERR_INPUT) && good;
        } else if (CHECK_OK(t, status)) {
            const char *const longest = list + sizeof known + 2;
            good = CHECK_TEXT(t, in->gauge.file, rows[i].name[0] != '\0' ? rows[i].name : longest);
        }
        if (!good) {
            fprintf(stderr, "    %s\n", rows[i].typed);
        }
        if (in != NULL && strstr(rows[i].typed, "it") != NULL) {
            CHECK_TEXT(t, in->expanded, "# --set gauge.file='x.it''s'\n");
        }
        naik_log_clear(t->log);
        naik_input_destroy(&in);
    }
    free(list);
}

CHECK_MAIN(CHECK(exact_sources_are_drawn_without_preference),
           CHECK(auto_groups_are_those_of_the_model),
           CHECK(stored_inputs_are_told_from_their_overrides),
           CHECK(hints_that_would_be_cut_are_refused), CHECK(input_is_typed_by_the_table),
           CHECK(tasks_run_over_solve_origin_mass_colour),
           CHECK(tasks_have_quarks_and_each_is_there_once),
           CHECK(kinds_are_those_of_their_operators_and_keys),
           CHECK(overrides_and_environment_replace_keys_and_are_recorded),
           CHECK(names_of_files_are_read_as_a_shell_reads_them),
           CHECK(canonical_text_does_not_depend_on_how_it_was_written),
           CHECK(a_moving_wall_of_a_corner_says_what_it_is_counted_from),
           CHECK(keys_that_came_later_are_in_no_identity_at_their_initial_values),
           CHECK(a_default_in_words_is_no_other_input), CHECK(the_file_is_read_once_for_all_ranks),
           CHECK(shipped_inputs_are_good))
