/* test_census.c - what is counted of links, and the limits of each count, on links made for it
 *
 * ranks: 1 2
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "gauge/link_census.h"
#include "io/links/kinds.h"
#include "lattice/su3.h"
#include "naik/gauge.h"

static const int size[4] = {4, 4, 4, 8};
static const double limit = 1e-4;

/* Which link is changed, and by what number it is multiplied. */
typedef struct change {
    int x[4], mu;
    double factor, angle;
} change;

static void multiply(naik_gauge *links, const change *c)
{
    const naik_lattice *lat = links->lattice;
    int x[4];
    for (int mu = 0; mu < 4; mu++) {
        x[mu] = c->x[mu] - lat->origin[mu];
        if (x[mu] < 0 || x[mu] >= lat->local[mu]) {
            return;
        }
    }
    naik_matrix *u = &links->link[4 * (int64_t)naik_lattice_site(lat, x) + c->mu];
    const naik_complex z = {c->factor * cos(c->angle), c->factor * sin(c->angle)};
    for (int i = 0; i < 9; i++) {
        u->e[i / 3][i % 3] = naik_cmul(z, u->e[i / 3][i % 3]);
    }
}

static bool take(check *t, const change *changes, int count, int reach, bool phases,
                 naik_link_census *out)
{
    naik_lattice *lat = NULL;
    naik_gauge *links = NULL;
    const int grid[4] = {1, 1, 1, t->comm->size};
    bool good = CHECK_OK(t, naik_lattice_create(t->comm, size, grid, &lat)) &&
                CHECK_OK(t, naik_gauge_create(lat, &links));
    if (good) {
        naik_gauge_set_random(links, 5);
        if (phases) {
            naik_gauge_apply_phases(links, true);
        }
        for (int i = 0; i < count; i++) {
            multiply(links, &changes[i]);
        }
        good = CHECK_OK(t, naik_link_census_take(links, limit, reach, out));
    }
    naik_gauge_destroy(&links);
    naik_lattice_destroy(&lat);
    return good;
}

/* One link of all, and everything that is counted of it: zero, zero of the last slice, off, far, negative,
 * negative of the last slice, turned. A size of 1 + h is 2 h off, an angle of a turns the determinant by 3 a. */
static void each_count_has_its_limits(check *t)
{
    static const struct {
        change at;
        int zero, zero_last, off, far, negative, negative_last, turned;
        bool scaled;
    } rows[] = {{{{1, 2, 3, 4}, 3, 1, 0}, 0, 0, 0, 0, 0, 0, 0, true},
                {{{1, 2, 3, 4}, 3, 0, 0}, 1, 0, 0, 0, 0, 0, 0, false},
                {{{1, 2, 3, 7}, 3, 0, 0}, 1, 1, 0, 0, 0, 0, 0, false},
                {{{1, 2, 3, 7}, 2, 0, 0}, 1, 0, 0, 0, 0, 0, 0, false},
                {{{0, 0, 0, 0}, 0, 1 + 0.45e-4, 0}, 0, 0, 0, 0, 0, 0, 0, true},
                {{{0, 0, 0, 0}, 0, 1 + 0.55e-4, 0}, 0, 0, 1, 0, 0, 0, 0, true},
                {{{0, 0, 0, 0}, 0, 1 + 0.95e-4, 0}, 0, 0, 1, 0, 0, 0, 0, true},
                {{{0, 0, 0, 0}, 0, 1 + 1.05e-4, 0}, 0, 0, 1, 0, 0, 0, 0, false},
                {{{0, 0, 0, 0}, 0, 1.024, 0}, 0, 0, 1, 0, 0, 0, 0, false},
                {{{0, 0, 0, 0}, 0, 1.026, 0}, 0, 0, 1, 1, 0, 0, 0, false},
                {{{3, 0, 0, 0}, 1, -1, 0}, 0, 0, 0, 0, 1, 0, 0, true},
                {{{3, 0, 0, 7}, 1, -1, 0}, 0, 0, 0, 0, 1, 0, 0, true},
                {{{3, 0, 0, 7}, 3, -1, 0}, 0, 0, 0, 0, 1, 1, 0, true},
                {{{3, 0, 0, 6}, 3, -1, 0}, 0, 0, 0, 0, 1, 0, 0, true},
                {{{3, 0, 0, 6}, 3, -1.2, 0}, 0, 0, 1, 1, 0, 0, 0, false},
                {{{3, 0, 0, 6}, 3, -1, 0.033}, 0, 0, 0, 0, 1, 0, 0, true},
                {{{3, 0, 0, 6}, 3, -1, 0.034}, 0, 0, 0, 0, 0, 0, 1, true},
                {{{3, 0, 0, 6}, 3, 1, 0.033}, 0, 0, 0, 0, 0, 0, 0, true},
                {{{3, 0, 0, 6}, 3, 1, 0.034}, 0, 0, 0, 0, 0, 0, 1, true},
                {{{3, 0, 0, 6}, 3, 1.2, 0.5}, 0, 0, 1, 1, 0, 0, 0, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_link_census c;
        CHECK_REQUIRE(t, take(t, &rows[i].at, 1, 1, false, &c));
        int64_t negative = 0;
        for (int mu = 0; mu < 4; mu++) {
            negative += c.negative[mu];
        }
        const long long got[] = {
            c.links, c.last,   c.zero,          c.zero_last, c.off,
            c.far,   negative, c.negative_last, c.turned,    c.negative[rows[i].at.mu]};
        const long long want[] = {4 * 512,          64,
                                  rows[i].zero,     rows[i].zero_last,
                                  rows[i].off,      rows[i].far,
                                  rows[i].negative, rows[i].negative_last,
                                  rows[i].turned,   rows[i].negative};
        for (size_t k = 0; k < sizeof got / sizeof *got; k++) {
            if (!CHECK_INT(t, got[k], want[k])) {
                fprintf(stderr, "    row %zu, number %zu\n", i, k);
            }
        }
        CHECK_INT(t, naik_link_census_is_scaled(&c, limit), rows[i].scaled);
        const double factor = fabs(rows[i].at.factor);
        CHECK_NEAR(t, c.scale_most, fmax(1, factor), 1e-12);
        CHECK_NEAR(t, c.scale_least, factor == 0 ? 1 : fmin(1, factor), 1e-12);
    }
}

/* Slices from T - reach on lead around: a sign there is in another mean than one before. */
static void links_that_reach_around_have_a_mean_of_their_own(check *t)
{
    for (int reach = 1; reach <= 3; reach += 2) {
        for (int slice = 0; slice < size[3]; slice++) {
            const change at = {{1, 0, 1, slice}, 3, -1, 0};
            const bool around = slice >= size[3] - reach;
            naik_link_census c;
            CHECK_REQUIRE(t, take(t, &at, 1, reach, false, &c));
            CHECK_NEAR(t, c.around, around ? 1 - 2.0 / (64 * reach) : 1, 1e-5);
            CHECK_NEAR(t, c.bare[3], around ? 1 : 1 - 2.0 / (64 * (size[3] - reach)), 1e-5);
            for (int mu = 0; mu < 3; mu++) {
                CHECK_NEAR(t, c.bare[mu], 1, 1e-5);
            }
        }
    }
}

/* Phases show in the signs of three directions, and the boundary in the last slice; both are taken out. */
static void phases_and_the_boundary_show(check *t)
{
    naik_link_census with, without;
    CHECK_REQUIRE(t, take(t, NULL, 0, 1, true, &with));
    CHECK_REQUIRE(t, take(t, NULL, 0, 1, false, &without));
    CHECK_NEAR(t, with.around, -1, 1e-5);
    CHECK_NEAR(t, without.around, 1, 1e-5);
    for (int mu = 0; mu < 4; mu++) {
        const double sign = mu == 3;
        CHECK_NEAR(t, with.bare[mu], sign, 1e-5);
        CHECK_NEAR(t, with.phased[mu], 1, 1e-5);
        CHECK_NEAR(t, without.bare[mu], 1, 1e-5);
        CHECK_NEAR(t, without.phased[mu], sign, 1e-5);
        CHECK_INT(t, with.negative[mu], mu == 3 ? 64 : 256);
    }
    CHECK_INT(t, with.negative_last, 64);
}

/* The number that long links are of unitary ones; zero is another file, what is no number a damaged one. */
static void long_links_have_a_scale(check *t)
{
    static const struct {
        double factor;
        naik_status status;
    } rows[] = {{1, NAIK_OK},
                {-1.0 / 24, NAIK_OK},
                {0, NAIK_ERR_INPUT},
                {NAN, NAIK_ERR_CORRUPT},
                {INFINITY, NAIK_ERR_CORRUPT}};
    naik_lattice *lat = NULL;
    naik_gauge *links = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat));
    CHECK_OK(t, naik_gauge_create(lat, &links));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double scale = -1;
        naik_gauge_set_random(links, 5);
        for (int64_t k = 0; k < 4 * (int64_t)lat->sites; k++) {
            links->link[k] = naik_mat_scale(rows[i].factor, &links->link[k]);
        }
        CHECK_STATUS(t, naik_links_measure_scale(links, &scale), rows[i].status);
        naik_log_clear(t->log);
        CHECK_TRUE(t, rows[i].status != NAIK_OK || fabs(scale - fabs(rows[i].factor)) < 1e-14);
    }
    naik_gauge_destroy(&links);
    naik_lattice_destroy(&lat);
}

CHECK_MAIN(CHECK(each_count_has_its_limits),
           CHECK(links_that_reach_around_have_a_mean_of_their_own),
           CHECK(phases_and_the_boundary_show), CHECK(long_links_have_a_scale))
