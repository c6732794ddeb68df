/* coarse_vector.c - memory with a shape, and messages of whole coarse sites
 *
 * The sites of a zone lie in one piece behind those of the box, so a message is received where it belongs
 * if MPI may touch that memory, else in the host's and copied.
 */
#include "multigrid/coarse_vector.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/timer.h"
#include "comm/comm_mpi.h"

static int32_t sites_of(const naik_aggregates *a)
{
    const int32_t even = a->count[0] + a->halo[0], odd = a->count[1] + a->halo[1];
    return even > odd ? even : odd;
}

size_t naik_coarse_bytes(const naik_aggregates *aggregates, int components, int capacity)
{
    return (size_t)sites_of(aggregates) *
           naik_multigrid_of(aggregates->geometry)->site_bytes(components, capacity);
}

static naik_status allocate(naik_coarse *v, size_t bytes)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = v->aggregates->geometry->backend;
    double *zeros = NULL;
    NAIK_TRY(naik_backend_alloc(backend, bytes, "a coarse vector", &v->data));
    NAIK_TRY(naik_alloc(backend->log, bytes, "a coarse vector", (void **)&zeros));
    NAIK_TRY(naik_backend_upload(backend, v->data, zeros, bytes));
done:
    naik_free(zeros);
    return status;
}

naik_status naik_coarse_create(const naik_aggregates *aggregates, int components, int capacity,
                               naik_coarse **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = aggregates->geometry->backend;
    naik_coarse *v = NULL;
    *out = NULL;
    status = naik_alloc(backend->log, sizeof *v, "a coarse vector", (void **)&v);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    *v = (naik_coarse){
        .aggregates = aggregates,
        .components = components,
        .nrhs = capacity,
        .capacity = capacity,
        .site_bytes = naik_multigrid_of(aggregates->geometry)->site_bytes(components, capacity)};
    NAIK_TRY(naik_comm_agree(backend->comm,
                             allocate(v, naik_coarse_bytes(aggregates, components, capacity))));
    *out = v;
    v = NULL;
done:
    naik_coarse_destroy(&v);
    return status;
}

void naik_coarse_destroy(naik_coarse **v)
{
    if (*v != NULL) {
        naik_backend_release((*v)->aggregates->geometry->backend, (*v)->data);
        naik_free(*v);
        *v = NULL;
    }
}

struct naik_coarse_halo {
    const naik_aggregates *aggregates;
    size_t site_bytes;
    char *packed;           /* backend memory: the largest face */
    char *send, *receive;   /* host memory: all faces, one behind the other */
    size_t at[NAIK_DIM][2]; /* of a face in them */
    MPI_Request request[4 * NAIK_DIM];
    int requests;
};

static int32_t largest_face(const naik_aggregates *a, int mu, int side)
{
    int32_t largest = 0;
    for (int c = 0; c < 2; c++) {
        largest = a->sends[c][mu][side] > largest ? a->sends[c][mu][side] : largest;
        largest = a->face[c][mu][side] > largest ? a->face[c][mu][side] : largest;
    }
    return largest;
}

static naik_status make_buffers(naik_coarse_halo *h)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = h->aggregates->geometry->backend;
    size_t total = 0, most = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        for (int side = 0; side < 2; side++) {
            const size_t bytes = (size_t)largest_face(h->aggregates, mu, side) * h->site_bytes;
            h->at[mu][side] = total;
            total += bytes;
            most = bytes > most ? bytes : most;
        }
    }
    if (total > 0) {
        NAIK_TRY(naik_backend_alloc(backend, most, "coarse messages", (void **)&h->packed));
        NAIK_TRY(naik_alloc(backend->log, total, "coarse messages", (void **)&h->send));
        NAIK_TRY(naik_alloc(backend->log, total, "coarse messages", (void **)&h->receive));
    }
done:
    return status;
}

naik_status naik_coarse_halo_create(const naik_aggregates *aggregates, int components, int capacity,
                                    naik_coarse_halo **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = aggregates->geometry->backend;
    naik_coarse_halo *h = NULL;
    *out = NULL;
    status = naik_alloc(backend->log, sizeof *h, "coarse messages", (void **)&h);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    h->aggregates = aggregates;
    h->site_bytes = naik_multigrid_of(aggregates->geometry)->site_bytes(components, capacity);
    NAIK_TRY(naik_comm_agree(backend->comm, make_buffers(h)));
    *out = h;
    h = NULL;
done:
    naik_coarse_halo_destroy(&h);
    return status;
}

void naik_coarse_halo_destroy(naik_coarse_halo **halo)
{
    naik_coarse_halo *h = *halo;
    if (h != NULL) {
        if (h->packed != NULL) {
            naik_backend_release(h->aggregates->geometry->backend, h->packed);
        }
        naik_free(h->send);
        naik_free(h->receive);
        naik_free(h);
        *halo = NULL;
    }
}

/* Posts a face's receive, and its send once it is packed. A message is tagged by the zone it fills. */
static naik_status start_face(naik_coarse_halo *h, const naik_coarse *v, naik_parity parity, int mu,
                              int side)
{
    naik_status status = NAIK_OK;
    const naik_aggregates *a = h->aggregates;
    naik_backend *backend = a->geometry->backend;
    naik_comm *comm = backend->comm;
    const int rank = a->geometry->lattice->neighbour_rank[mu][side];
    const size_t in = (size_t)a->face[parity][mu][side] * v->site_bytes;
    const size_t out = (size_t)a->sends[parity][mu][side] * v->site_bytes;
    if (in > INT32_MAX || out > INT32_MAX) {
        return NAIK_FAIL(comm->log, NAIK_ERR_ARG, "a coarse message of %zu bytes: use more ranks",
                         in > out ? in : out);
    }
    NAIK_TRY(naik_comm_check(comm,
                             MPI_Irecv(h->receive + h->at[mu][side], (int)in, MPI_BYTE, rank,
                                       2 * mu + side, comm->mpi->world, &h->request[h->requests]),
                             "posting a coarse receive"));
    h->requests++;
    NAIK_TRY(naik_multigrid_of(a->geometry)->pack(v, a, parity, mu, side, h->packed));
    NAIK_TRY(naik_backend_download(backend, h->send + h->at[mu][side], h->packed, out));
    NAIK_TRY(naik_comm_check(comm,
                             MPI_Isend(h->send + h->at[mu][side], (int)out, MPI_BYTE, rank,
                                       2 * mu + !side, comm->mpi->world, &h->request[h->requests]),
                             "sending a coarse face"));
    h->requests++;
done:
    return status;
}

naik_status naik_coarse_exchange(naik_coarse_halo *h, naik_coarse *v, naik_parity parity)
{
    naik_status status = NAIK_OK;
    const naik_aggregates *a = h->aggregates;
    const naik_lattice *lat = a->geometry->lattice;
    MPI_Status statuses[4 * NAIK_DIM];
    if (lat->halo == 0) {
        return NAIK_OK;
    }
    h->requests = 0;
    for (int face = 0; face < 2 * NAIK_DIM; face++) {
        if (lat->split[face / 2]) {
            NAIK_TRY(start_face(h, v, parity, face / 2, face % 2));
        }
    }
    NAIK_TRY(naik_comm_check(lat->comm, MPI_Waitall(h->requests, h->request, statuses),
                             "the exchange of coarse faces"));
    for (int face = 0; face < 2 * NAIK_DIM; face++) {
        const int mu = face / 2, side = face % 2;
        if (lat->split[mu]) {
            const size_t to =
                (size_t)(a->count[parity] + a->zone[parity][mu][side]) * v->site_bytes;
            NAIK_TRY(naik_backend_upload(a->geometry->backend, (char *)v->data + to,
                                         h->receive + h->at[mu][side],
                                         (size_t)a->face[parity][mu][side] * v->site_bytes));
        }
    }
done:
    return status;
}
