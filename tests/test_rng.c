/* test_rng.c - the published vectors, and that the numbers are what their names say
 *
 * ranks: 1
 */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "check.h"

static void philox_gives_the_published_vectors(check *t)
{
    /* Known-answer vectors of the Random123 distribution: counter, key, result. */
    static const uint32_t known[3][10] = {
        {0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x408f276d,
         0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
        {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0, 0xd16cfe09,
         0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int i = 0; i < 3; i++) {
        uint32_t out[4];
        naik_philox(known[i] + 4, known[i], out);
        for (int w = 0; w < 4; w++) {
            CHECK_INT(t, out[w], known[i][6 + w]);
        }
    }
}

static void sequences_are_keyed_by_seed_stream_and_site(check *t)
{
    const uint64_t seed = UINT64_C(0x123456789abcdef0), site = UINT64_C(0xfedcba9876543210);
    naik_rng rng = naik_rng_at(seed, 7, site);
    for (uint32_t block = 0; block < 3; block++) {
        const uint32_t key[2] = {0x9abcdef0, 0x12345678};
        const uint32_t counter[4] = {0x76543210, 0xfedcba98, 7, block};
        uint32_t expected[4];
        naik_philox(key, counter, expected);
        for (int w = 0; w < 4; w++) {
            CHECK_INT(t, naik_rng_u32(&rng), expected[w]);
        }
    }
    naik_rng first = naik_rng_at(1, 2, 3),
             other[3] = {naik_rng_at(2, 2, 3), naik_rng_at(1, 3, 3), naik_rng_at(1, 2, 4)};
    uint32_t word = naik_rng_u32(&first);
    for (int i = 0; i < 3; i++) {
        CHECK_TRUE(t, naik_rng_u32(&other[i]) != word);
    }
}

enum { SITES = 4096, DRAWS = 32, BINS = 64 };

static void uniform_numbers_are_uniform(check *t)
{
    const double n = (double)SITES * DRAWS;
    double mean = 0, neighbours = 0;
    int bin[BINS] = {0};
    for (int site = 0; site < SITES; site++) {
        naik_rng rng = naik_rng_at(11, 0, (uint64_t)site), next = naik_rng_at(11, 0, site + 1u);
        for (int i = 0; i < DRAWS; i++) {
            double u = naik_rng_uniform(&rng);
            CHECK_REQUIRE(t, u > 0 && u < 1);
            mean += u / n;
            neighbours += (u - 0.5) * (naik_rng_uniform(&next) - 0.5) / n;
            bin[(int)(u * BINS)]++;
        }
    }
    double chi2 = 0;
    for (int i = 0; i < BINS; i++) {
        chi2 += (bin[i] - n / BINS) * (bin[i] - n / BINS) / (n / BINS);
    }
    /* Four standard deviations each, of numbers that the fixed seed makes the same for ever. */
    CHECK_NEAR(t, mean, 0.5, 4 * sqrt(1 / 12.0 / n));
    CHECK_NEAR(t, neighbours, 0, 4 / 12.0 / sqrt(n));
    CHECK_NEAR(t, chi2, BINS - 1, 4 * sqrt(2.0 * (BINS - 1)));
}

static void uniform_numbers_never_reach_zero_or_one(check *t)
{
    naik_rng rng = {.word = {0, 0, 0xffffffff, 0xffffffff}, .used = 0};
    CHECK_TRUE(t, naik_rng_uniform(&rng) == 0x1p-53);
    CHECK_TRUE(t, naik_rng_uniform(&rng) == 1 - 0x1p-53);
}

static void gaussian_numbers_have_the_moments_of_a_gaussian(check *t)
{
    const double n = (double)SITES * DRAWS;
    static const double expected[6] = {0, 1, 0, 3, 0, 15}, variance[6] = {1, 2, 15, 96, 945, 10170};
    double moment[6] = {0};
    for (int site = 0; site < SITES; site++) {
        naik_rng rng = naik_rng_at(5, 9, (uint64_t)site);
        for (int i = 0; i < DRAWS; i++) {
            double g = naik_rng_gaussian(&rng), power = 1;
            for (int k = 0; k < 6; k++) {
                power *= g;
                moment[k] += power / n;
            }
        }
    }
    for (int k = 0; k < 6; k++) {
        CHECK_NEAR(t, moment[k], expected[k], 4 * sqrt(variance[k] / n));
    }
}

CHECK_MAIN(CHECK(philox_gives_the_published_vectors),
           CHECK(sequences_are_keyed_by_seed_stream_and_site), CHECK(uniform_numbers_are_uniform),
           CHECK(uniform_numbers_never_reach_zero_or_one),
           CHECK(gaussian_numbers_have_the_moments_of_a_gaussian))
