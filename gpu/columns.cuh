/* columns.cuh - the scalars of an iteration, as the threads that move together compute them */
#ifndef NAIK_GPU_COLUMNS_CUH
#define NAIK_GPU_COLUMNS_CUH

#include "reduce.cuh"

/* column_alpha of one column: sums |D p|^2, kept in `copies` parts, and |p|^2. */
__device__ static inline void column_alpha(naik_column *column, naik_exactsum *dp2, int copies,
                                           naik_exactsum *p2, int lane)
{
    __shared__ int64_t word[2][NAIK_EXACTSUM_WORDS];
    naik_exactsum *const sum[2] = {dp2, p2};
    const int parts[2] = {copies, 1};
    const double value = exact_take<2>(sum, parts, word, lane);
    const double second = __longlong_as_double(gpu_lanes_from(__double_as_longlong(value), 1));
    if (lane == 0) {
        naik_column_alpha(column, value, second);
    }
}

/* column_step of one column out of `count`; |r|^2 in `copies` parts. `history` points to the
 * column's number in row 0 of a ring [history_stride][count] of residuals (NULL: not kept). */
__device__ static inline void column_step(naik_column *column, naik_exactsum *r2, int copies,
                                          int count, double *history, int history_stride, int lane)
{
    __shared__ int64_t word[1][NAIK_EXACTSUM_WORDS];
    naik_exactsum *const sum[1] = {r2};
    const int parts[1] = {copies};
    const double rr = exact_take<1>(sum, parts, word, lane);
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

/* What naik_column_end says, of the one column there is: of `copies` parts of the sum just made,
 * and of the sum before. */
__device__ static inline void column_end(const naik_column_end &end, naik_exactsum *parts,
                                         int copies, naik_exactsum *before, int lane)
{
    if (end.step) {
        column_step(end.column, parts, copies, 1, end.history, end.history_stride, lane);
    } else {
        column_alpha(end.column, parts, copies, before, lane);
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
