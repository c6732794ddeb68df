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

static void galerkin_on_grid(check *t, const int extents[4], const int grid[4])
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        mg_fixture m;
        naik_coarse *e[2], *expected[2], *got[2];
        naik_field *out[2] = {NULL, NULL};
        if (naik_multigrid_fits(extents, operators[i].aggregate, grid) &&
            create(t, extents, grid, false, operators[i].csw, operators[i].mu,
                   operators[i].precision, operators[i].aggregate, VECTORS, &m)) {
            make_coarse(t, &m, e);
            make_coarse(t, &m, expected);
            make_coarse(t, &m, got);
            for (int c = 0; c < 2; c++) {
                CHECK_OK(t, naik_field_create_spin(m.f.geometry, NAIK_SINGLE, NAIK_SPIN,
                                                   NAIK_MG_BLOCK, &out[c]));
            }
            fill_random(t, &m, e);
            prolong_both(t, &m, e, m.field);
            apply_fine(t, &m, m.field, out, m.field[2]);
            restrict_both(t, &m, out, expected);
            CHECK_OK(t, naik_coarse_operator_apply(m.op, m.halo, e, got));
            CHECK_NEAR(t, difference(t, &m, got, expected), 0, operators[i].tolerance);
            free_coarse(e);
            free_coarse(expected);
            free_coarse(got);
            naik_field_destroy(&out[0]);
            naik_field_destroy(&out[1]);
            destroy(&m);
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

CHECK_MAIN(CHECK(columns_are_orthonormal), CHECK(coarse_operator_is_the_galerkin_product),
           CHECK(coarse_solver_solves_the_coarse_operator))
