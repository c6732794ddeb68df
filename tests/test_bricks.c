/* test_bricks.c - low modes in 16 bits with a scale a brick of 2^4 sites: what is rounded, kept and filed
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "modes/bricks.h"
#include "modes_fixture.h"

enum { MODES = 19 }; /* the last block is not full */

/* Of the sites of the parity in the brick of these local coordinates, the largest number. */
static float largest_of_brick(const fixture *f, const double *v, naik_parity parity,
                              const int begin[4])
{
    float largest = 0;
    for (int k = 0; k < 16; k++) {
        const int x[4] = {begin[0] + (k & 1), begin[1] + (k >> 1 & 1), begin[2] + (k >> 2 & 1),
                          begin[3] + (k >> 3)};
        const double *site = v + 6 * (int64_t)naik_lattice_site(f->lat, x);
        for (int i = 0; i < 6 && ((x[0] + x[1] + x[2] + x[3]) & 1) == (int)parity; i++) {
            largest = fmaxf(largest, fabsf((float)site[i]));
        }
    }
    return largest;
}

/* Every number is the nearest multiple of its brick's scale, on any backend the same one. */
static void bricks_have_a_scale_each(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        for (int parity = 0; parity < 2; parity++) {
            naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, (naik_parity)parity, MODES);
            naik_modes *half = fixture_modes(t, &f, NAIK_HALF, (naik_parity)parity, MODES);
            int different = 0;
            for (int i = parity; i < MODES; i += 7) {
                double *v = fixture_stored_mode(t, &f, modes, (naik_parity)parity, i);
                double *got = fixture_stored_mode(t, &f, half, (naik_parity)parity, i);
                for (int32_t s = 0; s < f.lat->sites; s++) {
                    int x[4], begin[4];
                    naik_lattice_coords(f.lat, s, x);
                    for (int mu = 0; mu < 4; mu++) {
                        begin[mu] = x[mu] / 2 * 2;
                    }
                    const float scale = naik_brick_scale(
                        largest_of_brick(&f, v, (naik_parity)parity, begin), false);
                    for (int k = 0; k < 6; k++) {
                        const float number = rintf((float)v[6 * (int64_t)s + k] / scale);
                        different += got[6 * (int64_t)s + k] != (double)(number * scale);
                    }
                }
                free(v);
                free(got);
            }
            CHECK_INT(t, different, 0);
            naik_modes_destroy(&modes);
            naik_modes_destroy(&half);
        }
    }
    fixture_destroy(&f);
}

/* A brick of zeros, one beyond what floats hold well, and one with a number that is none. */
static void bricks_keep_what_integers_cannot(check *t)
{
    static const int begin[3][4] = {{0, 0, 0, 0}, {2, 0, 0, 0}, {0, 2, 0, 0}};
    static const double value[3] = {0, 1e-36, NAN};
    fixture f;
    CHECK_TRUE(t, isnan(naik_brick_scale(0, true)) && isnan(naik_brick_scale(1, true)));
    if (cg_fixture(t, &f)) {
        naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, MODES), *half = NULL;
        double *v = fixture_stored_mode(t, &f, modes, NAIK_EVEN, 0);
        for (int b = 0; b < 3; b++) {
            double *site = v + 6 * (int64_t)naik_lattice_site(f.lat, begin[b]);
            for (int k = 0; k < 16; k++) {
                const int x[4] = {begin[b][0] + (k & 1), begin[b][1] + (k >> 1 & 1),
                                  begin[b][2] + (k >> 2 & 1), begin[b][3] + (k >> 3)};
                memset(v + 6 * (int64_t)naik_lattice_site(f.lat, x), 0, 6 * sizeof *v);
            }
            site[3] = value[b];
        }
        CHECK_OK(t, f.backend->ops->field.from_host(modes->block[0], NAIK_EVEN, 0, v));
        CHECK_OK(t, naik_modes_round(&modes, &half));
        double *got = fixture_stored_mode(t, &f, half, NAIK_EVEN, 0);
        for (int b = 0; b < 3; b++) {
            const double *site = got + 6 * (int64_t)naik_lattice_site(f.lat, begin[b]);
            CHECK_TRUE(t, b == 2 ? isnan(site[0]) && isnan(site[3]) : site[3] == 0);
        }
        free(got);
        free(v);
        naik_modes_destroy(&half);
    }
    fixture_destroy(&f);
}

/* What files hold is what rounding gives, and comes back into memory as it was. */
static void bricks_are_in_files_what_they_are_in_memory(check *t)
{
    fixture f;
    if (cg_fixture(t, &f)) {
        const naik_backend_ops *ops = f.backend->ops;
        const size_t bricks = (size_t)f.lat->volume_cb / NAIK_BRICK_SITES;
        naik_modes *modes = fixture_modes(t, &f, NAIK_SINGLE, NAIK_EVEN, MODES), *placed = NULL;
        naik_modes *half = fixture_modes(t, &f, NAIK_HALF, NAIK_EVEN, MODES);
        float *mode = calloc(bricks, NAIK_BRICK_SITES * 6 * sizeof *mode);
        naik_brick *brick = calloc(bricks, sizeof *brick);
        int different = 0;
        CHECK_OK(t, naik_modes_create(f.geometry, NAIK_HALF, MODES, &placed));
        for (int i = 0; i < MODES; i++) {
            const int b = i / NAIK_MODES_BLOCK, c = i % NAIK_MODES_BLOCK;
            CHECK_OK(t, ops->modes.to_host(modes->block[b], c, mode));
            naik_bricks_make(f.lat, mode, brick);
            CHECK_TRUE(t, naik_bricks_are_finite(brick, (int64_t)bricks));
            CHECK_OK(t, ops->modes.place(placed->block[b], c, brick));
            naik_bricks_widen(f.lat, brick, mode);
            CHECK_OK(t, ops->modes.from_host(modes->block[b], c, mode));
        }
        for (int i = 0; i < MODES; i++) {
            double *want = fixture_stored_mode(t, &f, half, NAIK_EVEN, i);
            double *of_place = fixture_stored_mode(t, &f, placed, NAIK_EVEN, i);
            double *of_wide = fixture_stored_mode(t, &f, modes, NAIK_EVEN, i);
            const size_t bytes = (size_t)f.lat->sites * 6 * sizeof *want;
            different += memcmp(want, of_place, bytes) != 0 || memcmp(want, of_wide, bytes) != 0;
            free(want);
            free(of_place);
            free(of_wide);
        }
        CHECK_INT(t, different, 0);
        static const float scale[5] = {NAN, -1e-9F, 1e30F, 9.9e29F, 0};
        for (int k = 0; k < 5; k++) { /* the last two are numbers that modes may have */
            for (int last = 0; last < 2; last++) {
                naik_brick *one = &brick[last ? bricks - 1 : 0];
                const float before = one->scale;
                one->scale = scale[k];
                CHECK_INT(t, naik_bricks_are_finite(brick, (int64_t)bricks), k >= 3);
                one->scale = before;
            }
        }
        free(brick);
        free(mode);
        naik_modes_destroy(&placed);
        naik_modes_destroy(&half);
        naik_modes_destroy(&modes);
    }
    fixture_destroy(&f);
}

static void bricks_take_100_bytes_for_8_sites(check *t)
{
    static const int size[4] = {8, 8, 8, 8};
    fixture f;
    if (fixture_create(t, size, NULL, true, false, 1, &f)) {
        CHECK_INT(t, (int)naik_modes_bytes(f.geometry, NAIK_HALF, NAIK_MODES_BLOCK),
                  f.lat->volume_cb / 8 * 100 * NAIK_MODES_BLOCK);
    }
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK(bricks_have_a_scale_each), CHECK(bricks_keep_what_integers_cannot),
           CHECK(bricks_take_100_bytes_for_8_sites),
           CHECK(bricks_are_in_files_what_they_are_in_memory))
