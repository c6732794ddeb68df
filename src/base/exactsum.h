/* exactsum.h - sums of doubles that do not depend on the order of their terms
 *
 *   A naik_exactsum holds an exact fixed-point number: sum_i word[i] 2^(32 i - 1088).
 *   Adding a double adds its mantissa to two or three words, without rounding; sums of sums add
 *   words. All of it is integer addition, so any order, any number of threads and any number of
 *   ranks give the same words, and naik_exactsum_value rounds once, to nearest even.
 *
 * The idea is U. Kulisch's long accumulator; see R. M. Neal, arXiv:1505.05571, for the
 * carry-save form with 32-bit chunks in 64-bit words.
 */
#ifndef NAIK_BASE_EXACTSUM_H
#define NAIK_BASE_EXACTSUM_H

#include <stdint.h>

enum {
    NAIK_EXACTSUM_DIGITS = 68,                      /* covers 2^-1088 .. 2^1088 */
    NAIK_EXACTSUM_WORDS = NAIK_EXACTSUM_DIGITS + 1, /* and the count of NaNs and infinities */
    NAIK_EXACTSUM_MAX_ADDS = 1 << 30                /* additions between two normalisations */
};

typedef struct naik_exactsum {
    int64_t word[NAIK_EXACTSUM_WORDS]; /* little-endian digits, then the non-finite count */
} naik_exactsum;

void naik_exactsum_clear(naik_exactsum *sum);

/* sum += term. At most NAIK_EXACTSUM_MAX_ADDS between normalisations. */
void naik_exactsum_add(naik_exactsum *sum, double term);

/* Carries digits so that all but the last lie in [0, 2^32): afterwards up to 2^30 normalised sums
 * may be added word by word (by naik_exactsum_merge or by MPI_SUM over int64). */
void naik_exactsum_normalise(naik_exactsum *sum);

/* sum += other, word by word; both normalised, or few enough terms in all. */
void naik_exactsum_merge(naik_exactsum *sum, const naik_exactsum *other);

/* sum += part, by many threads into one sum; normalises the part. */
void naik_exactsum_merge_shared(naik_exactsum *sum, naik_exactsum *part);

/* The sum rounded once to the nearest double (ties to even); NaN when any term was NaN or
 * infinite, infinity on overflow. */
double naik_exactsum_value(const naik_exactsum *sum);

#endif
