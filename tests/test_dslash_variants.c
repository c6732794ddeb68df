/* test_dslash_variants.c - kernels that a backend chooses between, and links it need not read
 *
 * ranks: 1 2
 */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "backend/dslash.h"
#include "dslash_fixture.h"
#include "lattice/su3.h"
#include "links/smear.h"

static void fix_temporal_gauge(const fixture *f)
{
    for (int32_t site = 0; site < f->lat->sites; site++) {
        int x[4];
        naik_lattice_coords(f->lat, site, x);
        if (x[3] + f->lat->origin[3] != f->lat->size[3] - 1) {
            f->source->fat->link[4 * (int64_t)site + 3] = naik_mat_unit();
        }
    }
}

/* Links in direction t that are 1 need not be read; those of the last slice, which are not, must.
 */
static void temporal_gauge_matches_reference(check *t)
{
    static const dslash_pair stored[] = {{NAIK_DOUBLE, NAIK_DOUBLE, 18, 32 * DBL_EPSILON},
                                         {NAIK_SINGLE, NAIK_SINGLE, 18, 32 * FLT_EPSILON},
                                         {NAIK_DOUBLE, NAIK_DOUBLE, 13, 64 * DBL_EPSILON},
                                         {NAIK_SINGLE, NAIK_SINGLE, 13, 64 * FLT_EPSILON},
                                         {NAIK_SINGLE, NAIK_HALF, 18, 1e-4}};
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, true, 0, &f)) {
        fix_temporal_gauge(&f);
        for (size_t i = 0; i < sizeof stored / sizeof *stored; i++) {
            naik_links *links = NULL;
            CHECK_OK(t, naik_links_create(f.geometry, f.source, stored[i].links,
                                          dslash_recon_of(&f, &stored[i]), &links));
            CHECK_TRUE(t, links != NULL && links->unit_time);
            for (int nrhs = 1; links != NULL && nrhs <= 4; nrhs += 3) {
                dslash_compare(t, &f, links, &stored[i], nrhs, NAIK_EVEN);
                dslash_compare(t, &f, links, &stored[i], nrhs, NAIK_ODD);
            }
            naik_links_destroy(&links);
        }
    }
    fixture_destroy(&f);
}

/* Whether links of 12 numbers made of these thin links, where the backend has them, are known to be
 * 1 in direction t. */
static bool are_known_to_be_1(check *t, const fixture *f)
{
    naik_fattener *fattener = NULL;
    naik_fatlong *there = NULL;
    naik_links *links = NULL;
    bool known = false;
    CHECK_OK(t, naik_fattener_create(f->source->fat, NAIK_NAIVE, 1, naik_backend_device(f->backend),
                                     &fattener));
    CHECK_OK(t, naik_fattener_links(fattener, 0, &there));
    CHECK_OK(t, naik_links_create(f->geometry, there, NAIK_DOUBLE, 12, &links));
    known = links != NULL && links->unit_time;
    naik_links_destroy(&links);
    naik_fatlong_destroy(&there);
    naik_fattener_destroy(&fattener);
    return known;
}

static void temporal_gauge_is_found_where_links_are(check *t)
{
    fixture f;
    if (fixture_create(t, dslash_odd_halves, NULL, false, true, 0, &f)) {
        CHECK_TRUE(t, !are_known_to_be_1(t, &f));
        fix_temporal_gauge(&f);
        CHECK_TRUE(t, are_known_to_be_1(t, &f));
        if (t->comm->rank == 0) { /* one number of the first slice */
            f.source->fat->link[3].e[1][2].im = 1e-300;
        }
        CHECK_TRUE(t, !are_known_to_be_1(t, &f));
    }
    fixture_destroy(&f);
}

/* All that a GPU's tuner may choose between; what a volume has odd half-extents for shows here too.
 */
static void every_variant_gives_the_same_bits(check *t)
{
    static const int widths[] = {1, 2, 3, 5, 8, 12, 16},
                     volumes[][4] = {{4, 6, 10, 14}, {8, 8, 4, 4}};
    enum { MOST = 48 };
    if (strcmp(fixture_backend_name(), "gpu") != 0 || t->comm->size > 1) {
        CHECK_SKIP(t, "one rank with a GPU has variants to choose between");
    }
    for (int naive = 0; naive < 2; naive++) {
        for (int volume = 0; volume < 2; volume++) {
            fixture f;
            CHECK_REQUIRE(t, fixture_create(t, volumes[volume], NULL, false, naive, 0, &f));
            const size_t bytes = dslash_step_bytes(f.lat->sites);
            double *one = calloc(1, bytes), *many = calloc(1, bytes);
            for (int i = 0; i < DSLASH_PAIRS; i++) {
                naik_links *links = NULL;
                const int recon = dslash_recon_of(&f, &dslash_pairs[i]);
                if (recon == 0) {
                    continue;
                }
                CHECK_OK(t, naik_links_create(f.geometry, f.source, dslash_pairs[i].links, recon,
                                              &links));
                f.backend->choices.variant = 1;
                dslash_step_bits(t, &f, links, dslash_pairs[i].vectors, 1, one);
                for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
                    for (int v = 1; v <= MOST && !t->failed; v += widths[w] > 8 ? 5 : 1) {
                        f.backend->choices.variant = v;
                        dslash_step_bits(t, &f, links, dslash_pairs[i].vectors, widths[w], many);
                        CHECK_TRUE(t, memcmp(one, many, bytes) == 0);
                    }
                }
                f.backend->choices.variant = 0;
                naik_links_destroy(&links);
            }
            free(one);
            free(many);
            fixture_destroy(&f);
        }
    }
}

/* Of one site: 1, 3 (rows), 4 (kinds of points), 12; rows only where links are stored whole. */
static void threads_a_site_give_the_same_bits(check *t)
{
    static const int threads[] = {1, 3, 4, 12};
    if (strcmp(fixture_backend_name(), "gpu") != 0) {
        CHECK_SKIP(t, "a GPU divides a site over threads");
    }
    for (int naive = 0; naive < 2; naive++) {
        fixture f;
        CHECK_REQUIRE(t, fixture_create(t, dslash_odd_halves, NULL, false, naive, 0, &f));
        const size_t bytes = dslash_step_bytes(f.lat->sites);
        double *one = calloc(1, bytes), *many = calloc(1, bytes);
        for (int i = 0; i < DSLASH_PAIRS; i++) {
            const dslash_pair *p = &dslash_pairs[i];
            const int recon = dslash_recon_of(&f, p);
            naik_links *links = NULL;
            if (recon == 0) {
                continue;
            }
            CHECK_OK(t, naik_links_create(f.geometry, f.source, p->links, recon, &links));
            for (int k = 0; k < 4; k++) {
                f.backend->choices.threads_per_site = threads[k];
                if (threads[k] % 3 == 0 && recon != 18 && recon != 6) {
                    naik_field *in = fixture_field(t, &f, p->vectors, 1, 100, NAIK_ODD);
                    naik_field *out = fixture_field(t, &f, p->vectors, 1, 200, NAIK_EVEN);
                    CHECK_STATUS(t, naik_dslash_plain(links, in, NAIK_EVEN, out), NAIK_ERR_ARG);
                    naik_field_destroy(&in);
                    naik_field_destroy(&out);
                    continue;
                }
                for (int nrhs = 1; nrhs <= 2; nrhs++) {
                    const bool first = k == 0 && nrhs == 1;
                    dslash_step_bits(t, &f, links, p->vectors, nrhs, first ? one : many);
                    CHECK_TRUE(t, first || memcmp(one, many, bytes) == 0);
                }
            }
            f.backend->choices.threads_per_site = 0;
            naik_links_destroy(&links);
        }
        free(one);
        free(many);
        fixture_destroy(&f);
    }
}

/* The bytes that measurements and rules count a link with are those that it takes. */
static void links_take_the_bytes_they_are_counted_with(check *t)
{
    CHECK_INT(t, naik_link_bytes(NAIK_HALF, 6), 24); /* six words, which a GPU alone stores */
    for (int naive = 0; naive < 2; naive++) {
        fixture f;
        CHECK_REQUIRE(t, fixture_create(t, dslash_odd_halves, NULL, false, naive, 0, &f));
        for (int i = 0; i < DSLASH_PAIRS; i++) {
            const naik_precision stored = dslash_pairs[i].links;
            const int recon = dslash_recon_of(&f, &dslash_pairs[i]);
            if (recon != 0) {
                const int points = naive ? NAIK_STENCIL / 2 : NAIK_STENCIL;
                const int fat = naive ? 0 : naik_link_bytes(stored, 18);
                CHECK_INT(t, (long long)naik_links_bytes(f.geometry, stored, recon, points),
                          (long long)f.lat->sites * 8 * (fat + naik_link_bytes(stored, recon)));
            }
        }
        fixture_destroy(&f);
    }
}

static void a_broken_number_in_a_compressed_link_is_refused(check *t)
{
    static const int recons[] = {8, 9, 12, 13};
    int forms = 0;
    for (int naive = 0; naive < 2; naive++) {
        fixture f;
        if (fixture_create(t, dslash_odd_halves, NULL, false, naive == 1, 0, &f)) {
            const naik_gauge *links = naive ? f.source->fat : f.source->long_links;
            naik_complex *e = &links->link[5].e[0][0]; /* of nine, rows of three */
            for (int k = 0; k < 12; k++) {
                const naik_precision stored = (naik_precision)(k / 4);
                if (naik_links_bytes(f.geometry, stored, recons[k % 4], naive ? 8 : 16) == 0) {
                    continue;
                }
                forms++;
                for (int i = 0; i < 18; i++) {
                    double *number = i % 2 == 0 ? &e[i / 2].re : &e[i / 2].im, right = *number;
                    naik_links *none = NULL;
                    *number = NAN;
                    CHECK_STATUS(
                        t, naik_links_create(f.geometry, f.source, stored, recons[k % 4], &none),
                        NAIK_ERR_INPUT);
                    *number = right;
                }
            }
        }
        fixture_destroy(&f);
    }
    CHECK_TRUE(t, forms >= 8); /* 9 and 13 of long links, 8 and 12 of naive ones */
}

CHECK_MAIN(CHECK(temporal_gauge_matches_reference), CHECK(temporal_gauge_is_found_where_links_are),
           CHECK(every_variant_gives_the_same_bits), CHECK(threads_a_site_give_the_same_bits),
           CHECK(links_take_the_bytes_they_are_counted_with),
           CHECK_UP_TO(1, a_broken_number_in_a_compressed_link_is_refused))
