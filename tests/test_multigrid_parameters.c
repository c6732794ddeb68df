/* test_multigrid_parameters.c - the aggregates that lattices hold, and whose near-null vectors serve whom
 *
 * ranks: 1
 */
#include "check.h"
#include "input/input.h"
#include "io/multigrid/multigrid_file.h"
#include "multigrid/parameters.h"
#include "plan/plan_multigrid.h"
#include "quark/family.h"

/* Extents of one direction, and of its aggregates; 0: none. */
static void aggregates_follow_from_the_extents_alone(check *t)
{
    static const int rows[][2] = {{8, 4},  {12, 6}, {16, 4}, {20, 5}, {24, 4}, {32, 4}, {36, 6},
                                  {48, 4}, {96, 4}, {28, 7}, {18, 3}, {6, 3},  {4, 2},  {2, 2},
                                  {10, 5}, {14, 7}, {22, 0}, {26, 0}, {60, 5}};
    const int free_choice[4] = {0, 0, 0, 0}, grid[4] = {1, 1, 1, 2};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int size[4] = {8, rows[i][0], 16, 24};
        int extent[4], mu;
        const bool found = naik_multigrid_aggregate(size, free_choice, extent, &mu);
        CHECK_INT(t, found, rows[i][1] != 0);
        CHECK_INT(t, found ? extent[1] : mu, found ? rows[i][1] : 1);
    }
    const int size[4] = {8, 8, 8, 24}, whole[4] = {0, 0, 8, 4}, odd[4] = {0, 0, 0, 8};
    int extent[4], mu;
    CHECK_TRUE(t, naik_multigrid_aggregate(size, whole, extent, &mu) && extent[2] == 8);
    CHECK_TRUE(t, naik_multigrid_fits(size, extent, grid));
    CHECK_TRUE(t, !naik_multigrid_fits(size, extent, (const int[4]){1, 1, 2, 1}));
    CHECK_TRUE(t, !naik_multigrid_aggregate(size, odd, extent, &mu) && mu == 3);
    /* half of an aggregate's sites are even: where all extents would be odd, t's gives way unless it was asked for */
    const int sixes[4] = {6, 6, 6, 24}, three[4] = {3, 3, 3, 0}, threes[4] = {3, 3, 3, 3};
    CHECK_TRUE(t, naik_multigrid_aggregate(sixes, three, extent, &mu) && extent[3] % 2 == 0);
    CHECK_TRUE(t, !naik_multigrid_aggregate(sixes, threes, extent, &mu) && mu == 3);
}

/* What design and input mean by the same words. */
static void an_input_without_keys_has_the_defaults(check *t)
{
    static const char text[] =
        "lattice: {size: [8, 8, 8, 16]}\ngauge: {file: lat.h5}\n"
        "action: {type: wilson}\nsolve: [{name: pt, kappas: [0.12], source: "
        "{type: point, origin: [0, 0, 0, 0]}}]\nsolver: {method: multigrid}\n"
        "output: {file: out.h5}\n";
    naik_input *input = NULL;
    const naik_multigrid_parameters d = naik_multigrid_defaults();
    CHECK_OK(t, naik_input_parse(t->log, "input.yaml", text, sizeof text - 1, NULL, 0, NULL, NULL,
                                 &input));
    CHECK_REQUIRE(t, input != NULL);
    const naik_multigrid_parameters *m = &input->multigrid;
    CHECK_TRUE(t, m->vectors == d.vectors && m->start == d.start && m->cycles == d.cycles &&
                      m->smoother == d.smoother && m->precision == d.precision);
    CHECK_TRUE(t, m->coarse_tolerance == d.coarse_tolerance && m->coarse_space == d.coarse_space &&
                      m->restart == d.restart && m->seed == d.seed && m->aggregate[0] == 0);
    naik_input_destroy(&input);
}

/* Iterations for the first setup, and 500 for another mass, are shared by the columns; the others are a column's. */
static void multigrid_pays_from_its_setup_on(check *t)
{
    CHECK_INT(t, solve_plan_multigrid_from(true, 12, false), 100 + 3500 / 12);
    CHECK_INT(t, solve_plan_multigrid_from(false, 12, false), 70 + 2700 / 12);
    CHECK_INT(t, solve_plan_multigrid_from(true, 12, true), 100 + 500 / 12);
    CHECK_INT(t, solve_plan_multigrid_from(true, 1, false), 3600);
    CHECK_INT(t, solve_plan_multigrid_from(false, 0, true), 570);
}

/* Vectors of a file are those of a setup if every number of it is the same. */
static void every_number_of_a_setup_is_compared(check *t)
{
    const naik_multigrid_parameters d = naik_multigrid_defaults();
    char its[NAIK_MULTIGRID_NUMBER], other[NAIK_MULTIGRID_NUMBER];
    CHECK_TRUE(t, naik_multigrid_difference(&d, &d, its, other) == NULL);
    naik_multigrid_parameters made[9];
    static const char *const key[9] = {"vectors",      "start",     "cycles",
                                       "smoother",     "precision", "aggregate",
                                       "coarse_space", "seed",      "coarse_tolerance"};
    for (int i = 0; i < 9; i++) {
        made[i] = d;
    }
    made[0].vectors++;
    made[1].start++;
    made[2].cycles++;
    made[3].smoother++;
    made[4].precision = 48 - d.precision;
    made[5].aggregate[3]++;
    made[6].coarse_space++;
    made[7].seed ^= UINT64_C(1) << 40;
    made[8].coarse_tolerance *= 1 + 1e-15;
    for (int i = 0; i < 9; i++) {
        const char *found = naik_multigrid_difference(&made[i], &d, its, other);
        CHECK_TEXT(t, found != NULL ? found : "none", key[i]);
        found = naik_multigrid_difference(&d, &made[i], its, other);
        CHECK_TEXT(t, found != NULL ? found : "none", key[i]);
    }
}

/* Another twist in any direction, or another csw, is another operator; mass and twisted mass are not. */
static void quarks_of_one_operator_share_vectors(check *t)
{
    const naik_quark a = {.mass = 0.1, .csw = 1, .mu = 0.02};
    naik_quark b = a;
    b.mass = 0.2;
    b.mu = -0.01;
    CHECK_TRUE(t, quark_multigrid_is_family(&a, &b));
    CHECK_TRUE(t, quark_multigrid_is_lighter(&a, &b) && !quark_multigrid_is_lighter(&b, &a));
    b.mass = a.mass; /* then the smaller twisted mass, of any sign */
    CHECK_TRUE(t, quark_multigrid_is_lighter(&b, &a) && !quark_multigrid_is_lighter(&a, &b));
    b.mu = -0.03;
    CHECK_TRUE(t, quark_multigrid_is_lighter(&a, &b) && !quark_multigrid_is_lighter(&b, &a));
    b.csw = 1.0000001;
    CHECK_TRUE(t, !quark_multigrid_is_family(&a, &b));
    for (int k = 0; k < 3; k++) {
        naik_quark c = a, e = a;
        c.twist[k] = 0.5;
        CHECK_TRUE(t, !quark_multigrid_is_family(&a, &c) && !quark_multigrid_is_family(&c, &a));
        e.twist[(k + 1) % 3] = c.twist[(k + 1) % 3] = 0.25;
        CHECK_TRUE(t, !quark_multigrid_is_family(&e, &c));
        e.twist[k] = 0.5;
        CHECK_TRUE(t, quark_multigrid_is_family(&e, &c));
    }
}

CHECK_MAIN(CHECK(every_number_of_a_setup_is_compared), CHECK(quarks_of_one_operator_share_vectors),
           CHECK(multigrid_pays_from_its_setup_on), CHECK(aggregates_follow_from_the_extents_alone),
           CHECK(an_input_without_keys_has_the_defaults))
