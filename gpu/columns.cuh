/* columns.cuh - the scalars of an iteration, as the threads that move together compute them */
#ifndef NAIK_GPU_COLUMNS_CUH
#define NAIK_GPU_COLUMNS_CUH

#include "reduce.cuh"

/* column_alpha of one column: sums |D p|^2 and |p|^2. */
__device__ static inline void column_alpha(naik_column *column, naik_exactsum *dp2,
                                           naik_exactsum *p2, int lane)
{
    __shared__ int64_t word[2][NAIK_EXACTSUM_WORDS];
    const double first = exact_take(dp2, word[0], lane);
    const double second = exact_take(p2, word[1], lane);
    if (lane == 0) {
        naik_column_alpha(column, first, second);
    }
}

/* column_step of one column out of `count`; `history` points to its number in row 0 of a ring
 * [history_stride][count] of residuals (NULL: not kept). */
__device__ static inline void column_step(naik_column *column, naik_exactsum *r2, int count,
                                          double *history, int history_stride, int lane)
{
    __shared__ int64_t word[NAIK_EXACTSUM_WORDS];
    const double rr = exact_take(r2, word, lane);
    if (lane != 0) {
        return;
    }
    const bool running = column->state == NAIK_COLUMN_RUN;
    naik_column_step(column, rr);
    if (history != NULL && running) {
        const int row = (column->iterations - 1) % history_stride;
        history[(size_t)row * (size_t)count] = column->rr;
    }
}

/* What naik_column_end says, of the one column there is. */
__device__ static inline void column_end(const naik_column_end &end, naik_exactsum *sums, int lane)
{
    if (end.step) {
        column_step(end.column, sums, 1, end.history, end.history_stride, lane);
    } else {
        column_alpha(end.column, sums, sums + 1, lane);
    }
}

/* The same where the column does not run: there are no sums. One thread calls. */
__device__ static inline void column_rest(const naik_column_end &end)
{
    if (end.step) {
        naik_column_step(end.column, 0);
    }
}

#endif
