/* cg_parts.c - the operator and the vectors of a rung of conjugate gradient */
#include "solver/cg_parts.h"

static const batch_fields *fields_of(const naik_solver *s, naik_rung rung)
{
    return rung == NAIK_RUNG_DOUBLE ? &s->outer : &s->low;
}

naik_normal cg_normal(const naik_solver *s, naik_rung rung)
{
    naik_field *const *f = fields_of(s, rung)->field;
    return (naik_normal){
        .op = s->op[rung], .parity = s->parity, .scratch = {f[BATCH_SPARE], f[BATCH_OTHER]}};
}

naik_cg_vectors cg_vectors(const naik_solver *s, naik_rung rung)
{
    naik_field *const *f = fields_of(s, rung)->field;
    const bool classical = rung == NAIK_RUNG_CLASSICAL;
    return (naik_cg_vectors){.x = classical ? s->outer.field[BATCH_X] : f[BATCH_X],
                             .r = f[BATCH_R],
                             .p = f[BATCH_P],
                             .ap = classical ? NULL : f[BATCH_IMAGE]};
}
