/* test_trust.c - the numbers that decide whether a result is believed: a case just inside each, one just
 * outside
 *
 * ranks: 1 2
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "gauge/gauge_fix.h"
#include "gauge/heatbath.h"
#include "lattice/su3.h"
#include "operator/set.h"
#include "propagator/propagator.h"
#include "solver/bicgstab.h"
#include "solver/cg.h"
#include "wilson_fixture.h"

/* ---- the solver's residual and the independent one */

/* An operator whose check finds a residual that is larger by `more` times what is forgiven. */
typedef struct altered_ops {
    naik_operator_ops ops;
    const naik_operator_ops *original;
    double more, solver_residual;
    bool zero; /* the source is, and the solution said not to be */
    naik_solution_check found;
    double x_norm[2], b_norm; /* |x| on the parities, |b_p| */
} altered_ops;

static naik_status altered_check(const naik_solution *s, naik_solution_check *out)
{
    naik_status status = NAIK_OK;
    altered_ops *a = (altered_ops *)s->op->ops;
    NAIK_TRY(a->original->check(s, out));
    a->found = *out;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(naik_solution_norm2(s, s->x[parity], &a->x_norm[parity]));
        a->x_norm[parity] = sqrt(a->x_norm[parity]);
    }
    NAIK_TRY(a->original->make_rhs(s));
    NAIK_TRY(naik_solution_norm2(s, s->work, &a->b_norm));
    a->b_norm = sqrt(a->b_norm);
    out->independent_residual =
        a->solver_residual + a->more * (1e-3 * a->solver_residual + out->rounding);
    out->norm = a->zero ? a->more : out->norm;
done:
    return status;
}

/* One solve of random numbers everywhere. */
typedef struct one_solve {
    const naik_lattice *lat;
    int spin;
    double mass;
    bool zero, no_number; /* of the source: all of it, or one element */
    naik_propagator_result result;
} one_solve;

static naik_status random_source(void *data, int64_t index, double *src, double *mass,
                                 double *tolerance, double *site_tolerance)
{
    const one_solve *s = data;
    (void)index;
    for (int32_t site = 0; site < s->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s->lat, site, x);
        for (int i = 0; i < 6 * s->spin; i++) {
            const double at = (double)naik_lattice_global(s->lat, x) * 6 * s->spin + i;
            src[6 * s->spin * (int64_t)site + i] = s->zero                   ? 0
                                                   : s->no_number && at == 5 ? NAN
                                                                             : sin(1 + 0.7 * at);
        }
    }
    *mass = s->mass;
    *tolerance = 1e-11;
    *site_tolerance = 0;
    return NAIK_OK;
}

static naik_status keep_result(void *data, int64_t index, const double *x,
                               const naik_propagator_result *result)
{
    (void)index, (void)x;
    ((one_solve *)data)->result = *result;
    return NAIK_OK;
}

/* Solves twice with the check as it is, for the solver's residual, then with it moved. */
static void judge(check *t, const naik_operator *op, naik_solver *solver, double mass,
                  const naik_lattice *lat, altered_ops *a)
{
    static const struct {
        double more;
        bool suspect;
    } cases[] = {{0.99, false}, {1.01, true}, {-0.99, false}, {-1.01, true}, {NAN, true}};
    const naik_solver_options options = naik_solver_defaults();
    one_solve one = {.lat = lat, .spin = op->ops->spin, .mass = mass};
    const naik_propagator_stream stream = {
        .data = &one, .count = 1, .source = random_source, .solution = keep_result};
    naik_operator altered = *op;
    bool interrupted;
    CHECK_OK(t, naik_propagator_solve(op, solver, &options, &stream, &interrupted));
    CHECK_TRUE(t, !one.result.suspect && one.result.cg.residual > 1e-13);
    *a = (altered_ops){
        .ops = *op->ops, .original = op->ops, .solver_residual = one.result.cg.residual};
    a->ops.check = altered_check;
    altered.ops = &a->ops;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        a->more = cases[i].more;
        CHECK_OK(t, naik_propagator_solve(&altered, solver, &options, &stream, &interrupted));
        CHECK_INT(t, one.result.suspect, cases[i].suspect);
    }
    /* the solver's number is near enough for no allowance of rounding to hide a wrong vector */
    CHECK_NEAR(t, a->found.independent_residual, one.result.cg.residual,
               1e-3 * one.result.cg.residual + a->found.rounding);
    CHECK_TRUE(t, a->found.rounding < 1e-11);
    one.no_number = true; /* what has no norm has no residual: least of all 0 */
    CHECK_STATUS(t, naik_propagator_solve(op, solver, &options, &stream, &interrupted),
                 NAIK_ERR_INPUT);
}

/* A staggered solver of one rhs. */
typedef struct staggered_solver {
    fixture f;
    naik_operator_set packed;
    naik_solver *cg;
} staggered_solver;

static bool staggered_create(check *t, staggered_solver *s)
{
    const int size[4] = {4, 4, 4, 8};
    *s = (staggered_solver){.cg = NULL};
    return fixture_create(t, size, NULL, false, false, 1, &s->f) &&
           CHECK_OK(
               t, naik_operator_set_fat(s->f.geometry, s->f.source, NAIK_SINGLE, 18, &s->packed)) &&
           CHECK_OK(t, naik_solver_create(&naik_solver_cg, s->packed.op, NAIK_SINGLE, 1, &s->cg));
}

static void staggered_destroy(staggered_solver *s)
{
    naik_solver_destroy(&s->cg);
    naik_operator_set_destroy(&s->packed);
    fixture_destroy(&s->f);
}

static void a_zero_source_has_the_solution_zero_or_is_suspect(check *t)
{
    const naik_solver_options options = naik_solver_defaults();
    staggered_solver s;
    CHECK_REQUIRE(t, staggered_create(t, &s));
    one_solve one = {.lat = s.f.lat, .spin = 1, .mass = 0.3, .zero = true};
    const naik_propagator_stream stream = {
        .data = &one, .count = 1, .source = random_source, .solution = keep_result};
    naik_operator altered = s.packed.op[NAIK_DOUBLE];
    altered_ops a = {.ops = *altered.ops, .original = altered.ops, .zero = true};
    a.ops.check = altered_check;
    altered.ops = &a.ops;
    for (int nonzero = 0; nonzero < 2; nonzero++) {
        bool interrupted;
        a.more = nonzero * 1e-300;
        CHECK_OK(t, naik_propagator_solve(&altered, s.cg, &options, &stream, &interrupted));
        CHECK_INT(t, one.result.cg.reason, NAIK_SOLVER_ZERO_SOURCE);
        CHECK_INT(t, one.result.suspect, nonzero);
    }
    staggered_destroy(&s);
}

static void masses_that_an_operator_does_not_take_are_refused(check *t)
{
    const naik_solver_options options = naik_solver_defaults();
    staggered_solver s;
    CHECK_REQUIRE(t, staggered_create(t, &s));
    one_solve one = {.lat = s.f.lat, .spin = 1};
    const naik_propagator_stream stream = {
        .data = &one, .count = 1, .source = random_source, .solution = keep_result};
    const double masses[] = {0, -0.1, NAN, 0.3};
    for (int i = 0; i < 4; i++) {
        bool interrupted;
        one.mass = masses[i];
        CHECK_STATUS(
            t,
            naik_propagator_solve(&s.packed.op[NAIK_DOUBLE], s.cg, &options, &stream, &interrupted),
            i < 3 ? NAIK_ERR_ARG : NAIK_OK);
    }
    staggered_destroy(&s);
}

static void staggered_residuals_are_compared_up_to_rounding(check *t)
{
    const double mass = 0.3;
    staggered_solver s;
    altered_ops a;
    CHECK_REQUIRE(t, staggered_create(t, &s));
    judge(t, &s.packed.op[NAIK_DOUBLE], s.cg, mass, s.f.lat, &a);
    CHECK_NEAR(t,
               a.found.rounding /
                   (8 * DBL_EPSILON * (4 * mass * mass + 64) * a.x_norm[NAIK_EVEN] / a.b_norm),
               1, 1e-9);
    CHECK_TRUE(t, fabs(a.x_norm[NAIK_EVEN] / a.x_norm[NAIK_ODD] - 1) > 1e-6);
    staggered_destroy(&s);
}

static void wilson_residuals_are_compared_up_to_rounding(check *t)
{
    const int size[4] = {4, 4, 4, 8};
    const double mass = 0.3;
    wilson_fixture f;
    naik_operator_set set;
    naik_solver *solver = NULL;
    altered_ops a;
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 1, mass, 0, false, &f));
    CHECK_OK(t, naik_operator_set_thin(f.geometry, f.u, NULL, mass, 0, NAIK_SINGLE, 18, NAIK_SINGLE,
                                       1, &set));
    CHECK_OK(t, naik_solver_create(&naik_solver_bicgstab, set.op, NAIK_SINGLE, 1, &solver));
    judge(t, &set.op[NAIK_DOUBLE], solver, mass, f.lat, &a);
    CHECK_NEAR(t,
               a.found.rounding / (8 * DBL_EPSILON * (mass + 4 + 8) / (mass + 4) *
                                   hypot(a.x_norm[0], a.x_norm[1]) / a.b_norm),
               1, 1e-9);
    naik_solver_destroy(&solver);
    naik_operator_set_destroy(&set);
    wilson_fixture_destroy(&f);
}

/* ---- compressed links */

/* Whether links are taken whose long ones, one of them on the last rank, leave the form that
 * compression assumes by `deviation` of their size. */
static void compress(check *t, int recon, double deviation, bool taken)
{
    const int size[4] = {4, 4, 4, 8};
    fixture f;
    naik_links *links = NULL;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    if (t->comm->rank == t->comm->size - 1) {
        f.source->long_links->link[5].e[2][1].re += deviation * f.source->long_scale;
    }
    CHECK_STATUS(t, naik_links_create(f.geometry, f.source, NAIK_DOUBLE, recon, &links),
                 taken ? NAIK_OK : NAIK_ERR_INPUT);
    naik_links_destroy(&links);
    fixture_destroy(&f);
}

/* A rotation by a and c around the first axis, and by the small b around the third between them: the numbers of a
 * compressed link are divided by about b^2. */
static naik_matrix nearly_diagonal(double a, double b, double c)
{
    const naik_matrix left = {
        .e = {{{1, 0}}, {{0, 0}, {cos(a), 0}, {-sin(a), 0}}, {{0, 0}, {sin(a), 0}, {cos(a), 0}}}};
    const naik_matrix middle = {
        .e = {{{cos(b), 0}, {-sin(b), 0}}, {{sin(b), 0}, {cos(b), 0}}, {{0, 0}, {0, 0}, {1, 0}}}};
    const naik_matrix right = {
        .e = {{{1, 0}}, {{0, 0}, {cos(c), 0}, {-sin(c), 0}}, {{0, 0}, {sin(c), 0}, {cos(c), 0}}}};
    const naik_matrix first = naik_mat_mul(&left, &middle);
    return naik_mat_mul(&first, &right);
}

/* What is exact in double leads elsewhere once its numbers are rounded to 16 bits. */
static void links_whose_rounded_numbers_lead_elsewhere_are_refused(check *t)
{
    static const struct {
        double angle;
        int recon;
        naik_precision precision;
        naik_status status;
    } rows[] = {{1e-4, 9, NAIK_SINGLE, NAIK_OK},
                {1e-4, 9, NAIK_HALF, NAIK_ERR_INPUT},
                {2e-4, 9, NAIK_HALF, NAIK_OK},
                {1e-4, 13, NAIK_HALF, NAIK_OK}};
    const int size[4] = {4, 4, 4, 8};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fixture f;
        naik_links *links = NULL;
        CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
        if (t->comm->rank == t->comm->size - 1) {
            const naik_matrix u = nearly_diagonal(0.7, rows[i].angle, 1.1);
            f.source->long_links->link[5] = naik_mat_scale(f.source->long_scale, &u);
        }
        CHECK_STATUS(
            t, naik_links_create(f.geometry, f.source, rows[i].precision, rows[i].recon, &links),
            rows[i].status);
        naik_links_destroy(&links);
        fixture_destroy(&f);
    }
}

static void links_that_compression_changes_are_refused_from_a_billionth_on(check *t)
{
    compress(t, 13, 0.9e-9, true);
    compress(t, 13, 2.5e-9, false);
    compress(t, 9, 5e-9, false);
    compress(t, 18, 0.5, true);
    compress(t, 13, 0, true);
    fixture f;
    naik_links *links = NULL;
    const int size[4] = {4, 4, 4, 8};
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    f.source->long_scale = 0;
    CHECK_STATUS(t, naik_links_create(f.geometry, f.source, NAIK_DOUBLE, 13, &links), NAIK_ERR_ARG);
    fixture_destroy(&f);
}

/* ---- sums of memory */

/* Words of links on the last rank, by which one of the two sums changes and the other does not. */
static void change_words(check *t, const naik_links *links, const uint32_t add[2])
{
    naik_backend *backend = links->geometry->backend;
    uint32_t word[2];
    if (backend->comm->rank == backend->comm->size - 1) {
        CHECK_OK(t, naik_backend_download(backend, word, links->data, sizeof word));
        for (int i = 0; i < 2; i++) { /* no carry: the sums are of 64 bits */
            CHECK_TRUE(t, (uint64_t)word[i] + add[i] < 0xffffffffu || add[i] > 0x7fffffffu);
            word[i] += add[i];
        }
        CHECK_OK(t, naik_backend_upload(backend, links->data, word, sizeof word));
    }
}

static void each_word_of_a_sum_of_memory_is_compared(check *t)
{
    const int size[4] = {4, 4, 4, 8};
    /* places 1 and 2: +2 and -1 leave the sum of place times word, +1 and -1 the plain one */
    static const uint32_t changes[2][2] = {{2, (uint32_t)-1}, {1, (uint32_t)-1}};
    fixture f;
    naik_links *links = NULL;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_SINGLE, 18, &links));
    for (int i = 0; i < 2; i++) {
        const uint32_t back[2] = {-changes[i][0], -changes[i][1]};
        int rank = -1;
        change_words(t, links, changes[i]);
        CHECK_OK(t, naik_links_verify(links, &rank));
        CHECK_INT(t, rank, t->comm->size - 1);
        change_words(t, links, back);
        CHECK_OK(t, naik_links_verify(links, &rank));
        CHECK_INT(t, rank, -1);
    }
    naik_links_destroy(&links);
    fixture_destroy(&f);
}

/* ---- links that are no SU(3) field */

/* What gauge fixing and the heatbath say where one link of the last rank is size e^{i angle} U. */
static void judge_links(check *t, double size, double angle, naik_status wanted)
{
    const int extents[4] = {4, 4, 4, 8};
    const naik_gauge_fix_options options = {
        .condition = NAIK_COULOMB, .tolerance = 1e3, .over_relaxation = 1.5};
    naik_gauge_fix_result result;
    fixture_thin f;
    CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, extents, NULL, &f));
    for (int i = 0; i < 9 && t->comm->rank == t->comm->size - 1; i++) {
        naik_complex *e = &f.u->link[7].e[0][0] + i;
        *e = naik_cmul((naik_complex){size * cos(angle), size * sin(angle)}, *e);
    }
    CHECK_STATUS(t, naik_gauge_fix(f.u, NULL, &options, &result), wanted);
    if (wanted != NAIK_OK) {
        CHECK_STATUS(t, naik_heatbath(f.u, 6, 1, 0, 1, 0), wanted);
    }
    fixture_thin_destroy(&f);
}

/* |U U^+ - 1| is twice the error of the size, |det U - 1| three times the angle; both below 1e-3. */
static void links_from_a_thousandth_off_are_not_fixed(check *t)
{
    judge_links(t, 1 + 0.3e-3, 0, NAIK_OK); /* of the determinant three times that */
    judge_links(t, 1 + 0.37e-3, 0, NAIK_ERR_ARG);
    judge_links(t, 1, 0.3e-3, NAIK_OK);
    judge_links(t, 1, 0.37e-3, NAIK_ERR_ARG);
    judge_links(t, 1 + 0.6e-3, 0, NAIK_ERR_ARG);
}

/* Tables of neighbours number 16 points of each site in 32 bits. */
static void boxes_that_have_too_many_sites_are_refused(check *t)
{
    const int ranks = t->comm->size;
    const int size[4] = {1024, 1024, 256, 4 * ranks}, grid[4] = {1, 1, 1, ranks};
    naik_lattice *lat = NULL;
    CHECK_STATUS(t, naik_lattice_create(t->comm, size, grid, &lat), NAIK_ERR_INPUT);
    CHECK_TRUE(t, lat == NULL);
}

CHECK_MAIN(CHECK(links_whose_rounded_numbers_lead_elsewhere_are_refused),
           CHECK(boxes_that_have_too_many_sites_are_refused),
           CHECK(links_from_a_thousandth_off_are_not_fixed),
           CHECK(a_zero_source_has_the_solution_zero_or_is_suspect),
           CHECK(masses_that_an_operator_does_not_take_are_refused),
           CHECK(each_word_of_a_sum_of_memory_is_compared),
           CHECK(staggered_residuals_are_compared_up_to_rounding),
           CHECK(wilson_residuals_are_compared_up_to_rounding),
           CHECK(links_that_compression_changes_are_refused_from_a_billionth_on))
