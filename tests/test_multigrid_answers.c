/* test_multigrid_answers.c - what is known of coarse operators and of a cycle without solving anything
 *
 * ranks: 1
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "coarse_fixture.h"

static const int size[4] = {4, 4, 8, 8};
enum { VECTORS = 6, N = 2 * VECTORS };

/* Component n of a coarse site has this gamma5. */
static int sign_of(int n)
{
    return n < VECTORS ? 1 : -1;
}

/* ---- chirality */

/* gamma5 P = P gamma5: what one half of the components becomes has no other spins, to the last bit. */
static void chiralities_stay_apart(check *t)
{
    static const int aggregate[4] = {2, 2, 2, 4};
    coarse_fixture m;
    naik_coarse *e[2];
    if (coarse_fixture_create(t, size, NULL, false, 0, 0, NAIK_HALF, aggregate, VECTORS, &m)) {
        const naik_multigrid_ops *ops = naik_multigrid_of(m.f.geometry);
        wilson_spinor *v = wilson_ref_field(m.f.lat->volume);
        coarse_make(t, &m, e);
        for (int c = 0; c < 2; c++) {
            double *host = calloc(coarse_number_count(&m, c), sizeof *host);
            for (size_t i = 0; i < coarse_number_count(&m, c); i++) {
                host[i] = i / 2 % N < VECTORS ? 1 + (double)(i % 7) : 0;
            }
            CHECK_OK(t, ops->coarse_from_host(e[c], (naik_parity)c, 0, host));
            free(host);
        }
        coarse_prolong(t, &m, e, m.field);
        double kept = 0, strange = 0;
        for (int parity = 0; parity < 2; parity++) {
            wilson_fixture_take(t, &m.f, m.field[parity], (naik_parity)parity, 0, v);
        }
        for (int64_t site = 0; site < m.f.lat->volume; site++) {
            for (int i = 0; i < 12; i++) {
                *(i < 6 ? &kept : &strange) += cabs(v[site][i / 3][i % 3]);
            }
        }
        CHECK_TRUE(t, kept > 0 && strange == 0);
        free(v);
        coarse_free(e);
    }
    coarse_fixture_destroy(&m);
}

/* ---- gamma5-hermiticity */

typedef double complex coarse_matrix[N][N];

/* Matrix `which` of all sites of a parity, by its products with unit vectors. */
static coarse_matrix *matrices_of(check *t, const coarse_fixture *m, int which, int parity)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(m->f.geometry);
    const size_t numbers = coarse_number_count(m, parity), sites = numbers / (2 * N);
    coarse_matrix *out = calloc(sites, sizeof *out);
    double *host = calloc(numbers, sizeof *host);
    naik_coarse *in[2], *image[2];
    coarse_make(t, m, in);
    coarse_make(t, m, image);
    for (int column = 0; column < N; column++) {
        for (size_t i = 0; i < numbers; i++) {
            host[i] = i % 2 == 0 && (int)(i / 2 % N) == column;
        }
        CHECK_OK(t, ops->coarse_from_host(in[parity], (naik_parity)parity, 0, host));
        CHECK_OK(t,
                 ops->multiply(m->op->made, which, (naik_parity)parity, in[parity], image[parity]));
        CHECK_OK(t, ops->coarse_to_host(image[parity], (naik_parity)parity, 0, host));
        for (size_t i = 0; i < numbers / 2; i++) {
            out[i / N][i % N][column] = wilson_complex(host[2 * i], host[2 * i + 1]);
        }
    }
    coarse_free(in);
    coarse_free(image);
    free(host);
    return out;
}

/* The largest |a - g5 b^+ g5|, and of all |a|. */
static void compare_adjoint(const coarse_matrix a, const coarse_matrix b, double *worst,
                            double *most)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            const double complex expected = sign_of(i) * sign_of(j) * conj(b[j][i]);
            *worst = naik_worst(*worst, cabs(a[i][j] - expected));
            *most = naik_worst(*most, cabs(a[i][j]));
        }
    }
}

/* Y_-mu (X + mu) = g5 Y_mu (X)^+ g5, and X = g5 X^+ g5: so (w, g5 M_c v) = conj (v, g5 M_c w). */
static void matrices_are_gamma5_hermitian(check *t)
{
    static const int aggregate[4] = {2, 2, 2, 4};
    coarse_fixture m;
    if (coarse_fixture_create(t, size, NULL, false, 1.2, 0, NAIK_SINGLE, aggregate, VECTORS, &m)) {
        double worst = 0, most = 0;
        for (int c = 0; c < 2; c++) {
            coarse_matrix *x = matrices_of(t, &m, NAIK_MG_LOCAL, c);
            for (int32_t site = 0; site < m.a->count[c]; site++) {
                compare_adjoint(x[site], x[site], &worst, &most);
            }
            free(x);
            for (int mu = 0; mu < 4; mu++) {
                coarse_matrix *forward = matrices_of(t, &m, mu, c);
                coarse_matrix *backward = matrices_of(t, &m, mu + 4, !c);
                for (int32_t site = 0; site < m.a->count[c]; site++) {
                    const int32_t there = m.a->neighbour[c][site * NAIK_MG_POINTS + mu];
                    compare_adjoint(backward[there], forward[site], &worst, &most);
                }
                free(forward);
                free(backward);
            }
        }
        CHECK_TRUE(t, most > 0.5);
        CHECK_NEAR(t, worst / most, 0, 2e-6);
    }
    coarse_fixture_destroy(&m);
}

/* ---- unit links */

/* Of spins 0 and 1, and the same of 2 and 3: constant. */
static void constant(void *data, const coarse_fixture *m, int n, double *sites)
{
    (void)data;
    memset(sites, 0, (size_t)m->f.lat->sites * 24 * sizeof *sites);
    for (int32_t site = 0; site < m->f.lat->sites; site++) {
        sites[(size_t)site * 24 + 2 * (size_t)n] = sites[(size_t)site * 24 + 2 * (size_t)(n + 6)] =
            1;
    }
}

/* M_c e^ipX u = (m + sum_mu (1 - cos p_mu + i g_mu sin p_mu) / a_mu) e^ipX u, where a hop leaves an aggregate
 * from one site of a_mu. */
static void free_coarse_operator_knows_plane_waves(check *t)
{
    static const int aggregate[4] = {2, 2, 4, 4}, extents[4] = {4, 4, 8, 16};
    static const int waves[][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 1}, {1, 1, 0, 3}};
    const double mass = 0.07;
    coarse_fixture m;
    naik_coarse *in[2], *expected[2], *got[2];
    if (coarse_fixture_open(t, extents, NULL, false, mass, 0, 0, &m)) {
        naik_gauge_set_unit(m.f.u);
        coarse_fixture_fill(t, NAIK_SINGLE, aggregate, VECTORS, constant, NULL, &m);
        const naik_multigrid_ops *ops = naik_multigrid_of(m.f.geometry);
        coarse_make(t, &m, in);
        coarse_make(t, &m, expected);
        coarse_make(t, &m, got);
        for (int c = 0; c < 2; c++) {
            double *host = calloc(coarse_number_count(&m, c), sizeof *host);
            double *image = calloc(coarse_number_count(&m, c), sizeof *image);
            for (int w = 0; w < 4; w++) {
                for (int32_t site = 0; site < m.a->count[c]; site++) {
                    wilson_spinor u, v = {{0}};
                    int64_t place = m.a->global[c][site];
                    double angle = 0, p[4];
                    for (int mu = 0; mu < 4; mu++) {
                        p[mu] = 2 * acos(-1) * waves[w][mu] / m.a->size[mu];
                        angle += p[mu] * (double)(place % m.a->size[mu]);
                        place /= m.a->size[mu];
                    }
                    for (int i = 0; i < 12; i++) {
                        u[i / 3][i % 3] = (1 + 0.3 * i) * wilson_complex(cos(angle), sin(angle));
                        v[i / 3][i % 3] = mass * u[i / 3][i % 3];
                    }
                    for (int mu = 0; mu < 4; mu++) {
                        wilson_spinor turned;
                        wilson_spin_apply(wilson_gamma[mu], u, turned);
                        for (int i = 0; i < 12; i++) {
                            v[i / 3][i % 3] +=
                                ((1 - cos(p[mu])) * u[i / 3][i % 3] +
                                 wilson_complex(0, sin(p[mu])) * turned[i / 3][i % 3]) /
                                aggregate[mu];
                        }
                    }
                    memcpy(host + (size_t)site * 24, u, sizeof u);
                    memcpy(image + (size_t)site * 24, v, sizeof v);
                }
                CHECK_OK(t, ops->coarse_from_host(in[c], (naik_parity)c, w, host));
                CHECK_OK(t, ops->coarse_from_host(expected[c], (naik_parity)c, w, image));
            }
            free(host);
            free(image);
        }
        coarse_apply(t, &m, in, got);
        CHECK_NEAR(t, coarse_difference(t, &m, got, expected), 0, 2e-6);
        coarse_free(in);
        coarse_free(expected);
        coarse_free(got);
    }
    coarse_fixture_destroy(&m);
}

/* ---- gauge covariance */

static naik_complex times(naik_complex a, naik_complex b)
{
    return (naik_complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Vector n of numbers by site, turned by g where that is not NULL. */
static void turned_vector(void *data, const coarse_fixture *m, int n, double *sites)
{
    const naik_gauge *g = data;
    for (int32_t site = 0; site < m->f.lat->sites; site++) {
        naik_rng rng = naik_rng_at(19, (uint32_t)n, (uint64_t)site);
        for (int spin = 0; spin < 4; spin++) {
            naik_complex v[3];
            double *to = sites + (size_t)site * 24 + (size_t)spin * 6;
            for (int i = 0; i < 3; i++) {
                v[i].re = naik_rng_gaussian(&rng);
                v[i].im = naik_rng_gaussian(&rng);
            }
            for (int i = 0; i < 3; i++) {
                naik_complex sum = g == NULL ? v[i] : (naik_complex){0, 0};
                for (int j = 0; j < 3 && g != NULL; j++) {
                    const naik_complex part = times(g->link[4 * site].e[i][j], v[j]);
                    sum.re += part.re;
                    sum.im += part.im;
                }
                to[2 * i] = sum.re;
                to[2 * i + 1] = sum.im;
            }
        }
    }
}

/* U_mu(x) -> g(x) U_mu(x) g(x+mu)^+ */
static void turn_links(const naik_gauge *g, const naik_lattice *lat, naik_gauge *u)
{
    for (int32_t i = 0; i < 4 * lat->sites; i++) {
        int x[4];
        naik_lattice_coords(lat, i / 4, x);
        x[i % 4] = (x[i % 4] + 1) % lat->size[i % 4];
        const naik_matrix *here = &g->link[i / 4 * 4],
                          *there = &g->link[4 * naik_lattice_site(lat, x)];
        const naik_matrix link = u->link[i];
        for (int e = 0; e < 9; e++) {
            naik_complex sum = {0, 0};
            for (int ab = 0; ab < 9; ab++) {
                const naik_complex w = there->e[e % 3][ab % 3];
                const naik_complex part =
                    times(times(here->e[e / 3][ab / 3], link.e[ab / 3][ab % 3]),
                          (naik_complex){w.re, -w.im});
                sum.re += part.re;
                sum.im += part.im;
            }
            u->link[i].e[e / 3][e % 3] = sum;
        }
    }
}

static void a_gauge_transformation_does_not_change_coarse_matrices(check *t)
{
    static const int aggregate[4] = {2, 2, 2, 4};
    coarse_fixture m, turned;
    naik_gauge *g = NULL;
    naik_coarse *in[2], *a[2], *b[2];
    if (coarse_fixture_open(t, size, NULL, false, 0.3, 0, 0, &m) &&
        coarse_fixture_open(t, size, NULL, false, 0.3, 0, 0, &turned)) {
        CHECK_OK(t, naik_gauge_create(m.f.lat, &g));
        naik_gauge_set_random(g, 99);
        turn_links(g, turned.f.lat, turned.f.u);
        coarse_fixture_fill(t, NAIK_SINGLE, aggregate, VECTORS, turned_vector, NULL, &m);
        coarse_fixture_fill(t, NAIK_SINGLE, aggregate, VECTORS, turned_vector, g, &turned);
        coarse_make(t, &m, in);
        coarse_make(t, &m, a);
        coarse_fill_random(t, &m, in);
        coarse_apply(t, &m, in, a);
        coarse_make(t, &turned, b);
        naik_coarse *same[2];
        coarse_make(t, &turned, same);
        coarse_fill_random(t, &turned, same);
        coarse_apply(t, &turned, same, b);
        CHECK_NEAR(t, coarse_difference(t, &m, a, b), 0, 2e-6);
        coarse_free(in);
        coarse_free(same);
        coarse_free(a);
        coarse_free(b);
        naik_gauge_destroy(&g);
        coarse_fixture_destroy(&turned);
    }
    coarse_fixture_destroy(&m);
}

/* ---- the cycle is linear, where its coarse solve is exact */

/* out = 2.5 a - 0.3 i b */
static void combine(const wilson_spinor *a, const wilson_spinor *b, int64_t volume,
                    wilson_spinor *out)
{
    for (int64_t i = 0; i < volume * 12; i++) {
        ((double complex *)out)[i] = 2.5 * ((const double complex *)a)[i] +
                                     wilson_complex(0, -0.3) * ((const double complex *)b)[i];
    }
}

/* How far a cycle of the sum of two residuals is from the sum of their cycles. */
static double nonlinearity(check *t, const coarse_fixture *m, double tolerance)
{
    const naik_polynomial smoother[2] = {{.count = 3, .c = {1, 0.4, -0.2}},
                                         {.count = 3, .c = {1, 0.4, -0.2}}};
    const int64_t volume = m->f.lat->volume;
    naik_multigrid_parameters parameters = naik_multigrid_defaults();
    naik_cycle *cycle = NULL;
    wilson_spinor *v[3] = {wilson_fixture_random(&m->f, 3), wilson_fixture_random(&m->f, 4),
                           wilson_ref_field(volume)};
    naik_field *r = wilson_fixture_zero(t, &m->f, NAIK_SINGLE, 3);
    naik_field *z = wilson_fixture_zero(t, &m->f, NAIK_SINGLE, 3);
    double norm[3] = {0};
    parameters.vectors = VECTORS;
    parameters.coarse_tolerance = tolerance;
    CHECK_OK(t, naik_cycle_create(m->wilson, m->p, m->op, smoother, 3, &parameters, &cycle));
    combine(v[0], v[1], volume, v[2]);
    for (int c = 0; c < 3; c++) {
        for (int64_t i = 0; i < volume * 12; i++) {
            norm[c] += pow(cabs(((double complex *)v[c])[i]), 2);
        }
        norm[c] = sqrt(norm[c]);
        wilson_fixture_put(t, &m->f, v[c], NAIK_ODD, r, c);
    }
    CHECK_OK(t, naik_cycle_apply(cycle, NAIK_ODD, r, norm, z, NULL));
    for (int c = 0; c < 3; c++) {
        wilson_fixture_take(t, &m->f, z, NAIK_ODD, c, v[c]);
    }
    wilson_spinor *sum = wilson_ref_field(volume);
    combine(v[0], v[1], volume, sum);
    const double off = wilson_fixture_difference(&m->f, v[2], sum, NAIK_ODD);
    for (int c = 0; c < 3; c++) {
        free(v[c]);
    }
    free(sum);
    naik_field_destroy(&r);
    naik_field_destroy(&z);
    naik_cycle_destroy(&cycle);
    return off;
}

static void a_cycle_with_an_exact_coarse_solve_is_linear(check *t)
{
    static const int aggregate[4] = {2, 2, 4, 4};
    coarse_fixture m;
    if (coarse_fixture_open(t, size, NULL, false, 0.05, 0, 0, &m)) {
        naik_gauge_set_unit(m.f.u);
        coarse_fixture_fill(t, NAIK_HALF, aggregate, VECTORS, constant, NULL, &m);
        CHECK_NEAR(t, nonlinearity(t, &m, 1e-7), 0, 3e-6);
        CHECK_TRUE(t, nonlinearity(t, &m, 0.3) > 1e-4);
    }
    coarse_fixture_destroy(&m);
}

CHECK_MAIN(CHECK(chiralities_stay_apart), CHECK(matrices_are_gamma5_hermitian),
           CHECK(free_coarse_operator_knows_plane_waves),
           CHECK(a_gauge_transformation_does_not_change_coarse_matrices),
           CHECK(a_cycle_with_an_exact_coarse_solve_is_linear))
