/* test_wilson_cases.c - the reference Wilson operator and its solvers against other codes' numbers
 *
 * ranks: 1
 * timeout: 300
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "json.h"
#include "naik/gauge_io.h"
#include "wilson_solve_ref.h"

static bool long_run(void)
{
    return getenv("NAIK_TEST_LONG") != NULL;
}

static char *load_cases(check *t)
{
    char path[1024];
    char *cases = json_load(check_reference_path(t, "wilson_cases.json", path, sizeof path));
    CHECK_TRUE(t, cases != NULL);
    return cases;
}

static void sizes_of(const char *dims, int size[4])
{
    for (int mu = 0; mu < 4; mu++) {
        size[mu] = (int)json_number(json_element(dims, mu));
    }
}

/* The operator on the links of a file, reunitarised, or on unit links where file is NULL. */
static wilson_ref *make(check *t, const char *file, const int size[4], bool antiperiodic,
                        double mass, double csw)
{
    naik_lattice *lat = NULL;
    naik_gauge *u = NULL;
    naik_gauge_file header;
    wilson_ref *w = NULL;
    char path[1024];
    double change = 0;
    bool ok = CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat)) &&
              CHECK_OK(t, naik_gauge_create(lat, &u));
    if (ok && file == NULL) {
        naik_gauge_set_unit(u);
    } else if (ok) {
        check_reference_path(t, file, path, sizeof path);
        ok = CHECK_OK(t, naik_gauge_file_read(path, u, &header));
        if (ok) {
            naik_gauge_file_clear(&header);
            ok = CHECK_OK(t, naik_gauge_reunitarise(u, &change));
        }
    }
    if (ok) {
        CHECK_OK(t, wilson_ref_create(u, antiperiodic, mass, 0, csw, &w));
    }
    naik_gauge_destroy(&u);
    naik_lattice_destroy(&lat);
    return w;
}

/* The channels of wilson_cases.json: gamma at the sink and at the source as products of
 * wilson_gamma; -1 ends them. */
typedef struct channel {
    const char *name;
    int sink[2], source[2], momentum[3];
} channel;
static const channel channels[] = {
    {"PION_p000", {4, -1}, {4, -1}, {0}},       {"PION_p100", {4, -1}, {4, -1}, {1, 0, 0}},
    {"PION_p110", {4, -1}, {4, -1}, {1, 1, 0}}, {"RHOX_p000", {0, -1}, {0, -1}, {0}},
    {"RHOY_p000", {1, -1}, {1, -1}, {0}},       {"RHOZ_p000", {2, -1}, {2, -1}, {0}},
    {"SCALAR_p000", {-1}, {-1}, {0}},           {"A0_p000", {4, 3}, {4, 3}, {0}},
    {"PS505_p000", {4, 3}, {4, -1}, {0}},       {"A1X_p000", {4, 0}, {4, 0}, {0}},
    {"TXY_p000", {0, 1}, {0, 1}, {0}},
};

static void product(const int factor[2], wilson_spin out)
{
    memset(out, 0, sizeof(wilson_spin));
    for (int i = 0; i < 4; i++) {
        out[i][i] = 1;
    }
    for (int k = 0; k < 2 && factor[k] >= 0; k++) {
        wilson_spin held;
        memcpy(held, out, sizeof held);
        wilson_spin_multiply(held, wilson_gamma[factor[k]], out);
    }
}

static void compare_correlators(check *t, const wilson_ref *w, wilson_spinor *const column[12],
                                const char *expected)
{
    const double unit =
        json_number(json_element(json_element(json_member(expected, "PION_p000"), 0), 0));
    for (size_t k = 0; k < sizeof channels / sizeof *channels; k++) {
        double complex corr[64];
        wilson_spin sink, source;
        const char *answer = json_member(expected, channels[k].name);
        product(channels[k].sink, sink);
        product(channels[k].source, source);
        wilson_ref_meson(w, column, sink, source, channels[k].momentum, corr);
        for (int i = 0; i < w->size[3]; i++) {
            const char *number = json_element(answer, i);
            const double re = json_number(json_element(number, 0));
            const double im = json_number(json_element(number, 1));
            CHECK_NEAR(t, creal(corr[i]), re, 1e-10 * unit);
            CHECK_NEAR(t, cimag(corr[i]), im, 1e-10 * unit);
        }
    }
}

static void compare_elements(check *t, const wilson_ref *w, wilson_spinor *const column[12],
                             const char *elements)
{
    int count = 0;
    for (const char *e; (e = json_element(elements, count)) != NULL; count++) {
        int x[4], source[2], sink[2];
        sizes_of(json_member(e, "site"), x);
        for (int i = 0; i < 2; i++) {
            source[i] = (int)json_number(json_element(json_member(e, "source"), i));
            sink[i] = (int)json_number(json_element(json_member(e, "sink"), i));
        }
        const double complex got =
            column[3 * source[0] + source[1]][wilson_ref_site(w, x)][sink[0]][sink[1]];
        CHECK_NEAR(t, creal(got), json_number(json_element(json_member(e, "value"), 0)), 1e-11);
        CHECK_NEAR(t, cimag(got), json_number(json_element(json_member(e, "value"), 1)), 1e-11);
    }
    CHECK_TRUE(t, count >= 9);
}

/* One form of the Schur complement, column 0: 3 iterations either way for conjugate gradients, 15 %
 * for BiCGStab, which wanders. */
static void compare_iterations(check *t, const wilson_ref *w, bool asymmetric, const char *expected)
{
    const wilson_schur s = {w, NAIK_EVEN, asymmetric};
    const double bicgstab = json_number(json_member(expected, "bicgstab"));
    wilson_spinor *src = wilson_ref_field(w->volume), *b = wilson_ref_field(w->volume);
    wilson_spinor *x = wilson_ref_field(w->volume);
    src[0][0][0] = 1;
    wilson_ref_schur_source(&s, src, b);
    CHECK_NEAR(t, wilson_ref_cgnr(&s, b, 1e-10, 1000, x),
               json_number(json_member(expected, "cgnr")), 3);
    CHECK_NEAR(t, wilson_ref_bicgstab(&s, b, 1e-10, 1000, x), bicgstab, 0.15 * bicgstab);
    free(src);
    free(b);
    free(x);
}

/* Calls `run` for every case of the file, in make check for those on small lattices. */
static void for_cases(check *t, void (*run)(check *t, const wilson_ref *w, const char *answers))
{
    static const int largest = 1000; /* sites in make check */
    char *cases = load_cases(t);
    int found = 0;
    const char *one;
    for (; cases != NULL && (one = json_element(json_member(cases, "cases"), found)) != NULL;
         found++) {
        int size[4];
        char file[64] = "";
        sizes_of(json_member(one, "dims"), size);
        sscanf(json_member(json_member(one, "gauge"), "file"), "\"%63[^\"]", file);
        CHECK_TRUE(t, json_is_text(json_member(one, "boundary_t"), "antiperiodic"));
        if (size[0] * size[1] * size[2] * size[3] > largest && !long_run()) {
            continue;
        }
        const double mass = 1 / (2 * json_number(json_member(one, "kappa"))) - 4;
        CHECK_NEAR(t, mass, json_number(json_member(one, "mass")), 1e-15);
        wilson_ref *w = make(t, file, size, true, mass, json_number(json_member(one, "csw")));
        if (w != NULL) {
            run(t, w, one);
        }
        wilson_ref_destroy(&w);
    }
    CHECK_INT(t, found, 4);
    free(cases);
}

static void compare_propagator(check *t, const wilson_ref *w, const char *answers)
{
    static const int origin[4] = {0};
    wilson_spinor *column[12];
    CHECK_TRUE(t, wilson_ref_propagator(w, origin, 1e-13, column) < 1e-12);
    compare_correlators(t, w, column, json_member(json_member(answers, "expected"), "correlators"));
    compare_elements(t, w, column, json_member(json_member(answers, "numpy"), "elements"));
    wilson_ref_columns_free(column);
}

static void propagators_and_mesons_are_those_of_another_code(check *t)
{
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    for_cases(t, compare_propagator);
}

static void compare_all_iterations(check *t, const wilson_ref *w, const char *answers)
{
    const char *counts = json_member(json_member(answers, "numpy"), "iterations_1e10_column_0_0");
    CHECK_TRUE(t, json_member(counts, "asym") != NULL);
    compare_iterations(t, w, true, json_member(counts, "asym"));
    if (w->diagonal != NULL) {
        compare_iterations(t, w, false, json_member(counts, "sym"));
    } else { /* no A to invert: the forms coincide */
        compare_iterations(t, w, false, json_member(counts, "asym"));
    }
}

static void solvers_take_as_many_iterations_as_another_code(check *t)
{
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    for_cases(t, compare_all_iterations);
}

static void compare_pion(check *t, const wilson_ref *w, int columns, const char *expected)
{
    static const int origin[4] = {0}, at_rest[3] = {0};
    wilson_spinor *column[12] = {NULL};
    double complex pion[64] = {0};
    const double unit = json_number(json_element(expected, 0));
    if (columns == 12) {
        CHECK_TRUE(t, wilson_ref_propagator(w, origin, 1e-13, column) < 1e-12);
        wilson_ref_meson(w, column, wilson_gamma[4], wilson_gamma[4], at_rest, pion);
    } else { /* free quarks: every column has the same norm on a time slice */
        const wilson_schur s = {w, NAIK_EVEN, false};
        wilson_spinor *src = wilson_ref_field(w->volume);
        column[0] = wilson_ref_field(w->volume);
        src[0][0][0] = 1;
        CHECK_TRUE(t, wilson_ref_solve(&s, src, 1e-14, column[0]) > 0);
        for (int64_t i = 0; i < 12 * w->volume; i++) {
            const double complex z = ((const double complex *)column[0])[i];
            pion[i * w->size[3] / (12 * w->volume)] += 12 * (z * conj(z));
        }
        free(src);
    }
    for (int i = 0; i < w->size[3]; i++) {
        CHECK_NEAR(t, creal(pion[i]), json_number(json_element(expected, i)), 1e-12 * unit);
    }
    wilson_ref_columns_free(column);
}

static void free_pions_are_exact(check *t)
{
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    char *cases = load_cases(t);
    int found = 0;
    const char *one;
    for (; cases != NULL && (one = json_element(json_member(cases, "free"), found)) != NULL;
         found++) {
        int size[4];
        sizes_of(json_member(one, "dims"), size);
        wilson_ref *w =
            make(t, NULL, size, true, 1 / (2 * json_number(json_member(one, "kappa"))) - 4, 0);
        CHECK_REQUIRE(t, w != NULL);
        compare_pion(t, w, 1, json_member(one, "pion"));
        wilson_ref_destroy(&w);
    }
    CHECK_INT(t, found, 2);
    free(cases);
}

static void pions_on_a_weak_field_are_known(check *t)
{
    static const int size[4] = {4, 4, 4, 8};
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    char *cases = load_cases(t);
    const char *weak = json_member(cases, "weak_field_isotropic"), *one;
    int found = 0;
    for (; (one = json_element(json_member(weak, "cases"), found)) != NULL; found++) {
        wilson_ref *w = make(t, "weak.4448.nersc", size, true,
                             1 / (2 * json_number(json_member(one, "kappa"))) - 4,
                             json_number(json_member(one, "csw")));
        CHECK_REQUIRE(t, w != NULL);
        compare_pion(t, w, 12, json_member(one, "pion"));
        wilson_ref_destroy(&w);
    }
    CHECK_INT(t, found, 2);
    free(cases);
}

/* Tr (D^4)(x, x) over spin and colour is -16 times the sum of Re Tr Q over the planes. */
static void fourth_power_of_dslash_counts_plaquettes(check *t)
{
    static const int size[4] = {8, 8, 8, 8}, at[4] = {2, 6, 1, 3};
    if (t->reference == NULL) {
        CHECK_SKIP(t, "NAIK_REFERENCE is not set");
    }
    wilson_ref *w = make(t, "lat.sample.l8888", size, false, 0, 0);
    CHECK_REQUIRE(t, w != NULL);
    const int64_t here = wilson_ref_site(w, at);
    double complex trace = 0;
    for (int k = 0; k < 12; k++) {
        wilson_spinor *v = wilson_ref_field(w->volume), *d = wilson_ref_field(w->volume);
        v[here][k / 3][k % 3] = 1;
        for (int power = 0; power < 4; power += 2) {
            wilson_ref_dslash(w, WILSON_PLAIN, v, d);
            wilson_ref_dslash(w, WILSON_PLAIN, d, v);
        }
        trace += v[here][k / 3][k % 3];
        free(v);
        free(d);
    }
    CHECK_NEAR(t, creal(trace), -701.1244339563582, 1e-10);
    CHECK_NEAR(t, cimag(trace), 0, 1e-10);
    wilson_ref_destroy(&w);
}

CHECK_MAIN(CHECK(propagators_and_mesons_are_those_of_another_code),
           CHECK(solvers_take_as_many_iterations_as_another_code), CHECK(free_pions_are_exact),
           CHECK(pions_on_a_weak_field_are_known), CHECK(fourth_power_of_dslash_counts_plaquettes))
