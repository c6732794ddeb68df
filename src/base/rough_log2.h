/* rough_log2.h - a logarithm that all ranks agree on, whatever processors they have */
#ifndef NAIK_BASE_ROUGH_LOG2_H
#define NAIK_BASE_ROUGH_LOG2_H

#include <math.h>

/* The logarithm to base 2, roughly, but to the same bits on every processor. */
static inline double naik_rough_log2(double x)
{
    int exponent = 0;
    const double mantissa = frexp(x, &exponent);
    return exponent + 2 * mantissa - 2;
}

#endif
