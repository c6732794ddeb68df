/* test_clover.c - clover blocks and their inverses against the reference, on every grid */
#include <math.h>
#include <string.h>

#include "comm/collective.h"
#include "fixture.h"
#include "links/clover.h"
#include "wilson_ref.h"

static const int size[4] = {8, 4, 4, 8};

typedef struct sample {
    fixture_links f;
    naik_clover *clover;
} sample;

/* grid NULL: chosen */
static bool make(check *t, const int grid[4], bool alone, double mass, double csw, sample *s)
{
    s->clover = NULL;
    return fixture_links_create(t, size, grid, alone, 21, &s->f) &&
           CHECK_OK(t, naik_clover_create(s->f.u, mass, csw, &s->clover));
}

static void release(sample *s)
{
    naik_clover_destroy(&s->clover);
    fixture_links_destroy(&s->f);
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
            largest = d <= largest ? largest : d;
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
    CHECK_REQUIRE(t, CHECK_OK(t, wilson_ref_create(s.f.u, true, mass, csw, &w)));
    for (int32_t site = 0; site < s.f.lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s.f.lat, site, x);
        const int64_t global = naik_lattice_global(s.f.lat, x);
        CHECK_NEAR(t, difference(s.clover->block[site], w->diagonal[global]), 0, 1e-14);
        CHECK_NEAR(t, difference(s.clover->inverse[site], w->inverse[global]), 0, 1e-13);
    }
    CHECK_INT(t, s.clover->pivoted, 0);
    wilson_ref_destroy(&w);
    release(&s);
}

static void blocks_are_those_of_the_reference(check *t)
{
    fixture_for_grids(t, size, 4, compare_with_reference);
}

static void compare_with_one_rank(check *t, const int extents[4], const int grid[4])
{
    (void)extents;
    sample s, one;
    CHECK_REQUIRE(t, make(t, grid, false, -0.1, 1.7, &s));
    CHECK_REQUIRE(t, make(t, NULL, true, -0.1, 1.7, &one));
    for (int32_t site = 0; site < s.f.lat->sites; site++) {
        int x[4];
        naik_lattice_coords(s.f.lat, site, x);
        const int64_t global = naik_lattice_global(s.f.lat, x);
        CHECK_INT(
            t, memcmp(s.clover->block[site], one.clover->block[global], sizeof *one.clover->block),
            0);
        CHECK_INT(t,
                  memcmp(s.clover->inverse[site], one.clover->inverse[global],
                         sizeof *one.clover->inverse),
                  0);
    }
    release(&s);
    release(&one);
}

static void blocks_have_the_same_bits_on_every_grid(check *t)
{
    fixture_for_grids(t, size, 6, compare_with_one_rank);
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
        largest = size_of <= largest ? largest : size_of;
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
            const naik_block *a = &s.clover->block[site][k];
            naik_block ignored;
            least += !naik_block_cholesky(a, &ignored);
            CHECK_NEAR(t, inverse_error(a, &s.clover->inverse[site][k]), 0, 1e-11);
        }
    }
    pivoted = s.clover->pivoted;
    CHECK_OK(t, naik_comm_sum_i64(t->comm, &least, 1));
    CHECK_INT(t, pivoted, least);
    CHECK_TRUE(t, pivoted > s.f.lat->volume);
    release(&s);
}

static void positive_blocks_are_inverted_as_well_with_pivots(check *t)
{
    sample s;
    CHECK_REQUIRE(t, make(t, NULL, false, 0.2, 1.1, &s));
    for (int32_t site = 0; site < s.f.lat->sites; site += 7) {
        naik_block pivots;
        CHECK_TRUE(t, naik_block_eliminate(&s.clover->block[site][1], &pivots));
        CHECK_NEAR(t, inverse_error(&s.clover->block[site][1], &pivots), 0, 1e-13);
    }
    release(&s);
}

static void singular_blocks_are_refused_with_their_site(check *t)
{
    sample s;
    naik_clover *clover = NULL;
    CHECK_REQUIRE(t, make(t, NULL, false, 0, 1, &s));
    /* Around the site 3 2 1 5 every plaquette is 1: C is 0 there. */
    const int at[4] = {3, 2, 1, 5};
    for (int32_t site = 0; site < s.f.lat->sites; site++) {
        int x[4];
        bool near = true;
        naik_lattice_coords(s.f.lat, site, x);
        for (int mu = 0; mu < 4; mu++) {
            const int d = (x[mu] + s.f.lat->origin[mu] - at[mu] + size[mu]) % size[mu];
            near = near && (d <= 1 || d == size[mu] - 1);
        }
        for (int mu = 0; near && mu < 4; mu++) {
            s.f.u->link[4 * site + mu] = naik_mat_unit();
        }
    }
    CHECK_STATUS(t, naik_clover_create(s.f.u, -4, 1, &clover), NAIK_ERR_INPUT);
    CHECK_TRUE(t, clover == NULL);
    release(&s);
}

CHECK_MAIN(CHECK(blocks_are_those_of_the_reference), CHECK(blocks_have_the_same_bits_on_every_grid),
           CHECK(blocks_without_definite_sign_are_inverted_and_counted),
           CHECK(positive_blocks_are_inverted_as_well_with_pivots),
           CHECK(singular_blocks_are_refused_with_their_site))
