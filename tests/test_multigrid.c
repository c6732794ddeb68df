/* test_multigrid.c - aggregates, P, the coarse operator and its solver, the smoother and the cycle
 *
 * ranks: 1 2 4
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "multigrid/setup.h"
#include "multigrid/vectors.h"
#include "wilson_fixture.h"

static const int size[4] = {4, 4, 8, 8};
static const double mass = 0.3;
enum { VECTORS = 6, RHS = 5 };

/* Aggregates of 2^4 on random links, P of noise, and what tests need beside. */
typedef struct mg_fixture {
    wilson_fixture f;
    naik_wilson *wilson;
    naik_aggregates *a;
    naik_transfer *made, *p;
    naik_coarse_operator *op;
    naik_coarse_halo *halo;
    naik_test_vectors vectors;
    naik_field *field[3];
    double *room;
} mg_fixture;

static bool create(check *t, const int extents[4], const int grid[4], bool alone, double csw,
                   double mu, naik_precision precision, const int aggregate[4], int vectors,
                   mg_fixture *m)
{
    naik_orthonormal met;
    *m = (mg_fixture){.room = NULL};
    if (!wilson_fixture_create_twisted(t, extents, grid, alone, 0, mass, mu, csw, false, &m->f)) {
        return false;
    }
    const naik_geometry *g = m->f.geometry;
    CHECK_OK(t, naik_wilson_create(g, m->f.u, m->f.clover, mass, mu, NAIK_SINGLE, 18, &m->wilson));
    if (naik_multigrid_of(g) == NULL) {
        t->skip = "this backend has no multigrid";
        return false;
    }
    CHECK_OK(t, naik_aggregates_create(g, aggregate, &m->a));
    CHECK_OK(t, naik_transfer_create(m->a, vectors, NAIK_SINGLE, &m->made));
    m->p = m->made;
    CHECK_OK(t, naik_test_vectors_create(g, vectors, &m->vectors));
    CHECK_OK(t, naik_alloc(m->f.lat->comm->log, 4 * naik_lattice_vector_bytes(m->f.lat), "noise",
                           (void **)&m->room));
    for (int b = 0; b < m->vectors.blocks; b++) {
        for (int c = 0; c < m->vectors.v[b][0]->nrhs; c++) {
            for (int parity = 0; parity < 2; parity++) {
                CHECK_OK(t, naik_multigrid_noise(m->vectors.v[b][parity], (naik_parity)parity, c, 7,
                                                 (uint32_t)(b * NAIK_MG_BLOCK + c), m->room));
            }
        }
    }
    CHECK_OK(t, naik_transfer_fill(m->made, (naik_field *const(*)[2])m->vectors.v,
                                   m->vectors.blocks, &met));
    CHECK_TRUE(t, met.replaced == 0);
    CHECK_TRUE(t, met.least > 1e-3 && met.least < 1);
    if (precision == NAIK_HALF) {
        m->p = NULL;
        CHECK_OK(t, naik_transfer_create(m->a, vectors, NAIK_HALF, &m->p));
        CHECK_OK(t, naik_multigrid_of(g)->compress(m->p, m->made));
    }
    for (int i = 0; i < 3; i++) {
        CHECK_OK(t, naik_field_create_spin(g, NAIK_SINGLE, NAIK_SPIN, NAIK_MG_BLOCK, &m->field[i]));
    }
    CHECK_OK(t, naik_coarse_operator_create(m->p, &m->op));
    CHECK_OK(t, naik_coarse_operator_fill(m->op, m->p, m->wilson, m->field));
    CHECK_OK(t, naik_coarse_halo_create(m->a, 2 * vectors, RHS, &m->halo));
    return !t->failed;
}

static void destroy(mg_fixture *m)
{
    naik_coarse_halo_destroy(&m->halo);
    naik_coarse_operator_destroy(&m->op);
    for (int i = 0; i < 3; i++) {
        naik_field_destroy(&m->field[i]);
    }
    naik_test_vectors_destroy(&m->vectors);
    if (m->p != m->made) {
        naik_transfer_destroy(&m->p);
    }
    naik_transfer_destroy(&m->made);
    naik_aggregates_destroy(&m->a);
    naik_wilson_destroy(&m->wilson);
    naik_free(m->room);
    wilson_fixture_destroy(&m->f);
}

static int components_of(const mg_fixture *m)
{
    return 2 * m->p->vectors;
}

static size_t coarse_numbers(const mg_fixture *m, int c)
{
    return (size_t)m->a->count[c] * (size_t)components_of(m) * 2;
}

static void make_coarse(check *t, const mg_fixture *m, naik_coarse *out[2])
{
    for (int c = 0; c < 2; c++) {
        out[c] = NULL;
        CHECK_OK(t, naik_coarse_create(m->a, components_of(m), RHS, &out[c]));
    }
}

static void free_coarse(naik_coarse *v[2])
{
    naik_coarse_destroy(&v[0]);
    naik_coarse_destroy(&v[1]);
}

/* Numbers by rhs, global coarse site and component. */
static void fill_random(check *t, const mg_fixture *m, naik_coarse *const v[2])
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->f.geometry);
    for (int c = 0; c < 2; c++) {
        double *host = malloc((coarse_numbers(m, c) + 1) * sizeof *host);
        for (int r = 0; r < RHS; r++) {
            for (int32_t i = 0; i < m->a->count[c] * components_of(m); i++) {
                float number[2];
                naik_mg_noise(m->a->global[c][i / components_of(m)], r, 3, i % components_of(m),
                              number);
                host[2 * i] = (double)number[0];
                host[2 * i + 1] = (double)number[1];
            }
            CHECK_OK(t, ops->coarse_from_host(v[c], (naik_parity)c, r, host));
        }
        free(host);
    }
}

/* |a - b| over |b|, of all rhs, over all ranks. */
static double difference(check *t, const mg_fixture *m, naik_coarse *const a[2],
                         naik_coarse *const b[2])
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->f.geometry);
    double sum[2] = {0, 0};
    for (int c = 0; c < 2; c++) {
        const size_t numbers = coarse_numbers(m, c);
        double *x = malloc((numbers + 1) * sizeof *x), *y = malloc((numbers + 1) * sizeof *y);
        for (int r = 0; r < RHS; r++) {
            CHECK_OK(t, ops->coarse_to_host(a[c], (naik_parity)c, r, x));
            CHECK_OK(t, ops->coarse_to_host(b[c], (naik_parity)c, r, y));
            for (size_t i = 0; i < numbers; i++) {
                sum[0] += (x[i] - y[i]) * (x[i] - y[i]);
                sum[1] += y[i] * y[i];
            }
        }
        free(x);
        free(y);
    }
    CHECK_OK(t, naik_comm_max_f64(m->f.lat->comm, sum, 2));
    return sqrt(sum[0] / sum[1]);
}

/* out = P^+ v, v on both parities. */
static void restrict_both(check *t, const mg_fixture *m, naik_field *const v[2],
                          naik_coarse *const out[2])
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->f.geometry);
    naik_coarse *part[2];
    double ones[NAIK_MG_WIDTH], b[NAIK_MG_WIDTH][2] = {{0}};
    make_coarse(t, m, part);
    for (int c = 0; c < NAIK_MG_WIDTH; c++) {
        ones[c] = b[c][0] = 1;
    }
    CHECK_OK(t, ops->restrict_to(m->p, NAIK_EVEN, v[0], out));
    CHECK_OK(t, ops->restrict_to(m->p, NAIK_ODD, v[1], part));
    for (int c = 0; c < 2; c++) {
        const naik_coarse *const one[1] = {part[c]};
        CHECK_OK(t, ops->update(out[c], (naik_parity)c, ones, one, 1, &b[0][0]));
    }
    free_coarse(part);
}

static void prolong_both(check *t, const mg_fixture *m, naik_coarse *const e[2],
                         naik_field *const v[2])
{
    const naik_coarse *const from[2] = {e[0], e[1]};
    for (int parity = 0; parity < 2; parity++) {
        naik_field_set_nrhs(v[parity], RHS);
        CHECK_OK(
            t,
            naik_multigrid_of(m->f.geometry)->prolong(m->p, (naik_parity)parity, from, v[parity]));
    }
}

/* ---- 1: P^+ P = 1 */

static void columns_on_grid(check *t, const int extents[4], const int grid[4])
{
    static const int aggregate[4] = {2, 2, 2, 4};
    mg_fixture m;
    naik_coarse *e[2], *back[2];
    if (create(t, extents, grid, false, 0, 0, NAIK_SINGLE, aggregate, VECTORS, &m)) {
        make_coarse(t, &m, e);
        make_coarse(t, &m, back);
        fill_random(t, &m, e);
        prolong_both(t, &m, e, m.field);
        restrict_both(t, &m, m.field, back);
        CHECK_NEAR(t, difference(t, &m, back, e), 0, 2e-6);
        free_coarse(e);
        free_coarse(back);
    }
    destroy(&m);
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
static void apply_fine(check *t, const mg_fixture *m, naik_field *const v[2],
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
    mg_fixture m;
    naik_coarse *e[2], *expected[2], *got[2];
    naik_field *out[2] = {NULL, NULL};
    if (create(t, extents, grid, false, csw, mu, precision, aggregate, VECTORS, &m)) {
        make_coarse(t, &m, e);
        make_coarse(t, &m, expected);
        make_coarse(t, &m, got);
        for (int c = 0; c < 2; c++) {
            CHECK_OK(t, naik_field_create_spin(m.f.geometry, NAIK_SINGLE, NAIK_SPIN, NAIK_MG_BLOCK,
                                               &out[c]));
        }
        fill_random(t, &m, e);
        prolong_both(t, &m, e, m.field);
        apply_fine(t, &m, m.field, out, m.field[2]);
        restrict_both(t, &m, out, expected);
        CHECK_OK(t, naik_coarse_operator_apply(m.op, m.halo, e, got));
        CHECK_NEAR(t, difference(t, &m, got, expected), 0, tolerance);
        free_coarse(e);
        free_coarse(expected);
        free_coarse(got);
        naik_field_destroy(&out[0]);
        naik_field_destroy(&out[1]);
    }
    destroy(&m);
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
    mg_fixture m;
    naik_coarse *e[2], *b[2], *copy[2], *got[2];
    naik_coarse_solver *solver = NULL;
    naik_coarse_solve solve;
    if (create(t, extents, grid, false, 0, 0, NAIK_SINGLE, aggregate, VECTORS, &m)) {
        const double bound[RHS] = {100, 100, 100, 100, 100};
        make_coarse(t, &m, e);
        make_coarse(t, &m, b);
        make_coarse(t, &m, copy);
        make_coarse(t, &m, got);
        fill_random(t, &m, b);
        fill_random(t, &m, copy);
        CHECK_OK(t, naik_coarse_solver_create(m.op, RHS, 16, 1e-5, &solver));
        CHECK_OK(t, naik_coarse_solver_solve(solver, b, bound, e, &solve));
        CHECK_TRUE(t, solve.most > 2 && solve.most < 100);
        CHECK_OK(t, naik_coarse_operator_apply(m.op, m.halo, e, got));
        CHECK_NEAR(t, difference(t, &m, got, copy), 0, 3e-5);
        naik_coarse_solver_destroy(&solver);
        free_coarse(e);
        free_coarse(b);
        free_coarse(copy);
        free_coarse(got);
    }
    destroy(&m);
}

static void coarse_solver_solves_the_coarse_operator(check *t)
{
    fixture_for_grids(t, size, 2, solve_on_grid);
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
        CHECK_OK(t, ops->reduction.dot(v[i], v[i], sums));
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

/* ---- the cycle: where P holds everything, its coarse lattice solves Mh x = r */

static void a_cycle_solves_where_nothing_is_left_out(check *t)
{
    static const int tiny[4] = {4, 4, 4, 4}, aggregate[4] = {2, 2, 1, 2};
    enum { EVERYTHING = 48 }; /* 6 components of 8 sites, of each chirality */
    naik_multigrid_parameters parameters = naik_multigrid_defaults();
    naik_polynomial smoother[2];
    naik_cycle *cycle = NULL;
    mg_fixture m;
    naik_field *z = NULL, *r = NULL;
    if (t->comm->size > 1) {
        CHECK_SKIP(t, "one rank is enough");
    }
    parameters.vectors = EVERYTHING;
    parameters.coarse_tolerance = 1e-6;
    if (create(t, tiny, NULL, false, 1.0, 0, NAIK_SINGLE, aggregate, EVERYTHING, &m)) {
        for (int parity = 0; parity < 2; parity++) {
            smoother[parity] = (naik_polynomial){.count = 2, .c = {1, 0}};
        }
        CHECK_OK(t, naik_cycle_create(m.wilson, m.p, m.op, smoother, 2, &parameters, &cycle));
        r = wilson_fixture_field(t, &m.f, NAIK_SINGLE, 2, 3, NAIK_EVEN);
        z = wilson_fixture_zero(t, &m.f, NAIK_SINGLE, 2);
        CHECK_OK(t, naik_cycle_apply(cycle, NAIK_EVEN, r, (const double[2]){200, 200}, z));
        /* what is left of r after it */
        naik_field_set_nrhs(m.field[0], 2);
        naik_field_set_nrhs(m.field[1], 2);
        CHECK_OK(
            t, naik_wilson_schur_affine(m.wilson, NAIK_EVEN, -1, z, 1, r, m.field[1], m.field[0]));
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
        naik_field_destroy(&r);
        naik_field_destroy(&z);
        naik_cycle_destroy(&cycle);
    }
    destroy(&m);
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
    CHECK_STATUS(t, naik_aggregates_create(f.geometry, asked, &a), NAIK_ERR_INPUT);
    CHECK_TRUE(t, a == NULL);
    CHECK_OK(t, naik_aggregates_create(f.geometry, any, &a));
    naik_aggregates_destroy(&a);
    wilson_fixture_destroy(&f);
}

CHECK_MAIN(CHECK(columns_are_orthonormal), CHECK(coarse_operator_is_the_galerkin_product),
           CHECK(one_aggregate_is_the_dense_product),
           CHECK(coarse_solver_solves_the_coarse_operator),
           CHECK_UP_TO(1, smoother_is_the_least_squares_polynomial),
           CHECK_UP_TO(1, a_cycle_solves_where_nothing_is_left_out),
           CHECK(grids_without_whole_aggregates_are_refused))
