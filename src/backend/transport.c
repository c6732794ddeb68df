/* transport.c - the paths between GPUs: opened, and the fastest that works chosen */
#include "backend/transport.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/halo.h"
#include "backend/trial.h"
#include "comm/collective.h"
#include "comm/new.h"

static const double TIMEOUT_S = 10;

void naik_transport_describe(const naik_backend *backend, char *text, size_t text_size)
{
    const naik_route *route = &backend->route;
    const char *mpi = backend->ops->host_memory ? "mpi" : route->device ? "mpi_device" : "staged";
    char time[32] = "";
    if (route->exchange_us > 0) {
        snprintf(time, sizeof time, " (%.1f us)", route->exchange_us);
    }
    snprintf(text, text_size, "%s%s%s", route->peer ? "peer" : mpi,
             route->peer && !route->single_node ? (route->device ? "+mpi_device" : "+staged") : "",
             time);
}

/* ---- peers */

/* What a rank tells of the ranks of its node. */
typedef struct contact {
    int size, rank[NAIK_PEERS_MAX];
    bool reached[NAIK_PEERS_MAX];
} contact;

/* Rank 0 names the first pair without contact. */
static bool find_silent_pair(const contact *all, int size, int pair[2])
{
    for (int to = 0; to < size; to++) {
        for (int i = 0; i < all[to].size; i++) {
            if (all[to].rank[i] != to && !all[to].reached[i]) {
                pair[0] = all[to].rank[i];
                pair[1] = to;
                return true;
            }
        }
    }
    return false;
}

static naik_status test_contacts(naik_backend *backend, const contact *mine, bool *works)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = backend->comm;
    int pair[2] = {0, 0}, silent = 0;
    contact *all = NULL;
    if (comm->rank == 0) {
        all = calloc((size_t)comm->size, sizeof *all);
        if (all == NULL) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a test of peer access");
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_gather(comm, mine, sizeof *mine, all));
    silent = all != NULL && find_silent_pair(all, comm->size, pair);
    NAIK_TRY(naik_comm_broadcast(comm, &silent, sizeof silent, 0));
    *works = !silent;
    if (silent) {
        naik_log_warn(
            comm->log,
            "the GPU of rank %d cannot write to the memory of rank %d's: halos go through "
            "MPI instead",
            pair[0], pair[1]);
    }
done:
    free(all);
    return status;
}

/* Whether any node has more than one rank, and no device has; that would be excused if all ranks
 * are told so, for tests. */
static naik_status peers_possible(naik_backend *backend, naik_transport wanted, bool *possible,
                                  bool *shared)
{
    const char *told = getenv("NAIK_SHARED_PEERS");
    const bool excused = wanted == NAIK_TRANSPORT_PEER && told != NULL && strcmp(told, "1") == 0;
    int64_t count[4] = {backend->comm->node_size > 1, backend->comm->node_size > NAIK_PEERS_MAX,
                        backend->ops->shared(backend), !excused};
    NAIK_PASS(naik_comm_sum_i64(backend->comm, count, 4));
    *shared = count[2] > 0 && count[3] > 0;
    *possible = count[0] > 0 && count[1] == 0 && !*shared && backend->ops->halo.peer != NULL;
    if (*possible && count[2] > 0) {
        naik_log_warn(backend->log, "NAIK_SHARED_PEERS=1 is set: ranks that share a GPU wait for "
                                    "each other's kernels, which is slow, for tests only");
    }
    return NAIK_OK;
}

/* Opens the peers of this node and tries each pair. */
static naik_status open_peers(naik_backend *backend, naik_transport wanted, bool *works)
{
    naik_comm *comm = backend->comm;
    bool possible = false, shared = false;
    contact mine;
    memset(&mine, 0, sizeof mine);
    *works = false;
    NAIK_PASS(peers_possible(backend, wanted, &possible, &shared));
    if (!possible) {
        if (wanted == NAIK_TRANSPORT_PEER) {
            naik_log_warn(comm->log, "halo transport peer is not possible: %s",
                          shared ? "ranks share a GPU" : "no two ranks are on one node");
        }
        return NAIK_OK;
    }
    mine.size = comm->node_size;
    NAIK_PASS(naik_comm_node_gather(comm, &comm->rank, sizeof comm->rank, mine.rank));
    const naik_status status =
        naik_comm_agree(comm, backend->ops->halo.peer->open(backend, TIMEOUT_S, mine.reached));
    if (status == NAIK_ERR_DEVICE) {
        naik_log_warn(comm->log, "halo transport peer does not work: %s",
                      naik_log_message(comm->log));
        naik_log_clear(comm->log);
        return NAIK_OK;
    }
    NAIK_PASS(status);
    NAIK_PASS(test_contacts(backend, &mine, works));
    if (!*works) {
        backend->ops->halo.peer->close(backend);
    }
    return NAIK_OK;
}

/* ---- the choice */

static naik_status find_near(naik_backend *backend)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = backend->comm;
    const size_t ranks = (size_t)comm->size;
    int64_t *node = NULL;
    NAIK_TRY(naik_new(comm, ranks * sizeof *node, "a list of ranks", (void **)&node));
    NAIK_TRY(naik_new(comm, ranks * sizeof *backend->route.near, "a list of ranks",
                      (void **)&backend->route.near));
    node[comm->rank] = comm->node;
    NAIK_TRY(naik_comm_sum_i64(comm, node, comm->size));
    for (int rank = 0; rank < comm->size; rank++) {
        backend->route.near[rank] = node[rank] == comm->node && rank != comm->rank;
    }
done:
    free(node);
    return status;
}

/* MPI's own opinion, or the user's. */
static naik_status device_is_worth_trying(naik_backend *backend, naik_transport wanted, bool *worth)
{
    int64_t refusals = !naik_halo_mpi_takes_device_memory();
    naik_status status = naik_comm_sum_i64(backend->comm, &refusals, 1);
    *worth =
        wanted == NAIK_TRANSPORT_MPI_DEVICE || (wanted != NAIK_TRANSPORT_STAGED && refusals == 0);
    return status;
}

static void set_route(naik_backend *backend, bool peer, bool device)
{
    backend->route.peer = peer;
    backend->route.single_node = peer && backend->comm->nodes == 1;
    backend->route.device = device;
}

typedef struct path {
    bool peer, device;
} path;

/* The paths that work, compared: what the user asked for first, then speed. */
static naik_status choose_path(naik_backend *backend, naik_transport wanted, bool peer, bool device,
                               const naik_trial *trial, double staged_s)
{
    static const path paths[] = {{true, false}, {false, true}, {true, true}};
    path best = {false, false};
    double best_s = staged_s;
    char name[64];
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        const path *at = &paths[i];
        const bool asked = (at->peer && wanted == NAIK_TRANSPORT_PEER && !best.peer) ||
                           (at->device && wanted == NAIK_TRANSPORT_MPI_DEVICE);
        const bool other = wanted == NAIK_TRANSPORT_PEER && best.peer && !at->peer;
        bool works = false;
        double seconds = INFINITY;
        /* beside peers on a single node MPI has nothing to carry */
        if ((at->peer && !peer) || (at->device && !device) ||
            (at->peer && at->device && backend->comm->nodes == 1)) {
            continue;
        }
        set_route(backend, at->peer, at->device);
        backend->route.exchange_us = 0;
        naik_transport_describe(backend, name, sizeof name);
        NAIK_PASS(naik_trial_verify(backend, trial, name, TIMEOUT_S, &works, &seconds));
        if (works && !other && (asked || seconds < best_s)) {
            best = *at;
            best_s = seconds;
        }
        if (!works && at->peer) {
            backend->ops->halo.peer->close(backend);
            peer = false;
        }
    }
    set_route(backend, best.peer, best.device);
    backend->route.exchange_us = 1e6 * best_s;
    if (peer && !best.peer) {
        backend->ops->halo.peer->close(backend);
    }
    return NAIK_OK;
}

naik_status naik_transport_choose(naik_backend *backend, naik_transport wanted)
{
    naik_status status = NAIK_OK;
    bool peer = false, device = false;
    double staged_s = 0;
    naik_trial trial = {.lattice = NULL};
    if (backend->ops->host_memory || backend->comm->size == 1) {
        return NAIK_OK;
    }
    NAIK_TRY(find_near(backend));
    if (wanted == NAIK_TRANSPORT_AUTO || wanted == NAIK_TRANSPORT_PEER) {
        NAIK_TRY(open_peers(backend, wanted, &peer));
    }
    NAIK_TRY(device_is_worth_trying(backend, wanted, &device));
    NAIK_TRY(naik_trial_create(backend, &trial));
    NAIK_TRY(naik_trial_run(backend, &trial, trial.expected, &staged_s));
    NAIK_TRY(choose_path(backend, wanted, peer, device, &trial, staged_s));
done:
    naik_trial_destroy(&trial);
    return status;
}

void naik_transport_release(naik_backend *backend)
{
    free(backend->route.near);
    backend->route.near = NULL;
}
