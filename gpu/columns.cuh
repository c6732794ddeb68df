/* columns.cuh - the end of an iteration, as one thread of those that move together does it */
#ifndef NAIK_GPU_COLUMNS_CUH
#define NAIK_GPU_COLUMNS_CUH

#include "reduce.cuh"

/* The step of a column whose |r|^2 is rr, and its place in the ring [history_stride][count] of
 * residuals (NULL: not kept); `history` points to the column's number in row 0. */
__device__ static inline void column_step(naik_column *column, double rr, int count,
                                          double *history, int history_stride)
{
    if (threadIdx.x != 0) {
        return;
    }
    const bool running = column->state == NAIK_COLUMN_RUN;
    naik_column_step(column, rr);
    if (history != NULL && running) {
        const int row = (column->iterations - 1) % history_stride;
        history[(size_t)row * (size_t)count] = column->rr;
    }
}

#endif
