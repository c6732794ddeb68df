/* finite.c - by the bits of the exponent, so that no option of a compiler does away with it */
#include "io/finite.h"

#include <string.h>

bool naik_reals_are_finite(const void *reals, int64_t count, int bits)
{
    const unsigned char *bytes = reals;
    int64_t odd = 0;
#pragma omp parallel for schedule(static) reduction(+ : odd)
    for (int64_t i = 0; i < count; i++) {
        if (bits == 32) {
            uint32_t word;
            memcpy(&word, bytes + 4 * i, 4);
            odd += (word & 0x7f800000u) == 0x7f800000u;
        } else {
            uint64_t word;
            memcpy(&word, bytes + 8 * i, 8);
            odd += (word & 0x7ff0000000000000u) == 0x7ff0000000000000u;
        }
    }
    return odd == 0;
}

bool naik_values_are_finite(const double *values, int64_t count, int bits)
{
    int64_t odd = 0;
    if (bits == 64) {
        return naik_reals_are_finite(values, count, 64);
    }
#pragma omp parallel for schedule(static) reduction(+ : odd)
    for (int64_t i = 0; i < count; i++) {
        const float rounded = (float)values[i];
        uint32_t word;
        memcpy(&word, &rounded, 4);
        odd += (word & 0x7f800000u) == 0x7f800000u;
    }
    return odd == 0;
}

naik_status naik_refuse_not_finite(naik_log *log, const double *values, int64_t count, int bits,
                                   const char *what)
{
    return naik_values_are_finite(values, count, bits)
               ? NAIK_OK
               : NAIK_FAIL(
                     log, NAIK_ERR_INPUT,
                     "%s is not finite in %d bits, so it is not stored: a source, a smearing or "
                     "a mass of the input is beyond such numbers",
                     what, bits);
}
