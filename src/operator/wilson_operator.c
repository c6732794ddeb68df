/* wilson_operator.c - the table of Mh: its steps, the algebra of M, and the check of a solution */
#include "operator/wilson_operator.h"

#include <float.h>
#include <math.h>

static const naik_mh *mh_of(const naik_operator *op)
{
    return op->data;
}

static int depth_of(const naik_operator *op)
{
    return naik_links_depth(mh_of(op)->wilson->links);
}

/* Of a multiplication by B on a site; a number alone is counted with the hops. */
static int flops_of(const naik_blocks *b)
{
    const int matrices = (b->data != NULL) + (b->factor != NULL);
    const int chiral = b->chiral == 0 ? 0 : b->data != NULL ? 4 : 6;
    return matrices * NAIK_CLOVER_FLOPS + 3 * NAIK_SPIN * chiral;
}

double naik_wilson_schur_flops(const naik_wilson *wilson)
{
    return 2 * (NAIK_WILSON_FLOPS + flops_of(wilson->inverse)) + NAIK_SPINOR_AXPY_FLOPS;
}

/* Mh twice, and the updates of 24 numbers. */
static double step_flops(const naik_operator *op)
{
    return 2 * naik_wilson_schur_flops(mh_of(op)->wilson) + 84 * NAIK_SPIN;
}

static naik_status apply(const naik_operator *op, naik_parity parity, bool adjoint,
                         const naik_field *in, naik_field *out, const naik_products *products,
                         const naik_rhs *rhs, naik_rhs_state state)
{
    const naik_mh *mh = mh_of(op);
    const naik_rhs_mask mask = {rhs, state};
    naik_field_set_nrhs(mh->scratch, in->nrhs);
    return naik_wilson_schur(mh->wilson, parity, adjoint, &mask, in, mh->scratch, out, products);
}

static naik_status rest(const naik_operator *op, naik_parity parity, const naik_field *in,
                        const naik_field *b, naik_field *out, naik_exactsum *sums,
                        const naik_rhs *rhs, naik_rhs_state state)
{
    const naik_mh *mh = mh_of(op);
    const naik_rhs_mask mask = {rhs, state};
    naik_field_set_nrhs(mh->scratch, in->nrhs);
    return naik_wilson_schur_affine(mh->wilson, parity, &mask, -1, in, 1, b, mh->scratch, out,
                                    sums);
}

static double shift(double mass)
{
    (void)mass;
    return 0;
}

static naik_status make_rhs(const naik_solution *s)
{
    const naik_mh *mh = mh_of(s->op);
    const naik_field *const src[2] = {s->src[NAIK_EVEN], s->src[NAIK_ODD]};
    naik_field_set_nrhs(mh->scratch, s->work->nrhs);
    return naik_wilson_schur_source(mh->wilson, s->parity, src, mh->scratch, s->work);
}

static naik_status reconstruct(const naik_solution *s)
{
    const naik_field *const src[2] = {s->src[NAIK_EVEN], s->src[NAIK_ODD]};
    naik_field *const x[2] = {s->x[NAIK_EVEN], s->x[NAIK_ODD]};
    return naik_wilson_schur_rebuild(mh_of(s->op)->wilson, s->parity, src, x);
}

/* |D/2| <= 4. */
static double largest(const naik_operator *op, double mass)
{
    (void)mass;
    return mh_of(op)->wilson->largest + 4;
}

/* x_q solves its half of M x = src, so (src - M x)_p = A_pp (b_p - Mh x_p). */
static double residual_scale(const naik_operator *op, double mass)
{
    (void)mass;
    return 1 / mh_of(op)->wilson->largest;
}

/* work = src - M x on a parity, from the plain hopping term: A x, D x and src apart. */
static naik_status plain_residual(const naik_solution *s, naik_parity parity)
{
    const naik_mh *mh = mh_of(s->op);
    const naik_backend_ops *ops = s->op->geometry->backend->ops;
    const naik_dslash_args hop = {.form = NAIK_FORM_D,
                                  .parity = parity,
                                  .links = mh->wilson->links,
                                  .in = s->x[!parity],
                                  .out = s->work};
    naik_field_set_nrhs(mh->scratch, s->work->nrhs);
    NAIK_PASS(naik_dslash(&hop));
    NAIK_PASS(ops->wilson.multiply(mh->wilson->diagonal, s->x[parity], parity, NULL, NAIK_RHS_IDLE,
                                   mh->scratch));
    NAIK_PASS(ops->field.axpy(-2, mh->scratch, s->work));
    NAIK_PASS(ops->field.axpy(2, s->src[parity], s->work)); /* twice the residual */
    return NAIK_OK;
}

/* |src - M x|^2 on either parity, and |A_pp^-1 (src - M x)_p|^2. */
static naik_status whole_residual(const naik_solution *s, double out[2], double *preconditioned)
{
    const naik_mh *mh = mh_of(s->op);
    const naik_backend_ops *ops = s->op->geometry->backend->ops;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(plain_residual(s, (naik_parity)parity));
        NAIK_PASS(naik_solution_norm2(s, s->work, &out[parity]));
        out[parity] *= 0.25;
        if (parity == (int)s->parity) {
            NAIK_PASS(ops->wilson.multiply(mh->wilson->inverse, s->work, s->parity, NULL,
                                           NAIK_RHS_IDLE, mh->scratch));
            NAIK_PASS(naik_solution_norm2(s, mh->scratch, preconditioned));
            *preconditioned *= 0.25;
        }
    }
    return NAIK_OK;
}

/* |D| <= 8; a few units of roundoff of what A_pp^-1 M x is made of are rounding. */
static naik_status check(const naik_solution *s, naik_solution_check *out)
{
    const naik_wilson *wilson = mh_of(s->op)->wilson;
    double src[2], rest[2], xx[2], bb = 0, rr = 0;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(naik_solution_norm2(s, s->src[parity], &src[parity]));
        NAIK_PASS(naik_solution_norm2(s, s->x[parity], &xx[parity]));
    }
    NAIK_PASS(whole_residual(s, rest, &rr));
    NAIK_PASS(make_rhs(s));
    NAIK_PASS(naik_solution_norm2(s, s->work, &bb));
    const double source = src[0] + src[1], whole = rest[0] + rest[1];
    out->source_residual = source > 0 ? sqrt(whole / source) : sqrt(whole);
    out->norm = sqrt(xx[0] + xx[1]);
    out->rhs_norm = sqrt(bb);
    out->independent_residual = bb == 0 ? 0 : sqrt(rr / bb); /* NaN stays NaN */
    out->rounding =
        8 * DBL_EPSILON * wilson->largest_inverse * (wilson->largest + 8) * out->norm / sqrt(bb);
    return NAIK_OK;
}

const naik_operator_ops naik_operator_wilson = {
    .name = "Wilson",
    .spin = NAIK_SPIN,
    .solves = 3 * NAIK_SPIN,
    .scratch = 2,
    .least_mass = -4,
    .depth = depth_of,
    .step_flops = step_flops,
    .apply = apply,
    .rest = rest,
    .shift = shift,
    .make_rhs = make_rhs,
    .reconstruct = reconstruct,
    .largest = largest,
    .residual_scale = residual_scale,
    .check = check,
};

naik_status naik_mh_create(const naik_wilson *wilson, naik_precision vectors, int width,
                           naik_mh *out)
{
    out->wilson = wilson;
    return naik_field_create_spin(wilson->links->geometry, vectors, NAIK_SPIN, width,
                                  &out->scratch);
}

void naik_mh_destroy(naik_mh *mh)
{
    naik_field_destroy(&mh->scratch);
}

naik_operator naik_mh_of(const naik_mh *mh)
{
    return (naik_operator){.ops = &naik_operator_wilson,
                           .geometry = mh->wilson->links->geometry,
                           .precision = mh->wilson->links->precision,
                           .data = mh};
}
