/* start_value.c - the factor that brings a starting value nearest to a solution
 *
 * |src - M a x|^2 is a parabola in a, known from its values at a = 0, 1 and -1; with complex a, also
 * from that at -i.
 */
#include "propagator/start_value.h"

#include <math.h>

/* What begins above this, relative to the source, spares a solver little. */
static const double worth = 0.5;

/* What begins below this is taken as it is; else a change of x must halve it. */
static const double good = 0.01;

/* x times a, and at sites with odd t (x + y + z) times `odd`. */
static void multiply(const naik_solution *s, const naik_lattice *lattice, double a, double odd,
                     double *x)
{
    const int reals = 6 * s->op->ops->spin;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int at[NAIK_DIM];
        naik_lattice_global_coords(lattice, site, at);
        const double factor = a * ((at[3] * (at[0] + at[1] + at[2])) % 2 != 0 ? odd : 1);
        for (int i = 0; i < reals; i++) {
            x[(int64_t)site * reals + i] *= factor;
        }
    }
}

/* x times exp(i pi (at + each t) / T) */
static void turn(const naik_solution *s, const naik_lattice *lattice, double at, double each,
                 double *x)
{
    const int numbers = 3 * s->op->ops->spin;
    const double step = acos(-1.0) / lattice->size[3];
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        int here[NAIK_DIM];
        naik_lattice_coords(lattice, site, here);
        const double angle = step * (at + each * (here[3] + lattice->origin[3]));
        const double re = cos(angle), im = sin(angle);
        for (int i = 0; i < numbers; i++) {
            double *z = &x[2 * ((int64_t)site * numbers + i)];
            const double was = z[0];
            z[0] = re * was - im * z[1];
            z[1] = im * was + re * z[1];
        }
    }
}

/* |src - M x|^2 / |src|^2 */
static naik_status distance2(const naik_solution *s, const double *x, double *out)
{
    const naik_field_ops *field = &s->op->geometry->backend->ops->field;
    naik_solution_check found;
    for (int parity = 0; parity < 2; parity++) {
        NAIK_PASS(field->from_host(s->x[parity], (naik_parity)parity, 0, x));
    }
    NAIK_PASS(s->op->ops->check(s, &found));
    *out = found.source_residual * found.source_residual;
    return NAIK_OK;
}

/* The factor that brings x, whose distance2 is `plus`, nearest to a solution; x is left with the other
 * sign. 0: even then it is not near. */
static naik_status find_scale(const naik_solution *s, const naik_lattice *lattice, double *x,
                              double plus, naik_start_value *out)
{
    double minus = 0;
    multiply(s, lattice, -1, 1, x);
    NAIK_PASS(distance2(s, x, &minus));
    const double along = (minus - plus) / 4, length2 = (plus + minus) / 2 - 1;
    const double least2 = 1 - along * along / length2;
    out->scale = length2 > 0 && isfinite(least2) && least2 <= worth * worth ? along / length2 : 0;
    out->residual = out->scale != 0 ? sqrt(fmax(least2, 0)) : sqrt(plus);
    return NAIK_OK;
}

/* The same of x with the staggered phases of other codes. */
static naik_status find_signed(const naik_solution *s, const naik_lattice *lattice, double *x,
                               naik_start_value *out)
{
    double plus = 0;
    out->signs = true;
    multiply(s, lattice, 1, -1, x);
    NAIK_PASS(distance2(s, x, &plus));
    return find_scale(s, lattice, x, plus, out);
}

/* The same of x times exp(i pi (t - t0) / T), with the t0 that fits best. */
static naik_status find_turned(const naik_solution *s, const naik_lattice *lattice, double *x,
                               naik_start_value *out)
{
    const int times = lattice->size[3];
    double plus = 0, minus = 0, aside = 0;
    turn(s, lattice, 0, 1, x);
    NAIK_PASS(distance2(s, x, &plus));
    multiply(s, lattice, -1, 1, x);
    NAIK_PASS(distance2(s, x, &minus));
    turn(s, lattice, times / 2.0, 0, x);
    NAIK_PASS(distance2(s, x, &aside));
    /* (src, M x) but for a factor that is positive */
    const double re = (minus - plus) / 2, im = (plus + minus) / 2 - aside;
    const double angle = isfinite(re) && isfinite(im) ? atan2(im, re) : 0;
    const int slice = (int)lround(angle / acos(-1.0) * times); /* from -T to T */
    out->t0 = (slice + times) % times;
    out->times = times;
    turn(s, lattice, times / 2.0 - out->t0, 0, x);
    NAIK_PASS(distance2(s, x, &plus));
    return find_scale(s, lattice, x, plus, out);
}

/* The better of two: what changes x more must be worth it. */
static void take_better(const naik_start_value *other, naik_start_value *best)
{
    if (other->scale != 0 && (best->scale == 0 || other->residual < best->residual / 2)) {
        *best = *other;
    }
}

naik_status naik_start_value_weigh(const naik_solution *s, const naik_lattice *lattice, double *x,
                                   naik_start_value *out)
{
    naik_start_value scaled = {.scale = 0}, changed = {.scale = 0};
    double plus = 0;
    NAIK_PASS(distance2(s, x, &plus));
    *out = (naik_start_value){.scale = sqrt(plus) <= worth ? 1 : 0, .residual = sqrt(plus)};
    if (out->residual <= good) {
        return NAIK_OK;
    }
    NAIK_PASS(find_scale(s, lattice, x, plus, &scaled));
    multiply(s, lattice, -1, 1, x);
    if (s->op->ops->spin == 1) {
        NAIK_PASS(find_signed(s, lattice, x, &changed));
    } else {
        NAIK_PASS(find_turned(s, lattice, x, &changed));
    }
    take_better(&scaled, out);
    take_better(&changed, out);
    if (changed.signs && !out->signs) {
        multiply(s, lattice, 1, -1, x);
    } else if (changed.times > 0 && out->times == 0) {
        turn(s, lattice, changed.t0, -1, x);
    }
    multiply(s, lattice, -out->scale, 1, x);
    if (out->scale != 0) { /* the parabola tells nothing below the root of the unit roundoff */
        NAIK_PASS(distance2(s, x, &plus));
        out->residual = sqrt(plus);
    }
    return NAIK_OK;
}
