/* rng.c - Philox-4x32-10, ten rounds of two 32 x 32 -> 64 bit products
 *
 * J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
 * A counter-based generator has no state to hand from site to site: the n-th number of a site is a
 * function of (seed, stream, site, n), whoever computes it.
 */
#include "base/rng.h"

#include <math.h>

enum { ROUNDS = 10 };

void naik_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t p0 = (uint64_t)UINT32_C(0xd2511f53) * c0;
        uint64_t p1 = (uint64_t)UINT32_C(0xcd9e8d57) * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += UINT32_C(0x9e3779b9); /* the golden ratio */
        k1 += UINT32_C(0xbb67ae85); /* sqrt(3) - 1 */
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

naik_rng naik_rng_at(uint64_t seed, uint32_t stream, uint64_t site)
{
    return (naik_rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                      .counter = {(uint32_t)site, (uint32_t)(site >> 32), stream, 0},
                      .used = 4};
}

uint32_t naik_rng_u32(naik_rng *rng)
{
    if (rng->used == 4) {
        naik_philox(rng->key, rng->counter, rng->word);
        rng->counter[3]++;
        rng->used = 0;
    }
    return rng->word[rng->used++];
}

double naik_rng_uniform(naik_rng *rng)
{
    uint64_t high = naik_rng_u32(rng);
    uint64_t low = naik_rng_u32(rng);
    /* 52 random bits and a last bit that is always set: odd multiples of 2^-53, all of them exact,
     * symmetric about 1/2, neither 0 nor 1. */
    uint64_t odd = (high << 32 | low) >> 11 | 1;
    return (double)odd * 0x1p-53;
}

double naik_rng_gaussian(naik_rng *rng)
{
    const double two_pi = 6.283185307179586476925286766559;
    /* G. Box, M. Muller: the sine's twin is dropped, so that a sequence holds no hidden state. */
    double radius = sqrt(-2 * log(naik_rng_uniform(rng)));
    return radius * cos(two_pi * naik_rng_uniform(rng));
}
