/* rhs.cuh - the scalars of an iteration, computed where they are used
 *
 * A kernel that needs a scalar takes the sums itself, in every block: the words of this rank and
 * those that the other ranks of the node have left. The last block to have read an
 * rhs and its sums writes the rhs and clears the sums; a ticket drawn after reading tells which
 * block is the last.
 */
#ifndef NAIK_GPU_RHS_CUH
#define NAIK_GPU_RHS_CUH

#include "gpu/halo/peer.cuh"
#include "gpu/vectors/reduce.cuh"

/* The value of an accumulator added over the ranks, in the first lane; it belongs to inbox `box`.
 * The threads that move together call. */
__device__ static inline double rhs_sum(const peer_sums &peers, const naik_exactsum *sum, int box,
                                        int64_t (&word)[NAIK_EXACTSUM_WORDS], int lane)
{
    int64_t total[PEER_EACH];
    unsigned end = 0, first = 0; /* 1 + last, DIGITS - first digit in use */
    peer_collect(peers, sum, box, total, lane);
#pragma unroll
    for (int e = 0; e < PEER_EACH; e++) {
        const int i = e * GPU_LANES + lane;
        if (i >= NAIK_EXACTSUM_WORDS) {
            continue;
        }
        word[i] = total[e];
        if (total[e] != 0 && i < NAIK_EXACTSUM_DIGITS) {
            end = (unsigned)i + 1;
            first = first > 0 ? first : (unsigned)(NAIK_EXACTSUM_DIGITS - i);
        }
    }
    end = gpu_lanes_max(end);
    first = gpu_lanes_max(first);
    gpu_lanes_sync();
    return lane == 0 ? exact_value(word, NAIK_EXACTSUM_DIGITS - (int)first, (int)end) : 0;
}

/* Nobody reads the sum any more. */
__device__ static inline void rhs_clear(const peer_sums &peers, naik_exactsum *sum, int box,
                                        int lane)
{
    for (int i = lane; i < NAIK_EXACTSUM_WORDS; i += GPU_LANES) {
        sum->word[i] = 0;
    }
    if (lane == 0 && peers.count > 1) {
        peers.epoch[box]++;
    }
}

/* Which of an rhs's three sums WHICH (naik_scalars) needs: COUNT from FIRST on. */
template <int WHICH> struct rhs_needs {
    enum { FIRST = WHICH == NAIK_TAKE ? 2 : 0, COUNT = (WHICH == NAIK_COUNT ? 2 : 3) - FIRST };
};

/* Their values, which a block's warps take at the same time as far as there are enough. The sums
 * belong to the inboxes `box` and further on by NAIK_MAX_RHS. All threads of the block call, and
 * have them when the call returns. */
template <int WHICH>
__device__ static inline void rhs_values(const peer_sums &peers,
                                         const naik_exactsum *const (&sum)[3], int box,
                                         double (&value)[3], int thread, int threads)
{
    typedef rhs_needs<WHICH> needs;
    __shared__ int64_t word[needs::COUNT][NAIK_EXACTSUM_WORDS];
    const int lane = thread % GPU_LANES;
#pragma unroll 1
    for (int i = thread / GPU_LANES; i < needs::COUNT; i += threads / GPU_LANES) {
        const int k = needs::FIRST + i;
        const naik_exactsum *own = k == 0 ? sum[0] : k == 1 ? sum[1] : sum[2];
        const double mine = rhs_sum(peers, own, box + k * NAIK_MAX_RHS, word[i], lane);
        if (lane == 0) {
            value[k] = mine;
        }
    }
    __syncthreads();
}

/* Takes an rhs to where WHICH has been done, from those values (backend.h, rhs_step). */
template <int WHICH>
__device__ static inline void rhs_advance(naik_rhs &irhs, const double (&value)[3])
{
    if (WHICH & NAIK_COUNT) {
        naik_rhs_count_step(&irhs, value[0], value[1]);
    }
    if (WHICH & NAIK_TAKE) {
        naik_rhs_next_step(&irhs, value[2]);
    }
}

/* A copy for the threads of a block, which all call; it is there behind a barrier. */
__device__ static inline void rhs_copy(naik_rhs &copy, const naik_rhs *irhs, int thread,
                                       int threads)
{
    static_assert(sizeof copy % sizeof(int32_t) == 0, "copied in words");
    for (int i = thread; i < (int)(sizeof copy / sizeof(int32_t)); i += threads) {
        ((int32_t *)&copy)[i] = ((const int32_t *)irhs)[i];
    }
}

/* |r|^2 after a step into the ring [history_stride][count]; `history` points to the rhs's number
 * in row 0 (NULL: not kept). One thread calls. */
__device__ static inline void rhs_note(const naik_rhs &next, int count, double *history,
                                       int history_stride)
{
    if (history != NULL) {
        history[(size_t)((next.iterations - 1) % history_stride) * (size_t)count] = next.rr;
    }
}

/* What kernels get of naik_deferred_reductions, of one rhs. A step reads two of its sums and adds to the
 * same two, so the kernel before it, which leaves the third, puts them aside. */
typedef struct deferred_reductions {
    naik_deferred_reductions host; /* rhs NULL: nothing is deferred */
    peer_sums peers;
    naik_exactsum *taken; /* [2], host.sums[0] and [1] put aside; NULL: do not */
    unsigned *ticket;     /* 0 between launches */
    unsigned readers;     /* blocks that read the rhs, of all launches together */
} deferred_reductions;

static inline deferred_reductions deferred_reductions_of(naik_backend *backend,
                                                         const naik_deferred_reductions *deferred,
                                                         unsigned readers)
{
    deferred_reductions d = {};
    if (deferred != NULL) {
        d.host = *deferred;
        d.peers = peer_sums_of(backend);
        d.taken = gpu_state_of(backend)->taken;
        d.ticket = gpu_state_of(backend)->ticket;
        d.readers = readers;
    }
    return d;
}

/* The kernel before a step: puts the sums aside and leaves them with the other ranks. The threads
 * that move together of one block of the launch call. */
__device__ static inline void rhs_put_aside(const deferred_reductions &deferred, int lane)
{
    if (deferred.taken == NULL || deferred.host.rhs->state != NAIK_RHS_RUN) {
        return;
    }
    for (int k = 0; k < 2; k++) {
#pragma unroll 1
        for (int i = lane; i < NAIK_EXACTSUM_WORDS; i += GPU_LANES) {
            deferred.taken[k].word[i] = deferred.host.sums[k].word[i];
            deferred.host.sums[k].word[i] = 0;
        }
    }
    gpu_lanes_sync();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        peer_push(deferred.peers, &deferred.taken[k], k * NAIK_MAX_RHS, lane);
    }
}

/* Draws a ticket after reading the rhs; true for the last. Lane 0 calls. */
__device__ static inline bool rhs_was_read(const deferred_reductions &deferred)
{
    return gpu_draw_ticket(deferred.ticket, deferred.readers - 1) == deferred.readers - 1;
}

#endif
