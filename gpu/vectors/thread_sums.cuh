/* thread_sums.cuh - exact sums of what one thread adds up by itself, before it adds with others
 *
 * A term is cut into a multiple of 2^-40 of a power of two above the thread's terms, a multiple of 2^-80 of it and one of
 * 2^-120. Each kind is added in double precision, where a sum of up to 2^12 such terms does not round. So three exact sums of a block
 * (reduce.cuh) take the place of one for every term; what a term has beyond goes to the accumulator by itself.
 */
#ifndef NAIK_GPU_THREAD_SUMS_CUH
#define NAIK_GPU_THREAD_SUMS_CUH

#include "gpu/vectors/reduce.cuh"

enum { SUM_PARTS = 3, SUM_PART_BITS = 40 };

typedef struct sum_cuts {
    double limit, magic[SUM_PARTS]; /* a number plus magic has no bit below those of the part */
} sum_cuts;

/* For terms below 2 times `largest`, which the others should not be far below. */
__device__ static inline sum_cuts sum_cuts_for(double largest)
{
    sum_cuts cuts;
    int exponent = (int)((uint64_t)__double_as_longlong(largest) >> 52 & 0x7ff) - 1021;
    exponent = exponent < -800 ? -800 : exponent > 900 ? 900 : exponent; /* magic is a number */
    cuts.limit = __longlong_as_double((long long)(exponent + 1023) << 52);
#pragma unroll
    for (int k = 0; k < SUM_PARTS; k++) {
        const int power = exponent - (k + 1) * SUM_PART_BITS + 52;
        cuts.magic[k] = 1.5 * __longlong_as_double((long long)(power + 1023) << 52);
    }
    return cuts;
}

/* Adds what the parts can hold of a term, and gives what they cannot: hardly ever anything but 0. */
__device__ static inline double sum_term(const sum_cuts &cuts, double term,
                                         double (&sum)[SUM_PARTS])
{
    if (!(fabs(term) < cuts.limit)) {
        return term;
    }
#pragma unroll
    for (int k = 0; k < SUM_PARTS; k++) {
        const double part = (term + cuts.magic[k]) - cuts.magic[k];
        sum[k] += part;
        term -= part;
    }
    return term;
}

/* What a block of threads holds for so many sums, each in its parts. */
template <int SUMS> using sum_block = exact_block<SUMS * SUM_PARTS>;

/* Adds `factor` times the sums of all threads of the block, which all call, to accumulators `stride` apart. */
template <int SUMS>
__device__ static inline void sum_block_add(sum_block<SUMS> &shared, double factor,
                                            const double (&sum)[SUMS][SUM_PARTS],
                                            naik_exactsum *sums, int stride)
{
    const int thread = (int)threadIdx.x, warps = (int)blockDim.x / GPU_LANES;
#pragma unroll 1
    for (int k = 0; k < SUMS * SUM_PARTS; k++) {
        double term = 0; /* sum[k], without an index into registers */
#pragma unroll
        for (int j = 0; j < SUMS * SUM_PARTS; j++) {
            term = j == k ? factor * sum[j / SUM_PARTS][j % SUM_PARTS] : term;
        }
        const exact_partial partial = exact_lanes(term, sums + k / SUM_PARTS * stride);
        exact_keep(shared, thread / GPU_LANES, k, partial, thread % GPU_LANES);
    }
    __syncthreads();
    const int k = thread / REDUCE_WORDS;
    if (k < SUMS * SUM_PARTS) {
        exact_flush(shared, 0, warps, k, thread % REDUCE_WORDS, sums + k / SUM_PARTS * stride);
    }
    __syncthreads();
}

#endif
