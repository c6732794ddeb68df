/* transfer.c - the memory of P, and its columns from test vectors */
#include "multigrid/transfer.h"

#include <stdlib.h>

#include "comm/collective.h"
#include "comm/new.h"

static naik_status allocate(naik_transfer *p)
{
    naik_backend *backend = p->aggregates->geometry->backend;
    const size_t work =
        naik_multigrid_of(p->aggregates->geometry)->work_bytes(p->aggregates, p->vectors);
    NAIK_PASS(
        naik_backend_alloc(backend, p->size_bytes, "the prolongation of multigrid", &p->data));
    if (work > 0) {
        NAIK_PASS(naik_backend_alloc(backend, work, "spinors by aggregates", &p->work));
    }
    return NAIK_OK;
}

naik_status naik_transfer_create(const naik_aggregates *aggregates, int vectors,
                                 naik_precision precision, naik_transfer **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = aggregates->geometry->backend;
    naik_transfer *p = NULL;
    *out = NULL;
    if (vectors < 1 || vectors > NAIK_MG_VECTORS_MOST || precision == NAIK_DOUBLE) {
        return NAIK_FAIL(backend->log, NAIK_ERR_ARG, "%d near-null vectors: 1 to %d are possible",
                         vectors, NAIK_MG_VECTORS_MOST);
    }
    NAIK_TRY(naik_new(backend->comm, sizeof *p, "the prolongation of multigrid", (void **)&p));
    *p = (naik_transfer){.aggregates = aggregates,
                         .vectors = vectors,
                         .precision = precision,
                         .size_bytes = naik_multigrid_of(aggregates->geometry)
                                           ->transfer_bytes(aggregates, vectors, precision)};
    NAIK_TRY(naik_comm_agree(backend->comm, allocate(p)));
    *out = p;
    p = NULL;
done:
    naik_transfer_destroy(&p);
    return status;
}

size_t naik_transfer_bytes(const naik_aggregates *aggregates, int vectors, naik_precision precision)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(aggregates->geometry);
    return ops->transfer_bytes(aggregates, vectors, precision) +
           ops->work_bytes(aggregates, vectors);
}

void naik_transfer_destroy(naik_transfer **p)
{
    if (*p != NULL) {
        naik_backend *backend = (*p)->aggregates->geometry->backend;
        naik_backend_release(backend, (*p)->data);
        naik_backend_release(backend, (*p)->work);
        free(*p);
        *p = NULL;
    }
}

naik_status naik_transfer_fill(naik_transfer *p, naik_field *const (*vectors)[2], int blocks,
                               naik_orthonormal *met)
{
    naik_comm *comm = p->aggregates->geometry->backend->comm;
    const naik_multigrid_ops *ops = naik_multigrid_of(p->aggregates->geometry);
    for (int b = 0; b < blocks; b++) {
        for (int parity = 0; parity < 2; parity++) {
            NAIK_PASS(
                ops->set_columns(p, (naik_parity)parity, b * NAIK_MG_BLOCK, vectors[b][parity]));
        }
    }
    NAIK_PASS(naik_comm_agree(comm, ops->orthonormalise(p, met)));
    NAIK_PASS(naik_comm_min_f64(comm, &met->least, 1));
    return naik_comm_sum_i64(comm, &met->replaced, 1);
}
