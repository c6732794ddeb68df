/* test_levels.c - what is decided from numbers alone: of a system, whether it has ended; of conjugate
 * gradient, how it goes on; of BiCGStab, when an rhs asks for its true residual, begins anew and climbs. And
 * what the host knows of a mask
 *
 * ranks: 1
 */
#include <math.h>
#include <string.h>

#include "cg_fixture.h"
#include "solver/bicgstab_parts.h"
#include "solver/cg_parts.h"

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

static naik_status correct_nothing(void *data, const naik_solver_correction *at)
{
    (void)data;
    (void)at;
    return NAIK_OK;
}

static void a_system_ends_at_what_was_asked_of_it(check *t)
{
    static const struct {
        double bb, rr, site_tolerance, site;
        int own, iterations; /* of at most 500 */
        int verdict;         /* -1: it goes on */
    } rows[] = {{0, 0, 0, NAN, 0, 0, NAIK_SOLVER_ZERO_SOURCE},
                {4, 1, 0, NAN, 0, 0, NAIK_SOLVER_CONVERGED}, /* |r| is half of |b| */
                {4, 1.01, 0, NAN, 0, 499, -1},
                {4, 1.01, 0, NAN, 0, 500, NAIK_SOLVER_ITERATION_LIMIT},
                {4, 1, 0, NAN, 0, 500, NAIK_SOLVER_CONVERGED},
                {4, 1, 0.1, 0.1, 0, 0, NAIK_SOLVER_CONVERGED},
                {4, 1, 0.1, 0.11, 0, 0, -1},
                {4, 1, 0.1, NAN, 0, 0, -1},
                {4, 1.01, 0.1, 0.1, 0, 0, -1},
                {4, 1.01, 0, NAN, 300, 299, -1},
                {4, 1.01, 0, NAN, 300, 300, NAIK_SOLVER_ITERATION_LIMIT},
                {4, 1.01, 0, NAN, 501, 500, NAIK_SOLVER_ITERATION_LIMIT},
                {4, 1.01, 0, NAN, -1, 499, -1}};
    static naik_solver s;
    naik_solver_options options = naik_solver_defaults();
    options.max_iterations = 500;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wanderer(&s, BG_FAST, true);
        s.slot[0].system = (naik_solver_system){
            .tolerance = 0.5, .site_tolerance = rows[i].site_tolerance, .limit = rows[i].own};
        s.slot[0].state.bb = rows[i].bb;
        s.slot[0].state.site_residual = rows[i].site;
        s.record[0].iterations = rows[i].iterations;
        CHECK_INT(t, batch_verdict(&s, &options, 0, rows[i].rr), rows[i].verdict);
    }
}

/* So many breaks, and claims of convergence without progress, are too many; the last rung has no other behind it. */
static void a_system_is_given_up_at_every_limit(check *t)
{
    enum { GOES_ON = -1 };
    static const struct {
        double bb, rr;
        int breaks, stalls, iterations; /* of at most 500 */
        int below, last, levels;        /* CG below the last rung, and on it; BiCGStab */
    } rows[] = {
        {4, 1, 0, 0, 0, NAIK_SOLVER_CONVERGED, NAIK_SOLVER_CONVERGED, NAIK_SOLVER_CONVERGED},
        {4, 2, 1, 9, 499, GOES_ON, GOES_ON, GOES_ON},
        {4, 2, 2, 9, 0, GOES_ON, NAIK_SOLVER_BROKEN, GOES_ON},
        {4, 2, 0, 10, 0, GOES_ON, NAIK_SOLVER_STAGNATED, GOES_ON},
        {4, 2, 3, 0, 0, GOES_ON, NAIK_SOLVER_BROKEN, GOES_ON},
        {4, 2, 4, 0, 0, GOES_ON, NAIK_SOLVER_BROKEN, NAIK_SOLVER_BROKEN},
        {4, 2, 0, 10, 500, NAIK_SOLVER_ITERATION_LIMIT, NAIK_SOLVER_ITERATION_LIMIT,
         NAIK_SOLVER_ITERATION_LIMIT},
        {4, NAN, 1, 0, 500, GOES_ON, GOES_ON, NAIK_SOLVER_ITERATION_LIMIT},
        {4, NAN, 2, 0, 0, GOES_ON, NAIK_SOLVER_BROKEN, GOES_ON},
        {4, INFINITY, 3, 0, 0, GOES_ON, NAIK_SOLVER_BROKEN, GOES_ON},
        {4, NAN, 4, 0, 0, NAIK_SOLVER_BROKEN, NAIK_SOLVER_BROKEN, NAIK_SOLVER_BROKEN},
        {NAN, 1, 0, 0, 0, NAIK_SOLVER_BROKEN, NAIK_SOLVER_BROKEN, NAIK_SOLVER_BROKEN},
        {INFINITY, 1, 0, 0, 0, NAIK_SOLVER_BROKEN, NAIK_SOLVER_BROKEN, NAIK_SOLVER_BROKEN},
        {0, NAN, 9, 9, 0, NAIK_SOLVER_ZERO_SOURCE, NAIK_SOLVER_ZERO_SOURCE,
         NAIK_SOLVER_ZERO_SOURCE}};
    static naik_solver s;
    naik_solver_options options = naik_solver_defaults();
    options.max_iterations = 500;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_solver_state *at = &wanderer(&s, BG_FAST, true)->state;
        s.slot[0].system.tolerance = 0.5;
        s.record[0].iterations = rows[i].iterations;
        at->bb = rows[i].bb;
        at->breaks = rows[i].breaks;
        at->stalls = rows[i].stalls;
        CHECK_INT(t, bg_verdict(&s, &options, 0, rows[i].rr), rows[i].levels);
        at->rung = NAIK_RUNG_CLASSICAL;
        CHECK_INT(t, cg_verdict(&s, &options, 0, rows[i].rr), rows[i].below);
        options.stay = true; /* it is the last by order */
        CHECK_INT(t, cg_verdict(&s, &options, 0, rows[i].rr), rows[i].last);
        options.stay = false;
        at->rung = NAIK_RUNG_DOUBLE;
        CHECK_INT(t, cg_verdict(&s, &options, 0, rows[i].rr), rows[i].last);
    }
}

/* How conjugate gradient goes on from a true |r|^2 = rr, where `iterated` was iterated and |b|^2 = 4: along its
 * direction (beta 0.5) or from the residual alone, and up to which |r|^2. */
static void a_stretch_begins_as_its_residual_says(check *t)
{
    static const struct {
        int started, restart, stalls;
        double iterated, rr;
        double again, corrected_rr; /* of a starter; 0: there is none */
        double beta, stop;
    } rows[] = {{1, 0, 0, 1, 1, 0, 1, 0.5, 4e-6},       {0, 0, 0, 1, 1, 0, 1, 0, 4e-6},
                {1, 1, 0, 1, 1, 0, 1, 0, 4e-6},         {1, 0, 1, 1, 1, 0, 1, 0, 4e-6},
                {1, 0, 0, 1, 100, 0, 1, 0.5, 4e-6},     {1, 0, 0, 1, 100.1, 0, 1, 0, 4e-6},
                {1, 0, 0, 1, 4.1e-6, 0, 1, 0.5, 4e-6},  {1, 0, 0, 1, 3.9e-6, 0, 1, 0.5, 3.9e-8},
                {1, 0, 0, 1, 1, 0.1, 1, 0.5, 0.01},     {1, 0, 0, 1, 1, 0.1, 1e-5, 0.5, 4e-6},
                {1, 0, 0, 1, 3.9e-6, 0.1, 1, 0.5, 0.01}};
    const naik_lattice lattice = {.volume = 1 << 13};
    const naik_geometry geometry = {.lattice = &lattice};
    const naik_solver_options options = naik_solver_defaults();
    static naik_solver s;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const naik_solver_starter starter = {.correct = correct_nothing, .again = rows[i].again};
        wanderer(&s, BG_FAST, true);
        s.geometry = &geometry;
        s.slot[0].system.tolerance = 1e-3;
        s.slot[0].state = (naik_solver_state){.rung = NAIK_RUNG_HALF,
                                              .bb = 4,
                                              .started = rows[i].started,
                                              .restart = rows[i].restart,
                                              .stalls = rows[i].stalls,
                                              .corrected_rr = rows[i].corrected_rr};
        s.record[0] = (naik_rhs){
            .rr = rows[i].iterated, .rr_last = 6, .x_deferred = 7, .xp = 8, .xx = 9, .rr_max = 1e9};
        cg_resume(&s, &options, rows[i].again > 0 ? &starter : NULL, 0, rows[i].rr, 3, 5);
        const naik_rhs *c = &s.record[0];
        CHECK_NEAR(t, c->beta, rows[i].beta, 0);
        CHECK_NEAR(t, c->stop, rows[i].stop, 1e-12 * rows[i].stop);
        CHECK_TRUE(t, c->rr == 3 && c->rr_max == 3 && c->rs == 5 && c->xp == 0 && c->xx == 0);
        CHECK_TRUE(t, c->x_deferred == 0 && c->state == NAIK_RHS_RUN && c->sum_quantum == 3);
        CHECK_TRUE(t, s.slot[0].state.started == 1 && s.slot[0].state.restart == 0);
    }
}

/* And when it is to ask for the next, on each rung. */
static void a_stretch_ends_as_its_storage_says(check *t)
{
    static const struct {
        naik_rung rung;
        naik_precision vectors;
        double asked_delta, asked_stray; /* 0: what suits the rung */
        double delta, stray;             /* 0: never */
    } rows[] = {{NAIK_RUNG_HALF, NAIK_SINGLE, 0, 0, 0.01, 115},
                {NAIK_RUNG_SINGLE, NAIK_SINGLE, 0, 0, 1e-4, 4000},
                {NAIK_RUNG_CLASSICAL, NAIK_SINGLE, 0, 0, 0.01, 375},
                {NAIK_RUNG_DOUBLE, NAIK_SINGLE, 0, 0, 0, 0},
                {NAIK_RUNG_DOUBLE, NAIK_SINGLE, 0.2, 10, 0, 0},
                {NAIK_RUNG_SINGLE, NAIK_SINGLE, 0.2, 10, 0.2, 10},
                {NAIK_RUNG_HALF, NAIK_HALF, 0, 0, 0.3, 115},
                {NAIK_RUNG_HALF, NAIK_HALF, 0.2, 0, 0.3, 115},
                {NAIK_RUNG_HALF, NAIK_HALF, 0.4, 0, 0.4, 115}};
    const naik_lattice lattice = {.volume = 1 << 13};
    const naik_geometry geometry = {.lattice = &lattice};
    static naik_solver s;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        naik_solver_options options = naik_solver_defaults();
        options.delta = rows[i].asked_delta;
        options.stray = rows[i].asked_stray;
        wanderer(&s, BG_FAST, true);
        s.geometry = &geometry;
        s.vectors = rows[i].vectors;
        s.slot[0].state.rung = (int32_t)rows[i].rung;
        cg_resume(&s, &options, NULL, 0, 1, 1, 0);
        const double delta2 = rows[i].delta * rows[i].delta;
        const double stray2 = rows[i].stray > 0 ? 1 / (rows[i].stray * rows[i].stray) : 0;
        CHECK_NEAR(t, s.record[0].delta2, delta2, 1e-12 * delta2);
        CHECK_NEAR(t, s.record[0].stray2, stray2, 1e-12 * stray2);
        CHECK_INT(t, s.record[0].classical, rows[i].rung == NAIK_RUNG_CLASSICAL);
    }
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

static naik_status upload_nothing(naik_device *device, void *to, const void *from, size_t bytes)
{
    static const naik_rhs none[2] = {{.state = NAIK_RHS_IDLE}};
    (void)from;
    (void)device->memory->upload(device, to, none, bytes);
    return NAIK_FAIL(device->log, NAIK_ERR_DEVICE, "the device is away");
}

/* What the host knows of a mask is what arrived on the device. */
static void a_mask_that_did_not_arrive_is_sent_again(check *t)
{
    const int size[4] = {4, 4, 4, 8};
    fixture f;
    cg_solver s;
    CHECK_REQUIRE(t, fixture_create(t, size, NULL, false, false, 1, &f));
    CHECK_OK(t, cg_solver_create(&f, cg_modes[0], 2, &s));
    const naik_backend_ops *real = f.backend->ops;
    naik_backend_ops broken = *real;
    broken.memory.upload = upload_nothing;
    s.cg->width_now = 2;
    for (int next = 0; next < 2; next++) { /* as it was before, and as it was to be */
        const bool before[NAIK_MAX_RHS] = {true, false}, after[NAIK_MAX_RHS] = {false, true};
        naik_rhs got[2];
        CHECK_OK(t, batch_set_mask(s.cg, before));
        f.backend->ops = &broken;
        CHECK_STATUS(t, batch_set_mask(s.cg, after), NAIK_ERR_DEVICE);
        f.backend->ops = real;
        naik_log_clear(t->log);
        CHECK_OK(t, batch_set_mask(s.cg, next == 0 ? before : after));
        CHECK_OK(t, naik_backend_download(f.backend, got, s.cg->mask, sizeof got));
        CHECK_INT(t, got[next].state, NAIK_RHS_CHECK);
        CHECK_INT(t, got[!next].state, NAIK_RHS_IDLE);
    }
    cg_solver_destroy(&s);
    fixture_destroy(&f);
}

CHECK_MAIN(CHECK(a_mask_that_did_not_arrive_is_sent_again),
           CHECK(a_system_ends_at_what_was_asked_of_it), CHECK(a_system_is_given_up_at_every_limit),
           CHECK(a_stretch_begins_as_its_residual_says), CHECK(a_stretch_ends_as_its_storage_says),
           CHECK(a_level_is_given_its_iterations),
           CHECK(new_beginnings_and_stalls_are_counted_in_a_row),
           CHECK(a_level_is_left_at_every_limit))
