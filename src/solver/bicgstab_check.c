/* bicgstab_check.c - true residuals, and what becomes of their right-hand sides */
#include <math.h>

#include "base/timer.h"
#include "solver/bicgstab_batch.h"

/* New beginnings of a level, and checks in a row that brought nothing, before the next level. */
enum { BEGINNINGS = 3, STALLS = 3 };
/* Iterations in which a level has to halve |r|; 0: as many as it takes. Near the critical mass BiCGStab
 * stays on a plateau until it has found the smallest eigenvalues. In double the plateau ends, and a new
 * beginning would look for them again; in less than double it often does not end, and what was spent on
 * it is lost. (doc/performance-internals.md) */
static const int halved_within[BG_LEVELS] = {
    [BG_FAST] = 80, [BG_DOUBLE] = 1000, [BG_NORMAL] = 1000, [BG_NORMAL_DOUBLE] = 0};
enum { HALVED_WITHIN_MOST = 200 }; /* and at BG_FAST the most that it may grow to */
/* An iterated |r| further from the true one than this part of it does not fit the direction. */
static const double APART = 0.1;

/* The drop of |r| after which it is formed anew: what the storage holds with some to spare. */
static double delta_of(const naik_bicgstab *s, bg_level level)
{
    switch (bg_rung(s, level)) {
    case NAIK_RUNG_HALF: return 0.1;
    case NAIK_RUNG_SINGLE: return 1e-3;
    default: return 0;
    }
}

/* What was found since the last check joins x; what is not finite is dropped. An rhs that has not
 * iterated yet has found nothing: its correction is whatever lay there. */
static naik_status add_correction(naik_bicgstab *s, const bool asks[])
{
    naik_status status = NAIK_OK;
    const naik_field_ops *field = &s->geometry->backend->ops->field;
    naik_field *correction = bg_fields_of(s, s->now)->field[BG_X];
    double norms[NAIK_MAX_RHS];
    bool good[NAIK_MAX_RHS] = {false};
    if (!bg_corrects(s, s->now)) {
        return NAIK_OK;
    }
    NAIK_TRY(bg_norms(s, correction, norms));
    for (int c = 0; c < s->width_now; c++) {
        const bool started = asks[c] && s->slot[c].started;
        good[c] = started && isfinite(norms[c]);
        s->slot[c].broke = s->slot[c].broke || (started && !good[c]);
    }
    NAIK_TRY(bg_set_mask(s, good));
    NAIK_TRY(field->add(s->outer.field[BG_X], correction, s->mask, NAIK_RHS_CHECK));
    NAIK_TRY(bg_set_mask(s, asks));
    NAIK_TRY(field->zero(correction, s->mask, NAIK_RHS_CHECK));
done:
    return status;
}

/* outer r = b - B x of those in the mask; v and t in double are free where the iteration is not. */
static naik_status form_residuals(naik_bicgstab *s, double rr[])
{
    naik_status status = NAIK_OK;
    const naik_operator *op = s->outer_op;
    naik_field *r = s->outer.field[BG_R], *image = s->outer.field[BG_T];
    const double(*minus_one)[2] =
        (const double(*)[2])s->coefficients + NAIK_MINUS_ONE * s->width_now;
    const naik_combination difference = {r, 2, {{s->b, NULL}, {image, minus_one}}};
    NAIK_TRY(op->ops->apply(op, s->parity, false, s->outer.field[BG_X], image, NULL, s->mask,
                            NAIK_RHS_CHECK));
    NAIK_TRY(
        s->geometry->backend->ops->field.combine(&difference, 1, NULL, s->mask, NAIK_RHS_CHECK));
    NAIK_TRY(bg_norms(s, r, rr));
done:
    return status;
}

static naik_status site_residuals(naik_bicgstab *s, const bool asks[])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    const double sites = 0.5 * (double)s->geometry->lattice->volume;
    double ratio[NAIK_MAX_RHS];
    bool any = false;
    for (int c = 0; c < s->width_now; c++) {
        any = any || (asks[c] && s->slot[c].system.site_tolerance > 0);
    }
    if (!any) {
        return NAIK_OK;
    }
    NAIK_TRY(reduction->clear(backend, s->sums, s->width_now));
    NAIK_TRY(reduction->site_ratio(s->outer.field[BG_R], s->outer.field[BG_X], s->sums));
    NAIK_TRY(reduction->over_ranks(backend, s->sums, s->width_now));
    NAIK_TRY(reduction->values(backend, s->sums, s->width_now, ratio));
    for (int c = 0; c < s->width_now; c++) {
        s->slot[c].site_residual = asks[c] ? sqrt(ratio[c] / sites) : s->slot[c].site_residual;
    }
done:
    return status;
}

/* The first residuals, where x = 0, are b. */
static naik_status true_residuals(naik_bicgstab *s, const bool asks[], double rr[])
{
    naik_status status = NAIK_OK;
    bool moved = false;
    naik_timer_start(s->geometry->backend->timer, "true residuals");
    NAIK_TRY(add_correction(s, asks));
    NAIK_TRY(bg_set_mask(s, asks));
    for (int c = 0; c < s->width_now; c++) {
        moved = moved || (asks[c] && s->slot[c].moved);
    }
    if (moved) {
        NAIK_TRY(form_residuals(s, rr));
    } else {
        NAIK_TRY(s->geometry->backend->ops->field.copy(s->outer.field[BG_R], s->b, s->mask,
                                                       NAIK_RHS_CHECK));
    }
    for (int c = 0; c < s->width_now; c++) {
        rr[c] = s->slot[c].moved ? rr[c] : s->slot[c].bb;
    }
    NAIK_TRY(site_residuals(s, asks));
    naik_timer_stop(s->geometry->backend->timer, "true residuals");
done:
    return status;
}

/* What the true residual says of an rhs: done, and why; or -1 to go on. */
static int verdict(const naik_bicgstab *s, const naik_solver_options *options, int c, double rr)
{
    const bg_slot *slot = &s->slot[c];
    const double tolerance = slot->system.tolerance, site = slot->system.site_tolerance;
    if (slot->bb == 0) {
        return NAIK_SOLVER_ZERO_SOURCE;
    }
    if (!isfinite(slot->bb) || slot->lost > BEGINNINGS) {
        return NAIK_SOLVER_BROKEN;
    }
    if (rr <= tolerance * tolerance * slot->bb && (site <= 0 || slot->site_residual <= site)) {
        return NAIK_SOLVER_CONVERGED;
    }
    return s->host[c].iterations >= options->max_iterations ? NAIK_SOLVER_ITERATION_LIMIT : -1;
}

/* x is beyond repair: start again from zero. */
static naik_status drop_lost(naik_bicgstab *s, const bool asks[], double rr[])
{
    naik_status status = NAIK_OK;
    const naik_field_ops *field = &s->geometry->backend->ops->field;
    bool lost[NAIK_MAX_RHS] = {false}, any = false;
    for (int c = 0; c < s->width_now; c++) {
        bg_slot *slot = &s->slot[c];
        lost[c] = asks[c] && slot->moved && !isfinite(rr[c]);
        any = any || lost[c];
        if (lost[c]) {
            slot->lost++;
            slot->broke = true;
            slot->moved = false;
            rr[c] = slot->bb;
        }
    }
    if (any) {
        NAIK_TRY(bg_set_mask(s, lost));
        NAIK_TRY(field->zero(s->outer.field[BG_X], s->mask, NAIK_RHS_CHECK));
        NAIK_TRY(field->copy(s->outer.field[BG_R], s->b, s->mask, NAIK_RHS_CHECK));
    }
done:
    return status;
}

/* The same for the rhs of a slot. Below double BiCGStab may take as long for the next halving as all
 * halvings until the last one took, within bounds. */
static int patience(const naik_bicgstab *s, const bg_slot *slot)
{
    const bool alone = s->inner_op == s->outer_op;
    if (slot->level != BG_FAST || alone) {
        return halved_within[slot->level == BG_FAST ? BG_DOUBLE : slot->level];
    }
    if (slot->best_at > HALVED_WITHIN_MOST) {
        return HALVED_WITHIN_MOST;
    }
    return slot->best_at > halved_within[BG_FAST] ? slot->best_at : halved_within[BG_FAST];
}

/* Whether rhs c has to begin anew from its residual; counts it. */
static bool begins(const naik_bicgstab *s, bg_slot *slot, const naik_rhs *record, double rr)
{
    const bool normal = bg_is_normal(slot->level);
    const int within = patience(s, slot);
    const bool first = !slot->started;
    const bool apart = fabs(sqrt(rr) - sqrt(record->rr)) > APART * sqrt(rr);
    const bool halved = !(rr > 0.25 * slot->best_rr);
    const bool slow = !halved && within > 0 && record->iterations - slot->best_at >= within;
    slot->slow = slow;
    if (halved) {
        slot->best_rr = rr;
        slot->beginnings = 0;
    }
    if (halved || first) {
        slot->best_at = record->iterations;
    }
    slot->stalls = halved || first ? 0 : slot->stalls + 1;
    if (first || (!slot->broke && !slow && !(apart && !normal))) {
        return first;
    }
    slot->beginnings++;
    if (slow) { /* and as long again */
        slot->best_at = record->iterations;
    }
    return true;
}

int bg_limit(const naik_bicgstab *s, const bg_slot *slot, const naik_solver_options *options)
{
    const int within = patience(s, slot), slow = slot->best_at + within;
    return within > 0 && slow < options->max_iterations ? slow : options->max_iterations;
}

/* Where x is worse than nothing, 0 is the better start. */
static naik_status drop_worse(naik_bicgstab *s, const bool worse[], double rr[])
{
    naik_status status = NAIK_OK;
    const naik_field_ops *field = &s->geometry->backend->ops->field;
    bool any = false;
    for (int c = 0; c < s->width_now; c++) {
        any = any || worse[c];
    }
    if (!any) {
        return NAIK_OK;
    }
    NAIK_TRY(bg_set_mask(s, worse));
    NAIK_TRY(field->zero(s->outer.field[BG_X], s->mask, NAIK_RHS_CHECK));
    NAIK_TRY(field->copy(s->outer.field[BG_R], s->b, s->mask, NAIK_RHS_CHECK));
    for (int c = 0; c < s->width_now; c++) {
        if (worse[c]) {
            s->slot[c].moved = false;
            rr[c] = s->slot[c].bb;
        }
    }
done:
    return status;
}

/* Whether rhs c leaves its level; *given_up where that was the last. What is slow in the fastest
 * storage is not tried there again: its rounding is what BiCGStab stumbles over first. */
static bool climbs(naik_bicgstab *s, int c, bool *given_up)
{
    bg_slot *slot = &s->slot[c];
    *given_up = false;
    const bool slow = slot->slow && !bg_in_double(slot->level) && s->inner_op != s->outer_op;
    if (!slow && slot->beginnings <= BEGINNINGS && slot->stalls < STALLS) {
        return false;
    }
    *given_up = slot->level == BG_NORMAL_DOUBLE;
    if (!*given_up) {
        slot->climb = slot->broke                     ? NAIK_SOLVER_CLIMB_BROKEN
                      : slow                          ? NAIK_SOLVER_CLIMB_SLOW
                      : slot->beginnings > BEGINNINGS ? NAIK_SOLVER_CLIMB_STRAYED
                                                      : NAIK_SOLVER_CLIMB_EMPTY;
        slot->climbed_at = s->host[c].iterations;
        slot->level = bg_next_level(s, slot->level);
        slot->started = slot->broke = false;
        slot->beginnings = slot->stalls = 0;
    }
    return true;
}

/* The residual of those that go on, as the iteration stores it; inner[c] = |r|^2 there. */
static naik_status take_residuals(naik_bicgstab *s, const bool on[], const bool anew[],
                                  double inner[])
{
    naik_status status = NAIK_OK;
    const naik_field_ops *field = &s->geometry->backend->ops->field;
    naik_field *const *f = bg_fields_of(s, s->now)->field;
    NAIK_TRY(bg_set_mask(s, anew)); /* a NaN must not survive times 0 */
    NAIK_TRY(field->zero(f[BG_P], s->mask, NAIK_RHS_CHECK));
    NAIK_TRY(field->zero(f[BG_V], s->mask, NAIK_RHS_CHECK));
    NAIK_TRY(bg_corrects(s, s->now) ? field->zero(f[BG_X], s->mask, NAIK_RHS_CHECK) : NAIK_OK);
    NAIK_TRY(bg_set_mask(s, on));
    if (f[BG_R] != s->outer.field[BG_R]) {
        NAIK_TRY(field->copy(f[BG_R], s->outer.field[BG_R], s->mask, NAIK_RHS_CHECK));
    }
    NAIK_TRY(bg_norms(s, f[BG_R], inner));
done:
    return status;
}

/* Scalars of BiCGStab with the new residual; those that break down begin anew as well. */
static naik_status turn(naik_bicgstab *s, const bool on[], bool anew[], const double inner[])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = s->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    naik_field *const *f = bg_fields_of(s, s->now)->field;
    const int n = s->width_now;
    double rho[2 * NAIK_MAX_RHS];
    NAIK_TRY(reduction->clear(backend, s->sums, 2 * n));
    NAIK_TRY(reduction->complex_dot(f[BG_SHADOW], f[BG_R], s->sums));
    NAIK_TRY(reduction->over_ranks(backend, s->sums, 2 * n));
    NAIK_TRY(reduction->values(backend, s->sums, 2 * n, rho));
    for (int c = 0; c < n; c++) {
        naik_bicgstab_record *record = &s->host_record[c];
        const double mine[2] = {rho[c], rho[n + c]};
        if (on[c] && !anew[c]) {
            anew[c] = !naik_bicgstab_turn(record, mine, inner[c]);
        }
        if (on[c] && anew[c]) {
            *record = (naik_bicgstab_record){.rho = {inner[c], 0}, .shadow2 = inner[c]};
        }
    }
    NAIK_TRY(bg_set_mask(s, anew));
    NAIK_TRY(backend->ops->field.copy(f[BG_SHADOW], f[BG_R], s->mask, NAIK_RHS_CHECK));
done:
    return status;
}

/* The same of the normal equations: z = B^+ r. */
static naik_status turn_normal(naik_bicgstab *s, const bool on[], const bool anew[])
{
    naik_status status = NAIK_OK;
    naik_field *const *f = bg_fields_of(s, s->now)->field;
    const naik_operator *op = bg_operator_of(s, s->now);
    double zz[NAIK_MAX_RHS];
    NAIK_TRY(op->ops->apply(op, s->parity, true, f[BG_R], f[BG_T], NULL, s->mask, NAIK_RHS_CHECK));
    NAIK_TRY(bg_norms(s, f[BG_T], zz));
    for (int c = 0; c < s->width_now; c++) {
        naik_bicgstab_record *record = &s->host_record[c];
        if (on[c]) {
            const double beta = anew[c] ? 0 : zz[c] / record->zz;
            *record = (naik_bicgstab_record){.beta = {beta, 0}, .zz = zz[c]};
        }
    }
done:
    return status;
}

/* Those in on[] iterate again, from true |r|^2 = rr. */
static naik_status resume(naik_bicgstab *s, const naik_solver_options *options, const bool on[],
                          bool anew[], const double rr[])
{
    naik_status status = NAIK_OK;
    double inner[NAIK_MAX_RHS];
    NAIK_TRY(take_residuals(s, on, anew, inner));
    NAIK_TRY(bg_is_normal(s->now) ? turn_normal(s, on, anew) : turn(s, on, anew, inner));
    for (int c = 0; c < s->width_now; c++) {
        bg_slot *slot = &s->slot[c];
        naik_rhs *record = &s->host[c];
        if (on[c]) {
            const double tolerance = slot->system.tolerance, wanted = delta_of(s, s->now);
            const double delta = options->delta > 0 && wanted > 0 ? options->delta : wanted;
            const double aim = tolerance * tolerance * slot->bb;
            record->stop =
                rr[c] <= aim ? 0.01 * rr[c] : aim; /* or a site's residual is not there */
            record->delta2 = delta * delta;
            record->rr = record->rr_max = inner[c];
            record->limit = bg_limit(s, slot, options);
            record->state = NAIK_RHS_RUN;
            slot->updates += slot->started;
            slot->started = slot->moved = true;
            slot->broke = false;
        }
    }
    NAIK_TRY(bg_upload(s));
    NAIK_TRY(bg_set_mask(s, on));
    NAIK_TRY(bg_direction(s, s->mask, NAIK_RHS_CHECK));
done:
    return status;
}

naik_status bg_check(naik_bicgstab *s, const naik_solver_options *options,
                     const naik_solver_stream *stream)
{
    naik_status status = NAIK_OK;
    bool asks[NAIK_MAX_RHS] = {false}, on[NAIK_MAX_RHS] = {false}, anew[NAIK_MAX_RHS] = {false};
    bool worse[NAIK_MAX_RHS] = {false}, any = false;
    double rr[NAIK_MAX_RHS] = {0};
    for (int c = 0; c < s->width_now; c++) {
        s->slot[c].broke = s->slot[c].broke || s->host[c].state == NAIK_RHS_BROKEN;
        asks[c] = s->host[c].state == NAIK_RHS_CHECK || s->host[c].state == NAIK_RHS_BROKEN;
        any = any || asks[c];
    }
    if (!any) {
        return NAIK_OK;
    }
    NAIK_TRY(true_residuals(s, asks, rr));
    NAIK_TRY(drop_lost(s, asks, rr));
    any = false;
    for (int c = 0; c < s->width_now; c++) {
        bool given_up = false;
        if (!asks[c]) {
            continue;
        }
        const int reason = verdict(s, options, c, rr[c]);
        if (reason >= 0) {
            NAIK_TRY(bg_finish(s, stream, c, (naik_solver_reason)reason, rr[c]));
            continue;
        }
        anew[c] = begins(s, &s->slot[c], &s->host[c], rr[c]);
        if (climbs(s, c, &given_up) && given_up) {
            NAIK_TRY(bg_finish(s, stream, c, NAIK_SOLVER_STAGNATED, rr[c]));
        } else if (s->slot[c].level != s->now) {
            s->host[c].state = NAIK_RHS_WAIT;
        } else {
            on[c] = any = true;
        }
        worse[c] = (anew[c] || !on[c]) && s->host[c].state != NAIK_RHS_IDLE && s->slot[c].moved &&
                   rr[c] > s->slot[c].bb;
        anew[c] = anew[c] && on[c];
    }
    NAIK_TRY(drop_worse(s, worse, rr));
    NAIK_TRY(any ? resume(s, options, on, anew, rr) : bg_upload(s));
done:
    return status;
}
