/* peer.cuh - what kernels do with the memory of other GPUs: wait, and add up exact sums
 *
 * A sum travels as pairs of (32 bits of it, number of the epoch), each written in one piece, so that
 * no flag and no fence are needed: a reader that sees the number sees the bits.
 */
#ifndef NAIK_GPU_PEER_CUH
#define NAIK_GPU_PEER_CUH

#include "gpu/device.h"

enum {
    PEER_WORD_BYTES = 16,
    PEER_RHS_BYTES = NAIK_EXACTSUM_WORDS * PEER_WORD_BYTES,
    PEER_RHS = 4 * NAIK_MAX_RHS,                  /* a step takes up to four sums an rhs */
    PEER_INBOX_BYTES = PEER_RHS * PEER_RHS_BYTES, /* of one sender and epoch */
    PEER_ARENA_BYTES = 2 * NAIK_PEERS_MAX * PEER_INBOX_BYTES,
    PEER_LOOKS = 512, /* between two looks at the clock and at the host's word */
    PEER_EACH = (NAIK_EXACTSUM_WORDS + GPU_LANES - 1) / GPU_LANES /* words of a sum a lane has */
};

typedef struct peer_timeout {
    uint32_t *fault;
    uint64_t wait_ns; /* before a kernel gives up */
} peer_timeout;

static const double PEER_TIMEOUT_S = 300; /* a rank may be busy with files for long */

/* The route's where it has one: while paths are being tried. */
static inline peer_timeout peer_timeout_of(const naik_backend *backend)
{
    const double wait_s = backend->route.timeout_s;
    peer_timeout p = {};
    p.fault = gpu_state_of(backend)->peers.fault_mapped;
    p.wait_ns = (uint64_t)(1e9 * (wait_s > 0 ? wait_s : PEER_TIMEOUT_S));
    return p;
}

/* Whether to stop waiting: time is up, or another thread's was. Called every PEER_LOOKS looks. */
__device__ static inline bool peer_gives_up(const peer_timeout &p, uint64_t start_ns, uint32_t code)
{
    if (*(volatile uint32_t *)p.fault != 0) {
        return true;
    }
    if (gpu_time_ns() - start_ns < p.wait_ns) {
        return false;
    }
    *(volatile uint32_t *)p.fault = code;
    return true;
}

/* Until *flag has reached `epoch`. */
__device__ static inline void peer_wait_flag(const uint32_t *flag, uint32_t epoch,
                                             const peer_timeout &p, uint32_t code)
{
    uint64_t start_ns = 0;
    for (unsigned look = 1; (int32_t)(gpu_load_flag(flag) - epoch) < 0; look++) {
        GPU_MARK("polled");
        gpu_pause();
        if (look % PEER_LOOKS == 0) {
            start_ns = start_ns != 0 ? start_ns : gpu_time_ns();
            if (peer_gives_up(p, start_ns, code)) {
                break;
            }
        }
    }
    gpu_acquire_flag();
}

/* Sums over the ranks of a node; one rank: nothing to do. */
typedef struct peer_sums {
    int count, me;
    char *arena[NAIK_PEERS_MAX];
    uint32_t *epoch;
    peer_timeout timeout;
} peer_sums;

static inline peer_sums peer_sums_of(const naik_backend *backend)
{
    const gpu_peers *peers = &gpu_state_of(backend)->peers;
    peer_sums s = {};
    if (!backend->route.single_node) {
        s.count = 1;
        return s;
    }
    s.count = peers->count;
    s.me = peers->me;
    for (int r = 0; r < peers->count; r++) {
        s.arena[r] = peers->arena[r];
    }
    s.epoch = peers->epoch;
    s.timeout = peer_timeout_of(backend);
    return s;
}

/* Where rank `from` leaves a word of an rhs's sum in this arena. */
__device__ static inline char *peer_inbox(char *arena, uint32_t epoch, int from, int irhs, int word)
{
    size_t box = (size_t)(epoch & 1) * NAIK_PEERS_MAX + (size_t)from;
    return arena + box * PEER_INBOX_BYTES + (size_t)irhs * PEER_RHS_BYTES +
           (size_t)word * PEER_WORD_BYTES;
}

__device__ static inline long long peer_receive_word(const peer_sums &s, const char *at,
                                                     uint32_t epoch, int from)
{
    uint64_t start_ns = 0;
    for (unsigned look = 1;; look++) {
        uint4 w = gpu_load_halves(at);
        if (w.y == epoch && w.w == epoch) {
            return (long long)((uint64_t)w.z << 32 | w.x);
        }
        gpu_pause();
        if (look % PEER_LOOKS == 0) {
            start_ns = start_ns != 0 ? start_ns : gpu_time_ns();
            if (peer_gives_up(s.timeout, start_ns, 1 + (uint32_t)from)) {
                return 0;
            }
        }
    }
}

/* The epoch that the next sum of this rhs takes. */
__device__ static inline uint32_t peer_epoch(const peer_sums &s, int irhs)
{
    return s.count > 1 ? *(volatile uint32_t *)&s.epoch[irhs] + 1 : 0;
}

/* Leaves an rhs's sum with the other ranks; the threads that move together call. Doing it twice
 * does no harm. */
__device__ static inline void peer_push(const peer_sums &s, const naik_exactsum *sum, int irhs,
                                        int lane)
{
    const uint32_t epoch = peer_epoch(s, irhs);
#pragma unroll 1
    for (int w = lane; s.count > 1 && w < NAIK_EXACTSUM_WORDS; w += GPU_LANES) {
        const uint64_t mine = (uint64_t)gpu_load_word((const long long *)&sum->word[w]);
        const uint4 message = make_uint4((uint32_t)mine, epoch, (uint32_t)(mine >> 32), epoch);
#pragma unroll 1
        for (int r = 0; r < s.count; r++) {
            if (r != s.me) {
                gpu_dawdle();
                gpu_store_halves(peer_inbox(s.arena[r], epoch, s.me, irhs, w), message);
            }
        }
    }
}

/* This lane's words lane, lane + GPU_LANES, ... of an rhs's sum, added over the ranks out of what
 * these have left in its inboxes. All are looked for at once, so that one way to memory and back is
 * waited for, not one a word. */
__device__ static inline void peer_collect(const peer_sums &s, const naik_exactsum *sum, int irhs,
                                           int64_t (&total)[PEER_EACH], int lane)
{
    const uint32_t epoch = peer_epoch(s, irhs);
    gpu_dawdle();
#pragma unroll
    for (int e = 0; e < PEER_EACH; e++) { /* other blocks may just have added */
        const int w = e * GPU_LANES + lane;
        total[e] = w < NAIK_EXACTSUM_WORDS ? gpu_load_word((const long long *)&sum->word[w]) : 0;
    }
#pragma unroll 1
    for (int r = 0; s.count > 1 && r < s.count; r++) {
        uint64_t start_ns = 0;
        unsigned missing = r == s.me ? 0 : (1u << PEER_EACH) - 1;
        for (unsigned look = 1; missing != 0; look++) {
            uint4 got[PEER_EACH];
#pragma unroll
            for (int e = 0; e < PEER_EACH; e++) {
                const int w = e * GPU_LANES + lane;
                got[e] = gpu_load_halves(
                    peer_inbox(s.arena[s.me], epoch, r, irhs, w < NAIK_EXACTSUM_WORDS ? w : lane));
            }
#pragma unroll
            for (int e = 0; e < PEER_EACH; e++) {
                if ((missing >> e & 1) != 0 && got[e].y == epoch && got[e].w == epoch) {
                    missing &= ~(1u << e);
                    total[e] += e * GPU_LANES + lane < NAIK_EXACTSUM_WORDS
                                    ? (int64_t)((uint64_t)got[e].z << 32 | got[e].x)
                                    : 0;
                }
            }
            if (missing != 0) {
                gpu_pause();
            }
            if (look % PEER_LOOKS == 0) {
                start_ns = start_ns != 0 ? start_ns : gpu_time_ns();
                if (peer_gives_up(s.timeout, start_ns, 1 + (uint32_t)r)) {
                    return;
                }
            }
        }
    }
}

/* sum (of this rhs) over the ranks, in place; the threads that move together call. */
__device__ static inline void peer_add(const peer_sums &s, naik_exactsum *sum, int irhs, int lane)
{
    int64_t total[PEER_EACH];
    if (s.count <= 1) {
        return;
    }
    peer_push(s, sum, irhs, lane);
    peer_collect(s, sum, irhs, total, lane);
#pragma unroll
    for (int e = 0; e < PEER_EACH; e++) {
        if (e * GPU_LANES + lane < NAIK_EXACTSUM_WORDS) {
            sum->word[e * GPU_LANES + lane] = total[e];
        }
    }
    gpu_lanes_sync(); /* all have read the epoch */
    if (lane == 0) {
        s.epoch[irhs]++;
    }
}

#endif
