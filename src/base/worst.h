/* worst.h - the larger of two deviations
 *
 * fmax() takes the number where the other is none; a deviation that is no number is the worst.
 */
#ifndef NAIK_BASE_WORST_H
#define NAIK_BASE_WORST_H

#include <math.h>

/* NaN where either is one. */
static inline double naik_worst(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

#endif
