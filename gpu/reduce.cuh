/* reduce.cuh - exact sums on the device
 *
 * A warp's terms are laid on one 128-bit window, 42 or more bits below the largest term's last bit,
 * and added as integers; a term further below goes to the long accumulator by itself. Blocks add
 * their few words with integer atomics. All of it is integer addition: the words of a
 * naik_exactsum come out with the same value in whatever order threads run.
 */
#ifndef NAIK_GPU_REDUCE_CUH
#define NAIK_GPU_REDUCE_CUH

#include <stdint.h>

#include "device.h"

enum { REDUCE_WORDS = 5, REDUCE_PIECE = 26, REDUCE_MAX_WARPS = 16 };

__device__ static inline void exact_atomic(naik_exactsum *sum, int word, long long value)
{
    if (value != 0) {
        atomicAdd((unsigned long long *)&sum->word[word], (unsigned long long)value);
    }
}

/* mantissa 2^(position - 1088), straight to the accumulator. */
__device__ static inline void exact_add_slow(naik_exactsum *sum, uint64_t mantissa, int position,
                                             bool negative)
{
    int word = position / 32, shift = position % 32;
    uint64_t low = mantissa << shift;
    uint64_t high = shift == 0 ? 0 : mantissa >> (64 - shift);
    long long sign = negative ? -1 : 1;
    exact_atomic(sum, word, sign * (long long)(low & 0xffffffffu));
    exact_atomic(sum, word + 1, sign * (long long)(low >> 32));
    exact_atomic(sum, word + 2, sign * (long long)high);
    __threadfence(); /* before whoever counts this block as done */
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
        __threadfence();
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

/* What the warps of a block hold, for COLUMNS columns each. */
template <int COLUMNS> struct exact_block {
    int base[REDUCE_MAX_WARPS][COLUMNS];
    long long digit[REDUCE_MAX_WARPS][COLUMNS][REDUCE_WORDS];
};

template <int COLUMNS>
__device__ static inline void exact_keep(exact_block<COLUMNS> &shared, int warp, int column,
                                         const exact_partial &partial, int lane)
{
    if (lane == 0) {
        shared.base[warp][column] = partial.base;
#pragma unroll
        for (int j = 0; j < REDUCE_WORDS; j++) {
            shared.digit[warp][column][j] = partial.digit[j];
        }
    }
}

/* Adds `warps` warps' partial sums from `first` on, of one column and digit, to the accumulator. */
template <int COLUMNS>
__device__ static inline void exact_flush(const exact_block<COLUMNS> &shared, int first, int warps,
                                          int column, int digit, naik_exactsum *sum)
{
    int base = -1;
    long long total = 0;
    for (int w = first; w < first + warps; w++) {
        int here = shared.base[w][column];
        if (here < 0) {
            continue;
        }
        if (here != base && base >= 0) {
            exact_atomic(sum, base + digit, total);
            total = 0;
        }
        base = here;
        total += shared.digit[w][column][digit];
    }
    if (base >= 0) {
        exact_atomic(sum, base + digit, total);
    }
}

/* Sum of a block's terms of one column; all threads of the block call. */
__device__ static inline void exact_block_add(exact_block<1> &shared, double term,
                                              naik_exactsum *sum)
{
    const int thread = (int)threadIdx.x, warps = (int)blockDim.x / GPU_LANES;
    exact_partial partial = exact_lanes(term, sum);
    exact_keep(shared, thread / GPU_LANES, 0, partial, thread % GPU_LANES);
    __syncthreads();
    if (thread < REDUCE_WORDS) {
        exact_flush(shared, 0, warps, 0, thread, sum);
    }
}

/* Carries until all digits of the lanes below the last lie in [0, 2^32). */
__device__ static inline int64_t exact_carry(int64_t digit, int lane)
{
    const bool last = lane == GPU_LANES - 1;
    const int64_t mask = 0xffffffff;
    do {
        int64_t carry = gpu_lanes_before(digit >> 32);
        digit = (last ? digit : digit & mask) + (lane > 0 ? carry : 0);
    } while (gpu_lanes_any(!last && (digit & ~mask) != 0));
    return digit;
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
    return ldexp((double)kept, exponent + drop);
}

/* Digits first .. keep - 1 into digit `keep`: their carry, and one more bit where anything is left
 * of them. One thread calls. */
__device__ static inline void exact_fold(int64_t *word, int first, int keep)
{
    int64_t carry = 0;
    bool rest = false;
    for (int i = first; i < keep; i++) {
        int64_t value = word[i] + carry;
        rest = rest || (value & 0xffffffff) != 0;
        carry = value >> 32;
    }
    word[keep] = 2 * ((word[keep] + carry) / 2) == word[keep] + carry && rest
                     ? word[keep] + carry + 1
                     : word[keep] + carry;
}

/* Whether this block is the last of the grid to come here. Called by the threads that move together
 * and have added the block's sums; they see what those of other blocks have added. The ticket is 0
 * again afterwards. */
__device__ static inline bool exact_last_block(unsigned *ticket, int lane)
{
    long long last = 0;
    __threadfence();
    gpu_lanes_sync();
    if (lane == 0) {
        const unsigned others = gridDim.x * gridDim.y - 1;
        last = atomicInc(ticket, others) == others;
    }
    last = gpu_lanes_from(last, 0);
    if (last) {
        __threadfence();
    }
    return last != 0;
}

/* The value of an accumulator, which is left cleared. The threads that move together call and all
 * get it; `word` is shared memory of NAIK_EXACTSUM_WORDS. One digit a lane: wide enough, as sums of
 * one kind of term span few digits; what lies more than GPU_LANES - 3 digits below the first can
 * only be a sticky bit. */
__device__ static inline double exact_take(naik_exactsum *sum, int64_t *word, int lane)
{
    unsigned high = 0, low = 0; /* 1 + last, DIGITS - first digit in use */
    for (int i = lane; i < NAIK_EXACTSUM_WORDS; i += GPU_LANES) {
        word[i] = *(volatile int64_t *)&sum->word[i]; /* other blocks may just have added */
        sum->word[i] = 0;
        if (word[i] != 0 && i < NAIK_EXACTSUM_DIGITS) {
            high = (unsigned)i + 1;
            low = low > 0 ? low : (unsigned)(NAIK_EXACTSUM_DIGITS - i);
        }
    }
    high = gpu_lanes_max(high);
    low = gpu_lanes_max(low);
    gpu_lanes_sync();
    if (word[NAIK_EXACTSUM_DIGITS] != 0) {
        return nan("");
    }
    int first = NAIK_EXACTSUM_DIGITS - (int)low; /* digit of lane 0 */
    if ((int)high - first > GPU_LANES - 2) {
        if (lane == 0) {
            exact_fold(word, first, (int)high + 2 - GPU_LANES);
        }
        first = (int)high + 2 - GPU_LANES;
        gpu_lanes_sync();
    }
    int64_t digit = first + lane < (int)high ? word[first + lane] : 0;
    digit = exact_carry(digit, lane);
    const bool negative = gpu_lanes_from(digit, GPU_LANES - 1) < 0;
    digit = negative ? exact_carry(-digit, lane) : digit;
    const int top = (int)gpu_lanes_max(digit != 0 ? (unsigned)lane + 1 : 0) - 1;
    uint64_t a = (uint64_t)gpu_lanes_from(digit, top > 0 ? top : 0);
    uint64_t b = (uint64_t)gpu_lanes_from(digit, top > 1 ? top - 1 : 0);
    uint64_t c = (uint64_t)gpu_lanes_from(digit, top > 2 ? top - 2 : 0);
    bool sticky = gpu_lanes_any(digit != 0 && lane < top - 2);
    if (top < 0) {
        return 0;
    }
    double value =
        exact_round(a, top > 0 ? b : 0, top > 1 ? c : 0, sticky, 32 * (first + top - 2) - 1088);
    return negative ? -value : value;
}

#endif
