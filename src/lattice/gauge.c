/* gauge.c - thin links: storage, fields to start from, staggered phases, reunitarisation
 *
 * What is measured on links is in gauge_measure.c, because it needs the neighbours' sites.
 */
#include "naik/gauge.h"

#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "base/device.h"
#include "base/memory.h"
#include "base/rng.h"
#include "comm/collective.h"
#include "comm/new.h"
#include "lattice/su3.h"

static size_t links_bytes(const naik_lattice *lattice)
{
    return (size_t)lattice->sites * NAIK_DIM * sizeof(naik_matrix);
}

naik_status naik_gauge_create(const naik_lattice *lattice, naik_gauge **out)
{
    return naik_gauge_create_on(lattice, NULL, out);
}

naik_status naik_gauge_create_on(const naik_lattice *lattice, naik_device *device, naik_gauge **out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    naik_gauge *gauge = NULL;
    *out = NULL;
    NAIK_PASS(naik_new(comm, sizeof *gauge, "a gauge field", (void **)&gauge));
    gauge->lattice = lattice;
    gauge->device = device;
    status = naik_device_alloc(device, comm->log, links_bytes(lattice), "a gauge field",
                               (void **)&gauge->link);
    status = naik_comm_agree(comm, status);
    if (status != NAIK_OK) {
        naik_gauge_destroy(&gauge);
    }
    *out = gauge;
    return status;
}

naik_gauge *naik_gauge_share(naik_gauge *gauge)
{
    if (gauge != NULL) {
        gauge->sharers++;
    }
    return gauge;
}

void naik_gauge_destroy(naik_gauge **gauge)
{
    if (*gauge == NULL) {
        return;
    }
    if ((*gauge)->sharers-- == 0) {
        naik_device_free((*gauge)->device, (*gauge)->link);
        free(*gauge);
    }
    *gauge = NULL;
}

naik_status naik_gauge_copy(const naik_gauge *from, naik_gauge *to)
{
    const size_t size_bytes = links_bytes(from->lattice);
    if (to->device != NULL) {
        return to->device->memory->upload(to->device, to->link, from->link, size_bytes);
    }
    if (from->device != NULL) {
        return from->device->memory->download(from->device, to->link, from->link, size_bytes);
    }
    naik_copy(to->link, from->link, size_bytes);
    return NAIK_OK;
}

naik_status naik_gauge_bring(const naik_gauge *gauge, naik_device *device, naik_gauge **out)
{
    naik_status status = NAIK_OK;
    if (gauge->device == device) {
        *out =
            naik_gauge_share((naik_gauge *)gauge); /* of which only the count of holders changes */
        return NAIK_OK;
    }
    NAIK_TRY(naik_gauge_create_on(gauge->lattice, device, out));
    NAIK_TRY(naik_comm_agree(gauge->lattice->comm, naik_gauge_copy(gauge, *out)));
done:
    if (status != NAIK_OK) {
        naik_gauge_destroy(out);
    }
    return status;
}

void naik_gauge_set_unit(naik_gauge *gauge)
{
    const int64_t links = (int64_t)gauge->lattice->sites * NAIK_DIM;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < links; i++) {
        gauge->link[i] = naik_mat_unit();
    }
}

static void negate(naik_matrix *u)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            u->e[i][j] = (naik_complex){-u->e[i][j].re, -u->e[i][j].im};
        }
    }
}

void naik_gauge_apply_boundary(naik_gauge *gauge)
{
    const naik_lattice *lat = gauge->lattice;
    const int last = lat->size[NAIK_DIM - 1] - 1 - lat->origin[NAIK_DIM - 1];
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        if (x[NAIK_DIM - 1] == last) {
            negate(&gauge->link[(int64_t)site * NAIK_DIM + NAIK_DIM - 1]);
        }
    }
}

void naik_gauge_apply_phases(naik_gauge *gauge, bool antiperiodic_t)
{
    const naik_lattice *lat = gauge->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        /* Boxes begin at even coordinates: local parities are global ones. */
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        const bool minus[NAIK_DIM] = {x[3] % 2 != 0, (x[3] + x[0]) % 2 != 0,
                                      (x[3] + x[0] + x[1]) % 2 != 0,
                                      antiperiodic_t && lat->origin[3] + x[3] == lat->size[3] - 1};
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            if (minus[mu]) {
                negate(&gauge->link[(int64_t)site * NAIK_DIM + mu]);
            }
        }
    }
}

NAIK_CLONES static bool reunitarise(naik_matrix *u)
{
    return naik_mat_reunitarise(u);
}

NAIK_CLONES static double largest_difference(const naik_matrix *a, const naik_matrix *b)
{
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            largest = fmax(largest, sqrt(naik_cnorm2(naik_csub(a->e[i][j], b->e[i][j]))));
        }
    }
    return largest;
}

/* Zero, or no numbers: what no field of any group has. */
static bool is_nothing(const naik_matrix *u)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += fabs(u->e[i][j].re) + fabs(u->e[i][j].im);
        }
    }
    return !isfinite(sum) || sum == 0;
}

naik_status naik_gauge_reunitarise(naik_gauge *gauge, double *largest_change)
{
    const naik_lattice *lat = gauge->lattice;
    const int64_t links = (int64_t)lat->sites * NAIK_DIM;
    double largest = 0;
    int64_t bad = links,
            damaged = links; /* the first link without a unitary neighbour, and of those
                                             the first that is nothing at all; links if none */
#pragma omp parallel for schedule(static) reduction(max : largest) reduction(min : bad, damaged)
    for (int64_t i = 0; i < links; i++) {
        const naik_matrix before = gauge->link[i];
        if (reunitarise(&gauge->link[i])) {
            largest = fmax(largest, largest_difference(&before, &gauge->link[i]));
        } else {
            bad = i < bad ? i : bad;
            damaged = is_nothing(&before) && i < damaged ? i : damaged;
        }
    }
    naik_status status = NAIK_OK;
    if (bad < links) {
        int x[NAIK_DIM];
        const bool nothing = damaged < links;
        bad = nothing ? damaged : bad;
        naik_lattice_coords(lat, (int32_t)(bad / NAIK_DIM), x);
        status =
            NAIK_FAIL(lat->comm->log, nothing ? NAIK_ERR_CORRUPT : NAIK_ERR_INPUT,
                      "the link %c of site (%d, %d, %d, %d) is %s and cannot be made unitary: %s",
                      "xyzt"[bad % NAIK_DIM], lat -> origin[0] + x[0], lat -> origin[1] + x[1],
                      lat -> origin[2] + x[2], lat -> origin[3] + x[3],
                      nothing ? "zero or not a number" : "singular",
                      nothing ? "the configuration is damaged"
                              : "these are not the links of an SU(3) configuration");
    }
    NAIK_PASS(naik_comm_agree(lat->comm, status));
    NAIK_PASS(naik_comm_max_f64(lat->comm, &largest, 1));
    *largest_change = largest;
    return NAIK_OK;
}

/* Sets this generator's numbers apart from those of sources and of the heatbath. */
enum { STREAM_RANDOM_LINKS = 0x6c696e6b };

/* Two rows of independent complex gaussians, orthonormalised, are Haar-distributed. */
static naik_matrix random_link(naik_rng *rng)
{
    naik_matrix u;
    bool unitary = false;
    while (!unitary) {
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 3; j++) {
                u.e[i][j].re = naik_rng_gaussian(rng);
                u.e[i][j].im = naik_rng_gaussian(rng);
            }
        }
        unitary = reunitarise(&u);
        unitary = unitary && reunitarise(&u); /* removes what rounding left */
    }
    return u;
}

void naik_gauge_set_random(naik_gauge *gauge, uint64_t seed)
{
    const naik_lattice *lat = gauge->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lat->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lat, site, x);
        naik_rng rng =
            naik_rng_at(seed, STREAM_RANDOM_LINKS, (uint64_t)naik_lattice_global(lat, x));
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            gauge->link[(int64_t)site * NAIK_DIM + mu] = random_link(&rng);
        }
    }
}
