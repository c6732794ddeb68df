/* test_low_modes.c - what is decided about low modes: when a search is written
 *
 * ranks: 1
 */
#include "check.h"
#include "model/deflation.h"
#include "quark/low_modes.h"

static void a_search_is_written_after_a_minute(check *t)
{
    const double brief_s = 0.5;
    CHECK_TRUE(t, !low_modes_save_is_due(0, 0));
    CHECK_TRUE(t, !low_modes_save_is_due(59, brief_s));
    CHECK_TRUE(t, low_modes_save_is_due(61, 0));
    CHECK_TRUE(t, low_modes_save_is_due(61, brief_s));
}

static void writing_a_search_takes_a_twentieth_of_its_time_at_most(check *t)
{
    for (double save_s = 4; save_s < 2000; save_s *= 3) {
        CHECK_TRUE(t, !low_modes_save_is_due(19 * save_s, save_s));
        CHECK_TRUE(t, low_modes_save_is_due(21 * save_s, save_s));
    }
}

/* tests/results/h200.txt, 32^4 at beta 5.7: 200 modes, lambda_200 = 0.00846, 181454 applications */
static void the_rule_meets_what_was_measured(check *t)
{
    const int size[NAIK_DIM] = {32, 32, 32, 32};
    const double density = model_mode_density(size), lambda = 200 / density;
    CHECK_NEAR(t, lambda / 0.00846, 1, 0.05);
    CHECK_NEAR(t, model_search_iterations(density, 200) / 181454, 1, 0.25);
    const double mass[] = {0.001, 0.005}, with[] = {2338, 2052};
    for (int i = 0; i < 2; i++) {
        const model_iterations plain = model_iterations_of(mass[i], 1e-10, 1 << 20, 16);
        const model_iterations now =
            model_iterations_deflated(plain, mass[i], lambda, 1e-10, 1 << 20, 16);
        CHECK_NEAR(t, now.expected / with[i], 1, 0.3);
        CHECK_NEAR(t, model_iterations_above(mass[i], 1e-10, lambda), now.expected, 1e-6);
        CHECK_TRUE(t, now.least <= now.expected && now.expected <= now.most);
    }
}

static void modes_never_cost_a_heavy_quark_iterations(check *t)
{
    const model_iterations plain = model_iterations_of(0.5, 1e-10, 1 << 20, 16);
    const model_iterations none = model_iterations_deflated(plain, 0.5, 0, 1e-10, 1 << 20, 16);
    CHECK_TRUE(t, none.expected == plain.expected && none.most == plain.most);
    CHECK_TRUE(t, model_search_iterations(1000, 0) == 0);
    CHECK_TRUE(t, model_deflating_iterations(0, 16, 1e-10, 1e-4) == 0);
    CHECK_NEAR(t, model_deflating_iterations(100, 16, 1e-10, 1e-4),
               0.5 * model_deflating_iterations(100, 32, 1e-10, 1e-4), 1e-12);
}

CHECK_MAIN(CHECK(the_rule_meets_what_was_measured),
           CHECK(modes_never_cost_a_heavy_quark_iterations),
           CHECK(a_search_is_written_after_a_minute),
           CHECK(writing_a_search_takes_a_twentieth_of_its_time_at_most))
