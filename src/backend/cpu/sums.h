/* sums.h - exact sums (exactsum.h), a vector of terms at a time
 *
 * A term is cut into three pieces that are whole multiples of 2^e, 2^(e-40) and 2^(e-80), by adding
 * and subtracting a large number; the pieces of many terms add up in doubles without rounding. What
 * is left of a term, and terms too large for the window, go into the long accumulator one by one.
 * So the sum is exact, whatever the window: it only decides the speed. The window follows the
 * largest term seen.
 */
#ifndef NAIK_BACKEND_CPU_SUMS_H
#define NAIK_BACKEND_CPU_SUMS_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/exactsum.h"

enum { SUMS_LANES = 16, SUMS_PIECES = 3, SUMS_BITS = 40, SUMS_FULL = 4096 };

struct cpu_sums {
    double piece[SUMS_PIECES][SUMS_LANES]; /* each below 2^52 times its unit */
    double magic[SUMS_PIECES];             /* 1.5 2^52 times the unit of the piece */
    double limit;                          /* terms below it fit the window; 0: no window yet */
    int count;                             /* vectors added since the pieces were emptied */
    naik_exactsum sum;
};

static inline void cpu_sums_begin(struct cpu_sums *s)
{
    memset(s, 0, sizeof *s);
}

/* Moves what the pieces hold into the long accumulator. */
static inline void cpu_sums_flush(struct cpu_sums *s)
{
    for (int p = 0; p < SUMS_PIECES && s->count > 0; p++) {
        for (int k = 0; k < SUMS_LANES; k++) {
            naik_exactsum_add(&s->sum, s->piece[p][k]);
            s->piece[p][k] = 0;
        }
    }
    s->count = 0;
}

/* A window that holds terms up to 2^8 `largest`; none where that is at the ends of the exponents.
 */
static inline void cpu_sums_open(struct cpu_sums *s, double largest)
{
    int exponent;
    cpu_sums_flush(s);
    frexp(largest, &exponent);
    exponent += 8;
    bool possible = largest > 0 && largest < 1e250 && largest > 1e-200;
    s->limit = possible ? ldexp(1.0, exponent) : 0;
    for (int p = 0; p < SUMS_PIECES && possible; p++) {
        s->magic[p] = ldexp(1.5, exponent - SUMS_BITS * (p + 1) + 52);
    }
}

/* Terms that the window does not hold: a new window where that helps, and the long way. */
static inline void cpu_sums_add_slowly(struct cpu_sums *s, const double *term, int lanes)
{
    double largest = 0;
    for (int k = 0; k < lanes; k++) {
        largest = fabs(term[k]) > largest ? fabs(term[k]) : largest; /* NaN never */
        naik_exactsum_add(&s->sum, term[k]);
    }
    if (largest >= s->limit) {
        cpu_sums_open(s, largest);
    }
}

static inline void cpu_sums_end(struct cpu_sums *s, naik_exactsum *total)
{
    cpu_sums_flush(s);
    naik_exactsum_normalise(&s->sum);
    naik_exactsum_merge(total, &s->sum);
}

#endif
