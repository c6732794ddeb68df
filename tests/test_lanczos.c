/* test_lanczos.c - low modes against the dense matrix, the slow operator and the free field, and
 * their bits on any grid
 *
 * timeout: 400
 */
#include <float.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/collective.h"
#include "dslash_ref.h"
#include "lanczos_fixture.h"
#include "ledger.h"
#include "modes/hermitian.h"

/* Eigenvalues and residuals as reported, against the slow operator. */
static void check_by_slow_operator(check *t, const fixture *f, const naik_modes *modes)
{
    const size_t reals = (size_t)f->lat->sites * 6;
    double *av = calloc(reals, sizeof *av);
    for (int i = 0; i < modes->count; i += 5) {
        double *v = stored_mode(t, f, modes, i);
        naik_exactsum sum[3] = {{{0}}, {{0}}, {{0}}};
        double value[3];
        CHECK_OK(t, naik_normal_ref(f->source, 0, v, av));
        for (size_t k = 0; k < reals; k++) {
            naik_exactsum_add(&sum[0], v[k] * v[k]);
            naik_exactsum_add(&sum[1], v[k] * av[k]);
            naik_exactsum_add(&sum[2], (av[k] - modes->lambda2[i] * v[k]) *
                                           (av[k] - modes->lambda2[i] * v[k]));
        }
        CHECK_OK(t, naik_comm_sum_exact(f->lat->comm, sum, 3));
        for (int s = 0; s < 3; s++) {
            value[s] = naik_exactsum_value(&sum[s]);
        }
        CHECK_NEAR(t, value[0], 1, 1e-6);
        CHECK_NEAR(t, value[1] / value[0], modes->lambda2[i], 1e-13);
        CHECK_NEAR(t, sqrt(value[2] / value[0]), modes->residual[i],
                   1e-6 * modes->residual[i] + 1e-13);
        free(v);
    }
    free(av);
}

/* The matrix on the even sites, dense: column by column from the slow operator. */
static naik_complex *dense_matrix(check *t, const fixture *f)
{
    const int n = 3 * f->lat->volume_cb;
    const size_t reals = (size_t)f->lat->sites * 6;
    naik_complex *a = calloc((size_t)n * (size_t)n, sizeof *a);
    double *v = calloc(reals, sizeof *v), *av = calloc(reals, sizeof *av);
    for (int j = 0; j < n; j++) {
        const int64_t at =
            6 * (int64_t)naik_lattice_site_of(f->lat, NAIK_EVEN, j / 3) + 2 * (j % 3);
        v[at] = 1;
        CHECK_OK(t, naik_normal_ref(f->source, 0, v, av));
        v[at] = 0;
        for (int i = 0; i < n; i++) {
            const int64_t from =
                6 * (int64_t)naik_lattice_site_of(f->lat, NAIK_EVEN, i / 3) + 2 * (i % 3);
            a[i * n + j] = (naik_complex){av[from], av[from + 1]};
        }
    }
    free(v);
    free(av);
    return a;
}

/* Where the modes are a quarter of all, no polynomial takes out what the roundings of links of 16 bits
 * put in: the search begins again with links in single precision, and finds what was asked for. */
static void what_coarse_links_cannot_give_is_found_without(check *t, const operators *o,
                                                           const double *value)
{
    enum { MANY = 100 };
    naik_modes *modes = NULL;
    naik_lanczos_report report;
    naik_lanczos_options options = naik_lanczos_defaults();
    options.modes = MANY;
    options.tolerance = 1e-5;
    CHECK_OK(t, naik_lanczos_run(o->outer, o->single, o->half, &options, NULL, &modes, &report));
    CHECK_INT(t, report.links, 32);
    for (int i = 0; modes != NULL && i < MANY; i++) {
        CHECK_NEAR(t, modes->lambda2[i], value[i], 1e-5 * report.high);
        CHECK_TRUE(t,
                   modes->residual[i] <= naik_lanczos_promised(options.tolerance, modes->lambda2[i],
                                                               report.high, report.degree));
    }
    naik_modes_destroy(&modes);
}

static void modes_are_those_of_the_dense_matrix(check *t)
{
    enum { WANTED = 13 };
    static const int size[4] = {4, 4, 4, 4};
    fixture f;
    if (fixture_create(t, size, NULL, true, false, 1, &f)) {
        const int n = 3 * f.lat->volume_cb;
        operators o = make_operators(t, &f);
        naik_modes *modes = NULL;
        naik_lanczos_report report;
        naik_lanczos_options options = naik_lanczos_defaults();
        naik_complex *a = dense_matrix(t, &f), *z = calloc((size_t)n * (size_t)n, sizeof *z);
        double *value = calloc((size_t)n, sizeof *value);
        CHECK_OK(t, naik_hermitian_solve(t->log, n, a, value, z));
        options.modes = WANTED;
        options.tolerance = 1e-4;
        CHECK_OK(t, naik_lanczos_run(o.outer, o.single, NULL, &options, NULL, &modes, &report));
        for (int i = 0; modes != NULL && i < WANTED; i++) {
            CHECK_NEAR(t, modes->lambda2[i], value[i], 1e-5 * value[n - 1]);
            CHECK_TRUE(t, modes->residual[i] <= fmax(1e-4 * value[i], 1e-5 * value[n - 1]));
        }
        CHECK_TRUE(t, report.high >= value[n - 1] && report.high <= 1.3 * value[n - 1]);
        check_by_slow_operator(t, &f, modes);
        what_coarse_links_cannot_give_is_found_without(t, &o, value);
        naik_modes_destroy(&modes);
        release(&o);
        free(a);
        free(z);
        free(value);
    }
    fixture_destroy(&f);
}

/* With links of 16 bits in the polynomial modes keep the same promise, measured in double, after as
 * many cycles. */
static void coarse_links_find_modes_as_good(check *t, const operators *o,
                                            const naik_lanczos_options *options,
                                            const naik_modes *fine, int cycles)
{
    naik_modes *modes = NULL;
    naik_lanczos_report report;
    CHECK_OK(t, naik_lanczos_run(o->outer, o->single, o->half, options, NULL, &modes, &report));
    CHECK_INT(t, report.links, 16);
    CHECK_INT(t, report.cycles, cycles);
    CHECK_NEAR(t, report.gram, 0, 1e-6);
    for (int i = 0; modes != NULL && i < fine->count; i++) {
        CHECK_NEAR(t, modes->lambda2[i], fine->lambda2[i], 1e-4 * fine->lambda2[i]);
        CHECK_TRUE(t, modes->residual[i] <= naik_lanczos_promised(options->tolerance,
                                                                  modes->lambda2[i], report.high,
                                                                  report.degree));
    }
    naik_modes_destroy(&modes);
}

static void modes_of_a_rough_configuration_converge(check *t)
{
    fixture f;
    if (cg_rough_fixture(t, &f)) {
        operators o = make_operators(t, &f);
        naik_modes *modes = NULL;
        naik_lanczos_report report;
        naik_lanczos_options options = naik_lanczos_defaults();
        double gram = 1;
        options.modes = 8;
        options.tolerance = FINE;
        CHECK_OK(t, naik_lanczos_run(o.outer, o.single, NULL, &options, NULL, &modes, &report));
        CHECK_INT(t, report.converged, 8);
        for (int i = 0; modes != NULL && i < 8; i++) {
            CHECK_TRUE(t, i == 0 || modes->lambda2[i] >= modes->lambda2[i - 1]);
            CHECK_TRUE(t, modes->residual[i] <= naik_lanczos_promised(options.tolerance,
                                                                      modes->lambda2[i],
                                                                      report.high, report.degree));
        }
        CHECK_OK(t, naik_modes_measure(modes, o.outer, &gram));
        CHECK_NEAR(t, gram, 0, 1e-6);
        CHECK_INT(t, report.links, 32);
        coarse_links_find_modes_as_good(t, &o, &options, modes, report.cycles);
        check_by_slow_operator(t, &f, modes);
        naik_modes_destroy(&modes);
        release(&o);
    }
    fixture_destroy(&f);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* 4 sum_mu sin^2 p_mu, each momentum with three colours, half of them on the even sites. */
static double *free_eigenvalues(const int size[4], size_t *count)
{
    size_t n = 0;
    double *value = calloc((size_t)(size[0] * size[1] * size[2] * size[3]) * 3, sizeof *value);
    for (int i = 0; i < size[0] * size[1] * size[2] * size[3]; i++) {
        const int k[4] = {i % size[0], i / size[0] % size[1], i / size[0] / size[1] % size[2],
                          i / size[0] / size[1] / size[2]};
        double sum = 0;
        for (int mu = 0; mu < 4; mu++) {
            const double p = 2 * M_PI * (k[mu] + (mu == 3 ? 0.5 : 0)) / size[mu];
            sum += 4 * sin(p) * sin(p);
        }
        for (int colour = 0; colour < 3; colour++) {
            value[n++] = sum;
        }
    }
    qsort(value, n, sizeof *value, compare);
    for (size_t i = 0; i < n / 2; i++) {
        value[i] = value[2 * i];
    }
    *count = n / 2;
    return value;
}

static void the_free_field_has_its_degenerate_eigenvalues(check *t)
{
    enum { WANTED = 60 }; /* 48 equal ones and some of the next */
    static const int size[4] = {4, 4, 4, 8};
    fixture f;
    if (fixture_create(t, size, NULL, true, true, 1, &f)) {
        size_t count;
        double *value = free_eigenvalues(size, &count);
        naik_gauge_set_unit(f.source->fat);
        naik_gauge_apply_phases(f.source->fat, true);
        operators o = make_operators(t, &f);
        naik_modes *modes = NULL;
        naik_lanczos_report report;
        naik_lanczos_options options = naik_lanczos_defaults();
        options.modes = WANTED;
        options.tolerance = FINE;
        CHECK_OK(t, naik_lanczos_run(o.outer, o.single, NULL, &options, NULL, &modes, &report));
        for (int i = 0; modes != NULL && i < WANTED; i++) {
            CHECK_NEAR(t, modes->lambda2[i], value[i], 1e-5);
        }
        naik_modes_destroy(&modes);
        release(&o);
        free(value);
    }
    fixture_destroy(&f);
}

static void compare_with_one_rank(check *t, const int size[4], const int grid[4])
{
    fixture one, many;
    /* threads of many ranks wait for each other in turns where there are few cores */
    const int threads = t->comm->size > 1 ? 1 : 2;
    if (fixture_create(t, size, NULL, true, false, 1, &one) &&
        fixture_create(t, size, grid, false, false, threads, &many)) {
        double a[FEW] = {0}, b[FEW] = {0};
        double *x = found_modes(t, &one, 2, NULL, NAIK_ERR_NOT_CONVERGED, a);
        double *y = found_modes(t, &many, 2, NULL, NAIK_ERR_NOT_CONVERGED, b);
        CHECK_TRUE(t, a[0] > 0);
        CHECK_TRUE(t, memcmp(a, b, sizeof a) == 0);
        for (int32_t site = 0; site < many.lat->sites; site++) {
            int at[4];
            naik_lattice_coords(many.lat, site, at);
            CHECK_TRUE(t, memcmp(x + 6 * naik_lattice_global(many.lat, at), y + 6 * (int64_t)site,
                                 6 * sizeof(double)) == 0);
        }
        free(x);
        free(y);
    }
    fixture_destroy(&one);
    fixture_destroy(&many);
}

static void modes_have_equal_bits_on_every_grid(check *t)
{
    const int size[4] = {8, t->comm->size > 4 ? 8 : 4, 4, 8};
    fixture_for_grids(t, size, 1, compare_with_one_rank);
}

/* The plan's memory of a search is what it takes at the most, and what it leaves are the modes. Halos
 * of several ranks have a line of their own in the plan. */
static void a_search_takes_the_memory_that_is_planned(check *t)
{
    enum { MANY = 40 };
    fixture f;
    if (cg_fixture(t, &f)) {
        operators o = make_operators(t, &f);
        naik_modes *modes = NULL;
        naik_lanczos_report report;
        naik_lanczos_options options = naik_lanczos_defaults();
        options.modes = MANY;
        options.tolerance = 0.5;
        ledger_open(f.backend);
        CHECK_OK(t, naik_lanczos_run(o.outer, o.single, NULL, &options, NULL, &modes, &report));
        CHECK_NEAR(t, (double)ledger_most() / (double)naik_lanczos_bytes(f.geometry, &options), 1,
                   0.03);
        CHECK_TRUE(t, ledger_now() == naik_modes_bytes(f.geometry, NAIK_SINGLE, MANY));
        naik_modes_destroy(&modes);
        ledger_close(f.backend);
        release(&o);
    }
    fixture_destroy(&f);
}

/* Bytes that the program has asked the system for, those of a backend left out; 0 under a sanitizer. */
static double on_host(void)
{
    const struct mallinfo2 heap = mallinfo2();
    return (double)(heap.uordblks + heap.hblkhd) - (double)ledger_now();
}

static bool look_at_host(void *data)
{
    *(double *)data = on_host();
    return true; /* that is all */
}

/* At the first question of a search everything is there but the room of an eigenvalue problem. */
static void dense_matrices_are_in_the_memory_that_is_planned(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        operators o = make_operators(t, &f);
        naik_modes *modes = NULL;
        naik_lanczos_report report;
        naik_lanczos_options options = naik_lanczos_defaults();
        double during = 0;
        const naik_lanczos_hooks hooks = {.data = &during, .stop = look_at_host};
        options.modes = 40;
        options.krylov = 240;
        ledger_open(f.backend);
        const double before = on_host();
        CHECK_INT(t, naik_lanczos_run(o.outer, o.single, NULL, &options, &hooks, &modes, &report),
                  NAIK_ERR_INTERRUPTED);
        naik_log_clear(t->log);
        const size_t planned =
            naik_lanczos_host_bytes(&options) - naik_hermitian_bytes(options.krylov);
        CHECK_TRUE(t, planned > 48 * 240 * 240);
        if (before + (double)ledger_now() > 0) {
            CHECK_NEAR(t, (during - before) / (double)planned, 1, 0.1);
        }
        ledger_close(f.backend);
        release(&o);
    }
    fixture_destroy(&f);
}

static void an_interval_that_does_not_do_is_corrected(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        operators o = make_operators(t, &f);
        naik_lanczos_options options = naik_lanczos_defaults();
        naik_modes *modes = NULL, *others = NULL;
        naik_lanczos_report report;
        options.modes = FEW;
        options.tolerance = FINE;
        CHECK_OK(t, naik_lanczos_run(o.outer, o.single, NULL, &options, NULL, &modes, &report));
        CHECK_INT(t, report.starts, 0);
        options.low = 0.7 * modes->lambda2[FEW - 1];
        options.high = 0.8 * report.high;
        CHECK_OK(t, naik_lanczos_run(o.outer, o.single, NULL, &options, NULL, &others, &report));
        CHECK_TRUE(t, report.starts > 0);
        for (int i = 0; others != NULL && i < FEW; i++) {
            CHECK_NEAR(t, others->lambda2[i], modes->lambda2[i], 2e-3 * modes->lambda2[i]);
        }
        naik_modes_destroy(&modes);
        naik_modes_destroy(&others);
        release(&o);
    }
    fixture_destroy(&f);
}

/* What deflation.modes may be. */
static void every_number_of_modes_has_a_krylov_space(check *t)
{
    enum { MOST = 10000 };
    naik_lanczos_options options = naik_lanczos_defaults();
    for (options.modes = 1; options.modes <= MOST; options.modes++) {
        const int krylov = naik_lanczos_krylov(&options);
        CHECK_TRUE(t, krylov >= naik_lanczos_least(options.modes) &&
                          krylov % NAIK_MODES_BLOCK == 0 &&
                          krylov + NAIK_MODES_BLOCK <= NAIK_MODES_MAX);
        CHECK_TRUE(t, krylov >= options.modes + options.modes / 4);
    }
    CHECK_INT(t, naik_lanczos_least(FEW), 48);
}

static void what_cannot_be_found_is_said(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        operators o = make_operators(t, &f);
        naik_lanczos_options options = naik_lanczos_defaults();
        naik_modes *modes = NULL;
        naik_lanczos_report report;
        options.modes = (int)f.lat->volume;
        CHECK_STATUS(t, naik_lanczos_run(o.outer, o.single, NULL, &options, NULL, &modes, &report),
                     NAIK_ERR_INPUT);
        options.modes = FEW;
        options.tolerance = 1e-9; /* below what single precision gives: that is enough */
        options.max_cycles = 1;
        options.degree = 2;
        CHECK_STATUS(t, naik_lanczos_run(o.outer, o.single, NULL, &options, NULL, &modes, &report),
                     NAIK_ERR_NOT_CONVERGED);
        CHECK_TRUE(t, modes != NULL && report.converged < FEW);
        naik_modes_destroy(&modes);
        release(&o);
    }
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK_UP_TO(1, modes_are_those_of_the_dense_matrix),
           CHECK_UP_TO(1, modes_of_a_rough_configuration_converge),
           CHECK_UP_TO(1, the_free_field_has_its_degenerate_eigenvalues),
           CHECK(modes_have_equal_bits_on_every_grid),
           CHECK(every_number_of_modes_has_a_krylov_space),
           CHECK_ALONE(a_search_takes_the_memory_that_is_planned),
           CHECK_UP_TO(1, dense_matrices_are_in_the_memory_that_is_planned),
           CHECK_UP_TO(1, an_interval_that_does_not_do_is_corrected),
           CHECK(what_cannot_be_found_is_said))
