/* test_multigrid.c - aggregates, P, the coarse operator and its solver, the smoother and the cycle
 *
 * ranks: 1 2 4
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "coarse_fixture.h"
#include "comm/collective.h"
#include "operator/wilson_operator.h"
#include "solver/gcr.h"

static const int size[4] = {4, 4, 8, 8};
static const double mass = 0.3;
enum { VECTORS = 6, RHS = COARSE_RHS };

/* ---- 1: P^+ P = 1 */

static void columns_on_grid(check *t, const int extents[4], const int grid[4])
{
    static const int aggregate[4] = {2, 2, 2, 4};
    coarse_fixture m;
    naik_coarse *e[2], *back[2];
    if (coarse_fixture_create(t, extents, grid, false, 0, 0, NAIK_SINGLE, aggregate, VECTORS, &m)) {
        coarse_make(t, &m, e);
        coarse_make(t, &m, back);
        coarse_fill_random(t, &m, e);
        coarse_prolong(t, &m, e, m.field);
        coarse_restrict(t, &m, m.field, back);
        CHECK_NEAR(t, coarse_difference(t, &m, back, e), 0, 2e-6);
        coarse_free(e);
        coarse_free(back);
    }
    coarse_fixture_destroy(&m);
}

static void columns_are_orthonormal(check *t)
{
    fixture_for_grids(t, size, 2, columns_on_grid);
}

/* ---- 2: M_c = P^+ M P */

static const struct {
    double csw, mu, tolerance;
    naik_precision precision;
    int aggregate[4];
} operators[] = {{0, 0, 5e-6, NAIK_SINGLE, {2, 2, 2, 4}},
                 {1.2, 0, 5e-6, NAIK_SINGLE, {2, 2, 4, 2}},
                 {1.2, 0.4, 5e-6, NAIK_SINGLE, {4, 2, 4, 4}},
                 {0, -0.3, 5e-4, NAIK_HALF, {2, 4, 2, 2}}};

/* out = M v */
static void apply_fine(check *t, const coarse_fixture *m, naik_field *const v[2],
                       naik_field *const out[2], naik_field *hops)
{
    const naik_field_ops *field = &m->f.backend->ops->field;
    for (int parity = 0; parity < 2; parity++) {
        naik_field_set_nrhs(out[parity], v[0]->nrhs);
        naik_field_set_nrhs(hops, v[0]->nrhs);
        CHECK_OK(t, naik_wilson_local(m->wilson, v[parity], (naik_parity)parity, out[parity]));
        CHECK_OK(t, naik_dslash_plain(m->wilson->links, v[!parity], (naik_parity)parity, hops));
        CHECK_OK(t, field->axpy(-0.5, hops, out[parity]));
    }
}

static void galerkin_with(check *t, const int extents[4], const int grid[4], double csw, double mu,
                          double tolerance, naik_precision precision, const int aggregate[4])
{
    coarse_fixture m;
    naik_coarse *e[2], *expected[2], *got[2];
    naik_field *out[2] = {NULL, NULL};
    if (coarse_fixture_create(t, extents, grid, false, csw, mu, precision, aggregate, VECTORS,
                              &m)) {
        coarse_make(t, &m, e);
        coarse_make(t, &m, expected);
        coarse_make(t, &m, got);
        for (int c = 0; c < 2; c++) {
            CHECK_OK(t, naik_field_create_spin(m.f.geometry, NAIK_SINGLE, NAIK_SPIN, NAIK_MG_BLOCK,
                                               &out[c]));
        }
        coarse_fill_random(t, &m, e);
        coarse_prolong(t, &m, e, m.field);
        apply_fine(t, &m, m.field, out, m.field[2]);
        coarse_restrict(t, &m, out, expected);
        coarse_apply(t, &m, e, got);
        CHECK_NEAR(t, coarse_difference(t, &m, got, expected), 0, tolerance);
        coarse_free(e);
        coarse_free(expected);
        coarse_free(got);
        naik_field_destroy(&out[0]);
        naik_field_destroy(&out[1]);
    }
    coarse_fixture_destroy(&m);
}

static void galerkin_on_grid(check *t, const int extents[4], const int grid[4])
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (naik_multigrid_fits(extents, operators[i].aggregate, grid)) {
            galerkin_with(t, extents, grid, operators[i].csw, operators[i].mu,
                          operators[i].tolerance, operators[i].precision, operators[i].aggregate);
        }
    }
}

static void coarse_operator_is_the_galerkin_product(check *t)
{
    fixture_for_grids(t, size, 3, galerkin_on_grid);
}

/* ---- the coarse solver */

static void solve_on_grid(check *t, const int extents[4], const int grid[4])
{
    static const int aggregate[4] = {2, 2, 2, 2};
    coarse_fixture m;
    naik_coarse *e[2], *b[2], *copy[2], *got[2];
    naik_coarse_solver *solver = NULL;
    naik_coarse_solve solve;
    if (coarse_fixture_create(t, extents, grid, false, 0, 0, NAIK_SINGLE, aggregate, VECTORS, &m)) {
        /* what a source is at most: sums are as good where it is far less */
        const double bound[2][RHS] = {{100, 100, 100, 100, 100}, {1e7, 1e7, 1e7, 1e7, 1e7}};
        int most = 0;
        coarse_make(t, &m, e);
        coarse_make(t, &m, b);
        coarse_make(t, &m, copy);
        coarse_make(t, &m, got);
        coarse_fill_random(t, &m, copy);
        CHECK_OK(t, naik_coarse_solver_create(m.op, RHS, 16, 1e-5, &solver));
        for (int i = 0; i < 2; i++) {
            coarse_fill_random(t, &m, b);
            CHECK_OK(t, naik_coarse_solver_solve(solver, b, bound[i], e, &solve));
            CHECK_TRUE(t, solve.most > 2 && solve.most < 100 && (i == 0 || solve.most == most));
            coarse_apply(t, &m, e, got);
            CHECK_NEAR(t, coarse_difference(t, &m, got, copy), 0, 3e-5);
            most = solve.most;
        }
        naik_coarse_solver_destroy(&solver);
        coarse_free(e);
        coarse_free(b);
        coarse_free(copy);
        coarse_free(got);
    }
    coarse_fixture_destroy(&m);
}

static void coarse_solver_solves_the_coarse_operator(check *t)
{
    fixture_for_grids(t, size, 2, solve_on_grid);
}

/* On even coarse sites: what a solve has brought, and noise. */
static void find_low(check *t, const coarse_fixture *m, naik_coarse_solver *solver,
                     naik_coarse *const e[2])
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->f.geometry);
    double size[VECTORS], *host = calloc(coarse_number_count(m, 0) + 1, sizeof *host);
    naik_coarse *rest = NULL;
    for (int c = 0; c < VECTORS; c++) {
        size[c] = 10; /* not much more than they are */
    }
    for (int32_t i = 0; i < m->a->count[0] * coarse_components(m); i++) {
        float number[2];
        naik_mg_noise(m->a->global[0][i / coarse_components(m)], 0, 5, i % coarse_components(m),
                      number);
        host[2 * i] = (double)number[0];
    }
    CHECK_OK(t, naik_coarse_create(m->a, coarse_components(m), VECTORS, &rest));
    CHECK_OK(t, ops->coarse_from_host(rest, NAIK_EVEN, COARSE_RHS, host));
    CHECK_OK(t, naik_coarse_solver_find(solver, 0, e[0], rest, size));
    CHECK_OK(t, naik_coarse_solver_lower(solver, true));
    naik_coarse_destroy(&rest);
    free(host);
}

/* Solutions stay right, and take fewer steps, also where directions are given up on the way. */
static const double light = -2.5; /* so that directions meet low vectors */

static void low_on_grid(check *t, const int extents[4], const int grid[4])
{
    static const int aggregate[4] = {2, 2, 2, 2};
    coarse_fixture m;
    naik_coarse *e[2] = {NULL, NULL}, *b[2], *copy[2], *got[2];
    naik_coarse_solver *solver = NULL;
    naik_coarse_solve solve[2];
    if (coarse_fixture_open(t, extents, grid, false, light, 0, 0, &m) &&
        coarse_fixture_fill(t, NAIK_SINGLE, aggregate, VECTORS, NULL, NULL, &m)) {
        const double bound[RHS] = {100, 100, 100, 100, 100};
        coarse_make(t, &m, b);
        coarse_make(t, &m, copy);
        coarse_make(t, &m, got);
        coarse_fill_random(t, &m, copy);
        for (int c = 0; c < 2; c++) {
            CHECK_OK(t, naik_coarse_create(m.a, coarse_components(&m), VECTORS, &e[c]));
            e[c]->nrhs = RHS;
        }
        CHECK_OK(t, naik_coarse_solver_create(m.op, VECTORS, 2, 1e-5, &solver));
        for (int i = 0; i < 2; i++) {
            coarse_fill_random(t, &m, b);
            CHECK_OK(t, naik_coarse_solver_solve(solver, b, bound, e, &solve[i]));
            coarse_apply(t, &m, e, got);
            CHECK_NEAR(t, coarse_difference(t, &m, got, copy), 0, 3e-5);
            CHECK_INT(t, solve[i].beyond, 0);
            find_low(t, &m, solver, e);
        }
        CHECK_TRUE(t, solve[1].most > 0 && solve[1].most < solve[0].most);
        for (int refined = 0; refined < 2;
             refined++) { /* the solution itself is among them, or S^-1 of it */
            CHECK_OK(t, naik_coarse_solver_lower(solver, refined));
            coarse_fill_random(t, &m, b);
            CHECK_OK(t, naik_coarse_solver_solve(solver, b, bound, e, &solve[refined]));
            CHECK_INT(t, solve[refined].most > 1, refined);
        }
        naik_coarse_solver_destroy(&solver);
        coarse_free(e);
        coarse_free(b);
        coarse_free(copy);
        coarse_free(got);
    }
    coarse_fixture_destroy(&m);
}

static void low_vectors_take_their_part_of_the_steps(check *t)
{
    fixture_for_grids(t, size, 2, low_on_grid);
}

/* All numbers of the matrices that are used, in single precision. */
static void enlarge(const coarse_fixture *m, double by)
{
    float *numbers = m->op->used->data;
    for (size_t i = 0; i < m->op->used->size_bytes / sizeof *numbers; i++) {
        numbers[i] *= (float)by;
    }
}

/* S = 1 - Z Z is enlarged until sums have no room: the solver says so, and goes no further. */
static void a_coarse_operator_that_is_too_large_is_noticed(check *t)
{
    static const int aggregate[4] = {2, 2, 2, 2};
    coarse_fixture m;
    naik_coarse *e[2], *b[2];
    naik_coarse_solver *solver = NULL;
    naik_coarse_solve solve = {.most = 0};
    if (coarse_fixture_create(t, size, NULL, false, 0, 0, NAIK_SINGLE, aggregate, VECTORS, &m) &&
        m.f.backend->ops->host_memory) {
        const double bound[RHS] = {1e3, 1e3, 0, 1e3, 1e3};
        coarse_make(t, &m, e);
        coarse_make(t, &m, b);
        CHECK_OK(t, naik_coarse_solver_create(m.op, RHS, 16, 0.5, &solver));
        double low[RHS] = {10, 1e3, 0, 1e3, 1e3};
        int lowered = 0;
        coarse_fill_random(t, &m, b);
        for (; lowered < 40 && solve.beyond == 0; lowered++) { /* until the first has no room */
            CHECK_OK(t, naik_coarse_solver_solve(solver, b, low, e, &solve));
            low[0] *= 0.7;
        }
        CHECK_TRUE(t, lowered > 2 && lowered < 40);
        CHECK_INT(t, solve.beyond, 1);
        for (int c = 0; c < RHS; c++) {
            CHECK_INT(t, solve.steps[c] > 0, c != 0 && c != 2);
        }
        int enlarged = 0;
        solve.beyond = 0;
        enlarge(&m, 5);
        for (; enlarged < 20 && solve.beyond == 0; enlarged++) {
            coarse_fill_random(t, &m, b);
            CHECK_OK(t, naik_coarse_solver_solve(solver, b, bound, e, &solve));
            enlarge(&m, 1.4);
        }
        CHECK_TRUE(t, enlarged > 2 && enlarged < 20);
        CHECK_TRUE(t, solve.beyond > 0 && solve.beyond <= 4);
        CHECK_TRUE(t, solve.most > 0); /* in a step, before b itself is too large */
        naik_coarse_solver_destroy(&solver);
        coarse_free(e);
        coarse_free(b);
    }
    coarse_fixture_destroy(&m);
}

/* ---- the smoother */

static void smoother_is_the_least_squares_polynomial(check *t)
{
    static const naik_rhs_mask all = {NULL, NAIK_RHS_IDLE};
    wilson_fixture f;
    naik_wilson *wilson = NULL;
    naik_field *v[5] = {NULL};
    naik_exactsum *sums = NULL;
    double *room = NULL, norm[2][2];
    naik_polynomial p;
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, mass, 1.1, false, &f));
    const naik_backend_ops *ops = f.backend->ops;
    CHECK_OK(t, naik_wilson_create(f.geometry, f.u, f.clover, mass, 0, NAIK_DOUBLE, 18, &wilson));
    CHECK_OK(t, naik_polynomial_fit(wilson, NAIK_ODD, 5, 7, &p));
    for (int i = 0; i < 5; i++) {
        CHECK_OK(t, naik_field_create_spin(f.geometry, NAIK_DOUBLE, NAIK_SPIN, 2, &v[i]));
    }
    CHECK_OK(t, naik_alloc(f.lat->comm->log, 4 * naik_lattice_vector_bytes(f.lat), "noise",
                           (void **)&room));
    CHECK_OK(t, naik_backend_alloc(f.backend, 2 * sizeof *sums, "sums", (void **)&sums));
    for (int c = 0; c < 2; c++) {
        CHECK_OK(t, naik_multigrid_noise(v[0], NAIK_ODD, c, 7, (uint32_t)c, room));
    }
    CHECK_OK(t, naik_polynomial_apply(&p, wilson, NAIK_ODD, v[0], v[1], v[2], v[3]));
    CHECK_OK(t, naik_wilson_schur(wilson, NAIK_ODD, false, &all, v[3], v[2], v[1], NULL));
    CHECK_OK(t, ops->field.axpy(-1, v[0], v[1]));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(t, ops->reduction.clear(f.backend, sums, 2));
        CHECK_OK(t, ops->reduction.dot(v[i], v[i], NULL, NAIK_RHS_IDLE, sums));
        CHECK_OK(t, ops->reduction.over_ranks(f.backend, sums, 2));
        CHECK_OK(t, ops->reduction.values(f.backend, sums, 2, norm[i]));
    }
    const double whole = norm[0][0] + norm[0][1];
    const double rest = norm[1][0] + norm[1][1];
    /* of the same noise, and by powers, not by Horner's rule */
    CHECK_NEAR(t, sqrt(rest / whole), p.left, 1e-9);
    CHECK_TRUE(t, p.left < 0.3);
    naik_backend_release(f.backend, sums);
    naik_free(room);
    for (int i = 0; i < 5; i++) {
        naik_field_destroy(&v[i]);
    }
    naik_wilson_destroy(&wilson);
    wilson_fixture_destroy(&f);
}

static naik_status nothing(void *data, naik_parity parity, const naik_field *r, const double *norm,
                           naik_field *z, int32_t *steps)
{
    (void)data;
    (void)parity;
    (void)norm;
    (void)steps;
    return r->geometry->backend->ops->field.copy(z, r, NULL, NAIK_RHS_IDLE);
}

/* |v|^2 of rhs c on even sites. */
static double norm2_of(check *t, const wilson_fixture *f, const naik_field *v, int c)
{
    wilson_spinor *host = wilson_ref_field(f->lat->volume);
    double sum = 0;
    wilson_fixture_take(t, f, v, NAIK_EVEN, c, host);
    for (int64_t i = 0; i < 12 * f->lat->volume; i++) {
        sum += pow(cabs(((double complex *)host)[i]), 2);
    }
    free(host);
    return sum;
}

/* What GCR with as many steps leaves of the same noise, to whose columns it fits complex numbers each, is less,
 * but not much. The quark is light: rounding of vectors in single is far below what is left. */
static void smoother_is_as_good_as_gcr(check *t)
{
    enum { STEPS = 8 };
    static const naik_preconditioner none = {.apply = nothing};
    static const double light = -1.5;
    wilson_fixture f;
    naik_wilson *wilson[2] = {NULL};
    naik_mh mh = {.scratch = NULL};
    naik_gcr *gcr = NULL;
    naik_polynomial p;
    double *room = NULL, left = 0, whole = 0;
    naik_gcr_step step = {.parity = NAIK_EVEN, .preconditioner = &none, .active = {true, true}};
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, light, 1.1, false, &f));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(t, naik_wilson_create(f.geometry, f.u, f.clover, light, 0,
                                       i == 0 ? NAIK_DOUBLE : NAIK_SINGLE, 18, &wilson[i]));
    }
    CHECK_OK(t, naik_polynomial_fit(wilson[0], NAIK_EVEN, STEPS, 7, &p));
    CHECK_OK(t, naik_mh_create(wilson[1], NAIK_SINGLE, 2, &mh));
    CHECK_OK(t, naik_gcr_create(f.geometry, NAIK_SINGLE, NAIK_SPIN, 2, STEPS + 1, &gcr));
    CHECK_OK(t, naik_alloc(f.lat->comm->log, 4 * naik_lattice_vector_bytes(f.lat), "noise",
                           (void **)&room));
    const naik_operator op = naik_mh_of(&mh);
    step.op = &op;
    step.r = wilson_fixture_zero(t, &f, NAIK_SINGLE, 2);
    step.x = wilson_fixture_zero(t, &f, NAIK_SINGLE, 2);
    for (int c = 0; c < 2; c++) {
        CHECK_OK(t, naik_multigrid_noise(step.r, NAIK_EVEN, c, 7, (uint32_t)c, room));
        step.rr[c] = norm2_of(t, &f, step.r, c);
        whole += step.rr[c];
    }
    naik_gcr_begin(gcr, 2);
    for (int k = 0; k < STEPS; k++) {
        CHECK_OK(t, naik_gcr_iterate(gcr, &step));
    }
    for (int c = 0; c < 2; c++) { /* r itself, not what the steps' scalars say of it */
        left += norm2_of(t, &f, step.r, c);
    }
    left = sqrt(left / whole);
    CHECK_TRUE(t, left > 0.01);
    CHECK_NEAR(t, p.left / left, 1.05, 0.06);
    naik_field_destroy(&step.r);
    naik_field_destroy(&step.x);
    naik_gcr_destroy(&gcr);
    naik_mh_destroy(&mh);
    naik_free(room);
    naik_wilson_destroy(&wilson[0]);
    naik_wilson_destroy(&wilson[1]);
    wilson_fixture_destroy(&f);
}

/* ---- the cycle: where P holds everything, its coarse lattice solves Mh x = r */

static void a_cycle_solves_where_nothing_is_left_out(check *t)
{
    static const int tiny[4] = {4, 4, 4, 4}, aggregate[4] = {2, 2, 1, 2};
    enum { EVERYTHING = 48 }; /* 6 components of 8 sites, of each chirality */
    naik_multigrid_parameters parameters = naik_multigrid_defaults();
    naik_polynomial smoother[2];
    naik_cycle *cycle = NULL;
    coarse_fixture m;
    naik_field *z = NULL, *r = NULL;
    if (t->comm->size > 1) {
        CHECK_SKIP(t, "one rank is enough");
    }
    parameters.vectors = EVERYTHING;
    parameters.coarse_tolerance = 1e-6;
    if (coarse_fixture_create(t, tiny, NULL, false, 1.0, 0, NAIK_SINGLE, aggregate, EVERYTHING,
                              &m)) {
        for (int parity = 0; parity < 2; parity++) {
            smoother[parity] = (naik_polynomial){.count = 2, .c = {1, 0}};
        }
        CHECK_OK(t, naik_cycle_create(m.wilson, m.p, m.op, smoother, 2, &parameters, &cycle));
        r = wilson_fixture_field(t, &m.f, NAIK_SINGLE, 2, 3, NAIK_EVEN);
        z = wilson_fixture_zero(t, &m.f, NAIK_SINGLE, 2);
        int32_t steps[2] = {0, 0};
        CHECK_OK(t, naik_cycle_apply(cycle, NAIK_EVEN, r, (const double[2]){200, 200}, z, steps));
        CHECK_TRUE(t, steps[0] > 0 && steps[1] > 0);
        CHECK_TRUE(t, cycle->steps >= steps[0] && cycle->steps >= steps[1]);
        CHECK_TRUE(t, cycle->cycles == 1 && cycle->beyond == 0);
        /* what is left of r after it */
        naik_field_set_nrhs(m.field[0], 2);
        naik_field_set_nrhs(m.field[1], 2);
        CHECK_OK(t, naik_wilson_schur_affine(m.wilson, NAIK_EVEN, NULL, -1, z, 1, r, m.field[1],
                                             m.field[0], NULL));
        wilson_spinor *left = wilson_ref_field(m.f.lat->volume);
        wilson_spinor *whole = wilson_ref_field(m.f.lat->volume);
        wilson_spinor *none = wilson_ref_field(m.f.lat->volume);
        for (int c = 0; c < 2; c++) {
            wilson_fixture_take(t, &m.f, r, NAIK_EVEN, c, whole);
            wilson_fixture_take(t, &m.f, m.field[0], NAIK_EVEN, c, left);
            for (int64_t i = 0; i < m.f.lat->volume; i++) { /* |r - left| would be |r| */
                for (int k = 0; k < 12; k++) {
                    none[i][k / 3][k % 3] = whole[i][k / 3][k % 3] + left[i][k / 3][k % 3];
                }
            }
            CHECK_NEAR(t, wilson_fixture_difference(&m.f, none, whole, NAIK_EVEN), 0, 1e-4);
        }
        free(left);
        free(whole);
        free(none);
        if (m.f.backend->ops->host_memory) { /* right-hand sides without room are counted */
            enlarge(&m, 100);
            CHECK_OK(t, naik_cycle_apply(cycle, NAIK_EVEN, r, (const double[2]){200, 0}, z, NULL));
            CHECK_TRUE(t, cycle->cycles == 2 && cycle->beyond == 1);
        }
        naik_field_destroy(&r);
        naik_field_destroy(&z);
        naik_cycle_destroy(&cycle);
    }
    coarse_fixture_destroy(&m);
}

/* ---- one aggregate, the whole lattice: no hop leaves it */

static void one_aggregate_is_the_dense_product(check *t)
{
    if (t->comm->size > 1) {
        CHECK_SKIP(t, "an aggregate does not lie on two ranks");
    }
    static const int grid[4] = {1, 1, 1, 1};
    galerkin_with(t, size, grid, 1.2, 0.2, 1e-5, NAIK_SINGLE, size);
}

/* ---- refusals */

/* Whether the last refusal has this text, on the rank that says it; clears it. */
static bool said(check *t, const char *text)
{
    const bool has = strstr(naik_log_message(t->log), text) != NULL;
    naik_log_clear(t->log);
    return has;
}

static void grids_without_whole_aggregates_are_refused(check *t)
{
    static const int extents[4] = {4, 4, 4, 12}, grid[4] = {1, 1, 1, 2}, any[4] = {0};
    wilson_fixture f;
    naik_aggregates *a = NULL;
    if (t->comm->size != 2) {
        CHECK_SKIP(t, "for two ranks");
    }
    const int asked[4] = {2, 2, 2, 4};
    CHECK_REQUIRE(t, wilson_fixture_create(t, extents, grid, false, 0, mass, 0, false, &f));
    CHECK_TRUE(t, naik_aggregates_create(f.geometry, asked, &a) == NAIK_ERR_INPUT && a == NULL);
    CHECK_TRUE(t, said(t, "aggregates of 4 sites along t do not cut a lattice of 4x4x4x12 into"));
    CHECK_OK(t, naik_aggregates_create(f.geometry, any, &a));
    naik_aggregates_destroy(&a);
    wilson_fixture_destroy(&f);
}

static void vectors_and_messages_that_halos_do_not_hold_are_refused(check *t)
{
    static const int grid[3][4] = {{1, 1, 1, 1}, {1, 1, 1, 2}, {1, 1, 2, 2}};
    static const int aggregate[4] = {2, 2, 2, 4};
    coarse_fixture m;
    naik_coarse *fits[2], *wide = NULL;
    naik_coarse_halo *halo = NULL;
    if (coarse_fixture_create(t, size, grid[t->comm->size / 2], false, 0, 0, NAIK_SINGLE, aggregate,
                              VECTORS, &m)) {
        coarse_make(t, &m, fits);
        CHECK_OK(t, naik_coarse_exchange(m.halo, fits[0], NAIK_EVEN));
        CHECK_OK(t, naik_coarse_create(m.a, 2 * NAIK_MG_VECTORS_MOST, RHS, &wide));
        CHECK_TRUE(t, naik_coarse_exchange(m.halo, wide, NAIK_EVEN) == NAIK_ERR_ARG &&
                          said(t, "a site has no room in a halo for"));
        const bool messages = t->comm->size > 1 && !m.f.backend->route.peer;
        const naik_status large =
            messages ? naik_coarse_halo_create(m.a, 1 << 28, RHS, &halo) : NAIK_ERR_ARG;
        CHECK_TRUE(t, large == NAIK_ERR_ARG && halo == NULL);
        CHECK_TRUE(t, !messages || said(t, "is larger than a message of MPI"));
        naik_coarse_destroy(&wide);
        coarse_free(fits);
    }
    coarse_fixture_destroy(&m);
}

CHECK_MAIN(CHECK(columns_are_orthonormal), CHECK(coarse_operator_is_the_galerkin_product),
           CHECK(one_aggregate_is_the_dense_product),
           CHECK(coarse_solver_solves_the_coarse_operator),
           CHECK(low_vectors_take_their_part_of_the_steps),
           CHECK_UP_TO(1, a_coarse_operator_that_is_too_large_is_noticed),
           CHECK_UP_TO(1, smoother_is_the_least_squares_polynomial),
           CHECK_ALONE(smoother_is_as_good_as_gcr),
           CHECK_UP_TO(1, a_cycle_solves_where_nothing_is_left_out),
           CHECK(grids_without_whole_aggregates_are_refused),
           CHECK_UP_TO(2, vectors_and_messages_that_halos_do_not_hold_are_refused))
