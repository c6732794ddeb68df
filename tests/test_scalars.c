/* test_scalars.c - the decisions that solvers make from numbers alone: when an rhs asks for its true
 * residual, breaks, ends, climbs and where it begins; what a kept state may be; the rules that foresee iterations and choose modes
 *
 * ranks: 1
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "backend/bicgstab_scalars.h"
#include "base/timer.h"
#include "check.h"
#include "input/input.h"
#include "model/deflation.h"
#include "modes/modes.h"
#include "plan/mode_count.h"
#include "plan/multishift_cost.h"
#include "run/job.h"
#include "solver/cg_parts.h"

/* ---- scalars of an rhs */

static naik_rhs running(void)
{
    return (naik_rhs){.state = NAIK_RHS_RUN,
                      .rr = 1,
                      .rr_max = 1,
                      .rr_last = 1,
                      .limit = 1000,
                      .iterations = NAIK_RENEW_EVERY,
                      .quantum_ratio = 1,
                      .sum_quantum = 1};
}

static void an_rhs_asks_for_its_true_residual_at_every_limit(check *t)
{
    naik_rhs c = running();
    CHECK_TRUE(t, !naik_rhs_needs_check(&c));
    c.stop = 1;
    CHECK_TRUE(t, naik_rhs_needs_check(&c)); /* reached exactly */
    c.stop = nextafter(1, 0);
    CHECK_TRUE(t, !naik_rhs_needs_check(&c));
    c = running();
    c.limit = c.iterations;
    CHECK_TRUE(t, naik_rhs_needs_check(&c));
    c.limit = c.iterations + 1;
    CHECK_TRUE(t, !naik_rhs_needs_check(&c));
    c = running();
    c.delta2 = 0.25;
    c.rr_max = 4;
    CHECK_TRUE(t, naik_rhs_needs_check(&c)); /* fell by as much as it may */
    c.rr_max = nextafter(4, 0);
    CHECK_TRUE(t, !naik_rhs_needs_check(&c));
    c.rr_max = 4;
    c.iterations++; /* only so often */
    CHECK_TRUE(t, !naik_rhs_needs_check(&c));
    c = running();
    c.stray2 = 0.5;
    c.xx = 2;
    CHECK_TRUE(t, naik_rhs_needs_check(&c)); /* what was added is that large */
    c.xx = nextafter(2, 0);
    CHECK_TRUE(t, !naik_rhs_needs_check(&c));
}

static void a_step_is_counted_once_and_breaks_where_there_is_no_number(check *t)
{
    naik_rhs c = running();
    naik_rhs_count_step(&c, 0.5, 0.1);
    CHECK_INT(t, c.iterations, NAIK_RENEW_EVERY); /* nothing was pending */
    c.pending = 1;
    c.alpha = 2;
    c.pp = 3;
    c.xp = 5;
    c.xx = 7;
    naik_rhs_count_step(&c, 0.5, 0.1);
    CHECK_INT(t, c.iterations, NAIK_RENEW_EVERY + 1);
    CHECK_NEAR(t, c.beta, 0.5, 0);
    CHECK_NEAR(t, c.xx, 7 + 2 * (2 * 5 + 2 * 3), 0);
    CHECK_NEAR(t, c.xp, 5 + 2 * 3, 0);
    CHECK_NEAR(t, c.sum_quantum, 0.5, 0);
    CHECK_INT(t, c.state, NAIK_RHS_RUN);
    c.pending = 1;
    naik_rhs_count_step(&c, 2, 0.1);
    CHECK_NEAR(t, c.rr_max, 2, 0);
    static const double bad[] = {NAN, INFINITY, 1e300};
    for (int i = 0; i < 3; i++) {
        c = running();
        c.pending = 1;
        naik_rhs_count_step(&c, bad[i], 0);
        CHECK_INT(t, c.state, NAIK_RHS_BROKEN);
    }
}

static void a_direction_without_curvature_is_dropped_or_breaks(check *t)
{
    naik_rhs c = running();
    c.beta = 1;
    c.rs = -2;
    c.pap = 0.5;
    c.delta2 = 1e-4;
    naik_rhs_next_step(&c, 1); /* 1 + (-4 + 0.5) < 0: the gradient alone */
    CHECK_TRUE(t, c.beta == 0 && c.pap == 1 && c.alpha == 1 && c.pending == 1);
    c = running();
    c.beta = 1;
    c.rs = -2;
    c.pap = 0.5;
    naik_rhs_next_step(&c, 1); /* in double there is no repair */
    CHECK_INT(t, c.state, NAIK_RHS_BROKEN);
    CHECK_TRUE(t, c.alpha == 0 && c.pending == 0);
    c = running();
    naik_rhs_next_step(&c, 0);
    CHECK_INT(t, c.state, NAIK_RHS_BROKEN);
    c = running();
    c.state = NAIK_RHS_CHECK;
    naik_rhs_next_step(&c, 1);
    CHECK_TRUE(t, c.alpha == 0 && c.pending == 0);
    c = running();
    c.classical = 1;
    c.shift = 0.5;
    c.beta = 2;
    c.pp = 3;
    naik_rhs_next_step(&c, 7);
    CHECK_NEAR(t, c.pp, 1 + 4 * 3, 0);
    CHECK_NEAR(t, c.pap, 0.5 * 13 + 7, 0);
    CHECK_NEAR(t, c.alpha, 1 / 13.5, 1e-16);
}

static void bicgstab_ends_at_its_limits_and_breaks_where_it_leads_nowhere(check *t)
{
    static const struct {
        double rr, stop, delta2;
        int left;
        int state;
    } rows[] = {{1, 0, 0, 2, NAIK_RHS_RUN},      {1, 0, 0, 1, NAIK_RHS_CHECK},
                {1, 1, 0, 2, NAIK_RHS_CHECK},    {1, 0.999, 0, 2, NAIK_RHS_RUN},
                {1, 0, 0.25, 2, NAIK_RHS_CHECK}, {1, 0, 0.2499, 2, NAIK_RHS_RUN},
                {NAN, 0, 0, 2, NAIK_RHS_BROKEN}, {1e300, 0, 0, 2, NAIK_RHS_BROKEN},
                {1e299, 0, 0, 2, NAIK_RHS_RUN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_rhs c = running();
        c.rr_max = 4;
        c.stop = rows[i].stop;
        c.delta2 = rows[i].delta2;
        c.limit = c.iterations + rows[i].left;
        naik_bicgstab_count(&c, rows[i].rr);
        CHECK_INT(t, c.state, rows[i].state);
        CHECK_INT(t, c.iterations, NAIK_RENEW_EVERY + 1);
    }
    /* rho and omega at 1e-15 of what they are measured by */
    for (int more = 0; more < 2; more++) {
        const double small = more ? 1.01e-15 : 0.99e-15;
        naik_rhs c = running();
        naik_bicgstab_record b = {.rho = {1, 0}, .alpha = {1, 0}, .omega = {1, 0}, .shadow2 = 9};
        const double turn[NAIK_STAGE_SUMS] = {4, small * 6, 0},
                     omega[] = {1, 0, small, small * small};
        naik_bicgstab_take(NAIK_STAGE_BETA, &c, &b, turn);
        CHECK_INT(t, c.state, more ? NAIK_RHS_RUN : NAIK_RHS_BROKEN);
        c = running();
        naik_bicgstab_take(NAIK_STAGE_OMEGA, &c, &b, omega);
        CHECK_INT(t, c.state, more ? NAIK_RHS_RUN : NAIK_RHS_BROKEN);
        CHECK_NEAR(t, b.omega[1], -small, 0); /* the conjugate */
    }
    naik_rhs c = running();
    naik_bicgstab_record b = {.rho = {1, 2}, .alpha = {1, 0}, .omega = {0.5, 0}};
    const double alpha[NAIK_STAGE_SUMS] = {0, 0, 2};
    naik_bicgstab_take(NAIK_STAGE_ALPHA, &c, &b, alpha);
    CHECK_TRUE(t, b.alpha[0] == 1 && b.alpha[1] == -0.5); /* (1 + 2i)/2i */
    const double none[NAIK_STAGE_SUMS] = {0};
    naik_bicgstab_take(NAIK_STAGE_ALPHA, &c, &b, none);
    CHECK_INT(t, c.state, NAIK_RHS_BROKEN);
    /* |B r| = 2 and |r| = 3: a cosine of 0.5 is taken for 0.6, of 0.7 as it is */
    for (int wide = 0; wide < 2; wide++) {
        const double cosine = wide ? 0.5 : 0.7, sums[] = {4, 0, 6 * cosine, 9};
        c = running();
        naik_bicgstab_take(NAIK_STAGE_OMEGA, &c, &b, sums);
        CHECK_INT(t, c.state, NAIK_RHS_RUN);
        CHECK_NEAR(t, b.omega[0], 0, 0);
        CHECK_NEAR(t, b.omega[1], -1.5 * (wide ? 0.6 : 0.7), 1e-15);
    }
}

/* ---- the ladder */

/* One rhs in mid solve on a rung, with all rungs there. */
static void climber(naik_solver *cg, naik_rung rung)
{
    static const naik_operator op = {.precision = NAIK_DOUBLE};
    memset(cg, 0, sizeof *cg);
    for (int i = 0; i < NAIK_RUNGS; i++) {
        cg->op[i] = &op;
    }
    cg->slot[0] = (batch_slot){
        .state = {.rung = (int32_t)rung, .started = 1, .stretch = 10 * NAIK_RENEW_EVERY}};
    cg->record[0] = (naik_rhs){.rr = 1, .iterations = 100};
}

static void every_reason_to_climb_is_counted(check *t)
{
    const naik_solver_options options = naik_solver_defaults();
    static naik_solver cg;
    /* at the count one below each limit, and at it; a check adds one to failures and shorts itself */
    static const struct {
        int breaks, failures, shorts, stalls, best_at, iterations;
        double rr; /* true, where 1 was iterated */
        int stretch;
        naik_solver_climb climb;
    } rows[] = {
        {1, 0, 0, 0, 100, 100, 1, 1000, NAIK_SOLVER_NO_CLIMB},
        {2, 0, 0, 0, 100, 100, 1, 1000, NAIK_SOLVER_CLIMB_BROKEN},
        {0, 0, 0, 0, 100, 100, 4.1, 1000, NAIK_SOLVER_NO_CLIMB},
        {0, 1, 0, 0, 100, 100, 3.9, 1000, NAIK_SOLVER_NO_CLIMB},
        {0, 1, 0, 0, 100, 100, 4.1, 1000, NAIK_SOLVER_CLIMB_STRAYED},
        {0, 0, 2, 0, 100, 100, 1, NAIK_RENEW_EVERY, NAIK_SOLVER_NO_CLIMB},
        {0, 0, 3, 0, 100, 100, 1, NAIK_RENEW_EVERY, NAIK_SOLVER_CLIMB_SHORT},
        {0, 0, 3, 0, 100, 100, 1, NAIK_RENEW_EVERY + 1, NAIK_SOLVER_NO_CLIMB}, /* not in a row */
        {0, 0, 0, 2, 100, 100, 1, 1000, NAIK_SOLVER_NO_CLIMB},
        {0, 0, 0, 3, 100, 100, 1, 1000, NAIK_SOLVER_CLIMB_EMPTY},
        {0, 0, 0, 0, 100, 10100, 1, 1000, NAIK_SOLVER_NO_CLIMB},
        {0, 0, 0, 0, 100, 10101, 1, 1000, NAIK_SOLVER_CLIMB_SLOW},
        {0, 0, 0, 0, 20000, 40000, 1, 1000, NAIK_SOLVER_NO_CLIMB},
        {0, 0, 0, 0, 20000, 40001, 1, 1000, NAIK_SOLVER_CLIMB_SLOW}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        climber(&cg, NAIK_RUNG_HALF);
        cg.slot[0].state.breaks = rows[i].breaks;
        cg.slot[0].state.failures = rows[i].failures;
        cg.slot[0].state.shorts = rows[i].shorts;
        cg.slot[0].state.stalls = rows[i].stalls;
        cg.slot[0].state.best_at = rows[i].best_at;
        cg.slot[0].state.stretch = rows[i].stretch;
        cg.record[0].iterations = rows[i].iterations;
        const bool climbs = cg_climbs(&cg, &options, 0, rows[i].rr);
        CHECK_INT(t, climbs, rows[i].climb != NAIK_SOLVER_NO_CLIMB);
        CHECK_INT(t, cg.slot[0].state.climb, rows[i].climb);
        CHECK_INT(t, cg.slot[0].state.rung, climbs ? NAIK_RUNG_CLASSICAL : NAIK_RUNG_HALF);
        CHECK_INT(t, cg.slot[0].state.climbed_at, climbs ? rows[i].iterations : 0);
        CHECK_INT(t, cg.slot[0].state.shorts,
                  climbs || rows[i].stretch > NAIK_RENEW_EVERY ? 0 : rows[i].shorts + 1);
        CHECK_TRUE(t, !climbs || (cg.slot[0].state.breaks == 0 && !cg.slot[0].state.started));
        CHECK_TRUE(t, strcmp(naik_solver_climb_text(rows[i].climb), "unknown") != 0);
    }
}

/* Of an rhs that was at |r|^2 = 1 after 40 iterations, and has 100; it claims to have converged at 1e-3. */
static void a_stretch_is_judged_by_its_true_residual(check *t)
{
    static const struct {
        double rr, iterated;
        int started, stalls;
        int stalled, stretch, best_at; /* what is left in the state */
    } rows[] = {{0.25, 1, 1, 2, 0, 30, 100},    {0.26, 1, 1, 2, 2, 30, 40},
                {0.26, 1e-3, 1, 2, 3, 30, 40},  {0.26, 1.01e-3, 1, 2, 2, 30, 40},
                {0.25, 1e-3, 1, 2, 0, 30, 100}, {NAN, 1e-3, 1, 2, 0, 30, 100},
                {0.26, 1e-3, 0, 2, 2, 500, 40}, {0.25, 1e-3, 0, 2, 2, 500, 100}};
    static naik_solver cg;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        climber(&cg, NAIK_RUNG_HALF);
        naik_solver_state *at = &cg.slot[0].state;
        at->best_rr = 1;
        at->best_at = 40;
        at->begun_at = 70;
        at->stretch = 500;
        at->started = rows[i].started;
        at->stalls = rows[i].stalls;
        cg.record[0].rr = rows[i].iterated;
        cg.record[0].stop = 1e-3;
        cg_judge_stretch(&cg, 0, rows[i].rr);
        CHECK_INT(t, at->stalls, rows[i].stalled);
        CHECK_INT(t, at->stretch, rows[i].stretch);
        CHECK_INT(t, at->best_at, rows[i].best_at);
        CHECK_INT(t, at->begun_at, 100);
        CHECK_TRUE(t, rows[i].best_at == 40 ? at->best_rr == 1 : !(at->best_rr > rows[i].rr));
    }
}

static void nobody_climbs_from_double_or_where_it_was_told_to_stay(check *t)
{
    naik_solver_options options = naik_solver_defaults();
    static naik_solver cg;
    static const naik_rung from[] = {NAIK_RUNG_HALF, NAIK_RUNG_SINGLE, NAIK_RUNG_CLASSICAL,
                                     NAIK_RUNG_DOUBLE};
    static const naik_rung to[] = {NAIK_RUNG_CLASSICAL, NAIK_RUNG_CLASSICAL, NAIK_RUNG_DOUBLE,
                                   NAIK_RUNG_DOUBLE};
    for (int i = 0; i < 4; i++) {
        for (int stays = 0; stays < 2; stays++) {
            climber(&cg, from[i]);
            cg.slot[0].state.breaks = 2;
            options.stay = stays == 1;
            CHECK_INT(t, cg_climbs(&cg, &options, 0, 1), i < 3 && stays == 0);
            CHECK_INT(t, cg.slot[0].state.rung, stays == 0 ? to[i] : from[i]);
        }
    }
    options.stay = false;
    climber(&cg, NAIK_RUNG_HALF);
    cg.slot[0].state.started = 0; /* nothing was iterated on this rung */
    cg.slot[0].state.breaks = 2;
    CHECK_TRUE(t, !cg_climbs(&cg, &options, 0, 1));
    climber(&cg, NAIK_RUNG_SINGLE); /* a claim of convergence is no failure */
    cg.slot[0].state.failures = 1;
    cg.record[0].stop = 1;
    CHECK_TRUE(t, !cg_climbs(&cg, &options, 0, 100));
}

static void a_system_begins_on_the_rung_of_its_mass(check *t)
{
    static const struct {
        double mass;
        bool half;
        naik_rung rung;
    } rows[] = {{0.0100001, true, NAIK_RUNG_HALF},       {0.0099999, true, NAIK_RUNG_CLASSICAL},
                {0.0100001, false, NAIK_RUNG_CLASSICAL}, {0.0300001, false, NAIK_RUNG_SINGLE},
                {0.0299999, false, NAIK_RUNG_CLASSICAL}, {0.5, true, NAIK_RUNG_HALF}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(t, naik_rung_first(4 * rows[i].mass * rows[i].mass, rows[i].half), rows[i].rung);
    }
    static const double stray[] = {115, 4000, 375, INFINITY}, delta[] = {0.01, 0.0001, 0.01, 0};
    for (int i = 0; i < NAIK_RUNGS; i++) {
        CHECK_TRUE(t, naik_cg_stray((naik_rung)i) == stray[i]);
        CHECK_TRUE(t, naik_cg_delta((naik_rung)i) == delta[i]);
    }
    static naik_solver cg;
    naik_solver_options options = naik_solver_defaults();
    climber(&cg, NAIK_RUNG_HALF);
    options.removed = 4 * 0.01 * 0.01; /* modes taken out make it as heavy as that */
    CHECK_INT(t, cg_first_rung(&cg, &options, 4e-8), NAIK_RUNG_HALF);
    options.removed = 0;
    CHECK_INT(t, cg_first_rung(&cg, &options, 4e-8), NAIK_RUNG_CLASSICAL);
    options.first_rung = NAIK_RUNG_SINGLE;
    CHECK_INT(t, cg_first_rung(&cg, &options, 4e-8), NAIK_RUNG_SINGLE);
    cg.op[NAIK_RUNG_SINGLE] = NULL; /* the next that there is */
    CHECK_INT(t, cg_first_rung(&cg, &options, 4e-8), NAIK_RUNG_CLASSICAL);
}

/* A file's checksum says nothing of who wrote it: a rung is an index, a length that of a read. */
static void numbers_of_a_kept_state_are_bounded(check *t)
{
#define OF(name) offsetof(naik_solver_state, name)
    enum { COUNT = 1 << 30 };
    static const struct {
        size_t at;
        int most;
    } whole[] = {{OF(rung), NAIK_RUNGS - 1},
                 {OF(first_rung), NAIK_RUNGS - 1},
                 {OF(climb), NAIK_SOLVER_CLIMB_SLOW},
                 {OF(record.state), NAIK_RHS_WAIT},
                 {OF(record.iterations), COUNT},
                 {OF(corrections), COUNT},
                 {OF(restarts), COUNT},
                 {OF(stalls), COUNT},
                 {OF(breaks), COUNT},
                 {OF(climbed_at), COUNT},
                 {OF(failures), COUNT},
                 {OF(shorts), COUNT},
                 {OF(best_at), COUNT},
                 {OF(begun_at), COUNT},
                 {OF(stretch), COUNT},
                 {OF(level), COUNT},
                 {OF(beginnings), COUNT},
                 {OF(moved), COUNT},
                 {OF(history_length), COUNT}};
    static const double numbers[] = {NAN, INFINITY, -1};
    static const size_t finite[] = {OF(bb), OF(record.shift), OF(record.rr)};
    const naik_solver_state sound = {.bb = 1};
    CHECK_TRUE(t, naik_solver_state_holds(&sound));
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        const int tried[] = {0, whole[i].most, -1, whole[i].most + 1};
        for (int k = 0; k < 4; k++) {
            naik_solver_state s = sound;
            memcpy((char *)&s + whole[i].at, &(int32_t){tried[k]}, sizeof(int32_t));
            if (!CHECK_INT(t, naik_solver_state_holds(&s), k < 2)) {
                fprintf(stderr, "    number %zu is %d\n", i, tried[k]);
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) { /* a shift may be below 0 */
            naik_solver_state s = sound;
            memcpy((char *)&s + finite[i], &numbers[k], sizeof(double));
            CHECK_INT(t, naik_solver_state_holds(&s), i > 0 && k == 2);
        }
    }
#undef OF
}

/* ---- iterations that are foreseen */

static void iterations_are_foreseen_by_their_rule(check *t)
{
    const int64_t volume = 32LL * 32 * 32 * 32;
    model_iterations n = model_iterations_of(0.05, 1e-10, volume);
    const double whole = n.expected;
    CHECK_NEAR(t, n.expected, 500, 1);
    CHECK_NEAR(t, n.least, 440, 1);
    CHECK_NEAR(t, n.most, 630, 1);
    n = model_iterations_of(0.05, sqrt(2e-10), volume); /* half the decades to 2 */
    CHECK_NEAR(t, n.expected, whole * log(2 / sqrt(2e-10)) / log(2e10), 1e-9);
    n = model_iterations_of(0.0001, 1e-10, volume); /* below the lightest mode */
    CHECK_NEAR(t, n.least * 0.0018, 22, 0.02);
    CHECK_NEAR(t, n.expected * 0.0001, 25, 0.05);
    n = model_iterations_of(0.0001, 1e-10, volume / 2);
    CHECK_NEAR(t, n.least * 0.0036, 22, 0.02);
    CHECK_NEAR(t, model_iterations_above(0.03, 1e-10, 0.04), whole, 1e-9);
    static const double heavy[] = {1, 2, 5, 10},
                        took[] = {27, 15, 8, 6}; /* tests/results/cpu.txt */
    for (int i = 0; i < 4; i++) {
        n = model_iterations_of(heavy[i], 1e-10, volume);
        CHECK_NEAR(t, n.expected, took[i], 1.2);
        CHECK_TRUE(t, n.least < took[i] && took[i] <= ceil(n.most));
    }
    n = model_iterations_assumed(1e-10);
    CHECK_TRUE(t, n.least == 20 && n.expected == 100 && n.most == 500);
    const model_pilot pilots[] = {
        {.mass = 0.1, .tolerance = 1e-10, .least = 200, .mean = 210, .most = 220},
        {.mass = 0.01, .tolerance = 1e-10, .least = 2000, .mean = 2100, .most = 2200}};
    n = model_iterations_from(pilots, 2, true, 0.05, 1e-10); /* 0.1 is nearer in the logarithm */
    CHECK_TRUE(t, fabs(n.expected - 420) < 0.2 && fabs(n.least - 400) < 0.2 &&
                      fabs(n.most - 440) < 0.2);
    n = model_iterations_from(pilots, 2, true, 0.02, 1e-10);
    CHECK_NEAR(t, n.expected, 1050, 0.1);
    n = model_iterations_from(pilots, 2, false, 0.05, 1e-10); /* the nearer mass, no scale */
    CHECK_NEAR(t, n.expected, 2100, 1e-9);
}

/* ---- how long a run will take */

static void what_is_left_of_a_run_is_told(check *t)
{
    static const struct {
        double left_s;
        const char *text;
    } cases[] = {{0.4, ""},
                 {0.5, ", 0:01 left"},
                 {59, ", 0:59 left"},
                 {61, ", 1:01 left"},
                 {3599, ", 59:59 left"},
                 {3600, ", 1:00:00 left"},
                 {100 * 3600 + 59 * 60 + 1, ", 100:59:01 left"},
                 {INFINITY, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SOLVE_LEFT_TEXT];
        solve_progress_text(cases[i].left_s, text);
        CHECK_TEXT(t, text, cases[i].text);
    }
    solve_job job = {.progress = {.work = 10, .work_left = 6, .start_s = naik_time_s() - 400}};
    CHECK_NEAR(t, solve_progress_left_s(&job, 0), 600, 6);
    CHECK_NEAR(t, solve_progress_left_s(&job, 1), 400, 4); /* five of ten are done */
    solve_progress_passed(&job, 200);                      /* in which none was at work */
    CHECK_NEAR(t, solve_progress_left_s(&job, 0), 300, 3);
    job.progress.work_left = 10;
    CHECK_TRUE(t, isinf(solve_progress_left_s(&job, 0)));
    static const struct {
        double per_s, flops;
        const char *text;
    } speeds[] = {{0.25, 6e9, ", 0.25 iterations/s, 1.5 GFLOP/s"},
                  {9.94, 0, ", 9.94 iterations/s"},
                  {12.4, 0, ", 12 iterations/s"},
                  {0, 6e9, ""}};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        char text[SOLVE_SPEED_TEXT];
        solve_progress_speed_text(speeds[i].per_s, speeds[i].flops, text);
        CHECK_TEXT(t, text, speeds[i].text);
    }
}

/* By the iterations of the plan: a heavy quark is more work than 1/mass says, and a sloppy solve less than an exact one. */
static void light_quarks_and_exact_solves_are_more_work(check *t)
{
    naik_quark quarks[] = {{.kind = naik_quark_kinds[0], .mass = 0.01},
                           {.kind = naik_quark_kinds[0], .mass = 5}};
    naik_input_solve solves[] = {{.tolerance = 1e-10}, {.tolerance = 1e-3}};
    naik_input input = {.quarks = quarks, .quark_count = 2, .solve = solves, .solve_count = 2};
    const naik_input_task tasks[] = {{.quark = 0}, {.quark = 1}, {.quark = 1, .solve = 1}};
    const naik_propagator_result result = {.flops = 300, .cg = {.iterations = 3}};
    solve_job job = {.input = &input, .progress = {.work_left = 3000}};
    double left = 3000;
    CHECK_TRUE(t, quarks[0].kind->costs.by_mass);
    for (int i = 0; i < 3; i++) {
        const double mass = quarks[tasks[i].quark].mass;
        solve_progress_done(&job, &tasks[i], &result);
        left -= log(2 / solves[tasks[i].solve].tolerance) / (2 * asinh(mass / 2.108015));
        CHECK_NEAR(t, job.progress.work_left, left, 1e-9);
    }
    CHECK_TRUE(t, job.progress.iterations == 9 && job.progress.flops_per_iteration == 100);
    /* with 4736 modes up to lambda = 0.1 a mass of 0.001 takes no more than one of 0.1 * sqrt(1 + 1e-4) */
    int number[] = {2, 3};
    naik_quark light[] = {quarks[0], quarks[1], quarks[0], quarks[0]};
    light[2].mass = 0.001, light[3].mass = 0.1;
    solves[0] = (naik_input_solve){.tolerance = 1e-10, .quark = number, .deflate = true};
    input = (naik_input){.quarks = light, .quark_count = 4, .solve = solves, .solve_count = 2};
    input.lattice.size[0] = input.lattice.size[1] = input.lattice.size[2] = 32;
    input.lattice.size[3] = 64;
    input.deflation.precision = 32;
    input.deflation.again = 0.5;
    job.plan.modes = 4736;
    const naik_input_task deflated[] = {{.quark = 2}, {.quark = 3, .mass = 1}};
    for (int i = 0; i < 2; i++) {
        const double lambda = hypot(light[number[i]].mass, 0.1), before = job.progress.work_left;
        solve_progress_done(&job, &deflated[i], &result);
        CHECK_NEAR(t, before - job.progress.work_left,
                   log(2 / 1e-10) / (2 * asinh(lambda / 2.108015)) +
                       model_deflating_iterations(4736, 32, 1e-10, 0.5),
                   1e-9);
    }
}

/* `auto` and a search wait for a gain of a tenth: on both sides of it, for every number of sources and modes; and averages
 * have modes up to three masses. */
static void modes_are_searched_where_they_save_a_tenth(check *t)
{
    static const char text[] =
        "lattice: {size: [32, 32, 32, 64]}\ngauge: {file: lat.h5}\naction: {type: hisq}\n"
        "deflation: {modes: auto, file: modes.h5}\noutput: {file: out.h5, correlators: [pion5]}\n"
        "solve: [{name: pt, masses: [%g], source: {type: point, origin: [[0, 0, 0, 0], "
        "[0, 0, 0, 16], [0, 0, 0, 32], [0, 0, 0, 48]]}}]\n%s";
    int just = 0, hardly = 0;
    for (int k = 0; k < 60; k++) {
        char input_text[600];
        naik_input *input = NULL;
        const double mass = 0.0005 * pow(1.1, k);
        snprintf(input_text, sizeof input_text, text, mass, "");
        CHECK_OK(t, naik_input_parse(t->log, "input.yaml", input_text, strlen(input_text), NULL, 0,
                                     NULL, NULL, &input));
        for (int modes = 32; modes <= 1024 && input != NULL; modes *= 2) {
            const mode_cost c = mode_cost_of(input, modes, false);
            const double left = (c.with + c.search) / c.plain;
            CHECK_TRUE(t, mode_count_pays(input, modes, &input->quarks[0]) == (left < 0.9));
            just += left > 0.86 && left < 0.9;
            hardly += left > 0.9 && left < 0.94;
        }
        naik_input_destroy(&input);
        snprintf(input_text, sizeof input_text, text, mass,
                 "averages: [{type: low_modes, name: l, solve: pt}]\n");
        CHECK_OK(t, naik_input_parse(t->log, "input.yaml", input_text, strlen(input_text), NULL, 0,
                                     NULL, NULL, &input));
        if (input != NULL) {
            const int chosen = mode_count_choose(input, MODE_COUNT_MOST);
            const double upper = mode_cost_of(input, chosen, false).lambda;
            CHECK_TRUE(t, chosen > MODE_COUNT_MOST - NAIK_MODES_BLOCK || upper >= 3 * mass);
        }
        naik_input_destroy(&input);
    }
    CHECK_TRUE(t, just > 0 && hardly > 0);
}

/* Of more masses than one Krylov space carries there are several, each with the smallest mass. */
static void masses_share_as_many_spaces_as_hold_them(check *t)
{
    static const struct {
        int masses, spaces, groups;
    } rows[] = {{1, 1, 0},
                {2, 1, 12},
                {5, 1, 12},
                {NAIK_MAX_SHIFTS, 1, 4},
                {NAIK_MAX_SHIFTS + 1, 2, 4},
                {2 * NAIK_MAX_SHIFTS - 1, 2, 4},
                {2 * NAIK_MAX_SHIFTS, 3, 4}};
    double mass[2 * NAIK_MAX_SHIFTS];
    multishift_case c = {.vectors = NAIK_SINGLE,
                         .links = NAIK_SINGLE,
                         .recon = 18,
                         .points = NAIK_STENCIL,
                         .batch = 12,
                         .sources = 12,
                         .mass = mass,
                         .tolerance = 1e-10};
    for (int i = 0; i < 2 * NAIK_MAX_SHIFTS; i++) {
        mass[i] = i == 1 ? 0.05 : 0.1 + 0.01 * i; /* the smallest is not the first */
    }
    c.masses = NAIK_MAX_SHIFTS;
    const double one = multishift_shared_bytes_of(&c, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        c.masses = rows[i].masses;
        CHECK_INT(t, multishift_groups(&c), rows[i].groups);
        if (rows[i].groups == 4) {
            CHECK_NEAR(t, multishift_shared_bytes_of(&c, 1) / one, rows[i].spaces, 1e-12);
            CHECK_TRUE(t, multishift_shared_bytes_of(&c, 0) < one);
        }
        double apart = 0, shared = 0;
        for (int k = 0; k < c.masses; k++) {
            apart += multishift_separate_bytes_of(&c, k);
            shared += c.masses > 1 ? multishift_shared_bytes_of(&c, k) : 0;
        }
        CHECK_NEAR(t, multishift_separate_bytes(&c) / apart, 1, 1e-12);
        CHECK_TRUE(t, c.masses < 2 || fabs(multishift_shared_bytes(&c) / shared - 1) < 1e-12);
    }
}

CHECK_MAIN(CHECK(modes_are_searched_where_they_save_a_tenth), CHECK(what_is_left_of_a_run_is_told),
           CHECK(light_quarks_and_exact_solves_are_more_work),
           CHECK(an_rhs_asks_for_its_true_residual_at_every_limit),
           CHECK(a_step_is_counted_once_and_breaks_where_there_is_no_number),
           CHECK(a_direction_without_curvature_is_dropped_or_breaks),
           CHECK(bicgstab_ends_at_its_limits_and_breaks_where_it_leads_nowhere),
           CHECK(numbers_of_a_kept_state_are_bounded), CHECK(every_reason_to_climb_is_counted),
           CHECK(a_stretch_is_judged_by_its_true_residual),
           CHECK(nobody_climbs_from_double_or_where_it_was_told_to_stay),
           CHECK(a_system_begins_on_the_rung_of_its_mass),
           CHECK(iterations_are_foreseen_by_their_rule),
           CHECK(masses_share_as_many_spaces_as_hold_them))
