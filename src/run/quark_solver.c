/* quark_solver.c - the solver that a plan wants for a quark, and the low modes that go before it */
#include "run/quark_solver.h"

#include <math.h>

naik_status quark_solver_create(const naik_input *input, const solve_plan *plan,
                                const naik_solver_kind *kind, const naik_operator_set *set,
                                const naik_modes *modes, int width, quark_solver *out)
{
    naik_status status = NAIK_OK;
    *out = (quark_solver){.options = naik_solver_defaults()};
    out->options.max_iterations = input->solver.max_iterations;
    out->options.first_rung = plan->first_rung;
    NAIK_TRY(naik_solver_create(kind, set->op, plan->vectors, width, &out->solver));
    if (modes != NULL) {
        out->options.removed = fmax(modes->lambda2[modes->count - 1], 0);
        NAIK_TRY(naik_deflation_create(modes, modes->count, width, &out->deflation));
        out->starter = naik_deflation_starter(out->deflation, input->deflation.again);
    }
done:
    if (status != NAIK_OK) {
        quark_solver_clear(out);
    }
    return status;
}

void quark_solver_clear(quark_solver *s)
{
    naik_deflation_destroy(&s->deflation);
    naik_solver_destroy(&s->solver);
}
