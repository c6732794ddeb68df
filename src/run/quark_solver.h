/* quark_solver.h - the solver that a plan wants for a quark, and the low modes that go before it */
#ifndef NAIK_RUN_QUARK_SOLVER_H
#define NAIK_RUN_QUARK_SOLVER_H

#include "modes/deflate.h"
#include "operator/set.h"
#include "plan/plan.h"
#include "solver/solver.h"

/* All zero is none. */
typedef struct quark_solver {
    naik_solver *solver;
    naik_deflation *deflation; /* NULL: no modes are removed */
    naik_solver_options options;
    naik_solver_starter starter; /* of the deflation */
} quark_solver;

/* The algorithm `kind` for `width` right-hand sides; set and modes, which may be NULL, are borrowed. Collective.
 * What naik_solver_create and naik_deflation_create return; *out is then none. */
naik_status quark_solver_create(const naik_input *input, const solve_plan *plan,
                                const naik_solver_kind *kind, const naik_operator_set *set,
                                const naik_modes *modes, int width, quark_solver *out);
void quark_solver_clear(quark_solver *s);
/* For naik_propagator_stream: NULL where no modes are removed. */
static inline const naik_solver_starter *quark_solver_starter(const quark_solver *s)
{
    return s->deflation != NULL ? &s->starter : NULL;
}

#endif
