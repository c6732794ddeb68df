/* cg.c - the batched conjugate gradient, on any backend
 *
 * One iteration is a few calls that only enqueue (iterate). Between polls nothing reaches the host;
 * they are as rare as the rhs will not need one (cg_iterate.c).
 * At a poll the host reads the rhs' records: those that ask get their true residual
 * (cg_check.c), those that are done leave, new systems take their places, and when none are left
 * the batch is narrowed.
 */
#include "solver/cg.h"

#include <math.h>

#include "solver/cg_batch.h"

/* A starting value of rhs c; what went before it counts as done by this rhs. */
static naik_status take_start(naik_cg *cg, const naik_solver_stream *stream, int c)
{
    naik_status status = NAIK_OK;
    cg_rhs_slot *slot = &cg->slot[c];
    const naik_solver_starter *starter = stream->starter;
    naik_solver_start start = {.iterations = 0};
    if (starter != NULL && starter->start != NULL) {
        NAIK_TRY(starter->start(starter->data, slot->index, cg->outer.x, c, &start));
    }
    for (int i = 0; i < start.history_length && i < cg->history_stride; i++) {
        slot->history[i] = start.history[i];
    }
    slot->seconds = start.seconds;
    slot->start_iterations = start.iterations;
done:
    return status;
}

/* Gives every idle rhs a new system, as long as there are some; the new ones wait for their
 * rung. */
static naik_status load_systems(naik_cg *cg, const naik_solver_options *options,
                                const naik_solver_stream *stream)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    double norms[NAIK_MAX_RHS], start[NAIK_MAX_RHS];
    bool fresh[NAIK_MAX_RHS] = {false}, kept[NAIK_MAX_RHS] = {false};
    naik_solver_state state[NAIK_MAX_RHS];
    int loaded = 0;
    for (int c = 0; c < cg->width_now; c++) {
        fresh[c] = cg->record[c].state == NAIK_RHS_IDLE && cg->next + loaded < stream->count;
        loaded += fresh[c];
    }
    if (loaded == 0) {
        return NAIK_OK;
    }
    NAIK_TRY(ops->field.zero(cg->outer.x, cg->rhs, NAIK_RHS_IDLE));
    for (int c = 0; c < cg->width_now; c++) {
        if (fresh[c]) {
            cg_rhs_slot *slot = &cg->slot[c];
            double *history = slot->history;
            *slot = (cg_rhs_slot){.index = cg->next++, .history = history};
            NAIK_TRY(stream->load(stream->data, slot->index, cg->b, c, &slot->system));
            NAIK_TRY(cg_check_system(cg, &slot->system));
            NAIK_TRY(take_start(cg, stream, c));
            NAIK_TRY(cg_restore(cg, stream, c, &state[c], &kept[c]));
        }
    }
    NAIK_TRY(cg_dots(cg, cg->b, cg->b, norms));
    NAIK_TRY(cg_dots(cg, cg->outer.x, cg->outer.x, start));
    for (int c = 0; c < cg->width_now; c++) {
        if (fresh[c]) {
            cg_rhs_slot *slot = &cg->slot[c];
            slot->bb = norms[c];
            slot->zero_start = start[c] == 0;
            slot->best_rr = slot->corrected_rr = INFINITY;
            slot->rung = cg_first_rung(cg, options, slot->system.shift);
            slot->first_rung = slot->rung;
            cg->record[c] = (naik_rhs){.shift = slot->system.shift,
                                       .state = NAIK_RHS_WAIT,
                                       .iterations = slot->start_iterations,
                                       .limit = options->max_iterations};
            if (kept[c]) {
                NAIK_TRY(cg_restore_scalars(cg, options, c, &state[c]));
            }
        }
    }
    NAIK_TRY(cg_rhs_upload(cg));
done:
    return status;
}

/* Keeps and gives back every rhs as it stands: not even a true residual is formed, since an
 * update that an undisturbed run would not make changes bits. */
static naik_status interrupt_rhs(naik_cg *cg, const naik_solver_stream *stream)
{
    naik_status status = NAIK_OK;
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state != NAIK_RHS_IDLE) {
            NAIK_TRY(cg_save(cg, stream, c));
            NAIK_TRY(cg_finish_rhs(cg, stream, c, NAIK_SOLVER_INTERRUPTED, cg->record[c].rr));
        }
    }
done:
    return status;
}

/* Tells the stream where the solver is. */
static naik_status report_poll(naik_cg *cg, const naik_solver_stream *stream)
{
    naik_solver_progress progress = {.parity = cg->parity, .rung = cg->now};
    if (stream->poll == NULL) {
        return NAIK_OK;
    }
    cg_fields_of(cg, cg->now, progress.field);
    for (int c = 0; c < cg->width_now; c++) {
        const naik_rhs *record = &cg->record[c];
        if (record->state != NAIK_RHS_RUN) {
            continue;
        }
        double residual = sqrt(record->rr / cg->slot[c].bb);
        progress.residual = residual > progress.residual ? residual : progress.residual;
        progress.iterations =
            record->iterations > progress.iterations ? record->iterations : progress.iterations;
        progress.iterations_of[progress.running] = record->iterations;
        progress.residual_of[progress.running] = residual;
        progress.index[progress.running] = cg->slot[c].index;
        progress.irhs[progress.running++] = c;
    }
    return stream->poll(stream->data, &progress);
}

static naik_status solve(naik_solver *solver, naik_parity parity,
                         const naik_solver_options *options, const naik_solver_stream *stream)
{
    naik_status status = NAIK_OK;
    naik_cg *cg = (naik_cg *)solver;
    if (options->max_iterations < 1 || !(options->delta >= 0) || options->delta >= 1 ||
        options->first_rung >= NAIK_RUNGS) {
        return NAIK_FAIL(
            cg->geometry->backend->log, NAIK_ERR_ARG,
            "the solver needs a positive iteration limit and a delta from 0 to below 1");
    }
    NAIK_TRY(cg_begin(cg, parity, options, stream->count));
    for (;;) {
        bool stopping = stream->stop != NULL && stream->stop(stream->data);
        if (stopping || cg_rhs_in_state(cg, NAIK_RHS_RUN) < cg->width_now) {
            NAIK_TRY(cg_close_iteration(cg));
        }
        if (stopping) {
            NAIK_TRY(interrupt_rhs(cg, stream));
            break;
        }
        NAIK_TRY(load_systems(cg, options, stream));
        NAIK_TRY(cg_release(cg));
        NAIK_TRY(cg_recover_broken(cg));
        NAIK_TRY(cg_check_rhs(cg, options, stream));
        const int running =
            cg_rhs_in_state(cg, NAIK_RHS_RUN) + cg_rhs_in_state(cg, NAIK_RHS_BROKEN);
        const int held = cg->width_now - cg_rhs_in_state(cg, NAIK_RHS_IDLE);
        if (held == 0 && cg->next >= stream->count) {
            break;
        }
        if (running == 0) {
            continue; /* all were done at their first check, or wait: load the next */
        }
        if (cg->next >= stream->count && 4 * held <= 3 * cg->width_now) {
            NAIK_TRY(cg_narrow(cg));
        }
        NAIK_TRY(cg_run_to_poll(cg));
        status = report_poll(cg, stream);
        if (status != NAIK_OK) { /* of the stream: the next solve begins with nothing under way */
            (void)cg_close_iteration(cg);
            goto done;
        }
    }
done:
    return status;
}

static int fields(const naik_operator_ops *ops)
{
    return 4 + ops->scratch; /* x, r, p, A p */
}

const naik_solver_kind naik_solver_cg = {.name = "conjugate gradient",
                                         .fields = fields,
                                         .create = cg_create,
                                         .destroy = cg_destroy,
                                         .solve = solve};
