/* operator.c - the steps of a solver with any operator: its own, or made of B and B^+ */
#include "operator/operator.h"

naik_status naik_normal_prime(const naik_normal *a, const naik_field *r)
{
    return a->op->ops->prime != NULL ? a->op->ops->prime(a, r) : NAIK_OK;
}

naik_status naik_normal_drain(const naik_normal *a, naik_field *r)
{
    return a->op->ops->drain != NULL ? a->op->ops->drain(a, r) : NAIK_OK;
}

naik_status naik_normal_first(const naik_normal *a, const naik_field *r, const naik_rhs *rhs,
                              naik_exactsum *sums, const naik_deferred_reductions *deferred,
                              bool send)
{
    const naik_operator_ops *ops = a->op->ops;
    const naik_products norm = {NULL, sums};
    if (ops->first != NULL) {
        return ops->first(a, r, rhs, sums, deferred, send);
    }
    return ops->apply(a->op, a->parity, false, r, a->scratch[0], &norm, rhs, NAIK_RHS_RUN);
}

/* The form of args, whose operator's B v is in scratch[0]. */
static naik_status finish(const naik_normal *a, naik_dslash_args args)
{
    NAIK_PASS(a->op->ops->apply(a->op, a->parity, true, a->scratch[0], a->scratch[1], NULL,
                                args.rhs, args.state));
    args.parity = a->parity;
    args.in = a->scratch[1];
    return a->op->geometry->backend->ops->solver.finish(&args);
}

naik_status naik_normal_second(const naik_normal *a, const naik_rhs *rhs, const naik_cg_vectors *v,
                               naik_exactsum *sums, const naik_deferred_reductions *deferred,
                               bool send)
{
    if (a->op->ops->second != NULL) {
        return a->op->ops->second(a, rhs, v, sums, deferred, send);
    }
    return finish(a, (naik_dslash_args){.form = NAIK_FORM_STEP,
                                        .out = v->r,
                                        .v = v->r,
                                        .b = v->r,
                                        .x = v->x,
                                        .p = v->p,
                                        .ap = v->ap,
                                        .rhs = rhs,
                                        .state = NAIK_RHS_RUN,
                                        .sums = sums});
}

naik_status naik_normal_descend(const naik_normal *a, const naik_rhs *rhs, const naik_cg_vectors *v,
                                naik_exactsum *sums)
{
    if (a->op->ops->descend != NULL) {
        return a->op->ops->descend(a, rhs, v, sums);
    }
    return finish(a, (naik_dslash_args){.form = NAIK_FORM_DESCENT,
                                        .out = v->r,
                                        .v = v->p,
                                        .b = v->r,
                                        .rhs = rhs,
                                        .state = NAIK_RHS_RUN,
                                        .sums = sums});
}

naik_status naik_normal_residual(const naik_normal *a, const naik_field *b, const naik_field *v,
                                 const naik_rhs *rhs, naik_rhs_state state, naik_field *out,
                                 naik_exactsum *sums)
{
    const naik_operator_ops *ops = a->op->ops;
    if (ops->residual != NULL) {
        return ops->residual(a, b, v, rhs, state, out, sums);
    }
    NAIK_PASS(ops->apply(a->op, a->parity, false, v, a->scratch[0], NULL, rhs, state));
    return finish(a, (naik_dslash_args){.form = NAIK_FORM_RESIDUAL,
                                        .out = out,
                                        .v = v,
                                        .b = b,
                                        .rhs = rhs,
                                        .state = state,
                                        .sums = sums});
}

naik_status naik_solution_norm2(const naik_solution *s, const naik_field *v, double *out)
{
    naik_backend *backend = v->geometry->backend;
    const naik_reduction_ops *reduction = &backend->ops->reduction;
    NAIK_PASS(reduction->clear(backend, s->sum, 1));
    NAIK_PASS(reduction->dot(v, v, NULL, NAIK_RHS_IDLE, s->sum));
    NAIK_PASS(reduction->over_ranks(backend, s->sum, 1));
    return reduction->values(backend, s->sum, 1, out);
}
