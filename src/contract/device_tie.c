/* device_tie.c - mesons of staggered quarks with operators that have links, on a device */
#include "contract/device_tie.h"

#include <string.h>

#include "base/exactsum.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "links/link_ops.h"
#include "links/shift_ops.h"
#include "propagator/faces.h"
#include "propagator/slice_sums.h"

enum { COLUMNS = 3, VECTOR = 6 };

struct device_tie {
    const naik_lattice *lattice;
    naik_device *device;
    const naik_shift_ops *ops;
    int momenta;
    naik_gauge *links; /* thin, with the boundary */
    /* There: */
    double *quark[DEVICE_TIE_QUARKS], *displaced; /* [COLUMNS] vectors */
    double *at, *next;                            /* vectors */
    double *face[2];                              /* of the largest layer: ahead and behind */
    naik_complex *factor;                         /* [momenta][local x + y + z] */
    naik_exactsum *sums;                          /* [momenta][2][local T] */
    /* Here: */
    naik_faces faces;
    naik_complex *factors;
    naik_exactsum *all; /* [momenta][2][T], then [momenta][2][local T] */
};

static size_t vector_bytes(const naik_lattice *lat)
{
    return (size_t)lat->sites * VECTOR * sizeof(double);
}

static size_t factor_count(const naik_lattice *lat)
{
    const int count = lat->local[0] + lat->local[1] + lat->local[2];
    return (size_t)count;
}

size_t device_tie_bytes(const naik_lattice *lattice, int momenta)
{
    const size_t vectors = (DEVICE_TIE_QUARKS + 1) * COLUMNS + 2;
    return (size_t)lattice->sites * NAIK_DIM * sizeof(naik_matrix) +
           vectors * vector_bytes(lattice) + naik_faces_bytes(lattice, VECTOR) +
           (size_t)momenta * (factor_count(lattice) * sizeof(naik_complex) +
                              2 * (size_t)lattice->local[3] * sizeof(naik_exactsum));
}

static naik_status allocate(device_tie *tie)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    naik_device *device = tie->device;
    naik_log *log = lat->comm->log;
    const size_t vector = vector_bytes(lat), momenta = (size_t)tie->momenta;
    const size_t face = naik_faces_bytes(lat, VECTOR) / 2;
    const size_t sums = 2 * momenta * sizeof(naik_exactsum);
    for (int k = 0; k < DEVICE_TIE_QUARKS; k++) {
        NAIK_TRY(naik_device_alloc(device, log, COLUMNS * vector, "a propagator",
                                   (void **)&tie->quark[k]));
        if (face > 0) {
            NAIK_TRY(
                naik_device_alloc(device, log, face, "a face of vectors", (void **)&tie->face[k]));
        }
    }
    NAIK_TRY(
        naik_device_alloc(device, log, COLUMNS * vector, "a propagator", (void **)&tie->displaced));
    NAIK_TRY(naik_device_alloc(device, log, vector, "a shifted vector", (void **)&tie->at));
    NAIK_TRY(naik_device_alloc(device, log, vector, "a shifted vector", (void **)&tie->next));
    NAIK_TRY(naik_device_alloc(device, log, momenta * factor_count(lat) * sizeof *tie->factor,
                               "momentum weights", (void **)&tie->factor));
    NAIK_TRY(naik_device_alloc(device, log, sums * (size_t)lat->local[3], "correlator sums",
                               (void **)&tie->sums));
    NAIK_TRY(naik_faces_init(lat, VECTOR, &tie->faces));
    NAIK_TRY(naik_alloc(log, momenta * factor_count(lat) * sizeof *tie->factors, "momentum weights",
                        (void **)&tie->factors));
    NAIK_TRY(naik_alloc(log, sums * (size_t)(lat->size[3] + lat->local[3]), "correlator sums",
                        (void **)&tie->all));
done:
    return status;
}

naik_status device_tie_create(naik_device *device, const naik_shifts *shifts, int momenta,
                              device_tie **out)
{
    naik_status status = NAIK_OK;
    const naik_gauge *links = naik_shifts_links(shifts);
    naik_comm *comm = links->lattice->comm;
    *out = NULL;
    status = naik_alloc(comm->log, sizeof **out, "operators on a device", (void **)out);
    NAIK_TRY(naik_comm_agree(comm, status));
    **out = (device_tie){.lattice = links->lattice,
                         .device = device,
                         .ops = device->link_ops->shifts,
                         .momenta = momenta};
    NAIK_TRY(naik_comm_agree(comm, allocate(*out)));
    NAIK_TRY(naik_gauge_bring(links, device, &(*out)->links));
done:
    if (status != NAIK_OK) {
        device_tie_destroy(out);
    }
    return status;
}

void device_tie_destroy(device_tie **tie)
{
    device_tie *w = *tie;
    if (w != NULL) {
        void *const there[] = {w->quark[0], w->quark[1], w->face[0], w->face[1], w->displaced,
                               w->at,       w->next,     w->factor,  w->sums};
        for (size_t k = 0; k < sizeof there / sizeof *there; k++) {
            naik_device_free(w->device, there[k]);
        }
        naik_gauge_destroy(&w->links);
        naik_faces_clear(&w->faces);
        naik_free(w->factors);
        naik_free(w->all);
        naik_free(w);
        *tie = NULL;
    }
}

naik_status device_tie_put(device_tie *tie, int quark, const double *g)
{
    return tie->device->memory->upload(tie->device, tie->quark[quark], g,
                                       COLUMNS * vector_bytes(tie->lattice));
}

/* The layer beyond the box on that side of mu; backwards times U^+, by the neighbour. */
static naik_status exchange(device_tie *tie, int mu, int side)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    const naik_memory_ops *memory = tie->device->memory;
    const bool ahead = side == NAIK_FORWARD;
    double *face = tie->face[ahead ? 0 : 1];
    const size_t bytes = (size_t)(lat->sites / lat->local[mu]) * VECTOR * sizeof *face;
    if (!lat->split[mu]) {
        return NAIK_OK;
    }
    status = tie->ops->face(tie->device, lat, ahead ? NULL : tie->links->link, mu,
                            ahead ? 0 : lat->local[mu] - 1, tie->at, face);
    if (status == NAIK_OK) {
        status = memory->download(tie->device, tie->faces.send, face, bytes);
    }
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    NAIK_TRY(naik_comm_exchange(lat->comm, lat->neighbour_rank[mu][!side], tie->faces.send,
                                lat->neighbour_rank[mu][side], tie->faces.receive, bytes));
    NAIK_TRY(memory->upload(tie->device, face, tie->faces.receive, bytes));
done:
    return status;
}

static naik_status shift(device_tie *tie, int mu, unsigned mask, const int r0[NAIK_DIM])
{
    naik_status status = NAIK_OK;
    naik_link_shift step = {.lattice = tie->lattice,
                            .link = tie->links->link,
                            .mu = mu,
                            .mask = mask,
                            .f = tie->at,
                            .ahead = tie->face[0],
                            .behind = tie->face[1],
                            .out = tie->next};
    memcpy(step.r0, r0, sizeof step.r0);
    NAIK_TRY(exchange(tie, mu, NAIK_FORWARD));
    NAIK_TRY(exchange(tie, mu, NAIK_BACKWARD));
    NAIK_TRY(tie->ops->shift(tie->device, &step));
    tie->next = tie->at;
    tie->at = step.out;
done:
    return status;
}

naik_status device_tie_apply(device_tie *tie, int spin_taste, const int r0[NAIK_DIM], int quark)
{
    naik_status status = NAIK_OK;
    naik_spin_taste_paths paths;
    const int64_t vector = VECTOR * (int64_t)tie->lattice->sites;
    naik_spin_taste_paths_of(spin_taste, &paths);
    for (int column = 0; column < COLUMNS; column++) {
        for (int k = 0; k < paths.count; k++) {
            NAIK_TRY(tie->ops->add_signed(tie->device, tie->lattice, paths.first, r0, 1,
                                          tie->quark[quark] + vector * column, false, tie->at));
            for (int i = 0; i < paths.links; i++) {
                NAIK_TRY(shift(tie, paths.mu[k][i], paths.step[paths.mu[k][i]], r0));
            }
            NAIK_TRY(tie->ops->add_signed(tie->device, tie->lattice, paths.last, r0,
                                          paths.factor[k], tie->at, k > 0,
                                          tie->displaced + vector * column));
        }
    }
done:
    return status;
}

static void fill_factors(const device_tie *tie, const naik_frame *frame, naik_complex *factor)
{
    const naik_lattice *lat = tie->lattice;
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        for (int x = 0; x < lat->local[k]; x++) {
            *factor++ = naik_slice_factor(lat, frame, k, lat->origin[k] + x);
        }
    }
}

/* The sums of this rank, into their places in those of all. */
static naik_status sum_box(device_tie *tie, int quark, int momenta)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    const naik_memory_ops *memory = tie->device->memory;
    const size_t local = (size_t)lat->local[3], times = (size_t)lat->size[3];
    const naik_tie_sums args = {.lattice = lat,
                                .g = tie->quark[quark],
                                .h = tie->displaced,
                                .momenta = momenta,
                                .factor = tie->factor,
                                .sums = tie->sums};
    naik_exactsum *own = tie->all + 2 * (size_t)tie->momenta * times;
    NAIK_TRY(memory->upload(tie->device, tie->factor, tie->factors,
                            (size_t)momenta * factor_count(lat) * sizeof *tie->factors));
    NAIK_TRY(tie->ops->tie(tie->device, &args));
    NAIK_TRY(
        memory->download(tie->device, own, tie->sums, 2 * (size_t)momenta * local * sizeof *own));
    memset(tie->all, 0, 2 * (size_t)momenta * times * sizeof *tie->all);
    for (size_t k = 0; k < 2 * (size_t)momenta; k++) {
        memcpy(tie->all + k * times + lat->origin[3], own + k * local, local * sizeof *own);
    }
done:
    return status;
}

naik_status device_tie_sum(device_tie *tie, int quark, const naik_frame *frame, int momenta,
                           naik_complex *out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = tie->lattice;
    const int times = lat->size[3];
    for (int p = 0; p < momenta; p++) {
        fill_factors(tie, &frame[p], tie->factors + (size_t)p * factor_count(lat));
    }
    NAIK_TRY(naik_comm_agree(lat->comm, sum_box(tie, quark, momenta)));
    NAIK_TRY(naik_comm_sum_exact(lat->comm, tie->all, 2 * momenta * times));
    for (int k = 0; k < momenta * times; k++) {
        const naik_exactsum *re = tie->all + 2 * (k / times) * times + k % times;
        out[k] = (naik_complex){naik_exactsum_value(re), naik_exactsum_value(re + times)};
    }
done:
    return status;
}
