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
    return exponent > 971 ? INFINITY
                          : __longlong_as_double(((long long)(exponent + 1074) << 52) +
                                                 (long long)kept);
}

/* Whether this block is the last of the grid to come here. Called by the threads that move together
 * and have added the block's sums; they see what those of other blocks have added. The ticket is 0
 * again afterwards. */
__device__ static inline bool exact_last_block(unsigned *ticket, int lane)
{
    long long last = 0;
    gpu_lanes_sync();
    if (lane == 0) {
        const unsigned others = gridDim.x * gridDim.y - 1;
        last = gpu_take_ticket(ticket, others) == others;
    }
    return gpu_lanes_from(last, 0) != 0;
}

/* The value of an accumulator of squares, whose digits lie in word[]; one thread calls. */
__device__ static inline double exact_squares(const int64_t word[NAIK_EXACTSUM_WORDS], int first,
                                              int end)
{
    uint64_t a = 0, b = 0, c = 0, carry = 0;
    bool sticky = false;
    int i = first;
    for (; i < end || carry != 0; i++) {
        const uint64_t digit = (i < end ? (uint64_t)word[i] : 0) + carry;
        sticky = sticky || c != 0;
        c = b;
        b = a;
        a = digit & 0xffffffffu;
        carry = digit >> 32;
    }
    if (word[NAIK_EXACTSUM_DIGITS] != 0) {
        return nan("");
    }
    return a == 0 ? 0 : exact_round(a, b, c, sticky, 32 * (i - 3) - 1088);
}

/* The values of one or two accumulators of squares, each kept in `copies` parts, in lanes 0 and 1;
 * all are left cleared. The threads that move together call. */
template <int SUMS>
__device__ static inline double exact_take(naik_exactsum *const (&sum)[SUMS],
                                           const int (&copies)[SUMS],
                                           int64_t (&word)[SUMS][NAIK_EXACTSUM_WORDS], int lane)
{
    unsigned end[SUMS], first[SUMS]; /* 1 + last, DIGITS - first digit in use */
#pragma unroll
    for (int k = 0; k < SUMS; k++) {
        end[k] = first[k] = 0;
        for (int i = lane; i < NAIK_EXACTSUM_WORDS; i += GPU_LANES) {
            int64_t total = 0;
            for (int r = 0; r < copies[k]; r++) {
                total += *(volatile int64_t *)&sum[k][r].word[i]; /* other blocks have just added */
                sum[k][r].word[i] = 0;
            }
            word[k][i] = total;
            if (total != 0 && i < NAIK_EXACTSUM_DIGITS) {
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
    const unsigned last = mine == 0 ? end[0] : end[SUMS - 1];
    const unsigned from = mine == 0 ? first[0] : first[SUMS - 1];
    return exact_squares(word[mine], NAIK_EXACTSUM_DIGITS - (int)from, (int)last);
}

#endif
