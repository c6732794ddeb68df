/* test_taken.c - memory that a plan counts is memory that is taken: every part of a solve that says how
 * many bytes it has, beside what the backend gives out, and what a host has of links and smearing
 *
 * ranks: 1
 */
#include <stdio.h>
#include <string.h>

#include "backend/create.h"
#include "backend/halo.h"
#include "input/input.h"
#include "ledger.h"
#include "links/clover.h"
#include "modes/deflate.h"
#include "modes/lanczos.h"
#include "plan/plan.h"
#include "propagator/gauss_smear.h"
#include "solver/bicgstab.h"
#include "solver/cg.h"
#include "solver/gcr.h"
#include "solver/multishift.h"
#include "wilson_fixture.h"

static const int size[4] = {4, 8, 8, 8};

/* Scalars, which plans leave out, are less than 3% here; the smallest field of each is more. */
static void took(check *t, const char *what, size_t planned)
{
    if (!CHECK_NEAR(t, (double)ledger_now() / (double)planned, 1, 0.03)) {
        fprintf(stderr, "    %s: planned %zu, taken %zu\n", what, planned, ledger_now());
    }
}

static void is_empty(check *t)
{
    CHECK_TRUE(t, ledger_now() == 0);
}

/* A quark of a kind, in every storage of links and vectors that the CPU has. */
static void set_of(check *t, const naik_geometry *geometry, const naik_quark *quark,
                   const naik_fatlong *fat, const naik_gauge *thin, int recon)
{
    static const naik_precision vectors[] = {NAIK_DOUBLE, NAIK_SINGLE, NAIK_HALF};
    const bool spin = quark->kind->spin > 1;
    for (int fastest = 0; fastest < NAIK_PRECISIONS - spin; fastest++) {
        const naik_set_storage storage = {(naik_precision)fastest, fastest == 0 ? 18 : recon,
                                          vectors[fastest], 2};
        naik_operator_set set = {.links = {NULL}};
        char what[64];
        snprintf(what, sizeof what, "%s in storage %d", quark->kind->name, fastest);
        CHECK_OK(t, naik_operator_set_create(geometry, quark, fat, thin, &storage, &set));
        took(t, what, naik_operator_set_bytes(geometry, quark, &storage));
        naik_operator_set_destroy(&set);
        is_empty(t);
    }
}

static void operators_in_every_storage(check *t)
{
    static const naik_quark staggered[] = {{.kind = &naik_kind_hisq, .mass = 0.1}};
    static const naik_quark spin[] = {
        {.kind = &naik_kind_wilson, .mass = 0.1},
        {.kind = &naik_kind_clover, .mass = 0.1, .csw = 1},
        {.kind = &naik_kind_twisted_mass, .mass = 0.1, .mu = 0.2},
        {.kind = &naik_kind_twisted_mass, .mass = 0.1, .mu = 0.2, .csw = 1}};
    fixture f;
    wilson_fixture w;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    ledger_open(f.backend);
    for (size_t i = 0; i < sizeof staggered / sizeof *staggered; i++) {
        set_of(t, f.geometry, &staggered[i], f.source, NULL, 18);
        set_of(t, f.geometry, &staggered[i], f.source, NULL, 13);
    }
    ledger_close(f.backend);
    fixture_destroy(&f);
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 1, 0.1, 0, false, &w));
    ledger_open(w.backend);
    for (size_t i = 0; i < sizeof spin / sizeof *spin; i++) {
        set_of(t, w.geometry, &spin[i], NULL, w.u, 18);
        set_of(t, w.geometry, &spin[i], NULL, w.u, 12);
    }
    ledger_close(w.backend);
    wilson_fixture_destroy(&w);
}

static void solver_of(check *t, const naik_solver_kind *kind, const naik_operator_set *set,
                      const naik_geometry *geometry, naik_precision vectors)
{
    static const int widths[] = {1, 3, 8};
    const naik_operator_ops *ops = set->op[NAIK_DOUBLE].ops;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        naik_solver *s = NULL;
        ledger_open(geometry->backend);
        CHECK_OK(t, naik_solver_create(kind, set->op, vectors, widths[i], &s));
        took(t, "a solver", naik_solver_bytes(kind, ops, geometry, vectors, widths[i]));
        naik_solver_destroy(&s);
        is_empty(t);
        ledger_close(geometry->backend);
    }
}

/* Beside the fields of the solver that it works with. */
static void shifts_of(check *t, const naik_operator_set *set, const naik_geometry *geometry,
                      naik_precision vectors)
{
    naik_solver *s = NULL;
    naik_multishift *m = NULL;
    CHECK_OK(t, naik_solver_create(&naik_solver_cg, set->op, vectors, 3, &s));
    for (int groups = 1; groups <= 3; groups++) {
        ledger_open(geometry->backend);
        CHECK_OK(t, naik_multishift_create(s, groups, 4, &m));
        took(t, "shifts", naik_multishift_bytes(geometry, vectors, groups, 4));
        naik_multishift_destroy(&m);
        is_empty(t);
        ledger_close(geometry->backend);
    }
    naik_solver_destroy(&s);
}

static void solvers_on_every_rung(check *t)
{
    fixture f;
    wilson_fixture w;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    for (int fastest = 0; fastest < NAIK_PRECISIONS; fastest++) {
        naik_operator_set set = {.links = {NULL}};
        CHECK_OK(t, naik_operator_set_fat(f.geometry, f.source, (naik_precision)fastest, 18, &set));
        for (int vectors = fastest > 0; vectors <= fastest; vectors++) {
            solver_of(t, &naik_solver_cg, &set, f.geometry, (naik_precision)vectors);
            if (vectors < NAIK_HALF) {
                shifts_of(t, &set, f.geometry, (naik_precision)vectors);
            }
        }
        naik_operator_set_destroy(&set);
    }
    fixture_destroy(&f);
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 1, 0.1, 0, false, &w));
    for (int fastest = 0; fastest < NAIK_HALF; fastest++) {
        naik_operator_set set = {.links = {NULL}};
        CHECK_OK(t, naik_operator_set_thin(w.geometry, w.u, NULL, 0.1, 0, (naik_precision)fastest,
                                           18, (naik_precision)fastest, 8, &set));
        solver_of(t, &naik_solver_bicgstab, &set, w.geometry, (naik_precision)fastest);
        solver_of(t, &naik_solver_cg, &set, w.geometry, (naik_precision)fastest);
        naik_operator_set_destroy(&set);
    }
    wilson_fixture_destroy(&w);
}

static void directions_of_gcr(check *t)
{
    fixture f;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, true, 1, &f));
    for (int restart = 2; restart <= 8; restart += 3) {
        naik_gcr *gcr = NULL;
        ledger_open(f.backend);
        CHECK_OK(t, naik_gcr_create(f.geometry, NAIK_SINGLE, NAIK_SPIN, 2, restart, &gcr));
        took(t, "directions", naik_gcr_bytes(f.geometry, NAIK_SINGLE, NAIK_SPIN, 2, restart));
        naik_gcr_destroy(&gcr);
        is_empty(t);
        ledger_close(f.backend);
    }
    fixture_destroy(&f);
}

/* At both sides of a block of eight. */
static void modes_and_what_works_on_them(check *t)
{
    static const int counts[] = {1, 8, 9, 16};
    fixture f;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    naik_links *links = NULL;
    CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_DOUBLE, 18, &links));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        for (int precision = NAIK_SINGLE; precision <= NAIK_HALF; precision++) {
            naik_modes *modes = NULL;
            naik_deflation *deflation = NULL;
            ledger_open(f.backend);
            CHECK_OK(t,
                     naik_modes_create(f.geometry, (naik_precision)precision, counts[i], &modes));
            took(t, "modes", naik_modes_bytes(f.geometry, (naik_precision)precision, counts[i]));
            ledger_close(f.backend);
            ledger_open(f.backend);
            CHECK_OK(t, naik_deflation_create(modes, counts[i], 3, &deflation));
            took(t, "deflation", naik_deflation_bytes(f.geometry, counts[i], 3));
            naik_deflation_destroy(&deflation);
            is_empty(t);
            ledger_close(f.backend);
            naik_modes_destroy(&modes);
        }
        naik_modes_meter *meter = NULL;
        ledger_open(f.backend);
        CHECK_OK(t, naik_modes_meter_create(links, counts[i], &meter));
        took(t, "a meter", naik_modes_meter_bytes(f.geometry, counts[i]));
        naik_modes_meter_destroy(&meter);
        is_empty(t);
        for (int rotates = 0; rotates < 2; rotates++) {
            naik_modes_work *work = NULL;
            CHECK_OK(t, naik_modes_work_create(f.geometry, counts[i], 5, &work));
            if (rotates) {
                CHECK_OK(t, naik_modes_work_rotates(work));
            }
            took(t, "work", naik_modes_work_bytes(f.geometry, counts[i], 5, rotates != 0));
            naik_modes_work_destroy(&work);
            is_empty(t);
        }
        ledger_close(f.backend);
    }
    naik_links_destroy(&links);
    fixture_destroy(&f);
}

/* What the plan of a host says, of an input with that change, where so many modes are stored. */
static solve_plan host_plan(check *t, const naik_geometry *geometry, const char *base,
                            const char *change, int stored)
{
    naik_input *input = NULL;
    solve_plan plan = {.batch = 0};
    if (CHECK_OK(t, naik_input_parse(t->log, "input.yaml", base, strlen(base), &change,
                                     change != NULL, NULL, NULL, &input))) {
        CHECK_OK(t, solve_plan_make(input, geometry, input->task_count, stored, &plan));
    }
    naik_input_destroy(&input);
    return plan;
}

/* Links and boxes of smearing are beside the vectors of a host; links turned by a twist and those around the clover
 * term are there one after the other. */
static void memory_of_a_host_has_all_its_parts(check *t)
{
    static const int extents[4] = {4, 6, 8, 8};
    static const char light[] =
        "lattice: {size: [4, 6, 8, 8]}\ngauge: {file: lat.h5}\naction: {type: hisq}\n"
        "solve: [{name: a, masses: [0.1], source: {type: point, origin: [0, 0, 0, 0]}}]\n"
        "output: {file: out.h5, correlators: [pion5]}\n";
    static const char spin[] =
        "lattice: {size: [4, 6, 8, 8]}\ngauge: {file: lat.h5}\naction: {type: clover, csw: 1}\n"
        "solve: [{name: a, kappas: [0.12], source: {type: point, origin: [0, 0, 0, 0]}}]\n"
        "output: {file: out.h5, correlators: [pion]}\n";
    static const char modes[] =
        "lattice: {size: [4, 6, 8, 8]}\ngauge: {file: lat.h5}\naction: {type: hisq}\n"
        "deflation: {modes: 400, file: m.h5}\n"
        "solve:\n"
        "  - {name: a, masses: [0.1], source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 0, "
        "0]]}}\n"
        "  - {name: b, masses: [0.1], source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 0, "
        "0]]}}\n"
        "output: {file: out.h5, correlators: [pion5]}\n";
    const naik_backend_options one = {.threads = 1};
    naik_lattice *lat = NULL;
    naik_backend *backend = NULL;
    naik_geometry *geometry = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, extents, NULL, &lat));
    CHECK_OK(t, naik_backend_create(t->comm, "cpu", &one, &backend));
    CHECK_OK(t, naik_geometry_create(backend, lat, &geometry));
    /* of a slice with `stride` layers around: three links and two vectors a site, two faces of links */
    const int64_t near = 6 * 8 * 10 * (3 * 144 + 2 * 48) + 2 * 48 * 144,
                  far = 8 * 10 * 12 * (3 * 144 + 2 * 48) + 2 * 2 * 48 * 144;
    CHECK_INT(t, (int)naik_gauss_bytes(lat, 1, 1), (int)near);
    CHECK_INT(t, (int)naik_gauss_bytes(lat, 2, 3), 3 * (int)far);
    const struct {
        const char *change;
        int64_t more;
    } rows[] = {{"solve.0.source={type: covariant_gaussian, radius: 1, iterations: 3, origin: [0, "
                 "0, 0, 1]}",
                 far},
                {"solve.0.source={type: covariant_gaussian, radius: 1, iterations: 3, origin: [[0, "
                 "0, 0, 1], "
                 "[0, 0, 0, 3]]}",
                 2 * far},
                {"pairs=[{name: p, quark: a, antiquark: a, sink: covariant_gaussian, radius: 1, "
                 "iterations: "
                 "3}]",
                 8 * far}};
    const int64_t vectors = host_plan(t, geometry, light, NULL, 0).vector_bytes;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(t, (int)(host_plan(t, geometry, light, rows[i].change, 0).vector_bytes - vectors),
                  (int)rows[i].more);
    }
    const int64_t thin = (int64_t)lat->sites * 4 * 144, clover = (int64_t)naik_clover_bytes(lat),
                  around = (int64_t)naik_clover_links_bytes(lat, NULL);
    const struct {
        const char *change;
        int64_t bytes;
    } links[] = {{"action={type: wilson}", thin},
                 {"solve.0.twist=[0.1, 0, 0]", thin + clover + (thin > around ? thin : around)},
                 {NULL, thin + clover + around}};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        CHECK_INT(t, (int)host_plan(t, geometry, spin, links[i].change, 0).gauge_bytes,
                  (int)links[i].bytes);
    }
    char wilson[sizeof spin];
    snprintf(wilson, sizeof wilson, "%s", spin);
    memcpy(strstr(wilson, "clover, csw: 1"), "wilson        ", strlen("clover, csw: 1"));
    CHECK_INT(t, (int)host_plan(t, geometry, wilson, "solve.0.twist=[0.1, 0, 0]", 0).gauge_bytes,
              2 * (int)thin);
    /* modes that are there leave no search and no writing to make room for, and averages stand in any order */
    static const char low_first[] = "averages=[{type: low_modes, name: l, solve: a}, {type: "
                                    "truncated_solves, name: s, solve: b, "
                                    "tolerance_sloppy: 0.01, exact_sources: 2}]";
    static const char low_last[] = "averages=[{type: truncated_solves, name: s, solve: b, "
                                   "tolerance_sloppy: 0.01, exact_sources: 2}, "
                                   "{type: low_modes, name: l, solve: a}]";
    t->comm->io.replace = false; /* files of modes are read */
    const solve_plan there = host_plan(t, geometry, modes, NULL, 400);
    const int64_t low = host_plan(t, geometry, modes, low_first, 400).total_bytes;
    CHECK_INT(t, (int)there.mode_bytes,
              (int)(naik_modes_bytes(geometry, NAIK_SINGLE, 400) +
                    naik_deflation_bytes(geometry, 400, there.batch)));
    CHECK_TRUE(t, low > there.total_bytes);
    CHECK_INT(t, (int)host_plan(t, geometry, modes, low_last, 400).total_bytes, (int)low);
    naik_geometry_destroy(&geometry);
    naik_backend_destroy(&backend);
    naik_lattice_destroy(&lat);
}

CHECK_MAIN(CHECK(operators_in_every_storage), CHECK(solvers_on_every_rung),
           CHECK(directions_of_gcr), CHECK(modes_and_what_works_on_them),
           CHECK(memory_of_a_host_has_all_its_parts))
