/* solver.c - the words of solver.h: names, texts, defaults, and which kept states are believed */
#include "solver/solver.h"

#include <math.h>

enum { COUNT_MOST = 1 << 30 }; /* of iterations and the like in a kept state that is believed */

static const char *word_of(const char *const words[], int count, int at)
{
    return at >= 0 && at < count ? words[at] : "unknown";
}

const char *naik_rung_name(naik_rung rung)
{
    static const char *const names[NAIK_RUNGS] = {"half", "single", "classical", "double"};
    return word_of(names, NAIK_RUNGS, (int)rung);
}

const char *naik_solver_reason_text(naik_solver_reason reason)
{
    static const char *const texts[] = {[NAIK_SOLVER_CONVERGED] = "converged",
                                        [NAIK_SOLVER_ZERO_SOURCE] = "zero source",
                                        [NAIK_SOLVER_ITERATION_LIMIT] = "iteration limit",
                                        [NAIK_SOLVER_STAGNATED] = "stagnated",
                                        [NAIK_SOLVER_BROKEN] = "broken by NaN or pAp<=0",
                                        [NAIK_SOLVER_INTERRUPTED] = "interrupted"};
    return word_of(texts, sizeof texts / sizeof *texts, (int)reason);
}

const char *naik_solver_climb_text(naik_solver_climb climb)
{
    static const char *const texts[] = {
        [NAIK_SOLVER_NO_CLIMB] = "never",
        [NAIK_SOLVER_CLIMB_STRAYED] = "its true residual was twice the iterated one",
        [NAIK_SOLVER_CLIMB_SHORT] = "it needed a true residual every few iterations",
        [NAIK_SOLVER_CLIMB_EMPTY] = "its claims of convergence were not true",
        [NAIK_SOLVER_CLIMB_BROKEN] = "NaN or p.Ap <= 0",
        [NAIK_SOLVER_CLIMB_SLOW] = "its true residual fell too slowly"};
    return word_of(texts, sizeof texts / sizeof *texts, (int)climb);
}

naik_solver_options naik_solver_defaults(void)
{
    return (naik_solver_options){.max_iterations = 20000, .max_restarts = 10, .first_rung = -1};
}

static bool is_count(int32_t n)
{
    return n >= 0 && n <= COUNT_MOST;
}

bool naik_solver_state_holds(const naik_solver_state *s)
{
    const int32_t counts[] = {
        s->record.iterations, s->corrections, s->restarts,   s->stalls,  s->breaks,
        s->climbed_at,        s->failures,    s->shorts,     s->best_at, s->begun_at,
        s->stretch,           s->level,       s->beginnings, s->moved,   s->history_length};
    bool good = s->rung >= 0 && s->rung < NAIK_RUNGS && s->first_rung >= 0 &&
                s->first_rung < NAIK_RUNGS && s->climb >= NAIK_SOLVER_NO_CLIMB &&
                s->climb <= NAIK_SOLVER_CLIMB_SLOW && s->record.state >= NAIK_RHS_IDLE &&
                s->record.state <= NAIK_RHS_WAIT && isfinite(s->bb) && s->bb >= 0 &&
                isfinite(s->record.shift) && isfinite(s->record.rr);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        good = good && is_count(counts[i]);
    }
    return good;
}
