/* test_exactsum.c - sums are exact, rounded once, and the same in any order and on any ranks */
#include <float.h>
#include <math.h>

#include "base/exactsum.h"
#include "check.h"
#include "comm/collective.h"

static double sum_of(const double *terms, int count)
{
    naik_exactsum sum;
    naik_exactsum_clear(&sum);
    for (int i = 0; i < count; i++) {
        naik_exactsum_add(&sum, terms[i]);
    }
    return naik_exactsum_value(&sum);
}

/* A small linear congruential generator: values of all magnitudes and both signs. */
static double next_term(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    double mantissa = (double)(int64_t)(*state) * 0x1p-63;
    return ldexp(mantissa, (int)(*state >> 56) % 120 - 60);
}

static void single_terms_come_back_unchanged(check *t)
{
    const double terms[] = {0.0,
                            1.0,
                            -1.0,
                            DBL_MAX,
                            -DBL_MAX,
                            DBL_MIN,
                            DBL_TRUE_MIN,
                            -DBL_TRUE_MIN,
                            1.0 / 3.0,
                            -3e-310,
                            0x1.fffffffffffffp-1022,
                            1e300,
                            -7e-200};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        CHECK_TRUE(t, sum_of(&terms[i], 1) == terms[i]);
    }
}

static void cancellation_is_exact(check *t)
{
    const double terms[] = {1e300, 1.0, -1e300, 1e-300, -1.0};
    CHECK_TRUE(t, sum_of(terms, 5) == 1e-300);
    const double opposite[] = {0.1, -0.1};
    CHECK_TRUE(t, sum_of(opposite, 2) == 0.0);
}

static void ties_round_to_even(check *t)
{
    const double down[] = {1.0, 0x1p-53}, up[] = {1.0 + 0x1p-52, 0x1p-53};
    const double above[] = {1.0, 0x1p-53, 0x1p-1000}, below[] = {1.0, 0x1p-53, -0x1p-1000};
    CHECK_TRUE(t, sum_of(down, 2) == 1.0);
    CHECK_TRUE(t, sum_of(up, 2) == 1.0 + 0x1p-51);
    CHECK_TRUE(t, sum_of(above, 3) == 1.0 + 0x1p-52);
    CHECK_TRUE(t, sum_of(below, 3) == 1.0);
    const double negative[] = {-1.0, -0x1p-53, -0x1p-1000};
    CHECK_TRUE(t, sum_of(negative, 3) == -1.0 - 0x1p-52);
}

static void overflow_and_nan_are_seen(check *t)
{
    const double large[] = {DBL_MAX, DBL_MAX}, bad[] = {1.0, NAN},
                 infinite[] = {INFINITY, -INFINITY};
    CHECK_TRUE(t, isinf(sum_of(large, 2)));
    CHECK_TRUE(t, isnan(sum_of(bad, 2)));
    CHECK_TRUE(t, isnan(sum_of(infinite, 2)));
}

static void matches_long_double_on_small_sums(check *t)
{
    uint64_t state = 1;
    for (int i = 0; i < 1000; i++) {
        double a = ldexp(next_term(&state), -60), b = a * 0.37 + 1e-3;
        long double exact = (long double)a + (long double)b; /* exact in 64 bits for these */
        const double terms[] = {a, b};
        CHECK_TRUE(t, fabs((double)(exact - (long double)sum_of(terms, 2))) <=
                          0x1p-53 * fabs((double)exact));
        CHECK_TRUE(t, sum_of(terms, 2) == a + b);
    }
}

static void order_ranks_and_grouping_do_not_matter(check *t)
{
    enum { COUNT = 4096 };
    naik_exactsum forward, backward, mine;
    naik_exactsum_clear(&forward);
    naik_exactsum_clear(&backward);
    naik_exactsum_clear(&mine);
    double terms[COUNT];
    uint64_t state = 7;
    for (int i = 0; i < COUNT; i++) {
        terms[i] = next_term(&state);
    }
    for (int i = 0; i < COUNT; i++) {
        naik_exactsum_add(&forward, terms[i]);
        naik_exactsum_add(&backward, terms[COUNT - 1 - i]);
        if (i % 97 == 0) {
            naik_exactsum_normalise(&backward);
        }
        if (i * 7 % t->comm->size == t->comm->rank) {
            naik_exactsum_add(&mine, terms[i]);
        }
    }
    CHECK_OK(t, naik_comm_sum_exact(t->comm, &mine, 1));
    double value = naik_exactsum_value(&forward);
    CHECK_TRUE(t, value == naik_exactsum_value(&backward));
    CHECK_TRUE(t, value == naik_exactsum_value(&mine));
    CHECK_TRUE(t, value != 0.0);
}

CHECK_MAIN(CHECK(single_terms_come_back_unchanged), CHECK(cancellation_is_exact),
           CHECK(ties_round_to_even), CHECK(overflow_and_nan_are_seen),
           CHECK(matches_long_double_on_small_sums), CHECK(order_ranks_and_grouping_do_not_matter))
