/* halo.c - the exchange plan: who is reached over which path, one message a face
 *
 * Faces that go from device to device are the backend's own affair (naik_peer_ops). The others lie
 * one behind the other in one buffer of each kind. MPI sees that memory itself where it may, else a
 * copy of it in host memory. A receive is posted once the backend is done with what came before:
 * MPI may write from then on.
 */
#include "backend/halo.h"

#include <stdlib.h>
#include <string.h>

#include "backend/halves.h"
#include "base/timer.h"
#include "base/watchdog.h"
#include "comm/comm_mpi.h"
#if defined(OPEN_MPI) && defined(NAIK_MPI_QUERY)
#include <mpi-ext.h>
#endif

enum { MESSAGE_ALIGNMENT = 256, SETTLE_S = 10 };

typedef struct face {
    bool used; /* by MPI, in the exchange under way */
    size_t at, bytes;
} face;

struct naik_halo {
    const naik_geometry *geometry;
    char *send, *receive;           /* backend memory */
    char *host_send, *host_receive; /* what MPI sees; the same where it may touch that */
    bool staged;                    /* it may not */
    size_t capacity;                /* bytes of each */
    face faces[NAIK_DIM][2];        /* [mu][side]: sent to that side, received from that side */
    size_t total;                   /* bytes of all faces in use */
    size_t room; /* of all between boxes, whichever path they take here, if MPI carries any of the
                    job's: the same on every rank */
    bool direct[NAIK_DIM][2]; /* faces that go from device to device */
    bool any_direct;
    const naik_field *armed; /* its layers have been sent by the kernel that wrote it */
    MPI_Request requests[4 * NAIK_DIM];
    int request_count;
};

bool naik_halo_mpi_takes_device_memory(void)
{
    const char *cray = getenv("MPICH_GPU_SUPPORT_ENABLED");
    bool takes = cray != NULL && strcmp(cray, "1") == 0;
#if defined(OPEN_MPI) && defined(NAIK_MPI_QUERY)
    takes = takes || NAIK_MPI_QUERY() == 1; /* the Makefile names it */
#endif
    return takes;
}

naik_status naik_halo_create(const naik_geometry *geometry, naik_halo **out)
{
    naik_halo *halo = calloc(1, sizeof *halo);
    *out = halo;
    if (halo == NULL) {
        return NAIK_FAIL(geometry->backend->log, NAIK_ERR_MEMORY, "no memory for the halo");
    }
    halo->geometry = geometry;
    return NAIK_OK;
}

/* As MPI_Waitall, but gives up after timeout_s where that is not 0: then messages are still on their way,
 * and request_count says so. What MPI returns */
static int await_messages(naik_halo *halo, double timeout_s)
{
    naik_comm *comm = halo->geometry->lattice->comm;
    /* gcc believes that MPICH's MPI_STATUSES_IGNORE would be written to */
    MPI_Status statuses[4 * NAIK_DIM];
    const double end_s = naik_time_s() + timeout_s;
    int error = MPI_SUCCESS, finished = timeout_s == 0;
    naik_watchdog_wait(comm->watchdog, "the faces", &halo->geometry->lattice->neighbour_rank[0][0],
                       2 * NAIK_DIM);
    if (timeout_s == 0) {
        error = MPI_Waitall(halo->request_count, halo->requests, statuses);
    }
    while (error == MPI_SUCCESS && !finished && naik_time_s() <= end_s) {
        error = MPI_Testall(halo->request_count, halo->requests, &finished, statuses);
    }
    halo->request_count = finished ? 0 : halo->request_count;
    return error;
}

static naik_status wait_for_messages(naik_halo *halo, double timeout_s)
{
    naik_comm *comm = halo->geometry->lattice->comm;
    const int error = await_messages(halo, timeout_s);
    return error == MPI_SUCCESS && halo->request_count > 0
               ? NAIK_FAIL(comm->log, NAIK_ERR_MPI, "no halo message within %.0f s", timeout_s)
               : naik_comm_check(comm, error, "the halo exchange");
}

/* A Dslash that fails between start and wait leaves messages on their way into the buffers. They have to
 * arrive before the buffers serve the next exchange or are given back. A failure that all ranks share
 * has sent every message. */
static double settle_s(const naik_halo *halo)
{
    const double timeout_s = halo->geometry->backend->route.timeout_s;
    return timeout_s > 0 ? timeout_s : SETTLE_S;
}

static void release_buffers(naik_halo *halo)
{
    naik_backend *backend = halo->geometry->backend;
    if (halo->staged) {
        backend->ops->memory.release_host(&backend->device, halo->host_send);
        backend->ops->memory.release_host(&backend->device, halo->host_receive);
    }
    naik_backend_release(backend, halo->send);
    naik_backend_release(backend, halo->receive);
    halo->send = halo->receive = halo->host_send = halo->host_receive = NULL;
    halo->staged = false;
    halo->capacity = 0;
}

void naik_halo_destroy(naik_halo **halo)
{
    if (*halo == NULL) {
        return;
    }
    if ((*halo)->request_count == 0 ||
        (await_messages(*halo, settle_s(*halo)) == MPI_SUCCESS && (*halo)->request_count == 0)) {
        release_buffers(*halo); /* else MPI may write to them until the program ends */
    }
    free(*halo);
    *halo = NULL;
}

static naik_status make_buffers(naik_halo *halo)
{
    naik_backend *backend = halo->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    static const char what[] = "halo messages";
    NAIK_PASS(naik_backend_alloc(backend, halo->room, what, (void **)&halo->send));
    NAIK_PASS(naik_backend_alloc(backend, halo->room, what, (void **)&halo->receive));
    halo->staged = !ops->host_memory && !backend->route.device;
    if (halo->staged) {
        NAIK_PASS(
            ops->memory.alloc_host(&backend->device, halo->room, what, (void **)&halo->host_send));
        NAIK_PASS(ops->memory.alloc_host(&backend->device, halo->room, what,
                                         (void **)&halo->host_receive));
    } else {
        halo->host_send = halo->send;
        halo->host_receive = halo->receive;
    }
    halo->capacity = halo->room;
    return NAIK_OK;
}

/* Room for messages of this shape; grows at the first exchange of a larger one only. That is the
 * same exchange on every rank, also on those that have no message for MPI: they agree. */
static naik_status reserve(naik_halo *halo)
{
    if (halo->capacity >= halo->room) {
        return NAIK_OK;
    }
    release_buffers(halo);
    naik_status status = naik_comm_agree(halo->geometry->backend->comm, make_buffers(halo));
    if (status != NAIK_OK) {
        release_buffers(halo); /* there is no room half made */
    }
    return status;
}

static size_t padded(size_t size_bytes)
{
    return (size_bytes + MESSAGE_ALIGNMENT - 1) / MESSAGE_ALIGNMENT * MESSAGE_ALIGNMENT;
}

size_t naik_halo_bytes(const naik_geometry *geometry, naik_precision precision, int spin, int nrhs,
                       int depth)
{
    const naik_lattice *lat = geometry->lattice;
    const naik_backend_ops *ops = geometry->backend->ops;
    const naik_route *route = &geometry->backend->route;
    const int vectors = nrhs * naik_travelling_vectors(precision, spin);
    size_t bytes =
        route->peer && lat->halo > 0 ? ops->halo.peer->bytes(lat, precision, nrhs * spin) : 0;
    for (int mu = 0; mu < NAIK_DIM && !route->single_node; mu++) {
        /* two sides, to send and to receive */
        bytes += lat->split[mu]
                     ? 4 * padded(ops->halo.face_bytes(lat, precision, vectors, mu, depth))
                     : 0;
    }
    return bytes;
}

/* Which faces go over which path, and where in the buffers they lie. */
static naik_status plan(naik_halo *halo, const naik_field *field, const naik_layers *layers)
{
    const naik_lattice *lat = halo->geometry->lattice;
    naik_backend *backend = halo->geometry->backend;
    const naik_route *route = &backend->route;
    halo->total = 0;
    halo->room = 0;
    halo->any_direct = false;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            face *f = &halo->faces[mu][side];
            bool direct =
                lat->split[mu] && route->peer && route->near[lat->neighbour_rank[mu][side]];
            halo->direct[mu][side] = direct;
            halo->any_direct = halo->any_direct || direct;
            f->used = lat->split[mu] && !direct;
            if (!lat->split[mu] || route->single_node) {
                continue;
            }
            f->bytes = backend->ops->halo.face_bytes(
                lat, field->precision, naik_layer_vectors(field, layers), mu, layers->depth);
            if (f->bytes > INT32_MAX) { /* found on every rank */
                return NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                                 "a halo message of %zu bytes: use a smaller batch or more ranks",
                                 f->bytes);
            }
            f->at = halo->total;
            halo->total += f->used ? padded(f->bytes) : 0;
            halo->room += padded(f->bytes);
        }
    }
    return NAIK_OK;
}

/* A message is tagged by the zone it fills: sent to the side ahead, it fills the zone behind. */
static int tag_of(int mu, int zone_side)
{
    return 2 * mu + zone_side;
}

static naik_status post(naik_halo *halo, bool receive)
{
    const naik_lattice *lat = halo->geometry->lattice;
    naik_comm *comm = lat->comm;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            const face *f = &halo->faces[mu][side];
            if (!f->used) {
                continue;
            }
            const int rank = lat->neighbour_rank[mu][side], bytes = (int)f->bytes;
            MPI_Request *request = &halo->requests[halo->request_count];
            int error = receive ? MPI_Irecv(halo->host_receive + f->at, bytes, MPI_BYTE, rank,
                                            tag_of(mu, side), comm->mpi->world, request)
                                : MPI_Isend(halo->host_send + f->at, bytes, MPI_BYTE, rank,
                                            tag_of(mu, !side), comm->mpi->world, request);
            NAIK_PASS(naik_comm_check(comm, error,
                                      receive ? "posting a halo receive" : "sending a halo"));
            halo->request_count++;
        }
    }
    return NAIK_OK;
}

/* The field whose layers are under way, and none from now on. */
static const naik_field *take_armed(naik_halo *halo)
{
    const naik_field *armed = halo->armed;
    halo->armed = NULL;
    return armed;
}

static naik_status refuse_other(const naik_halo *halo)
{
    return NAIK_FAIL(halo->geometry->backend->log, NAIK_ERR_ARG,
                     "the halo of another field is under way");
}

naik_status naik_halo_arm(naik_halo *halo, const naik_field *field, const naik_layers *layers,
                          bool *armed)
{
    const naik_backend *backend = halo->geometry->backend;
    *armed = false;
    if (!backend->route.single_node) {
        return NAIK_OK;
    }
    if (take_armed(halo) != NULL) { /* of which the layers would be taken for those of `field` */
        return refuse_other(halo);
    }
    NAIK_PASS(plan(halo, field, layers));
    if (halo->any_direct) {
        NAIK_PASS(backend->ops->halo.peer->reserve(field, halo->direct));
        halo->armed = field;
        *armed = true;
    }
    return NAIK_OK;
}

naik_status naik_halo_prime(naik_halo *halo, const naik_field *field, const naik_layers *layers)
{
    bool armed = false;
    NAIK_PASS(naik_halo_arm(halo, field, layers, &armed));
    if (armed) {
        NAIK_PASS(halo->geometry->backend->ops->halo.peer->send(field, layers, false));
    }
    return NAIK_OK;
}

naik_status naik_halo_drain(naik_halo *halo, naik_field *field, const naik_layers *layers)
{
    if (halo->armed == field) {
        NAIK_PASS(naik_halo_start(halo, field, layers));
        NAIK_PASS(naik_halo_wait(halo, field, layers));
    }
    return NAIK_OK;
}

naik_status naik_halo_start(naik_halo *halo, const naik_field *field, const naik_layers *layers)
{
    naik_backend *backend = halo->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    const naik_field *armed = take_armed(halo);
    if (halo->request_count > 0) {
        NAIK_PASS(wait_for_messages(halo, settle_s(halo)));
    }
    NAIK_PASS(plan(halo, field, layers));
    if (armed != NULL && armed != field) {
        return refuse_other(halo);
    }
    if (backend->route.peer && halo->geometry->lattice->halo > 0 && armed == NULL) {
        NAIK_PASS(ops->halo.peer->reserve(field, halo->direct)); /* which all ranks do together */
    }
    if (halo->any_direct && armed == NULL) {
        NAIK_PASS(ops->halo.peer->send(field, layers, true));
    }
    NAIK_PASS(reserve(halo));
    if (halo->total == 0) {
        return NAIK_OK;
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            const face *f = &halo->faces[mu][side];
            if (f->used) {
                NAIK_PASS(ops->halo.pack(field, layers, mu, side, halo->send + f->at));
            }
        }
    }
    if (halo->staged) {
        NAIK_PASS(naik_backend_download(backend, halo->host_send, halo->send, halo->total));
    } else {
        NAIK_PASS(naik_backend_sync(backend));
    }
    NAIK_PASS(post(halo, true)); /* what came last has been unpacked by now */
    return post(halo, false);
}

naik_status naik_halo_wait(naik_halo *halo, naik_field *field, const naik_layers *layers)
{
    naik_backend *backend = halo->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    if (halo->total > 0) {
        NAIK_PASS(wait_for_messages(halo, backend->route.timeout_s));
        if (halo->staged) {
            NAIK_PASS(naik_backend_upload(backend, halo->receive, halo->host_receive, halo->total));
        }
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            const face *f = &halo->faces[mu][side];
            if (f->used) {
                NAIK_PASS(ops->halo.unpack(field, layers, mu, side, halo->receive + f->at));
            }
        }
    }
    if (halo->any_direct) {
        NAIK_PASS(ops->halo.peer->receive(field, layers));
    }
    return NAIK_OK;
}

naik_status naik_halo_hand_over(naik_halo *halo, naik_field *field, const naik_layers *layers)
{
    return halo->geometry->backend->route.single_node ? NAIK_OK
                                                      : naik_halo_wait(halo, field, layers);
}
