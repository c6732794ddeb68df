/* test_lanczos_kept.c - where a search for low modes begins and goes on: its interval and degree, and what an
 * interrupted search has kept
 *
 * ranks: 1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lanczos_fixture.h"
#include "modes/filter.h"
#include "modes/lanczos_basis.h"

#define MOST_FACTOR 1e6 /* of a polynomial */

/* Every block of Ritz vectors is one of noise, but for the rhs `at`, which is all large eigenvalues; the ends of an
 * interval that noise is within, and that vector is not. */
static void fill_ritz(check *t, lanczos *l, const fixture *f, int at)
{
    naik_filter *filter = l->filter;
    double even[BLOCK], odd[BLOCK], most[2] = {0, 0};
    for (int block = 0; block < 2; block++) {
        naik_field *v = fixture_field(t, f, NAIK_SINGLE, BLOCK, 40 + (uint64_t)block, NAIK_EVEN);
        CHECK_OK(t, naik_modes_copy_block(l->basis->block[block], v));
        for (int i = 0; i < 6; i++) {
            CHECK_OK(t, naik_modes_norms(l->work, v, even));
            CHECK_OK(t, naik_dslash_plain(filter->links, v, NAIK_ODD, filter->odd));
            CHECK_OK(t, naik_modes_norms(l->work, filter->odd, odd));
            for (int c = 0; c < BLOCK; c++) {
                most[i > 0] = fmax(most[i > 0], odd[c] / even[c]);
            }
            CHECK_OK(t, naik_dslash_plain(filter->links, filter->odd, NAIK_EVEN, v));
        }
        if (at / BLOCK == block) {
            CHECK_OK(t, f->backend->ops->field.copy_rhs(l->basis->block[block], at % BLOCK, v, 0));
        }
        naik_field_destroy(&v);
    }
    CHECK_TRUE(t, most[1] > 1.2 * most[0]);
    filter->low = 0.1 * most[0];
    filter->high = 2.2 * most[0] - filter->low;
}

/* What a cycle leads to: the interval is raised above a Ritz vector that is above it, one of the first block while
 * modes are wanted and one of all that are wanted once they are there, or widened below where the last mode wanted is
 * not on its way up. */
static void an_interval_is_widened_where_that_helps(check *t)
{
    enum { NOWHERE = 2 * BLOCK, WANTED = BLOCK + 1 };
    static const struct {
        int modes, converged, at;
        double before, factor;
        bool high, low; /* what is widened */
    } rows[] = {{WANTED, 0, NOWHERE, 0, 10, false, false},
                {WANTED, 0, BLOCK - 1, 0, 10, true, false},
                {WANTED, 0, BLOCK, 0, 10, false, false},
                {WANTED, WANTED - 1, BLOCK, 0, 10, false, false},
                {WANTED, WANTED, BLOCK, 0, 10, true, false},
                {WANTED, WANTED, BLOCK + 1, 0, 10, false, false},
                {2, 2, BLOCK - 1, 0, 10, true, false},
                {2, 2, BLOCK, 0, 10, false, false},
                {WANTED, 0, NOWHERE, 0, 1.49, false, true},
                {WANTED, WANTED, NOWHERE, 0, 1.49, false, false},
                {WANTED, 0, NOWHERE, 0, 3.9, false, false},
                {WANTED, 0, NOWHERE, 3.8, 3.9, false, true},
                {WANTED, 0, NOWHERE, 3.7, 3.9, false, false},
                {WANTED, 0, NOWHERE, 4.1, 4.1, false, false}};
    fixture f;
    naik_links *links = NULL;
    if (cg_fixture(t, &f)) {
        double ritz[2 * BLOCK] = {0};
        naik_lanczos_options options = naik_lanczos_defaults();
        lanczos l = {.geometry = f.geometry, .log = t->log, .options = &options, .ritz = ritz};
        CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_SINGLE, 18, &links));
        CHECK_OK(t, naik_modes_create(f.geometry, NAIK_SINGLE, 2 * BLOCK, &l.basis));
        CHECK_OK(t, naik_modes_work_create(f.geometry, 2 * BLOCK, BLOCK, &l.work));
        CHECK_OK(t, naik_filter_create(links, l.work, BLOCK, &l.filter));
        CHECK_OK(t, naik_field_create(f.geometry, NAIK_SINGLE, BLOCK, &l.w));
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            bool corrected = false;
            fill_ritz(t, &l, &f, rows[i].at);
            options.modes = rows[i].modes;
            l.state = (naik_lanczos_state){.converged = rows[i].converged};
            ritz[rows[i].modes - 1] = rows[i].factor;
            const double low = l.filter->low, high = l.filter->high;
            CHECK_OK(t, lanczos_correct_interval(&l, rows[i].before, &corrected));
            if (!CHECK_TRUE(t, corrected == (rows[i].high || rows[i].low) &&
                                   (l.filter->high > high) == rows[i].high &&
                                   (l.filter->low > low) == rows[i].low)) {
                fprintf(stderr, "    row %zu\n", i);
            }
        }
        naik_field_destroy(&l.w);
        naik_filter_destroy(&l.filter);
        naik_modes_work_destroy(&l.work);
        naik_modes_destroy(&l.basis);
        naik_links_destroy(&links);
    }
    fixture_destroy(&f);
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

/* A search that begins again has the ends of the search before in its filter. */
static void an_estimate_forgets_the_interval_before(check *t)
{
    fixture f;
    naik_links *links = NULL;
    naik_modes_work *work = NULL;
    naik_filter *filter = NULL;
    double found[3] = {0};
    if (cg_rough_fixture(t, &f)) {
        CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_SINGLE, 18, &links));
        CHECK_OK(t, naik_modes_work_create(f.geometry, 1, NAIK_MODES_BLOCK, &work));
        CHECK_OK(t, naik_filter_create(links, work, NAIK_MODES_BLOCK, &filter));
        for (int i = 0; i < 3; i++) {
            naik_field *v = fixture_field(t, &f, NAIK_SINGLE, NAIK_MODES_BLOCK, 3, NAIK_EVEN);
            CHECK_OK(t, naik_filter_largest(filter, v, &filter->high));
            filter->low = 0.2 * i * filter->high;
            CHECK_OK(t, naik_filter_estimate(filter, v, FEW, &found[i]));
            CHECK_TRUE(t, filter->low == 0 && found[i] == found[0]);
            naik_field_destroy(&v);
        }
        CHECK_TRUE(t, found[0] > 0 && found[0] < 0.5 * filter->high);
        naik_filter_destroy(&filter);
        naik_modes_work_destroy(&work);
        naik_links_destroy(&links);
    }
    fixture_destroy(&f);
}

/* A polynomial without finite values has eigenvalues above its interval: the search goes on with a wider one, so
 * often and no more. */
static void an_interval_that_overflows_is_widened(check *t)
{
    const naik_lanczos_options options = {.modes = FEW};
    naik_filter filter = {.low = 0.1, .high = 2};
    lanczos l = {.log = t->log, .options = &options, .filter = &filter};
    double high = 2;
    bool corrected = false;
    for (int i = 1; i <= LANCZOS_STARTS; i++) {
        l.overflow = true;
        corrected = false;
        high *= LANCZOS_RAISE;
        CHECK_OK(t, lanczos_correct_interval(&l, 0, &corrected));
        CHECK_TRUE(t, corrected && !l.overflow && l.state.starts == i);
        CHECK_TRUE(t, filter.low == 0.1 && filter.high == high);
    }
    l.overflow = true;
    CHECK_STATUS(t, lanczos_correct_interval(&l, 0, &corrected), NAIK_ERR_INPUT);
    for (int k = 0; k < 2; k++) { /* as long as there is something between its ends */
        filter = (naik_filter){.low = k == 0 ? 1.03 : 1.04, .high = 1};
        l.state.starts = 0;
        l.overflow = true;
        CHECK_STATUS(t, lanczos_correct_interval(&l, 0, &corrected),
                     k == 0 ? NAIK_OK : NAIK_ERR_INPUT);
    }
    naik_log_clear(t->log);
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

/* Where each goes on: with what was kept, or with one block after `first` applications. */
static void a_kept_search_is_looked_at_before_it_goes_on(check *t, const fixture *f,
                                                         const kept *whole, int64_t first)
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
        const bool at_place =
            CHECK_INT(t, k.state.size, rows[i].good ? whole->state.size : NAIK_MODES_BLOCK);
        const int64_t applied = rows[i].good ? whole->state.applications : first;
        if (!CHECK_INT(t, k.state.applications, applied) || !at_place) {
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
        int64_t first = 0;
        k.check = t;
        for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
            k.asked = 0;
            k.stop_after = stops[i];
            free(found_modes(t, &f, 60, &hooks, NAIK_ERR_INTERRUPTED, b));
            CHECK_TRUE(t, k.has);
            CHECK_INT(t, k.asked, stops[i]);
            first = i == 0 ? k.state.applications : first;
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
        a_kept_search_is_looked_at_before_it_goes_on(t, &f, &k, first);
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

CHECK_MAIN(CHECK(an_interval_is_widened_where_that_helps),
           CHECK(an_interrupted_search_goes_on_to_the_same_bits),
           CHECK(an_estimate_forgets_the_interval_before),
           CHECK(an_interval_that_overflows_is_widened), CHECK(an_interval_is_taken_where_it_does))
