/* cg_ladder.c - the rungs of storage: where a system begins, and when it climbs
 *
 * Whether an rhs climbs is decided at its true residuals, by its own record alone.
 */
#include <math.h>

#include "solver/cg_parts.h"

/* Below these shifts an operator in 16 bits, and recurrences with one in single precision, cost
 * iterations (doc/performance-choices.md): those of staggered quarks of 0.01 and 0.03. */
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

naik_rung cg_first_rung(const naik_solver *s, const naik_solver_options *options, double shift)
{
    const bool half = s->op[NAIK_RUNG_HALF] != NULL;
    const int wanted = options->first_rung;
    return batch_rung_from(s, wanted < 0 ? naik_rung_first(shift + options->removed, half)
                                         : (naik_rung)wanted);
}

/* The next rung: from recurrences on coarse storage to the classical form. */
static naik_rung above(const naik_solver *s, naik_rung rung)
{
    return batch_rung_from(s, rung < NAIK_RUNG_CLASSICAL ? NAIK_RUNG_CLASSICAL : NAIK_RUNG_DOUBLE);
}

void cg_judge_stretch(naik_solver *s, int c, double rr)
{
    naik_solver_state *at = &s->slot[c].state;
    const naik_rhs *record = &s->record[c];
    const bool halved = !(rr > 0.25 * at->best_rr);
    if (at->started) {
        at->stalls = halved ? 0 : at->stalls + (record->rr <= record->stop);
        at->stretch = record->iterations - at->begun_at;
    }
    at->begun_at = record->iterations;
    if (halved) {
        at->best_rr = rr;
        at->best_at = record->iterations;
    }
}

/* Why the rhs should climb, from its record of stretches. */
static naik_solver_climb reason_to_climb(const naik_solver_state *at, const naik_rhs *record)
{
    const int stuck = record->iterations - at->best_at;
    return at->breaks >= 2                                   ? NAIK_SOLVER_CLIMB_BROKEN
           : at->failures >= FAILURES                        ? NAIK_SOLVER_CLIMB_STRAYED
           : at->shorts >= SHORT_STRETCHES                   ? NAIK_SOLVER_CLIMB_SHORT
           : at->stalls >= EMPTY_CLAIMS                      ? NAIK_SOLVER_CLIMB_EMPTY
           : stuck > STALL_ITERATIONS && stuck > at->best_at ? NAIK_SOLVER_CLIMB_SLOW
                                                             : NAIK_SOLVER_NO_CLIMB;
}

bool cg_climbs(naik_solver *s, const naik_solver_options *options, int c, double rr)
{
    naik_solver_state *at = &s->slot[c].state;
    const naik_rhs *record = &s->record[c];
    if (at->rung == NAIK_RUNG_DOUBLE || options->stay || !at->started) {
        return false;
    }
    at->failures += rr > 4 * record->rr && !(record->rr <= record->stop);
    at->shorts = at->stretch <= NAIK_RENEW_EVERY ? at->shorts + 1 : 0;
    const naik_solver_climb climb = reason_to_climb(at, record);
    if (climb == NAIK_SOLVER_NO_CLIMB) {
        return false;
    }
    at->climb = (int32_t)climb;
    at->climbed_at = record->iterations;
    at->rung = (int32_t)above(s, (naik_rung)at->rung);
    at->started = at->restart = 0;
    at->failures = at->shorts = at->stalls = at->breaks = at->stretch = 0;
    at->best_at = record->iterations;
    return true;
}
