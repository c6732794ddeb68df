/* test_dslash_ref.c - the reference operator against the equation's own properties
 *
 * ranks: 1 4
 */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exactsum.h"
#include "base/rng.h"
#include "check.h"
#include "comm/collective.h"
#include "dslash_ref.h"
#include "lattice/su3.h"

static const int size[4] = {4, 4, 8, 8};

typedef struct fixture {
    naik_lattice *lat;
    naik_gauge fat, far;
    naik_fatlong links;
    double *a, *b, *da, *db; /* [sites][3][2] */
} fixture;

static bool setup(check *t, fixture *f)
{
    memset(f, 0, sizeof *f);
    if (!CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &f->lat))) {
        return false;
    }
    const size_t sites = (size_t)f->lat->sites;
    f->fat = (naik_gauge){.lattice = f->lat, .link = calloc(4 * sites, sizeof(naik_matrix))};
    f->far = (naik_gauge){.lattice = f->lat, .link = calloc(4 * sites, sizeof(naik_matrix))};
    f->links = (naik_fatlong){.fat = &f->fat, .long_links = &f->far};
    double **vector[4] = {&f->a, &f->b, &f->da, &f->db};
    for (int i = 0; i < 4; i++) {
        *vector[i] = calloc(6 * sites, sizeof(double));
    }
    return true;
}

static void teardown(fixture *f)
{
    free(f->fat.link);
    free(f->far.link);
    free(f->a);
    free(f->b);
    free(f->da);
    free(f->db);
    naik_lattice_destroy(&f->lat);
}

/* Global coordinates of a local site moved by `step` in mu, and its global number. */
static int64_t global_at(const naik_lattice *lat, int32_t site, int mu, int step, int x[4])
{
    int64_t number = 0;
    naik_lattice_coords(lat, site, x);
    for (int nu = 3; nu >= 0; nu--) {
        int c = x[nu] + lat->origin[nu] + (nu == mu ? step : 0);
        x[nu] = (c + 4 * lat->size[nu]) % lat->size[nu];
        number = number * lat->size[nu] + x[nu];
    }
    return number;
}

static void randomise(double *values, int reals, uint32_t stream, int64_t global)
{
    naik_rng rng = naik_rng_at(42, stream, (uint64_t)global);
    for (int i = 0; i < reals; i++) {
        values[i] = naik_rng_gaussian(&rng);
    }
}

static void randomise_all(const fixture *f)
{
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        int64_t global = global_at(f->lat, site, 0, 0, x);
        randomise((double *)(f->fat.link + 4 * site), 72, 0, global);
        randomise((double *)(f->far.link + 4 * site), 72, 1, global);
        randomise(f->a + 6 * site, 6, 2, global);
        randomise(f->b + 6 * site, 6, 3, global);
    }
}

/* <a, b> over all ranks; to rounding, the order does not matter here. */
static double complex dot(check *t, const fixture *f, const double *a, const double *b)
{
    naik_exactsum sum[2];
    naik_exactsum_clear(&sum[0]);
    naik_exactsum_clear(&sum[1]);
    for (int32_t i = 0; i < 3 * f->lat->sites; i++) {
        double complex term = conj((a[2 * i] + a[2 * i + 1] * I)) * (b[2 * i] + b[2 * i + 1] * I);
        naik_exactsum_add(&sum[0], creal(term));
        naik_exactsum_add(&sum[1], cimag(term));
    }
    CHECK_OK(t, naik_comm_sum_exact(t->comm, sum, 2));
    return naik_exactsum_value(&sum[0]) + naik_exactsum_value(&sum[1]) * I;
}

static double largest_difference(const fixture *f, const double *a, const double *b)
{
    double largest = 0;
    for (int32_t i = 0; i < 6 * f->lat->sites; i++) {
        largest = naik_worst(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

static void reference_is_antihermitian(check *t)
{
    fixture f;
    CHECK_REQUIRE(t, setup(t, &f));
    randomise_all(&f);
    CHECK_OK(t, naik_dslash_ref(&f.links, f.a, f.da));
    CHECK_OK(t, naik_dslash_ref(&f.links, f.b, f.db));
    double complex left = dot(t, &f, f.a, f.db), right = -dot(t, &f, f.da, f.b);
    double scale = sqrt(creal(dot(t, &f, f.a, f.a)) * creal(dot(t, &f, f.db, f.db)));
    CHECK_TRUE(t, cabs(left) > 1e-4 * scale); /* not merely zero */
    CHECK_NEAR(t, cabs(left - right) / scale, 0, 1e-14);
    teardown(&f);
}

/* One link alone carries v from its end to its beginning, and its dagger back with a minus. */
static void one_link_hops_as_the_equation_says(check *t)
{
    fixture f;
    CHECK_REQUIRE(t, setup(t, &f));
    static const int64_t from = 3 + 4 * (2 + 4 * (7 + 8 * 6)); /* x, y, z, t = 3, 2, 7, 6 */
    for (int point = 0; point < 8; point++) {
        const int mu = point % 4, step = point < 4 ? 1 : 3;
        randomise_all(&f);
        memset(f.fat.link, 0, (size_t)f.lat->sites * 4 * sizeof *f.fat.link);
        memset(f.far.link, 0, (size_t)f.lat->sites * 4 * sizeof *f.far.link);
        double complex u[3][3], v[2][3], expected[2][3] = {{0}};
        randomise((double *)u, 18, 9, from);
        int x[4];
        for (int32_t site = 0; site < f.lat->sites; site++) {
            if (global_at(f.lat, site, 0, 0, x) == from) {
                memcpy((step == 1 ? f.fat.link : f.far.link) + 4 * site + mu, u, sizeof u);
            }
        }
        int y[4] = {3, 2, 7, 6};
        y[mu] = (y[mu] + step) % size[mu];
        const int64_t to = y[0] + 4 * (y[1] + 4 * (y[2] + 8 * y[3]));
        randomise((double *)v[0], 6, 2, from);
        randomise((double *)v[1], 6, 2, to);
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                expected[0][i] += u[i][j] * v[1][j];
                expected[1][i] -= conj(u[j][i]) * v[0][j];
            }
        }
        CHECK_OK(t, naik_dslash_ref(&f.links, f.a, f.da));
        for (int32_t site = 0; site < f.lat->sites; site++) {
            int64_t global = global_at(f.lat, site, 0, 0, x);
            int end = global == from ? 0 : global == to ? 1 : 2;
            for (int i = 0; i < 6; i++) {
                double want = end < 2 ? ((const double *)expected[end])[i] : 0;
                CHECK_NEAR(t, f.da[6 * site + i], want, 1e-14);
            }
        }
    }
    teardown(&f);
}

/* Unit links times c, with the staggered phases of `points` links and antiperiodic time. */
static void free_links(const fixture *f, naik_gauge *gauge, double c, int points)
{
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        global_at(f->lat, site, 0, 0, x);
        const int eta[4] = {x[3], x[3] + x[0], x[3] + x[0] + x[1], 0};
        for (int mu = 0; mu < 4; mu++) {
            double sign = eta[mu] % 2 == 0 ? 1 : -1;
            sign *= mu == 3 && x[3] >= size[3] - points ? -1 : 1;
            gauge->link[4 * site + mu] = naik_mat_unit();
            gauge->link[4 * site + mu] = naik_mat_scale(sign * c, &gauge->link[4 * site + mu]);
        }
    }
}

static void reference_acts_on_plane_waves(check *t)
{
    const double pi = 3.14159265358979323846, mass = 0.3;
    static const int mode[4][4] = {{0, 0, 0, 0}, {1, 0, 0, 1}, {0, 1, 3, 2}, {1, 2, 1, 7}};
    static const double coefficient[2][2] = {{1, 0}, {9.0 / 8, -1.0 / 24}};
    fixture f;
    CHECK_REQUIRE(t, setup(t, &f));
    for (int action = 0; action < 2; action++) {
        const double *c = coefficient[action];
        free_links(&f, &f.fat, c[0], 1);
        free_links(&f, &f.far, c[1], 3);
        f.links.long_links = action == 0 ? NULL : &f.far;
        for (int m = 0; m < 4; m++) {
            double p[4], eigenvalue = 4 * mass * mass;
            for (int mu = 0; mu < 4; mu++) {
                p[mu] = 2 * pi * (mode[m][mu] + (mu == 3 ? 0.5 : 0)) / size[mu];
                double k = 2 * (c[0] * sin(p[mu]) + c[1] * sin(3 * p[mu]));
                eigenvalue += k * k;
            }
            for (int32_t site = 0; site < f.lat->sites; site++) {
                int x[4];
                global_at(f.lat, site, 0, 0, x);
                double angle = p[0] * x[0] + p[1] * x[1] + p[2] * x[2] + p[3] * x[3];
                for (int i = 0; i < 3; i++) {
                    f.a[6 * site + 2 * i] = (i + 1) * cos(angle);
                    f.a[6 * site + 2 * i + 1] = (i + 1) * sin(angle);
                    f.b[6 * site + 2 * i] = eigenvalue * f.a[6 * site + 2 * i];
                    f.b[6 * site + 2 * i + 1] = eigenvalue * f.a[6 * site + 2 * i + 1];
                }
            }
            CHECK_OK(t, naik_normal_ref(&f.links, mass, f.a, f.da));
            CHECK_NEAR(t, largest_difference(&f, f.da, f.b), 0, 1e-12);
        }
    }
    teardown(&f);
}

/* A random gauge rotation: any unitary matrix per site; Gram-Schmidt of a random one. */
static naik_matrix rotation_at(int64_t global)
{
    naik_matrix g;
    randomise((double *)&g, 18, 5, global);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < i; k++) {
            naik_complex overlap = {0, 0};
            for (int j = 0; j < 3; j++) {
                overlap = naik_cfma_conj(g.e[i][j], g.e[k][j], overlap);
            }
            for (int j = 0; j < 3; j++) {
                g.e[i][j] = naik_csub(g.e[i][j], naik_cmul(overlap, g.e[k][j]));
            }
        }
        double norm = 0;
        for (int j = 0; j < 3; j++) {
            norm += naik_cnorm2(g.e[i][j]);
        }
        for (int j = 0; j < 3; j++) {
            g.e[i][j] = naik_cscale(1 / sqrt(norm), g.e[i][j]);
        }
    }
    return g;
}

static void rotate_links(const fixture *f, naik_gauge *gauge, int step)
{
    for (int32_t site = 0; site < f->lat->sites; site++) {
        for (int mu = 0; mu < 4; mu++) {
            int x[4];
            naik_matrix *u = &gauge->link[4 * site + mu];
            naik_matrix begin = rotation_at(global_at(f->lat, site, 0, 0, x));
            naik_matrix end = rotation_at(global_at(f->lat, site, mu, step, x));
            *u = naik_mat_mul(&begin, u);
            *u = naik_mat_mul_dagger(u, &end);
        }
    }
}

static void rotate_vector(const fixture *f, double *v)
{
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        naik_matrix g = rotation_at(global_at(f->lat, site, 0, 0, x));
        naik_complex old[3], *now = (naik_complex *)(v + 6 * site);
        memcpy(old, now, sizeof old);
        for (int i = 0; i < 3; i++) {
            now[i] = naik_cmul(g.e[i][0], old[0]);
            now[i] = naik_cfma(g.e[i][1], old[1], now[i]);
            now[i] = naik_cfma(g.e[i][2], old[2], now[i]);
        }
    }
}

static void reference_is_gauge_covariant(check *t)
{
    fixture f;
    CHECK_REQUIRE(t, setup(t, &f));
    randomise_all(&f);
    CHECK_OK(t, naik_dslash_ref(&f.links, f.a, f.da));
    rotate_vector(&f, f.da);
    rotate_vector(&f, f.a);
    rotate_links(&f, &f.fat, 1);
    rotate_links(&f, &f.far, 3);
    CHECK_OK(t, naik_dslash_ref(&f.links, f.a, f.db));
    CHECK_NEAR(t, largest_difference(&f, f.da, f.db), 0, 1e-12);
    teardown(&f);
}

static void operator_and_normal_operator_agree(check *t)
{
    fixture f;
    const double mass = 0.7;
    CHECK_REQUIRE(t, setup(t, &f));
    randomise_all(&f);
    /* M^+ M a = (2m - D)(2m + D) a, from two applications of M with opposite signs of D. */
    CHECK_OK(t, naik_operator_ref(&f.links, mass, f.a, f.b));
    CHECK_OK(t, naik_operator_ref(&f.links, -mass, f.b, f.da));
    for (int32_t i = 0; i < 6 * f.lat->sites; i++) {
        f.da[i] = -f.da[i];
    }
    CHECK_OK(t, naik_normal_ref(&f.links, mass, f.a, f.db));
    CHECK_NEAR(t, largest_difference(&f, f.da, f.db), 0, 1e-11);
    teardown(&f);
}

CHECK_MAIN(CHECK(reference_is_antihermitian), CHECK(one_link_hops_as_the_equation_says),
           CHECK(reference_acts_on_plane_waves), CHECK(reference_is_gauge_covariant),
           CHECK(operator_and_normal_operator_agree))
