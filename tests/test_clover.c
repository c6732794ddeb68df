/* test_clover.c - clover blocks and their inverses against the reference, on every grid and backend
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/create.h"
#include "comm/collective.h"
#include "fixture.h"
#include "links/clover.h"
#include "wilson_ref.h"

static const int size[4] = {8, 4, 4, 8};

typedef naik_block site_blocks[NAIK_SITE_BLOCKS];

typedef struct sample {
    fixture_thin f;
    naik_comm *alone;
    naik_clover *clover;          /* where the backend is */
    site_blocks *block, *inverse; /* [sites] of it, on the host */
} sample;

static site_blocks *fetch(check *t, const naik_clover *clover, const site_blocks *from)
{
    const size_t bytes = (size_t)clover->lattice->sites * sizeof *from;
    site_blocks *to = malloc(bytes);
    if (clover->device == NULL) {
        memcpy(to, from, bytes);
    } else {
        CHECK_OK(t, clover->device->memory->download(clover->device, to, from, bytes));
    }
    return to;
}

static bool make_blocks(check *t, double mass, double twisted_mass, double csw, sample *s)
{
    if (!CHECK_OK(t, naik_clover_create(s->f.u, naik_backend_device(s->f.backend), mass,
                                        twisted_mass, csw, &s->clover))) {
        return false;
    }
    s->block = fetch(t, s->clover, (const site_blocks *)s->clover->block);
    s->inverse = fetch(t, s->clover, (const site_blocks *)s->clover->inverse);
    return true;
}

static void release_blocks(sample *s)
{
    naik_clover_destroy(&s->clover);
    free(s->block);
    free(s->inverse);
    s->block = s->inverse = NULL;
}

/* grid NULL: chosen */
static bool make(check *t, const int grid[4], bool alone, double mass, double csw, sample *s)
{
    *s = (sample){.alone = NULL};
    return (!alone || CHECK_OK(t, naik_comm_create_alone(t->log, &s->alone))) &&
           fixture_thin_create(t, alone ? s->alone : t->comm, size, grid, &s->f) &&
           make_blocks(t, mass, 0, csw, s);
}

static void release(sample *s)
{
    release_blocks(s);
    fixture_thin_destroy(&s->f);
    naik_comm_destroy(&s->alone);
}

/* Largest difference of the two blocks of a site from a 12 x 12 matrix. */
static double difference(const naik_block block[2], const wilson_block expected)
{
    double largest = 0;
    for (int i = 0; i < 12; i++) {
        for (int j = 0; j < 12; j++) {
            naik_complex b = {0, 0};
            if (i / 6 == j / 6) {
                b = naik_block_at(&block[i / 6], i % 6, j % 6);
            }
            const double d = cabs(wilson_complex(b.re, b.im) - expected[i][j]);
            largest = naik_worst(largest, d);
        }
    }
    return largest;
}

static void compare_with_reference(check *t, const int extents[4], const int grid[4])
{
    (void)extents;
    sample s;
    wilson_ref *w = NULL;
    const double mass = 0.3, csw = 1.4;
    CHECK_REQUIRE(t, make(t, grid, false, mass, csw, &s));
    CHECK_REQUIRE(t, CHECK_OK(t, wilson_ref_create(s.f.u, true, mass, 0, csw, &w)));
    for (int32_t site = 0; site < s.f.lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s.f.lat, site, x);
        const int64_t global = naik_lattice_global(s.f.lat, x);
        CHECK_NEAR(t, difference(s.block[site], w->diagonal[global]), 0, 1e-14);
        CHECK_NEAR(t, difference(s.inverse[site], w->inverse[global]), 0, 1e-13);
    }
    CHECK_INT(t, s.clover->pivoted, 0);
    wilson_ref_destroy(&w);
    release(&s);
}

static void blocks_are_those_of_the_reference(check *t)
{
    fixture_for_grids(t, size, 4, compare_with_reference);
}

/* Of which some need pivots. */
static void compare_with_one_rank(check *t, const int extents[4], const int grid[4])
{
    (void)extents;
    sample s, one;
    CHECK_REQUIRE(t, make(t, grid, false, -3.2, 1.7, &s));
    CHECK_REQUIRE(t, make(t, NULL, true, -3.2, 1.7, &one));
    for (int32_t site = 0; site < s.f.lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s.f.lat, site, x);
        const int64_t global = naik_lattice_global(s.f.lat, x);
        CHECK_INT(t, memcmp(s.block[site], one.block[global], sizeof *s.block), 0);
        CHECK_INT(t, memcmp(s.inverse[site], one.inverse[global], sizeof *s.inverse), 0);
    }
    CHECK_NEAR(t, s.clover->largest, one.clover->largest, 0);
    CHECK_NEAR(t, s.clover->largest_inverse, one.clover->largest_inverse, 0);
    CHECK_INT(t, s.clover->pivoted, one.clover->pivoted);
    release(&s);
    release(&one);
}

static void blocks_have_the_same_bits_on_every_grid(check *t)
{
    fixture_for_grids(t, size, 6, compare_with_one_rank);
}

/* The backend's blocks are those of the host: positive ones, and some that need pivots. */
static void compare_with_host(check *t, const int extents[4], const int grid[4])
{
    static const double mass[] = {0.3, -3.2, -3.2}, twisted_mass[] = {0, 0, 0.4}, csw = 1.4;
    (void)extents;
    for (int m = 0; m < 3; m++) {
        sample s;
        naik_clover *here = NULL;
        CHECK_REQUIRE(t, make(t, grid, false, mass[m], csw, &s));
        release_blocks(&s);
        CHECK_REQUIRE(t, make_blocks(t, mass[m], twisted_mass[m], csw, &s));
        CHECK_REQUIRE(
            t, CHECK_OK(t, naik_clover_create(s.f.u, NULL, mass[m], twisted_mass[m], csw, &here)));
        const size_t bytes = (size_t)s.f.lat->sites * sizeof *s.block;
        CHECK_INT(t, memcmp(s.block, here->block, bytes), 0);
        CHECK_INT(t, memcmp(s.inverse, here->inverse, bytes), 0);
        CHECK_NEAR(t, s.clover->largest, here->largest, 0);
        CHECK_NEAR(t, s.clover->largest_inverse, here->largest_inverse, 0);
        CHECK_INT(t, s.clover->pivoted, here->pivoted);
        CHECK_TRUE(t, (here->pivoted > 0) == (m == 1) && here->pivoted < 2 * s.f.lat->volume);
        naik_clover_destroy(&here);
        release(&s);
    }
}

static void blocks_have_the_bits_of_the_host(check *t)
{
    fixture_for_grids(t, size, 6, compare_with_host);
}

static double row_sum(const naik_block *a, int i)
{
    double sum = 0;
    for (int j = 0; j < 6; j++) {
        const naik_complex z = naik_block_at(a, i, j);
        sum += cabs(wilson_complex(z.re, z.im));
    }
    return sum;
}

static void bounds_are_the_largest_sums_of_rows(check *t)
{
    sample s;
    double most[2] = {0, 0};
    CHECK_REQUIRE(t, make(t, NULL, false, 0.1, 1.3, &s));
    for (int32_t i = 0; i < 12 * s.f.lat->sites; i++) {
        most[0] = naik_worst(most[0], row_sum(&s.block[i / 12][i / 6 % 2], i % 6));
        most[1] = naik_worst(most[1], row_sum(&s.inverse[i / 12][i / 6 % 2], i % 6));
    }
    CHECK_OK(t, naik_comm_max_f64(t->comm, most, 2));
    CHECK_NEAR(t, s.clover->largest, most[0], 1e-14 * most[0]);
    CHECK_NEAR(t, s.clover->largest_inverse, most[1], 1e-14 * most[1]);
    release(&s);
}

/* Largest deviation of block times inverse from 1. */
static double inverse_error(const naik_block *a, const naik_block *b)
{
    double largest = 0;
    for (int i = 0; i < 36; i++) {
        naik_complex sum = {i / 6 == i % 6 ? -1 : 0, 0};
        for (int k = 0; k < 6; k++) {
            sum = naik_cfma(naik_block_at(a, i / 6, k), naik_block_at(b, k, i % 6), sum);
        }
        const double size_of = sqrt(naik_cnorm2(sum));
        largest = naik_worst(largest, size_of);
    }
    return largest;
}

/* m + 4 is less than what C reaches: half of the eigenvalues or so are negative. */
static void blocks_without_definite_sign_are_inverted_and_counted(check *t)
{
    sample s;
    int64_t least = 0, pivoted;
    CHECK_REQUIRE(t, make(t, NULL, false, -3.9, 1, &s));
    for (int32_t site = 0; site < s.f.lat->sites; site++) {
        for (int k = 0; k < 2; k++) {
            const naik_block *a = &s.block[site][k];
            naik_block ignored;
            least += !naik_block_cholesky(a, &ignored);
            CHECK_NEAR(t, inverse_error(a, &s.inverse[site][k]), 0, 1e-11);
        }
    }
    pivoted = s.clover->pivoted;
    CHECK_OK(t, naik_comm_sum_i64(t->comm, &least, 1));
    CHECK_INT(t, pivoted, least);
    CHECK_TRUE(t, pivoted > s.f.lat->volume);
    release(&s);
}

/* (A^2 + mu^2) inverse = 1, whatever the signs of A, and A is what it is without mu. */
static void the_inverse_of_a_twisted_mass_is_that_of_a_square(check *t)
{
    const double mu = 0.4;
    sample s, plain;
    CHECK_REQUIRE(t, make(t, NULL, false, -3.9, 1, &s) && make(t, NULL, false, -3.9, 1, &plain));
    release_blocks(&s);
    CHECK_REQUIRE(t, make_blocks(t, -3.9, mu, 1, &s));
    for (int32_t i = 0; i < 2 * s.f.lat->sites; i++) {
        const naik_block *a = &s.block[i / 2][i % 2];
        naik_block square = {.diagonal = {0}};
        for (int k = 0; k < 36; k++) {
            naik_complex sum = {k / 6 == k % 6 ? mu * mu : 0, 0};
            for (int j = 0; j < 6; j++) {
                sum = naik_cfma(naik_block_at(a, k / 6, j), naik_block_at(a, j, k % 6), sum);
            }
            if (k / 6 == k % 6) {
                square.diagonal[k / 6] = sum.re;
            } else if (k / 6 > k % 6) {
                square.lower[k / 6 * (k / 6 - 1) / 2 + k % 6] = sum;
            }
        }
        CHECK_NEAR(t, inverse_error(&square, &s.inverse[i / 2][i % 2]), 0, 1e-13);
        CHECK_INT(t, memcmp(a, &plain.block[i / 2][i % 2], sizeof *a), 0);
    }
    CHECK_INT(t, s.clover->pivoted, 0);
    release(&plain);
    release(&s);
}

static void positive_blocks_are_inverted_as_well_with_pivots(check *t)
{
    sample s;
    CHECK_REQUIRE(t, make(t, NULL, false, 0.2, 1.1, &s));
    for (int32_t site = 0; site < s.f.lat->sites; site += 7) {
        naik_block pivots;
        CHECK_TRUE(t, naik_block_eliminate(&s.block[site][1], &pivots));
        CHECK_NEAR(t, inverse_error(&s.block[site][1], &pivots), 0, 1e-13);
    }
    release(&s);
}

/* Around the site `at` every plaquette becomes 1: C is 0 there. */
static void flatten(const fixture_thin *f, const int at[4])
{
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        bool near = true;
        naik_lattice_coords(f->lat, site, x);
        for (int mu = 0; mu < 4; mu++) {
            const int d = (x[mu] + f->lat->origin[mu] - at[mu] + size[mu]) % size[mu];
            near = near && (d <= 1 || d == size[mu] - 1);
        }
        for (int mu = 0; near && mu < 4; mu++) {
            f->u->link[4 * site + mu] = naik_mat_unit();
        }
    }
}

/* Of two such sites the first one, whichever rank has it; most others need pivots. */
static void refuse_singular(check *t, const int extents[4], const int grid[4])
{
    (void)extents;
    sample s;
    naik_clover *clover = NULL;
    CHECK_REQUIRE(t, make(t, grid, false, 0, 1, &s));
    naik_device *device = naik_backend_device(s.f.backend);
    flatten(&s.f, (const int[]){3, 2, 1, 5});
    flatten(&s.f, (const int[]){5, 1, 3, 2});
    const naik_status status = naik_clover_create(s.f.u, device, -4, 0, 1, &clover);
    const char *first = "m + 4 + C cannot be inverted at site 5 1 3 2 (x y z t)";
    CHECK_TRUE(t, strstr(naik_log_message(t->log), first) != NULL);
    CHECK_STATUS(t, status, NAIK_ERR_INPUT);
    CHECK_TRUE(t, clover == NULL);
    release_blocks(&s);
    CHECK_TRUE(t, make_blocks(t, 0, 0, 1, &s)); /* as if nothing had been */
    CHECK_INT(t, s.clover->pivoted, 0);
    release(&s);
}

static void singular_blocks_are_refused_with_their_site(check *t)
{
    fixture_for_grids(t, size, 6, refuse_singular);
}

/* Links go up once, and a few words come down. Between ranks faces of links travel as well. */
static void links_go_to_the_device_once_and_blocks_stay_there(check *t)
{
    sample s;
    naik_gauge *there = NULL;
    CHECK_REQUIRE(t, make(t, NULL, false, 0.1, 1, &s));
    naik_device *device = naik_backend_device(s.f.backend);
    if (device != NULL && device->memory->moved != NULL && t->comm->size == 1) {
        double moved[3][2];
        const double links = 4 * (double)s.f.lat->sites * sizeof(naik_matrix);
        CHECK_OK(t, naik_gauge_bring(s.f.u, device, &there));
        for (int i = 0; i < 3; i++) {
            device->memory->moved(device, &moved[i][0], &moved[i][1]);
            naik_clover_destroy(&s.clover);
            CHECK_OK(t, naik_clover_create(i == 0 ? s.f.u : there, device, 0.1, 0, 1, &s.clover));
        }
        CHECK_NEAR(t, moved[1][0] - moved[0][0], links, 256);
        CHECK_NEAR(t, moved[2][0] - moved[1][0], 0, 256);
        CHECK_NEAR(t, moved[1][1] - moved[0][1], 0, 256);
    }
    naik_gauge_destroy(&there);
    release(&s);
}

CHECK_MAIN(CHECK(blocks_are_those_of_the_reference), CHECK(blocks_have_the_same_bits_on_every_grid),
           CHECK(blocks_have_the_bits_of_the_host), CHECK(bounds_are_the_largest_sums_of_rows),
           CHECK(blocks_without_definite_sign_are_inverted_and_counted),
           CHECK(the_inverse_of_a_twisted_mass_is_that_of_a_square),
           CHECK(positive_blocks_are_inverted_as_well_with_pivots),
           CHECK(singular_blocks_are_refused_with_their_site),
           CHECK(links_go_to_the_device_once_and_blocks_stay_there))
