/* test_levels.c - what BiCGStab decides of its levels from numbers alone: when an rhs asks for its true
 * residual, begins anew and climbs
 *
 * ranks: 1
 */
#include <string.h>

#include "check.h"
#include "solver/bicgstab_parts.h"

/* One rhs in mid solve at a level, with all rungs there; 80 iterations ago |r|^2 was 1. */
static batch_slot *wanderer(naik_solver *s, bg_level level, bool mixed)
{
    static const naik_operator op = {.precision = NAIK_DOUBLE};
    memset(s, 0, sizeof *s);
    for (int i = 0; i < NAIK_RUNGS; i++) {
        s->op[i] = &op;
    }
    s->record[0] = (naik_rhs){.rr = 1, .iterations = 100};
    s->kind = &naik_solver_bicgstab;
    s->vectors = mixed ? NAIK_SINGLE : NAIK_DOUBLE;
    s->slot[0].state =
        (naik_solver_state){.level = (int32_t)level, .started = 1, .best_rr = 1, .best_at = 20};
    return &s->slot[0];
}

/* Below double it may take as long as it took until now, between 160 and 400 iterations. */
static void a_level_is_given_its_iterations(check *t)
{
    static const struct {
        bg_level level;
        bool mixed;
        int best_at, within; /* 0: as long as it takes */
    } rows[] = {{BG_FAST, true, 0, 160},          {BG_FAST, true, 160, 160},
                {BG_FAST, true, 161, 161},        {BG_FAST, true, 400, 400},
                {BG_FAST, true, 401, 400},        {BG_FAST, true, 5000, 400},
                {BG_FAST, false, 0, 1000},        {BG_DOUBLE, true, 5000, 1000},
                {BG_NORMAL, true, 0, 1000},       {BG_NORMAL_DOUBLE, true, 0, 0},
                {BG_NORMAL_DOUBLE, false, 40, 0}, {BG_MULTIGRID, true, 500, 32}};
    static naik_solver s;
    naik_solver_options options = naik_solver_defaults();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wanderer(&s, rows[i].level, rows[i].mixed)->state.best_at = rows[i].best_at;
        const int end = rows[i].best_at + rows[i].within;
        options.max_iterations = 20000;
        CHECK_INT(t, bg_limit(&s, &options, 0), rows[i].within > 0 ? end : 20000);
        options.max_iterations = end - 1;
        CHECK_INT(t, bg_limit(&s, &options, 0), end - 1);
    }
}

/* What a true |r|^2 = rr after 100 iterations says, of an rhs that was at 1 before. */
static void new_beginnings_and_stalls_are_counted_in_a_row(check *t)
{
    static const struct {
        bg_level level;
        int started, broke, beginnings, stalls, best_at;
        double rr, iterated;
        bool anew;
        int counted, stalled, best; /* what is left in the state */
    } rows[] = {{BG_FAST, 1, 0, 2, 2, 20, 0.25, 0.25, false, 0, 0, 100}, /* |r| was halved */
                {BG_FAST, 1, 0, 2, 1, 20, 0.26, 0.26, false, 2, 2, 20},
                {BG_FAST, 0, 0, 2, 2, 20, 1, 1, true, 2, 0, 100},
                {BG_FAST, 1, 1, 2, 1, 20, 1, 1, true, 3, 2, 20},
                {BG_FAST, 1, 1, 2, 1, 20, 0.2, 0.2, true, 1, 0, 100},
                {BG_FAST, 1, 0, 0, 0, -60, 1, 1, true, 1, 1, 100}, /* 160 iterations: slow */
                {BG_FAST, 1, 0, 0, 0, -59, 1, 1, false, 0, 1, -59},
                {BG_FAST, 1, 0, 0, 0, 20, 1.24, 1, true, 1, 1, 20}, /* apart by a tenth */
                {BG_FAST, 1, 0, 0, 0, 20, 1.23, 1, false, 0, 1, 20},
                {BG_NORMAL, 1, 0, 0, 0, 20, 4, 1, false, 0, 1, 20},
                {BG_NORMAL_DOUBLE, 1, 0, 0, 0, -5000, 4, 1, false, 0, 1, -5000},
                {BG_MULTIGRID, 1, 0, 0, 0, 69, 4, 1, false, 0, 1, 69},
                {BG_MULTIGRID, 1, 0, 0, 0, 68, 1, 1, true, 1, 1, 100}};
    static naik_solver s;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        batch_slot *slot = wanderer(&s, rows[i].level, true);
        naik_solver_state *at = &slot->state;
        at->started = rows[i].started;
        at->beginnings = rows[i].beginnings;
        at->stalls = rows[i].stalls;
        at->best_at = rows[i].best_at;
        slot->broke = rows[i].broke != 0;
        s.record[0].rr = rows[i].iterated;
        CHECK_INT(t, bg_begins(&s, slot, &s.record[0], rows[i].rr), rows[i].anew);
        CHECK_INT(t, at->beginnings, rows[i].counted);
        CHECK_INT(t, at->stalls, rows[i].stalled);
        CHECK_INT(t, at->best_at, rows[i].best);
        CHECK_NEAR(t, at->best_rr, rows[i].rr <= 0.25 ? rows[i].rr : 1, 0);
    }
}

static void a_level_is_left_at_every_limit(check *t)
{
    static const struct {
        bg_level level;
        bool mixed, broke, slow, apart;
        int beginnings, stalls;
        naik_solver_climb climb;
        bg_level to;
        bool given_up, kept;
    } rows[] = {
        {BG_FAST, true, false, false, false, 3, 2, NAIK_SOLVER_NO_CLIMB, BG_FAST, false, false},
        {BG_FAST, true, false, false, false, 4, 2, NAIK_SOLVER_CLIMB_STRAYED, BG_DOUBLE, false,
         false},
        {BG_FAST, true, false, false, false, 0, 3, NAIK_SOLVER_CLIMB_EMPTY, BG_DOUBLE, false,
         false},
        {BG_FAST, true, true, false, false, 4, 0, NAIK_SOLVER_CLIMB_BROKEN, BG_DOUBLE, false,
         false},
        {BG_FAST, true, false, true, false, 0, 0, NAIK_SOLVER_CLIMB_SLOW, BG_DOUBLE, false, true},
        {BG_FAST, true, false, true, true, 0, 0, NAIK_SOLVER_CLIMB_SLOW, BG_DOUBLE, false, false},
        {BG_FAST, true, true, true, false, 0, 0, NAIK_SOLVER_CLIMB_BROKEN, BG_DOUBLE, false, false},
        {BG_FAST, false, false, true, false, 3, 0, NAIK_SOLVER_NO_CLIMB, BG_FAST, false, false},
        {BG_FAST, false, false, false, false, 4, 0, NAIK_SOLVER_CLIMB_STRAYED, BG_NORMAL_DOUBLE,
         false, false},
        {BG_DOUBLE, true, false, true, false, 3, 0, NAIK_SOLVER_NO_CLIMB, BG_DOUBLE, false, false},
        {BG_DOUBLE, true, false, true, false, 4, 0, NAIK_SOLVER_CLIMB_STRAYED, BG_NORMAL_DOUBLE,
         false, false},
        {BG_NORMAL, true, false, true, false, 0, 0, NAIK_SOLVER_CLIMB_SLOW, BG_NORMAL_DOUBLE, false,
         false},
        {BG_MULTIGRID, true, false, true, false, 0, 0, NAIK_SOLVER_CLIMB_SLOW, BG_DOUBLE, false,
         false},
        {BG_NORMAL_DOUBLE, true, false, false, false, 0, 3, NAIK_SOLVER_NO_CLIMB, BG_NORMAL_DOUBLE,
         true, false}};
    static naik_solver s;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        batch_slot *slot = wanderer(&s, rows[i].level, rows[i].mixed);
        const bool climbs = rows[i].climb != NAIK_SOLVER_NO_CLIMB;
        bool given_up = true, kept = true;
        slot->broke = rows[i].broke;
        slot->slow = rows[i].slow;
        slot->apart = rows[i].apart;
        slot->state.beginnings = rows[i].beginnings;
        slot->state.stalls = rows[i].stalls;
        CHECK_INT(t, bg_climbs(&s, 0, &given_up, &kept), climbs || rows[i].given_up);
        CHECK_INT(t, given_up, rows[i].given_up);
        CHECK_INT(t, kept, rows[i].kept);
        CHECK_INT(t, slot->state.climb, rows[i].climb);
        CHECK_INT(t, slot->state.level, rows[i].to);
        CHECK_INT(t, slot->state.climbed_at, climbs ? 100 : 0);
        CHECK_INT(t, slot->state.started, !climbs || rows[i].kept);
        CHECK_TRUE(t, !climbs || (slot->state.beginnings == 0 && slot->state.stalls == 0));
    }
}

CHECK_MAIN(CHECK(a_level_is_given_its_iterations),
           CHECK(new_beginnings_and_stalls_are_counted_in_a_row),
           CHECK(a_level_is_left_at_every_limit))
