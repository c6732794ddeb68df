/* reals.c - real numbers of a file, of either size and byte order, to doubles and back */
#include <string.h>

#include "io/sites.h"

static bool host_is_big(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

static uint32_t swap32(uint32_t w)
{
    return (w >> 24) | ((w >> 8) & 0xff00u) | ((w << 8) & 0xff0000u) | (w << 24);
}

static uint64_t swap64(uint64_t w)
{
    return ((uint64_t)swap32((uint32_t)w) << 32) | swap32((uint32_t)(w >> 32));
}

void naik_reals_decode(const unsigned char *bytes, int64_t count, int bits, bool big_endian,
                       double *out)
{
    bool swap = big_endian != host_is_big();
    if (bits == 32) {
        for (int64_t i = 0; i < count; i++) {
            uint32_t w;
            float value;
            memcpy(&w, bytes + 4 * i, 4);
            w = swap ? swap32(w) : w;
            memcpy(&value, &w, 4);
            out[i] = value;
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            uint64_t w;
            memcpy(&w, bytes + 8 * i, 8);
            w = swap ? swap64(w) : w;
            memcpy(&out[i], &w, 8);
        }
    }
}

void naik_reals_encode(const double *in, int64_t count, int bits, bool big_endian,
                       unsigned char *bytes)
{
    bool swap = big_endian != host_is_big();
    if (bits == 32) {
        for (int64_t i = 0; i < count; i++) {
            float value = (float)in[i];
            uint32_t w;
            memcpy(&w, &value, 4);
            w = swap ? swap32(w) : w;
            memcpy(bytes + 4 * i, &w, 4);
        }
    } else {
        for (int64_t i = 0; i < count; i++) {
            uint64_t w;
            memcpy(&w, &in[i], 8);
            w = swap ? swap64(w) : w;
            memcpy(bytes + 8 * i, &w, 8);
        }
    }
}
