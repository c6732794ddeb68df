/* cg.c - conjugate gradient as a row: its rungs, its vectors, and what they begin with
 *
 * One iteration is a few calls that only enqueue, and polls are as rare as the rhs will not need one
 * (cg_iterate.c). At a poll true residuals decide (cg_check.c).
 */
#include "solver/cg.h"

#include "solver/cg_parts.h"

static void vectors(const naik_solver *s, int stage, naik_field *out[NAIK_SOLVER_VECTORS])
{
    const naik_cg_vectors v = cg_vectors(s, (naik_rung)stage);
    out[NAIK_SOLVER_X] = s->outer.field[BATCH_X];
    out[NAIK_SOLVER_CORRECTION] = v.x == s->outer.field[BATCH_X] ? NULL : v.x;
    out[NAIK_SOLVER_RESIDUAL] = v.r;
    out[NAIK_SOLVER_DIRECTION] = v.p;
    out[NAIK_SOLVER_IMAGE] = v.ap;
    out[NAIK_SOLVER_SHADOW] = NULL;
}

static int fields(const naik_operator_ops *ops)
{
    return BATCH_SPARE + ops->scratch;
}

static bool takes(const naik_operator *op)
{
    return naik_operator_is_fused(op) || op->geometry->backend->ops->solver.finish != NULL;
}

static int stage(const naik_solver_state *state)
{
    return state->rung;
}

static naik_rung rung(const naik_solver *s, int stage)
{
    (void)s;
    return (naik_rung)stage;
}

/* At most so many poll intervals lie between two polls. */
enum { LONGEST = 5 };

static void begin(naik_solver *s, const naik_solver_options *options)
{
    /* a poll costs nothing where memory is the host's */
    const bool fixed = options->poll_interval > 0 || s->geometry->backend->ops->host_memory;
    s->longest = fixed ? s->poll : LONGEST * s->poll;
    s->now = (int)batch_rung_from(s, NAIK_RUNG_HALF);
}

static void load(naik_solver *s, const naik_solver_options *options, int c)
{
    s->slot[c].state.rung = (int32_t)cg_first_rung(s, options, s->record[c].shift);
}

static bool fits(naik_solver *s, const naik_solver_options *options, int c)
{
    const int32_t at = s->slot[c].state.rung;
    (void)options;
    return at >= 0 && at < NAIK_RUNGS && s->op[at] != NULL &&
           s->record[c].shift == s->slot[c].system.shift;
}

/* No old direction, no old correction. */
static naik_status clear(naik_solver *s)
{
    naik_field *field[NAIK_SOLVER_VECTORS];
    vectors(s, s->now, field);
    for (int v = NAIK_SOLVER_CORRECTION; v < NAIK_SOLVER_VECTORS; v++) {
        if (field[v] != NULL) {
            NAIK_PASS(s->geometry->backend->ops->field.zero(field[v], s->mask, NAIK_RHS_CHECK));
        }
    }
    return NAIK_OK;
}

const naik_solver_kind naik_solver_cg = {.name = "conjugate gradient",
                                         .sums = CG_SUMS,
                                         .stages = NAIK_RUNGS,
                                         .fields = fields,
                                         .takes = takes,
                                         .stage = stage,
                                         .rung = rung,
                                         .vectors = vectors,
                                         .begin = begin,
                                         .load = load,
                                         .fits = fits,
                                         .clear = clear,
                                         .check = cg_check,
                                         .run = cg_run,
                                         .close = cg_close};
