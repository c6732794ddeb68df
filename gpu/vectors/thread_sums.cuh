/* thread_sums.cuh - exact sums of what the threads of a block add up, each by itself before it adds with others
 *
 * A term is cut into a multiple of 2^-46 of a power of two above the terms of the block, a multiple of 2^-92 of it and one
 * of 2^-138. Each kind is added to a number so large that its last bit is that unit: the sum cuts the term, and does not
 * round what it has. Over the block these sums are added as integers. What a term has beyond goes to the accumulator by
 * itself, which takes long: nothing should be left of a term times a cosine that is 2^-54 because pi is rounded.
 */
#ifndef NAIK_GPU_THREAD_SUMS_CUH
#define NAIK_GPU_THREAD_SUMS_CUH

#include "gpu/vectors/reduce.cuh"

enum { SUM_PARTS = 3, SUM_PART_BITS = 46, SUM_TERMS = 1 << 4 /* of a thread's sum, at most */ };

/* What so many warps, a block, hold for so many sums. */
template <int SUMS, int WARPS> struct sum_block {
    unsigned top[WARPS];
    long long units[WARPS][SUMS * SUM_PARTS];
};

typedef struct sum_cuts {
    int exponent;   /* of the power of two */
    unsigned limit; /* the upper half of it, as bits */
} sum_cuts;

/* 1.5 times a power of two, as bits: its last bit is the unit of a part, whose sum begins here. */
__device__ static inline long long sum_magic(const sum_cuts &cuts, int part)
{
    const int power = cuts.exponent - (part + 1) * SUM_PART_BITS + 52;
    return (long long)((power + 1023) << 1 | 1) << 51;
}

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
    cuts.limit = (unsigned)(cuts.exponent + 1023) << 20;
    return cuts;
}

/* Of no terms. */
template <int SUMS>
__device__ static inline void sum_begin(const sum_cuts &cuts, double (&sum)[SUMS][SUM_PARTS])
{
#pragma unroll
    for (int k = 0; k < SUMS * SUM_PARTS; k++) {
        sum[k / SUM_PARTS][k % SUM_PARTS] = __longlong_as_double(sum_magic(cuts, k % SUM_PARTS));
    }
}

/* Adds what the parts can hold of a term, and gives what they cannot: hardly ever anything but 0. Without a branch, so that
 * the terms of several sums can be added side by side. */
__device__ static inline double sum_term(const sum_cuts &cuts, double term,
                                         double (&sum)[SUM_PARTS])
{
    const unsigned size = (unsigned)((uint64_t)__double_as_longlong(term) >> 32) & 0x7fffffff;
    const bool fits = size < cuts.limit;
    double left = fits ? term : 0;
#pragma unroll
    for (int k = 0; k < SUM_PARTS; k++) {
        const double next = sum[k] + left;
        left -= next - sum[k];
        sum[k] = next;
    }
    return fits ? left : term;
}

/* Whether any of these is not 0. */
template <int SUMS> __device__ static inline bool sum_is_left(const double (&rest)[SUMS])
{
    uint64_t bits = 0;
#pragma unroll
    for (int k = 0; k < SUMS; k++) {
        bits |= (uint64_t)__double_as_longlong(rest[k]);
    }
    return bits << 1 != 0;
}

/* Keeps the sums of each warp, subtracted where a thread says `minus`; all threads of the block call, and wait. */
template <int SUMS, int WARPS>
__device__ static inline void sum_block_keep(sum_block<SUMS, WARPS> &shared, const sum_cuts &cuts,
                                             bool minus, const double (&sum)[SUMS][SUM_PARTS])
{
    const int thread = (int)threadIdx.x;
    const uint32_t mask = (1u << REDUCE_PIECE) - 1;
#pragma unroll
    for (int k = 0; k < SUMS * SUM_PARTS; k++) {
        const long long above = __double_as_longlong(sum[k / SUM_PARTS][k % SUM_PARTS]) -
                                sum_magic(cuts, k % SUM_PARTS);
        const long long units = minus ? -above : above;
        const uint32_t low = gpu_lanes_sum((uint32_t)units & mask);
        const uint32_t high = gpu_lanes_sum((uint32_t)(units >> REDUCE_PIECE));
        if (thread % GPU_LANES == 0) {
            shared.units[thread / GPU_LANES][k] =
                (long long)low + (long long)(int32_t)high * (INT64_C(1) << REDUCE_PIECE);
        }
    }
    __syncthreads();
}

/* Adds the first `count` kept sums to accumulators `stride` apart, and to as many for each further one of `copies`, `apart`
 * from those before; subtracts them where the bit of a copy says `minus`. All threads of the block call, and wait. */
template <int SUMS, int WARPS>
__device__ static inline void sum_block_add(const sum_block<SUMS, WARPS> &shared,
                                            const sum_cuts &cuts, int count, naik_exactsum *sums,
                                            int stride, int copies, int apart, unsigned minus)
{
    for (int i = (int)threadIdx.x; i < count * SUM_PARTS * GRID_WORDS; i += WARPS * GPU_LANES) {
        const int k = i / GRID_WORDS;
        const int unit = cuts.exponent - (k % SUM_PARTS + 1) * SUM_PART_BITS;
        long long total = 0;
        for (int w = 0; w < WARPS; w++) {
            total += shared.units[w][k];
        }
        for (int copy = 0; copy < copies; copy++) {
            exact_add_units(sums + k / SUM_PARTS * stride + copy * apart,
                            (minus >> copy & 1) != 0 ? -total : total, unit + GRID_BITS,
                            i % GRID_WORDS);
        }
    }
    __syncthreads();
}

/* A term that is not added with others, with its signs: into copies `first` to `end` - 1 of a sum, `apart` from each other. The
 * imaginary part lies `stride` behind the real one. */
__device__ static GPU_RARE void sum_add_alone(naik_exactsum *sums, int stride, int apart, int first,
                                              int end, unsigned minus, naik_complex term)
{
    for (int copy = first; copy < end; copy++) {
        const double sign = (minus >> copy & 1) != 0 ? -1 : 1;
        exact_add_term(sums + copy * apart, sign * term.re);
        exact_add_term(sums + copy * apart + stride, sign * term.im);
    }
}

/* The terms of a thread along z, each times the weights of some momenta. */
template <int MOMENTA> struct sum_momenta {
    const naik_complex *z[MOMENTA]; /* weights of z; behind the last: that once more, not added */
    naik_complex xy[MOMENTA];
    int count;
    double sum[2 * MOMENTA][SUM_PARTS]; /* real and imaginary parts */
};

__device__ static inline naik_complex sum_weight(const naik_complex *weight)
{
    const double2 w = *(const double2 *)weight;
    return {w.x, w.y};
}

/* Of no terms; weight [left momenta][nx + ny + nz]. */
template <int MOMENTA>
__device__ static inline void sum_momenta_begin(const sum_cuts &cuts, const naik_complex *weight,
                                                int left, const int (&local)[3], int x, int y,
                                                sum_momenta<MOMENTA> &m)
{
    m.count = left < MOMENTA ? left : MOMENTA;
    sum_begin(cuts, m.sum);
#pragma unroll
    for (int k = 0; k < MOMENTA; k++) {
        const naik_complex *of =
            weight + (k < m.count ? k : m.count - 1) * (local[0] + local[1] + local[2]);
        m.xy[k] = naik_cmul(sum_weight(of + x), sum_weight(of + local[0] + y));
        m.z[k] = of + local[0] + local[1];
    }
}

/* Adds term(weight) of the site at z; what a sum cannot hold goes to sums [MOMENTA][2], `stride` apart, by sum_add_alone. */
template <int MOMENTA, class TERM>
__device__ static inline void sum_momenta_add(const sum_cuts &cuts, int z, TERM term,
                                              naik_exactsum *sums, int stride, int apart, int first,
                                              int end, unsigned minus, sum_momenta<MOMENTA> &m)
{
    double rest[2 * MOMENTA];
#pragma unroll
    for (int k = 0; k < MOMENTA; k++) {
        const naik_complex u = term(naik_cmul(m.xy[k], sum_weight(m.z[k] + z)));
        rest[2 * k] = sum_term(cuts, u.re, m.sum[2 * k]);
        rest[2 * k + 1] = sum_term(cuts, u.im, m.sum[2 * k + 1]);
    }
    if (sum_is_left(rest)) {
#pragma unroll
        for (int k = 0; k < MOMENTA; k++) {
            if (k < m.count) {
                sum_add_alone(sums + 2 * k * stride, stride, apart, first, end, minus,
                              {rest[2 * k], rest[2 * k + 1]});
            }
        }
    }
}

#endif
