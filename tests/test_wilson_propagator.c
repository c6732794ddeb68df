/* test_wilson_propagator.c - propagators of Wilson, clover and twisted-mass quarks, and what is said of them
 *
 * ranks: 1 2
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exactsum.h"
#include "comm/collective.h"
#include "propagator/propagator.h"
#include "solver/bicgstab.h"
#include "wilson_fixture.h"
#include "wilson_solve_ref.h"

enum { COLUMNS = 12 };
static const int size[4] = {4, 4, 4, 8};
static const double mass = -0.4, csw = 1.1;

/* Columns from a point, or gaussian sources on all sites. */
typedef struct run {
    check *t;
    const wilson_fixture *f;
    bool everywhere;
    int at[4];
    wilson_spinor *x[COLUMNS]; /* whole lattices; this rank's sites */
    naik_propagator_result result[COLUMNS];
} run;

static wilson_spinor *source_of(const run *r, int64_t column)
{
    if (r->everywhere) {
        return wilson_fixture_random(r->f, 500 + (uint64_t)column);
    }
    wilson_spinor *src = wilson_ref_field(r->f->lat->volume);
    src[wilson_ref_site(r->f->ref, r->at)][column / 3][column % 3] = 1;
    return src;
}

/* This rank's sites, in local order, of a whole lattice. */
static void local_of(const naik_lattice *lat, const wilson_spinor *whole, wilson_spinor *mine)
{
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[4];
        naik_lattice_coords(lat, site, x);
        memcpy(mine[site], whole[naik_lattice_global(lat, x)], sizeof *mine);
    }
}

static naik_status source(void *data, int64_t index, double *src, double *m, double *tolerance,
                          double *site_tolerance)
{
    const run *r = data;
    wilson_spinor *whole = source_of(r, index);
    local_of(r->f->lat, whole, (wilson_spinor *)src);
    free(whole);
    *m = r->f->mass;
    *tolerance = 1e-11;
    *site_tolerance = 0;
    return NAIK_OK;
}

static naik_status solution(void *data, int64_t index, const double *x,
                            const naik_propagator_result *result)
{
    run *r = data;
    r->x[index] = wilson_ref_field(r->f->lat->volume);
    r->result[index] = *result;
    return wilson_ref_collect(r->f->lat, x, r->x[index]);
}

/* All columns; the answers to be freed by the caller. */
static void solve(run *r, naik_method method, naik_precision fastest, double tolerance_full)
{
    check *t = r->t;
    const naik_precision vectors = fastest == NAIK_DOUBLE ? NAIK_DOUBLE : NAIK_SINGLE;
    const naik_solver_options options = naik_solver_defaults();
    naik_operator_set set;
    naik_solver *solver = NULL;
    bool interrupted = true;
    const naik_propagator_stream stream = {.data = r,
                                           .count = COLUMNS,
                                           .source = source,
                                           .solution = solution,
                                           .tolerance_full = tolerance_full};
    if (CHECK_OK(t,
                 naik_operator_set_thin(r->f->geometry, r->f->u, r->f->clover, r->f->mass,
                                        r->f->twisted_mass, fastest, 18, vectors, COLUMNS, &set)) &&
        CHECK_OK(
            t, naik_solver_create(naik_method_solver(method), set.op, vectors, COLUMNS, &solver))) {
        CHECK_OK(t, naik_propagator_solve(&set.op[NAIK_DOUBLE], solver, &options, &stream,
                                          &interrupted));
        CHECK_TRUE(t, !interrupted);
    }
    naik_solver_destroy(&solver);
    naik_operator_set_destroy(&set);
}

static void free_run(run *r)
{
    for (int i = 0; i < COLUMNS; i++) {
        free(r->x[i]);
        r->x[i] = NULL;
    }
}

/* What is said of a column, and the reference's residual of it. */
static void check_column(run *r, int i)
{
    check *t = r->t;
    const naik_propagator_result *result = &r->result[i];
    CHECK_INT(t, result->cg.reason, NAIK_SOLVER_CONVERGED);
    CHECK_TRUE(t, !result->suspect && result->cg.residual <= 1e-11 && result->norm > 0);
    CHECK_NEAR(t, result->independent_residual, result->cg.residual,
               1e-3 * result->cg.residual + 1e-14);
    if (r->x[i] != NULL) {
        wilson_spinor *src = source_of(r, i);
        const double residual = wilson_ref_residual(r->f->ref, src, r->x[i]);
        CHECK_NEAR(t, result->source_residual, residual, 1e-3 * residual + 1e-14);
        CHECK_NEAR(t, result->norm, sqrt(creal(wilson_ref_dot(r->f->ref, r->x[i], r->x[i]))), 1e-9);
        free(src);
    }
}

static void columns_solve_the_whole_system(check *t)
{
    static const double twisted_mass[] = {0, 0, 0, 0, 0, 0, 0.3, -0.2};
    for (int kind = 0; kind < 8; kind++) {
        wilson_fixture f;
        if (!wilson_fixture_create_twisted(t, size, NULL, false, 0, mass, twisted_mass[kind],
                                           kind % 2 * csw, true, &f)) {
            wilson_fixture_destroy(&f);
            return;
        }
        run r = {.t = t, .f = &f, .everywhere = kind >= 4, .at = {1, 2, 3, kind % 4}};
        solve(&r, kind == 2 || kind == 6 ? NAIK_METHOD_CG : NAIK_METHOD_BICGSTAB,
              kind < 2 ? NAIK_SINGLE : NAIK_DOUBLE, 0);
        for (int i = 0; i < COLUMNS; i++) {
            check_column(&r, i);
            CHECK_INT(t, r.result[i].parity, r.everywhere ? NAIK_EVEN : naik_parity_of(r.at));
        }
        free_run(&r);
        wilson_fixture_destroy(&f);
    }
}

static void a_propagator_is_that_of_the_reference(check *t)
{
    wilson_fixture f;
    wilson_spinor *column[COLUMNS] = {NULL};
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, mass, csw, true, &f));
    run r = {.t = t, .f = &f, .at = {1, 0, 2, 4}};
    CHECK_TRUE(t, wilson_ref_propagator(f.ref, r.at, 1e-12, column) < 1e-10);
    solve(&r, NAIK_METHOD_BICGSTAB, NAIK_HALF, 0);
    for (int i = 0; i < COLUMNS && r.x[i] != NULL; i++) {
        for (int parity = 0; parity < 2; parity++) {
            CHECK_NEAR(t, wilson_fixture_difference(&f, r.x[i], column[i], (naik_parity)parity), 0,
                       1e-9);
        }
    }
    wilson_ref_columns_free(column);
    free_run(&r);
    wilson_fixture_destroy(&f);
}

/* Unit links, antiperiodic, kappa 0.12: the Fourier sum, sum |S|^2 of t = 0 to 4. */
static void a_free_pion_is_its_fourier_sum(check *t)
{
    static const double known[] = {0.82892144092811, 0.0688774557961735, 0.0320695681044772,
                                   0.0255968239761578, 0.0241588349909568};
    wilson_fixture f;
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, 1.0 / 6, 0, true, &f));
    naik_gauge_set_unit(f.u);
    naik_gauge_apply_boundary(f.u);
    for (int single = 0; single < 2; single++) {
        run r = {.t = t, .f = &f};
        double pion[8] = {0};
        solve(&r, NAIK_METHOD_BICGSTAB, single ? NAIK_SINGLE : NAIK_DOUBLE, 0);
        for (int i = 0; i < COLUMNS && r.x[i] != NULL; i++) {
            for (int64_t k = 0; k < 12 * f.lat->volume; k++) {
                const double complex z = r.x[i][k / 12][k / 3 % 4][k % 3];
                pion[k / 12 / 64] += creal(z * conj(z));
            }
        }
        for (int i = 0; i < 8; i++) {
            CHECK_NEAR(t, pion[i], known[i <= 4 ? i : 8 - i], 1e-10);
        }
        free_run(&r);
    }
    wilson_fixture_destroy(&f);
}

/* A column of the propagator of free quarks from a point, antiperiodic in t:
 *
 *   S(d) = 1/V sum_p e^{ipd} (W - i sum g sin p - i mu g5) / (W^2 + sum sin^2 p + mu^2),
 *   W = m + sum (1 - cos p) */
static void free_column(const wilson_fixture *f, const int at[4], int column, wilson_spinor *out)
{
    const wilson_ref *w = f->ref;
    for (int64_t k = 0; k < w->volume; k++) {
        int n[4];
        double p[4], wilson = f->mass, squares = f->twisted_mass * f->twisted_mass;
        wilson_spinor source = {{0}}, g, top;
        wilson_ref_coords(w, k, n);
        source[column / 3][column % 3] = 1;
        wilson_spin_apply(wilson_gamma[4], (const double complex(*)[3])source, g);
        for (int i = 0; i < 12; i++) {
            top[i / 3][i % 3] = -I * f->twisted_mass * g[i / 3][i % 3];
        }
        for (int mu = 0; mu < 4; mu++) {
            p[mu] = 2 * acos(-1) * (n[mu] + (mu == 3 ? 0.5 : 0)) / w->size[mu];
            wilson += 1 - cos(p[mu]);
            squares += sin(p[mu]) * sin(p[mu]);
            wilson_spin_apply(wilson_gamma[mu], (const double complex(*)[3])source, g);
            for (int i = 0; i < 12; i++) {
                top[i / 3][i % 3] -= I * sin(p[mu]) * g[i / 3][i % 3];
            }
        }
        top[column / 3][column % 3] += wilson;
        for (int64_t site = 0; site < w->volume; site++) {
            int x[4];
            double angle = 0;
            wilson_ref_coords(w, site, x);
            for (int mu = 0; mu < 4; mu++) {
                angle += p[mu] * (x[mu] - at[mu]);
            }
            const double complex wave =
                cexp(I * angle) / ((wilson * wilson + squares) * (double)w->volume);
            for (int i = 0; i < 12; i++) {
                out[site][i / 3][i % 3] += wave * top[i / 3][i % 3];
            }
        }
    }
}

/* Every spin of a source, and of a sink, on unit links, where the clover term is zero. */
static void free_twisted_quarks_are_their_fourier_sum(check *t)
{
    static const double twisted_mass[] = {0.4, -0.9};
    for (int kind = 0; kind < 2; kind++) {
        wilson_fixture f;
        CHECK_REQUIRE(t, wilson_fixture_create_twisted(t, size, NULL, false, 0, 0.1,
                                                       twisted_mass[kind], 0, true, &f));
        naik_gauge_set_unit(f.u);
        naik_gauge_apply_boundary(f.u);
        if (kind == 1) {
            CHECK_OK(t, naik_clover_create(f.u, naik_backend_device(f.backend), f.mass,
                                           f.twisted_mass, csw, &f.clover));
        }
        run r = {.t = t, .f = &f, .at = {1, 0, 2, 5}};
        solve(&r, kind == 0 ? NAIK_METHOD_BICGSTAB : NAIK_METHOD_CG, NAIK_SINGLE, 0);
        for (int i = 0; i < COLUMNS && r.x[i] != NULL; i += 4) {
            wilson_spinor *expected = wilson_ref_field(f.lat->volume);
            free_column(&f, r.at, i, expected);
            for (int parity = 0; parity < 2; parity++) {
                CHECK_NEAR(t, wilson_fixture_difference(&f, r.x[i], expected, (naik_parity)parity),
                           0, 1e-10);
            }
            free(expected);
        }
        free_run(&r);
        wilson_fixture_destroy(&f);
    }
}

/* S_mu(x, y)^+ = g5 S_-mu(y, x) g5: a contraction of one propagator with the conjugate of itself is
 * that of the two flavours of a doublet, with the conjugate of -mu that of one flavour. */
static void the_other_flavour_is_the_adjoint_between_g5(check *t)
{
    static const int x[4] = {1, 0, 2, 4}, y[4] = {0, 3, 2, 6};
    wilson_fixture f, other;
    bool ok = wilson_fixture_create_twisted(t, size, NULL, false, 0, mass, 0.3, csw, true, &f);
    ok =
        wilson_fixture_create_twisted(t, size, NULL, false, 0, mass, -0.3, csw, true, &other) && ok;
    CHECK_REQUIRE(t, ok);
    run from_y = {.t = t, .f = &f}, from_x = {.t = t, .f = &other};
    memcpy(from_y.at, y, sizeof y);
    memcpy(from_x.at, x, sizeof x);
    solve(&from_y, NAIK_METHOD_BICGSTAB, NAIK_SINGLE, 0);
    solve(&from_x, NAIK_METHOD_BICGSTAB, NAIK_SINGLE, 0);
    for (int i = 0; i < 144 && from_y.x[11] != NULL && from_x.x[11] != NULL; i++) {
        const int row = i / 12, column = i % 12;
        const double sign = (row < 6) == (column < 6) ? 1 : -1;
        /* [to][from] */
        double complex forth = from_y.x[column][wilson_ref_site(f.ref, x)][row / 3][row % 3];
        double complex back = from_x.x[row][wilson_ref_site(f.ref, y)][column / 3][column % 3];
        double parts[] = {creal(forth), cimag(forth), creal(back), cimag(back)};
        naik_exactsum sum[4];
        for (int k = 0; k < 4; k++) { /* other ranks have 0 */
            naik_exactsum_clear(&sum[k]);
            naik_exactsum_add(&sum[k], parts[k]);
        }
        CHECK_OK(t, naik_comm_sum_exact(t->comm, sum, 4));
        for (int k = 0; k < 4; k++) {
            parts[k] = naik_exactsum_value(&sum[k]);
        }
        CHECK_NEAR(t, parts[0], sign * parts[2], 1e-10);
        CHECK_NEAR(t, parts[1], -sign * parts[3], 1e-10);
    }
    free_run(&from_y);
    free_run(&from_x);
    wilson_fixture_destroy(&f);
    wilson_fixture_destroy(&other);
}

/* A tolerance on the whole lattice holds there, whatever the parity's system would need. */
static void the_whole_residual_may_be_asked_for(check *t)
{
    for (int clover = 0; clover < 2; clover++) {
        wilson_fixture f;
        if (!wilson_fixture_create(t, size, NULL, false, 0, mass, clover * csw, true, &f)) {
            wilson_fixture_destroy(&f);
            return;
        }
        run r = {.t = t, .f = &f, .everywhere = true};
        solve(&r, NAIK_METHOD_BICGSTAB, NAIK_SINGLE, 1e-12);
        for (int i = 0; i < COLUMNS; i++) {
            CHECK_TRUE(t, r.result[i].source_residual <= 1e-12 && r.result[i].source_residual > 0);
        }
        free_run(&r);
        wilson_fixture_destroy(&f);
    }
}

CHECK_MAIN(CHECK(columns_solve_the_whole_system), CHECK(a_propagator_is_that_of_the_reference),
           CHECK(a_free_pion_is_its_fourier_sum), CHECK(free_twisted_quarks_are_their_fourier_sum),
           CHECK(the_other_flavour_is_the_adjoint_between_g5),
           CHECK(the_whole_residual_may_be_asked_for))
