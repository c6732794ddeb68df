/* test_on_device.c - what else is done to links on any backend: twisted boundaries, gauge fixing */
#include <math.h>
#include <string.h>

#include "backend/create.h"
#include "fixture.h"
#include "gauge/gauge_fix.h"
#include "lattice/su3.h"
#include "links/twist.h"

static const int shared[4] = {8, 4, 8, 8}; /* for up to eight */

/* ---- twisted boundaries */

static naik_fatlong *twisted_links(check *t, const naik_gauge *u, naik_action_type action,
                                   naik_device *device, const double *twist)
{
    naik_fattener *fattener = NULL;
    naik_fatlong *links = NULL;
    CHECK_OK(t, naik_fattener_create(u, action, 0.9, device, &fattener));
    CHECK_OK(t, naik_fattener_links(fattener, action >= NAIK_HISQ ? 0.1 : 0, &links));
    naik_fattener_destroy(&fattener);
    if (twist != NULL) {
        CHECK_OK(t, naik_fatlong_twist(links, twist));
    }
    CHECK_OK(t, naik_fatlong_to_host(links));
    return links;
}

/* Thin links times phases, made fat, are fat and long links times phases: after the thin ones are
 * gone, on the host to 100 roundings, and on a device with the host's bits. */
static void twisted_links_are_those_of_thin_links_times_phases(check *t)
{
    static const double twist[3] = {0.5, -1.25, 0.3};
    for (naik_action_type action = NAIK_NAIVE; action <= NAIK_HISQ_SU3; action++) {
        fixture_thin f;
        CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, shared, NULL, &f));
        naik_gauge_apply_phases(f.u, true);
        naik_device *device = naik_backend_device(f.backend);
        naik_fatlong *there = twisted_links(t, f.u, action, device, twist);
        naik_fatlong *here = twisted_links(t, f.u, action, NULL, twist);
        for (int32_t i = 0; i < f.lat->sites * 4; i++) {
            const double angle = i % 4 < 3 ? 2 * M_PI * twist[i % 4] / shared[i % 4] : 0;
            for (int k = 0; k < 9; k++) {
                naik_complex *e = &f.u->link[i].e[k / 3][k % 3];
                *e = naik_cmul(*e, (naik_complex){cos(angle), sin(angle)});
            }
        }
        naik_fatlong *expected = twisted_links(t, f.u, action, NULL, NULL);
        CHECK_NEAR(t, fixture_largest_distance(here->fat, expected->fat), 0, 1e-13);
        CHECK_TRUE(t, (here->long_links == NULL) == (action == NAIK_NAIVE));
        const size_t bytes = 4 * (size_t)f.lat->sites * sizeof(naik_matrix);
        CHECK_INT(t, memcmp(here->fat->link, there->fat->link, bytes), 0);
        if (here->long_links != NULL) {
            CHECK_NEAR(t, fixture_largest_distance(here->long_links, expected->long_links), 0,
                       1e-13);
            CHECK_INT(t, memcmp(here->long_links->link, there->long_links->link, bytes), 0);
            const naik_matrix *u = here->long_links->link;
            const naik_matrix square = naik_mat_mul_dagger(u, u);
            CHECK_NEAR(t, sqrt(naik_mat_trace(&square).re / 3), here->long_scale, 1e-12);
        }
        naik_fatlong_destroy(&here);
        naik_fatlong_destroy(&there);
        naik_fatlong_destroy(&expected);
        fixture_thin_destroy(&f);
    }
}

/* ---- gauge fixing */
static void gauge_fixing_has_the_bits_of_the_host(check *t)
{
    for (int k = 0; k < 2; k++) {
        const naik_gauge_fix_options how = {.condition = k == 0 ? NAIK_COULOMB : NAIK_LANDAU,
                                            .tolerance = 1e-20,
                                            .over_relaxation = 1.7,
                                            .max_iterations = 12};
        fixture_thin f;
        naik_gauge *here = NULL;
        naik_gauge_fix_result result[2];
        CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, shared, NULL, &f));
        CHECK_OK(t, naik_gauge_create(f.lat, &here));
        CHECK_OK(t, naik_gauge_copy(f.u, here));
        CHECK_OK(t, naik_gauge_fix(here, NULL, &how, &result[0]));
        CHECK_OK(t, naik_gauge_fix(f.u, naik_backend_device(f.backend), &how, &result[1]));
        CHECK_INT(t, result[1].iterations, 12);
        CHECK_NEAR(t, result[1].theta, result[0].theta, 0);
        CHECK_INT(t, memcmp(here->link, f.u->link, 4 * (size_t)f.lat->sites * sizeof(naik_matrix)),
                  0);
        naik_gauge_destroy(&here);
        fixture_thin_destroy(&f);
    }
}

/* Bytes between host and device while a copy of the links is turned so often. */
static double bytes_moved(check *t, const naik_gauge *u, naik_device *device, int iterations)
{
    const naik_gauge_fix_options how = {.condition = NAIK_COULOMB,
                                        .tolerance = 1e-20,
                                        .over_relaxation = 1.7,
                                        .max_iterations = iterations};
    naik_gauge *copy = NULL;
    naik_gauge_fix_result result;
    double before[2], after[2];
    CHECK_OK(t, naik_gauge_create(u->lattice, &copy));
    CHECK_OK(t, naik_gauge_copy(u, copy));
    device->memory->moved(device, &before[0], &before[1]);
    CHECK_OK(t, naik_gauge_fix(copy, device, &how, &result));
    device->memory->moved(device, &after[0], &after[1]);
    naik_gauge_destroy(&copy);
    return after[0] - before[0] + after[1] - before[1];
}

/* Up once and down once, and after every ten iterations the words of one sum and a count. Between
 * ranks their faces travel as well. */
static void links_stay_on_the_device_until_the_gauge_is_fixed(check *t)
{
    fixture_thin f;
    CHECK_REQUIRE(t, fixture_thin_create(t, t->comm, shared, NULL, &f));
    naik_device *device = naik_backend_device(f.backend);
    if (device != NULL && device->memory->moved != NULL && t->comm->size == 1) {
        const double links = 2 * 4 * (double)f.lat->sites * sizeof(naik_matrix);
        const double few = bytes_moved(t, f.u, device, 2), many = bytes_moved(t, f.u, device, 32);
        CHECK_TRUE(t, few >= links && few < links + 4096);
        CHECK_TRUE(t, many < few + 3 * 1024);
    }
    fixture_thin_destroy(&f);
}

CHECK_MAIN(CHECK(links_stay_on_the_device_until_the_gauge_is_fixed),
           CHECK(twisted_links_are_those_of_thin_links_times_phases),
           CHECK(gauge_fixing_has_the_bits_of_the_host))
