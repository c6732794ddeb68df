/* staggered.c - the Schur complement: two Dslashes, the second one with everything else fused in
 */
#include "operator/staggered.h"

#include <float.h>
#include <math.h>

#include "backend/halo.h"

static const naik_links *links_of(const naik_operator *op)
{
    return op->data;
}

static naik_parity other(naik_parity parity)
{
    return (naik_parity)!parity;
}

static int depth_of(const naik_operator *op)
{
    return naik_links_depth(links_of(op));
}

static naik_layers layers_of(const naik_normal *a)
{
    return (naik_layers){.parity = a->parity, .depth = depth_of(a->op)};
}

double naik_staggered_step_flops(int points)
{
    return 2 * naik_dslash_flops(points) + 84; /* 2376; 1224 of naive links */
}

static double step_flops(const naik_operator *op)
{
    return naik_staggered_step_flops(links_of(op)->points);
}

/* ---- A */

static naik_status prime(const naik_normal *a, const naik_field *r)
{
    const naik_layers layers = layers_of(a);
    return naik_halo_prime(r->geometry->halo, r, &layers);
}

static naik_status drain(const naik_normal *a, naik_field *r)
{
    const naik_layers layers = layers_of(a);
    return naik_halo_drain(r->geometry->halo, r, &layers);
}

/* scratch = D v for rhs in `state`: frozen rhs cost nothing. */
static naik_dslash_args first_half(const naik_normal *a, const naik_field *v, const naik_rhs *rhs,
                                   naik_rhs_state state)
{
    return (naik_dslash_args){.form = NAIK_FORM_D,
                              .parity = other(a->parity),
                              .links = links_of(a->op),
                              .in = v,
                              .out = a->scratch[0],
                              .rhs = rhs,
                              .state = state};
}

/* out from D scratch, v and b. */
static naik_dslash_args second_half(const naik_normal *a, naik_form form, const naik_field *v,
                                    const naik_field *b, const naik_rhs *rhs, naik_rhs_state state,
                                    naik_field *out, naik_exactsum *sums)
{
    return (naik_dslash_args){.form = form,
                              .parity = a->parity,
                              .links = links_of(a->op),
                              .in = a->scratch[0],
                              .out = out,
                              .v = v,
                              .b = b,
                              .rhs = rhs,
                              .state = state,
                              .sums = sums};
}

static naik_status first(const naik_normal *a, const naik_field *r, const naik_rhs *rhs,
                         naik_exactsum *sums, const naik_deferred_reductions *deferred, bool send)
{
    naik_dslash_args args = first_half(a, r, rhs, NAIK_RHS_RUN);
    args.sums = sums;
    args.deferred = deferred;
    args.send = send;
    return naik_dslash(&args);
}

static naik_status second(const naik_normal *a, const naik_rhs *rhs, const naik_cg_vectors *v,
                          naik_exactsum *sums, const naik_deferred_reductions *deferred, bool send)
{
    naik_dslash_args args =
        second_half(a, NAIK_FORM_STEP, v->r, v->r, rhs, NAIK_RHS_RUN, v->r, sums);
    args.x = v->x;
    args.p = v->p;
    args.ap = v->ap;
    args.deferred = deferred;
    args.send = send;
    return naik_dslash(&args);
}

static naik_status descend(const naik_normal *a, const naik_rhs *rhs, const naik_cg_vectors *v,
                           naik_exactsum *sums)
{
    const naik_dslash_args args =
        second_half(a, NAIK_FORM_DESCENT, v->p, v->r, rhs, NAIK_RHS_RUN, v->r, sums);
    return naik_dslash(&args);
}

static naik_status residual(const naik_normal *a, const naik_field *b, const naik_field *v,
                            const naik_rhs *rhs, naik_rhs_state state, naik_field *out,
                            naik_exactsum *sums)
{
    const naik_dslash_args first_args = first_half(a, v, rhs, state);
    const naik_dslash_args second_args =
        second_half(a, NAIK_FORM_RESIDUAL, v, b, rhs, state, out, sums);
    NAIK_PASS(naik_dslash(&first_args));
    return naik_dslash(&second_args);
}

/* ---- M */

static double shift(double mass)
{
    return 4 * mass * mass;
}

static double scale(double mass)
{
    return mass; /* of b_p = 2m src_p */
}

/* out = a v + s D in on `parity`, for single rhs. */
static naik_status affine(const naik_operator *op, double a, const naik_field *v, double s,
                          const naik_field *in, naik_parity parity, naik_field *out)
{
    const naik_dslash_args args = {.form = NAIK_FORM_AFFINE,
                                   .parity = parity,
                                   .links = links_of(op),
                                   .in = in,
                                   .out = out,
                                   .v = v,
                                   .a = a,
                                   .s = s};
    return naik_dslash(&args);
}

static naik_status make_rhs(const naik_solution *s)
{
    const naik_parity p = s->parity;
    return affine(s->op, 2 * s->mass, s->src[p], -1, s->src[other(p)], p, s->work);
}

static naik_status reconstruct(const naik_solution *s)
{
    const naik_parity p = s->parity, q = other(p);
    const double inverse = 1 / (2 * s->mass);
    return affine(s->op, inverse, s->src[q], -inverse, s->x[p], q, s->x[q]);
}

/* x_q solves its half of M x = src, so b_p - A x_p = 2m (src - M x)_p. */
static double residual_scale(const naik_operator *op, double mass)
{
    (void)op;
    return 2 * mass;
}

/* |M x - src|^2 on either parity, from the plain Dslash. */
static naik_status whole_residual(const naik_solution *s, double out[2])
{
    const naik_field_ops *field = &s->op->geometry->backend->ops->field;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(naik_dslash_plain(links_of(s->op), s->x[!parity], (naik_parity)parity, s->work));
        NAIK_PASS(field->axpy(2 * s->mass, s->x[parity], s->work));
        NAIK_PASS(field->axpy(-1, s->src[parity], s->work));
        NAIK_PASS(naik_solution_norm2(s, s->work, &out[parity]));
    }
    return NAIK_OK;
}

/* |b_p|^2, formed once more from the source. */
static naik_status rhs_norm2(const naik_solution *s, double *bb)
{
    const naik_parity p = s->parity;
    NAIK_PASS(naik_dslash_plain(links_of(s->op), s->src[other(p)], p, s->work));
    NAIK_PASS(s->op->geometry->backend->ops->field.axpy(-2 * s->mass, s->src[p], s->work));
    return naik_solution_norm2(s, s->work, bb);
}

/* |D|^2 <= 64 holds for links near the group; a few units of roundoff of A x are rounding. */
static naik_status check(const naik_solution *s, naik_solution_check *out)
{
    double src[2], rest[2], xx[2], bb = 0;
    NAIK_PASS(naik_solution_norm2(s, s->src[NAIK_EVEN], &src[NAIK_EVEN]));
    NAIK_PASS(naik_solution_norm2(s, s->src[NAIK_ODD], &src[NAIK_ODD]));
    NAIK_PASS(whole_residual(s, rest));
    NAIK_PASS(naik_solution_norm2(s, s->x[NAIK_EVEN], &xx[NAIK_EVEN]));
    NAIK_PASS(naik_solution_norm2(s, s->x[NAIK_ODD], &xx[NAIK_ODD]));
    NAIK_PASS(rhs_norm2(s, &bb));
    const double source = src[0] + src[1], whole = rest[0] + rest[1];
    out->source_residual = source > 0 ? sqrt(whole / source) : sqrt(whole);
    out->norm = sqrt(xx[0] + xx[1]);
    out->rhs_norm = sqrt(bb);
    out->independent_residual =
        bb == 0 ? 0
                : residual_scale(s->op, s->mass) * sqrt(rest[s->parity] / bb); /* NaN stays NaN */
    out->rounding = 8 * DBL_EPSILON * (4 * s->mass * s->mass + 64) * sqrt(xx[s->parity]) / sqrt(bb);
    return NAIK_OK;
}

static double largest(const naik_operator *op, double mass)
{
    (void)op;
    return 2 * mass + 8;
}

const naik_operator_ops naik_operator_staggered = {
    .name = "staggered",
    .spin = 1,
    .solves = 3,
    .scratch = 1,
    .depth = depth_of,
    .step_flops = step_flops,
    .prime = prime,
    .drain = drain,
    .first = first,
    .second = second,
    .descend = descend,
    .residual = residual,
    .shift = shift,
    .scale = scale,
    .make_rhs = make_rhs,
    .reconstruct = reconstruct,
    .largest = largest,
    .residual_scale = residual_scale,
    .check = check,
};

naik_operator naik_staggered_of(const naik_links *links)
{
    return (naik_operator){.ops = &naik_operator_staggered,
                           .geometry = links->geometry,
                           .precision = links->precision,
                           .data = links};
}
