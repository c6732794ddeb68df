/* test_gcr.c - flexible GCR with a preconditioner as the first level of BiCGStab's ladder
 *
 * ranks: 1 2
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kept_state.h"
#include "solver/bicgstab.h"
#include "solver/gcr.h"
#include "wilson_fixture.h"

enum { SYSTEMS = 5 };
static const int size[4] = {4, 4, 4, 8};

/* A preconditioner that does little, and one that lies to a column. */
typedef struct helper {
    double factor;
    int broken; /* rhs whose z is 0; -1: none */
    int calls;
} helper;

static naik_status precondition(void *data, naik_parity parity, const naik_field *r,
                                const double *norm, naik_field *z, int32_t *steps)
{
    naik_status status = NAIK_OK;
    helper *h = data;
    const naik_field_ops *field = &r->geometry->backend->ops->field;
    naik_rhs mask[NAIK_MAX_RHS];
    (void)parity;
    (void)norm;
    h->calls++;
    for (int c = 0; c < r->nrhs; c++) {
        steps[c] += 3;
    }
    NAIK_TRY(field->zero(z, NULL, NAIK_RHS_IDLE));
    NAIK_TRY(field->axpy(h->factor, r, z));
    if (h->broken >= 0 && h->broken < r->nrhs) {
        memset(mask, 0, sizeof mask);
        mask[h->broken].state = NAIK_RHS_CHECK;
        naik_rhs *there = NULL;
        NAIK_TRY(naik_backend_alloc(r->geometry->backend, sizeof mask, "mask", (void **)&there));
        NAIK_TRY(naik_backend_upload(r->geometry->backend, there, mask, sizeof mask));
        NAIK_TRY(field->zero(z, there, NAIK_RHS_CHECK));
        NAIK_TRY(naik_backend_sync(r->geometry->backend));
        naik_backend_release(r->geometry->backend, there);
    }
done:
    return status;
}

typedef struct run {
    check *t;
    const wilson_fixture *f;
    bool alike;    /* all to one tolerance, so that rhs keep their places in the batch */
    naik_field *b; /* [SYSTEMS], in double */
    wilson_spinor *x[SYSTEMS];
    naik_solver_result result[SYSTEMS];
    int polls; /* until it is stopped; 0: never */
    kept_state kept[SYSTEMS];
    naik_method method;
    naik_status ends;
} run;

static naik_status load(void *data, int64_t index, naik_field *b, int irhs,
                        naik_solver_system *system)
{
    const run *r = data;
    *system = (naik_solver_system){.tolerance = index % 2 == 1 && !r->alike ? 1e-6 : 1e-11};
    return r->f->backend->ops->field.copy_rhs(b, irhs, r->b, (int)index);
}

static naik_status finish(void *data, int64_t index, const naik_field *x, int irhs,
                          const naik_solver_result *result)
{
    run *r = data;
    r->result[index] = *result;
    if (result->reason == NAIK_SOLVER_INTERRUPTED) {
        return NAIK_OK;
    }
    r->x[index] = wilson_ref_field(r->f->lat->volume);
    wilson_fixture_take(r->t, r->f, x, NAIK_ODD, irhs, r->x[index]);
    return NAIK_OK;
}

static bool stop(void *data)
{
    run *r = data;
    return r->polls > 0 && --r->polls == 0;
}

static naik_status save(void *data, int64_t index, const naik_solver_state *state,
                        naik_field *const field[NAIK_SOLVER_VECTORS], int irhs)
{
    run *r = data;
    return kept_state_save(&r->kept[index], NAIK_ODD, state, field, irhs);
}

static naik_status restore(void *data, int64_t index, naik_solver_state *state,
                           naik_field *const field[NAIK_RUNGS][NAIK_SOLVER_VECTORS], int irhs,
                           bool *found)
{
    run *r = data;
    return kept_state_restore(&r->kept[index], NAIK_ODD, state, field, irhs, found);
}

static void solve(run *r, int width, int restart, helper *h)
{
    check *t = r->t;
    naik_operator_set set;
    naik_solver *solver = NULL;
    const naik_preconditioner preconditioner = {h, precondition, 1e4, 100};
    naik_solver_options options = naik_solver_defaults();
    const naik_solver_stream stream = {.data = r,
                                       .count = SYSTEMS,
                                       .load = load,
                                       .finish = finish,
                                       .stop = stop,
                                       .save = save,
                                       .restore = restore};
    options.poll_interval = 1;
    options.preconditioner = &preconditioner;
    options.restart = restart;
    CHECK_OK(t, naik_operator_set_thin(r->f->geometry, r->f->u, r->f->clover, r->f->mass, 0,
                                       NAIK_SINGLE, 18, NAIK_SINGLE, width, &set));
    if (CHECK_OK(t, naik_solver_create(naik_method_solver(r->method), set.op, NAIK_SINGLE, width,
                                       &solver))) {
        CHECK_STATUS(t, naik_solver_solve(solver, NAIK_ODD, &options, &stream), r->ends);
    }
    naik_solver_destroy(&solver);
    naik_operator_set_destroy(&set);
}

static void free_run(run *r)
{
    for (int i = 0; i < SYSTEMS; i++) {
        free(r->x[i]);
        r->x[i] = NULL;
    }
}

static bool begin(check *t, wilson_fixture *f, run *r)
{
    *r = (run){.t = t, .f = f, .method = NAIK_METHOD_MULTIGRID};
    if (!wilson_fixture_create(t, size, NULL, false, 0, 0.1, 1.1, false, f)) {
        return false;
    }
    r->b = wilson_fixture_field(t, f, NAIK_DOUBLE, SYSTEMS, 11, NAIK_ODD);
    return r->b != NULL;
}

static void end(wilson_fixture *f, run *r)
{
    naik_field_destroy(&r->b);
    wilson_fixture_destroy(f);
}

static void restarts_change_iterations_but_not_answers(check *t)
{
    wilson_fixture f;
    run r;
    wilson_spinor *first[SYSTEMS] = {NULL};
    int before = 0;
    CHECK_REQUIRE(t, begin(t, &f, &r));
    for (int restart = 16; restart >= 3; restart -= 13) {
        helper h = {.factor = 0.7, .broken = -1};
        solve(&r, SYSTEMS, restart, &h);
        for (int i = 0; i < SYSTEMS; i++) {
            CHECK_INT(t, r.result[i].reason, NAIK_SOLVER_CONVERGED);
            CHECK_INT(t, r.result[i].climb, NAIK_SOLVER_NO_CLIMB);
            CHECK_INT(t, r.result[i].rung, NAIK_RUNG_SINGLE);
            CHECK_TRUE(t, r.result[i].residual <= (i % 2 == 1 ? 1e-6 : 1e-11));
            CHECK_TRUE(t,
                       r.result[i].restarts >= (i % 2 == 1 ? 0 : 1)); /* beyond single precision */
        }
        CHECK_TRUE(t, r.result[1].iterations < r.result[0].iterations);
        /* of an iteration: the helper's and its three inner steps; Mh; (1.5 restart + 3) 96 */
        const int mh = 2 * (NAIK_WILSON_FLOPS + NAIK_CLOVER_FLOPS) + NAIK_SPINOR_AXPY_FLOPS;
        CHECK_NEAR(t, r.result[0].flops,
                   r.result[0].iterations * (10300 + mh + 96 * (1.5 * restart + 3)), 1);
        if (restart == 16) {
            before = r.result[0].iterations;
            memcpy(first, r.x, sizeof first);
            memset(r.x, 0, sizeof r.x);
        }
    }
    CHECK_TRUE(t, before <= r.result[0].iterations);
    CHECK_NEAR(t, wilson_fixture_difference(&f, r.x[0], first[0], NAIK_ODD), 0, 1e-9);
    for (int i = 0; i < SYSTEMS; i++) {
        free(first[i]);
    }
    free_run(&r);
    end(&f, &r);
}

static void batches_do_not_change_a_bit(check *t)
{
    static const int widths[] = {1, 2, SYSTEMS};
    wilson_fixture f;
    run r;
    wilson_spinor *first[SYSTEMS] = {NULL};
    CHECK_REQUIRE(t, begin(t, &f, &r));
    for (int w = 0; w < 3; w++) {
        helper h = {.factor = 1, .broken = -1};
        solve(&r, widths[w], 4, &h);
        for (int i = 0; i < SYSTEMS; i++) {
            if (w > 0) {
                CHECK_INT(
                    t, memcmp(first[i], r.x[i], (size_t)f.lat->volume * sizeof(wilson_spinor)), 0);
                free(first[i]);
            }
            first[i] = r.x[i];
            r.x[i] = NULL;
        }
    }
    for (int i = 0; i < SYSTEMS; i++) {
        free(first[i]);
    }
    end(&f, &r);
}

/* Five steps of three rhs: before the fourth, rhs 0 forgets its directions, and before the fifth, rhs 1 stops. It is then
 * taken out, or stays. x of rhs 0 and 2. */
static void stop_one(check *t, const wilson_fixture *f, const naik_operator *op, bool out,
                     wilson_spinor *x[2])
{
    static const int map[2] = {0, 2};
    helper h = {.factor = 0.7, .broken = -1};
    const naik_preconditioner preconditioner = {&h, precondition, 1e4, 100};
    naik_gcr *gcr = NULL;
    naik_field *all[2] = {wilson_fixture_field(t, f, NAIK_SINGLE, 3, 11, NAIK_ODD),
                          wilson_fixture_zero(t, f, NAIK_SINGLE, 3)};
    naik_field *left[2] = {NULL, NULL};
    naik_gcr_step step = {.op = op,
                          .parity = NAIK_ODD,
                          .preconditioner = &preconditioner,
                          .r = all[0],
                          .x = all[1],
                          .active = {true, true, true},
                          .rr = {1e6, 1e6, 1e6}};
    CHECK_OK(t, naik_gcr_create(f->geometry, NAIK_SINGLE, NAIK_SPIN, 3, 8, &gcr));
    naik_gcr_begin(gcr, 3);
    for (int i = 0; i < 5; i++) {
        if (i == 3) {
            naik_gcr_forget(gcr, 0);
        }
        if (i == 4) {
            step.active[out ? 2 : 1] = false;
        }
        for (int k = 0; k < 2 && i == 4 && out; k++) {
            left[k] = wilson_fixture_zero(t, f, NAIK_SINGLE, 2);
            CHECK_OK(t, f->backend->ops->field.gather(left[k], all[k], map));
        }
        if (i == 4 && out) {
            step.r = left[0];
            step.x = left[1];
            CHECK_OK(t, naik_gcr_narrow(gcr, map, 2));
        }
        CHECK_OK(t, naik_gcr_iterate(gcr, &step));
    }
    CHECK_OK(t, naik_gcr_collect(gcr, step.x, step.active));
    for (int k = 0; k < 2; k++) {
        x[k] = wilson_ref_field(f->lat->volume);
        wilson_fixture_take(t, f, step.x, NAIK_ODD, out ? k : map[k], x[k]);
    }
    for (int k = 0; k < 2; k++) {
        naik_field_destroy(&all[k]);
        naik_field_destroy(&left[k]);
    }
    naik_gcr_destroy(&gcr);
}

static void directions_go_with_their_column(check *t)
{
    wilson_fixture f;
    run r;
    naik_operator_set set;
    wilson_spinor *x[2][2];
    CHECK_REQUIRE(t, begin(t, &f, &r));
    CHECK_OK(t, naik_operator_set_thin(f.geometry, f.u, f.clover, f.mass, 0, NAIK_SINGLE, 18,
                                       NAIK_SINGLE, 3, &set));
    for (int out = 0; out < 2; out++) {
        stop_one(t, &f, &set.op[NAIK_SINGLE], out == 1, x[out]);
    }
    for (int k = 0; k < 2; k++) {
        CHECK_INT(t, memcmp(x[0][k], x[1][k], (size_t)f.lat->volume * sizeof(wilson_spinor)), 0);
        free(x[0][k]);
        free(x[1][k]);
    }
    naik_operator_set_destroy(&set);
    end(&f, &r);
}

/* Of a run whose input was changed meanwhile. */
static void what_multigrid_has_begun_goes_on_with_multigrid_alone(check *t)
{
    static const naik_method others[] = {NAIK_METHOD_BICGSTAB, NAIK_METHOD_CG};
    helper h = {.factor = 1, .broken = -1};
    for (int i = 0; i < 2; i++) {
        wilson_fixture f;
        run r;
        CHECK_REQUIRE(t, begin(t, &f, &r));
        r.polls = 3;
        solve(&r, SYSTEMS, 16, &h);
        CHECK_TRUE(t, naik_solver_state_is_multigrid(&r.kept[0].state));
        r.method = others[i];
        r.ends = NAIK_ERR_CORRUPT;
        solve(&r, SYSTEMS, 16, &h);
        for (int k = 0; k < SYSTEMS; k++) {
            kept_state_free(&r.kept[k]);
        }
        free_run(&r);
        end(&f, &r);
    }
}

static void a_column_that_breaks_down_goes_on_without(check *t)
{
    wilson_fixture f;
    run r;
    helper h = {.factor = 1, .broken = 2};
    CHECK_REQUIRE(t, begin(t, &f, &r));
    r.alike = true;
    solve(&r, SYSTEMS, 16, &h);
    for (int i = 0; i < SYSTEMS; i++) {
        CHECK_INT(t, r.result[i].reason, NAIK_SOLVER_CONVERGED);
        CHECK_INT(t, r.result[i].rung, i == 2 ? NAIK_RUNG_DOUBLE : NAIK_RUNG_SINGLE);
        CHECK_INT(t, r.result[i].climb, i == 2 ? NAIK_SOLVER_CLIMB_BROKEN : NAIK_SOLVER_NO_CLIMB);
    }
    free_run(&r);
    end(&f, &r);
}

/* Of an rhs in double those of multigrid wait: stopped then, they are kept as they came. */
static void what_waits_for_its_stage_is_kept_as_it_was(check *t)
{
    enum { LEFT = 14 }; /* polls: column 2 is in double, the others were refreshed */
    wilson_fixture f;
    run r;
    wilson_spinor *first[SYSTEMS];
    helper h = {.factor = 1, .broken = 2};
    CHECK_REQUIRE(t, begin(t, &f, &r));
    r.alike = true;
    solve(&r, SYSTEMS, 16, &h);
    memcpy(first, r.x, sizeof first);
    memset(r.x, 0, sizeof r.x);
    r.polls = LEFT;
    solve(&r, SYSTEMS, 16, &h);
    CHECK_INT(t, r.result[2].rung, NAIK_RUNG_DOUBLE);
    CHECK_TRUE(t, naik_solver_state_is_multigrid(&r.kept[2].state)); /* a run goes on with it so */
    CHECK_TRUE(t, r.kept[0].state.started && r.kept[0].state.record.iterations > 0);
    for (int again = 0; again < 2; again++) {
        r.polls = 3;
        h.calls = 0;
        solve(&r, SYSTEMS, 16, &h);
        CHECK_INT(t, h.calls, 0); /* they waited */
    }
    r.polls = 0;
    solve(&r, SYSTEMS, 16, &h);
    for (int i = 0; i < SYSTEMS; i++) {
        CHECK_TRUE(t, r.x[i] != NULL &&
                          memcmp(first[i], r.x[i], (size_t)f.lat->volume * sizeof *first[i]) == 0);
        free(first[i]);
        kept_state_free(&r.kept[i]);
    }
    free_run(&r);
    end(&f, &r);
}

/* A column breaks down, is restored from its last true residual, and breaks down as often as it would have. */
static void a_column_stopped_at_its_breakdown_counts_it_once_more(check *t)
{
    wilson_fixture f;
    run r;
    naik_solver_result whole[SYSTEMS];
    wilson_spinor *first[SYSTEMS];
    int broken = 0;
    helper h = {.factor = 1, .broken = 2};
    CHECK_REQUIRE(t, begin(t, &f, &r));
    r.alike = true;
    solve(&r, SYSTEMS, 16, &h);
    memcpy(first, r.x, sizeof first);
    memcpy(whole, r.result, sizeof whole);
    memset(r.x, 0, sizeof r.x);
    for (int polls = 2; polls < 8; polls++) { /* it leaves after four breakdowns */
        r.polls = polls;
        solve(&r, SYSTEMS, 16, &h);
        broken += r.kept[2].state.level == r.kept[0].state.level &&
                  r.kept[2].state.record.state == NAIK_RHS_BROKEN;
        for (int i = 0; i < SYSTEMS; i++) {
            CHECK_TRUE(t, r.kept[i].state.started == 0 ||
                              naik_solver_state_holds(&r.kept[i].state)); /* a file takes it */
        }
        r.polls = 0;
        solve(&r, SYSTEMS, 16, &h);
        for (int i = 0; i < SYSTEMS; i++) {
            CHECK_INT(t, r.result[i].iterations, whole[i].iterations);
            CHECK_NEAR(t, r.result[i].flops, whole[i].flops, 0);
            CHECK_INT(t, r.result[i].climb, whole[i].climb);
            CHECK_INT(t, r.result[i].climbed_at, whole[i].climbed_at);
            CHECK_TRUE(t, r.x[i] != NULL && memcmp(first[i], r.x[i],
                                                   (size_t)f.lat->volume * sizeof *first[i]) == 0);
            kept_state_free(&r.kept[i]);
        }
        free_run(&r);
    }
    CHECK_TRUE(t, broken > 0);
    for (int i = 0; i < SYSTEMS; i++) {
        free(first[i]);
    }
    end(&f, &r);
}

CHECK_MAIN(CHECK(a_column_stopped_at_its_breakdown_counts_it_once_more),
           CHECK(what_waits_for_its_stage_is_kept_as_it_was),
           CHECK(what_multigrid_has_begun_goes_on_with_multigrid_alone),
           CHECK(restarts_change_iterations_but_not_answers), CHECK(batches_do_not_change_a_bit),
           CHECK(a_column_that_breaks_down_goes_on_without), CHECK(directions_go_with_their_column))
