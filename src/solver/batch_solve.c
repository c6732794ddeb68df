/* batch_solve.c - a stream of systems through the slots of a batch
 *
 * Between polls nothing reaches the host. At a poll the host reads the records of all rhs: those that
 * ask get their true residual, those that are done leave, new systems take their places, and when the
 * stream has no more of them the batch is narrowed.
 */
#include <math.h>

#include "base/timer.h"
#include "solver/batch.h"

static naik_solver_pace pace_of(const naik_solver_stream *stream)
{
    return stream->pace != NULL ? stream->pace(stream->data) : NAIK_SOLVER_ALL;
}

/* Systems that may have begun by now. */
static int64_t open_to(const naik_solver_stream *stream)
{
    return pace_of(stream) == NAIK_SOLVER_FIRST && stream->count > 1 ? 1 : stream->count;
}

/* A starting value of rhs c; what went into it counts as done by this rhs. */
static naik_status take_start(naik_solver *s, const naik_solver_starter *starter, int c)
{
    batch_slot *slot = &s->slot[c];
    naik_solver_start start = {.iterations = 0};
    if (starter == NULL || starter->start == NULL) {
        return NAIK_OK;
    }
    NAIK_PASS(starter->start(starter->data, slot->index, s->outer.field[BATCH_X], c, &start));
    for (int i = 0; i < start.history_length && i < s->history_stride; i++) {
        slot->state.history[i] = start.history[i];
    }
    slot->state.seconds = start.seconds;
    slot->start_iterations = s->record[c].iterations = start.iterations;
    return NAIK_OK;
}

/* The next system into slot c; *kept: it goes on where another run left it. */
static naik_status load_system(naik_solver *s, const naik_solver_options *options,
                               const naik_solver_stream *stream, int c, bool *kept)
{
    batch_slot *slot = &s->slot[c];
    naik_solver_system *system = &slot->system;
    *slot = (batch_slot){
        .index = s->next++,
        .state = {.best_rr = INFINITY, .corrected_rr = INFINITY, .history = slot->state.history}};
    *system = (naik_solver_system){.shift = 0};
    NAIK_PASS(stream->load(stream->data, slot->index, s->b, c, system));
    if (!(system->shift >= 0) || !(system->tolerance > 0) || !(system->site_tolerance >= 0)) {
        return NAIK_FAIL(s->geometry->backend->log, NAIK_ERR_ARG,
                         "a system needs a shift of at least 0 and a positive tolerance");
    }
    s->record[c] = (naik_rhs){.shift = system->shift, .limit = batch_limit(s, options, c)};
    s->kind->load(s, options, c);
    slot->state.first_rung = (int32_t)s->kind->rung(s, batch_stage_of(s, c));
    NAIK_PASS(take_start(s, stream->starter, c));
    return batch_restore(s, stream, c, kept);
}

/* Gives every idle rhs a new system, as long as there are some; the new ones wait for their stage. */
static naik_status load_systems(naik_solver *s, const naik_solver_options *options,
                                const naik_solver_stream *stream, int64_t open)
{
    double bb[NAIK_MAX_RHS], xx[NAIK_MAX_RHS];
    bool fresh[NAIK_MAX_RHS] = {false}, kept[NAIK_MAX_RHS] = {false};
    int loaded = 0;
    for (int c = 0; c < s->width_now; c++) {
        fresh[c] = s->record[c].state == NAIK_RHS_IDLE && s->next + loaded < open;
        loaded += fresh[c];
    }
    if (loaded == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(batch_set_mask(s, fresh));
    NAIK_PASS(
        s->geometry->backend->ops->field.zero(s->outer.field[BATCH_X], s->mask, NAIK_RHS_CHECK));
    for (int c = 0; c < s->width_now; c++) {
        if (fresh[c]) {
            NAIK_PASS(load_system(s, options, stream, c, &kept[c]));
        }
    }
    NAIK_PASS(batch_dots(s, s->b, s->b, NULL, bb));
    NAIK_PASS(batch_dots(s, s->outer.field[BATCH_X], s->outer.field[BATCH_X], NULL, xx));
    for (int c = 0; c < s->width_now; c++) {
        naik_solver_state *state = &s->slot[c].state;
        if (!fresh[c]) {
            continue;
        }
        if (kept[c] && (state->bb != bb[c] || !s->kind->fits(s, options, c))) {
            return NAIK_FAIL(s->geometry->backend->log, NAIK_ERR_CORRUPT,
                             "the kept state of an interrupted solve belongs to another right-hand "
                             "side: remove it to start that solve again");
        }
        state->bb = bb[c];
        state->moved = state->moved || xx[c] != 0;
        s->record[c].state = NAIK_RHS_WAIT;
    }
    return batch_upload(s);
}

/* Rhs that wait go on, or ask for their true residual, if their stage is at work; where none is, the
 * fastest stage that is waited for comes. */
static naik_status release(naik_solver *s)
{
    const int waiting = batch_in_state(s, NAIK_RHS_WAIT);
    bool begins[NAIK_MAX_RHS] = {false}, any = false;
    int least = -1;
    if (waiting == 0) {
        return NAIK_OK;
    }
    for (int c = 0; c < s->width_now; c++) {
        const int stage = batch_stage_of(s, c);
        if (s->record[c].state == NAIK_RHS_WAIT && (least < 0 || stage < least)) {
            least = stage;
        }
    }
    const int rest = batch_in_state(s, NAIK_RHS_IDLE) + batch_in_state(s, NAIK_RHS_HELD);
    if (waiting + rest == s->width_now && least != s->now) {
        s->now = least;
        s->serial = naik_backend_serial(s->geometry->backend);
    }
    for (int c = 0; c < s->width_now; c++) {
        const batch_slot *slot = &s->slot[c];
        if (s->record[c].state == NAIK_RHS_WAIT && batch_stage_of(s, c) == s->now) {
            begins[c] = slot->state.started == 0;
            s->record[c].state = begins[c] ? NAIK_RHS_CHECK : slot->resumes;
            any = any || begins[c];
        }
    }
    if (any && s->kind->clear != NULL) {
        NAIK_PASS(batch_set_mask(s, begins));
        NAIK_PASS(s->kind->clear(s));
    }
    return batch_upload(s);
}

int batch_limit(const naik_solver *s, const naik_solver_options *options, int c)
{
    const int own = s->slot[c].system.limit;
    return own > 0 && own < options->max_iterations ? own : options->max_iterations;
}

int batch_verdict(const naik_solver *s, const naik_solver_options *options, int c, double rr)
{
    const naik_solver_system *system = &s->slot[c].system;
    const naik_solver_state *state = &s->slot[c].state;
    const double site = system->site_tolerance;
    if (state->bb == 0) {
        return NAIK_SOLVER_ZERO_SOURCE;
    }
    if (rr <= system->tolerance * system->tolerance * state->bb &&
        (site <= 0 || state->site_residual <= site)) {
        return NAIK_SOLVER_CONVERGED;
    }
    return s->record[c].iterations >= batch_limit(s, options, c) ? NAIK_SOLVER_ITERATION_LIMIT : -1;
}

static double flops_of(const naik_solver *s, int c)
{
    const naik_operator *op = s->op[NAIK_RUNG_DOUBLE];
    return s->kind->flops != NULL ? s->kind->flops(s, c)
                                  : s->record[c].iterations * op->ops->step_flops(op);
}

static naik_status close_iteration(naik_solver *s)
{
    return s->kind->close != NULL ? s->kind->close(s) : NAIK_OK;
}

/* Whether the first system is in the batch. */
static bool has_first(const naik_solver *s)
{
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state != NAIK_RHS_IDLE && s->slot[c].index == 0) {
            return true;
        }
    }
    return false;
}

static bool holds(const naik_solver *s, const naik_solver_stream *stream)
{
    return pace_of(stream) == NAIK_SOLVER_BESIDE && has_first(s);
}

/* Where the first system is alone again, the others have not begun. */
static naik_status forget_others(naik_solver *s, const naik_solver_stream *stream)
{
    if (pace_of(stream) != NAIK_SOLVER_FIRST || s->next <= 1) {
        return NAIK_OK;
    }
    NAIK_PASS(close_iteration(s));
    for (int c = 0; c < s->width_now; c++) {
        if (s->slot[c].index != 0) {
            s->record[c].state = NAIK_RHS_IDLE;
        }
    }
    s->next = 1;
    return batch_upload(s);
}

/* Hands back what was held, once it may be. */
static naik_status finish_held(naik_solver *s, const naik_solver_stream *stream)
{
    if (batch_in_state(s, NAIK_RHS_HELD) == 0 || holds(s, stream)) {
        return NAIK_OK;
    }
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state == NAIK_RHS_HELD) {
            NAIK_PASS(batch_finish(s, stream, c, s->slot[c].reason, s->slot[c].rr));
        }
    }
    return NAIK_OK;
}

naik_status batch_finish(naik_solver *s, const naik_solver_stream *stream, int c,
                         naik_solver_reason reason, double rr)
{
    if (s->slot[c].index != 0 && holds(s, stream)) {
        s->slot[c].reason = reason;
        s->slot[c].rr = rr;
        s->record[c].state = NAIK_RHS_HELD;
        return NAIK_OK;
    }
    const batch_slot *slot = &s->slot[c];
    const naik_solver_state *state = &slot->state;
    const int stage = batch_stage_of(s, c), iterations = s->record[c].iterations;
    const naik_solver_result result = {
        .reason = reason,
        .iterations = iterations,
        .start_iterations = slot->start_iterations,
        .restarts = state->restarts,
        .corrections = state->corrections,
        .first_rung = (naik_rung)state->first_rung,
        .rung = s->kind->rung(s, stage),
        .normal = s->kind->is_normal != NULL && s->kind->is_normal(stage),
        .climb = (naik_solver_climb)state->climb,
        .climbed_at = state->climbed_at,
        .residual = reason == NAIK_SOLVER_ZERO_SOURCE ? 0 : sqrt(rr / state->bb),
        .site_residual = slot->system.site_tolerance > 0 ? state->site_residual : NAN,
        .flops = flops_of(s, c),
        .seconds = state->seconds,
        .history = state->history,
        .history_length = iterations < s->history_stride ? iterations : s->history_stride};
    s->record[c].state = NAIK_RHS_IDLE;
    return stream->finish(stream->data, slot->index, s->outer.field[BATCH_X], c, &result);
}

/* Keeps and gives back every rhs as it stands: not even a true residual is formed, since an
 * update that an undisturbed run would not make changes bits. The first system is the first in a batch, so that none
 * is held any more when the others come. */
static naik_status interrupt(naik_solver *s, const naik_solver_stream *stream)
{
    for (int c = 0; c < s->width_now; c++) {
        if (s->record[c].state != NAIK_RHS_IDLE) {
            NAIK_PASS(batch_save(s, stream, c));
            NAIK_PASS(batch_finish(s, stream, c, NAIK_SOLVER_INTERRUPTED, s->record[c].rr));
        }
    }
    return NAIK_OK;
}

/* The residual history since the last poll, from the ring on the backend. */
static naik_status take_history(naik_solver *s, const int before[])
{
    if (s->history_stride == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(naik_backend_download(s->geometry->backend, s->ring, s->history,
                                    (size_t)s->longest * (size_t)s->width_now * sizeof *s->ring));
    for (int c = 0; c < s->width_now; c++) {
        const naik_solver_state *state = &s->slot[c].state;
        for (int i = before[c]; i < s->record[c].iterations && i < s->history_stride; i++) {
            const double rr = s->ring[i % s->longest * s->width_now + c];
            state->history[i] = sqrt(rr / state->bb);
        }
    }
    return NAIK_OK;
}

/* Runs until the next poll. */
static naik_status run_to_poll(naik_solver *s)
{
    naik_backend *backend = s->geometry->backend;
    const double start_s = naik_time_s();
    int before[NAIK_MAX_RHS] = {0}, count = 0;
    double flops = 0;
    for (int c = 0; c < s->width_now; c++) {
        before[c] = s->record[c].iterations;
        flops -= flops_of(s, c);
    }
    naik_timer_start(backend->timer, "iterate");
    NAIK_PASS(backend->ops->reduction.clear(backend, s->sums, s->kind->sums * s->width_now));
    NAIK_PASS(s->kind->run(s, &count));
    NAIK_PASS(take_history(s, before));
    int all = 0;
    for (int c = 0; c < s->width_now; c++) {
        all += s->record[c].iterations - before[c];
    }
    const double step_s = all > 0 ? (naik_time_s() - start_s) / all : 0;
    for (int c = 0; c < s->width_now; c++) {
        const int done = s->record[c].iterations - before[c];
        flops += flops_of(s, c);
        s->missed += s->record[c].state == NAIK_RHS_CHECK ? count - done : 0;
        s->slot[c].state.seconds += step_s * done;
    }
    naik_timer_count(backend->timer, flops * 0.5 * (double)s->geometry->lattice->volume, 0);
    naik_timer_stop(backend->timer, "iterate");
    return NAIK_OK;
}

/* Tells the stream where the solver is. */
static naik_status report_poll(const naik_solver *s, const naik_solver_stream *stream)
{
    naik_solver_progress progress = {.parity = s->parity, .rung = s->kind->rung(s, s->now)};
    if (stream->poll == NULL) {
        return NAIK_OK;
    }
    s->kind->vectors(s, s->now, progress.field);
    for (int c = 0; c < s->width_now; c++) {
        const naik_rhs *record = &s->record[c];
        if (record->state == NAIK_RHS_RUN) {
            const int at = progress.running++;
            const double residual = sqrt(record->rr / s->slot[c].state.bb);
            progress.residual = residual > progress.residual ? residual : progress.residual;
            progress.iterations =
                record->iterations > progress.iterations ? record->iterations : progress.iterations;
            progress.iterations_of[at] = record->iterations;
            progress.residual_of[at] = residual;
            progress.index[at] = s->slot[c].index;
            progress.irhs[at] = c;
        }
    }
    return stream->poll(stream->data, &progress);
}

naik_status naik_solver_solve(naik_solver *s, naik_parity parity,
                              const naik_solver_options *options, const naik_solver_stream *stream)
{
    naik_status status = NAIK_OK;
    if (options->max_iterations < 1 || !(options->delta >= 0) || options->delta >= 1 ||
        options->first_rung >= NAIK_RUNGS) {
        return NAIK_FAIL(
            s->geometry->backend->log, NAIK_ERR_ARG,
            "the solver needs a positive iteration limit and a delta from 0 to below 1");
    }
    NAIK_PASS(batch_begin(s, parity, options, open_to(stream)));
    for (;;) {
        const bool stopping = stream->stop != NULL && stream->stop(stream->data);
        const int64_t open = open_to(stream);
        const bool widens = s->next < open && s->width_now < s->width;
        if (stopping || batch_in_state(s, NAIK_RHS_RUN) < s->width_now || widens) {
            NAIK_PASS(close_iteration(s));
        }
        if (stopping) {
            NAIK_PASS(interrupt(s, stream));
            break;
        }
        NAIK_PASS(forget_others(s, stream));
        NAIK_PASS(finish_held(s, stream));
        NAIK_PASS(batch_widen(s, open - s->next));
        NAIK_PASS(load_systems(s, options, stream, open));
        NAIK_PASS(release(s));
        NAIK_PASS(s->kind->check(s, options, stream));
        const bool empty = s->next >= open_to(stream);
        if (empty && batch_in_state(s, NAIK_RHS_IDLE) == s->width_now) {
            break;
        }
        if (batch_in_state(s, NAIK_RHS_RUN) + batch_in_state(s, NAIK_RHS_BROKEN) == 0) {
            continue; /* all were done at their first check, or wait: load the next */
        }
        if (empty) {
            NAIK_PASS(batch_narrow(s));
        }
        NAIK_PASS(run_to_poll(s));
        status = report_poll(s, stream);
        if (status != NAIK_OK) { /* of the stream: the next solve begins with nothing under way */
            (void)close_iteration(s);
            return status;
        }
    }
    return status;
}
