/* test_smear.c - fat and long links against explicit paths, under gauge rotations, over grids
 *
 * The slow reference walks every path of the unphased form on one rank's whole lattice: a list of
 * steps, a product of links, a coefficient. It shares no code and no formula with smear.c.
 *
 * ranks: 1 4
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "base/rng.h"
#include "comm/collective.h"
#include "fixture.h"
#include "lattice/su3.h"
#include "links/unitarize.h"

static const int small[4] = {4, 4, 6, 8};  /* for one rank */
static const int tall[4] = {70, 2, 2, 4};  /* rows of x longer than one piece of work */
static const int shared[4] = {8, 4, 8, 8}; /* for up to eight */

/* naik_smear where the backend keeps its memory, of f->u. */
static naik_status smear(const fixture_thin *f, const naik_smearing *c, naik_gauge *fat,
                         naik_gauge *naik)
{
    naik_status status = NAIK_OK;
    naik_device *device = naik_backend_device(f->backend);
    naik_gauge *there[2] = {NULL, NULL};
    naik_smear_space *space = NULL;
    NAIK_TRY(naik_smear_space_create(f->lat, device, &space));
    if (device == NULL) {
        status = naik_smear(f->u, c, space, fat, naik);
        goto done;
    }
    NAIK_TRY(naik_gauge_create_on(f->lat, device, &there[0]));
    NAIK_TRY(naik_gauge_create_on(f->lat, device, &there[1]));
    NAIK_TRY(naik_gauge_copy(f->u, there[0]));
    NAIK_TRY(naik_smear(there[0], c, space, there[0], there[1]));
    NAIK_TRY(naik_gauge_copy(there[0], fat));
    NAIK_TRY(naik_gauge_copy(there[1], naik));
done:
    naik_smear_space_destroy(&space);
    naik_gauge_destroy(&there[0]);
    naik_gauge_destroy(&there[1]);
    return status;
}

/* ---- the slow reference: U along a path of steps +-(mu + 1), on a lattice held whole */
static naik_matrix along(const naik_gauge *u, const int start[4], const int *steps, int count)
{
    const naik_lattice *lat = u->lattice;
    naik_matrix product = naik_mat_unit();
    int x[4] = {start[0], start[1], start[2], start[3]};
    for (int i = 0; i < count; i++) {
        const int mu = abs(steps[i]) - 1, length = lat->size[mu];
        if (steps[i] > 0) {
            product = naik_mat_mul(&product, &u->link[naik_lattice_site(lat, x) * 4 + mu]);
            x[mu] = (x[mu] + 1) % length;
        } else {
            x[mu] = (x[mu] + length - 1) % length;
            product = naik_mat_mul_dagger(&product, &u->link[naik_lattice_site(lat, x) * 4 + mu]);
        }
    }
    return product;
}

typedef struct paths { /* the positive coefficients of the unphased form, by length */
    double one, naik, three, five, seven, lepage;
} paths;

/* Adds every path that climbs the directions of `climb`, takes mu, and comes back. */
static void add_climbs(const naik_gauge *u, const int x[4], int mu, const int *climb, int height,
                       double coefficient, naik_matrix *sum)
{
    for (int signs = 0; signs < 1 << height; signs++) {
        int steps[7];
        for (int i = 0; i < height; i++) {
            steps[i] = (signs >> i & 1 ? -1 : 1) * (climb[i] + 1);
            steps[2 * height - i] = -steps[i];
        }
        steps[height] = mu + 1;
        const naik_matrix path = along(u, x, steps, 2 * height + 1);
        naik_mat_add(sum, coefficient, &path);
    }
}

static naik_matrix slow_fat(const naik_gauge *u, const int x[4], int mu, const paths *c)
{
    naik_matrix sum = naik_mat_zero();
    add_climbs(u, x, mu, NULL, 0, c->one, &sum);
    for (int a = 0; a < 4; a++) {
        for (int b = 0; b < 4; b++) {
            for (int d = 0; d < 4; d++) {
                const int climb[3] = {a, b, d};
                if (a == mu || b == mu || d == mu || a == b || a == d || b == d) {
                    continue;
                }
                add_climbs(u, x, mu, climb, 3, c->seven, &sum);
                add_climbs(u, x, mu, climb, 2, c->five, &sum); /* d is the one that remains */
            }
        }
        if (a != mu) {
            add_climbs(u, x, mu, &a, 1, c->three, &sum);
            const int up[5] = {a + 1, a + 1, mu + 1, -a - 1, -a - 1};
            const int down[5] = {-a - 1, -a - 1, mu + 1, a + 1, a + 1};
            const naik_matrix above = along(u, x, up, 5), below = along(u, x, down, 5);
            naik_mat_add(&sum, c->lepage, &above);
            naik_mat_add(&sum, c->lepage, &below);
        }
    }
    return sum;
}

/* Phases and boundary as PHYSICS multiplies them in afterwards. */
static double phase(const int size[4], const int x[4], int mu, bool antiperiodic, int length)
{
    const int exponent[4] = {x[3], x[3] + x[0], x[3] + x[0] + x[1], 0};
    const bool crosses = antiperiodic && mu == 3 && x[3] + length >= size[3];
    return (exponent[mu] % 2 == 0 ? 1 : -1) * (crosses ? -1 : 1);
}

/* Fat and long links of unphased u by the slow way, on one rank. */
static void slow_links(const naik_gauge *u, const paths *c, bool antiperiodic, naik_gauge *fat,
                       naik_gauge *long_links)
{
    const naik_lattice *lat = u->lattice;
    for (int32_t site = 0; site < lat->sites; site++) {
        for (int mu = 0; mu < 4; mu++) {
            int x[4];
            naik_lattice_coords(lat, site, x);
            const int straight[3] = {mu + 1, mu + 1, mu + 1};
            const naik_matrix sum = slow_fat(u, x, mu, c), naik = along(u, x, straight, 3);
            fat->link[site * 4 + mu] =
                naik_mat_scale(phase(lat->size, x, mu, antiperiodic, 1), &sum);
            if (long_links != NULL) {
                long_links->link[site * 4 + mu] =
                    naik_mat_scale(c->naik * phase(lat->size, x, mu, antiperiodic, 3), &naik);
            }
        }
    }
}

static void compare_with_paths(check *t, const int size[4])
{
    naik_comm *alone = NULL;
    fixture_thin f;
    const double u0 = 0.83, u2 = u0 * u0;
    const paths asqtad = {5. / 8,
                          -1. / 24 / u2,
                          1. / 16 / u2,
                          1. / 64 / u2 / u2,
                          1. / 384 / u2 / u2 / u2,
                          -1. / 16 / u2 / u2};
    const paths hisq1 = {1. / 8, 0, 1. / 16, 1. / 64, 1. / 384, 0};
    const paths hisq2 = {1, -1. / 24, 1. / 16, 1. / 64, 1. / 384, -1. / 8};
    const paths *slow[3] = {&asqtad, &hisq1, &hisq2};
    const naik_smearing fast[3] = {naik_smearing_asqtad(u0), naik_smearing_hisq1(),
                                   naik_smearing_hisq2()};
    CHECK_REQUIRE(t, CHECK_OK(t, naik_comm_create_alone(t->log, &alone)));
    CHECK_REQUIRE(t, fixture_thin_create(t, alone, size, NULL, &f));
    naik_gauge *out[4] = {NULL};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(t, naik_gauge_create(f.lat, &out[i]));
    }
    for (int k = 0; k < 3; k++) {
        const bool antiperiodic = k != 1;
        slow_links(f.u, slow[k], antiperiodic, out[0], out[1]);
        naik_gauge_apply_phases(f.u, antiperiodic);
        CHECK_OK(t, smear(&f, &fast[k], out[2], out[3]));
        naik_gauge_apply_phases(f.u, antiperiodic);
        CHECK_NEAR(t, fixture_largest_distance(out[0], out[2]), 0, 2e-14);
        CHECK_NEAR(t, fixture_largest_distance(out[1], out[3]), 0, 1e-15);
    }
    for (int i = 0; i < 4; i++) {
        naik_gauge_destroy(&out[i]);
    }
    fixture_thin_destroy(&f);
    naik_comm_destroy(&alone);
}

static void smearing_equals_the_sum_over_explicit_paths(check *t)
{
    compare_with_paths(t, small);
    compare_with_paths(t, tall);
}

static void coefficients_are_those_of_the_table(check *t)
{
    const naik_smearing c = naik_smearing_asqtad(0.502);
    CHECK_NEAR(t, c.c1, 0.625, 1e-15);
    CHECK_NEAR(t, c.cN, -0.1653413, 5e-8);
    CHECK_NEAR(t, c.c3, -0.2480119, 5e-8);
    CHECK_NEAR(t, c.c5, 0.2460397, 5e-8);
    CHECK_NEAR(t, c.c7, -0.1627221, 5e-8);
    CHECK_NEAR(t, c.cL, -0.9841587, 5e-8);
}

static void unit_links_give_the_sum_of_coefficients(check *t)
{
    fixture_thin f;
    naik_gauge *fat = NULL, *naik = NULL;
    const naik_smearing smearing[3] = {naik_smearing_asqtad(1), naik_smearing_hisq1(),
                                       naik_smearing_hisq2()};
    static const double sum[3] = {9. / 8, 1, 9. / 8};
    CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, shared, NULL, &f));
    CHECK_OK(t, naik_gauge_create(f.lat, &fat));
    CHECK_OK(t, naik_gauge_create(f.lat, &naik));
    for (int k = 0; k < 3; k++) {
        naik_gauge_set_unit(f.u);
        naik_gauge_apply_phases(f.u, true);
        CHECK_OK(t, smear(&f, &smearing[k], fat, naik));
        double worst[2] = {0, 0};
        for (int32_t site = 0; site < f.lat->sites; site++) {
            int x[4];
            naik_lattice_coords(f.lat, site, x);
            for (int mu = 0; mu < 4; mu++) {
                x[mu] += f.lat->origin[mu];
            }
            for (int mu = 0; mu < 4; mu++) {
                naik_matrix one = naik_mat_unit();
                const naik_matrix f1 = naik_mat_scale(sum[k] * phase(shared, x, mu, true, 1), &one);
                const naik_matrix l1 =
                    naik_mat_scale(smearing[k].cN * phase(shared, x, mu, true, 3), &one);
                worst[0] = naik_worst(worst[0], fixture_distance(&f1, &fat->link[site * 4 + mu]));
                worst[1] = naik_worst(worst[1], fixture_distance(&l1, &naik->link[site * 4 + mu]));
            }
        }
        CHECK_NEAR(t, worst[0], 0, 2e-15);
        CHECK_NEAR(t, worst[1], 0, 1e-16);
    }
    naik_gauge_destroy(&fat);
    naik_gauge_destroy(&naik);
    fixture_thin_destroy(&f);
}

/* ---- gauge covariance of the whole chain */
static naik_matrix rotation_at(const naik_lattice *lat, const int x[4], int mu, int step)
{
    int64_t site = 0;
    for (int nu = 3; nu >= 0; nu--) {
        const int c = lat->origin[nu] + x[nu] + (nu == mu ? step : 0);
        site = site * lat->size[nu] + (c + lat->size[nu]) % lat->size[nu];
    }
    naik_rng rng = naik_rng_at(99, 1, (uint64_t)site);
    naik_matrix m;
    naik_projection how;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            m.e[i][j] = (naik_complex){naik_rng_gaussian(&rng), naik_rng_gaussian(&rng)};
        }
    }
    return naik_unitarize(&m, &how); /* a random U(3) rotation */
}

/* link(s) becomes G(s) link(s) G(s + length mu)^+ */
static void rotate(naik_gauge *g, int length)
{
    for (int32_t site = 0; site < g->lattice->sites; site++) {
        int x[4];
        naik_lattice_coords(g->lattice, site, x);
        const naik_matrix here = rotation_at(g->lattice, x, 0, 0);
        for (int mu = 0; mu < 4; mu++) {
            const naik_matrix there = rotation_at(g->lattice, x, mu, length);
            naik_matrix *link = &g->link[site * 4 + mu];
            const naik_matrix half = naik_mat_mul_dagger(link, &there);
            *link = naik_mat_mul(&here, &half);
        }
    }
}

/* On the host, wherever they were built. */
static naik_fatlong *links_of(check *t, const fixture_thin *f, naik_action_type action, double eps)
{
    naik_fattener *fattener = NULL;
    naik_fatlong *links = NULL;
    if (CHECK_OK(t, naik_fattener_create(f->u, action, 0.9, naik_backend_device(f->backend),
                                         &fattener))) {
        CHECK_OK(t, naik_fattener_links(fattener, eps, &links));
        CHECK_OK(t, naik_fatlong_to_host(links));
    }
    naik_fattener_destroy(&fattener);
    return links;
}

static void links_are_gauge_covariant(check *t)
{
    static const naik_action_type actions[4] = {NAIK_NAIVE, NAIK_ASQTAD, NAIK_HISQ, NAIK_HISQ_SU3};
    for (int k = 0; k < 4; k++) {
        fixture_thin f;
        const double eps = actions[k] >= NAIK_HISQ ? -0.3 : 0;
        CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, shared, NULL, &f));
        naik_gauge_apply_phases(f.u, true);
        naik_fatlong *before = links_of(t, &f, actions[k], eps);
        rotate(f.u, 1);
        naik_fatlong *after = links_of(t, &f, actions[k], eps);
        CHECK_REQUIRE(t, before != NULL && after != NULL);
        rotate(before->fat, 1);
        /* A random field is the worst case of the projection: V is far from unitary. */
        CHECK_NEAR(t, fixture_largest_distance(before->fat, after->fat), 0, k >= 2 ? 1e-10 : 1e-13);
        CHECK_TRUE(t, (before->long_links == NULL) == (actions[k] == NAIK_NAIVE));
        if (before->long_links != NULL) {
            rotate(before->long_links, 3);
            CHECK_NEAR(t, fixture_largest_distance(before->long_links, after->long_links), 0,
                       1e-11);
        }
        naik_fatlong_destroy(&before);
        naik_fatlong_destroy(&after);
        fixture_thin_destroy(&f);
    }
}

/* ---- HISQ from its parts, the slow way */
/* The cube root by the library, and the determinant by rows: nothing of the code under test. */
static naik_matrix divided_by_cube_root(const naik_matrix *w)
{
    naik_complex det = {0, 0};
    for (int j = 0; j < 3; j++) {
        const naik_complex *b = w->e[1], *c = w->e[2];
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        const naik_complex minor = naik_csub(naik_cmul(b[k], c[l]), naik_cmul(b[l], c[k]));
        det = naik_cadd(det, naik_cmul(w->e[0][j], minor));
    }
    const double angle = atan2(det.im, det.re) / 3;
    return naik_mat_rotate((naik_complex){cos(angle), -sin(angle)}, w);
}

static void compare_hisq_with_its_parts(check *t, naik_action_type action)
{
    naik_comm *alone = NULL;
    fixture_thin f;
    const double eps = 0.17;
    const paths hisq1 = {1. / 8, 0, 1. / 16, 1. / 64, 1. / 384, 0};
    const paths hisq2 = {1, -1. / 24, 1. / 16, 1. / 64, 1. / 384, -1. / 8};
    naik_gauge *v = NULL, *fat = NULL, *naik = NULL;
    CHECK_REQUIRE(t, CHECK_OK(t, naik_comm_create_alone(t->log, &alone)));
    CHECK_REQUIRE(t, fixture_thin_create(t, alone, small, NULL, &f));
    CHECK_OK(t, naik_gauge_create(f.lat, &v));
    CHECK_OK(t, naik_gauge_create(f.lat, &fat));
    CHECK_OK(t, naik_gauge_create(f.lat, &naik));
    /* Closer to 1 than a random field, as a configuration is. */
    for (int64_t i = 0; i < 4 * (int64_t)f.lat->sites; i++) {
        const naik_matrix one = naik_mat_unit();
        naik_mat_add(&f.u->link[i], 2, &one);
    }
    double change = 0;
    CHECK_OK(t, naik_gauge_reunitarise(f.u, &change));

    slow_links(f.u, &hisq1, false, v, NULL);
    naik_gauge_apply_phases(v, false); /* slow_links put the phases in */
    for (int64_t i = 0; i < 4 * (int64_t)f.lat->sites; i++) {
        naik_projection how = NAIK_PROJECTION_SVD;
        v->link[i] = naik_unitarize(&v->link[i], &how);
        CHECK_TRUE(t, !how);
        if (action == NAIK_HISQ_SU3) {
            v->link[i] = divided_by_cube_root(&v->link[i]);
        }
    }
    slow_links(v, &hisq2, true, fat, naik);
    naik_gauge_apply_phases(v, true);
    for (int64_t i = 0; i < 4 * (int64_t)f.lat->sites; i++) {
        naik_mat_add(&fat->link[i], eps / 8, &v->link[i]);
        naik->link[i] = naik_mat_scale(1 + eps, &naik->link[i]);
    }
    naik_gauge_apply_phases(f.u, true);
    naik_fatlong *links = links_of(t, &f, action, eps);
    CHECK_REQUIRE(t, links != NULL);
    CHECK_NEAR(t, fixture_largest_distance(fat, links->fat), 0, 1e-13);
    CHECK_NEAR(t, fixture_largest_distance(naik, links->long_links), 0, 1e-14);
    CHECK_NEAR(t, links->long_scale, (1 + eps) / 24, 1e-17);
    CHECK_NEAR(t, links->naik_epsilon, eps, 0);
    CHECK_INT(t, links->svd_count, 0);
    naik_fatlong_destroy(&links);
    naik_gauge_destroy(&v);
    naik_gauge_destroy(&fat);
    naik_gauge_destroy(&naik);
    fixture_thin_destroy(&f);
    naik_comm_destroy(&alone);
}

static void hisq_is_two_levels_with_a_projection_between(check *t)
{
    compare_hisq_with_its_parts(t, NAIK_HISQ);
    compare_hisq_with_its_parts(t, NAIK_HISQ_SU3);
}

static void bad_arguments_are_refused_with_a_sentence(check *t)
{
    fixture_thin f;
    naik_fattener *fattener = NULL;
    naik_fatlong *links = NULL;
    CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, shared, NULL, &f));
    CHECK_STATUS(t, naik_fattener_create(f.u, NAIK_ASQTAD, 0, NULL, &fattener), NAIK_ERR_INPUT);
    CHECK_STATUS(t, naik_fattener_create(f.u, NAIK_ASQTAD, NAN, NULL, &fattener), NAIK_ERR_INPUT);
    CHECK_TRUE(t, fattener == NULL);
    CHECK_OK(t, naik_fattener_create(f.u, NAIK_ASQTAD, 1, NULL, &fattener));
    CHECK_STATUS(t, naik_fattener_links(fattener, 0.1, &links), NAIK_ERR_INPUT);
    naik_fattener_destroy(&fattener);
    CHECK_OK(t, naik_fattener_create(f.u, NAIK_HISQ, 0, NULL, &fattener));
    CHECK_STATUS(t, naik_fattener_links(fattener, -1, &links), NAIK_ERR_INPUT);
    CHECK_STATUS(t, naik_fattener_links(fattener, NAN, &links), NAIK_ERR_INPUT);
    CHECK_TRUE(t, links == NULL);
    naik_fattener_destroy(&fattener);
    fixture_thin_destroy(&f);
}

/* Links diag(eta, eta, 1) in SU(3), whose phases of two colours are then there twice: without them the
 * paths of fat7 cancel, 1/8 - 3/8 + 3/8 - 1/8, and V is zero in those colours. */
static void projections_that_are_not_unique_are_counted_and_refused(check *t)
{
    fixture_thin f;
    char said[64];
    CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, shared, NULL, &f));
    naik_gauge_set_unit(f.u);
    naik_gauge_apply_phases(f.u, false);
    for (int64_t i = 0; i < (int64_t)f.lat->sites * NAIK_DIM; i++) {
        f.u->link[i].e[2][2].re = 1;
    }
    naik_gauge_apply_phases(f.u, false);
    snprintf(said, sizeof said, "not unique on %lld of %lld fat7 links",
             (long long)(NAIK_DIM * f.lat->volume), (long long)(NAIK_DIM * f.lat->volume));
    for (int k = 0; k < 2; k++) {
        naik_fattener *fattener = NULL;
        const naik_status status = naik_fattener_create(
            f.u, NAIK_HISQ, 0, k == 0 ? NULL : naik_backend_device(f.backend), &fattener);
        CHECK_TRUE(t, strstr(naik_log_message(t->log), said) != NULL);
        CHECK_STATUS(t, status, NAIK_ERR_INPUT);
        CHECK_TRUE(t, fattener == NULL);
        naik_log_clear(t->log);
    }
    fixture_thin_destroy(&f);
}

/* The third colour of links diag(1, 1, s) is s / 8 in V. Where s is small, V needs singular values and is unique;
 * where s is 0, as along t here, it is not. */
static void projections_that_need_singular_values_are_counted_apart(check *t)
{
    fixture_thin f;
    char said[64];
    CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, shared, NULL, &f));
    snprintf(said, sizeof said, "not unique on %lld of %lld fat7 links", (long long)f.lat->volume,
             (long long)(NAIK_DIM * f.lat->volume));
    for (int k = 0; k < 4; k++) {
        naik_fattener *fattener = NULL;
        naik_fatlong *links = NULL;
        naik_gauge_set_unit(f.u);
        naik_gauge_apply_phases(f.u, false);
        for (int64_t i = 0; i < (int64_t)f.lat->sites * NAIK_DIM; i++) {
            f.u->link[i].e[2][2].re *= k < 2 && i % NAIK_DIM == NAIK_DIM - 1 ? 0 : 1e-5;
        }
        const naik_status status = naik_fattener_create(
            f.u, NAIK_HISQ, 0, k % 2 == 0 ? NULL : naik_backend_device(f.backend), &fattener);
        if (k < 2) {
            CHECK_TRUE(t, strstr(naik_log_message(t->log), said) != NULL);
            CHECK_STATUS(t, status, NAIK_ERR_INPUT);
            naik_log_clear(t->log);
        } else if (CHECK_OK(t, status) && CHECK_OK(t, naik_fattener_links(fattener, 0, &links))) {
            CHECK_INT(t, links->svd_count, NAIK_DIM * f.lat->volume);
        }
        naik_fatlong_destroy(&links);
        naik_fattener_destroy(&fattener);
    }
    fixture_thin_destroy(&f);
}

/* ---- the same bits on every grid */
static int links_that_differ(const naik_gauge *part, const naik_gauge *whole)
{
    int differ = 0;
    for (int32_t site = 0; site < part->lattice->sites; site++) {
        int x[4];
        naik_lattice_coords(part->lattice, site, x);
        differ += memcmp(&part->link[(int64_t)site * 4],
                         &whole->link[naik_lattice_global(part->lattice, x) * 4],
                         4 * sizeof(naik_matrix)) != 0;
    }
    return differ;
}

static void compare_grids(check *t, const int size[4])
{
    static const naik_action_type actions[2] = {NAIK_ASQTAD, NAIK_HISQ_SU3};
    for (int k = 0; k < 2; k++) {
        naik_comm *alone = NULL;
        fixture_thin whole, part;
        int grids = 0;
        CHECK_REQUIRE(t, CHECK_OK(t, naik_comm_create_alone(t->log, &alone)));
        CHECK_REQUIRE(t, fixture_thin_create(t, alone, size, NULL, &whole));
        naik_gauge_apply_phases(whole.u, true);
        naik_fatlong *expected = links_of(t, &whole, actions[k], 0);
        CHECK_REQUIRE(t, expected != NULL);
        for (int g = 0; g < 256; g++) {
            const int grid[4] = {1 << (g & 3), 1 << (g >> 2 & 3), 1 << (g >> 4 & 3),
                                 1 << (g >> 6 & 3)};
            bool works = grid[0] * grid[1] * grid[2] * grid[3] == t->comm->size;
            for (int mu = 0; mu < 4; mu++) {
                works = works && size[mu] / grid[mu] >= 4;
            }
            if (!works) {
                continue;
            }
            grids++;
            CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, size, grid, &part));
            naik_gauge_apply_phases(part.u, true);
            naik_fatlong *links = links_of(t, &part, actions[k], 0);
            CHECK_REQUIRE(t, links != NULL);
            CHECK_INT(t, links_that_differ(links->fat, expected->fat), 0);
            CHECK_INT(t, links_that_differ(links->long_links, expected->long_links), 0);
            CHECK_INT(t, links->svd_count, expected->svd_count);
            naik_fatlong_destroy(&links);
            fixture_thin_destroy(&part);
        }
        CHECK_TRUE(t, grids > 0);
        naik_fatlong_destroy(&expected);
        fixture_thin_destroy(&whole);
        naik_comm_destroy(&alone);
    }
}

static void links_have_the_same_bits_on_every_process_grid(check *t)
{
    static const int wide[4] = {8, 16, 8, 8}, tall_box[4] = {272, 4, 4, 4};
    compare_grids(t, wide);
    compare_grids(t, tall_box);
}

static void links_have_the_same_bits_with_any_number_of_threads(check *t)
{
    static const int size[4] = {8, 8, 8, 8};
    const int threads = omp_get_max_threads();
    naik_fatlong *links[3] = {NULL, NULL, NULL};
    naik_comm *alone = NULL;
    fixture_thin f;
    CHECK_REQUIRE(t, CHECK_OK(t, naik_comm_create_alone(t->log, &alone)));
    CHECK_REQUIRE(t, fixture_thin_create(t, alone, size, NULL, &f));
    for (int k = 0; k < 3; k++) {
        omp_set_num_threads(k + 1);
        links[k] = links_of(t, &f, NAIK_HISQ, 0.1);
        CHECK_REQUIRE(t, links[k] != NULL);
        CHECK_INT(t, links_that_differ(links[k]->fat, links[0]->fat), 0);
        CHECK_INT(t, links_that_differ(links[k]->long_links, links[0]->long_links), 0);
    }
    omp_set_num_threads(threads);
    for (int k = 0; k < 3; k++) {
        naik_fatlong_destroy(&links[k]);
    }
    fixture_thin_destroy(&f);
    naik_comm_destroy(&alone);
}

/* ---- the host's bits on any backend, of a field with many links that need singular values */
static void links_have_the_bits_of_the_host(check *t)
{
    static const naik_action_type actions[4] = {NAIK_NAIVE, NAIK_ASQTAD, NAIK_HISQ, NAIK_HISQ_SU3};
    for (int k = 0; k < 4; k++) {
        fixture_thin f;
        naik_fattener *fattener = NULL;
        naik_fatlong *expected = NULL;
        const double eps = actions[k] >= NAIK_HISQ ? 0.1 : 0;
        CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, shared, NULL, &f));
        naik_gauge_apply_phases(f.u, true);
        CHECK_OK(t, naik_fattener_create(f.u, actions[k], 0.9, NULL, &fattener));
        CHECK_OK(t, naik_fattener_links(fattener, eps, &expected));
        naik_fattener_destroy(&fattener);
        naik_fatlong *links = links_of(t, &f, actions[k], eps);
        CHECK_REQUIRE(t, links != NULL && expected != NULL);
        const size_t bytes = 4 * (size_t)f.lat->sites * sizeof(naik_matrix);
        CHECK_INT(t, memcmp(links->fat->link, expected->fat->link, bytes), 0);
        CHECK_TRUE(t, (links->long_links == NULL) == (expected->long_links == NULL));
        if (links->long_links != NULL) {
            CHECK_INT(t, memcmp(links->long_links->link, expected->long_links->link, bytes), 0);
        }
        CHECK_INT(t, links->svd_count, expected->svd_count);
        naik_fatlong_destroy(&expected);
        naik_fatlong_destroy(&links);
        fixture_thin_destroy(&f);
    }
}

CHECK_MAIN(CHECK_UP_TO(1, smearing_equals_the_sum_over_explicit_paths),
           CHECK(coefficients_are_those_of_the_table),
           CHECK(unit_links_give_the_sum_of_coefficients), CHECK(links_are_gauge_covariant),
           CHECK_UP_TO(1, hisq_is_two_levels_with_a_projection_between),
           CHECK(bad_arguments_are_refused_with_a_sentence),
           CHECK(projections_that_are_not_unique_are_counted_and_refused),
           CHECK(projections_that_need_singular_values_are_counted_apart),
           CHECK(links_have_the_same_bits_on_every_process_grid),
           CHECK_UP_TO(1, links_have_the_same_bits_with_any_number_of_threads),
           CHECK(links_have_the_bits_of_the_host))
