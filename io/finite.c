/* finite.c - by the bits of the exponent, so that no option of a compiler does away with it */
#include "io/finite.h"

#include <string.h>

#include "base/memory.h"

static inline bool single_is_odd(const void *real)
{
    uint32_t word;
    memcpy(&word, real, 4);
    return (word & 0x7f800000u) == 0x7f800000u;
}

static inline bool double_is_odd(const void *real)
{
    uint64_t word;
    memcpy(&word, real, 8);
    return (word & 0x7ff0000000000000u) == 0x7ff0000000000000u;
}

bool naik_singles_are_finite(const float *reals, int64_t count)
{
    int64_t odd = 0;
#pragma omp simd reduction(+ : odd)
    for (int64_t i = 0; i < count; i++) {
        odd += single_is_odd(&reals[i]);
    }
    return odd == 0;
}

bool naik_piece_is_finite(const void *reals, int64_t count, int bits)
{
    const double *doubles = reals;
    int64_t odd = 0;
    if (bits == 16) {
        return true;
    }
    if (bits == 32) {
        return naik_singles_are_finite(reals, count);
    }
#pragma omp simd reduction(+ : odd)
    for (int64_t i = 0; i < count; i++) {
        odd += double_is_odd(&doubles[i]);
    }
    return odd == 0;
}

bool naik_reals_are_finite(const void *reals, int64_t count, int bits)
{
    const unsigned char *bytes = reals;
    const bool large = count * bits / 8 > NAIK_SMALL_BYTES;
    int64_t odd = 0;
    if (bits == 16) {
        return true;
    }
#pragma omp parallel for schedule(static) reduction(+ : odd) if (large)
    for (int64_t i = 0; i < count; i++) {
        odd += bits == 32 ? single_is_odd(bytes + 4 * i) : double_is_odd(bytes + 8 * i);
    }
    return odd == 0;
}

bool naik_values_are_finite(const double *values, int64_t count, int bits)
{
    const bool large = count * (int64_t)sizeof *values > NAIK_SMALL_BYTES;
    int64_t odd = 0;
    if (bits == 64) {
        return naik_reals_are_finite(values, count, 64);
    }
#pragma omp parallel for schedule(static) reduction(+ : odd) if (large)
    for (int64_t i = 0; i < count; i++) {
        const float rounded = (float)values[i];
        odd += single_is_odd(&rounded);
    }
    return odd == 0;
}

static naik_status refusal(naik_log *log, bool finite, int bits, const char *what)
{
    return finite ? NAIK_OK
                  : NAIK_FAIL(log, NAIK_ERR_INPUT,
                              "%s is not finite in %d bits, so it is not stored: a source, a "
                              "smearing or a mass of the input is beyond such numbers",
                              what, bits);
}

naik_status naik_refuse_packed_not_finite(naik_log *log, const void *reals, int64_t count, int bits,
                                          const char *what)
{
    return refusal(log, naik_reals_are_finite(reals, count, bits), bits, what);
}

naik_status naik_refuse_not_finite(naik_log *log, const double *values, int64_t count, int bits,
                                   const char *what)
{
    return refusal(log, naik_values_are_finite(values, count, bits), bits, what);
}
