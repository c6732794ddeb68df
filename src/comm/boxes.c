/* boxes.c - each pair of ranks exchanges what their boxes share, as MPI's subarrays */
#include "comm/boxes.h"

#include <stdlib.h>

#include "base/watchdog.h"
#include "comm/collective.h"
#include "comm/comm_mpi.h"
#include "comm/new.h"

naik_status naik_boxes_gather(naik_comm *comm, const naik_box *mine, naik_box *out)
{
    NAIK_PASS(naik_comm_gather(comm, mine, sizeof *mine, out));
    return naik_comm_broadcast(comm, out, (size_t)comm->size * sizeof *out, 0);
}

/* What the boxes a and b share, as a part of a's array. *count: 1, or 0 where they share nothing. */
static int share(const naik_box *a, const naik_box *b, MPI_Datatype element, MPI_Datatype *part,
                 int *count)
{
    int size[NAIK_BOX_DIM], length[NAIK_BOX_DIM], start[NAIK_BOX_DIM];
    *part = MPI_BYTE;
    *count = 0;
    for (int mu = 0; mu < NAIK_BOX_DIM; mu++) {
        const int slow = NAIK_BOX_DIM - 1 - mu; /* MPI counts the slowest first */
        const int a_end = a->start[mu] + a->count[mu], b_end = b->start[mu] + b->count[mu];
        const int begin = a->start[mu] > b->start[mu] ? a->start[mu] : b->start[mu];
        const int end = a_end < b_end ? a_end : b_end;
        if (end <= begin) {
            return MPI_SUCCESS;
        }
        size[slow] = a->count[mu];
        start[slow] = begin - a->start[mu];
        length[slow] = end - begin;
    }
    int error =
        MPI_Type_create_subarray(NAIK_BOX_DIM, size, length, start, MPI_ORDER_C, element, part);
    if (error == MPI_SUCCESS) {
        *count = 1;
        error = MPI_Type_commit(part);
    }
    return error;
}

typedef struct exchange {
    MPI_Datatype *type; /* [ranks] */
    int *count, *place; /* [ranks] */
} exchange;

static naik_status begin(naik_comm *comm, exchange *e)
{
    const size_t ranks = (size_t)comm->size;
    NAIK_PASS(naik_new(comm, ranks * sizeof *e->type, "a list of boxes", (void **)&e->type));
    NAIK_PASS(naik_new(comm, ranks * sizeof *e->count, "a list of boxes", (void **)&e->count));
    return naik_new(comm, ranks * sizeof *e->place, "a list of boxes", (void **)&e->place);
}

static void end(const naik_comm *comm, exchange *e)
{
    for (int rank = 0; e->type != NULL && e->count != NULL && rank < comm->size; rank++) {
        if (e->count[rank] > 0) {
            MPI_Type_free(&e->type[rank]);
        }
    }
    free(e->type);
    free(e->count);
    free(e->place);
}

naik_status naik_boxes_move(naik_comm *comm, const naik_box *from, const naik_box *to,
                            size_t element_bytes, const void *in, void *out)
{
    naik_status status = NAIK_OK;
    const char *what = "moving a field to other boxes";
    exchange sent = {NULL, NULL, NULL}, got = {NULL, NULL, NULL};
    MPI_Datatype element = MPI_DATATYPE_NULL;
    int error = MPI_SUCCESS;
    NAIK_TRY(begin(comm, &sent));
    NAIK_TRY(begin(comm, &got));
    error = MPI_Type_contiguous((int)element_bytes, MPI_BYTE, &element);
    for (int rank = 0; rank < comm->size && error == MPI_SUCCESS; rank++) {
        error = share(&from[comm->rank], &to[rank], element, &sent.type[rank], &sent.count[rank]);
        if (error == MPI_SUCCESS) {
            error = share(&to[comm->rank], &from[rank], element, &got.type[rank], &got.count[rank]);
        }
    }
    NAIK_TRY(naik_comm_agree(comm, naik_comm_check(comm, error, what)));
    naik_watchdog_wait(comm->watchdog, "a field from other boxes", NULL, 0);
    NAIK_TRY(naik_comm_check(comm,
                             MPI_Alltoallw(in, sent.count, sent.place, sent.type, out, got.count,
                                           got.place, got.type, comm->mpi->world),
                             what));
done:
    if (element != MPI_DATATYPE_NULL) {
        MPI_Type_free(&element);
    }
    end(comm, &sent);
    end(comm, &got);
    return status;
}
