/* operator.c - the Schur complement: two Dslashes, the second one with everything else fused in */
#include "naik/operator.h"

/* scratch = D v for columns in `state`: frozen columns cost nothing. */
static naik_status first_half(const naik_schur *schur, const naik_field *v,
                              const naik_column *columns, naik_column_state state)
{
    const naik_dslash_args args = {.form = NAIK_FORM_D,
                                   .parity = (naik_parity)!schur->parity,
                                   .links = schur->links,
                                   .in = v,
                                   .out = schur->scratch,
                                   .columns = columns,
                                   .state = state};
    return naik_dslash(&args);
}

naik_status naik_schur_apply(const naik_schur *schur, const naik_field *v,
                             const naik_column *columns, naik_column_state state, naik_field *out,
                             naik_exactsum *sums)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(first_half(schur, v, columns, state));
    const naik_dslash_args args = {.form = NAIK_FORM_SCHUR,
                                   .parity = schur->parity,
                                   .links = schur->links,
                                   .in = schur->scratch,
                                   .out = out,
                                   .v = v,
                                   .columns = columns,
                                   .state = state,
                                   .sums = sums,
                                   .alpha = schur->alpha};
    NAIK_TRY(naik_dslash(&args));
done:
    return status;
}

naik_status naik_schur_residual(const naik_schur *schur, const naik_field *b, const naik_field *v,
                                const naik_column *columns, naik_column_state state,
                                naik_field *out, naik_exactsum *sums)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(first_half(schur, v, columns, state));
    const naik_dslash_args args = {.form = NAIK_FORM_RESIDUAL,
                                   .parity = schur->parity,
                                   .links = schur->links,
                                   .in = schur->scratch,
                                   .out = out,
                                   .v = v,
                                   .b = b,
                                   .columns = columns,
                                   .state = state,
                                   .sums = sums};
    NAIK_TRY(naik_dslash(&args));
done:
    return status;
}
