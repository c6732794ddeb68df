/* thread_sums.cuh - exact sums of what the threads of a block add up, each by itself before it adds with others
 *
 * A term is cut into a multiple of 2^-40 of a power of two above the terms of the block, a multiple of 2^-80 of it and one
 * of 2^-120. Each kind is added in double precision, where such a sum does not round, and then as an integer over the block.
 * What a term has beyond goes to the accumulator by itself.
 */
#ifndef NAIK_GPU_THREAD_SUMS_CUH
#define NAIK_GPU_THREAD_SUMS_CUH

#include "gpu/vectors/reduce.cuh"

enum { SUM_PARTS = 3, SUM_PART_BITS = 40, SUM_TERMS = 1 << 10 /* of a thread's sum, at most */ };

/* What so many warps, a block, hold for so many sums. */
template <int SUMS, int WARPS> struct sum_block {
    unsigned top[WARPS];
    long long units[WARPS][SUMS * SUM_PARTS];
};

typedef struct sum_cuts {
    int exponent;            /* of the power of two */
    double limit;            /* it */
    double magic[SUM_PARTS]; /* its last bit is the unit of a part */
} sum_cuts;

/* For terms below 2 times `largest` of any thread of the block, which the others should not be far below; all of them call. */
template <int SUMS, int WARPS>
__device__ static inline sum_cuts sum_cuts_for(double largest, sum_block<SUMS, WARPS> &shared)
{
    sum_cuts cuts;
    const unsigned mine = (unsigned)((uint64_t)__double_as_longlong(largest) >> 52) & 0x7ff;
    const unsigned warp = gpu_lanes_max(mine);
    if (threadIdx.x % GPU_LANES == 0) {
        shared.top[threadIdx.x / GPU_LANES] = warp;
    }
    __syncthreads();
    int top = 0;
    for (int w = 0; w < WARPS; w++) {
        top = (int)shared.top[w] > top ? (int)shared.top[w] : top;
    }
    const int exponent = top - 1021;
    cuts.exponent = exponent < -800  ? -800
                    : exponent > 900 ? 900
                                     : exponent; /* magic is a number */
    cuts.limit = __longlong_as_double((long long)(cuts.exponent + 1023) << 52);
#pragma unroll
    for (int k = 0; k < SUM_PARTS; k++) {
        const int power = cuts.exponent - (k + 1) * SUM_PART_BITS + 52;
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

/* Adds the first `count` sums of all threads of the block, which all call, to accumulators `stride` apart; a thread's are
 * subtracted where it says `minus`. */
template <int SUMS, int WARPS>
__device__ static inline void sum_block_add(sum_block<SUMS, WARPS> &shared, const sum_cuts &cuts,
                                            bool minus, const double (&sum)[SUMS][SUM_PARTS],
                                            int count, naik_exactsum *sums, int stride)
{
    const int thread = (int)threadIdx.x;
    const uint32_t mask = (1u << REDUCE_PIECE) - 1;
#pragma unroll
    for (int k = 0; k < SUMS * SUM_PARTS; k++) {
        const double magic = cuts.magic[k % SUM_PARTS], part = sum[k / SUM_PARTS][k % SUM_PARTS];
        const long long units =
            __double_as_longlong((minus ? -part : part) + magic) - __double_as_longlong(magic);
        const uint32_t low = gpu_lanes_sum((uint32_t)units & mask);
        const uint32_t high = gpu_lanes_sum((uint32_t)(units >> REDUCE_PIECE));
        if (thread % GPU_LANES == 0) {
            shared.units[thread / GPU_LANES][k] =
                (long long)low + (long long)(int32_t)high * (INT64_C(1) << REDUCE_PIECE);
        }
    }
    __syncthreads();
    for (int i = thread; i < count * SUM_PARTS * GRID_WORDS; i += WARPS * GPU_LANES) {
        const int k = i / GRID_WORDS;
        const int unit = cuts.exponent - (k % SUM_PARTS + 1) * SUM_PART_BITS;
        long long total = 0;
        for (int w = 0; w < WARPS; w++) {
            total += shared.units[w][k];
        }
        exact_add_units(sums + k / SUM_PARTS * stride, total, unit + GRID_BITS, i % GRID_WORDS);
    }
    __syncthreads();
}

#endif
