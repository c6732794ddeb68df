/* test_deflation.c - solves with low modes removed: as many iterations as the modes left allow, true
 * residuals, and bits that depend on nothing else in the batch
 *
 * timeout: 400
 * ranks: 1 4
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cg_fixture.h"
#include "modes/deflate.h"
#include "modes/lanczos.h"
#include "operator/set.h"

enum { MODES = 24, SYSTEMS = 4 };

typedef struct run {
    cg_box box;
    double mass[SYSTEMS];
    int count;
} run;

static naik_status load(void *data, int64_t index, naik_field *b, int irhs,
                        naik_solver_system *system)
{
    const run *r = data;
    double *v = fixture_vector(r->box.f, 70 + (uint64_t)index, (int)r->box.parity);
    *system =
        (naik_solver_system){.shift = 4 * r->mass[index] * r->mass[index], .tolerance = 1e-10};
    const naik_status status = r->box.f->backend->ops->field.from_host(b, r->box.parity, irhs, v);
    free(v);
    return status;
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_solver_result *result)
{
    return cg_box_take(&((run *)data)->box, (int)index, x, irhs, result);
}

static void solve(check *t, run *r, const naik_operator_set *links, const naik_modes *modes,
                  int used, int width, int first_rung)
{
    naik_solver *cg = NULL;
    naik_deflation *deflation = NULL;
    naik_solver_options options = naik_solver_defaults();
    options.max_iterations = 20000;
    options.first_rung = first_rung;
    options.history_stride = CG_STRIDE;
    options.removed = modes != NULL ? modes->lambda2[used - 1] : 0;
    CHECK_OK(t, naik_solver_create(&naik_solver_cg, links->op, NAIK_SINGLE, width, &cg));
    if (modes != NULL) {
        CHECK_OK(t, naik_deflation_create(modes, used, width, &deflation));
    }
    const naik_solver_starter starter = naik_deflation_starter(deflation, 1e-3);
    const naik_solver_stream stream = {.data = r,
                                       .starter = modes != NULL ? &starter : NULL,
                                       .count = r->count,
                                       .load = load,
                                       .finish = finish};
    CHECK_OK(t, naik_solver_solve(cg, r->box.parity, &options, &stream));
    naik_deflation_destroy(&deflation);
    naik_solver_destroy(&cg);
}

/* Modes in single precision and in 16 bits; the applications that finding them took. */
static int64_t find_modes(check *t, const fixture *f, const naik_operator_set *links,
                          const naik_lanczos_options *options, naik_modes *out[2])
{
    naik_lanczos_report report = {0};
    out[0] = out[1] = NULL;
    CHECK_OK(t, naik_lanczos_run(links->links[NAIK_DOUBLE], links->links[NAIK_SINGLE], NULL,
                                 options, NULL, &out[0], &report));
    CHECK_OK(t, naik_modes_create(f->geometry, NAIK_HALF, options->modes, &out[1]));
    if (out[0] != NULL && out[1] != NULL) {
        CHECK_OK(t, naik_modes_copy(out[0], out[1]));
    }
    return report.applications;
}

static void make_modes(check *t, const fixture *f, const naik_operator_set *links, int count,
                       naik_modes *out[2])
{
    naik_lanczos_options options = naik_lanczos_defaults();
    options.modes = count;
    find_modes(t, f, links, &options, out);
}

static void solves_take_the_iterations_of_the_modes_left(check *t)
{
    fixture f;
    if (cg_rough_fixture(t, &f)) {
        naik_operator_set links = {.links = {NULL}};
        naik_modes *modes[2];
        CHECK_OK(t, naik_operator_set_fat(f.geometry, f.source, NAIK_HALF, 18, &links));
        make_modes(t, &f, &links, MODES, modes);
        const double lambda = 0.5 * sqrt(modes[0]->lambda2[MODES - 1]);
        for (int stored = 0; stored < 2; stored++) {
            run r = {.box = {.f = &f, .parity = NAIK_EVEN}, .mass = {0.0005, 0.01}, .count = 2};
            solve(t, &r, &links, modes[stored], MODES, 2, -1);
            for (int s = 0; s < r.count; s++) {
                const naik_solver_result *result = &r.box.result[s];
                double *b = fixture_vector(&f, 70 + (uint64_t)s, NAIK_EVEN);
                CHECK_INT(t, result->reason, NAIK_SOLVER_CONVERGED);
                CHECK_INT(t, result->rung, NAIK_RUNG_HALF); /* coarse storage does again */
                CHECK_TRUE(t, result->iterations <= 27 / lambda);
                CHECK_TRUE(t, result->corrections >= 3);
                CHECK_NEAR(t, cg_box_residual(t, &r.box, s, r.mass[s], b), result->residual,
                           1e-3 * result->residual + 1e-14);
                free(b);
            }
            cg_box_free(&r.box);
        }
        run plain = {.box = {.f = &f, .parity = NAIK_EVEN}, .mass = {0.0005}, .count = 1};
        solve(t, &plain, &links, NULL, 0, 1, -1);
        CHECK_TRUE(t, plain.box.result[0].iterations > 4 * 27 / lambda);
        run fewer = {.box = {.f = &f, .parity = NAIK_EVEN}, .mass = {0.0005}, .count = 1};
        solve(t, &fewer, &links, modes[0], 10, 1, -1);
        CHECK_TRUE(t, fewer.box.result[0].iterations <= 27 / (0.5 * sqrt(modes[0]->lambda2[9])));
        cg_box_free(&plain.box);
        cg_box_free(&fewer.box);
        naik_modes_destroy(&modes[0]);
        naik_modes_destroy(&modes[1]);
        naik_operator_set_destroy(&links);
    }
    fixture_destroy(&f);
}

/* Of two systems, in all. */
static int iterations_with(check *t, const fixture *f, const naik_operator_set *links,
                           const naik_modes *modes)
{
    run r = {.box = {.f = f, .parity = NAIK_EVEN}, .mass = {0.0005, 0.01}, .count = 2};
    int sum = 0;
    solve(t, &r, links, modes, MODES, 2, -1);
    for (int s = 0; s < r.count; s++) {
        CHECK_INT(t, r.box.result[s].reason, NAIK_SOLVER_CONVERGED);
        sum += r.box.result[s].iterations;
    }
    cg_box_free(&r.box);
    return sum;
}

/* The search ends when its modes are good enough: better ones take more applications and save none. */
static void better_modes_save_no_iterations(check *t)
{
    fixture f;
    if (cg_rough_fixture(t, &f)) {
        naik_operator_set links = {.links = {NULL}};
        naik_modes *usual[2], *better[2];
        naik_lanczos_options options = naik_lanczos_defaults();
        options.modes = MODES;
        options.degree = 8; /* so that it takes some cycles */
        CHECK_OK(t, naik_operator_set_fat(f.geometry, f.source, NAIK_HALF, 18, &links));
        const int64_t with_usual = find_modes(t, &f, &links, &options, usual);
        options.tolerance = 1e-2;
        CHECK_TRUE(t, with_usual < find_modes(t, &f, &links, &options, better));
        const int a = iterations_with(t, &f, &links, usual[1]);
        const int b = iterations_with(t, &f, &links, better[1]);
        CHECK_TRUE(t, b > 0 && a <= 1.02 * b);
        for (int i = 0; i < 2; i++) {
            naik_modes_destroy(&usual[i]);
            naik_modes_destroy(&better[i]);
        }
        naik_operator_set_destroy(&links);
    }
    fixture_destroy(&f);
}

enum { FEW = 11 };

/* The same systems in single and in double precision. */
static void solve_systems(check *t, const fixture *f, int width, run out[2])
{
    naik_operator_set links = {.links = {NULL}};
    naik_modes *modes[2];
    CHECK_OK(t, naik_operator_set_fat(f->geometry, f->source, NAIK_HALF, 18, &links));
    make_modes(t, f, &links, FEW, modes);
    for (int i = 0; i < 2; i++) {
        const int rung = i == 0 ? NAIK_RUNG_SINGLE : NAIK_RUNG_DOUBLE;
        out[i] = (run){
            .box = {.f = f, .parity = NAIK_EVEN}, .mass = {0.1, 0.2, 0.05, 0.1}, .count = SYSTEMS};
        solve(t, &out[i], &links, modes[1], FEW, width, rung);
    }
    naik_modes_destroy(&modes[0]);
    naik_modes_destroy(&modes[1]);
    naik_operator_set_destroy(&links);
}

static void compare_with_one_rank(check *t, const int size[4], const int grid[4])
{
    fixture one, many;
    /* threads of many ranks wait for each other in turns where there are few cores */
    const int threads = t->comm->size > 1 ? 1 : 2;
    if (fixture_create(t, size, NULL, true, false, 1, &one) &&
        fixture_create(t, size, grid, false, false, threads, &many)) {
        run a[2], b[2];
        solve_systems(t, &one, 1, a);
        solve_systems(t, &many, 3, b);
        for (int i = 0; i < 2; i++) {
            for (int s = 0; s < SYSTEMS; s++) {
                CHECK_INT(t, b[i].box.result[s].reason, NAIK_SOLVER_CONVERGED);
                cg_box_compare(t, &b[i].box, &a[i].box, s);
            }
            cg_box_free(&a[i].box);
            cg_box_free(&b[i].box);
        }
    }
    fixture_destroy(&one);
    fixture_destroy(&many);
}

static void neither_grid_nor_batch_changes_a_bit(check *t)
{
    cg_on_grids(t, compare_with_one_rank);
}

CHECK_MAIN(CHECK_UP_TO(1, solves_take_the_iterations_of_the_modes_left),
           CHECK_UP_TO(1, better_modes_save_no_iterations),
           CHECK(neither_grid_nor_batch_changes_a_bit))
