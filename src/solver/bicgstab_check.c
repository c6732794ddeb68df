/* bicgstab_check.c - true residuals, and what becomes of their right-hand sides */
#include <math.h>

#include "base/timer.h"
#include "solver/bicgstab_parts.h"

/* New beginnings of a level, and checks in a row that brought nothing, before the next level. */
enum { BEGINNINGS = 3, STALLS = 3 };
/* Iterations in which a level has to halve |r|; 0: as many as it takes. Near the critical mass BiCGStab
 * stays on a plateau until it has found the smallest eigenvalues. In double the plateau ends, so that the
 * limit is high: a new beginning would look for the eigenvalues again. Below double the plateau may not
 * end, so that the limit is low: the solve then goes on in double, and keeps the direction with the
 * eigenvalues that it has found. (doc/performance-wilson-gpu.md) */
static const int halved_within[BG_LEVELS] = {[BG_FAST] = 160,
                                             [BG_DOUBLE] = 1000,
                                             [BG_NORMAL] = 1000,
                                             [BG_NORMAL_DOUBLE] = 0,
                                             [BG_MULTIGRID] = 32};
enum { HALVED_WITHIN_MOST = 400 }; /* and at BG_FAST the most that it may grow to */
/* An iterated |r| further from the true one than this part of it does not fit the direction. */
static const double APART = 0.1;

/* The drop of |r| after which it is formed anew: what the storage holds with some to spare. */
static double delta_of(const naik_solver *s, bg_level level)
{
    if (level == BG_MULTIGRID) {
        return 1e-5;
    }
    switch (bg_rung(s, level)) {
    case NAIK_RUNG_HALF: return 0.1;
    case NAIK_RUNG_SINGLE: return 1e-3;
    default: return 0;
    }
}

/* A stretch that would leave |r| less than so many times as long as where the rhs may stop goes on to there, which
 * single precision still holds: it saves a true residual. */
static const double LAST = 10;

/* Of a stretch from |r|^2 = rr; 0: it goes on to `stop`. */
static double delta2_of(const naik_solver *s, bg_level level, const naik_solver_options *options,
                        double rr, double stop)
{
    const double wanted = delta_of(s, level);
    const double delta = options->delta > 0 && wanted > 0 ? options->delta : wanted;
    const bool holds =
        options->delta <= 0 && level == BG_FAST && bg_rung(s, level) == NAIK_RUNG_SINGLE;
    return holds && delta * delta * rr <= LAST * LAST * stop ? 0 : delta * delta;
}

/* What was found since the last check joins x; what is not finite is dropped. An rhs that has not
 * iterated yet has found nothing: its correction is whatever lay there. */
static naik_status add_correction(naik_solver *s, const bool asks[])
{
    const naik_field_ops *field = &s->geometry->backend->ops->field;
    naik_field *correction = bg_fields_of(s, bg_at_work(s))[BATCH_X];
    double norms[NAIK_MAX_RHS];
    bool started[NAIK_MAX_RHS] = {false}, good[NAIK_MAX_RHS] = {false};
    if (!bg_corrects(s, bg_at_work(s))) {
        return NAIK_OK;
    }
    for (int c = 0; c < s->width_now; c++) {
        const naik_solver_state *at = &s->slot[c].state; /* what was kept has x alone */
        started[c] = asks[c] && at->started && (at->level != BG_MULTIGRID || at->live);
    }
    if (batch_any(s, started)) {
        NAIK_PASS(batch_set_mask(s, started));
        NAIK_PASS(batch_dots(s, correction, correction, s->mask, norms));
        for (int c = 0; c < s->width_now; c++) {
            good[c] = started[c] && isfinite(norms[c]);
            s->slot[c].broke = s->slot[c].broke || (started[c] && !good[c]);
        }
        NAIK_PASS(batch_set_mask(s, good));
        NAIK_PASS(field->add(s->outer.field[BATCH_X], correction, s->mask, NAIK_RHS_CHECK));
    }
    NAIK_PASS(batch_set_mask(s, asks));
    return field->zero(correction, s->mask, NAIK_RHS_CHECK);
}

/* outer r = b - B x of those in the mask. */
static naik_status form_residuals(naik_solver *s, double rr[])
{
    naik_backend *backend = s->geometry->backend;
    const naik_operator *op = s->op[NAIK_RUNG_DOUBLE];
    NAIK_PASS(backend->ops->reduction.clear(backend, s->sums, s->width_now));
    NAIK_PASS(op->ops->rest(op, s->parity, s->outer.field[BATCH_X], s->b, s->outer.field[BATCH_R],
                            s->sums, s->mask, NAIK_RHS_CHECK));
    return batch_sums(s, s->width_now, rr);
}

/* The first residuals, where x = 0, are b. */
static naik_status true_residuals(naik_solver *s, const bool asks[], double rr[])
{
    bool moved = false;
    naik_timer_start(s->geometry->backend->timer, "true residuals");
    NAIK_PASS(add_correction(s, asks));
    NAIK_PASS(batch_set_mask(s, asks));
    for (int c = 0; c < s->width_now; c++) {
        moved = moved || (asks[c] && s->slot[c].state.moved);
    }
    if (moved) {
        NAIK_PASS(form_residuals(s, rr));
    } else {
        NAIK_PASS(s->geometry->backend->ops->field.copy(s->outer.field[BATCH_R], s->b, s->mask,
                                                        NAIK_RHS_CHECK));
    }
    for (int c = 0; c < s->width_now; c++) {
        rr[c] = s->slot[c].state.moved ? rr[c] : s->slot[c].state.bb;
    }
    NAIK_PASS(batch_site_residuals(s, asks));
    naik_timer_stop(s->geometry->backend->timer, "true residuals");
    return NAIK_OK;
}

int bg_verdict(const naik_solver *s, const naik_solver_options *options, int c, double rr)
{
    const naik_solver_state *at = &s->slot[c].state;
    return at->bb != 0 && (!isfinite(at->bb) || at->breaks > BEGINNINGS)
               ? NAIK_SOLVER_BROKEN
               : batch_verdict(s, options, c, rr);
}

/* Those in again[] start from x = 0. */
static naik_status start_again(naik_solver *s, const bool again[], double rr[])
{
    const naik_field_ops *field = &s->geometry->backend->ops->field;
    if (!batch_any(s, again)) {
        return NAIK_OK;
    }
    NAIK_PASS(batch_set_mask(s, again));
    NAIK_PASS(field->zero(s->outer.field[BATCH_X], s->mask, NAIK_RHS_CHECK));
    NAIK_PASS(field->copy(s->outer.field[BATCH_R], s->b, s->mask, NAIK_RHS_CHECK));
    for (int c = 0; c < s->width_now; c++) {
        if (again[c]) {
            s->slot[c].state.moved = 0;
            rr[c] = s->slot[c].state.bb;
        }
    }
    return NAIK_OK;
}

/* Where x is beyond repair, 0 is what is left. */
static naik_status drop_lost(naik_solver *s, const bool asks[], double rr[])
{
    bool lost[NAIK_MAX_RHS] = {false};
    for (int c = 0; c < s->width_now; c++) {
        batch_slot *slot = &s->slot[c];
        lost[c] = asks[c] && slot->state.moved && !isfinite(rr[c]);
        slot->state.breaks += lost[c];
        slot->broke = slot->broke || lost[c];
    }
    return start_again(s, lost, rr);
}

/* The same for the rhs of a slot. Below double BiCGStab may take as long for the next halving as all
 * halvings until the last one took, within bounds. */
static int patience(const naik_solver *s, const naik_solver_state *at)
{
    const bool alone = !batch_is_mixed(s);
    if (at->level != BG_FAST || alone) {
        return halved_within[at->level == BG_FAST ? BG_DOUBLE : at->level];
    }
    if (at->best_at > HALVED_WITHIN_MOST) {
        return HALVED_WITHIN_MOST;
    }
    return at->best_at > halved_within[BG_FAST] ? at->best_at : halved_within[BG_FAST];
}

bool bg_begins(const naik_solver *s, batch_slot *slot, const naik_rhs *record, double rr)
{
    naik_solver_state *at = &slot->state;
    /* those of the normal equations, and of GCR, begin from any residual */
    const bool normal = bg_is_normal((bg_level)at->level) || at->level == BG_MULTIGRID;
    const int within = patience(s, at);
    const bool first = !at->started;
    const bool apart = fabs(sqrt(rr) - sqrt(record->rr)) > APART * sqrt(rr);
    const bool halved = !(rr > 0.25 * at->best_rr);
    const bool slow = !halved && within > 0 && record->iterations - at->best_at >= within;
    slot->slow = slow;
    slot->apart = apart;
    if (halved) {
        at->best_rr = rr;
        at->beginnings = 0;
    }
    if (halved || first) {
        at->best_at = record->iterations;
    }
    at->stalls = halved || first ? 0 : at->stalls + 1;
    if (first || (!slot->broke && !slow && !(apart && !normal))) {
        return first;
    }
    at->beginnings++;
    if (slow) { /* and as long again */
        at->best_at = record->iterations;
    }
    return true;
}

int bg_limit(const naik_solver *s, const naik_solver_options *options, int c)
{
    const naik_solver_state *at = &s->slot[c].state;
    const int within = patience(s, at), slow = at->best_at + within;
    const int most = batch_limit(s, options, c);
    return within > 0 && slow < most ? slow : most;
}

/* What is slow in the fastest storage is not tried there again: its rounding is what BiCGStab
 * stumbles over first. */
bool bg_climbs(naik_solver *s, int c, bool *given_up, bool *kept)
{
    batch_slot *slot = &s->slot[c];
    naik_solver_state *at = &slot->state;
    *given_up = *kept = false;
    const bool fast = at->level == BG_FAST;
    const bool slow = slot->slow && !bg_in_double((bg_level)at->level) && batch_is_mixed(s);
    if (!slow && at->beginnings <= BEGINNINGS && at->stalls < STALLS) {
        return false;
    }
    *given_up = at->level == BG_NORMAL_DOUBLE;
    if (!*given_up) {
        at->climb = slot->broke                   ? NAIK_SOLVER_CLIMB_BROKEN
                    : slow                        ? NAIK_SOLVER_CLIMB_SLOW
                    : at->beginnings > BEGINNINGS ? NAIK_SOLVER_CLIMB_STRAYED
                                                  : NAIK_SOLVER_CLIMB_EMPTY;
        at->climbed_at = s->record[c].iterations;
        bg_set_level(s, c, bg_next_level(s, (bg_level)at->level));
        *kept = fast && at->climb == NAIK_SOLVER_CLIMB_SLOW && !slot->apart;
        at->started = *kept;
        slot->resumes = NAIK_RHS_CHECK;
        slot->broke = false;
        at->beginnings = at->stalls = 0;
    }
    return true;
}

/* The directions of those that go on in double become vectors in double; B p is that of single, as if
 * that rounding had happened in double. */
static naik_status lift(naik_solver *s, const bool kept[])
{
    static const int vectors[] = {BATCH_P, BATCH_IMAGE, BG_SHADOW};
    naik_field *const *from = bg_fields_of(s, bg_at_work(s));
    if (!batch_any(s, kept)) {
        return NAIK_OK;
    }
    NAIK_PASS(batch_set_mask(s, kept));
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        NAIK_PASS(s->geometry->backend->ops->field.copy(s->outer.field[vectors[i]],
                                                        from[vectors[i]], s->mask, NAIK_RHS_CHECK));
    }
    return NAIK_OK;
}

/* Vectors of those that begin anew: a NaN must not survive times 0. */
static naik_status clear_vectors(naik_solver *s, const bool anew[])
{
    const naik_field_ops *field = &s->geometry->backend->ops->field;
    naik_field *const *f = bg_fields_of(s, bg_at_work(s));
    if (!batch_any(s, anew)) {
        return NAIK_OK;
    }
    NAIK_PASS(batch_set_mask(s, anew));
    NAIK_PASS(field->zero(f[BATCH_P], s->mask, NAIK_RHS_CHECK));
    NAIK_PASS(field->zero(f[BATCH_IMAGE], s->mask, NAIK_RHS_CHECK));
    return bg_corrects(s, bg_at_work(s)) ? field->zero(f[BATCH_X], s->mask, NAIK_RHS_CHECK)
                                         : NAIK_OK;
}

/* The residual of those that go on, as the iteration stores it; inner[c] = |r|^2 there. */
static naik_status take_residuals(naik_solver *s, const bool on[], const bool anew[],
                                  double inner[])
{
    const naik_field_ops *field = &s->geometry->backend->ops->field;
    naik_field *const *f = bg_fields_of(s, bg_at_work(s));
    NAIK_PASS(clear_vectors(s, anew));
    NAIK_PASS(batch_set_mask(s, on));
    if (f[BATCH_R] != s->outer.field[BATCH_R]) {
        NAIK_PASS(field->copy(f[BATCH_R], s->outer.field[BATCH_R], s->mask, NAIK_RHS_CHECK));
    }
    return batch_dots(s, f[BATCH_R], f[BATCH_R], s->mask, inner);
}

/* Scalars of BiCGStab with the new residual of those in on[], which are the mask; those that break down begin
 * anew as well. */
static naik_status renew_scalars(naik_solver *s, const bool on[], bool anew[], const double inner[])
{
    naik_backend *backend = s->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    naik_field *const *f = bg_fields_of(s, bg_at_work(s));
    const int n = s->width_now;
    double rho[2 * NAIK_MAX_RHS];
    NAIK_PASS(reduction->clear(backend, s->sums, 2 * n));
    NAIK_PASS(
        reduction->complex_dot(f[BG_SHADOW], f[BATCH_R], 0, s->mask, NAIK_RHS_CHECK, s->sums));
    NAIK_PASS(batch_sums(s, 2 * n, rho));
    for (int c = 0; c < n; c++) {
        naik_bicgstab_record *record = &s->slot[c].state.bicgstab;
        const double mine[2] = {rho[c], rho[n + c]};
        if (on[c] && !anew[c]) {
            anew[c] = !naik_bicgstab_turn(record, mine, inner[c]);
        }
        if (on[c] && anew[c]) {
            *record = (naik_bicgstab_record){.rho = {inner[c], 0}, .shadow2 = inner[c]};
        }
    }
    if (!batch_any(s, anew)) {
        return NAIK_OK;
    }
    NAIK_PASS(batch_set_mask(s, anew));
    return backend->ops->field.copy(f[BG_SHADOW], f[BATCH_R], s->mask, NAIK_RHS_CHECK);
}

/* The same of the normal equations: z = B^+ r. */
static naik_status renew_normal_scalars(naik_solver *s, const bool on[], const bool anew[])
{
    naik_field *const *f = bg_fields_of(s, bg_at_work(s));
    const naik_operator *op = bg_operator_of(s, bg_at_work(s));
    double zz[NAIK_MAX_RHS];
    NAIK_PASS(op->ops->apply(op, s->parity, true, f[BATCH_R], f[BATCH_SPARE], NULL, s->mask,
                             NAIK_RHS_CHECK));
    NAIK_PASS(batch_dots(s, f[BATCH_SPARE], f[BATCH_SPARE], s->mask, zz));
    for (int c = 0; c < s->width_now; c++) {
        naik_bicgstab_record *record = &s->slot[c].state.bicgstab;
        if (on[c]) {
            const double beta = anew[c] ? 0 : zz[c] / record->zz;
            *record = (naik_bicgstab_record){.beta = {beta, 0}, .zz = zz[c]};
        }
    }
    return NAIK_OK;
}

/* Those in on[] iterate again, from true |r|^2 = rr. */
static naik_status resume(naik_solver *s, const naik_solver_options *options, const bool on[],
                          bool anew[], const double rr[])
{
    double inner[NAIK_MAX_RHS];
    NAIK_PASS(take_residuals(s, on, anew, inner));
    NAIK_PASS(bg_at_work(s) == BG_MULTIGRID ? bg_begin_multigrid(s, on)
              : bg_is_normal(bg_at_work(s)) ? renew_normal_scalars(s, on, anew)
                                            : renew_scalars(s, on, anew, inner));
    for (int c = 0; c < s->width_now; c++) {
        batch_slot *slot = &s->slot[c];
        naik_solver_state *at = &slot->state;
        naik_rhs *record = &s->record[c];
        if (on[c]) {
            const double tolerance = slot->system.tolerance;
            const double aim = tolerance * tolerance * at->bb;
            record->stop =
                rr[c] <= aim ? 0.01 * rr[c] : aim; /* or a site's residual is not there */
            record->delta2 = delta2_of(s, bg_at_work(s), options, inner[c], record->stop);
            record->rr = record->rr_max = inner[c];
            record->limit = bg_limit(s, options, c);
            record->state = NAIK_RHS_RUN;
            at->restarts += at->started;
            at->started = at->moved = at->live = 1;
            slot->broke = false;
        }
    }
    NAIK_PASS(batch_upload(s));
    if (bg_at_work(s) != BG_MULTIGRID) {
        NAIK_PASS(batch_set_mask(s, on));
        NAIK_PASS(bg_direction(s, s->mask, NAIK_RHS_CHECK));
    }
    return NAIK_OK;
}

/* What multigrid keeps of rhs c: x, its true |r|^2 = rr, and whether it broke down on the way there. */
static void note_refreshed(naik_solver *s, int c, double rr)
{
    batch_slot *slot = &s->slot[c];
    slot->refreshed = slot->state;
    slot->refreshed.record = s->record[c];
    slot->refreshed.record.rr = rr; /* what was iterated may be no number any more */
    slot->refreshed.record.state = slot->broke ? NAIK_RHS_BROKEN : NAIK_RHS_CHECK;
    slot->refreshed.live = 0;
}

naik_status bg_check(naik_solver *s, const naik_solver_options *options,
                     const naik_solver_stream *stream)
{
    bool asks[NAIK_MAX_RHS] = {false}, on[NAIK_MAX_RHS] = {false}, anew[NAIK_MAX_RHS] = {false};
    bool worse[NAIK_MAX_RHS] = {false}, kept[NAIK_MAX_RHS] = {false}, any = false;
    double rr[NAIK_MAX_RHS] = {0};
    for (int c = 0; c < s->width_now; c++) {
        s->slot[c].broke = s->slot[c].broke || s->record[c].state == NAIK_RHS_BROKEN;
        asks[c] = s->record[c].state == NAIK_RHS_CHECK || s->record[c].state == NAIK_RHS_BROKEN;
        any = any || asks[c];
    }
    if (!any) {
        return NAIK_OK;
    }
    NAIK_PASS(true_residuals(s, asks, rr));
    NAIK_PASS(drop_lost(s, asks, rr));
    any = false;
    for (int c = 0; c < s->width_now; c++) {
        bool given_up = false;
        if (!asks[c]) {
            continue;
        }
        if (bg_level_of(s, c) == BG_MULTIGRID) {
            note_refreshed(s, c, rr[c]);
        }
        const int reason = bg_verdict(s, options, c, rr[c]);
        if (reason >= 0) {
            NAIK_PASS(batch_finish(s, stream, c, (naik_solver_reason)reason, rr[c]));
            continue;
        }
        anew[c] = bg_begins(s, &s->slot[c], &s->record[c], rr[c]);
        if (bg_climbs(s, c, &given_up, &kept[c]) && given_up) {
            NAIK_PASS(batch_finish(s, stream, c, NAIK_SOLVER_STAGNATED, rr[c]));
        } else if (bg_level_of(s, c) != bg_at_work(s)) {
            s->record[c].state = NAIK_RHS_WAIT;
            s->record[c].rr = rr[c];
        } else {
            on[c] = any = true;
        }
        worse[c] = (anew[c] || !on[c]) && !kept[c] && s->record[c].state != NAIK_RHS_IDLE &&
                   s->record[c].state != NAIK_RHS_HELD && s->slot[c].state.moved &&
                   rr[c] > s->slot[c].state.bb;
        anew[c] = anew[c] && on[c];
    }
    NAIK_PASS(lift(s, kept));
    NAIK_PASS(start_again(s, worse, rr)); /* where x is worse than nothing, 0 is the better start */
    return any ? resume(s, options, on, anew, rr) : batch_upload(s);
}
