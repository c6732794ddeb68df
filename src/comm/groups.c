/* groups.c - a communicator a group, and calls from the first rank of each to that of every other
 *
 * A call is an empty message. Between two meetings each rank calls at most once, and a meeting tells who
 * has called, so that every message is received in the meeting that it was sent for.
 */
#include "comm/groups.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/watchdog.h"
#include "comm/collective.h"
#include "comm/comm_mpi.h"
#include "comm/new.h"
#include "naik/mpi.h"

enum { CALL = 1 }; /* tag */
static const long PAUSE_NS = 200000;

struct naik_groups {
    naik_comm *job, *comm;
    int count, mine;
    bool heard;         /* this rank, the group's first, has seen a call since the last meeting */
    MPI_Request *calls; /* [count] of this rank's call */
};

/* Ranks of a group keep their number, their processors and their watchdog of the job. */
static naik_status make_comm(naik_groups *g)
{
    naik_comm *job = g->job;
    MPI_Comm part = MPI_COMM_NULL;
    NAIK_PASS(naik_comm_check(job, MPI_Comm_split(job->mpi->world, g->mine, job->rank, &part),
                              "splitting the ranks"));
    naik_status status = naik_comm_create_from(part, job->log, &g->comm);
    naik_log_set_rank(job->log, job->rank, job->size);
    MPI_Comm_free(&part);
    if (status == NAIK_OK) {
        g->comm->cpus = job->cpus;
        g->comm->io = job->io;
        g->comm->watchdog = job->watchdog;
        g->comm->mpi->job = job;
    }
    return status;
}

naik_status naik_groups_create(naik_comm *job, int count, naik_groups **out)
{
    naik_status status = NAIK_OK;
    naik_groups *g = NULL;
    *out = NULL;
    if (count < 1 || job->size % count != 0) {
        return NAIK_FAIL(job->log, NAIK_ERR_INPUT,
                         "run.groups is %d, which does not divide the number of ranks, %d: all "
                         "groups have equally many ranks",
                         count, job->size);
    }
    NAIK_TRY(naik_new(job, sizeof *g, "the groups of ranks", (void **)&g));
    g->job = job;
    g->count = count;
    g->mine = job->rank / (job->size / count);
    NAIK_TRY(
        naik_new(job, (size_t)count * sizeof *g->calls, "the groups of ranks", (void **)&g->calls));
    NAIK_TRY(naik_comm_agree(job, make_comm(g)));
    *out = g;
    g = NULL;
done:
    naik_groups_destroy(&g);
    return status;
}

void naik_groups_destroy(naik_groups **groups)
{
    naik_groups *g = *groups;
    if (g == NULL) {
        return;
    }
    naik_comm_destroy(&g->comm);
    free(g->calls);
    free(g);
    *groups = NULL;
}

naik_comm *naik_groups_comm(const naik_groups *groups)
{
    return groups->comm;
}

int naik_groups_count(const naik_groups *groups)
{
    return groups->count;
}

int naik_groups_mine(const naik_groups *groups)
{
    return groups->mine;
}

naik_comm *naik_comm_job(naik_comm *comm)
{
    return comm->mpi->job != NULL ? comm->mpi->job : comm;
}

int naik_groups_first(const naik_groups *g, int group)
{
    return group * g->comm->size;
}

bool naik_groups_called(naik_groups *g)
{
    int called = 0;
    if (g->comm->rank == 0) {
        (void)MPI_Iprobe(MPI_ANY_SOURCE, CALL, g->job->mpi->world, &called, MPI_STATUS_IGNORE);
        g->heard = called != 0;
    }
    return naik_comm_broadcast(g->comm, &called, sizeof called, 0) == NAIK_OK && called != 0;
}

/* The others hear it at their next poll; who was called already comes, and need not call. */
static naik_status call_others(naik_groups *g)
{
    for (int group = 0; group < g->count; group++) {
        g->calls[group] = MPI_REQUEST_NULL;
        if (group != g->mine) {
            NAIK_PASS(naik_comm_check(g->job,
                                      MPI_Isend(NULL, 0, MPI_BYTE, naik_groups_first(g, group),
                                                CALL, g->job->mpi->world, &g->calls[group]),
                                      "a call to another group"));
        }
    }
    return NAIK_OK;
}

/* The calls that the ranks say they have sent; said: [ranks], `size` bytes each, which begin with that. */
static naik_status receive_calls(naik_groups *g, const char *said, size_t size, bool called)
{
    for (int rank = 0; rank < g->job->size && g->comm->rank == 0; rank++) {
        int sent = 0;
        memcpy(&sent, said + (size_t)rank * size, sizeof sent);
        if (rank / g->comm->size != g->mine && sent != 0) {
            NAIK_PASS(naik_comm_check(
                g->job,
                MPI_Recv(NULL, 0, MPI_BYTE, rank, CALL, g->job->mpi->world, MPI_STATUS_IGNORE),
                "a call of another group"));
        }
    }
    for (int group = 0; group < g->count && called; group++) {
        NAIK_PASS(naik_comm_check(g->job, MPI_Wait(&g->calls[group], MPI_STATUS_IGNORE),
                                  "a call to another group"));
    }
    g->heard = false;
    return NAIK_OK;
}

/* Groups that work are waited for as long as it takes: their own watchdogs see to them. *called: this rank has. */
static naik_status assemble(naik_groups *g, const naik_groups_look *waiting, bool *called)
{
    naik_comm *job = g->job;
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    MPI_Request request = MPI_REQUEST_NULL;
    int all = 0;
    int error = MPI_Ibarrier(job->mpi->world, &request);
    while (error == MPI_SUCCESS && all == 0) {
        naik_watchdog_wait(job->watchdog, "other groups", NULL, 0);
        if (waiting != NULL && !*called && waiting->look(waiting->data)) {
            *called = true;
            NAIK_PASS(call_others(g));
        }
        error = MPI_Test(&request, &all, MPI_STATUS_IGNORE);
        if (all == 0) {
            nanosleep(&pause, NULL);
        }
    }
    return naik_comm_check(job, error, "a meeting of the groups");
}

naik_status naik_groups_meet(naik_groups *g, bool call, const naik_groups_look *waiting,
                             const void *mine, size_t size_bytes, void **all)
{
    naik_status status = NAIK_OK;
    naik_comm *job = g->job;
    const size_t size = size_bytes + sizeof(int), ranks = (size_t)job->size;
    bool called = call && g->comm->rank == 0 && !g->heard;
    char *everybody = NULL, *own = NULL, *said = NULL;
    *all = NULL;
    if (called) {
        NAIK_TRY(call_others(g));
    }
    NAIK_TRY(assemble(g, waiting, &called));
    NAIK_TRY(naik_new(job, ranks * size, "a meeting of the groups", (void **)&everybody));
    NAIK_TRY(naik_new(job, size, "a meeting of the groups", (void **)&own));
    NAIK_TRY(naik_new(job, ranks * size_bytes, "a meeting of the groups", (void **)&said));
    const int sent = called;
    memcpy(own, &sent, sizeof sent);
    memcpy(own + sizeof sent, mine, size_bytes);
    NAIK_TRY(naik_comm_gather(job, own, size, everybody));
    NAIK_TRY(naik_comm_broadcast(job, everybody, ranks * size, 0));
    for (size_t rank = 0; rank < ranks; rank++) {
        memcpy(said + rank * size_bytes, everybody + rank * size + sizeof sent, size_bytes);
    }
    NAIK_TRY(receive_calls(g, everybody, size, called));
    *all = said;
    said = NULL;
done:
    free(said);
    free(everybody);
    free(own);
    return status;
}

naik_status naik_groups_agree(naik_groups *g, naik_status mine)
{
    if (!naik_comm_meet(g->comm, mine)) {
        g->job->deserted = true;
        return mine;
    }
    bool called = false;
    const naik_status met = assemble(g, NULL, &called);
    return naik_comm_agree(g->job, met != NAIK_OK ? met : mine);
}
