/* halo.c - the exchange plan: one message a face, receives posted before anything is packed
 *
 * Messages travel from backend memory where MPI may touch it, else through host buffers beside it.
 */
#include "naik/halo.h"

#include <stdlib.h>

#include "naik/comm_mpi.h"
#include "naik/memory.h"

typedef struct face {
    void *send, *receive;           /* backend memory */
    void *host_send, *host_receive; /* what MPI sees; the same where the host may touch it */
    size_t capacity;                /* bytes of each */
} face;

struct naik_halo {
    const naik_geometry *geometry;
    face faces[NAIK_DIM][2]; /* [mu][side]: sent to that side, received from that side */
    MPI_Request requests[4 * NAIK_DIM];
    int request_count;
};

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

static void release_face(naik_backend *backend, face *f)
{
    if (!backend->ops->host_memory) {
        naik_free(f->host_send);
        naik_free(f->host_receive);
    }
    backend->ops->release(backend, f->send);
    backend->ops->release(backend, f->receive);
    *f = (face){0};
}

void naik_halo_destroy(naik_halo **halo)
{
    if (*halo == NULL) {
        return;
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            release_face((*halo)->geometry->backend, &(*halo)->faces[mu][side]);
        }
    }
    free(*halo);
    *halo = NULL;
}

/* Room for a message of size_bytes; grows at the first exchange of a larger shape only. */
static naik_status reserve(naik_backend *backend, face *f, size_t size_bytes)
{
    naik_status status = NAIK_OK;
    if (f->capacity >= size_bytes) {
        return NAIK_OK;
    }
    release_face(backend, f);
    NAIK_TRY(backend->ops->alloc(backend, size_bytes, "a halo message", &f->send));
    NAIK_TRY(backend->ops->alloc(backend, size_bytes, "a halo message", &f->receive));
    if (backend->ops->host_memory) {
        f->host_send = f->send;
        f->host_receive = f->receive;
    } else {
        NAIK_TRY(naik_alloc(backend->log, size_bytes, "a halo message", &f->host_send));
        NAIK_TRY(naik_alloc(backend->log, size_bytes, "a halo message", &f->host_receive));
    }
    f->capacity = size_bytes;
done:
    return status;
}

static size_t message_bytes(const naik_field *field, int mu, int depth)
{
    const naik_geometry *geometry = field->geometry;
    return geometry->backend->ops->face_bytes(geometry->lattice, field->precision, field->nrhs, mu,
                                              depth);
}

/* A message is tagged by the zone it fills: sent to the side ahead, it fills the zone behind. */
static int tag_of(int mu, int zone_side)
{
    return 2 * mu + zone_side;
}

static naik_status post_receives(naik_halo *halo, const naik_field *field, int depth)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = halo->geometry->lattice;
    naik_comm *comm = lat->comm;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; lat->split[mu] && side < 2; side++) {
            face *f = &halo->faces[mu][side];
            size_t bytes = message_bytes(field, mu, depth);
            if (bytes > INT32_MAX) {
                return NAIK_FAIL(comm->log, NAIK_ERR_ARG,
                                 "a halo message of %zu bytes: use a smaller batch or more ranks",
                                 bytes);
            }
            NAIK_TRY(reserve(halo->geometry->backend, f, bytes));
            NAIK_TRY(naik_comm_check(
                comm,
                MPI_Irecv(f->host_receive, (int)bytes, MPI_BYTE, lat->neighbour_rank[mu][side],
                          tag_of(mu, side), comm->mpi->world, &halo->requests[halo->request_count]),
                "posting a halo receive"));
            halo->request_count++;
        }
    }
done:
    return status;
}

naik_status naik_halo_start(naik_halo *halo, const naik_field *field, naik_parity parity, int depth)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = halo->geometry->lattice;
    naik_backend *backend = halo->geometry->backend;
    naik_comm *comm = lat->comm;
    halo->request_count = 0;
    NAIK_TRY(post_receives(halo, field, depth));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; lat->split[mu] && side < 2; side++) {
            NAIK_TRY(
                backend->ops->pack(field, parity, mu, side, depth, halo->faces[mu][side].send));
        }
    }
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; lat->split[mu] && side < 2; side++) {
            face *f = &halo->faces[mu][side];
            size_t bytes = message_bytes(field, mu, depth);
            if (!backend->ops->host_memory) {
                NAIK_TRY(backend->ops->download(backend, f->host_send, f->send, bytes));
            }
            NAIK_TRY(
                naik_comm_check(comm,
                                MPI_Isend(f->host_send, (int)bytes, MPI_BYTE,
                                          lat->neighbour_rank[mu][side], tag_of(mu, !side),
                                          comm->mpi->world, &halo->requests[halo->request_count]),
                                "sending a halo"));
            halo->request_count++;
        }
    }
done:
    return status;
}

naik_status naik_halo_wait(naik_halo *halo, naik_field *field, naik_parity parity, int depth)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = halo->geometry->lattice;
    naik_backend *backend = halo->geometry->backend;
    /* gcc believes that MPICH's MPI_STATUSES_IGNORE would be written to */
    MPI_Status statuses[4 * NAIK_DIM];
    NAIK_TRY(naik_comm_check(lat->comm, MPI_Waitall(halo->request_count, halo->requests, statuses),
                             "the halo exchange"));
    halo->request_count = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; lat->split[mu] && side < 2; side++) {
            face *f = &halo->faces[mu][side];
            if (!backend->ops->host_memory) {
                NAIK_TRY(backend->ops->upload(backend, f->receive, f->host_receive,
                                              message_bytes(field, mu, depth)));
            }
            NAIK_TRY(backend->ops->unpack(field, parity, mu, side, depth, f->receive));
        }
    }
done:
    return status;
}
