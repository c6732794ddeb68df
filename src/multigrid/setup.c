/* setup.c - the order in which a multigrid is made */
#include "multigrid/setup.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/timer.h"
#include "comm/new.h"
#include "operator/wilson_operator.h"
#include "solver/gcr.h"

static naik_precision stored_of(const naik_multigrid *mg)
{
    return mg->parameters.precision == 16 ? NAIK_HALF : NAIK_SINGLE;
}

/* Rhs of the cycle: a setup has blocks of vectors. */
static int cycle_width(int width)
{
    return width > NAIK_MG_BLOCK ? width : NAIK_MG_BLOCK;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

naik_multigrid_sizes naik_multigrid_bytes(const naik_geometry *geometry, const int extent[NAIK_DIM],
                                          int width, const naik_multigrid_parameters *parameters)
{
    const naik_aggregates a = naik_aggregates_outline(geometry, extent);
    const bool half = parameters->precision == 16;
    const naik_precision stored = half ? NAIK_HALF : NAIK_SINGLE;
    const int vectors = parameters->vectors;
    const size_t single = naik_transfer_bytes(&a, vectors, NAIK_SINGLE);
    const size_t fill = naik_coarse_operator_fill_bytes(&a, vectors);
    const size_t begin = naik_test_vectors_begin_bytes(geometry);
    const size_t fit = naik_polynomial_fit_bytes(geometry, parameters->smoother);
    return (naik_multigrid_sizes){
        .kept = naik_transfer_bytes(&a, vectors, stored) +
                naik_coarse_operator_bytes(&a, vectors, stored) +
                naik_cycle_bytes(&a, cycle_width(width), parameters),
        .making = (half ? single : 0) +
                  larger(fit, naik_test_vectors_bytes(geometry, vectors) + larger(begin, fill)),
        .directions = naik_gcr_bytes(geometry, NAIK_SINGLE, NAIK_SPIN, width, parameters->restart),
        .host = naik_multigrid_noise_bytes(geometry)};
}

static naik_status allocate(naik_multigrid *mg)
{
    naik_status status = NAIK_OK;
    const int vectors = mg->parameters.vectors;
    naik_comm *comm = mg->aggregates->geometry->backend->comm;
    NAIK_PASS(naik_transfer_create(mg->aggregates, vectors, NAIK_SINGLE, &mg->made));
    mg->used = mg->made;
    if (stored_of(mg) == NAIK_HALF) {
        mg->used = NULL;
        NAIK_PASS(naik_transfer_create(mg->aggregates, vectors, NAIK_HALF, &mg->used));
    }
    NAIK_PASS(naik_coarse_operator_create(mg->used, &mg->coarse));
    NAIK_PASS(naik_cycle_create(mg->inner, mg->used, mg->coarse, mg->smoother,
                                cycle_width(mg->width), &mg->parameters, &mg->cycle));
    status = naik_alloc(comm->log, (size_t)(mg->parameters.cycles + 1) * sizeof *mg->steps,
                        "a multigrid", (void **)&mg->steps);
    return naik_comm_agree(comm, status);
}

/* The coarse operator of the operator at hand, by way of the cycle's fields. */
static naik_status make_coarse(naik_multigrid *mg)
{
    naik_timer *timer = mg->aggregates->geometry->backend->timer;
    naik_field *const field[3] = {mg->cycle->rest, mg->cycle->other, mg->cycle->x};
    naik_timer_start(timer, "coarse operator");
    const naik_status status =
        naik_coarse_operator_fill(mg->coarse, mg->used, mg->inner, field, &mg->hooks);
    naik_timer_stop(timer, "coarse operator");
    return status;
}

static naik_status make_smoother(naik_multigrid *mg)
{
    naik_timer *timer = mg->aggregates->geometry->backend->timer;
    naik_timer_start(timer, "smoother");
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(naik_polynomial_fit(mg->outer, (naik_parity)parity, mg->parameters.smoother,
                                      mg->parameters.seed, &mg->smoother[parity]));
    }
    naik_timer_stop(timer, "smoother");
    return NAIK_OK;
}

/* P of the vectors, and all that follows from it; last: no cycle makes others of them. */
static naik_status take_vectors(naik_multigrid *mg, naik_test_vectors *vectors, bool last,
                                naik_orthonormal *met)
{
    double length[NAIK_MG_VECTORS_MOST];
    naik_timer *timer = mg->aggregates->geometry->backend->timer;
    NAIK_PASS(naik_multigrid_ask(&mg->hooks));
    naik_timer_start(timer, "orthonormalise");
    NAIK_PASS(
        naik_transfer_fill(mg->made, (naik_field *const(*)[2])vectors->v, vectors->blocks, met));
    naik_timer_stop(timer, "orthonormalise");
    if (mg->used != mg->made) {
        NAIK_PASS(naik_multigrid_of(mg->aggregates->geometry)->compress(mg->used, mg->made));
    }
    NAIK_PASS(make_coarse(mg));
    NAIK_PASS(naik_test_vectors_lengths(vectors, length));
    return naik_cycle_find_low(mg->cycle, (naik_field *const(*)[2])vectors->v, vectors->blocks,
                               length, last);
}

static void report_step(const naik_multigrid *mg, naik_log *report)
{
    const naik_multigrid_step *s = &mg->steps[mg->step_count - 1];
    char steps[64] = "", noise[96] = "";
    if (report == NULL) {
        return;
    }
    if (s->cycle > 0) {
        snprintf(steps, sizeof steps, "; a coarse solve took up to %.0f step%s", s->coarse_steps,
                 s->coarse_steps == 1 ? "" : "s");
    }
    if (s->met.replaced > 0) {
        snprintf(noise, sizeof noise,
                 "; noise took the place of %lld parts of vectors, which were "
                 "alike",
                 (long long)s->met.replaced);
    }
    naik_log_line(report,
                  "multigrid %s: |Mh v|/|v| is at most %.3g after %.0f applications of Mh to each "
                  "vector%s%s",
                  s->cycle == NAIK_MULTIGRID_STORED ? "vectors of an earlier setup"
                  : s->cycle == 0                   ? "start"
                                                    : "cycle",
                  s->worst, s->applications, steps, noise);
}

/* Applications of Mh to a vector: two an iteration of BiCGStab, one for its right-hand side and one for its
 * residual; the polynomial and its residual, source and odd sites of a cycle. */
static double applications(const naik_multigrid *mg, int cycles)
{
    return cycles == NAIK_MULTIGRID_STORED
               ? 0
               : 2 * mg->parameters.start + 2 + cycles * (mg->parameters.smoother + 2.0);
}

static naik_status note_step(naik_multigrid *mg, naik_test_vectors *vectors, int cycle,
                             const naik_orthonormal *met, naik_log *report)
{
    naik_multigrid_step *s = &mg->steps[mg->step_count++];
    *s = (naik_multigrid_step){.cycle = cycle,
                               .applications = applications(mg, cycle),
                               .coarse_steps = mg->cycle->cycles > 0 ? (double)mg->cycle->steps /
                                                                           (double)mg->cycle->cycles
                                                                     : 0,
                               .met = *met};
    mg->cycle->cycles = mg->cycle->steps = 0;
    NAIK_PASS(naik_test_vectors_worst(vectors, mg->inner, &s->worst));
    report_step(mg, report);
    return NAIK_OK;
}

/* Vectors of which no coarse correction came are no better than the smoother makes them. */
static naik_status check_size(const naik_multigrid *mg)
{
    return mg->cycle->beyond == 0
               ? NAIK_OK
               : NAIK_FAIL(mg->aggregates->geometry->backend->log, NAIK_ERR_NOT_CONVERGED,
                           "the coarse operator of multigrid makes vectors more than %d times as "
                           "long, for which its sums have no room",
                           NAIK_MG_LARGEST_S);
}

/* From noise, cycle by cycle. */
static naik_status find_vectors(naik_multigrid *mg, naik_test_vectors *vectors, naik_log *report)
{
    naik_orthonormal met;
    naik_timer *timer = mg->aggregates->geometry->backend->timer;
    naik_timer_start(timer, "start");
    NAIK_PASS(naik_test_vectors_begin(vectors, mg->outer, mg->inner, mg->parameters.start,
                                      mg->parameters.seed));
    naik_timer_stop(timer, "start");
    NAIK_PASS(take_vectors(mg, vectors, mg->parameters.cycles == 0, &met));
    NAIK_PASS(note_step(mg, vectors, 0, &met, report));
    for (int i = 1; i <= mg->parameters.cycles; i++) {
        naik_timer_start(timer, "cycles");
        NAIK_PASS(naik_test_vectors_part(vectors));
        NAIK_PASS(naik_test_vectors_improve(vectors, mg->cycle));
        naik_timer_stop(timer, "cycles");
        NAIK_PASS(check_size(mg));
        NAIK_PASS(take_vectors(mg, vectors, i == mg->parameters.cycles, &met));
        NAIK_PASS(note_step(mg, vectors, i, &met, report));
    }
    return NAIK_OK;
}

static naik_status make_vectors(naik_multigrid *mg, const naik_multigrid_store *store,
                                naik_log *report)
{
    naik_status status = NAIK_OK;
    naik_test_vectors vectors = {.count = 0};
    naik_orthonormal met;
    bool found = false;
    naik_timer *timer = mg->aggregates->geometry->backend->timer;
    naik_timer_start(timer, "vectors");
    NAIK_TRY(naik_test_vectors_create(mg->aggregates->geometry, mg->parameters.vectors, &vectors));
    vectors.hooks = mg->hooks;
    if (store != NULL) {
        NAIK_TRY(store->fetch(store->data, &vectors, &found));
    }
    naik_timer_stop(timer, "vectors");
    if (found) {
        NAIK_TRY(take_vectors(mg, &vectors, true, &met));
        NAIK_TRY(note_step(mg, &vectors, NAIK_MULTIGRID_STORED, &met, report));
        goto done;
    }
    NAIK_TRY(find_vectors(mg, &vectors, report));
    if (store != NULL) {
        naik_timer_start(timer, "vectors");
        NAIK_TRY(store->keep(store->data, &vectors));
        naik_timer_stop(timer, "vectors");
    }
done:
    naik_test_vectors_destroy(&vectors);
    return status;
}

/* What may fail on some links, and the run goes on: no time stays open. */
static naik_status set_up(naik_multigrid *mg, const naik_multigrid_store *store, naik_log *report)
{
    naik_status status = NAIK_OK;
    naik_timer *timer = mg->aggregates->geometry->backend->timer;
    naik_timer_start(timer, "multigrid setup");
    naik_timer_start(timer, "memory");
    NAIK_TRY(allocate(mg));
    naik_timer_stop(timer, "memory");
    NAIK_TRY(make_smoother(mg));
    NAIK_TRY(make_vectors(mg, store, report));
    if (mg->used != mg->made) { /* it has served */
        naik_transfer_destroy(&mg->made);
    }
    NAIK_TRY(naik_multigrid_seal(mg, false));
done:
    naik_timer_stop(timer, "multigrid setup");
    return status;
}

naik_status naik_multigrid_create(const naik_wilson *outer, const naik_wilson *inner, int width,
                                  const naik_multigrid_parameters *parameters,
                                  const naik_multigrid_hooks *hooks,
                                  const naik_multigrid_store *store, naik_log *report,
                                  naik_multigrid **out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = outer->links->geometry;
    naik_comm *comm = geometry->backend->comm;
    naik_multigrid *mg = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(comm, sizeof *mg, "a multigrid", (void **)&mg));
    mg->parameters = *parameters;
    mg->hooks = hooks != NULL ? *hooks : (naik_multigrid_hooks){.ask = NULL};
    mg->outer = outer;
    mg->inner = inner;
    mg->width = width;
    NAIK_TRY(naik_aggregates_create(geometry, parameters->aggregate, &mg->aggregates));
    NAIK_TRY(set_up(mg, store, report));
    *out = mg;
    mg = NULL;
done:
    naik_multigrid_destroy(&mg);
    return status;
}

naik_status naik_multigrid_change(naik_multigrid *mg, const naik_wilson *outer,
                                  const naik_wilson *inner)
{
    naik_status status = NAIK_OK;
    naik_timer *timer = mg->aggregates->geometry->backend->timer;
    mg->outer = outer;
    mg->inner = mg->cycle->wilson = inner;
    naik_timer_start(timer, "multigrid setup");
    NAIK_TRY(make_smoother(mg));
    NAIK_TRY(make_coarse(mg));
    NAIK_TRY(naik_cycle_lower(mg->cycle, true));
    NAIK_TRY(naik_multigrid_seal(mg, true));
done:
    naik_timer_stop(timer, "multigrid setup");
    return status;
}

void naik_multigrid_destroy(naik_multigrid **multigrid)
{
    naik_multigrid *mg = *multigrid;
    if (mg == NULL) {
        return;
    }
    naik_cycle_destroy(&mg->cycle);
    naik_coarse_operator_destroy(&mg->coarse);
    if (mg->used != mg->made) {
        naik_transfer_destroy(&mg->used);
    }
    naik_transfer_destroy(&mg->made);
    naik_aggregates_destroy(&mg->aggregates);
    naik_free(mg->steps);
    free(mg);
    *multigrid = NULL;
}

static naik_status precondition(void *data, naik_parity parity, const naik_field *r,
                                const double *norm, naik_field *z, int32_t *steps)
{
    const naik_multigrid *mg = data;
    return naik_cycle_apply(mg->cycle, parity, r, norm, z, steps);
}

naik_preconditioner naik_multigrid_preconditioner(naik_multigrid *mg)
{
    return (naik_preconditioner){
        .data = mg,
        .apply = precondition,
        .flops = naik_cycle_flops(mg->cycle, naik_wilson_schur_flops(mg->inner)),
        .step_flops = naik_cycle_step_flops(mg->cycle)};
}
