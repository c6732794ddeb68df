/* exactsum.c - the long accumulator: exact additions, one rounding at the end */
#include "base/exactsum.h"

#include <math.h>
#include <string.h>

enum { DIGIT_BITS = 32, LOWEST_EXPONENT = -1088 };
#define DIGIT_MASK UINT64_C(0xffffffff)

void naik_exactsum_clear(naik_exactsum *sum)
{
    memset(sum, 0, sizeof *sum);
}

void naik_exactsum_add(naik_exactsum *sum, double term)
{
    uint64_t bits;
    memcpy(&bits, &term, sizeof bits);
    uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff) {
        sum->word[NAIK_EXACTSUM_DIGITS]++;
        return;
    }
    if (exponent == 0) {
        exponent = 1; /* subnormal: no hidden bit */
    } else {
        mantissa |= UINT64_C(1) << 52;
    }
    /* term = mantissa 2^(exponent - 1075) = mantissa 2^(position - 1088) */
    int position = exponent - 1075 - LOWEST_EXPONENT;
    int64_t *word = sum->word + position / DIGIT_BITS;
    int shift = position % DIGIT_BITS;
    uint64_t low = mantissa << shift; /* bits 0..63 of the shifted mantissa */
    uint64_t high = shift == 0 ? 0 : mantissa >> (64 - shift); /* at most 21 bits */
    int64_t sign = -(int64_t)(bits >> 63); /* 0 or -1: (v ^ sign) - sign negates */
    word[0] += ((int64_t)(low & DIGIT_MASK) ^ sign) - sign;
    word[1] += ((int64_t)(low >> DIGIT_BITS) ^ sign) - sign;
    word[2] += ((int64_t)high ^ sign) - sign;
}

void naik_exactsum_normalise(naik_exactsum *sum)
{
    int64_t carry = 0;
    for (int i = 0; i < NAIK_EXACTSUM_DIGITS - 1; i++) {
        int64_t value = sum->word[i] + carry;
        int64_t digit = value & (int64_t)DIGIT_MASK;
        carry = (value - digit) / (INT64_C(1) << DIGIT_BITS); /* exact */
        sum->word[i] = digit;
    }
    sum->word[NAIK_EXACTSUM_DIGITS - 1] += carry;
}

void naik_exactsum_merge(naik_exactsum *sum, const naik_exactsum *other)
{
    for (int i = 0; i < NAIK_EXACTSUM_WORDS; i++) {
        sum->word[i] += other->word[i];
    }
}

/* A named critical section would leave a mutable global behind; integers need atomics only. */
void naik_exactsum_merge_shared(naik_exactsum *sum, naik_exactsum *part)
{
    naik_exactsum_normalise(part);
    for (int i = 0; i < NAIK_EXACTSUM_WORDS; i++) {
#pragma omp atomic
        sum->word[i] += part->word[i];
    }
}

double naik_exactsum_value(const naik_exactsum *sum)
{
    if (sum->word[NAIK_EXACTSUM_DIGITS] != 0) {
        return NAN;
    }
    naik_exactsum s = *sum;
    naik_exactsum_normalise(&s);
    int negative = s.word[NAIK_EXACTSUM_DIGITS - 1] < 0;
    if (negative) {
        for (int i = 0; i < NAIK_EXACTSUM_DIGITS; i++) {
            s.word[i] = -s.word[i];
        }
        naik_exactsum_normalise(&s);
    }
    int top = NAIK_EXACTSUM_DIGITS - 1;
    while (top >= 0 && s.word[top] == 0) {
        top--;
    }
    if (top < 0) {
        return 0.0;
    }
    /* Leading digits in 64 bits with the top bit set, everything below as one sticky bit. */
    uint64_t leading = (uint64_t)s.word[top];
    int exponent = DIGIT_BITS * top + LOWEST_EXPONENT; /* weight of bit 0 of `leading` */
    int i = top - 1;
    uint64_t sticky = 0;
    while (leading >> 63 == 0 && exponent > LOWEST_EXPONENT) {
        uint64_t digit = i >= 0 ? (uint64_t)s.word[i] : 0;
        int room = __builtin_clzll(leading);
        if (room >= DIGIT_BITS) {
            leading = leading << DIGIT_BITS | digit;
            exponent -= DIGIT_BITS;
            i--;
        } else {
            leading = leading << room | digit >> (DIGIT_BITS - room);
            exponent -= room;
            sticky |= digit << (64 - DIGIT_BITS + room);
            i--;
            break;
        }
    }
    for (; i >= 0; i--) {
        sticky |= (uint64_t)s.word[i];
    }
    if (leading >> 63 == 0) { /* few bits in all: exact */
        return ldexp(negative ? -(double)leading : (double)leading, exponent);
    }
    /* Round to the precision the result has: 53 bits, fewer when it is subnormal. */
    int drop = 11;
    if (exponent + drop < -1074) {
        drop = -1074 - exponent;
    }
    if (drop > 64) {
        return negative ? -0.0 : 0.0;
    }
    uint64_t kept = drop == 64 ? 0 : leading >> drop;
    uint64_t rest = drop == 64 ? leading : leading << (64 - drop);
    uint64_t half = UINT64_C(1) << 63;
    if (rest > half || (rest == half && (sticky != 0 || (kept & 1)))) {
        kept++;
    }
    double value = ldexp((double)kept, exponent + drop);
    return negative ? -value : value;
}
