/* comm.c - MPI start and end, agreement, exact sums over ranks */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/exactsum.h"
#include "base/timer.h"
#include "base/watchdog.h"
#include "comm/collective.h"
#include "comm/comm_mpi.h"
#include "naik/mpi.h"

static const double MEETING_S = 2; /* that a failed rank waits for the others in the end */

naik_status naik_comm_check(naik_comm *comm, int mpi_error, const char *what)
{
    naik_watchdog_move(comm->watchdog);
    if (mpi_error == MPI_SUCCESS) {
        return NAIK_OK;
    }
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(mpi_error, text, &length);
    return NAIK_FAIL(comm->log, NAIK_ERR_MPI, "%s failed: %s", what, text);
}

/* Every call that waits for other ranks is announced; naik_comm_check takes it back. */
static void wait_for_all(naik_comm *comm, const char *what)
{
    naik_watchdog_wait(comm->watchdog, what, NULL, 0);
}

/* A processor that n ranks of the node may run on counts 1/n. */
static int share_of_processors(const naik_comm *comm)
{
    cpu_set_t mine;
    int ranks[CPU_SETSIZE];
    double share = 0;
    CPU_ZERO(&mine);
    (void)sched_getaffinity(0, sizeof mine, &mine); /* on failure nothing is set: 1 */
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        ranks[cpu] = CPU_ISSET(cpu, &mine) != 0;
    }
    MPI_Allreduce(MPI_IN_PLACE, ranks, CPU_SETSIZE, MPI_INT, MPI_SUM, comm->mpi->node);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        share += CPU_ISSET(cpu, &mine) ? 1.0 / ranks[cpu] : 0;
    }
    return share >= 1 ? (int)(share + 1e-9) : 1;
}

naik_status naik_comm_create_from(MPI_Comm parent, naik_log *log, naik_comm **out)
{
    *out = NULL;
    naik_comm *comm = calloc(1, sizeof *comm);
    struct naik_comm_mpi *mpi = calloc(1, sizeof *mpi);
    int lacking = comm == NULL || mpi == NULL;
    MPI_Allreduce(MPI_IN_PLACE, &lacking, 1, MPI_INT, MPI_MAX, parent);
    if (lacking || comm == NULL || mpi == NULL) {
        free(comm);
        free(mpi);
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the communicator on every rank");
    }
    comm->log = log;
    comm->mpi = mpi;
    MPI_Comm_dup(parent, &mpi->world);
    MPI_Comm_set_errhandler(mpi->world, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->world, &comm->rank);
    MPI_Comm_size(mpi->world, &comm->size);
    MPI_Comm_split_type(mpi->world, MPI_COMM_TYPE_SHARED, comm->rank, MPI_INFO_NULL, &mpi->node);
    MPI_Comm_set_errhandler(mpi->node, MPI_ERRORS_RETURN);
    MPI_Comm_rank(mpi->node, &comm->node_rank);
    MPI_Comm_size(mpi->node, &comm->node_size);
    comm->node = comm->rank;
    MPI_Bcast(&comm->node, 1, MPI_INT, 0, mpi->node);
    int first = comm->node_rank == 0;
    MPI_Allreduce(&first, &comm->nodes, 1, MPI_INT, MPI_SUM, mpi->world);
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(name, &length);
    snprintf(comm->host, sizeof comm->host, "%.63s", name);
    naik_log_set_rank(log, comm->rank, comm->size);
    comm->cpus = share_of_processors(comm);
    *out = comm;
    return NAIK_OK;
}

naik_status naik_comm_create_fortran(int handle, naik_log *log, naik_comm **out)
{
    *out = NULL;
    int started = 0, ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (!started || ended) {
        return NAIK_FAIL(log, NAIK_ERR_ARG,
                         "a communicator of the caller's was given, but MPI does not run");
    }
    return naik_comm_create_from(MPI_Comm_f2c((MPI_Fint)handle), log, out);
}

naik_status naik_comm_create(int *argc, char ***argv, naik_log *log, naik_comm **out)
{
    *out = NULL;
    int started = 0, ended = 0;
    MPI_Finalized(&ended);
    if (ended) {
        return NAIK_FAIL(log, NAIK_ERR_MPI,
                         "MPI was ended in this process and cannot begin again: start another");
    }
    MPI_Initialized(&started);
    if (!started) {
        int provided = 0;
        if (MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS) {
            return NAIK_FAIL(log, NAIK_ERR_MPI, "MPI could not be started");
        }
    }
    NAIK_PASS(naik_comm_create_from(MPI_COMM_WORLD, log, out));
    (*out)->mpi->owns_mpi = !started;
    return NAIK_OK;
}

naik_status naik_comm_create_alone(naik_log *log, naik_comm **out)
{
    *out = NULL;
    naik_comm *comm = calloc(1, sizeof *comm);
    struct naik_comm_mpi *mpi = calloc(1, sizeof *mpi);
    if (comm == NULL || mpi == NULL) {
        free(comm);
        free(mpi);
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the communicator");
    }
    comm->log = log;
    comm->mpi = mpi;
    comm->size = 1;
    comm->node_size = 1;
    comm->nodes = 1;
    comm->cpus = 1;
    int error = MPI_Comm_dup(MPI_COMM_SELF, &mpi->world);
    if (error == MPI_SUCCESS) {
        error = MPI_Comm_dup(MPI_COMM_SELF, &mpi->node);
    }
    naik_status status = naik_comm_check(comm, error, "a communicator of one rank");
    if (status != NAIK_OK) {
        free(mpi);
        free(comm);
        return status;
    }
    MPI_Comm_set_errhandler(mpi->world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(mpi->node, MPI_ERRORS_RETURN);
    *out = comm;
    return NAIK_OK;
}

void naik_comm_destroy(naik_comm **comm)
{
    if (*comm == NULL) {
        return;
    }
    struct naik_comm_mpi *mpi = (*comm)->mpi;
    int ended = 0;
    MPI_Finalized(&ended); /* by the caller: nothing of MPI is left */
    if (!ended) {
        MPI_Comm_free(&mpi->node);
        MPI_Comm_free(&mpi->world);
    }
    if (!ended && mpi->owns_mpi) {
        MPI_Finalize();
    }
    free(mpi);
    free(*comm);
    *comm = NULL;
}

void naik_comm_refuse(int exit_status)
{
    if (MPI_Init(NULL, NULL) == MPI_SUCCESS) {
        MPI_Abort(MPI_COMM_WORLD, exit_status);
    }
}

void naik_comm_abort(naik_comm *comm, int exit_status)
{
    MPI_Abort(comm->mpi->world, exit_status);
}

naik_status naik_comm_worst(naik_comm *comm, naik_status mine)
{
    /* The most severe status and, among those who have it, the lowest rank. */
    int64_t key = (int64_t)mine * comm->size + (comm->size - 1 - comm->rank);
    int64_t worst = key;
    wait_for_all(comm, "an agreement");
    int error = MPI_Allreduce(&key, &worst, 1, MPI_INT64_T, MPI_MAX, comm->mpi->world);
    if (error != MPI_SUCCESS) {
        return naik_comm_check(comm, error, "the agreement of the ranks");
    }
    naik_status agreed = (naik_status)(worst / comm->size);
    naik_watchdog_move(comm->watchdog);
    if (agreed == NAIK_OK) {
        return NAIK_OK;
    }
    int teller = comm->size - 1 - (int)(worst % comm->size);
    naik_log_failure told;
    naik_log_failure_get(comm->log, &told);
    error = MPI_Bcast(&told, sizeof told, MPI_BYTE, teller, comm->mpi->world);
    if (error != MPI_SUCCESS) {
        return naik_comm_check(comm, error, "the agreement of the ranks");
    }
    if (comm->rank != teller) {
        naik_log_adopt(comm->log, &told);
    }
    return agreed;
}

bool naik_comm_meets_all(naik_status mine)
{
    return mine == NAIK_OK || mine == NAIK_ERR_NOT_CONVERGED || mine == NAIK_ERR_INTERRUPTED;
}

bool naik_comm_meet(naik_comm *comm, naik_status mine)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    MPI_Request request = MPI_REQUEST_NULL;
    int all = 0;
    if (comm->deserted) {
        return false;
    }
    wait_for_all(comm, "the end of their work");
    int error = MPI_Ibarrier(comm->mpi->world, &request);
    if (error == MPI_SUCCESS && naik_comm_meets_all(mine)) {
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
        all = 1;
    }
    const double since = naik_time_s();
    while (error == MPI_SUCCESS && all == 0 && naik_time_s() - since < MEETING_S) {
        error = MPI_Test(&request, &all, MPI_STATUS_IGNORE);
        nanosleep(&pause, NULL);
    }
    naik_watchdog_move(comm->watchdog);
    comm->deserted = error != MPI_SUCCESS || all == 0;
    return !comm->deserted;
}

naik_status naik_comm_barrier(naik_comm *comm)
{
    wait_for_all(comm, "a barrier");
    return naik_comm_check(comm, MPI_Barrier(comm->mpi->world), "a barrier");
}

naik_status naik_comm_broadcast(naik_comm *comm, void *data, size_t size_bytes, int root)
{
    const size_t piece = 1 << 30;
    char *bytes = data;
    while (size_bytes > 0) {
        size_t now = size_bytes < piece ? size_bytes : piece;
        wait_for_all(comm, "a broadcast");
        int error = MPI_Bcast(bytes, (int)now, MPI_BYTE, root, comm->mpi->world);
        if (error != MPI_SUCCESS) {
            return naik_comm_check(comm, error, "a broadcast");
        }
        bytes += now;
        size_bytes -= now;
    }
    naik_watchdog_move(comm->watchdog);
    return NAIK_OK;
}

static naik_status allreduce(naik_comm *comm, void *values, int count, MPI_Datatype type, MPI_Op op)
{
    wait_for_all(comm, "a sum");
    return naik_comm_check(comm,
                           MPI_Allreduce(MPI_IN_PLACE, values, count, type, op, comm->mpi->world),
                           "a reduction over the ranks");
}

naik_status naik_comm_sum_i64(naik_comm *comm, int64_t *values, int count)
{
    return allreduce(comm, values, count, MPI_INT64_T, MPI_SUM);
}

naik_status naik_comm_xor_u64(naik_comm *comm, uint64_t *values, int count)
{
    return allreduce(comm, values, count, MPI_UINT64_T, MPI_BXOR);
}

naik_status naik_comm_max_f64(naik_comm *comm, double *values, int count)
{
    return allreduce(comm, values, count, MPI_DOUBLE, MPI_MAX);
}

naik_status naik_comm_min_f64(naik_comm *comm, double *values, int count)
{
    return allreduce(comm, values, count, MPI_DOUBLE, MPI_MIN);
}

naik_status naik_comm_sum_exact(naik_comm *comm, naik_exactsum *sums, int count)
{
    for (int i = 0; i < count; i++) {
        naik_exactsum_normalise(&sums[i]);
    }
    if (comm->size == 1) {
        return NAIK_OK;
    }
    return allreduce(comm, sums, count * NAIK_EXACTSUM_WORDS, MPI_INT64_T, MPI_SUM);
}

naik_status naik_comm_gather(naik_comm *comm, const void *mine, size_t size_bytes, void *out)
{
    wait_for_all(comm, "a gather");
    return naik_comm_check(comm,
                           MPI_Gather(mine, (int)size_bytes, MPI_BYTE, out, (int)size_bytes,
                                      MPI_BYTE, 0, comm->mpi->world),
                           "a gather");
}

naik_status naik_comm_node_gather(naik_comm *comm, const void *mine, size_t size_bytes, void *out)
{
    return naik_comm_check(comm,
                           MPI_Allgather(mine, (int)size_bytes, MPI_BYTE, out, (int)size_bytes,
                                         MPI_BYTE, comm->mpi->node),
                           "a gather within the node");
}

naik_status naik_comm_exchange(naik_comm *comm, int to, const void *out, int from, void *in,
                               size_t size_bytes)
{
    const size_t piece = 1 << 30;
    const char *source = out;
    char *target = in;
    while (size_bytes > 0) {
        int now = (int)(size_bytes < piece ? size_bytes : piece);
        naik_watchdog_wait(comm->watchdog, "a layer", &from, 1);
        int error = MPI_Sendrecv(source, now, MPI_BYTE, to, 0, target, now, MPI_BYTE, from, 0,
                                 comm->mpi->world, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS) {
            return naik_comm_check(comm, error, "an exchange between neighbours");
        }
        source += now;
        target += now;
        size_bytes -= (size_t)now;
        naik_watchdog_move(comm->watchdog); /* before `from` goes */
    }
    return NAIK_OK;
}

naik_status naik_comm_exchange_all(naik_comm *comm, const naik_comm_message *messages, int count,
                                   const int *partners, int partner_count)
{
    MPI_Request requests[2 * NAIK_COMM_MESSAGES_MOST];
    MPI_Status statuses[2 * NAIK_COMM_MESSAGES_MOST]; /* as in halo.c */
    MPI_Comm world = comm->mpi->world;
    int error = MPI_SUCCESS, posted = 0;
    naik_watchdog_wait(comm->watchdog, "the faces", partners, partner_count);
    for (int i = 0; i < count && error == MPI_SUCCESS; i++) {
        const naik_comm_message *m = &messages[i];
        error = MPI_Irecv(m->in, (int)m->in_bytes, MPI_BYTE, m->rank, m->in_tag, world,
                          &requests[posted++]);
    }
    for (int i = 0; i < count && error == MPI_SUCCESS; i++) {
        const naik_comm_message *m = &messages[i];
        error = MPI_Isend(m->out, (int)m->out_bytes, MPI_BYTE, m->rank, m->out_tag, world,
                          &requests[posted++]);
    }
    error = error == MPI_SUCCESS ? MPI_Waitall(posted, requests, statuses) : error;
    naik_watchdog_move(comm->watchdog);
    return naik_comm_check(comm, error, "an exchange of faces");
}
