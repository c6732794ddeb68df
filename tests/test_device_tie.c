/* test_device_tie.c - mesons with links on a device, against those of the host, bit for bit
 */
#include <stdlib.h>
#include <string.h>

#include "contract/device_tie.h"
#include "fixture.h"
#include "propagator/contract.h"

enum { COLUMNS = 3, MOMENTA = 3 };
static const int size[4] = {8, 4, 4, 8};
static const int origin[4] = {1, 0, 3, 2};

/* Numbers 16 S + T with no link to four. */
static const int operators[] = {16 * 5 + 5, 16 * 1, 16 * 9 + 1, 16 * 6, 16 * 1 + 6, 16 * 15};

/* Both quarks' vectors, [2][COLUMNS][sites][3][2]. */
static double *make_quarks(const fixture_thin *f)
{
    const int64_t reals = 6 * (int64_t)f->lat->sites;
    const fixture shape = {.lat = f->lat};
    double *g = malloc((size_t)(2 * COLUMNS * reals) * sizeof *g);
    for (int k = 0; k < 2 * COLUMNS; k++) {
        double *v = fixture_vector(&shape, 30 + (uint64_t)k, -1);
        memcpy(g + reals * k, v, (size_t)reals * sizeof *g);
        free(v);
    }
    return g;
}

static void compare(check *t, const fixture_thin *f, naik_shifts *shifts, device_tie *tie,
                    const double *g)
{
    static const naik_frame frames[MOMENTA] = {
        {.origin = {1, 0, 3, 2}},
        {.origin = {1, 0, 3, 2}, .momentum = {1, 0, 1}},
        {.origin = {1, 0, 3, 2}, .momentum = {0, 1, 2}, .cosine = true}};
    const int64_t reals = 6 * (int64_t)f->lat->sites, quark = COLUMNS * reals;
    const size_t times = (size_t)size[3];
    double *displaced = malloc((size_t)quark * sizeof *displaced);
    naik_complex want[8], got[MOMENTA * 8];
    for (size_t k = 0; k < sizeof operators / sizeof *operators; k++) {
        const int of = (int)k % 2; /* the quark that the operator is on */
        for (int c = 0; c < COLUMNS; c++) {
            CHECK_OK(t, naik_spin_taste_apply(shifts, operators[k], origin,
                                              g + quark * of + reals * c, displaced + reals * c));
        }
        CHECK_OK(t, device_tie_apply(tie, operators[k], origin, of));
        CHECK_OK(t, device_tie_sum(tie, 0, frames, MOMENTA, got));
        for (int p = 0; p < MOMENTA; p++) {
            CHECK_OK(t, naik_contract_meson(f->lat, NAIK_PION5, &frames[p], g, displaced, want));
            CHECK_INT(t, memcmp(want, got + (size_t)p * times, sizeof want), 0);
        }
    }
    free(displaced);
}

static void mesons_with_links_have_the_bits_of_the_host(check *t)
{
    fixture_thin f;
    naik_shifts *shifts = NULL;
    device_tie *tie = NULL;
    double *g = NULL;
    if (fixture_thin_create(t, t->comm, size, NULL, &f)) {
        naik_device *device = naik_backend_device(f.backend);
        if (device == NULL) {
            fixture_thin_destroy(&f);
            CHECK_SKIP(t, "the backend is the host");
        }
        g = make_quarks(&f);
        CHECK_OK(t, naik_shifts_create(f.u, true, &shifts));
        CHECK_OK(t, device_tie_create(device, shifts, MOMENTA, &tie));
        for (int k = 0; k < DEVICE_TIE_QUARKS; k++) {
            CHECK_OK(t, device_tie_put(tie, k, g + 6 * COLUMNS * (int64_t)f.lat->sites * k));
        }
        compare(t, &f, shifts, tie, g);
    }
    free(g);
    device_tie_destroy(&tie);
    naik_shifts_destroy(&shifts);
    fixture_thin_destroy(&f);
}

CHECK_MAIN(CHECK(mesons_with_links_have_the_bits_of_the_host))
