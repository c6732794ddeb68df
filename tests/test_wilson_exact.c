/* test_wilson_exact.c - the operator of Wilson and clover quarks on a backend against what is known
 * exactly, without the reference operator: adjoints, gauge transforms, plane waves, plaquettes
 *
 * ranks: 1 4
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exactsum.h"
#include "comm/collective.h"
#include "lattice/su3.h"
#include "wilson_fixture.h"

/* Storages of vectors and links, and what M may be off by, relative to its largest component. */
static const wilson_storage storages[] = {{NAIK_DOUBLE, NAIK_DOUBLE, 18, 1e-14},
                                          {NAIK_DOUBLE, NAIK_DOUBLE, 12, 2e-14},
                                          {NAIK_SINGLE, NAIK_SINGLE, 18, 5e-6},
                                          {NAIK_SINGLE, NAIK_SINGLE, 12, 5e-6},
                                          {NAIK_SINGLE, NAIK_HALF, 18, 3e-4}};
enum { STORAGES = sizeof storages / sizeof *storages, COLUMNS = 12 };

/* Coordinates of a site of the whole lattice, and the site at coordinates taken periodically. */
static void coords_of(const int size[4], int64_t site, int x[4])
{
    for (int mu = 0; mu < 4; mu++) {
        x[mu] = (int)(site % size[mu]);
        site /= size[mu];
    }
}

static int64_t site_of(const int size[4], const int x[4])
{
    int64_t site = 0;
    for (int mu = 3; mu >= 0; mu--) {
        site = site * size[mu] + (x[mu] + size[mu]) % size[mu];
    }
    return site;
}

static int64_t ahead_of(const int size[4], int64_t site, int mu, int steps)
{
    int x[4];
    coords_of(size, site, x);
    x[mu] += steps;
    return site_of(size, x);
}

/* The operator on links that every rank holds whole, without the boundary's sign. */
static bool make_twisted(check *t, const naik_gauge *whole, bool antiperiodic, double mass,
                         double twisted_mass, double csw, wilson_fixture *f)
{
    const int *size = whole->lattice->size;
    if (!wilson_fixture_create(t, size, NULL, false, 0, mass, 0, false, f)) {
        return false;
    }
    f->twisted_mass = twisted_mass;
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(f->lat, site, x);
        memcpy(&f->u->link[4 * (int64_t)site], &whole->link[4 * naik_lattice_global(f->lat, x)],
               4 * sizeof *whole->link);
    }
    if (csw != 0 && !CHECK_OK(t, naik_clover_create(f->u, naik_backend_device(f->backend), mass,
                                                    f->twisted_mass, csw, &f->clover))) {
        return false;
    }
    if (antiperiodic) {
        naik_gauge_apply_boundary(f->u);
    }
    return true;
}

static bool make(check *t, const naik_gauge *whole, bool antiperiodic, double mass, double csw,
                 wilson_fixture *f)
{
    return make_twisted(t, whole, antiperiodic, mass, 0, csw, f);
}

/* out = M in on this rank's sites of whole lattices. */
static void apply(check *t, const wilson_fixture *f, const wilson_storage *s,
                  const wilson_spinor *in, wilson_spinor *out)
{
    naik_wilson *wilson = NULL;
    naik_field *x[2], *zero[2], *r = wilson_fixture_zero(t, f, s->vectors, 1);
    for (int parity = 0; parity < 2; parity++) {
        x[parity] = wilson_fixture_zero(t, f, s->vectors, 1);
        zero[parity] = wilson_fixture_zero(t, f, s->vectors, 1);
        wilson_fixture_put(t, f, in, (naik_parity)parity, x[parity], 0);
    }
    const naik_field *const src[2] = {zero[0], zero[1]}, *const at[2] = {x[0], x[1]};
    if (CHECK_OK(t, naik_wilson_create(f->geometry, f->u, f->clover, f->mass, f->twisted_mass,
                                       s->links, s->recon, &wilson))) {
        const double number = hypot(f->mass + 4, f->twisted_mass);
        if (f->clover == NULL) { /* what rounding may make of a residual hangs on these */
            CHECK_NEAR(t, wilson->largest, number, 1e-14 * number);
            CHECK_NEAR(t, wilson->largest_inverse, 1 / number, 1e-14 / number);
        }
        for (int parity = 0; parity < 2; parity++) {
            CHECK_OK(t, naik_wilson_residual(wilson, (naik_parity)parity, src, at, r, NULL));
            wilson_fixture_take(t, f, r, (naik_parity)parity, 0, out);
        }
    }
    for (int64_t i = 0; i < 12 * f->lat->volume; i++) { /* of a source that is zero */
        ((double complex *)out)[i] = -((double complex *)out)[i];
    }
    for (int parity = 0; parity < 2; parity++) {
        naik_field_destroy(&x[parity]);
        naik_field_destroy(&zero[parity]);
    }
    naik_field_destroy(&r);
    naik_wilson_destroy(&wilson);
}

/* <a, b> over all ranks. */
static double complex dot(check *t, const wilson_fixture *f, const wilson_spinor *a,
                          const wilson_spinor *b)
{
    naik_exactsum sum[2];
    naik_exactsum_clear(&sum[0]);
    naik_exactsum_clear(&sum[1]);
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(f->lat, site, x);
        const int64_t at = naik_lattice_global(f->lat, x);
        for (int i = 0; i < 12; i++) {
            const double complex z = conj(a[at][i / 3][i % 3]) * b[at][i / 3][i % 3];
            naik_exactsum_add(&sum[0], creal(z));
            naik_exactsum_add(&sum[1], cimag(z));
        }
    }
    CHECK_OK(t, naik_comm_sum_exact(f->lat->comm, sum, 2));
    return wilson_complex(naik_exactsum_value(&sum[0]), naik_exactsum_value(&sum[1]));
}

/* v = g5 v on the whole lattice. */
static void multiply_g5(const wilson_fixture *f, wilson_spinor *v)
{
    for (int64_t site = 0; site < f->lat->volume; site++) {
        for (int i = 6; i < 12; i++) {
            v[site][i / 3][i % 3] = -v[site][i / 3][i % 3];
        }
    }
}

static double difference(const wilson_fixture *f, const wilson_spinor *a, const wilson_spinor *b)
{
    return naik_worst(wilson_fixture_difference(f, a, b, NAIK_EVEN),
                      wilson_fixture_difference(f, a, b, NAIK_ODD));
}

/* <a, g5 M(mu) g5 b> = conj <b, M(-mu) a> */
static void operator_is_hermitian_between_g5(check *t)
{
    static const double twisted_masses[] = {0, 0.6, -0.2};
    static const int size[4] = {8, 4, 4, 8};
    fixture_links l;
    CHECK_REQUIRE(t, fixture_links_create(t, size, NULL, true, 41, &l));
    for (int kind = 0; kind < 6; kind++) {
        const double mu = twisted_masses[kind / 2], csw = 1.1 * (kind % 2);
        wilson_fixture f, opposite;
        bool ok = make_twisted(t, l.u, true, 0.2, mu, csw, &f);
        ok = make_twisted(t, l.u, true, 0.2, -mu, csw, &opposite) && ok;
        if (ok) {
            wilson_spinor *a = wilson_fixture_random(&f, 3), *b = wilson_fixture_random(&f, 4);
            wilson_spinor *ma = wilson_ref_field(f.lat->volume);
            wilson_spinor *gmgb = wilson_ref_field(f.lat->volume);
            for (int i = 0; i < STORAGES; i++) {
                apply(t, &opposite, &storages[i], a, ma);
                multiply_g5(&f, b);
                apply(t, &f, &storages[i], b, gmgb);
                multiply_g5(&f, b);
                multiply_g5(&f, gmgb);
                const double complex left = dot(t, &f, a, gmgb), right = dot(t, &f, b, ma);
                CHECK_TRUE(t, cabs(right) > 1);
                CHECK_NEAR(t, cabs(left - conj(right)) / cabs(right), 0,
                           20 * storages[i].tolerance);
            }
            free(a);
            free(b);
            free(ma);
            free(gmgb);
        }
        wilson_fixture_destroy(&opposite);
        wilson_fixture_destroy(&f);
    }
    fixture_links_destroy(&l);
}

/* U_mu(x) becomes g(x) U_mu(x) g(x+mu)^+; g are the x-links of another field. */
static void transform_links(const naik_gauge *g, naik_gauge *u)
{
    const int *size = u->lattice->size;
    for (int64_t i = 0; i < 4 * u->lattice->volume; i++) {
        const naik_matrix left = naik_mat_mul(&g->link[i / 4 * 4], &u->link[i]);
        const int64_t there = ahead_of(size, i / 4, (int)(i % 4), 1);
        u->link[i] = naik_mat_mul_dagger(&left, &g->link[4 * there]);
    }
}

static void transform_spinors(const naik_gauge *g, const wilson_spinor *in, wilson_spinor *out)
{
    for (int64_t x = 0; x < g->lattice->volume; x++) {
        for (int i = 0; i < 12; i++) {
            out[x][i / 3][i % 3] = 0;
            for (int j = 0; j < 3; j++) {
                const naik_complex e = g->link[4 * x].e[i % 3][j];
                out[x][i / 3][i % 3] += wilson_complex(e.re, e.im) * in[x][i / 3][j];
            }
        }
    }
}

/* M' g psi = g M psi */
static void operator_is_gauge_covariant(check *t)
{
    static const int size[4] = {8, 4, 4, 8};
    fixture_links l, other;
    CHECK_REQUIRE(t, fixture_links_create(t, size, NULL, true, 42, &l) &&
                         fixture_links_create(t, size, NULL, true, 43, &other));
    for (int clover = 0; clover < 2; clover++) {
        wilson_fixture f, g;
        bool ok = make(t, l.u, true, 0.3, 1.1 * clover, &f);
        naik_gauge_set_random(l.u, 42);
        transform_links(other.u, l.u);
        ok = make(t, l.u, true, 0.3, 1.1 * clover, &g) && ok;
        naik_gauge_set_random(l.u, 42);
        if (ok) {
            wilson_spinor *in = wilson_fixture_random(&f, 7),
                          *out = wilson_ref_field(f.lat->volume);
            wilson_spinor *turned = wilson_ref_field(f.lat->volume);
            wilson_spinor *expected = wilson_ref_field(f.lat->volume);
            for (int i = 0; i < STORAGES; i++) {
                apply(t, &f, &storages[i], in, out);
                transform_spinors(other.u, out, expected);
                transform_spinors(other.u, in, turned);
                apply(t, &g, &storages[i], turned, out);
                CHECK_NEAR(t, difference(&f, out, expected), 0, 2 * storages[i].tolerance);
            }
            free(in);
            free(out);
            free(turned);
            free(expected);
        }
        wilson_fixture_destroy(&f);
        wilson_fixture_destroy(&g);
    }
    fixture_links_destroy(&l);
    fixture_links_destroy(&other);
}

/* e^{ipx} u and [ m + sum (1 - cos p) + i sum g sin p + i mu g5 ] e^{ipx} u */
static void plane_wave(const int size[4], const int n[4], double half, double mass,
                       double twisted_mass, wilson_spinor *in, wilson_spinor *expected)
{
    static const double complex u[12] = {1,       2 - I,  0.5 * I, -1, 3,           0.25 + I,
                                         2.5 * I, -I - 1, 1,       -2, 0.5 - 2 * I, I};
    double p[4], diagonal = mass;
    wilson_spinor mu_u = {{0}};
    for (int mu = 0; mu < 4; mu++) {
        wilson_spinor gu;
        p[mu] = 2 * acos(-1) * (n[mu] + (mu == 3 ? half : 0)) / size[mu];
        diagonal += 1 - cos(p[mu]);
        wilson_spin_apply(wilson_gamma[mu], (const double complex(*)[3])u, gu);
        for (int i = 0; i < 12; i++) {
            mu_u[i / 3][i % 3] += I * sin(p[mu]) * gu[i / 3][i % 3];
        }
    }
    for (int i = 0; i < 12; i++) {
        mu_u[i / 3][i % 3] += I * twisted_mass * (i < 6 ? u[i] : -u[i]);
    }
    for (int64_t site = 0; site < (int64_t)size[0] * size[1] * size[2] * size[3]; site++) {
        int x[4];
        coords_of(size, site, x);
        const double complex wave =
            cexp(I * (p[0] * x[0] + p[1] * x[1] + p[2] * x[2] + p[3] * x[3]));
        for (int i = 0; i < 12; i++) {
            in[site][i / 3][i % 3] = wave * u[i];
            expected[site][i / 3][i % 3] = wave * (diagonal * u[i] + mu_u[i / 3][i % 3]);
        }
    }
}

/* Unit links, on which the clover term is zero; antiperiodic p_t are half-integer. A constant spinor
 * of periodic quarks is multiplied by m. */
static void operator_acts_on_plane_waves(check *t)
{
    static const int size[4] = {8, 6, 4, 8};
    static const int momenta[][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {3, 5, 1, 2}, {4, 3, 2, 7}};
    fixture_links l;
    CHECK_REQUIRE(t, fixture_links_create(t, size, NULL, true, 1, &l));
    naik_gauge_set_unit(l.u);
    for (int kind = 0; kind < 6; kind++) {
        const bool antiperiodic = kind / 2 != 1;
        const double mu = kind < 4 ? 0 : kind == 4 ? 0.4 : -1.1;
        wilson_fixture f;
        if (make_twisted(t, l.u, antiperiodic, 0.17, mu, 1.5 * (kind % 2), &f)) {
            wilson_spinor *in = wilson_ref_field(f.lat->volume);
            wilson_spinor *out = wilson_ref_field(f.lat->volume);
            wilson_spinor *expected = wilson_ref_field(f.lat->volume);
            for (int i = 0; i < 4; i++) {
                plane_wave(size, momenta[i], antiperiodic ? 0.5 : 0, 0.17, mu, in, expected);
                for (int s = 0; s < STORAGES; s++) {
                    apply(t, &f, &storages[s], in, out);
                    /* of terms as large as 4 u, of which little may be left */
                    CHECK_NEAR(t, difference(&f, out, expected), 0, 50 * storages[s].tolerance);
                }
            }
            free(in);
            free(out);
            free(expected);
        }
        wilson_fixture_destroy(&f);
    }
    fixture_links_destroy(&l);
}

/* sum over the planes of Re Tr of the four plaquettes around a site */
static double plaquettes_around(const naik_gauge *u, int64_t x)
{
    const int *size = u->lattice->size;
    double sum = 0;
    for (int plane = 0; plane < 64; plane++) {
        const int mu = plane % 4, nu = plane / 4 % 4, corner = plane / 16;
        if (mu < nu) {
            const int64_t down = ahead_of(size, x, mu, -(corner % 2));
            const int64_t at = ahead_of(size, down, nu, -(corner / 2));
            const naik_matrix *first = &u->link[4 * at + mu], *last = &u->link[4 * at + nu];
            const naik_matrix there =
                naik_mat_mul(first, &u->link[4 * ahead_of(size, at, mu, 1) + nu]);
            const naik_matrix back =
                naik_mat_mul(last, &u->link[4 * ahead_of(size, at, nu, 1) + mu]);
            const naik_matrix loop = naik_mat_mul_dagger(&there, &back);
            sum += naik_mat_trace(&loop).re;
        }
    }
    return sum;
}

/* D^4 of the 12 spinors that are 1 at a site: its trace over them, on the rank that has the site. */
static double complex trace_of_fourth_power(check *t, const wilson_fixture *f,
                                            const wilson_storage *s, const int at[4])
{
    const naik_parity own = naik_parity_of(at);
    const int64_t site = site_of(f->lat->size, at);
    naik_wilson *wilson = NULL;
    naik_field *v[2] = {wilson_fixture_zero(t, f, s->vectors, COLUMNS),
                        wilson_fixture_zero(t, f, s->vectors, COLUMNS)};
    double complex trace = 0;
    wilson_spinor *whole = wilson_ref_field(f->lat->volume);
    for (int c = 0; c < COLUMNS; c++) {
        memset(whole[site], 0, sizeof *whole);
        whole[site][c / 3][c % 3] = 1;
        wilson_fixture_put(t, f, whole, own, v[0], c);
    }
    if (CHECK_OK(t, naik_wilson_create(f->geometry, f->u, NULL, f->mass, f->twisted_mass, s->links,
                                       s->recon, &wilson))) {
        for (int power = 0; power < 4; power++) {
            const naik_dslash_args args = {.form = NAIK_FORM_D,
                                           .parity = power % 2 == 0 ? (naik_parity)!own : own,
                                           .links = wilson->links,
                                           .in = v[power % 2],
                                           .out = v[1 - power % 2]};
            CHECK_OK(t, naik_dslash(&args));
        }
    }
    for (int c = 0; c < COLUMNS; c++) {
        memset(whole[site], 0, sizeof *whole); /* and stays so where the site is another rank's */
        wilson_fixture_take(t, f, v[0], own, c, whole);
        trace += whole[site][c / 3][c % 3];
    }
    free(whole);
    naik_wilson_destroy(&wilson);
    naik_field_destroy(&v[0]);
    naik_field_destroy(&v[1]);
    return trace;
}

/* Tr (D^4)(x, x) over spin and colour is -16 times that sum, where no path leads around the lattice;
 * the boundary's sign is twice in a plaquette or not at all. */
static void fourth_power_of_dslash_counts_plaquettes(check *t)
{
    static const int size[4] = {8, 6, 6, 8}, at[2][4] = {{2, 5, 1, 7}, {0, 3, 4, 4}};
    fixture_links l;
    wilson_fixture f;
    CHECK_REQUIRE(t, fixture_links_create(t, size, NULL, true, 44, &l));
    CHECK_REQUIRE(t, make(t, l.u, true, 0.1, 0, &f));
    for (int i = 0; i < 2; i++) {
        const double expected = -16 * plaquettes_around(l.u, site_of(size, at[i]));
        for (int s = 0; s < STORAGES; s++) {
            const double complex own = trace_of_fourth_power(t, &f, &storages[s], at[i]);
            naik_exactsum sum[2];
            naik_exactsum_clear(&sum[0]);
            naik_exactsum_clear(&sum[1]);
            naik_exactsum_add(&sum[0], creal(own));
            naik_exactsum_add(&sum[1], cimag(own));
            CHECK_OK(t, naik_comm_sum_exact(t->comm, sum, 2));
            /* 12 diagonal elements of some 50 each */
            CHECK_NEAR(t, naik_exactsum_value(&sum[0]), expected, 600 * storages[s].tolerance);
            CHECK_NEAR(t, naik_exactsum_value(&sum[1]), 0, 600 * storages[s].tolerance);
        }
    }
    wilson_fixture_destroy(&f);
    fixture_links_destroy(&l);
}

/* U_y(x) = diag(e^{i th x}, e^{-i th x}, 1), th = 2 pi / nx: F_xy = i sin th diag(1, -1, 0) everywhere,
 * all others 0, so that A = m + 4 - (csw/2) g_x g_y F_xy is diagonal; g_x g_y = -i diag(1, -1, 1, -1). */
static void clover_term_of_a_uniform_field_is_known(check *t)
{
    static const int size[4] = {8, 4, 4, 8};
    const double angle = 2 * acos(-1) / 8, csw = 1.7, mass = 0.2;
    fixture_links l;
    wilson_fixture f;
    CHECK_REQUIRE(t, fixture_links_create(t, size, NULL, true, 1, &l));
    naik_gauge_set_unit(l.u);
    for (int64_t site = 0; site < l.lat->volume; site++) {
        const double phase = angle * (double)(site % size[0]);
        naik_matrix *u = &l.u->link[4 * site + 1];
        u->e[0][0] = (naik_complex){cos(phase), sin(phase)};
        u->e[1][1] = (naik_complex){cos(phase), -sin(phase)};
    }
    CHECK_REQUIRE(t, make(t, l.u, true, mass, csw, &f));
    wilson_spinor *in = wilson_fixture_random(&f, 9), *out = wilson_ref_field(f.lat->volume);
    wilson_spinor *expected = wilson_ref_field(f.lat->volume);
    for (int s = 0; s < STORAGES; s++) {
        for (int inverse = 0; inverse < 2; inverse++) {
            naik_wilson *wilson = NULL;
            naik_field *v = wilson_fixture_zero(t, &f, storages[s].vectors, 1);
            for (int64_t i = 0; i < 12 * f.lat->volume; i++) {
                const int spin = (int)(i / 3 % 4), colour = (int)(i % 3);
                const double field = colour == 2 ? 0 : (colour == 0 ? 1 : -1) * sin(angle);
                const double a = mass + 4 + csw / 2 * (spin % 2 == 0 ? -1 : 1) * field;
                ((double complex *)expected)[i] =
                    ((double complex *)in)[i] * (inverse == 1 ? 1 / a : a);
            }
            CHECK_OK(t, naik_wilson_create(f.geometry, f.u, f.clover, mass, f.twisted_mass,
                                           storages[s].links, storages[s].recon, &wilson));
            for (int parity = 0; wilson != NULL && parity < 2; parity++) {
                wilson_fixture_put(t, &f, in, (naik_parity)parity, v, 0);
                CHECK_OK(t, f.backend->ops->wilson.multiply(
                                inverse == 1 ? wilson->inverse : wilson->diagonal, v,
                                (naik_parity)parity, NULL, NAIK_RHS_IDLE, v));
                wilson_fixture_take(t, &f, v, (naik_parity)parity, 0, out);
            }
            CHECK_NEAR(t, difference(&f, out, expected), 0, storages[s].tolerance);
            naik_field_destroy(&v);
            naik_wilson_destroy(&wilson);
        }
    }
    free(in);
    free(out);
    free(expected);
    wilson_fixture_destroy(&f);
    fixture_links_destroy(&l);
}

CHECK_MAIN(CHECK(operator_is_hermitian_between_g5), CHECK(operator_is_gauge_covariant),
           CHECK_UP_TO(1, operator_acts_on_plane_waves),
           CHECK(fourth_power_of_dslash_counts_plaquettes),
           CHECK(clover_term_of_a_uniform_field_is_known))
