/* test_device_tie.c - mesons with links and their operators on a device, against those of the host,
 * bit for bit
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/exactsum.h"
#include "contract/device_tie.h"
#include "fixture.h"
#include "links/link_current.h"
#include "propagator/contract.h"
#include "propagator/current.h"

enum { COLUMNS = 3, MOMENTA = 5, ALONE = 1 /* of these */, TIMES = 4 };
static const int size[4] = {8, 12, 8, TIMES}; /* more than a block of threads has in a time slice */
static const int origin[4] = {1, 0, 3, 2};

/* Numbers 16 S + T with no link to four; some of the same links, and one without an operator of fewer. */
static const int operators[] = {16 * 5 + 5, 16 * 1,  16 * 9 + 1,  16 * 6,
                                16 * 1 + 6, 16 * 15, 16 * 3 + 3,  16 * 3 + 2,
                                16 * 14,    0,       16 * 2 + 13, 16 * 7 + 14};
enum { OPERATORS = sizeof operators / sizeof *operators };

/* Products with the second quark at z = 2 and 3 are those at z = 0 and 1 with the other sign, and what is left of a sum
 * without signs and momentum is smaller than a thread can add to these. */
static double *make_quarks(const fixture_thin *f)
{
    const int64_t reals = 6 * (int64_t)f->lat->sites, two = 2 * f->lat->local[0] * f->lat->local[1];
    const fixture shape = {.lat = f->lat};
    double *g = malloc((size_t)(2 * COLUMNS * reals) * sizeof *g);
    for (int k = 0; k < 2 * COLUMNS; k++) {
        double *v = fixture_vector(&shape, 30 + (uint64_t)k, -1);
        for (int64_t i = 0; i < reals; i++) {
            const int64_t z = i / 6 / (two / 2) % f->lat->local[2];
            const double here = z >= 4 ? ldexp(v[i], -100) : v[i];
            g[reals * k + i] = z < 2 || z >= 4 ? here
                               : k < COLUMNS   ? v[i - 6 * two]
                                               : -v[i - 6 * two];
        }
        free(v);
    }
    return g;
}

/* The host's O h of a quark [COLUMNS][sites][3][2]. */
static void displace(check *t, const fixture_thin *f, naik_shifts *shifts, int number,
                     const double *h, double *out)
{
    const int64_t reals = 6 * (int64_t)f->lat->sites;
    for (int c = 0; c < COLUMNS; c++) {
        CHECK_OK(t, naik_spin_taste_apply(shifts, number, origin, h + reals * c, out + reals * c));
    }
}

static void compare_sums(check *t, const fixture_thin *f, naik_shifts *shifts, device_tie *tie,
                         const double *g)
{
    static const naik_frame frames[MOMENTA] = {
        {.origin = {1, 0, 3, 2}},
        {.origin = {1, 0, 3, 2}, .momentum = {1, 0, 1}},
        {.origin = {1, 0, 3, 2}, .momentum = {0, 1, 2}, .cosine = true},
        {.origin = {1, 0, 3, 2}, .momentum = {0, -1, 0}},
        {.origin = {1, 0, 3, 2}, .momentum = {2, 1, 3}}};
    device_tie_request request = {
        .spin_taste = operators, .operators = OPERATORS, .frame = frames, .momenta = MOMENTA};
    const int64_t quark = COLUMNS * 6 * (int64_t)f->lat->sites;
    double *displaced = malloc((size_t)quark * sizeof *displaced);
    naik_complex want[TIMES], got[OPERATORS * MOMENTA * TIMES], alone[OPERATORS * TIMES];
    memcpy(request.r0, origin, sizeof request.r0);
    for (int of = 0; of < 2; of++) { /* the quark that the operator is on */
        request.most = of; /* all operators of the same links in one pass, or one by one */
        CHECK_OK(t, device_tie_sum(tie, device_tie_quark(tie, 0), device_tie_quark(tie, of),
                                   &request, got));
        device_tie_request single = request; /* a momentum by itself has a kernel of its own */
        single.frame = &frames[ALONE];
        single.momenta = 1;
        CHECK_OK(t, device_tie_sum(tie, device_tie_quark(tie, 0), device_tie_quark(tie, of),
                                   &single, alone));
        for (size_t k = 0; k < OPERATORS * MOMENTA; k++) {
            if (k % MOMENTA == 0) {
                displace(t, f, shifts, operators[k / MOMENTA], g + quark * of, displaced);
            }
            CHECK_OK(t, naik_contract_meson(f->lat, NAIK_PION5, &frames[k % MOMENTA], g, displaced,
                                            want));
            CHECK_INT(t, memcmp(want, got + k * TIMES, sizeof want), 0);
            if (k % MOMENTA == ALONE) {
                CHECK_INT(t, memcmp(want, alone + k / MOMENTA * TIMES, sizeof want), 0);
            }
        }
    }
    free(displaced);
}

static bool begin(check *t, fixture_thin *f)
{
    if (!fixture_thin_create(t, t->comm, size, NULL, f)) {
        return false;
    }
    if (naik_backend_device(f->backend) == NULL) {
        fixture_thin_destroy(f);
        t->skip = "the backend is the host";
        return false;
    }
    return true;
}

static void mesons_have_the_bits_of_the_host(check *t)
{
    fixture_thin f;
    naik_shifts *shifts = NULL;
    double *g = NULL;
    if (!begin(t, &f)) {
        return;
    }
    g = make_quarks(&f);
    CHECK_OK(t, naik_shifts_create(f.u, true, &shifts));
    for (int pass = 0; pass < 3; pass++) {
        const device_tie_shape shape = {
            .links = 4, .columns = pass == 0 ? 1 : COLUMNS, .quarks = 2};
        for (int64_t i = 0; i < 2 * COLUMNS * 6 * (int64_t)f.lat->sites && pass == 2; i++) {
            g[i] = ldexp(g[i], 470); /* products are more than a thread can add up */
        }
        device_tie *tie = NULL;
        CHECK_OK(t, device_tie_create(naik_backend_device(f.backend), f.lat, shifts, &shape, &tie));
        for (int k = 0; k < DEVICE_TIE_QUARKS; k++) {
            CHECK_OK(t, device_tie_put(tie, k, g + 6 * COLUMNS * (int64_t)f.lat->sites * k));
        }
        compare_sums(t, &f, shifts, tie, g);
        device_tie_destroy(&tie);
    }
    free(g);
    naik_shifts_destroy(&shifts);
    fixture_thin_destroy(&f);
}

/* What is left of a vector once it is rounded is less than its last bit in single precision. */
static void operators_have_the_bits_of_the_host(check *t)
{
    fixture_thin f;
    naik_shifts *shifts = NULL;
    device_tie *tie = NULL;
    double *g = NULL, *v[2] = {NULL, NULL};
    const device_tie_shape shape = {.links = 4, .columns = 1};
    if (!begin(t, &f)) {
        return;
    }
    naik_device *device = naik_backend_device(f.backend);
    const size_t reals = 6 * (size_t)f.lat->sites, bytes = reals * sizeof *g;
    g = make_quarks(&f);
    CHECK_OK(t, naik_shifts_create(f.u, true, &shifts));
    CHECK_OK(t, device_tie_create(device, f.lat, shifts, &shape, &tie));
    for (int k = 0; k < 2; k++) {
        CHECK_OK(t, naik_device_alloc(device, t->comm->log, bytes, "a vector", (void **)&v[k]));
    }
    CHECK_OK(t, device->memory->upload(device, v[0], g, bytes));
    double *want = g + reals, *got = g + 2 * reals;
    for (int k = 0; k < OPERATORS; k++) {
        if (naik_correlator_links(NAIK_FIRST_SPIN_TASTE + operators[k]) == 0) {
            continue; /* of local ones the vector would have to be copied */
        }
        CHECK_OK(t, naik_spin_taste_apply(shifts, operators[k], origin, g, want));
        CHECK_OK(t, device_tie_apply(tie, operators[k], origin, v[0], v[1]));
        CHECK_OK(t, device->memory->download(device, got, v[1], bytes));
        size_t other = 0;
        for (size_t i = 0; i < reals; i++) {
            other += want[i] != got[i];
        }
        CHECK_INT(t, other, 0);
    }
    for (int k = 0; k < 2; k++) {
        naik_device_free(device, v[k]);
    }
    free(g);
    device_tie_destroy(&tie);
    naik_shifts_destroy(&shifts);
    fixture_thin_destroy(&f);
}

/* What is left for them on the device is 256 MiB (contract.c). */
static void sums_of_many_momenta_take_no_more_memory(check *t)
{
    static const int long_size[4] = {4, 4, 4, 192};
    const device_tie_request few = {.operators = 256, .momenta = 10},
                             many = {.operators = 256, .momenta = 400};
    naik_lattice *lat = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, long_size, NULL, &lat));
    CHECK_REQUIRE(t, lat != NULL);
    CHECK_TRUE(t, device_tie_sums_bytes(lat, &few) ==
                      (size_t)2 * 10 * 16 * (size_t)lat->local[3] * sizeof(naik_exactsum));
    CHECK_TRUE(t, device_tie_sums_bytes(lat, &many) <= (size_t)256 << 20);
    naik_lattice_destroy(&lat);
}

/* A current of that direction and weight, of hops of one and three sites or of one alone. */
static void compare_current(check *t, const fixture_thin *f, const naik_hops *hops, int mu,
                            const naik_frame *frame, double *const v[2], double *g)
{
    naik_device *device = naik_backend_device(f->backend);
    const size_t reals = 6 * (size_t)f->lat->sites, bytes = reals * sizeof *g;
    double *from = g + reals, *want = g + 2 * reals, *got = g + 3 * reals;
    naik_current *host = NULL;
    link_current *there = NULL;
    naik_complex *weights = malloc(2 * (size_t)f->lat->sites * sizeof *weights);
    CHECK_OK(t, naik_current_create(f->lat, 1, &host));
    CHECK_OK(t, link_current_create(device, f->lat, hops->one, hops->three, mu, 0, &there));
    CHECK_INT(t, there == NULL, f->lat->split[mu]);
    memcpy(from, g, bytes);
    naik_meson_give_sign(f->lat, NAIK_PION05, (const int[NAIK_DIM]){0}, 6, from);
    CHECK_OK(t, naik_current_apply(host, hops, mu, frame, from, want));
    if (there != NULL) {
        CHECK_OK(t, device->memory->upload(device, v[0], g, bytes));
        CHECK_OK(t, naik_current_weights(f->lat, frame, mu, weights));
        CHECK_OK(t, link_current_weigh(there, weights));
        CHECK_OK(t, link_current_apply(there, true, v[0], v[1]));
        CHECK_OK(t, device->memory->download(device, got, v[1], bytes));
        CHECK_INT(t, memcmp(want, got, bytes), 0);
    }
    free(weights);
    naik_current_destroy(&host);
    link_current_destroy(&there);
}

static void currents_have_the_bits_of_the_host(check *t)
{
    static const naik_frame frames[] = {{.cosine = false}, {.momentum = {0, -1, 1}}};
    fixture_thin f;
    double *v[2] = {NULL, NULL};
    if (!begin(t, &f)) {
        return;
    }
    naik_device *device = naik_backend_device(f.backend);
    const size_t bytes = 6 * (size_t)f.lat->sites * sizeof(double);
    double *g = make_quarks(&f);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(t, naik_device_alloc(device, t->comm->log, bytes, "a vector", (void **)&v[k]));
    }
    naik_gauge *here = NULL;
    CHECK_OK(t, naik_gauge_bring(f.u, NULL, &here));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const naik_hops both = {.one = here, .three = here}, one = {.one = here};
        compare_current(t, &f, mu % 2 == 0 ? &both : &one, mu, &frames[mu / 2], v, g);
        compare_current(t, &f, mu % 2 == 0 ? &one : &both, mu, &frames[1 - mu / 2], v, g);
    }
    naik_gauge_destroy(&here);
    for (int k = 0; k < 2; k++) {
        naik_device_free(device, v[k]);
    }
    free(g);
    fixture_thin_destroy(&f);
}

CHECK_MAIN(CHECK(sums_of_many_momenta_take_no_more_memory), CHECK(mesons_have_the_bits_of_the_host),
           CHECK(operators_have_the_bits_of_the_host), CHECK(currents_have_the_bits_of_the_host))
