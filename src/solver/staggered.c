/* staggered.c - the Schur complement: two Dslashes, the second one with everything else fused in */
#include "solver/staggered.h"

#include "backend/halo.h"
#include "base/exactsum.h"

/* scratch = D v for rhs in `state`: frozen rhs cost nothing. */
static naik_dslash_args first_half(const naik_schur *schur, const naik_field *v,
                                   const naik_rhs *rhs, naik_rhs_state state)
{
    return (naik_dslash_args){.form = NAIK_FORM_D,
                              .parity = (naik_parity)!schur->parity,
                              .links = schur->links,
                              .in = v,
                              .out = schur->scratch,
                              .rhs = rhs,
                              .state = state};
}

/* out from D scratch, v and b. */
static naik_dslash_args second_half(const naik_schur *schur, naik_form form, const naik_field *v,
                                    const naik_field *b, const naik_rhs *rhs, naik_rhs_state state,
                                    naik_field *out, naik_exactsum *sums)
{
    return (naik_dslash_args){.form = form,
                              .parity = schur->parity,
                              .links = schur->links,
                              .in = schur->scratch,
                              .out = out,
                              .v = v,
                              .b = b,
                              .rhs = rhs,
                              .state = state,
                              .sums = sums};
}

naik_status naik_schur_first(const naik_schur *schur, const naik_field *r, const naik_rhs *rhs,
                             naik_exactsum *sums, const naik_deferred_reductions *deferred,
                             bool send)
{
    naik_dslash_args args = first_half(schur, r, rhs, NAIK_RHS_RUN);
    args.sums = sums;
    args.deferred = deferred;
    args.send = send;
    return naik_dslash(&args);
}

naik_status naik_schur_open(const naik_schur *schur, const naik_field *r)
{
    return naik_halo_prime(r->geometry->halo, r, schur->parity, naik_links_depth(schur->links));
}

naik_status naik_schur_close(const naik_schur *schur, naik_field *r)
{
    return naik_halo_drain(r->geometry->halo, r, schur->parity, naik_links_depth(schur->links));
}

naik_status naik_schur_second(const naik_schur *schur, const naik_rhs *rhs,
                              const naik_cg_vectors *v, naik_exactsum *sums,
                              const naik_deferred_reductions *deferred, bool send)
{
    naik_dslash_args args =
        second_half(schur, NAIK_FORM_STEP, v->r, v->r, rhs, NAIK_RHS_RUN, v->r, sums);
    args.x = v->x;
    args.p = v->p;
    args.ap = v->ap;
    args.deferred = deferred;
    args.send = send;
    return naik_dslash(&args);
}

naik_status naik_schur_descend(const naik_schur *schur, const naik_rhs *rhs,
                               const naik_cg_vectors *v, naik_exactsum *sums)
{
    const naik_dslash_args args =
        second_half(schur, NAIK_FORM_DESCENT, v->p, v->r, rhs, NAIK_RHS_RUN, v->r, sums);
    return naik_dslash(&args);
}

naik_status naik_schur_residual(const naik_schur *schur, const naik_field *b, const naik_field *v,
                                const naik_rhs *rhs, naik_rhs_state state, naik_field *out,
                                naik_exactsum *sums)
{
    naik_status status = NAIK_OK;
    const naik_dslash_args first = first_half(schur, v, rhs, state);
    const naik_dslash_args second =
        second_half(schur, NAIK_FORM_RESIDUAL, v, b, rhs, state, out, sums);
    NAIK_TRY(naik_dslash(&first));
    NAIK_TRY(naik_dslash(&second));
done:
    return status;
}
