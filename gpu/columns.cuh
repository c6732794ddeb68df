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

/* The values of SUMS accumulators of squares, added over the ranks, in the first lanes; they belong
 * to the inboxes `box` and further on by NAIK_MAX_RHS. The threads that move together call. */
template <int SUMS>
__device__ static inline double column_sums(const peer_sums &peers,
                                            const naik_exactsum *const (&sum)[SUMS], int box,
                                            int64_t (&word)[SUMS][NAIK_EXACTSUM_WORDS], int lane)
{
    unsigned end[SUMS], first[SUMS]; /* 1 + last, DIGITS - first digit in use */
#pragma unroll
    for (int k = 0; k < SUMS; k++) { /* one by one: both at once take too many registers */
        int64_t total[PEER_EACH];
        peer_collect(peers, sum[k], box + k * NAIK_MAX_RHS, total, lane);
        end[k] = first[k] = 0;
#pragma unroll
        for (int e = 0; e < PEER_EACH; e++) {
            const int i = e * GPU_LANES + lane;
            if (i >= NAIK_EXACTSUM_WORDS) {
                continue;
            }
            word[k][i] = total[e];
            if (word[k][i] != 0 && i < NAIK_EXACTSUM_DIGITS) {
                end[k] = (unsigned)i + 1;
                first[k] = first[k] > 0 ? first[k] : (unsigned)(NAIK_EXACTSUM_DIGITS - i);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < SUMS; k++) {
        end[k] = gpu_lanes_max(end[k]);
        first[k] = gpu_lanes_max(first[k]);
    }
    gpu_lanes_sync();
    if (lane >= SUMS) {
        return 0;
    }
    const int mine = SUMS > 1 ? lane : 0;
    const unsigned from = mine == 0 ? first[0] : first[SUMS - 1];
    return exact_squares(word[mine], NAIK_EXACTSUM_DIGITS - (int)from,
                         (int)(mine == 0 ? end[0] : end[SUMS - 1]));
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

/* The column after its alpha, from |D p|^2 and |p|^2; in lane 0. */
__device__ static inline naik_column column_alpha(const peer_sums &peers, const naik_column *column,
                                                  const naik_exactsum *dp2, const naik_exactsum *p2,
                                                  int box, int lane)
{
    __shared__ int64_t word[2][NAIK_EXACTSUM_WORDS];
    const naik_exactsum *const sum[2] = {dp2, p2};
    const double value = column_sums<2>(peers, sum, box, word, lane);
    const double second = __longlong_as_double(gpu_lanes_from(__double_as_longlong(value), 1));
    naik_column next = *column; /* not before: it takes registers */
    naik_column_alpha(&next, value, second);
    return next;
}

/* The column after its step, from |r|^2; in lane 0. */
__device__ static inline naik_column column_step(const peer_sums &peers, const naik_column *column,
                                                 const naik_exactsum *r2, int box, int lane)
{
    __shared__ int64_t word[1][NAIK_EXACTSUM_WORDS];
    const naik_exactsum *const sum[1] = {r2};
    const double rr = column_sums<1>(peers, sum, box, word, lane);
    naik_column next = *column;
    naik_column_step(&next, rr);
    return next;
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

/* What kernels get of naik_columns_due. */
typedef struct columns_due {
    naik_columns_due host; /* columns NULL: nothing is due */
    peer_sums peers;
    unsigned *tickets; /* [count], 0 between launches */
    unsigned readers;  /* blocks that read a column, of all launches together */
} columns_due;

static inline columns_due columns_due_of(naik_backend *backend, const naik_columns_due *due,
                                         int tickets, unsigned readers)
{
    columns_due d = {};
    if (due != NULL) {
        d.host = *due;
        d.peers = peer_sums_of(backend);
        d.tickets = gpu_state_of(backend)->tickets + tickets;
        d.readers = readers;
    }
    return d;
}

/* Draws a ticket after reading column c; true for the last. Lane 0 calls. */
__device__ static inline bool column_was_read(const columns_due &due, int c)
{
    return gpu_draw_ticket(due.tickets + c, due.readers - 1) == due.readers - 1;
}

#endif
