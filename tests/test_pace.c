/* test_pace.c - a stream of systems whose first one decides about the others
 *
 * ranks: 1 2
 */
#include <stdlib.h>
#include <string.h>

#include "kept_state.h"
#include "solver/bicgstab.h"
#include "wilson_fixture.h"

enum { SYSTEMS = 5, ALONE = 3, BESIDE = 6, AGAIN = 8, LIMIT = 4 };
static const int size[4] = {8, 4, 4, 8};
static const double mass = -1.1, tolerance = 1e-10;

typedef struct run {
    check *t;
    const wilson_fixture *f;
    const naik_field *b;
    bool paced, first_done;
    int limit, polls; /* of the first system; polls so far */
    int most_alone, most_beside, early,
        handed;      /* rhs that ran; handed back before the first; at all */
    int64_t slowest; /* is the first: the others wait for it */
    bool stays;      /* beside the first until it is done */
    double tighter;  /* the first's tolerance by this, 0: as it is */
    int most;        /* iterations of any; 0: as many as it takes */
    bool stops;      /* once the first alone runs */
    int running;     /* at the last poll */
    kept_state kept[SYSTEMS];
    int held; /* states kept of what was done */
    wilson_spinor *x[SYSTEMS];
    naik_solver_result result[SYSTEMS];
} run;

/* The first alone, then all, then the first alone again, then all; after it they are handed back. */
static naik_solver_pace pace(void *data)
{
    const run *r = data;
    const bool alone = r->polls < ALONE || (r->polls >= BESIDE && r->polls < AGAIN);
    return r->first_done           ? NAIK_SOLVER_ALL
           : r->stays              ? NAIK_SOLVER_BESIDE
           : r->limit > 0 || alone ? NAIK_SOLVER_FIRST
                                   : NAIK_SOLVER_BESIDE;
}

static naik_status poll(void *data, const naik_solver_progress *progress)
{
    run *r = data;
    int *most = pace(r) == NAIK_SOLVER_FIRST ? &r->most_alone : &r->most_beside;
    *most = progress->running > *most ? progress->running : *most;
    r->polls++;
    r->running = progress->running;
    return NAIK_OK;
}

static bool stop(void *data)
{
    const run *r = data;
    return r->stops && r->polls > 0 && r->running == 1;
}

static naik_status save(void *data, int64_t index, const naik_solver_state *state,
                        naik_field *const field[NAIK_SOLVER_VECTORS], int irhs)
{
    run *r = data;
    r->held += index != 0 && state->record.state == NAIK_RHS_CHECK;
    return kept_state_save(&r->kept[index], NAIK_EVEN, state, field, irhs);
}

static naik_status restore(void *data, int64_t index, naik_solver_state *state,
                           naik_field *const field[NAIK_RUNGS][NAIK_SOLVER_VECTORS], int irhs,
                           bool *found)
{
    run *r = data;
    return kept_state_restore(&r->kept[index], NAIK_EVEN, state, field, irhs, found);
}

static naik_status load(void *data, int64_t index, naik_field *b, int irhs,
                        naik_solver_system *system)
{
    const run *r = data;
    /* the first is to take longest */
    *system = (naik_solver_system){.tolerance = index == r->slowest ? tolerance : 1e7 * tolerance,
                                   .limit = index == 0 ? r->limit : 0};
    system->tolerance *= index == 0 && r->tighter > 0 ? r->tighter : 1;
    return r->f->backend->ops->field.copy_rhs(b, irhs, r->b, (int)index);
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_solver_result *result)
{
    run *r = data;
    r->early += index != 0 && !r->first_done;
    r->first_done = r->first_done || (index == 0 && r->limit == 0);
    r->handed++;
    free(r->x[index]);
    r->x[index] = wilson_ref_field(r->f->lat->volume);
    wilson_fixture_take(r->t, r->f, x, NAIK_EVEN, irhs, r->x[index]);
    r->result[index] = *result;
    return NAIK_OK;
}

static void free_run(run *r)
{
    for (int i = 0; i < SYSTEMS; i++) {
        free(r->x[i]);
    }
}

/* In batches of `width`. */
static void solve(const naik_operator ops[NAIK_PRECISIONS], naik_precision vectors, int width,
                  run *r)
{
    naik_solver_options options = naik_solver_defaults();
    naik_solver *solver = NULL;
    const naik_solver_stream stream = {.data = r,
                                       .count = SYSTEMS,
                                       .load = load,
                                       .finish = finish,
                                       .pace = r->paced ? pace : NULL,
                                       .poll = r->paced ? poll : NULL,
                                       .stop = stop,
                                       .save = save,
                                       .restore = restore};
    options.poll_interval = 1;
    options.max_iterations = r->most > 0 ? r->most : options.max_iterations;
    if (CHECK_OK(r->t, naik_solver_create(&naik_solver_bicgstab, ops, vectors, width, &solver))) {
        CHECK_OK(r->t, naik_solver_solve(solver, NAIK_EVEN, &options, &stream));
    }
    naik_solver_destroy(&solver);
}

/* Stopped while all but the first are held, all come back and are kept; what was held goes on to its answer. */
static void stop_and_go_on(const naik_operator *op, const run *plain)
{
    check *t = plain->t;
    run r = {.t = t, .f = plain->f, .b = plain->b, .paced = true, .stays = true, .stops = true};
    solve(op, NAIK_DOUBLE, SYSTEMS, &r);
    CHECK_INT(t, r.handed, SYSTEMS);
    CHECK_INT(t, r.held, SYSTEMS - 1);
    for (int i = 0; i < SYSTEMS && r.x[i] != NULL; i++) {
        CHECK_INT(t, r.result[i].reason, NAIK_SOLVER_INTERRUPTED);
    }
    r.stops = r.first_done = false;
    r.early = 0;
    solve(op, NAIK_DOUBLE, SYSTEMS, &r);
    CHECK_INT(t, r.early, 0);
    for (int i = 0; i < SYSTEMS && r.x[i] != NULL && plain->x[i] != NULL; i++) {
        CHECK_INT(t, r.result[i].reason, NAIK_SOLVER_CONVERGED);
        CHECK_INT(t, r.result[i].iterations, plain->result[i].iterations);
        CHECK_TRUE(t, wilson_fixture_difference(r.f, r.x[i], plain->x[i], NAIK_EVEN) == 0);
        kept_state_free(&r.kept[i]);
    }
    free_run(&r);
}

static void compare(check *t, const wilson_fixture *f, const naik_operator *op, const naik_field *b)
{
    run plain = {.t = t, .f = f, .b = b};
    solve(op, NAIK_DOUBLE, SYSTEMS, &plain);
    stop_and_go_on(op, &plain);
    for (int width = 2; width <= SYSTEMS; width += SYSTEMS - 2) {
        run paced = {.t = t, .f = f, .b = b, .paced = true};
        solve(op, NAIK_DOUBLE, width, &paced);
        CHECK_INT(t, paced.early, 0);
        CHECK_INT(t, paced.handed, SYSTEMS);
        CHECK_INT(t, paced.most_alone, 1);
        CHECK_INT(t, paced.most_beside, width);
        for (int i = 0; i < SYSTEMS && paced.x[i] != NULL && plain.x[i] != NULL; i++) {
            CHECK_INT(t, paced.result[i].reason, NAIK_SOLVER_CONVERGED);
            CHECK_INT(t, paced.result[i].iterations, plain.result[i].iterations);
            CHECK_TRUE(t, i == 0 || plain.result[i].iterations < plain.result[0].iterations);
            CHECK_TRUE(t, paced.result[i].residual == plain.result[i].residual);
            CHECK_TRUE(t, wilson_fixture_difference(f, paced.x[i], plain.x[i], NAIK_EVEN) == 0);
        }
        free_run(&paced);
    }
    run limited = {.t = t, .f = f, .b = b, .paced = true, .limit = LIMIT};
    solve(op, NAIK_DOUBLE, SYSTEMS, &limited); /* and no other begins */
    CHECK_INT(t, limited.handed, 1);
    CHECK_INT(t, limited.result[0].reason, NAIK_SOLVER_ITERATION_LIMIT);
    CHECK_INT(t, limited.result[0].iterations, LIMIT);
    free_run(&limited);
    free_run(&plain);
}

static void the_first_of_a_stream_decides_about_the_others(check *t)
{
    wilson_fixture f;
    naik_wilson *wilson = NULL;
    naik_mh mh = {.wilson = NULL};
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, mass, 1.1, false, &f));
    naik_field *b = wilson_fixture_field(t, &f, NAIK_DOUBLE, SYSTEMS, 80, NAIK_EVEN);
    if (CHECK_OK(t, naik_wilson_create(f.geometry, f.u, f.clover, f.mass, f.twisted_mass,
                                       NAIK_DOUBLE, 18, &wilson)) &&
        CHECK_OK(t, naik_mh_create(wilson, NAIK_DOUBLE, SYSTEMS, &mh))) {
        const naik_operator op[NAIK_PRECISIONS] = {[NAIK_DOUBLE] = naik_mh_of(&mh)};
        compare(t, &f, op, b);
    }
    naik_mh_destroy(&mh);
    naik_wilson_destroy(&wilson);
    naik_field_destroy(&b);
    wilson_fixture_destroy(&f);
}

/* Its tolerance is out of reach, so that it climbs from level to level, while all others are held. */
static void the_first_climbs_though_the_others_are_held(check *t)
{
    wilson_fixture f;
    naik_operator_set set = {.links = {NULL}};
    CHECK_REQUIRE(t, wilson_fixture_create(t, size, NULL, false, 0, mass, 1.1, false, &f));
    naik_field *b = wilson_fixture_field(t, &f, NAIK_DOUBLE, SYSTEMS, 80, NAIK_EVEN);
    run r = {.t = t, .f = &f, .b = b, .paced = true, .stays = true, .tighter = 1e-9, .most = 400};
    if (CHECK_OK(t, naik_operator_set_thin(f.geometry, f.u, f.clover, f.mass, f.twisted_mass,
                                           NAIK_SINGLE, 18, NAIK_SINGLE, SYSTEMS, &set))) {
        solve(set.op, NAIK_SINGLE, SYSTEMS, &r);
        CHECK_INT(t, r.early, 0);
        CHECK_INT(t, r.handed, SYSTEMS);
        CHECK_INT(t, r.result[0].reason, NAIK_SOLVER_ITERATION_LIMIT);
        CHECK_INT(t, r.result[0].rung, NAIK_RUNG_DOUBLE);
        CHECK_TRUE(t, r.result[0].climb != NAIK_SOLVER_NO_CLIMB);
        CHECK_TRUE(t, r.result[0].climbed_at > 0 && r.result[0].climbed_at < r.most);
        for (int i = 1; i < SYSTEMS; i++) {
            CHECK_INT(t, r.result[i].reason, NAIK_SOLVER_CONVERGED);
            CHECK_INT(t, r.result[i].rung, NAIK_RUNG_SINGLE);
        }
    }
    free_run(&r);
    naik_operator_set_destroy(&set);
    naik_field_destroy(&b);
    wilson_fixture_destroy(&f);
}

CHECK_MAIN(CHECK_UP_TO(1, the_first_climbs_though_the_others_are_held),
           CHECK_UP_TO(2, the_first_of_a_stream_decides_about_the_others))
