/* test_meter.c - how far modes are from orthonormal: what a meter says of vectors that are off in one place
 *
 * ranks: 1 2
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"
#include "modes/lanczos.h"

enum { MODES = 11 }; /* a block of eight and a part of another */
static const int size[4] = {4, 4, 4, 8};

/* Mode i is 1 at a site of its own; `mode` has besides re + i im where mode `at` is 1. Its length is sqrt(whole). */
typedef struct fault {
    int mode, at;
    double re, im;
    double off; /* that the meter finds */
} fault;

static void fill(check *t, const fixture *f, const fault *fault, naik_modes *modes)
{
    const naik_lattice *lat = f->lat;
    for (int i = 0; i < MODES; i++) {
        double *v = calloc((size_t)lat->sites * 6, sizeof *v);
        for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
            const int32_t site = naik_lattice_site_of(lat, NAIK_EVEN, cb);
            int x[4];
            naik_lattice_coords(lat, site, x);
            const int64_t number =
                naik_lattice_global(lat, x) / 2; /* of the even site, of all ranks */
            v[6 * (int64_t)site + 2] = number == 7 * i;
            if (i == fault->mode && number == 7 * fault->at) {
                v[6 * (int64_t)site + 2] += fault->re;
                v[6 * (int64_t)site + 3] += fault->im;
            }
        }
        CHECK_OK(t, f->backend->ops->field.from_host(modes->block[i / NAIK_MODES_BLOCK], NAIK_EVEN,
                                                     i % NAIK_MODES_BLOCK, v));
        free(v);
    }
    modes->count = MODES;
}

static void a_meter_finds_the_largest_product(check *t)
{
    static const fault rows[] = {
        {0, 0, 0, 0, 0},
        {0, 0, 1e-3, 0, 2e-3}, /* too long: twice as much off 1 */
        {10, 10, -1e-3, 0, 2e-3},
        {3, 1, 1e-3, 0, 1e-3},
        {3, 1, 0, 1e-3, 1e-3},
        {3, 1, 0, -1e-3, 1e-3},
        {3, 1, 3e-3, 4e-3, 5e-3},
        {1, 3, 0, 1e-3, 1e-3},
        {9, 2, 1e-3, 0, 1e-3}, /* of two blocks */
        {9, 2, 0, 1e-3, 1e-3},
        {2, 9, 0, 1e-3, 1e-3},
        {10, 9, 0, 1e-3, 1e-3},
        {4, 4, 0.99, 0, 0.99 * 2.99},
        {4, 4, 1.01, 0, INFINITY}, /* longer than 2: no sums are made of it */
        {10, 10, 1.01, 0, INFINITY},
        {0, 0, NAN, 0, INFINITY},
        {10, 10, 0, NAN, INFINITY},
        {10, 10, -1, 0, 1}}; /* zero */
    fixture f;
    naik_links *links = NULL;
    naik_modes *modes = NULL;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    CHECK_OK(t, naik_links_create(f.geometry, f.source, NAIK_DOUBLE, 18, &links));
    CHECK_OK(t, naik_modes_create(f.geometry, NAIK_SINGLE, MODES, &modes));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double gram = 0;
        fill(t, &f, &rows[i], modes);
        CHECK_OK(t, naik_modes_measure(modes, links, &gram));
        const bool good = isinf(rows[i].off) ? isinf(gram) : fabs(gram - rows[i].off) < 1e-5;
        if (!CHECK_TRUE(t, good)) {
            fprintf(stderr, "    row %zu: %g\n", i, gram);
        }
        for (int k = 0; k < MODES; k++) {
            const bool odd = k == rows[i].mode && rows[i].at == k &&
                             (isnan(rows[i].re + rows[i].im) || rows[i].re == -1);
            CHECK_TRUE(t, isfinite(modes->lambda2[k]) != odd);
        }
    }
    naik_modes_destroy(&modes);
    naik_links_destroy(&links);
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK(a_meter_finds_the_largest_product))
