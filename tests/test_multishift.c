/* test_multishift.c - several masses from one Krylov space: as good as solved alone, and the same
 * bits whatever they are solved beside
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cg_fixture.h"
#include "solver/multishift.h"

enum { FAMILIES = 3, MASSES = 4, SYSTEMS = FAMILIES * MASSES };
static const double heavy[MASSES] = {0.2, 0.25, 0.4, 1.1},
                    light[MASSES] = {0.001, 0.005, 0.02, 0.1};
static const double tolerance = 1e-10;

typedef struct run {
    cg_box box;
    const double *mass; /* [MASSES] */
    double tolerance[MASSES];
    naik_multishift *multishift;
    int first, count;    /* groups at work */
    bool wanted[MASSES]; /* the base always takes part */
    int zero_source, nan_source;
    naik_shift_group group[FAMILIES];
    int mass_of[FAMILIES][MASSES]; /* s of a group to its mass */
    int polls_left;                /* the stream says stop after so many; -1: never */
    bool asked_again;              /* though it said stop */
    int shared[SYSTEMS];           /* iterations of the starting value */
} run;

static double *make_source(const run *r, int group, double scale)
{
    const naik_lattice *lat = r->box.f->lat;
    double *v = fixture_vector(r->box.f, 40 + (uint64_t)group, (int)r->box.parity);
    for (int64_t i = 0; i < (int64_t)lat->sites * 6; i++) {
        v[i] *= group == r->zero_source ? 0 : scale;
    }
    if (group == r->nan_source && lat->comm->rank == 0) {
        v[6 * naik_lattice_site_of(lat, r->box.parity, 3)] = NAN;
    }
    return v;
}

static naik_status load_group(void *data, int index, naik_field *b, int irhs)
{
    run *r = data;
    double *v = make_source(r, r->first + index, 1);
    naik_status status = r->box.f->backend->ops->field.from_host(b, r->box.parity, irhs, v);
    free(v);
    return status;
}

static bool stop(void *data)
{
    run *r = data;
    r->asked_again = r->asked_again || r->polls_left == 0;
    return r->polls_left == 0 || (r->polls_left > 0 && --r->polls_left == 0);
}

/* System index = group * MASSES + s, of the groups at work. */
static naik_status load(void *data, int64_t index, naik_field *b, int irhs,
                        naik_solver_system *system)
{
    run *r = data;
    const int f = (int)index / MASSES, s = (int)index % MASSES;
    const naik_shift_group *group = &r->group[f];
    const int used = s < group->count ? s : 0; /* beyond the group: the base once more */
    double *v = make_source(r, r->first + f, group->scale[used]);
    *system =
        (naik_solver_system){.shift = group->shift[used], .tolerance = group->tolerance[used]};
    const naik_status status = r->box.f->backend->ops->field.from_host(b, r->box.parity, irhs, v);
    free(v);
    return status;
}

static naik_status start(void *data, int64_t index, naik_field *x, int irhs, naik_solver_start *out)
{
    run *r = data;
    const int f = (int)index / MASSES, s = (int)index % MASSES;
    const int used = s < r->group[f].count ? s : 0;
    const naik_status status = naik_multishift_take(r->multishift, f, used, x, irhs, out);
    r->shared[(r->first + f) * MASSES + r->mass_of[f][used]] = out->iterations;
    return status;
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_solver_result *result)
{
    run *r = data;
    const int f = (int)index / MASSES, s = (int)index % MASSES;
    const int at = (r->first + f) * MASSES + r->mass_of[f][s];
    if (s >= r->group[f].count) {
        return NAIK_OK;
    }
    return cg_box_take(&r->box, at, x, irhs, result);
}

static void describe(run *r, int f)
{
    naik_shift_group *group = &r->group[f];
    group->count = 0;
    for (int m = 0; m < MASSES; m++) {
        if (m == 0 || r->wanted[m]) {
            group->shift[group->count] = 4 * r->mass[m] * r->mass[m];
            group->scale[group->count] = r->mass[m] / r->mass[0];
            group->tolerance[group->count] = r->tolerance[m];
            r->mass_of[f][group->count++] = m;
        }
    }
}

static void run_init(run *r, const fixture *f, naik_parity parity)
{
    memset(r, 0, sizeof *r);
    r->box.f = f;
    r->box.parity = parity;
    r->mass = heavy;
    r->zero_source = r->nan_source = r->polls_left = -1;
    for (int m = 0; m < MASSES; m++) {
        r->wanted[m] = true;
        r->tolerance[m] = tolerance;
    }
}

/* All groups, `width` at a time. */
static naik_status solve(run *r, cg_mode mode, int width, const naik_solver_options *options)
{
    naik_status status = NAIK_OK;
    cg_solver solver;
    NAIK_TRY(cg_solver_create(r->box.f, mode, width + 1, &solver));
    NAIK_TRY(naik_multishift_create(solver.cg, width, MASSES, &r->multishift));
    for (r->first = 0; r->first < FAMILIES; r->first += width) {
        bool stopped = false;
        r->count = FAMILIES - r->first < width ? FAMILIES - r->first : width;
        for (int k = 0; k < r->count; k++) {
            describe(r, k);
        }
        const naik_shift_group_stream groups = {
            .data = r, .count = r->count, .group = r->group, .load = load_group, .stop = stop};
        const naik_solver_starter starter = {.data = r, .start = start};
        const naik_solver_stream systems = {.data = r,
                                            .count = r->count * MASSES,
                                            .load = load,
                                            .finish = finish,
                                            .starter = &starter};
        NAIK_TRY(naik_multishift_solve(r->multishift, r->box.parity, options, &groups, &stopped));
        if (stopped) {
            break;
        }
        NAIK_TRY(naik_solver_solve(solver.cg, r->box.parity, options, &systems));
    }
done:
    naik_multishift_destroy(&r->multishift);
    cg_solver_destroy(&solver);
    return status;
}

static double reference_residual(check *t, const run *r, int at)
{
    const int m = at % MASSES;
    double *b = make_source(r, at / MASSES, r->mass[m] / r->mass[0]);
    double residual = cg_box_residual(t, &r->box, at, r->mass[m], b);
    free(b);
    return residual;
}

static void every_mass_reaches_its_tolerance_with_hardly_a_step_of_its_own(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        naik_solver_options options = naik_solver_defaults();
        options.history_stride = CG_STRIDE;
        for (int m = 0; m < CG_MODES; m++) {
            if (!cg_mode_runs(m) || (m >= CG_STORES && m != CG_HOPS && m != CG_HOPS + 1)) {
                continue;
            }
            run r;
            run_init(&r, &f, (naik_parity)(m % 2));
            r.box.hop = cg_modes[m].hop;
            CHECK_OK(t, solve(&r, cg_modes[m], FAMILIES, &options));
            for (int at = 0; at < SYSTEMS && r.box.x[SYSTEMS - 1] != NULL; at++) {
                const naik_solver_result *res = &r.box.result[at];
                CHECK_INT(t, res->reason, NAIK_SOLVER_CONVERGED);
                /* rounding may leave a last step or two to the ordinary solver */
                CHECK_TRUE(t, r.shared[at] > 0 && res->iterations <= r.shared[at] + 2);
                CHECK_TRUE(t, m > 0 || res->iterations == r.shared[at]);
                CHECK_INT(t, res->start_iterations, r.shared[at]);
                CHECK_INT(t, res->history_length, res->iterations);
                if (m ==
                    0) { /* in double what is iterated is true: to 0.7 of the tolerance, and no further */
                    const double *history = r.box.history[at];
                    const int n = r.shared[at];
                    CHECK_TRUE(t, history[n - 1] <= 0.7 * tolerance * (1 + 1e-6));
                    CHECK_TRUE(t, history[n - 2] > 0.7 * tolerance * (1 - 1e-6));
                }
                CHECK_TRUE(t, res->residual <= tolerance && res->residual > 0.01 * tolerance);
                CHECK_NEAR(t, reference_residual(t, &r, at), res->residual,
                           1e-3 * res->residual + 1e-14);
                /* what was iterated is what is true, and heavier masses arrive earlier */
                CHECK_NEAR(t, r.box.history[at][r.shared[at] - 1], res->residual, 0.7 * tolerance);
                CHECK_TRUE(t,
                           at % MASSES == 0 || res->iterations < r.box.result[at - 1].iterations);
            }
            CHECK_TRUE(t, r.box.x[SYSTEMS - 1] != NULL);
            cg_box_free(&r.box);
        }
    }
    fixture_destroy(&f);
}

/* On a rough configuration, where single precision takes more iterations from the base on; the last mass is a blunt one. */
static void light_quarks_take_the_iterations_of_double(check *t)
{
    fixture f;
    if (cg_rough_fixture(t, &f)) {
        naik_solver_options options = naik_solver_defaults();
        int in_double[SYSTEMS] = {0};
        for (int m = 0; m < CG_STORES - 1; m++) {
            run r;
            run_init(&r, &f, NAIK_EVEN);
            r.mass = light;
            r.tolerance[MASSES - 1] = 1e-4;
            CHECK_OK(t, solve(&r, cg_modes[m], FAMILIES, &options));
            for (int at = 0; at < SYSTEMS && r.box.x[SYSTEMS - 1] != NULL; at++) {
                const naik_solver_result *res = &r.box.result[at];
                CHECK_INT(t, res->reason, NAIK_SOLVER_CONVERGED);
                CHECK_TRUE(t, reference_residual(t, &r, at) <= 1.01 * r.tolerance[at % MASSES]);
                in_double[at] = m == 0 ? res->iterations : in_double[at];
                CHECK_TRUE(t, res->iterations <= 1.02 * in_double[at]);
            }
            CHECK_TRUE(t, r.box.x[SYSTEMS - 1] != NULL);
            cg_box_free(&r.box);
        }
    }
    fixture_destroy(&f);
}

static void batch_polls_and_missing_masses_do_not_change_a_bit(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        naik_solver_options options = naik_solver_defaults();
        options.history_stride = CG_STRIDE;
        for (int m = 0; m < CG_STORES; m++) {
            if (!cg_mode_runs(m)) {
                continue;
            }
            run one, r;
            run_init(&one, &f, NAIK_EVEN);
            CHECK_OK(t, solve(&one, cg_modes[m], 1, &options));
            for (int width = 2; width <= 3; width++) {
                options.poll_interval = 3 * width - 5;
                run_init(&r, &f, NAIK_EVEN);
                r.wanted[width - 1] = false;
                CHECK_OK(t, solve(&r, cg_modes[m], width, &options));
                for (int at = 0; at < SYSTEMS; at++) {
                    CHECK_INT(t, r.box.x[at] != NULL, at % MASSES != width - 1);
                    if (r.box.x[at] != NULL) {
                        cg_box_compare(t, &one.box, &r.box, at);
                    }
                }
                cg_box_free(&r.box);
            }
            options.poll_interval = 0;
            cg_box_free(&one.box);
        }
    }
    fixture_destroy(&f);
}

/* Where less of a history is wanted than there is, its beginning. */
static void a_history_ends_where_it_is_told(check *t)
{
    enum { TOLD = 7 };
    fixture f;
    if (cg_fixture(t, &f)) {
        naik_solver_options options = naik_solver_defaults();
        run all, r;
        run_init(&all, &f, NAIK_EVEN);
        run_init(&r, &f, NAIK_EVEN);
        options.history_stride = CG_STRIDE;
        CHECK_OK(t, solve(&all, cg_modes[1], FAMILIES, &options));
        options.history_stride = TOLD;
        CHECK_OK(t, solve(&r, cg_modes[1], FAMILIES, &options));
        for (int at = 0; at < SYSTEMS && r.box.x[SYSTEMS - 1] != NULL; at++) {
            CHECK_TRUE(t, r.shared[at] > TOLD);
            CHECK_INT(t, r.box.result[at].history_length, TOLD);
            for (int i = 0; i < TOLD; i++) {
                CHECK_TRUE(t, r.box.history[at][i] == all.box.history[at][i]);
            }
        }
        CHECK_TRUE(t, r.box.x[SYSTEMS - 1] != NULL);
        cg_box_free(&all.box);
        cg_box_free(&r.box);
    }
    fixture_destroy(&f);
}

static void kernels_count_only_while_every_system_iterates(check *t)
{
    fixture f;
    if (cg_fixture(t, &f) && f.backend->ops->host_memory) {
        naik_solver_options options = naik_solver_defaults();
        options.poll_interval = 5;
        for (int m = 0; m < 2; m++) {
            cg_watch watch;
            run r;
            run_init(&r, &f, NAIK_EVEN);
            cg_watch_begin(f.backend, &watch);
            CHECK_OK(t, solve(&r, cg_modes[m], FAMILIES, &options));
            cg_watch_end(f.backend);
            CHECK_TRUE(t, watch.whole > 0 && watch.part > 0);
            CHECK_INT(t, watch.wrong, 0);
            cg_box_free(&r.box);
        }
    }
    fixture_destroy(&f);
}

/* Against one rank alone. */
static void same_bits_on_grid(check *t, const int size[4], const int grid[4])
{
    fixture f, one;
    if (fixture_create(t, size, grid, false, false, t->comm->size == 1 ? 2 : 1, &f) &&
        fixture_create(t, size, NULL, true, false, 1, &one)) {
        naik_solver_options options = naik_solver_defaults();
        options.history_stride = CG_STRIDE;
        run a, b;
        run_init(&a, &f, NAIK_ODD);
        run_init(&b, &one, NAIK_ODD);
        CHECK_OK(t, solve(&a, cg_modes[1], 2, &options));
        CHECK_OK(t, solve(&b, cg_modes[1], 3, &options));
        for (int at = 0; at < SYSTEMS && a.box.x[SYSTEMS - 1] != NULL; at++) {
            cg_box_compare(t, &a.box, &b.box, at);
        }
        cg_box_free(&a.box);
        cg_box_free(&b.box);
    }
    fixture_destroy(&one);
    fixture_destroy(&f);
}

static void grids_and_threads_do_not_change_a_bit(check *t)
{
    cg_on_grids(t, same_bits_on_grid);
}

static void what_cannot_be_shared_is_left_to_the_ordinary_solver(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        naik_solver_options options = naik_solver_defaults();
        run r;
        run_init(&r, &f, NAIK_EVEN);
        r.zero_source = 0;
        r.nan_source = 2;
        CHECK_OK(t, solve(&r, cg_modes[1], FAMILIES, &options));
        for (int m = 0; m < MASSES; m++) {
            CHECK_INT(t, r.box.result[m].reason, NAIK_SOLVER_ZERO_SOURCE);
            CHECK_INT(t, r.box.result[MASSES + m].reason, NAIK_SOLVER_CONVERGED);
            CHECK_INT(t, r.box.result[2 * MASSES + m].reason, NAIK_SOLVER_BROKEN);
        }
        cg_box_free(&r.box);

        /* too few iterations: all but the heaviest mass stop at the limit, with their residual */
        run_init(&r, &f, NAIK_EVEN);
        options.max_iterations = 12;
        CHECK_OK(t, solve(&r, cg_modes[1], FAMILIES, &options));
        CHECK_INT(t, r.box.result[0].reason, NAIK_SOLVER_ITERATION_LIMIT);
        CHECK_INT(t, r.box.result[0].iterations, 12);
        CHECK_TRUE(t, r.box.result[0].residual > tolerance && r.box.result[0].residual < 1);
        cg_box_free(&r.box);

        run_init(&r, &f, NAIK_EVEN);
        r.polls_left = 3;
        options = naik_solver_defaults();
        CHECK_OK(t, solve(&r, cg_modes[1], FAMILIES, &options));
        CHECK_TRUE(t, r.box.x[0] == NULL && r.polls_left == 0 && !r.asked_again);
        cg_box_free(&r.box);
    }
    fixture_destroy(&f);
}

/* By the check of batches: a field of too many vectors is refused with the same status. */
static void refused(check *t, naik_solver *cg, int groups, int shifts)
{
    naik_multishift *m = NULL;
    const naik_status status = naik_multishift_create(cg, groups, shifts, &m);
    const bool told = strstr(naik_log_message(t->log), "right-hand sides: not in a batch") != NULL;
    naik_log_clear(t->log);
    CHECK_INT(t, status, NAIK_ERR_ARG);
    CHECK_TRUE(t, told && m == NULL);
}

static void more_vectors_than_there_is_room_for_are_refused(check *t)
{
    enum { WIDTH = 16, MOST = NAIK_MAX_RHS / WIDTH + 1 };
    fixture f;
    if (cg_fixture(t, &f)) {
        cg_solver solver;
        naik_multishift *m = NULL;
        CHECK_OK(t, cg_solver_create(&f, cg_modes[0], WIDTH, &solver));
        CHECK_OK(t, naik_multishift_create(solver.cg, WIDTH, MOST, &m));
        naik_multishift_destroy(&m);
        refused(t, solver.cg, WIDTH, MOST + 1);
        refused(t, solver.cg, WIDTH + 1, 2);
        refused(t, solver.cg, 1, 1);
        refused(t, solver.cg, 0, 2);
        refused(t, solver.cg, 1, NAIK_MAX_SHIFTS + 1);
        cg_solver_destroy(&solver);
    }
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK_UP_TO(1, more_vectors_than_there_is_room_for_are_refused),
           CHECK_UP_TO(1, light_quarks_take_the_iterations_of_double),
           CHECK_UP_TO(2, every_mass_reaches_its_tolerance_with_hardly_a_step_of_its_own),
           CHECK(kernels_count_only_while_every_system_iterates),
           CHECK_UP_TO(1, a_history_ends_where_it_is_told),
           CHECK_UP_TO(1, batch_polls_and_missing_masses_do_not_change_a_bit),
           CHECK(grids_and_threads_do_not_change_a_bit),
           CHECK(what_cannot_be_shared_is_left_to_the_ordinary_solver))
