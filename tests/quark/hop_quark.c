/* hop_quark.c - a kind of quarks of the tests, and the list of kinds of a program that knows it
 *
 *   M = m + H^2 / m,   (H v)(s) = d(s) v(s) + h v(s^),   d(s) = 1 + (x + 2y + 3z + 5t mod 7) / 4
 *
 * where s^ is the site whose x and y are the other ones of its 2 x 2 block, and h is the quark's own
 * number. H is hermitian and keeps parity and local lattice, so A = m^2 + H^2 and b_p = m src_p.
 * Slow, in the host's memory, and with closed forms; test_quark_kind.py runs the program.
 */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "operator/set.h"

static double number_of(const naik_operator *op)
{
    return *(const double *)op->data;
}

/* d(s), and the site s^. */
static double diagonal(const naik_lattice *lat, int32_t site, int32_t *there)
{
    int x[NAIK_DIM];
    naik_lattice_coords(lat, site, x);
    const int at = x[0] + lat->origin[0] + 2 * (x[1] + lat->origin[1]) +
                   3 * (x[2] + lat->origin[2]) + 5 * (x[3] + lat->origin[3]);
    x[0] ^= 1;
    x[1] ^= 1;
    *there = naik_lattice_site(lat, x);
    return 1 + at % 7 / 4.0;
}

/* w = H v of host vectors [sites][3][2] on a parity. */
static void times(const naik_operator *op, naik_parity parity, const double *v, double *w)
{
    const naik_lattice *lat = op->geometry->lattice;
    for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
        int32_t there;
        const int32_t site = naik_lattice_site_of(lat, parity, cb);
        const double d = diagonal(lat, site, &there);
        for (int i = 0; i < 6; i++) {
            w[6 * (int64_t)site + i] =
                d * v[6 * (int64_t)site + i] + number_of(op) * v[6 * (int64_t)there + i];
        }
    }
}

/* Three host vectors, released by free. */
static double *vectors_of(const naik_operator *op)
{
    return calloc((size_t)op->geometry->lattice->sites * 18, sizeof(double));
}

static naik_status apply(const naik_operator *op, naik_parity parity, bool adjoint,
                         const naik_field *in, naik_field *out, const naik_products *products,
                         const naik_rhs *rhs, naik_rhs_state state)
{
    naik_status status = NAIK_OK;
    const naik_backend_ops *ops = op->geometry->backend->ops;
    double *v = vectors_of(op), *w = v + 6 * (int64_t)op->geometry->lattice->sites;
    (void)adjoint;
    for (int c = 0; c < in->nrhs; c++) {
        if (rhs == NULL || rhs[c].state == (int32_t)state) {
            NAIK_TRY(ops->field.to_host(in, parity, c, v));
            times(op, parity, v, w);
            NAIK_TRY(ops->field.from_host(out, parity, c, w));
        }
    }
    if (products != NULL) {
        NAIK_TRY(ops->reduction.dot(out, out, NULL, NAIK_RHS_IDLE, products->sums));
    }
    if (products != NULL && products->with != NULL) {
        NAIK_TRY(ops->reduction.complex_dot(products->with, out, 0, NULL, NAIK_RHS_IDLE,
                                            products->sums + out->nrhs));
    }
done:
    free(v);
    return status;
}

static int depth(const naik_operator *op)
{
    (void)op;
    return 0;
}

static double step_flops(const naik_operator *op)
{
    (void)op;
    return 2 * 18 + 84;
}

static double shift(double mass)
{
    return mass * mass;
}

static double scale(double mass)
{
    return mass;
}

static double residual_scale(const naik_operator *op, double mass)
{
    (void)op;
    return mass;
}

static double largest(const naik_operator *op, double mass)
{
    const double h = 2.5 + fabs(number_of(op));
    return mass + h * h / mass;
}

static naik_status make_rhs(const naik_solution *s)
{
    naik_status status = NAIK_OK;
    const naik_field_ops *field = &s->op->geometry->backend->ops->field;
    NAIK_TRY(field->zero(s->work, NULL, NAIK_RHS_RUN));
    NAIK_TRY(field->axpy(s->mass, s->src[s->parity], s->work));
done:
    return status;
}

/* x_q = m A^-1 src_q: of two sites at a time A is a matrix of two rows. */
static naik_status reconstruct(const naik_solution *s)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = s->op->geometry->lattice;
    const naik_field_ops *field = &s->op->geometry->backend->ops->field;
    const naik_parity q = (naik_parity)!s->parity;
    const double m = s->mass, h = number_of(s->op);
    double *v = vectors_of(s->op), *x = v + 6 * (int64_t)lat->sites;
    NAIK_TRY(field->to_host(s->src[q], q, 0, v));
    for (int32_t cb = 0; cb < lat->volume_cb; cb++) {
        int32_t there, back;
        const int32_t site = naik_lattice_site_of(lat, q, cb);
        const double d = diagonal(lat, site, &there), e = diagonal(lat, there, &back);
        const double a = d * d + h * h + m * m, b = h * (d + e), c = e * e + h * h + m * m;
        for (int i = 0; i < 6; i++) {
            x[6 * (int64_t)site + i] =
                m * (c * v[6 * (int64_t)site + i] - b * v[6 * (int64_t)there + i]) /
                (a * c - b * b);
        }
    }
    NAIK_TRY(field->from_host(s->x[q], q, 0, x));
done:
    free(v);
    return status;
}

/* |src - M x|^2 on a parity. */
static naik_status residual_on(const naik_solution *s, naik_parity parity, double *out)
{
    naik_status status = NAIK_OK;
    const naik_field_ops *field = &s->op->geometry->backend->ops->field;
    const int64_t reals = 6 * (int64_t)s->op->geometry->lattice->sites;
    double *v = vectors_of(s->op), *once = v + reals, *twice = once + reals;
    NAIK_TRY(field->to_host(s->x[parity], parity, 0, v));
    times(s->op, parity, v, once);
    times(s->op, parity, once, twice);
    for (int64_t i = 0; i < reals; i++) {
        twice[i] = -s->mass * v[i] - twice[i] / s->mass;
    }
    NAIK_TRY(field->from_host(s->work, parity, 0, twice));
    NAIK_TRY(field->axpy(1, s->src[parity], s->work));
    NAIK_TRY(naik_solution_norm2(s, s->work, out));
done:
    free(v);
    return status;
}

static naik_status check(const naik_solution *s, naik_solution_check *out)
{
    naik_status status = NAIK_OK;
    double src[2], rest[2], xx[2];
    for (int p = 0; p < 2; p++) {
        NAIK_TRY(naik_solution_norm2(s, s->src[p], &src[p]));
        NAIK_TRY(naik_solution_norm2(s, s->x[p], &xx[p]));
        NAIK_TRY(residual_on(s, (naik_parity)p, &rest[p]));
    }
    const double source = src[0] + src[1], mine = src[s->parity];
    out->source_residual = sqrt(source > 0 ? (rest[0] + rest[1]) / source : rest[0] + rest[1]);
    out->norm = sqrt(xx[0] + xx[1]);
    out->rhs_norm = s->mass * sqrt(mine);
    out->independent_residual = mine > 0 ? sqrt(rest[s->parity] / mine) : 0;
    out->rounding = mine > 0 ? 8 * DBL_EPSILON * s->mass * largest(s->op, s->mass) *
                                   sqrt(xx[s->parity]) / out->rhs_norm
                             : 0;
done:
    return status;
}

static const naik_operator_ops hop_ops = {.name = "hop",
                                          .spin = 1,
                                          .solves = 3,
                                          .scratch = 2,
                                          .depth = depth,
                                          .step_flops = step_flops,
                                          .apply = apply,
                                          .shift = shift,
                                          .scale = scale,
                                          .make_rhs = make_rhs,
                                          .reconstruct = reconstruct,
                                          .largest = largest,
                                          .residual_scale = residual_scale,
                                          .check = check};

static double mass_of(const naik_quark *quark)
{
    return quark->mass;
}

static double epsilon_of(const naik_quark *quark)
{
    return quark->naik_epsilon;
}

static double hop_of(const naik_quark *quark)
{
    return quark->mu;
}

static naik_status make_set(const naik_geometry *geometry, const naik_quark *quark,
                            const naik_fatlong *fat, const naik_gauge *thin,
                            const naik_set_storage *storage, naik_operator_set *out)
{
    (void)fat;
    (void)thin;
    double *number = malloc(sizeof *number);
    if (number == NULL) {
        return NAIK_FAIL(geometry->backend->log, NAIK_ERR_MEMORY, "no memory for a number");
    }
    *number = quark->mu;
    out->own = number;
    for (int p = NAIK_DOUBLE; p <= (int)storage->fastest; p++) {
        out->op[p] = (naik_operator){&hop_ops, geometry, (naik_precision)p, number};
    }
    return NAIK_OK;
}

static size_t set_bytes(const naik_geometry *geometry, const naik_quark *quark,
                        const naik_set_storage *storage)
{
    (void)geometry;
    (void)quark;
    (void)storage;
    return sizeof(double);
}

enum { EACH = NAIK_NUMBER_FILE | NAIK_NUMBER_HADRON | NAIK_NUMBER_TOLD, NUMBERS = 3 };
/* The key is that of another kind's number, and this kind's name for it is its own. */
static const naik_quark_number numbers[NUMBERS] = {
    {.name = "mass", .uses = EACH, .value = mass_of, .member = offsetof(naik_quark, mass)},
    {.name = "naik_epsilon",
     .uses = EACH,
     .value = epsilon_of,
     .member = offsetof(naik_quark, naik_epsilon)},
    {.name = "hop",
     .uses = EACH | NAIK_NUMBER_OPERATOR,
     .value = hop_of,
     .key = "action.mu",
     .member = offsetof(naik_quark, mu),
     .required = true},
};

static const naik_quark_kind hop = {.name = "hop",
                                    .ops = &hop_ops,
                                    .spin = 1,
                                    .columns = 3,
                                    .reals = 6,
                                    .points = NAIK_STENCIL / 2,
                                    .stride = 2,
                                    .links = NAIK_QUARK_THIN,
                                    .numbers = numbers,
                                    .number_count = NUMBERS,
                                    .solvers = {"cg"},
                                    .equation = "(mass + H^2 / mass) solution = source",
                                    .normalisation = "M G = source, M = m + H^2 / m",
                                    .index_order = "[source colour][t][z][y][x][sink colour]",
                                    .column = "source colour",
                                    .costs = {.flops = 18,
                                              .steps = 1,
                                              .roof = 1,
                                              .by_mass = true,
                                              .origin = "nothing",
                                              .origin_elsewhere = "nothing"},
                                    .make_set = make_set,
                                    .set_bytes = set_bytes};

const naik_quark_kind *const naik_quark_kinds[] = {&naik_kind_naive, &naik_kind_wilson,
                                                   &naik_kind_twisted_mass, &hop, NULL};
const char *const naik_quark_words[] = {"naive", "wilson", "twisted_mass", "hop", NULL};
