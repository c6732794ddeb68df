/* batch.c - what all algorithms do alike */
#include "solver/batch.h"

naik_status naik_solver_create(const naik_solver_kind *kind,
                               const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                               int width, naik_solver **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    NAIK_TRY(kind->create(op, vectors, width, out));
    (*out)->kind = kind;
done:
    return status;
}

void naik_solver_destroy(naik_solver **solver)
{
    if (*solver != NULL) {
        (*solver)->kind->destroy(*solver);
        *solver = NULL;
    }
}

size_t naik_solver_bytes(const naik_solver_kind *kind, const naik_operator_ops *ops,
                         const naik_geometry *geometry, naik_precision vectors, int width)
{
    const naik_field_ops *field = &geometry->backend->ops->field;
    const size_t outer = field->bytes(geometry->lattice, NAIK_DOUBLE, ops->spin * width);
    const size_t low = field->bytes(geometry->lattice, vectors, ops->spin * width);
    const size_t fields = (size_t)kind->fields(ops);
    return (1 + fields) * outer + (vectors == NAIK_DOUBLE ? 0 : fields * low); /* with b */
}

naik_status naik_solver_solve(naik_solver *solver, naik_parity parity,
                              const naik_solver_options *options, const naik_solver_stream *stream)
{
    return solver->kind->solve(solver, parity, options, stream);
}
