/* test_meson.c - correlators against plain sums, and their bits against those of one rank
 *
 * ranks: 1 4
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "comm/collective.h"
#include "fixture.h"
#include "naik/meson.h"
#include "propagator/meson_field.h"
#include "propagator/slice_sums.h"

static const int size[4] = {8, 4, 4, 8};
static const double pi = 3.14159265358979323846;

/* A propagator that spans many orders of magnitude, a function of the global site. */
static double *make_propagator(const naik_lattice *lat)
{
    double *g = malloc((size_t)lat->sites * 6 * sizeof *g);
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[4];
        naik_lattice_coords(lat, site, x);
        naik_rng rng = naik_rng_at(3, 0, (uint64_t)naik_lattice_global(lat, x));
        for (int i = 0; i < 6; i++) {
            g[6 * site + i] = naik_rng_gaussian(&rng) * exp(4 * naik_rng_gaussian(&rng));
        }
    }
    return g;
}

/* From the spins: g_k x g_k of quark and antiquark is (-1)^(x_k) eps for each k, with one eps more. */
static int sign_of(naik_meson meson, const int x[4])
{
    const int all = x[0] + x[1] + x[2] + x[3];
    int sum = 0;
    switch (meson) {
    case NAIK_PION5: break;
    case NAIK_PION05: sum = all; break;
    case NAIK_RHOX: sum = x[0] + 2 * all; break;
    case NAIK_RHOY: sum = x[1] + 2 * all; break;
    case NAIK_RHOZ: sum = x[2] + 2 * all; break;
    case NAIK_RHOX0: sum = x[0] + x[3] + 3 * all; break;
    case NAIK_RHOY0: sum = x[1] + x[3] + 3 * all; break;
    case NAIK_RHOZ0: sum = x[2] + x[3] + 3 * all; break;
    case NAIK_GT_GT: sum = x[3] + 2 * all; break;
    case NAIK_G5T_G5T: sum = x[0] + x[1] + x[2] + 4 * all; break;
    case NAIK_GYZ_GYZ: sum = x[1] + x[2] + 3 * all; break;
    case NAIK_GZX_GZX: sum = x[2] + x[0] + 3 * all; break;
    case NAIK_GXY_GXY: sum = x[0] + x[1] + 3 * all; break;
    case NAIK_G5X_G5X: sum = x[1] + x[2] + x[3] + 4 * all; break;
    case NAIK_G5Y_G5Y: sum = x[0] + x[2] + x[3] + 4 * all; break;
    case NAIK_G5Z_G5Z: sum = x[0] + x[1] + x[3] + 4 * all; break;
    case NAIK_MESONS: break;
    }
    return sum % 2 == 0 ? 1 : -1;
}

static void correlators_are_weighted_sums(check *t)
{
    static const naik_frame frames[5] = {{.momentum = {0, 0, 0}},
                                         {.momentum = {1, 0, 0}, .cosine = true},
                                         {.momentum = {-1, 2, 5}, .cosine = true},
                                         {.momentum = {-1, 2, 5}, .origin = {5, 2, 3, 7}},
                                         {.momentum = {0, 1, 0}, .origin = {0, 3, 0, 0}}};
    naik_lattice *lat = NULL, *one = NULL;
    naik_comm *alone = NULL;
    CHECK_OK(t, naik_comm_create_alone(t->log, &alone));
    CHECK_REQUIRE(t, alone != NULL);
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat));
    CHECK_OK(t, naik_lattice_create(alone, size, NULL, &one));
    CHECK_REQUIRE(t, lat != NULL && one != NULL);
    double *g = make_propagator(lat), *whole = make_propagator(one);
    for (int m = 0; m < 5; m++) {
        const naik_frame *frame = &frames[m];
        for (int meson = 0; meson < NAIK_MESONS; meson++) {
            double got[8][2], bits[8][2], sum[8][2] = {{0}}, scale[8] = {0};
            CHECK_OK(t, naik_meson_correlator(lat, (naik_meson)meson, frame, g, got[0]));
            CHECK_OK(t, naik_meson_correlator(one, (naik_meson)meson, frame, whole, bits[0]));
            CHECK_TRUE(t, memcmp(got, bits, sizeof got) == 0);
            for (int32_t site = 0; site < one->sites; site++) {
                int x[4], y[4];
                double norm2 = 0, angle = 0, cosines = 1;
                naik_lattice_coords(one, site, x);
                for (int mu = 0; mu < 4; mu++) {
                    y[mu] = x[mu] - frame->origin[mu];
                }
                const int sign = sign_of((naik_meson)meson, y);
                CHECK_INT(t, naik_meson_sign((naik_meson)meson, y), sign);
                for (int k = 0; k < 3; k++) {
                    const double a = 2 * pi * frame->momentum[k] * y[k] / size[k];
                    angle += a;
                    cosines *= cos(a);
                }
                for (int i = 0; i < 6; i++) {
                    norm2 += whole[6 * site + i] * whole[6 * site + i];
                }
                sum[x[3]][0] += sign * (frame->cosine ? cosines : cos(angle)) * norm2;
                sum[x[3]][1] += sign * (frame->cosine ? 0 : sin(angle)) * norm2;
                scale[x[3]] += norm2;
            }
            for (int i = 0; i < 8; i++) {
                CHECK_NEAR(t, got[i][0], sum[i][0], 1e-14 * scale[i]);
                CHECK_NEAR(t, got[i][1], sum[i][1], 1e-14 * scale[i]);
                CHECK_TRUE(t, !naik_frame_is_real(frame) || got[i][1] == 0);
            }
        }
    }
    CHECK_TEXT(t, naik_meson_name(NAIK_PION5), "pion5");
    CHECK_TEXT(t, naik_meson_name(NAIK_PION05), "pion05");
    CHECK_TEXT(t, naik_meson_name(NAIK_RHOZ0), "rhoz0");
    free(g);
    free(whole);
    naik_lattice_destroy(&lat);
    naik_lattice_destroy(&one);
    naik_comm_destroy(&alone);
}

/* All mesons of all frames together, and some alone; of numbers times 2^power. */
static void compare_fields(check *t, const int extents[4], const naik_frame *frames, int count,
                           int power)
{
    const int times = extents[3];
    fixture f;
    if (fixture_create(t, extents, NULL, false, true, 0, &f)) {
        double *g = make_propagator(f.lat);
        for (int64_t i = 0; i < 6 * (int64_t)f.lat->sites; i++) {
            g[i] = ldexp(g[i], power);
        }
        naik_field *part[2] = {NULL, NULL};
        for (int parity = 0; parity < 2; parity++) {
            CHECK_OK(t, naik_field_create(f.geometry, NAIK_DOUBLE, 1, &part[parity]));
            CHECK_OK(t, f.backend->ops->field.from_host(part[parity], (naik_parity)parity, 0, g));
        }
        const naik_field *const whole[2] = {part[0], part[1]};
        naik_meson mesons[NAIK_MESONS];
        const size_t bytes = 2 * (size_t)times * sizeof(double);
        double *got = malloc(bytes), *bits = malloc(bytes);
        double *all = malloc(NAIK_MESONS * (size_t)count * bytes);
        for (int m = 0; m < NAIK_MESONS; m++) {
            mesons[m] = (naik_meson)m;
        }
        CHECK_OK(t, naik_meson_correlators_of(whole, mesons, NAIK_MESONS, frames, count, all));
        for (int k = 0; k < NAIK_MESONS * count; k++) {
            const naik_frame *frame = &frames[k % count];
            const naik_meson meson = mesons[k / count];
            CHECK_OK(t, naik_meson_correlator(f.lat, meson, frame, g, bits));
            if (k % 7 == 0) {
                CHECK_OK(t, naik_meson_correlator_of(whole, meson, frame, got));
                CHECK_TRUE(t, memcmp(got, bits, bytes) == 0);
            }
            CHECK_TRUE(t, memcmp(all + 2 * (size_t)times * (size_t)k, bits, bytes) == 0);
        }
        naik_field_destroy(&part[0]);
        naik_field_destroy(&part[1]);
        free(g);
        free(got);
        free(bits);
        free(all);
    }
    fixture_destroy(&f);
}

/* On the backend of the tests. On a device the first extents leave a block partly filled, the second begin another block, and
 * the third give a thread more sites than it takes at once. */
static void correlators_of_fields_have_the_same_bits(check *t)
{
    static const int extents[3][4] = {{4, 12, 8, 8}, {16, 36, 4, 4}, {8, 4, 36, 4}};
    static const naik_frame frames[5] = {
        {.momentum = {0, 0, 0}, .origin = {3, 11, 0, 3}},
        {.momentum = {-1, 2, 5}, .cosine = true, .origin = {3, 11, 0, 3}},
        {.momentum = {1, 0, 0}, .origin = {3, 11, 0, 3}},
        {.momentum = {-1, 2, 5}, .origin = {3, 11, 0, 3}},
        {.momentum = {1, -1, 1}, .origin = {3, 11, 0, 3}}};
    for (int e = 0; e < 3; e++) {
        compare_fields(t, extents[e], frames, 5, 0);
    }
}

/* Norms above 2^900 are more than a thread of a device can add up; of those below 2^-938, and of numbers that are not
 * normal, it can add nothing up. */
static void sums_of_any_size_have_the_same_bits(check *t)
{
    static const int extents[4] = {8, 4, 8, 4}, powers[3] = {470, -500, -536};
    static const naik_frame frames[2] = {{.origin = {1, 0, 0, 2}},
                                         {.momentum = {1, 0, -1}, .origin = {1, 0, 0, 2}}};
    for (int k = 0; k < 3; k++) {
        compare_fields(t, extents, frames, k < 2 ? 2 : 1, powers[k]);
    }
}

/* Where z < 4, neighbours in x have the same norm, which rhox takes from each other; what is left is smaller than that by more
 * than a thread of a device can add to it. A sum that has a NaN is one. */
static void small_terms_and_nan_are_not_lost(check *t)
{
    enum { TIMES = 4 };
    static const int extents[4] = {8, 4, 8, TIMES};
    static const naik_frame rest = {.cosine = false};
    fixture f;
    if (fixture_create(t, extents, NULL, false, true, 0, &f)) {
        double *g = make_propagator(f.lat), got[TIMES][2], bits[TIMES][2];
        naik_field *part[2] = {NULL, NULL};
        for (int32_t site = 0; site < f.lat->sites; site++) {
            const int z = site / (f.lat->local[0] * f.lat->local[1]) % f.lat->local[2];
            const bool small = z + f.lat->origin[2] >= 4;
            for (int i = 0; i < 6; i++) {
                double *v = &g[6 * site + i];
                *v = small ? ldexp(*v, -60) : site % 2 != 0 ? v[-6] : *v;
            }
        }
        for (int with_nan = 0; with_nan < 2; with_nan++) {
            if (with_nan != 0 && t->comm->rank == 0) {
                g[0] = NAN; /* at t = 0 */
            }
            for (int parity = 0; parity < 2; parity++) {
                naik_field_destroy(&part[parity]);
                CHECK_OK(t, naik_field_create(f.geometry, NAIK_DOUBLE, 1, &part[parity]));
                CHECK_OK(t,
                         f.backend->ops->field.from_host(part[parity], (naik_parity)parity, 0, g));
            }
            const naik_field *const whole[2] = {part[0], part[1]};
            CHECK_OK(t, naik_meson_correlator_of(whole, NAIK_RHOX, &rest, got[0]));
            CHECK_OK(t, naik_meson_correlator(f.lat, NAIK_RHOX, &rest, g, bits[0]));
            CHECK_TRUE(t, isnan(got[0][0]) == (with_nan != 0));
            for (int i = with_nan; i < TIMES; i++) {
                CHECK_TRUE(t, got[i][0] == bits[i][0]);
                CHECK_TRUE(t, got[i][0] != 0 && fabs(got[i][0]) < ldexp(1, -60));
            }
        }
        naik_field_destroy(&part[0]);
        naik_field_destroy(&part[1]);
        free(g);
    }
    fixture_destroy(&f);
}

/* The memory that a backend is asked for while it is watched, all on one thread. */
static struct {
    const naik_backend_ops *real;
    naik_backend_ops ops;
    size_t largest;
} watched;

static naik_status watched_alloc(naik_device *device, size_t size_bytes, const char *what,
                                 void **out)
{
    watched.largest = size_bytes > watched.largest ? size_bytes : watched.largest;
    return watched.real->memory.alloc(device, size_bytes, what, out);
}

/* Their sums are in no plan of memory. */
static void many_momenta_take_no_more_memory(check *t)
{
    enum { FRAMES = 500, MOST_BYTES = 32 << 20 };
    static const int extents[4] = {4, 4, 8, 8};
    static naik_frame frames[FRAMES];
    naik_meson mesons[NAIK_MESONS];
    fixture f;
    if (fixture_create(t, extents, NULL, false, true, 0, &f)) {
        double *g = make_propagator(f.lat), bits[8][2];
        double *got = malloc((size_t)NAIK_MESONS * FRAMES * sizeof bits);
        naik_field *part[2] = {NULL, NULL};
        for (int parity = 0; parity < 2; parity++) {
            CHECK_OK(t, naik_field_create(f.geometry, NAIK_DOUBLE, 1, &part[parity]));
            CHECK_OK(t, f.backend->ops->field.from_host(part[parity], (naik_parity)parity, 0, g));
        }
        const naik_field *const whole[2] = {part[0], part[1]};
        for (int k = 0; k < FRAMES; k++) {
            frames[k] = (naik_frame){.momentum = {k % 5, k / 5 % 5, k / 25}, .cosine = k % 2 != 0};
        }
        for (int m = 0; m < NAIK_MESONS; m++) {
            mesons[m] = (naik_meson)m;
        }
        watched.real = f.backend->ops;
        watched.ops = *watched.real;
        watched.ops.memory.alloc = watched_alloc;
        f.backend->ops = &watched.ops;
        CHECK_OK(t, naik_meson_correlators_of(whole, mesons, NAIK_MESONS, frames, FRAMES, got));
        f.backend->ops = watched.real;
        CHECK_TRUE(t, watched.largest > 0 && watched.largest <= MOST_BYTES);
        for (int k = 0; k < NAIK_MESONS * FRAMES; k += 97) {
            CHECK_OK(t, naik_meson_correlator(f.lat, mesons[k / FRAMES], &frames[k % FRAMES], g,
                                              bits[0]));
            CHECK_TRUE(t, memcmp(got + 16 * (size_t)k, bits, sizeof bits) == 0);
        }
        naik_field_destroy(&part[0]);
        naik_field_destroy(&part[1]);
        free(got);
        free(g);
    }
    fixture_destroy(&f);
}

static void a_nan_in_the_propagator_is_not_hidden(check *t)
{
    naik_lattice *lat = NULL;
    const naik_frame rest = {.cosine = false};
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat));
    CHECK_REQUIRE(t, lat != NULL);
    double *g = make_propagator(lat), corr[8][2];
    if (t->comm->rank == 0) {
        g[0] = NAN; /* the site with t = 0 */
    }
    CHECK_OK(t, naik_meson_correlator(lat, NAIK_PION5, &rest, g, corr[0]));
    CHECK_TRUE(t, isnan(corr[0][0]) && !isnan(corr[1][0]));
    free(g);
    naik_lattice_destroy(&lat);
}

/* Of all sites of a rank and of those ahead of its box, for frames of every kind. */
static void waves_are_the_weights_of_their_sites(check *t)
{
    static const naik_frame frames[] = {{.origin = {3, 1, 2, 5}, .momentum = {1, -2, 1}},
                                        {.origin = {7, 3, 0, 0}, .momentum = {-3, 1, 0}},
                                        {.momentum = {1, 1, -1}, .cosine = true}};
    naik_lattice *lat = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &lat));
    CHECK_REQUIRE(t, lat != NULL);
    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++) {
        naik_slice_waves waves;
        int different = 0;
        CHECK_OK(t, naik_slice_waves_make(lat, &frames[k], &waves));
        for (int32_t site = 0; site < lat->sites; site++) {
            for (int ahead = 0; ahead < NAIK_DIM * NAIK_SLICE_REACH; ahead++) {
                int x[NAIK_DIM];
                naik_lattice_coords(lat, site, x);
                for (int mu = 0; mu < NAIK_DIM; mu++) {
                    x[mu] += lat->origin[mu] + (mu == ahead % NAIK_DIM) * (ahead / NAIK_DIM);
                }
                const naik_complex want = naik_slice_weight(lat, &frames[k], x);
                const naik_complex got = naik_slice_wave(&waves, x);
                different += want.re != got.re || want.im != got.im;
            }
        }
        CHECK_INT(t, different, 0);
        naik_slice_waves_clear(&waves);
    }
    naik_lattice_destroy(&lat);
}

CHECK_MAIN(CHECK(waves_are_the_weights_of_their_sites), CHECK(correlators_are_weighted_sums),
           CHECK(correlators_of_fields_have_the_same_bits),
           CHECK(sums_of_any_size_have_the_same_bits), CHECK(small_terms_and_nan_are_not_lost),
           CHECK(many_momenta_take_no_more_memory), CHECK(a_nan_in_the_propagator_is_not_hidden))
