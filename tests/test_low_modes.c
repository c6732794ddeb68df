/* test_low_modes.c - what is decided about low modes: when a search is written
 */
#include "check.h"
#include "run/low_modes.h"

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

CHECK_MAIN(CHECK(a_search_is_written_after_a_minute),
           CHECK(writing_a_search_takes_a_twentieth_of_its_time_at_most))
