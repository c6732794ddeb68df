/* test_lanczos.c - low modes against the dense matrix, the slow operator and the free field; their
 * bits on any grid, and from where a search was interrupted
 *
 * timeout: 400
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cg_fixture.h"
#include "comm/collective.h"
#include "dslash_ref.h"
#include "ledger.h"
#include "modes/hermitian.h"
#include "modes/lanczos.h"

#define MOST_FACTOR 1e6  /* of a polynomial */
#define FINE        1e-2 /* tolerance of modes that are compared with exact ones */

typedef struct operators {
    naik_links *outer, *single, *half;
} operators;

static operators make_operators(check *t, const fixture *f)
{
    operators o = {NULL, NULL, NULL};
    CHECK_OK(t, naik_links_create(f->geometry, f->source, NAIK_DOUBLE, 18, &o.outer));
    CHECK_OK(t, naik_links_create(f->geometry, f->source, NAIK_SINGLE, 18, &o.single));
    CHECK_OK(t, naik_links_create(f->geometry, f->source, NAIK_HALF, 18, &o.half));
    return o;
}

static void release(operators *o)
{
    naik_links_destroy(&o->outer);
    naik_links_destroy(&o->single);
    naik_links_destroy(&o->half);
}

static double *stored_mode(check *t, const fixture *f, const naik_modes *modes, int i)
{
    double *v = calloc((size_t)f->lat->sites * 6, sizeof *v);
    CHECK_OK(t, f->backend->ops->field.to_host(modes->block[i / NAIK_MODES_BLOCK], NAIK_EVEN,
                                               i % NAIK_MODES_BLOCK, v));
    return v;
}

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

enum { FEW = 9 };

/* Runs with random links, in the polynomial those of 16 bits, and says what came out, modes folded with
 * weights: [sites][3][2]. */
static double *found_modes(check *t, const fixture *f, int max_cycles,
                           const naik_lanczos_hooks *hooks, naik_status expected,
                           double lambda2[FEW])
{
    operators o = make_operators(t, f);
    naik_modes *modes = NULL;
    naik_lanczos_report report;
    naik_lanczos_options options = naik_lanczos_defaults();
    double *sum = calloc((size_t)f->lat->sites * 6, sizeof *sum);
    options.modes = FEW;
    options.tolerance = FINE;
    options.degree = 120; /* so that it takes some cycles */
    options.krylov = 48;  /* the least */
    options.max_cycles = max_cycles;
    CHECK_STATUS(t, naik_lanczos_run(o.outer, o.single, o.half, &options, hooks, &modes, &report),
                 expected);
    for (int i = 0; modes != NULL && i < FEW; i++) {
        double *v = stored_mode(t, f, modes, i);
        for (int64_t k = 0; k < (int64_t)f->lat->sites * 6; k++) {
            sum[k] = fma(1 + 0.3 * i, v[k], sum[k]);
        }
        lambda2[i] = modes->lambda2[i];
        free(v);
    }
    CHECK_TRUE(t, expected != NAIK_OK || report.cycles > 2);
    naik_modes_destroy(&modes);
    release(&o);
    return sum;
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

/* What a search leaves when it is interrupted. */
typedef struct kept {
    const fixture *f;
    check *check;
    naik_lanczos_state state;
    double ritz[256];
    double *vector[256];
    naik_complex *t;
    int stop_after; /* so many questions; -1: never */
    int asked;
    bool has;
} kept;

static naik_status keep(void *data, const naik_lanczos_state *state, bool stops)
{
    kept *k = data;
    if (!stops) {
        return NAIK_OK;
    }
    k->state = *state;
    k->has = true;
    memcpy(k->ritz, state->ritz, (size_t)state->kept * sizeof(double));
    const size_t numbers = (size_t)state->size * (size_t)state->krylov;
    free(k->t);
    k->t = calloc(numbers, sizeof *k->t);
    memcpy(k->t, state->t, numbers * sizeof *k->t);
    for (int i = 0; i < state->size; i++) {
        free(k->vector[i]);
        k->vector[i] = calloc((size_t)k->f->lat->sites * 6, sizeof(double));
        CHECK_OK(k->check,
                 k->f->backend->ops->field.to_host(state->basis[i / NAIK_MODES_BLOCK], NAIK_EVEN,
                                                   i % NAIK_MODES_BLOCK, k->vector[i]));
    }
    return NAIK_OK;
}

static naik_status put_back(void *data, naik_lanczos_state *state, bool *found)
{
    const kept *k = data;
    double *ritz = state->ritz;
    naik_field **basis = state->basis;
    naik_complex *t = state->t;
    *found = k->has;
    if (k->has) {
        *state = k->state;
        state->ritz = ritz;
        state->basis = basis;
        state->t = t;
        memcpy(ritz, k->ritz, (size_t)state->kept * sizeof(double));
        memcpy(t, k->t, (size_t)state->size * (size_t)state->krylov * sizeof *t);
        for (int i = 0; i < state->size; i++) {
            CHECK_OK(k->check,
                     k->f->backend->ops->field.from_host(basis[i / NAIK_MODES_BLOCK], NAIK_EVEN,
                                                         i % NAIK_MODES_BLOCK, k->vector[i]));
        }
    }
    return NAIK_OK;
}

static bool stop(void *data)
{
    kept *k = data;
    return ++k->asked == k->stop_after;
}

/* A kept search with one number changed by so much: in units of what is at the limit. */
typedef enum what { NOTHING, LONGER, REAL, IMAGINARY, RITZ, ORDER, T_REAL, T_IMAGINARY, HIGH } what;

static void change(kept *k, const fixture *f, what changed, double by)
{
    const size_t last = (size_t)(k->state.size - 1) * (size_t)k->state.krylov;
    double *v = k->vector[k->state.size - 1], *w = k->vector[0];
    for (int64_t i = 0; i < (int64_t)f->lat->sites * 3; i++) {
        const double part = by * 1e-3;
        v[2 * i] *= changed == LONGER ? 1 + 0.5 * part : 1;
        v[2 * i + 1] *= changed == LONGER ? 1 + 0.5 * part : 1;
        v[2 * i] += changed == REAL        ? part * w[2 * i]
                    : changed == IMAGINARY ? -part * w[2 * i + 1]
                                           : 0;
        v[2 * i + 1] += changed == REAL        ? part * w[2 * i + 1]
                        : changed == IMAGINARY ? part * w[2 * i]
                                               : 0;
    }
    k->ritz[0] = changed == RITZ ? by * 2 * MOST_FACTOR : k->ritz[0];
    k->ritz[1] = changed == ORDER ? by * k->ritz[0] : k->ritz[1];
    k->t[last].re = changed == T_REAL ? by * 2 * MOST_FACTOR : k->t[last].re;
    k->t[last].im = changed == T_IMAGINARY ? -by * 2 * MOST_FACTOR : k->t[last].im;
    k->state.high *= changed == HIGH ? by : 1;
}

/* Where each goes on: with what was kept, or with one block as at the beginning. */
static void a_kept_search_is_looked_at_before_it_goes_on(check *t, const fixture *f,
                                                         const kept *whole)
{
    static const struct {
        what changed;
        double by;
        bool good;
    } rows[] = {{NOTHING, 0, true},
                {LONGER, 0.9, true},
                {LONGER, 1.1, false},
                {LONGER, -1.1, false},
                {REAL, 0.9, true},
                {REAL, 1.1, false},
                {REAL, -1.1, false},
                {IMAGINARY, 0.9, true},
                {IMAGINARY, 1.1, false},
                {IMAGINARY, -1.1, false},
                {RITZ, 0.999, true},
                {RITZ, 1.001, false},
                {ORDER, 1, true},
                {ORDER, 1.001, false},
                {T_REAL, 0.999, true},
                {T_REAL, -1.001, false},
                {T_REAL, 1.001, false},
                {T_IMAGINARY, 0.999, true},
                {T_IMAGINARY, 1.001, false},
                {T_IMAGINARY, -1.001, false},
                {HIGH, 1, true},
                {HIGH, 0.99, false},
                {HIGH, 14, false}};
    const size_t reals = (size_t)f->lat->sites * 6;
    const size_t numbers = (size_t)whole->state.size * (size_t)whole->state.krylov;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kept k = *whole;
        double ignored[FEW] = {0};
        const naik_lanczos_hooks hooks = {
            .data = &k, .stop = stop, .save = keep, .restore = put_back};
        k.t = calloc(numbers, sizeof *k.t);
        memcpy(k.t, whole->t, numbers * sizeof *k.t);
        for (int v = 0; v < 256; v++) {
            k.vector[v] = v < whole->state.size ? calloc(reals, sizeof(double)) : NULL;
            if (k.vector[v] != NULL) {
                memcpy(k.vector[v], whole->vector[v], reals * sizeof(double));
            }
        }
        change(&k, f, rows[i].changed, rows[i].by);
        k.asked = 0;
        k.stop_after = 1;
        free(found_modes(t, f, 60, &hooks, NAIK_ERR_INTERRUPTED, ignored));
        if (!CHECK_INT(t, k.state.size, rows[i].good ? whole->state.size : NAIK_MODES_BLOCK)) {
            fprintf(stderr, "    row %zu\n", i);
        }
        for (int v = 0; v < 256; v++) {
            free(k.vector[v]);
        }
        free(k.t);
    }
}

/* A block of degree 120 asks once before it and 7 times inside its filter. */
static void an_interrupted_search_goes_on_to_the_same_bits(check *t)
{
    enum { A_BLOCK = 8 };
    static const int stops[] = {1, 3, 5 * A_BLOCK + 1, 3 * A_BLOCK + 4, A_BLOCK, 2 * A_BLOCK + 7};
    fixture f;
    if (cg_fixture(t, &f)) {
        double a[FEW] = {0}, b[FEW] = {0};
        double *x = found_modes(t, &f, 60, NULL, NAIK_OK, a);
        kept k = {.f = &f, .t = NULL};
        const naik_lanczos_hooks hooks = {
            .data = &k, .stop = stop, .save = keep, .restore = put_back};
        k.check = t;
        for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
            k.asked = 0;
            k.stop_after = stops[i];
            free(found_modes(t, &f, 60, &hooks, NAIK_ERR_INTERRUPTED, b));
            CHECK_TRUE(t, k.has);
            CHECK_INT(t, k.asked, stops[i]);
        }
        CHECK_TRUE(t, k.state.cycle > 0 && k.state.size > k.state.kept + NAIK_MODES_BLOCK);
        k.stop_after = A_BLOCK + 1; /* block by block, to the second one of a later cycle */
        for (int i = 0;
             i < 60 && (k.state.kept == 0 || k.state.size <= k.state.kept + NAIK_MODES_BLOCK);
             i++) {
            k.asked = 0;
            free(found_modes(t, &f, 60, &hooks, NAIK_ERR_INTERRUPTED, b));
        }
        CHECK_TRUE(t, k.state.kept > 0 && k.state.size > k.state.kept + NAIK_MODES_BLOCK);
        a_kept_search_is_looked_at_before_it_goes_on(t, &f, &k);
        k.stop_after = -1;
        double *y = found_modes(t, &f, 60, &hooks, NAIK_OK, b);
        CHECK_TRUE(t, memcmp(a, b, sizeof a) == 0);
        CHECK_TRUE(t, memcmp(x, y, (size_t)f.lat->sites * 6 * sizeof(double)) == 0);
        for (int i = 0; i < 256; i++) {
            free(k.vector[i]);
        }
        free(k.t);
        free(x);
        free(y);
    }
    fixture_destroy(&f);
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

/* What a search begins with: its first state, before any block. */
static naik_status keep_first(void *data, const naik_lanczos_state *state, bool stops)
{
    (void)stops;
    *(naik_lanczos_state *)data = *state;
    return NAIK_OK;
}

static bool at_once(void *data)
{
    (void)data;
    return true;
}

static naik_lanczos_state begin_with(check *t, const operators *o,
                                     const naik_lanczos_options *options, naik_status expected)
{
    naik_lanczos_state first = {.low = 0};
    const naik_lanczos_hooks hooks = {.data = &first, .stop = at_once, .save = keep_first};
    naik_modes *modes = NULL;
    naik_lanczos_report report;
    CHECK_STATUS(t, naik_lanczos_run(o->outer, o->single, NULL, options, &hooks, &modes, &report),
                 expected);
    naik_modes_destroy(&modes);
    return first;
}

/* Of a search that is free to choose it, on the interval of a state: even, and as much as single precision holds. */
static int degree_for(const naik_lanczos_state *at, double share)
{
    const double growth = acosh((at->high + at->low) / (at->high - at->low));
    const double usual = 2 * ceil(share / sqrt(at->low / at->high));
    return (int)fmin(usual, 2 * floor(0.5 * acosh(MOST_FACTOR) / growth));
}

/* Both ends of an interval at both sides of what is taken, in units of the largest eigenvalue and of the last one
 * wanted as they are measured; the degree that follows from them, or that is asked for. */
static void an_interval_is_taken_where_it_does(check *t)
{
    static const struct {
        double low, high; /* asked for; 0: nothing is */
        double is_low, is_high;
        naik_status status;
    } rows[] = {
        {0, 0, 2.5, 1, NAIK_ERR_INTERRUPTED},
        {0, 0.999, 2.5, 1, NAIK_ERR_INTERRUPTED}, /* eigenvalues lie above it */
        {0, 1.001, 2.5, 1.001, NAIK_ERR_INTERRUPTED},
        {0, 1.999, 2.5, 1.999, NAIK_ERR_INTERRUPTED},
        {0, 2.001, 2.5, 1, NAIK_ERR_INTERRUPTED},
        {0.499, 0, 2.5, 1, NAIK_ERR_INTERRUPTED}, /* far below the last one wanted */
        {0.501, 0, 0.501, 1, NAIK_ERR_INTERRUPTED},
        {4, 1.5, 4, 1.5, NAIK_ERR_INTERRUPTED},
        {-0.9001, 0, 0, 0, NAIK_ERR_INPUT}, /* nothing is left above it; in units of the largest */
        {-0.8999, 0, -0.8999, 1, NAIK_ERR_INTERRUPTED}};
    fixture f;
    if (cg_fixture(t, &f)) {
        operators o = make_operators(t, &f);
        naik_lanczos_options options = naik_lanczos_defaults();
        options.modes = 8;
        const naik_lanczos_state free_choice = begin_with(t, &o, &options, NAIK_ERR_INTERRUPTED);
        const double largest = free_choice.high, last = free_choice.low / 2.5;
        CHECK_TRUE(t, free_choice.low < 0.49 * largest); /* it is not cut off there */
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            const double unit = rows[i].low < 0 ? -largest : last;
            options.low = rows[i].low * unit;
            options.high = rows[i].high * largest;
            const naik_lanczos_state first = begin_with(t, &o, &options, rows[i].status);
            CHECK_NEAR(t, first.low, rows[i].is_low * unit, 1e-6 * largest);
            CHECK_NEAR(t, first.high, rows[i].is_high * largest, 1e-12 * largest);
            CHECK_INT(t, first.degree, first.high > 0 ? degree_for(&first, 1) : 0);
        }
        options.low = options.high = 0;
        options.modes = 40;
        for (options.krylov = 72; options.krylov <= 80;
             options.krylov += 8) { /* two of each mode, or fewer */
            const naik_lanczos_state first = begin_with(t, &o, &options, NAIK_ERR_INTERRUPTED);
            const double share = options.krylov == 80 ? 0.7 : 1;
            CHECK_INT(t, first.degree, degree_for(&first, share));
        }
        options.krylov = 80;
        options.degree = 6;
        CHECK_INT(t, begin_with(t, &o, &options, NAIK_ERR_INTERRUPTED).degree, 6);
        options.degree = 2000; /* beyond single precision: the largest that is not */
        const naik_lanczos_state first = begin_with(t, &o, &options, NAIK_ERR_INTERRUPTED);
        const double growth = acosh((first.high + first.low) / (first.high - first.low));
        CHECK_TRUE(t, cosh(first.degree * growth) <= MOST_FACTOR &&
                          cosh((first.degree + 2) * growth) > MOST_FACTOR);
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
           CHECK_UP_TO(1, an_interrupted_search_goes_on_to_the_same_bits),
           CHECK_UP_TO(1, a_search_takes_the_memory_that_is_planned),
           CHECK_UP_TO(1, an_interval_that_does_not_do_is_corrected),
           CHECK_UP_TO(1, an_interval_is_taken_where_it_does), CHECK(what_cannot_be_found_is_said))
