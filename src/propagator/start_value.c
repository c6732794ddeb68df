/* start_value.c - the factor that brings a starting value nearest to a solution
 *
 * |src - M a x|^2 is a parabola in a, known from its values at a = 0, 1 and -1.
 */
#include "propagator/start_value.h"

#include <math.h>

/* What begins above this, relative to the source, spares a solver little. */
static const double worth = 0.5;

/* x times a, and at sites with odd t (x + y + z) times `odd`. */
static void multiply(const naik_solution *s, const naik_lattice *lattice, double a, double odd,
                     double *x)
{
    const int reals = 6 * s->op->ops->spin;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int at[NAIK_DIM];
        naik_lattice_coords(lattice, site, at);
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            at[mu] += lattice->origin[mu];
        }
        const double factor = a * ((at[3] * (at[0] + at[1] + at[2])) % 2 != 0 ? odd : 1);
        for (int i = 0; i < reals; i++) {
            x[(int64_t)site * reals + i] *= factor;
        }
    }
}

/* |src - M x|^2 / |src|^2 */
static naik_status distance2(const naik_solution *s, const double *x, double *out)
{
    naik_status status = NAIK_OK;
    const naik_field_ops *field = &s->op->geometry->backend->ops->field;
    naik_solution_check found;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_TRY(field->from_host(s->x[parity], (naik_parity)parity, 0, x));
    }
    NAIK_TRY(s->op->ops->check(s, &found));
    *out = found.source_residual * found.source_residual;
done:
    return status;
}

/* The factor that brings x, whose distance2 is `plus`, nearest to a solution; x is left with the other
 * sign. 0: even then it is not near. */
static naik_status find_scale(const naik_solution *s, const naik_lattice *lattice, double *x,
                              double plus, naik_start_value *out)
{
    naik_status status = NAIK_OK;
    double minus = 0;
    multiply(s, lattice, -1, 1, x);
    NAIK_TRY(distance2(s, x, &minus));
    const double along = (minus - plus) / 4, length2 = (plus + minus) / 2 - 1;
    const double least2 = 1 - along * along / length2;
    out->scale = length2 > 0 && isfinite(least2) && least2 <= worth * worth ? along / length2 : 0;
    out->residual = out->scale != 0 ? sqrt(fmax(least2, 0)) : sqrt(plus);
done:
    return status;
}

naik_status naik_start_value_weigh(const naik_solution *s, const naik_lattice *lattice, double *x,
                                   naik_start_value *out)
{
    naik_status status = NAIK_OK;
    double plus = 0;
    NAIK_TRY(distance2(s, x, &plus));
    *out = (naik_start_value){.scale = 1, .residual = sqrt(plus)};
    if (out->residual <= worth) {
        return NAIK_OK;
    }
    NAIK_TRY(find_scale(s, lattice, x, plus, out));
    if (out->scale == 0 && s->op->ops->spin == 1) {
        naik_start_value signs = {.signs = true};
        multiply(s, lattice, -1, -1, x);
        NAIK_TRY(distance2(s, x, &plus));
        NAIK_TRY(find_scale(s, lattice, x, plus, &signs));
        *out = signs.scale != 0 ? signs : *out;
    }
    multiply(s, lattice, -out->scale, 1, x);
done:
    return status;
}
