/* peer.cu - opening the memory of the other GPUs of this node, and the first messages through it */
#include <stdlib.h>
#include <string.h>

#include "gpu/halo/exchange.h"
#include "gpu/halo/peer.cuh"

extern "C" {
#include "comm/collective.h"
}

enum { GREETING_THREADS = 96 };

typedef struct introduction {
    gpu_ipc_handle handle;
    int rank;
} introduction;

static void close_peers(naik_backend *backend)
{
    gpu_state *state = gpu_state_of(backend);
    gpu_peers *peers = &state->peers;
    if (!peers->open) {
        return;
    }
    (void)gpu_stream_sync(state->stream);
    for (int r = 0; r < peers->count; r++) {
        if (r != peers->me && peers->arena[r] != NULL) {
            (void)gpu_ipc_close(peers->arena[r]);
        }
    }
    gpu_release(&backend->device, peers->arena[peers->me]);
    gpu_release(&backend->device, peers->epoch);
    if (peers->fault != NULL) {
        (void)gpu_free_host(peers->fault);
    }
    if (peers->side != NULL) {
        (void)gpu_stream_sync(peers->side);
        (void)gpu_stream_destroy(peers->side);
    }
    if (peers->fork != NULL) {
        (void)gpu_event_destroy(peers->fork);
    }
    if (peers->join != NULL) {
        (void)gpu_event_destroy(peers->join);
    }
    memset(peers, 0, sizeof *peers);
    (void)gpu_last_error();
}

static naik_status prepare(naik_backend *backend, introduction *mine)
{
    gpu_state *state = gpu_state_of(backend);
    gpu_peers *peers = &state->peers;
    int low = 0, high = 0;
    const size_t words = (PEER_RHS + NAIK_PEERS_MAX) * sizeof *peers->epoch;
    memset(mine, 0, sizeof *mine);
    mine->rank = backend->comm->rank;
    peers->open = true;
    state->opened = true;
    peers->count = backend->comm->node_size;
    peers->me = backend->comm->node_rank;
    if (peers->count > NAIK_PEERS_MAX) {
        return NAIK_FAIL(backend->log, NAIK_ERR_DEVICE,
                         "more than %d ranks of a node: no peer memory", (int)NAIK_PEERS_MAX);
    }
    NAIK_PASS(gpu_alloc_open(backend, PEER_ARENA_BYTES, "sums of other GPUs",
                             (void **)&peers->arena[peers->me]));
    NAIK_PASS(gpu_alloc(&backend->device, words, "turns", (void **)&peers->epoch));
    NAIK_PASS(GPU_CHECK(backend,
                        gpu_memset(peers->arena[peers->me], 0, PEER_ARENA_BYTES, state->stream),
                        "clearing peer memory"));
    NAIK_PASS(
        GPU_CHECK(backend, gpu_memset(peers->epoch, 0, words, state->stream), "clearing turns"));
    NAIK_PASS(GPU_CHECK(backend, gpu_malloc_mapped((void **)&peers->fault, sizeof *peers->fault),
                        "taking mapped host memory"));
    *peers->fault = 0;
    NAIK_PASS(GPU_CHECK(backend, gpu_mapped_address((void **)&peers->fault_mapped, peers->fault, 0),
                        "mapping host memory"));
    NAIK_PASS(GPU_CHECK(backend, gpu_stream_range(&low, &high), "asking for stream priorities"));
    NAIK_PASS(GPU_CHECK(backend, gpu_stream_create_urgent(&peers->side, high), "making a stream"));
    NAIK_PASS(GPU_CHECK(backend, gpu_event_create_plain(&peers->fork), "making an event"));
    NAIK_PASS(GPU_CHECK(backend, gpu_event_create_plain(&peers->join), "making an event"));
    NAIK_PASS(GPU_CHECK(backend, gpu_ipc_get(&mine->handle, peers->arena[peers->me]),
                        "offering memory to other ranks"));
    return gpu_sync(&backend->device);
}

/* Word w of the greeting from one rank to another. */
__device__ static inline uint64_t greeting(int from, int to, int w)
{
    return UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)(1 + w + 100 * (from + 100 * to));
}

__global__ void greet_kernel(const peer_sums s)
{
    for (int w = (int)threadIdx.x; w < NAIK_EXACTSUM_WORDS; w += GREETING_THREADS) {
        for (int r = 0; r < s.count; r++) {
            if (r != s.me && s.arena[r] != NULL) {
                const uint64_t word = greeting(s.me, r, w);
                gpu_store_halves(peer_inbox(s.arena[r], 1, s.me, 0, w),
                                 make_uint4((uint32_t)word, 1, (uint32_t)(word >> 32), 1));
            }
        }
    }
}

__global__ void hear_kernel(const peer_sums s, int from, uint32_t *wrong)
{
    for (int w = (int)threadIdx.x; w < NAIK_EXACTSUM_WORDS; w += GREETING_THREADS) {
        const char *at = peer_inbox(s.arena[s.me], 1, from, 0, w);
        if ((uint64_t)peer_receive_word(s, at, 1, from) != greeting(from, s.me, w)) {
            atomicAdd(wrong, 1u);
        }
    }
    if (threadIdx.x == 0) {
        s.epoch[0] = 1; /* the first turn of rhs 0 is taken */
    }
}

static naik_status greet(naik_backend *backend, double wait_s, bool *reached)
{
    gpu_state *state = gpu_state_of(backend);
    gpu_peers *peers = &state->peers;
    const naik_route route = backend->route;
    backend->route.single_node = true; /* so that sums concern the peers */
    backend->route.timeout_s = wait_s;
    const peer_sums sums = peer_sums_of(backend);
    backend->route = route;
    greet_kernel<<<1, GREETING_THREADS, 0, state->stream>>>(sums);
    NAIK_PASS(GPU_LAUNCHED(backend, "greeting other GPUs"));
    for (int r = 0; r < peers->count; r++) {
        uint32_t wrong = 0;
        if (r == peers->me) {
            continue;
        }
        hear_kernel<<<1, GREETING_THREADS, 0, state->stream>>>(sums, r,
                                                               peers->epoch + PEER_RHS + r);
        NAIK_PASS(GPU_LAUNCHED(backend, "hearing other GPUs"));
        NAIK_PASS(GPU_CHECK(backend, gpu_stream_sync(state->stream), "hearing other GPUs"));
        *peers->fault = 0;
        NAIK_PASS(
            gpu_download(&backend->device, &wrong, peers->epoch + PEER_RHS + r, sizeof wrong));
        reached[r] = wrong == 0;
    }
    return NAIK_OK;
}

static naik_status open_peers(naik_backend *backend, double wait_s, bool *reached)
{
    naik_status status = NAIK_OK;
    gpu_peers *peers = &gpu_state_of(backend)->peers;
    introduction mine, all[NAIK_PEERS_MAX];
    NAIK_TRY(naik_comm_agree(backend->comm, prepare(backend, &mine)));
    NAIK_TRY(naik_comm_node_gather(backend->comm, &mine, sizeof mine, all));
    for (int r = 0; r < peers->count; r++) {
        void *memory = NULL;
        peers->rank[r] = all[r].rank;
        if (r != peers->me) {
            gpu_error error = gpu_ipc_open(&memory, all[r].handle);
            (void)gpu_last_error(); /* silence of that rank tells enough */
            peers->arena[r] = error == gpu_success ? (char *)memory : NULL;
        }
    }
    NAIK_TRY(naik_comm_agree(backend->comm, greet(backend, wait_s, reached)));
done:
    if (status != NAIK_OK) {
        close_peers(backend);
    }
    return status;
}

naik_status gpu_peers_check(naik_backend *backend)
{
    gpu_peers *peers = &gpu_state_of(backend)->peers;
    if (peers->fault == NULL || *(volatile uint32_t *)peers->fault == 0) {
        return NAIK_OK;
    }
    const uint32_t r = *(volatile uint32_t *)peers->fault - 1;
    return NAIK_FAIL(backend->log, NAIK_ERR_DEVICE,
                     "the GPU of rank %d heard nothing from that of rank %d for %.0f s",
                     backend->comm->rank, r < (uint32_t)peers->count ? peers->rank[r] : -1,
                     1e-9 * (double)peer_timeout_of(backend).wait_ns);
}

#if GPU_HOST_PASS
const naik_peer_ops gpu_peer_ops = {
    .open = open_peers,
    .close = close_peers,
    .reserve = gpu_exchange_reserve,
    .bytes = gpu_exchange_bytes,
    .send = gpu_exchange_send,
    .receive = gpu_exchange_receive,
    .inbox_open = gpu_inbox_open,
    .inbox_close = gpu_inbox_close,
    .copy = gpu_inbox_copy,
};
#endif
