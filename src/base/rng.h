/* rng.h - random numbers that depend on nothing but seed, stream and global site
 *
 * Philox-4x32-10 (J. Salmon et al., SC'11): counter-based, so that every process grid, thread count
 * and backend draws the same numbers. Key = seed; counter = (site low, site high, stream, block).
 */
#ifndef NAIK_BASE_RNG_H
#define NAIK_BASE_RNG_H

#include <stdint.h>

typedef struct naik_rng {
    uint32_t key[2], counter[4];
    uint32_t word[4]; /* the current block */
    int used;         /* words of it already given */
} naik_rng;

/* The sequence of this (seed, stream, site); at most 2^34 words. */
naik_rng naik_rng_at(uint64_t seed, uint32_t stream, uint64_t site);

uint32_t naik_rng_u32(naik_rng *rng);
double naik_rng_uniform(naik_rng *rng);  /* in (0, 1): odd multiples of 2^-53 */
double naik_rng_gaussian(naik_rng *rng); /* mean 0, variance 1 */

/* One Philox-4x32-10 block, for tests against the published vectors. */
void naik_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

#endif
