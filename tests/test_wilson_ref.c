/* test_wilson_ref.c - the reference Wilson operator against what is known exactly
 *
 * ranks: 1
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check.h"
#include "wilson_ref.h"
#include "wilson_solve_ref.h"

static const int small[4] = {4, 6, 2, 4};

typedef struct links {
    naik_lattice *lat;
    naik_gauge *u;
} links;

/* Random links, or unit ones where seed = 0. */
static bool make_links(check *t, const int size[4], uint64_t seed, links *l)
{
    *l = (links){0};
    bool ok = CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &l->lat)) &&
              CHECK_OK(t, naik_gauge_create(l->lat, &l->u));
    if (ok && seed == 0) {
        naik_gauge_set_unit(l->u);
    } else if (ok) {
        naik_gauge_set_random(l->u, seed);
    }
    return ok;
}

static void free_links(links *l)
{
    naik_gauge_destroy(&l->u);
    naik_lattice_destroy(&l->lat);
}

static wilson_ref *make(check *t, const links *l, double mass, double csw)
{
    wilson_ref *w = NULL;
    CHECK_OK(t, wilson_ref_create(l->u, true, mass, 0, csw, &w));
    return w;
}

static wilson_spinor *random_field(const wilson_ref *w, uint64_t seed)
{
    wilson_spinor *v = wilson_ref_field(w->volume);
    for (int64_t x = 0; x < w->volume; x++) {
        naik_rng rng = naik_rng_at(seed, 0, (uint64_t)x);
        for (int i = 0; i < 12; i++) {
            const double re = naik_rng_gaussian(&rng);
            v[x][i / 3][i % 3] = wilson_complex(re, naik_rng_gaussian(&rng));
        }
    }
    return v;
}

static void multiply_everywhere(const wilson_ref *w, const wilson_spin gamma, wilson_spinor *v)
{
    for (int64_t x = 0; x < w->volume; x++) {
        wilson_spinor in;
        memcpy(in, v[x], sizeof in);
        wilson_spin_apply(gamma, in, v[x]);
    }
}

/* |a - b| / |b| */
static double distance(const wilson_ref *w, const wilson_spinor *a, const wilson_spinor *b)
{
    double difference = 0, norm = 0;
    for (int64_t i = 0; i < 12 * w->volume; i++) {
        const double complex here = ((const double complex *)b)[i];
        const double d = cabs(((const double complex *)a)[i] - here);
        difference += d * d;
        norm += cabs(here) * cabs(here);
    }
    return sqrt(difference / norm);
}

static void gamma_matrices_are_a_clifford_algebra(check *t)
{
    for (int mu = 0; mu < 4; mu++) {
        for (int nu = 0; nu < 4; nu++) {
            wilson_spin ab, ba;
            wilson_spin_multiply(wilson_gamma[mu], wilson_gamma[nu], ab);
            wilson_spin_multiply(wilson_gamma[nu], wilson_gamma[mu], ba);
            for (int i = 0; i < 16; i++) {
                const double expected = mu == nu && i % 5 == 0 ? 2 : 0;
                CHECK_TRUE(t, ab[i / 4][i % 4] + ba[i / 4][i % 4] == expected);
                CHECK_TRUE(t,
                           wilson_gamma[mu][i / 4][i % 4] == conj(wilson_gamma[mu][i % 4][i / 4]));
            }
        }
    }
    wilson_spin xy, xyz, g5;
    wilson_spin_multiply(wilson_gamma[0], wilson_gamma[1], xy);
    wilson_spin_multiply(xy, wilson_gamma[2], xyz);
    wilson_spin_multiply(xyz, wilson_gamma[3], g5);
    for (int i = 0; i < 16; i++) {
        CHECK_TRUE(t, g5[i / 4][i % 4] == wilson_gamma[4][i / 4][i % 4]);
        CHECK_TRUE(t, g5[i / 4][i % 4] == (i % 5 != 0 ? 0 : i < 10 ? 1 : -1));
    }
}

/* g5 M g5 = M^+, where M^+ is the sum with the signs of g_mu exchanged; and M^+ is the adjoint. */
static void operator_is_hermitian_between_g5(check *t)
{
    links l;
    CHECK_REQUIRE(t, make_links(t, small, 3, &l));
    for (int clover = 0; clover < 2; clover++) {
        wilson_ref *w = make(t, &l, -0.2, 1.3 * clover);
        CHECK_REQUIRE(t, w != NULL);
        wilson_spinor *a = random_field(w, 1), *b = random_field(w, 2);
        wilson_spinor *mb = wilson_ref_field(w->volume), *ma = wilson_ref_field(w->volume);
        wilson_ref_operator(w, WILSON_PLAIN, b, mb);
        wilson_ref_operator(w, WILSON_DAGGER, a, ma);
        const double complex ab = wilson_ref_dot(w, a, mb);
        CHECK_NEAR(t, cabs(ab - wilson_ref_dot(w, ma, b)) / cabs(ab), 0, 1e-13);
        wilson_spinor *g = wilson_ref_field(w->volume);
        multiply_everywhere(w, wilson_gamma[4], a);
        wilson_ref_operator(w, WILSON_PLAIN, a, g);
        multiply_everywhere(w, wilson_gamma[4], g);
        CHECK_NEAR(t, distance(w, g, ma), 0, 1e-15);
        free(a);
        free(b);
        free(ma);
        free(mb);
        free(g);
        wilson_ref_destroy(&w);
    }
    free_links(&l);
}

static void dslash_leads_from_even_sites_to_odd_ones(check *t)
{
    links l;
    CHECK_REQUIRE(t, make_links(t, small, 4, &l));
    wilson_ref *w = make(t, &l, 0.1, 0);
    CHECK_REQUIRE(t, w != NULL);
    wilson_spinor *in = random_field(w, 1), *out = wilson_ref_field(w->volume);
    int x[4];
    for (int64_t site = 0; site < w->volume; site++) {
        wilson_ref_coords(w, site, x);
        if (naik_parity_of(x) == 1) {
            memset(in[site], 0, sizeof *in);
        }
    }
    wilson_ref_dslash(w, WILSON_PLAIN, in, out);
    for (int64_t site = 0; site < w->volume; site++) {
        wilson_ref_coords(w, site, x);
        bool zero = true;
        for (int i = 0; i < 12; i++) {
            zero = zero && out[site][i / 3][i % 3] == 0;
        }
        CHECK_TRUE(t, zero == (naik_parity_of(x) == 0));
    }
    free(in);
    free(out);
    wilson_ref_destroy(&w);
    free_links(&l);
}

/* M e^{ipx} u = [ m + sum (1 - cos p) + i sum g sin p ] e^{ipx} u on unit links; the clover term is
 * zero there, and the boundary makes p_t half-integer. */
static void operator_acts_on_plane_waves(check *t)
{
    static const int size[4] = {4, 2, 6, 4};
    static const double complex u[12] = {1,       2 - I,  0.5 * I, -1, 3,           0.25 + I,
                                         2.5 * I, -I - 1, 1,       -2, 0.5 - 2 * I, I};
    const double mass = 0.17, pi = acos(-1);
    links l;
    CHECK_REQUIRE(t, make_links(t, size, 0, &l));
    wilson_ref *w = make(t, &l, mass, 1.5);
    CHECK_REQUIRE(t, w != NULL);
    wilson_spinor *in = wilson_ref_field(w->volume), *out = wilson_ref_field(w->volume);
    wilson_spinor *expected = wilson_ref_field(w->volume);
    for (int64_t k = 0; k < w->volume; k++) {
        int n[4];
        double p[4], diagonal = mass;
        wilson_spinor mu_u = {{0}};
        wilson_ref_coords(w, k, n);
        for (int mu = 0; mu < 4; mu++) {
            wilson_spinor gu;
            p[mu] = 2 * pi * (n[mu] + (mu == 3 ? 0.5 : 0)) / size[mu];
            diagonal += 1 - cos(p[mu]);
            wilson_spin_apply(wilson_gamma[mu], (const double complex(*)[3])u, gu);
            for (int i = 0; i < 12; i++) {
                mu_u[i / 3][i % 3] += I * sin(p[mu]) * gu[i / 3][i % 3];
            }
        }
        for (int64_t site = 0; site < w->volume; site++) {
            int x[4];
            wilson_ref_coords(w, site, x);
            const double complex wave =
                cexp(I * (p[0] * x[0] + p[1] * x[1] + p[2] * x[2] + p[3] * x[3]));
            for (int i = 0; i < 12; i++) {
                in[site][i / 3][i % 3] = wave * u[i];
                expected[site][i / 3][i % 3] = wave * (diagonal * u[i] + mu_u[i / 3][i % 3]);
            }
        }
        wilson_ref_operator(w, WILSON_PLAIN, in, out);
        CHECK_NEAR(t, distance(w, out, expected), 0, 1e-13);
    }
    free(in);
    free(out);
    free(expected);
    wilson_ref_destroy(&w);
    free_links(&l);
}

static void rotate(const naik_matrix *g, const wilson_spinor in, wilson_spinor out)
{
    for (int i = 0; i < 12; i++) {
        out[i / 3][i % 3] = 0;
        for (int j = 0; j < 3; j++) {
            const naik_complex e = g->e[i % 3][j];
            out[i / 3][i % 3] += wilson_complex(e.re, e.im) * in[i / 3][j];
        }
    }
}

/* U_mu(x) -> g(x) U_mu(x) g(x+mu)^+ */
static void transform(const wilson_ref *w, const naik_gauge *g, naik_gauge *u)
{
    for (int64_t x = 0; x < w->volume; x++) {
        for (int mu = 0; mu < 4; mu++) {
            int y[4];
            wilson_ref_coords(w, x, y);
            y[mu]++;
            const naik_matrix *here = &g->link[4 * x];
            const naik_matrix *ahead = &g->link[4 * wilson_ref_site(w, y)];
            double complex product[3][3] = {{0}};
            for (int i = 0; i < 81; i++) {
                const int a = i % 3, b = i / 3 % 3, c = i / 9 % 3, d = i / 27;
                const naik_complex p = here->e[a][b], q = u->link[4 * x + mu].e[b][c],
                                   r = ahead->e[d][c];
                product[a][d] += wilson_complex(p.re, p.im) * wilson_complex(q.re, q.im) *
                                 wilson_complex(r.re, -r.im);
            }
            for (int i = 0; i < 9; i++) {
                u->link[4 * x + mu].e[i / 3][i % 3] =
                    (naik_complex){creal(product[i / 3][i % 3]), cimag(product[i / 3][i % 3])};
            }
        }
    }
}

static void pion_of(check *t, const wilson_ref *w, double complex *corr)
{
    static const int origin[4] = {0}, at_rest[3] = {0};
    wilson_spinor *column[12];
    CHECK_TRUE(t, wilson_ref_propagator(w, origin, 1e-14, column) < 1e-12);
    wilson_ref_meson(w, column, wilson_gamma[4], wilson_gamma[4], at_rest, corr);
    wilson_ref_columns_free(column);
}

static void operator_is_gauge_covariant(check *t)
{
    static const int size[4] = {4, 2, 2, 4};
    links l, rotation;
    CHECK_REQUIRE(t, make_links(t, size, 5, &l) && make_links(t, size, 6, &rotation));
    const naik_gauge *g = rotation.u; /* its x-links */
    wilson_ref *before[2] = {make(t, &l, 0.3, 0), make(t, &l, 0.3, 1.1)};
    transform(before[0], g, l.u);
    wilson_ref *after[2] = {make(t, &l, 0.3, 0), make(t, &l, 0.3, 1.1)};
    for (int clover = 0; clover < 2; clover++) {
        const wilson_ref *w = before[clover];
        wilson_spinor *in = random_field(w, 7), *out = wilson_ref_field(w->volume);
        wilson_spinor *expected = wilson_ref_field(w->volume);
        double complex pion[2][4];
        wilson_ref_operator(w, WILSON_PLAIN, in, out);
        for (int64_t x = 0; x < w->volume; x++) {
            wilson_spinor old;
            rotate(&g->link[4 * x], out[x], expected[x]);
            memcpy(old, in[x], sizeof old);
            rotate(&g->link[4 * x], old, in[x]);
        }
        wilson_ref_operator(after[clover], WILSON_PLAIN, in, out);
        CHECK_NEAR(t, distance(w, out, expected), 0, 1e-14);
        pion_of(t, w, pion[0]);
        pion_of(t, after[clover], pion[1]);
        for (int i = 0; i < 4; i++) {
            CHECK_NEAR(t, creal(pion[0][i] / pion[1][i]), 1, 5e-13);
        }
        free(in);
        free(out);
        free(expected);
    }
    for (int clover = 0; clover < 2; clover++) {
        wilson_ref_destroy(&before[clover]);
        wilson_ref_destroy(&after[clover]);
    }
    free_links(&l);
    free_links(&rotation);
}

/* What becomes of C = 1/(m+4) and of hops in the leading order of kappa, on any gauge field:
 * in kappa normalisation C(0) = 12 + 144 kappa^2, C(t) = 6 (2 kappa)^(2t). */
static void heavy_quarks_hop_straight_on(check *t)
{
    static const int size[4] = {4, 4, 4, 6};
    const double kappa = 1e-3;
    links l;
    double complex pion[6];
    CHECK_REQUIRE(t, make_links(t, size, 8, &l));
    wilson_ref *w = make(t, &l, 1 / (2 * kappa) - 4, 0);
    CHECK_REQUIRE(t, w != NULL);
    pion_of(t, w, pion);
    const double unit = 1 / (4 * kappa * kappa);
    CHECK_NEAR(t, creal(pion[0]) * unit, 12 + 144 * kappa * kappa, 1e-8);
    for (int i = 1; i < 3; i++) {
        CHECK_NEAR(t, creal(pion[i]) * unit / (6 * pow(2 * kappa, 2 * i)), 1, 2e-4);
    }
    wilson_ref_destroy(&w);
    free_links(&l);
}

/* U_y(x) = diag(e^{i th x}, e^{-i th x}, 1), th = 2 pi n/nx: F_xy = i sin th diag(1, -1, 0), all
 * others 0. So C = -(csw/2) g_x g_y F_xy, and g_x g_y = -i diag(1, -1, 1, -1). */
static void clover_term_of_a_uniform_field_is_known(check *t)
{
    static const int size[4] = {6, 4, 2, 2};
    const double angle = 2 * acos(-1) / 6, csw = 1.7, mass = 0.2;
    links l;
    CHECK_REQUIRE(t, make_links(t, size, 0, &l));
    for (int64_t x = 0; x < l.lat->volume; x++) {
        const double phase = angle * (double)(x % 6);
        naik_matrix *u = &l.u->link[4 * x + 1];
        u->e[0][0] = (naik_complex){cos(phase), sin(phase)};
        u->e[1][1] = (naik_complex){cos(phase), -sin(phase)};
    }
    wilson_ref *w = make(t, &l, mass, csw);
    CHECK_REQUIRE(t, w != NULL);
    for (int64_t x = 0; x < w->volume; x++) {
        for (int i = 0; i < 144; i++) {
            const int row = i / 12, spin = row / 3, colour = row % 3;
            const double f = colour == 2 ? 0 : (colour == 0 ? 1 : -1) * sin(angle);
            const double c = csw / 2 * (spin % 2 == 0 ? -1 : 1) * f;
            const double complex expected = row == i % 12 ? mass + 4 + c : 0;
            CHECK_NEAR(t, cabs(w->diagonal[x][row][i % 12] - expected), 0, 1e-14);
        }
    }
    wilson_ref_destroy(&w);
    free_links(&l);
}

/* A is hermitian, commutes with g5, has the trace 12 (m + 4), and does not see the boundary. */
static void clover_term_is_two_hermitian_blocks(check *t)
{
    links l;
    wilson_ref *periodic = NULL;
    CHECK_REQUIRE(t, make_links(t, small, 9, &l));
    wilson_ref *w = make(t, &l, 0.4, 1);
    CHECK_OK(t, wilson_ref_create(l.u, false, 0.4, 0, 1, &periodic));
    CHECK_REQUIRE(t, w != NULL && periodic != NULL);
    for (int64_t x = 0; x < w->volume; x++) {
        double complex trace[2] = {0};
        for (int i = 0; i < 12; i++) {
            trace[i / 6] += w->diagonal[x][i][i];
            for (int j = 0; j < 12; j++) {
                const double complex here = w->diagonal[x][i][j];
                CHECK_NEAR(t, cabs(here - conj(w->diagonal[x][j][i])), 0, 1e-14);
                CHECK_NEAR(t, cabs(here - periodic->diagonal[x][i][j]), 0, 1e-14);
                CHECK_TRUE(t, i / 6 == j / 6 || here == 0);
                double complex unit = 0;
                for (int k = 0; k < 12; k++) {
                    unit += w->diagonal[x][i][k] * w->inverse[x][k][j];
                }
                CHECK_NEAR(t, cabs(unit - (i == j)), 0, 1e-13);
            }
        }
        CHECK_NEAR(t, cabs(trace[0] - 6 * 4.4), 0, 1e-13);
        CHECK_NEAR(t, cabs(trace[1] - 6 * 4.4), 0, 1e-13);
    }
    wilson_ref_destroy(&w);
    wilson_ref_destroy(&periodic);
    free_links(&l);
}

/* The solution of the Schur system, of either form on either parity, solves the whole one, and is
 * what conjugate gradients on the whole lattice get; Mh^+ is the adjoint of Mh. */
static void schur_complement_is_that_of_the_operator(check *t)
{
    links l;
    CHECK_REQUIRE(t, make_links(t, small, 10, &l));
    for (int code = 0; code < 8; code++) {
        wilson_ref *w = make(t, &l, 0.5, code & 4 ? 0.8 : 0);
        CHECK_REQUIRE(t, w != NULL);
        const wilson_schur s = {w, (naik_parity)(code & 1), (code & 2) != 0};
        wilson_spinor *src = random_field(w, 11), *a = random_field(w, 12);
        wilson_spinor *x = wilson_ref_field(w->volume), *y = wilson_ref_field(w->volume);
        wilson_spinor *b = wilson_ref_field(w->volume);
        CHECK_TRUE(t, wilson_ref_solve(&s, src, 1e-13, x) > 0);
        CHECK_NEAR(t, wilson_ref_residual(w, src, x), 0, 1e-12);
        CHECK_TRUE(t, wilson_ref_cg_whole(w, src, 1e-13, 1000, y) > 0);
        CHECK_NEAR(t, distance(w, x, y), 0, 1e-11);
        wilson_ref_schur_source(&s, src, b);
        CHECK_TRUE(t, wilson_ref_cgnr(&s, b, 1e-13, 1000, y) > 0);
        wilson_ref_schur_rebuild(&s, src, y);
        CHECK_NEAR(t, distance(w, x, y), 0, 1e-11);
        wilson_ref_schur(&s, WILSON_PLAIN, src, x);
        wilson_ref_schur(&s, WILSON_DAGGER, a, y);
        for (int64_t site = 0; site < w->volume; site++) {
            int c[4];
            wilson_ref_coords(w, site, c);
            if (naik_parity_of(c) != (int)s.parity) {
                memset(src[site], 0, sizeof *src);
            }
        }
        const double complex ab = wilson_ref_dot(w, a, x);
        CHECK_NEAR(t, cabs(ab - wilson_ref_dot(w, y, src)) / cabs(ab), 0, 1e-13);
        free(src);
        free(a);
        free(b);
        free(x);
        free(y);
        wilson_ref_destroy(&w);
    }
    free_links(&l);
}

CHECK_MAIN(CHECK(gamma_matrices_are_a_clifford_algebra), CHECK(operator_is_hermitian_between_g5),
           CHECK(dslash_leads_from_even_sites_to_odd_ones), CHECK(operator_acts_on_plane_waves),
           CHECK(operator_is_gauge_covariant), CHECK(heavy_quarks_hop_straight_on),
           CHECK(clover_term_of_a_uniform_field_is_known),
           CHECK(clover_term_is_two_hermitian_blocks),
           CHECK(schur_complement_is_that_of_the_operator))
