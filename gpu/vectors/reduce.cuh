/* reduce.cuh - exact sums on the device
 *
 * A warp's terms are laid on one window of 128 bits, 42 or more bits below the largest term's last
 * bit, and added as integers; a term further below goes to the long accumulator by itself. Terms of
 * single precision, where a bound is known before that nearly all of them keep (naik_rhs.grid),
 * are taken to multiples of 2^-50 of it, in one integer each; a term beyond goes to the accumulator
 * by itself. Blocks add their few words with integer atomics. All of it is integer addition: the
 * words of a naik_exactsum come out with the same value in whatever order threads run.
 */
#ifndef NAIK_GPU_REDUCE_CUH
#define NAIK_GPU_REDUCE_CUH

#include <stdint.h>

#include "gpu/device.h"

enum { REDUCE_WORDS = 5, REDUCE_PIECE = 26, REDUCE_MAX_WARPS = 16 };

__device__ static inline void exact_atomic(naik_exactsum *sum, int word, long long value)
{
    if (value != 0) {
        atomicAdd((unsigned long long *)&sum->word[word], (unsigned long long)value);
    }
}

/* mantissa 2^(position - 1088), straight to the accumulator. */
__device__ static GPU_RARE void exact_add_slow(naik_exactsum *sum, uint64_t mantissa, int position,
                                               bool negative)
{
    int word = position / 32, shift = position % 32;
    uint64_t low = mantissa << shift;
    uint64_t high = shift == 0 ? 0 : mantissa >> (64 - shift);
    long long sign = negative ? -1 : 1;
    exact_atomic(sum, word, sign * (long long)(low & 0xffffffffu));
    exact_atomic(sum, word + 1, sign * (long long)(low >> 32));
    exact_atomic(sum, word + 2, sign * (long long)high);
}

typedef struct exact_partial {
    int base; /* word of digit[0]; -1: nothing */
    long long digit[REDUCE_WORDS];
} exact_partial;

/* The sum of `term` over the threads that move together; all of them call, all get the result. */
__device__ static inline exact_partial exact_lanes(double term, naik_exactsum *sum)
{
    exact_partial out;
    uint64_t bits = (uint64_t)__double_as_longlong(term);
    int exponent = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    bool negative = bits >> 63 != 0;
    if (exponent == 0x7ff) {
        exact_atomic(sum, NAIK_EXACTSUM_DIGITS, 1);
        mantissa = 0;
        exponent = 1;
    } else if (exponent == 0) {
        exponent = 1;
    } else {
        mantissa |= UINT64_C(1) << 52;
    }
    int position = mantissa != 0 ? exponent + 13 : 0; /* of the last bit, above 2^-1088 */
    int top = (int)gpu_lanes_max((unsigned)position);
    if (top == 0) {
        out.base = -1;
        return out;
    }
    int base =
        (top - 73 + 31) / 32; /* the smallest window that holds 53 bits at `top` and a sign */
    base = base > 0 ? base : 0;
    int shift = position - 32 * base;
    if (mantissa != 0 && shift < 0) {
        exact_add_slow(sum, mantissa, position, negative);
        mantissa = 0;
    }
    shift = mantissa != 0 ? shift : 0;
    uint64_t low = shift < 64 ? mantissa << shift : 0;
    uint64_t high = shift == 0   ? 0
                    : shift < 64 ? mantissa >> (64 - shift)
                                 : mantissa << (shift - 64);
    if (negative) {
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    const uint32_t mask = (1u << REDUCE_PIECE) - 1;
    uint32_t p0 = gpu_lanes_sum((uint32_t)low & mask);
    uint32_t p1 = gpu_lanes_sum((uint32_t)(low >> 26) & mask);
    uint32_t p2 = gpu_lanes_sum((uint32_t)(low >> 52 | high << 12) & mask);
    uint32_t p3 = gpu_lanes_sum((uint32_t)(high >> 14) & mask);
    int32_t p4 = (int32_t)gpu_lanes_sum((uint32_t)((int64_t)high >> 40));
    uint64_t w1 = (uint64_t)p1 << 26, w2 = (uint64_t)p2 << 20, w3 = (uint64_t)p3 << 14;
    int64_t w4 = (int64_t)p4 << 8;
    const int64_t word = 0xffffffff;
    out.base = base;
    out.digit[0] = (int64_t)p0 + (int64_t)(w1 & word);
    out.digit[1] = (int64_t)(w1 >> 32) + (int64_t)(w2 & word);
    out.digit[2] = (int64_t)(w2 >> 32) + (int64_t)(w3 & word);
    out.digit[3] = (int64_t)(w3 >> 32) + (w4 & word);
    out.digit[4] = w4 >> 32;
    return out;
}

/* Exponent of the power of two above what a site hardly ever adds. */
__device__ static inline int exact_limit(double grid)
{
    return (int)((uint64_t)__double_as_longlong(grid) >> 52 & 0x7ff) - 1022;
}

/* A term by itself. */
__device__ static GPU_RARE void exact_add_term(naik_exactsum *sum, double term)
{
    const uint64_t bits = (uint64_t)__double_as_longlong(term);
    const int exponent = (int)(bits >> 52 & 0x7ff);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    if (exponent == 0x7ff) {
        exact_atomic(sum, NAIK_EXACTSUM_DIGITS, 1);
    } else {
        exact_add_slow(sum, exponent > 0 ? fraction | UINT64_C(1) << 52 : fraction,
                       (exponent > 0 ? exponent : 1) + 13, bits >> 63 != 0);
    }
}

/* The sum, over the threads that move together, of terms in units of 2^(limit - GRID_BITS): all of
 * them call, all get it. Where no bound is known (limit too small for such a unit) every term goes
 * the slow way. */
enum { GRID_BITS = 50, GRID_WORDS = 3 };
__device__ static inline long long exact_lanes_grid(double term, int limit, naik_exactsum *sum)
{
    const double magic = 6755399441055744.0; /* 1.5 2^52: its last bit is 1 */
    const int exponent = 1023 + GRID_BITS - limit;
    const double per_unit =
        __longlong_as_double((long long)(exponent < 2047 ? exponent : 2047) << 52);
    double units = term * per_unit;
    if (!(fabs(units) < (double)(INT64_C(1) << GRID_BITS))) {
        exact_add_term(sum, term);
        units = 0;
    }
    const long long whole = __double_as_longlong(units + magic) - __double_as_longlong(magic);
    const uint32_t mask = (1u << REDUCE_PIECE) - 1;
    const uint32_t low = gpu_lanes_sum((uint32_t)whole & mask);
    const uint32_t high = gpu_lanes_sum((uint32_t)(whole >> REDUCE_PIECE));
    return (long long)low + (long long)(int32_t)high * (INT64_C(1) << REDUCE_PIECE);
}

/* Adds a word of that many units to the accumulator; word 0 .. GRID_WORDS - 1. */
__device__ static inline void exact_add_units(naik_exactsum *sum, long long units, int limit,
                                              int word)
{
    const int position = limit - GRID_BITS + 1088, shift = position % 32;
    const uint64_t low = (uint64_t)units << shift;
    if (units != 0) {
        exact_atomic(sum, position / 32 + word,
                     word == 0   ? (long long)(low & 0xffffffffu)
                     : word == 1 ? (long long)(low >> 32)
                                 : (units >> 32) >> (32 - shift));
    }
}

/* What the warps of a block, WARPS at most, hold for NRHS right-hand sides, or sums, each. */
template <int NRHS, int WARPS = REDUCE_MAX_WARPS> struct exact_block {
    int base[WARPS][NRHS];
    long long digit[WARPS][NRHS][REDUCE_WORDS];
};

template <int NRHS, int WARPS>
__device__ static inline void exact_keep(exact_block<NRHS, WARPS> &shared, int warp, int irhs,
                                         const exact_partial &partial, int lane)
{
    if (lane == 0) {
        shared.base[warp][irhs] = partial.base;
#pragma unroll
        for (int j = 0; j < REDUCE_WORDS; j++) {
            shared.digit[warp][irhs][j] = partial.digit[j];
        }
    }
}

/* Adds `warps` warps' partial sums from `first` on, of one rhs and digit, to the accumulator. */
template <int NRHS, int WARPS>
__device__ static inline void exact_flush(const exact_block<NRHS, WARPS> &shared, int first,
                                          int warps, int irhs, int digit, naik_exactsum *sum)
{
    int base = -1;
    long long total = 0;
    for (int w = first; w < first + warps; w++) {
        int here = shared.base[w][irhs];
        if (here < 0) {
            continue;
        }
        if (here != base && base >= 0) {
            exact_atomic(sum, base + digit, total);
            total = 0;
        }
        base = here;
        total += shared.digit[w][irhs][digit];
    }
    if (base >= 0) {
        exact_atomic(sum, base + digit, total);
    }
}

/* The sums of a block's terms for NRHS right-hand sides, of numbers of type T: each warp keeps its own,
 * and after a barrier the first WORDS threads of each rhs add them up. */
template <class T, int NRHS> struct block_sums {
    enum { WORDS = REDUCE_WORDS };
    exact_block<NRHS> of;
    __device__ inline void keep(int warp, int irhs, int lane, double term, double,
                                naik_exactsum *sum)
    {
        exact_keep(of, warp, irhs, exact_lanes(term, sum), lane);
    }
    __device__ inline void flush(int first, int warps, int irhs, int word, double,
                                 naik_exactsum *sum) const
    {
        exact_flush(of, first, warps, irhs, word, sum);
    }
};
template <int NRHS> struct block_sums<float, NRHS> {
    enum { WORDS = GRID_WORDS };
    long long units[REDUCE_MAX_WARPS][NRHS];
    __device__ inline void keep(int warp, int irhs, int lane, double term, double grid,
                                naik_exactsum *sum)
    {
        const long long mine = exact_lanes_grid(term, exact_limit(grid), sum);
        if (lane == 0) {
            units[warp][irhs] = mine;
        }
    }
    __device__ inline void flush(int first, int warps, int irhs, int word, double grid,
                                 naik_exactsum *sum) const
    {
        long long total = 0;
        for (int w = first; w < first + warps; w++) {
            total += units[w][irhs];
        }
        exact_add_units(sum, total, exact_limit(grid), word);
    }
};

/* The first `count` of K sums of a block's terms of one rhs, `stride` from each other; all threads of
 * the block call. */
template <int K>
__device__ static inline void exact_block_add(exact_block<K> &shared, const double (&term)[K],
                                              int count, naik_exactsum *sums, int stride)
{
    const int thread = (int)threadIdx.x, warps = (int)blockDim.x / GPU_LANES;
#pragma unroll
    for (int k = 0; k < K; k++) {
        if (k < count) {
            const exact_partial partial = exact_lanes(term[k], sums + k * stride);
            exact_keep(shared, thread / GPU_LANES, k, partial, thread % GPU_LANES);
        }
    }
    __syncthreads();
    const int k = thread / REDUCE_WORDS;
    if (k < count) {
        exact_flush(shared, 0, warps, k, thread % REDUCE_WORDS, sums + k * stride);
    }
}

__device__ static inline void exact_block_add(exact_block<1> &shared, double term,
                                              naik_exactsum *sum)
{
    const double terms[1] = {term};
    exact_block_add(shared, terms, 1, sum, 0);
}

/* (a b c) 2^exponent with 32-bit digits, a > 0, and something below if sticky: rounded once, to
 * nearest even. */
__device__ static inline double exact_round(uint64_t a, uint64_t b, uint64_t c, bool sticky,
                                            int exponent)
{
    int room = __clz((int)(uint32_t)a);
    uint64_t leading = (a << 32 | b) << room | (c << room) >> 32;
    sticky = sticky || ((c << room) & 0xffffffffu) != 0;
    exponent += 32 - room; /* of the last bit of `leading` */
    int drop = exponent + 11 < -1074 ? -1074 - exponent : 11;
    if (drop > 64) {
        return 0;
    }
    uint64_t kept = drop == 64 ? 0 : leading >> drop;
    uint64_t rest = drop == 64 ? leading : leading << (64 - drop);
    const uint64_t half = UINT64_C(1) << 63;
    if (rest > half || (rest == half && (sticky || (kept & 1)))) {
        kept++;
    }
    exponent += drop; /* of the last bit of `kept`, which has 53 or is below the normal numbers */
    return exponent > 971
               ? INFINITY
               : __longlong_as_double(((long long)(exponent + 1074) << 52) + (long long)kept);
}

/* The value of an accumulator whose digits lie in word[], which become those of its size; digits
 * `first` to end - 1 are in use. One thread calls. */
__device__ static inline double exact_value(int64_t word[NAIK_EXACTSUM_WORDS], int first, int end)
{
    int64_t carry = 0;
    int top = -1, lowest = -1;
    for (int i = first; i < end; i++) {
        carry = (word[i] + carry) >> 32;
    }
    const bool negative = carry < 0;
    carry = 0;
    for (int i = first; i < NAIK_EXACTSUM_DIGITS && (i < end || carry != 0); i++) {
        const int64_t digit = (negative ? -word[i] : word[i]) + carry;
        word[i] = digit & 0xffffffff;
        carry = digit >> 32;
        if (word[i] != 0) {
            top = i;
            lowest = lowest < 0 ? i : lowest;
        }
    }
    if (word[NAIK_EXACTSUM_DIGITS] != 0) {
        return nan("");
    }
    if (top < 0) {
        return 0;
    }
    const double size =
        exact_round((uint64_t)word[top], top > 0 ? (uint64_t)word[top - 1] : 0,
                    top > 1 ? (uint64_t)word[top - 2] : 0, lowest < top - 2, 32 * (top - 2) - 1088);
    return negative ? -size : size;
}

#endif
