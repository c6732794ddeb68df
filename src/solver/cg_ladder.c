/* cg_ladder.c - the rungs of storage: where a system begins, when it climbs, and who is at work
 *
 * A batch works on one rung at a time. rhs of other rungs wait with nothing but x, or as they
 * were restored; when none runs any more, the fastest rung that is waited for comes to work.
 * Whether an rhs climbs is decided at its true residuals, by its own record alone.
 */
#include <math.h>

#include "solver/cg_batch.h"

/* Below these shifts an operator in 16 bits, and recurrences with one in single precision, cost
 * iterations (doc/performance-internals.md): those of staggered quarks of 0.01 and 0.03. */
static const double LIGHT_HALF = 4 * 0.01 * 0.01, LIGHT_SINGLE = 4 * 0.03 * 0.03;
/* An rhs climbs when its true residual was twice what its iterated one armed so many times, */
enum { FAILURES = 2 };
/* when so many stretches in a row ended as soon as they could, */
enum { SHORT_STRETCHES = 4 };
/* when so many claims of convergence brought nothing, */
enum { EMPTY_CLAIMS = 3 };
/* or when the smallest true residual was not halved for so many iterations, and for as many as it
 * took to get there. */
enum { STALL_ITERATIONS = 10000 };

naik_rung naik_rung_first(double shift, bool half)
{
    if (half && shift >= LIGHT_HALF) {
        return NAIK_RUNG_HALF;
    }
    return shift >= LIGHT_SINGLE ? NAIK_RUNG_SINGLE : NAIK_RUNG_CLASSICAL;
}

double naik_cg_stray(naik_rung rung)
{
    static const double most[NAIK_RUNGS] = {115, 4000, 375, INFINITY};
    return most[rung];
}

double naik_cg_delta(naik_rung rung)
{
    static const double drop[NAIK_RUNGS] = {0.01, 0.0001, 0.01, 0};
    return drop[rung];
}

naik_rung cg_rung_from(const naik_cg *cg, naik_rung rung)
{
    int at = (int)rung;
    while (cg->op[at] == NULL) {
        at++;
    }
    return (naik_rung)at;
}

naik_rung cg_first_rung(const naik_cg *cg, const naik_solver_options *options, double shift)
{
    const bool half = cg->op[NAIK_RUNG_HALF] != NULL;
    const int wanted = options->first_rung;
    return cg_rung_from(cg, wanted < 0 ? naik_rung_first(shift + options->removed, half)
                                       : (naik_rung)wanted);
}

/* The next rung: from recurrences on coarse storage to the classical form. */
static naik_rung above(const naik_cg *cg, naik_rung rung)
{
    return cg_rung_from(cg, rung < NAIK_RUNG_CLASSICAL ? NAIK_RUNG_CLASSICAL : NAIK_RUNG_DOUBLE);
}

/* Why the rhs should climb, from its record of stretches. */
static naik_solver_climb reason_to_climb(const cg_rhs_slot *slot, const naik_rhs *record)
{
    const int stuck = record->iterations - slot->best_at;
    return slot->breaks >= 2                                   ? NAIK_SOLVER_CLIMB_BROKEN
           : slot->failures >= FAILURES                        ? NAIK_SOLVER_CLIMB_STRAYED
           : slot->shorts >= SHORT_STRETCHES                   ? NAIK_SOLVER_CLIMB_SHORT
           : slot->stalls >= EMPTY_CLAIMS                      ? NAIK_SOLVER_CLIMB_EMPTY
           : stuck > STALL_ITERATIONS && stuck > slot->best_at ? NAIK_SOLVER_CLIMB_SLOW
                                                               : NAIK_SOLVER_NO_CLIMB;
}

bool cg_climbs(naik_cg *cg, const naik_solver_options *options, int c, double rr)
{
    cg_rhs_slot *slot = &cg->slot[c];
    const naik_rhs *record = &cg->record[c];
    if (slot->rung == NAIK_RUNG_DOUBLE || options->stay || !slot->started) {
        return false;
    }
    slot->failures += rr > 4 * record->rr && !(record->rr <= record->stop);
    slot->shorts = slot->stretch <= NAIK_RENEW_EVERY ? slot->shorts + 1 : 0;
    const naik_solver_climb climb = reason_to_climb(slot, record);
    if (climb == NAIK_SOLVER_NO_CLIMB) {
        return false;
    }
    slot->climb = climb;
    slot->climbed_at = record->iterations;
    slot->rung = above(cg, slot->rung);
    slot->live = slot->started = slot->restart = false;
    slot->failures = slot->shorts = slot->stalls = slot->breaks = slot->stretch = 0;
    slot->best_at = record->iterations;
    return true;
}

/* The vectors of rhs that begin on the rung at work: no old direction, no old correction. */
static naik_status clear_vectors(naik_cg *cg, const bool begins[])
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = cg->geometry->backend->ops;
    naik_field *field[NAIK_SOLVER_VECTORS];
    cg_fields_of(cg, cg->now, field);
    for (int c = 0; c < cg->width_now; c++) {
        cg->record[c].state = begins[c] ? NAIK_RHS_CHECK : cg->record[c].state;
    }
    NAIK_TRY(cg_rhs_upload(cg));
    for (int v = NAIK_SOLVER_CORRECTION; v < NAIK_SOLVER_VECTORS; v++) {
        if (field[v] != NULL) {
            NAIK_TRY(ops->field.zero(field[v], cg->rhs, NAIK_RHS_CHECK));
        }
    }
done:
    return status;
}

naik_status cg_release(naik_cg *cg)
{
    naik_status status = NAIK_OK;
    int least = NAIK_RUNGS;
    bool begins[NAIK_MAX_RHS] = {false}, any = false;
    int32_t asked[NAIK_MAX_RHS] = {0};
    const int waiting = cg_rhs_in_state(cg, NAIK_RHS_WAIT);
    const int idle = cg_rhs_in_state(cg, NAIK_RHS_IDLE);
    if (waiting == 0) {
        return NAIK_OK;
    }
    for (int c = 0; c < cg->width_now; c++) {
        if (cg->record[c].state == NAIK_RHS_WAIT && (int)cg->slot[c].rung < least) {
            least = (int)cg->slot[c].rung;
        }
    }
    if (waiting + idle == cg->width_now && least != (int)cg->now) {
        cg->now = (naik_rung)least;
        cg->serial = naik_backend_serial(cg->geometry->backend);
    }
    /* Those that asked before keep their vectors. */
    for (int c = 0; c < cg->width_now; c++) {
        naik_rhs *record = &cg->record[c];
        const cg_rhs_slot *slot = &cg->slot[c];
        asked[c] = record->state;
        if (record->state == NAIK_RHS_WAIT && slot->rung == cg->now) {
            asked[c] = slot->live ? slot->resumes : NAIK_RHS_CHECK;
            begins[c] = !slot->live;
            any = true;
        } else if (record->state == NAIK_RHS_CHECK) {
            record->state = NAIK_RHS_WAIT;
        }
    }
    if (any) {
        NAIK_TRY(clear_vectors(cg, begins));
    }
    for (int c = 0; c < cg->width_now; c++) {
        cg->record[c].state = asked[c];
        cg->slot[c].live = cg->slot[c].live || begins[c];
    }
    NAIK_TRY(cg_rhs_upload(cg));
done:
    return status;
}
