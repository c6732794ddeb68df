/* columns.cuh - the scalars of an iteration, computed where they are used
 *
 * A kernel that needs a scalar takes the sums itself, in every block: the words of this rank and
 * those that the other ranks of the node have left. The block that is the last to have read a
 * column and its sums writes the column and clears the sums; who that is, a ticket tells that is
 * drawn after reading.
 */
#ifndef NAIK_GPU_COLUMNS_CUH
#define NAIK_GPU_COLUMNS_CUH

#include "peer.cuh"
#include "reduce.cuh"

/* The value of an accumulator added over the ranks, in the first lane; it belongs to inbox `box`.
 * The threads that move together call. */
__device__ static inline double column_sum(const peer_sums &peers, const naik_exactsum *sum,
                                           int box, int64_t (&word)[NAIK_EXACTSUM_WORDS], int lane)
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
__device__ static inline void column_clear(const peer_sums &peers, naik_exactsum *sum, int box,
                                           int lane)
{
    for (int i = lane; i < NAIK_EXACTSUM_WORDS; i += GPU_LANES) {
        sum->word[i] = 0;
    }
    if (lane == 0 && peers.count > 1) {
        peers.turn[box]++;
    }
}

/* Which of a column's three sums WHICH (naik_scalars) needs: COUNT from FIRST on. */
template <int WHICH> struct column_needs {
    enum { FIRST = WHICH == NAIK_TAKE ? 2 : 0, COUNT = (WHICH == NAIK_COUNT ? 2 : 3) - FIRST };
};

/* Their values, which a block's warps take at the same time as far as there are enough. The sums
 * belong to the inboxes `box` and further on by NAIK_MAX_RHS. All threads of the block call, and
 * have them when the call returns. */
template <int WHICH>
__device__ static inline void column_values(const peer_sums &peers,
                                            const naik_exactsum *const (&sum)[3], int box,
                                            double (&value)[3], int thread, int threads)
{
    typedef column_needs<WHICH> needs;
    __shared__ int64_t word[needs::COUNT][NAIK_EXACTSUM_WORDS];
    const int lane = thread % GPU_LANES;
#pragma unroll 1
    for (int i = thread / GPU_LANES; i < needs::COUNT; i += threads / GPU_LANES) {
        const int k = needs::FIRST + i;
        const naik_exactsum *own = k == 0 ? sum[0] : k == 1 ? sum[1] : sum[2];
        const double mine = column_sum(peers, own, box + k * NAIK_MAX_RHS, word[i], lane);
        if (lane == 0) {
            value[k] = mine;
        }
    }
    __syncthreads();
}

/* Takes a column to where WHICH has been done, from those values (backend.h, column_step). */
template <int WHICH>
__device__ static inline void column_advance(naik_column &column, const double (&value)[3])
{
    if (WHICH & NAIK_COUNT) {
        naik_column_count(&column, value[0], value[1]);
    }
    if (WHICH & NAIK_TAKE) {
        naik_column_take(&column, value[2]);
    }
}

/* A copy for the threads of a block, which all call; it is there behind a barrier. */
__device__ static inline void column_copy(naik_column &copy, const naik_column *column, int thread,
                                          int threads)
{
    static_assert(sizeof copy % sizeof(int32_t) == 0, "copied in words");
    for (int i = thread; i < (int)(sizeof copy / sizeof(int32_t)); i += threads) {
        ((int32_t *)&copy)[i] = ((const int32_t *)column)[i];
    }
}

/* |r|^2 after a step into the ring [history_stride][count]; `history` points to the column's number
 * in row 0 (NULL: not kept). One thread calls. */
__device__ static inline void column_note(const naik_column &next, int count, double *history,
                                          int history_stride)
{
    if (history != NULL) {
        history[(size_t)((next.iterations - 1) % history_stride) * (size_t)count] = next.rr;
    }
}

/* What kernels get of naik_columns_due, of one column. A step reads two of its sums and adds to the
 * same two, so the kernel before it, which leaves the third, puts them aside. */
typedef struct columns_due {
    naik_columns_due host; /* columns NULL: nothing is due */
    peer_sums peers;
    naik_exactsum *taken; /* [2], host.sums[0] and [1] put aside; NULL: do not */
    unsigned *ticket;     /* 0 between launches */
    unsigned readers;     /* blocks that read the column, of all launches together */
} columns_due;

static inline columns_due columns_due_of(naik_backend *backend, const naik_columns_due *due,
                                         unsigned readers)
{
    columns_due d = {};
    if (due != NULL) {
        d.host = *due;
        d.peers = peer_sums_of(backend);
        d.taken = gpu_state_of(backend)->taken;
        d.ticket = gpu_state_of(backend)->ticket;
        d.readers = readers;
    }
    return d;
}

/* The kernel before a step: puts the sums aside and leaves them with the other ranks. The threads
 * that move together of one block of the launch call. */
__device__ static inline void column_put_aside(const columns_due &due, int lane)
{
    if (due.taken == NULL || due.host.columns->state != NAIK_COLUMN_RUN) {
        return;
    }
    for (int k = 0; k < 2; k++) {
#pragma unroll 1
        for (int i = lane; i < NAIK_EXACTSUM_WORDS; i += GPU_LANES) {
            due.taken[k].word[i] = due.host.sums[k].word[i];
            due.host.sums[k].word[i] = 0;
        }
    }
    gpu_lanes_sync();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        peer_push(due.peers, &due.taken[k], k * NAIK_MAX_RHS, lane);
    }
}

/* Draws a ticket after reading the column; true for the last. Lane 0 calls. */
__device__ static inline bool column_was_read(const columns_due &due)
{
    return gpu_draw_ticket(due.ticket, due.readers - 1) == due.readers - 1;
}

#endif
