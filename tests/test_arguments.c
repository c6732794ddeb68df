/* test_arguments.c - numbers, fields and groups that the library takes and that it refuses, at both sides of each limit
 *
 * ranks: 1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "backend/dslash.h"
#include "cg_fixture.h"
#include "io/links/links_file.h"
#include "io/vectors/vector_io.h"
#include "modes/modes.h"
#include "multigrid/transfer.h"
#include "naik/gauge_io.h"
#include "solver/bicgstab.h"
#include "solver/gcr.h"
#include "solver/multishift.h"
#include "wilson_fixture.h"

static const int size[4] = {4, 4, 4, 4};

/* `says` NULL: what was asked is taken. */
static void expect(check *t, naik_status got, const char *says)
{
    char mine[1024];
    snprintf(mine, sizeof mine, "%s", naik_log_message(t->log));
    if (!CHECK_TRUE(t, says != NULL ? strstr(mine, says) != NULL : mine[0] == '\0')) {
        fprintf(stderr, "    want '%s', got '%s'\n", says != NULL ? says : "", mine);
    }
    CHECK_STATUS(t, got, says != NULL ? NAIK_ERR_ARG : NAIK_OK);
    naik_log_clear(t->log);
}

static const char *within(int value, int least, int most, const char *says)
{
    return value < least || value > most ? says : NULL;
}

static void fields_have_room_for_right_hand_sides(check *t)
{
    static const int counts[] = {-1,
                                 0,
                                 1,
                                 NAIK_MAX_RHS / NAIK_SPIN,
                                 NAIK_MAX_RHS / NAIK_SPIN + 1,
                                 NAIK_MAX_RHS,
                                 NAIK_MAX_RHS + 1};
    static const char says[] = "right-hand sides: 1 to ";
    fixture f;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, true, 1, &f));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        naik_field *one = NULL, *spinor = NULL;
        expect(t, naik_field_create(f.geometry, NAIK_SINGLE, counts[i], &one),
               within(counts[i], 1, NAIK_MAX_RHS, says));
        expect(t, naik_field_create_spin(f.geometry, NAIK_SINGLE, NAIK_SPIN, counts[i], &spinor),
               within(counts[i], 1, NAIK_MAX_RHS / NAIK_SPIN, says));
        naik_field_destroy(&one);
        naik_field_destroy(&spinor);
    }
    fixture_destroy(&f);
}

static void modes_are_as_many_as_there_may_be(check *t)
{
    static const struct {
        int count;
        naik_precision precision;
        const char *says;
    } rows[] = {{0, NAIK_SINGLE, "0 modes in single precision: 1 to 16384 in single or half"},
                {1, NAIK_SINGLE, NULL},
                {9, NAIK_HALF, NULL},
                {1, NAIK_DOUBLE, "1 modes in double precision"},
                {NAIK_MODES_MAX + 1, NAIK_HALF, "16385 modes in half precision"}};
    fixture f;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, true, 1, &f));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_modes *modes = NULL;
        expect(t, naik_modes_create(f.geometry, rows[i].precision, rows[i].count, &modes),
               rows[i].says);
        naik_modes_destroy(&modes);
    }
    fixture_destroy(&f);
}

static void solvers_have_a_width_and_limits(check *t)
{
    static const struct {
        int iterations, rung;
        double delta;
        bool taken;
    } rows[] = {{1, -1, 0, true},   {0, -1, 0, false},           {1, -1, -0.1, false},
                {1, -1, 1, false},  {1, -1, NAN, false},         {1, NAIK_RUNGS, 0, false},
                {1, -1, 0.5, true}, {1, NAIK_RUNGS - 1, 0, true}};
    static const int widths[] = {-1, 0, 1, NAIK_MAX_RHS, NAIK_MAX_RHS + 1};
    fixture f;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        cg_solver s;
        expect(t, cg_solver_create(&f, cg_modes[0], widths[i], &s),
               within(widths[i], 1, NAIK_MAX_RHS, ": 1 to 64 are possible"));
        cg_solver_destroy(&s);
    }
    cg_solver s;
    CHECK_OK(t, cg_solver_create(&f, cg_modes[0], 1, &s));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_solver_options options = naik_solver_defaults();
        const naik_solver_stream none = {.count = 0};
        options.max_iterations = rows[i].iterations;
        options.delta = rows[i].delta;
        options.first_rung = rows[i].rung;
        expect(t, naik_solver_solve(s.cg, NAIK_EVEN, &options, &none),
               rows[i].taken ? NULL : "a positive iteration limit and a delta from 0 to below 1");
    }
    cg_solver_destroy(&s);
    fixture_destroy(&f);
}

/* A batch has as many right-hand sides as fields have room for colour vectors, whatever they have of spin. */
static void batches_of_spinors_are_a_quarter_as_wide(check *t)
{
    static const naik_solver_kind *const kinds[] = {&naik_solver_cg, &naik_solver_bicgstab};
    enum { most = NAIK_MAX_RHS / NAIK_SPIN };
    static const int widths[] = {0, 1, most, most + 1, NAIK_MAX_RHS};
    wilson_fixture f;
    naik_operator_set set = {.links = {NULL}};
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 1, 0.5, 0, false, &f));
    CHECK_OK(t, naik_operator_set_thin(f.geometry, f.u, NULL, 0.5, 0, NAIK_DOUBLE, 18, NAIK_DOUBLE,
                                       most, &set));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            naik_solver *s = NULL;
            expect(t, naik_solver_create(kinds[k], set.op, NAIK_DOUBLE, widths[i], &s),
                   within(widths[i], 1, most, ": 1 to 16 are possible"));
            naik_solver_destroy(&s);
        }
    }
    naik_operator_set_destroy(&set);
    wilson_fixture_destroy(&f);
}

/* Operators of the wrong storages, and a method that has no steps for an operator. */
static void solvers_take_operators_that_go_together(check *t)
{
    fixture f;
    naik_operator_set set = {.links = {NULL}};
    naik_solver *s = NULL;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    CHECK_OK(t, naik_operator_set_fat(f.geometry, f.source, NAIK_SINGLE, 18, &set));
    expect(t, naik_solver_create(&naik_solver_cg, set.op, NAIK_SINGLE, 1, &s), NULL);
    naik_solver_destroy(&s);
    expect(t, naik_solver_create(&naik_solver_cg, set.op, NAIK_DOUBLE, 1, &s),
           "no operator for an iteration on double vectors");
    const naik_operator single = set.op[NAIK_SINGLE];
    set.op[NAIK_SINGLE] = (naik_operator){.ops = NULL};
    expect(t, naik_solver_create(&naik_solver_cg, set.op, NAIK_SINGLE, 1, &s),
           "no operator for an iteration on single vectors");
    set.op[NAIK_SINGLE] = single;
    expect(t, naik_solver_create(&naik_solver_bicgstab, set.op, NAIK_SINGLE, 1, &s),
           "has no steps for the ");
    const naik_operator outer = set.op[NAIK_DOUBLE];
    set.op[NAIK_DOUBLE] = single;
    expect(t, naik_solver_create(&naik_solver_cg, set.op, NAIK_SINGLE, 1, &s),
           "the solver needs its operator in double and all storages on one lattice");
    set.op[NAIK_DOUBLE] = outer;
    /* of another lattice, of other hops */
    for (int other = 0; other < 2; other++) {
        fixture g;
        naik_operator_set apart = {.links = {NULL}};
        CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, other == 1, 1, &g));
        CHECK_OK(t, naik_operator_set_fat(other == 1 ? f.geometry : g.geometry, g.source,
                                          NAIK_SINGLE, 18, &apart));
        set.op[NAIK_SINGLE] = apart.op[NAIK_SINGLE];
        expect(t, naik_solver_create(&naik_solver_cg, set.op, NAIK_SINGLE, 1, &s),
               "the solver needs its operator in double and all storages on one lattice");
        set.op[NAIK_SINGLE] = single;
        naik_operator_set_destroy(&apart);
        fixture_destroy(&g);
    }
    naik_operator_set_destroy(&set);
    fixture_destroy(&f);
}

static naik_status load_zero(void *data, int index, naik_field *b, int irhs)
{
    (void)data;
    (void)index;
    (void)irhs;
    return b->geometry->backend->ops->field.zero(b, NULL, NAIK_RHS_IDLE);
}

static void shifts_have_room_and_a_smallest_one_first(check *t)
{
    static const struct {
        int groups, shifts;
        bool taken;
    } shapes[] = {{1, 2, true},  {0, 2, false},
                  {1, 1, false}, {4, NAIK_MAX_SHIFTS, true},
                  {5, 2, false}, {1, NAIK_MAX_SHIFTS + 1, false}};
    static const struct {
        int groups;
        naik_shift_group group;
        bool taken;
    } rows[] = {{1, {2, {1, 2}, {1, 1}, {1e-3, 1e-3}}, true},
                {1, {2, {1, 1}, {1, -3}, {1e-3, 1e-3}}, true},
                {1, {1, {1}, {1}, {1e-3}}, true},
                {0, {2, {1, 2}, {1, 1}, {1e-3, 1e-3}}, false},
                {3, {2, {1, 2}, {1, 1}, {1e-3, 1e-3}}, false},
                {1, {0, {1, 2}, {1, 1}, {1e-3, 1e-3}}, false},
                {1, {4, {1, 2, 3, 4}, {1, 1, 1, 1}, {1e-3, 1e-3, 1e-3, 1e-3}}, false},
                {1, {2, {1, 2}, {2, 1}, {1e-3, 1e-3}}, false},
                {1, {2, {1, 0.5}, {1, 1}, {1e-3, 1e-3}}, false},
                {1, {2, {0, 1}, {1, 1}, {1e-3, 1e-3}}, false},
                {1, {2, {1, 2}, {1, 1}, {1e-3, 0}}, false},
                {1, {2, {1, 2}, {1, INFINITY}, {1e-3, 1e-3}}, false}};
    fixture f;
    cg_solver s;
    naik_multishift *m = NULL;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    CHECK_OK(t, cg_solver_create(&f, cg_modes[0], 4, &s));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        expect(t, naik_multishift_create(s.cg, shapes[i].groups, shapes[i].shifts, &m),
               shapes[i].taken ? NULL : "not in a batch of 4, nor beyond 64 vectors in all");
        naik_multishift_destroy(&m);
    }
    CHECK_OK(t, naik_multishift_create(s.cg, 2, 3, &m));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const naik_shift_group groups[3] = {rows[i].group, rows[i].group, rows[i].group};
        const naik_shift_group_stream stream = {
            .count = rows[i].groups, .group = groups, .load = load_zero};
        const naik_solver_options options = naik_solver_defaults();
        bool stopped = false;
        expect(t, naik_multishift_solve(m, NAIK_EVEN, &options, &stream, &stopped),
               rows[i].taken ? NULL : "needs a smallest one first and positive tolerances");
    }
    naik_multishift_destroy(&m);
    cg_solver_destroy(&s);
    fixture_destroy(&f);
}

static void the_hopping_term_takes_fields_that_go_together(check *t)
{
    enum { ONE, OTHER, SINGLE, TWO, BARE, SPINOR, FIELDS };
    fixture f;
    naik_field *v[FIELDS] = {NULL};
    naik_links *links = NULL;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_DOUBLE, 18, &links));
    for (int i = 0; i < SPINOR; i++) {
        CHECK_OK(t, (i == BARE ? naik_field_create_bare : naik_field_create)(
                        f.geometry, i == SINGLE || i == BARE ? NAIK_SINGLE : NAIK_DOUBLE,
                        i == TWO ? 2 : 1, &v[i]));
    }
    CHECK_OK(t, naik_field_create_spin(f.geometry, NAIK_DOUBLE, NAIK_SPIN, 1, &v[SPINOR]));
    const struct {
        naik_form form;
        int in, out, v; /* -1: none */
        const char *says;
    } rows[] = {{NAIK_FORM_D, ONE, OTHER, -1, NULL},
                {NAIK_FORM_D, ONE, ONE, -1, "is missing or aliased"},
                {NAIK_FORM_D, ONE, -1, -1, "is missing or aliased"},
                {NAIK_FORM_D, ONE, TWO, -1, "fields and links of different shapes"},
                {NAIK_FORM_D, ONE, SINGLE, -1, "fields and links of different shapes"},
                {NAIK_FORM_STEP, ONE, OTHER, OTHER, "is missing or aliased"},
                {NAIK_FORM_D, SPINOR, ONE, -1, "Dslash: "}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const naik_dslash_args args = {.form = rows[i].form,
                                       .parity = NAIK_EVEN,
                                       .links = links,
                                       .in = v[rows[i].in],
                                       .out = rows[i].out < 0 ? NULL : v[rows[i].out],
                                       .v = rows[i].v < 0 ? NULL : v[rows[i].v]};
        expect(t, naik_dslash(&args), rows[i].says);
    }
    for (int i = 0; i < FIELDS; i++) {
        naik_field_destroy(&v[i]);
    }
    naik_links_destroy(&links);
    fixture_destroy(&f);
}

static void multigrid_has_limits(check *t)
{
    static const int asked[4] = {2, 2, 2, 2};
    static const int counts[] = {0,
                                 1,
                                 2,

                                 NAIK_GCR_RESTART_MOST,
                                 NAIK_GCR_RESTART_MOST + 1,
                                 NAIK_MG_VECTORS_MOST,
                                 NAIK_MG_VECTORS_MOST + 1};
    wilson_fixture f;
    naik_aggregates *a = NULL;
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 1, 0.5, 0, false, &f));
    CHECK_OK(t, naik_aggregates_create(f.geometry, asked, &a));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const int n = counts[i];
        naik_transfer *transfer = NULL;
        naik_gcr *gcr = NULL;
        expect(t, naik_transfer_create(a, n, NAIK_SINGLE, &transfer),
               within(n, 1, NAIK_MG_VECTORS_MOST, " near-null vectors: 1 to "));
        naik_transfer_destroy(&transfer);
        expect(t, naik_gcr_create(f.geometry, NAIK_SINGLE, NAIK_SPIN, 1, n, &gcr),
               within(n, 2, NAIK_GCR_RESTART_MOST, " directions: 2 to "));
        naik_gcr_destroy(&gcr);
    }
    naik_transfer *transfer = NULL;
    expect(t, naik_transfer_create(a, 6, NAIK_DOUBLE, &transfer), " near-null vectors: 1 to ");
    naik_aggregates_destroy(&a);
    wilson_fixture_destroy(&f);
}

static void files_have_32_or_64_bits(check *t)
{
    static const int bits[] = {16, 32, 33, 64, 128};
    char path[512];
    fixture f;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    double *columns = calloc(12 * 24 * (size_t)f.lat->sites, sizeof *columns);
    CHECK_REQUIRE(t, columns != NULL);
    t->comm->io.replace = true;
    snprintf(path, sizeof path, "%s/bits.h5", check_folder());
    for (size_t i = 0; i < sizeof bits / sizeof *bits; i++) {
        const naik_fatlong *const sets[1] = {f.source};
        const bool good = bits[i] == 32 || bits[i] == 64;
        expect(t, naik_qdp_propagator_write(f.lat, path, 4, bits[i], "", columns),
               good ? NULL : " bits and 4 spins cannot be written");
        expect(t, naik_grid_propagator_write(f.lat, path, 4, bits[i], "", columns),
               good ? NULL : " bits and 4 spins cannot be written");
        expect(t, naik_links_h5_write(path, sets, 1, "hisq", "periodic", bits[i], NULL),
               good ? NULL : "1 link sets in ");
        expect(t, naik_gauge_h5_write(path, f.source->fat, bits[i], NULL),
               good ? NULL : "links in ");
    }
    t->comm->io.replace = false;
    free(columns);
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK(fields_have_room_for_right_hand_sides), CHECK(modes_are_as_many_as_there_may_be),
           CHECK(solvers_have_a_width_and_limits), CHECK(batches_of_spinors_are_a_quarter_as_wide),
           CHECK(solvers_take_operators_that_go_together),
           CHECK(shifts_have_room_and_a_smallest_one_first),
           CHECK(the_hopping_term_takes_fields_that_go_together), CHECK(multigrid_has_limits),
           CHECK(files_have_32_or_64_bits))
