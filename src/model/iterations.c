/* iterations.c - the rule of iterations.h */
#include "model/iterations.h"

#include <math.h>

/* Of the lightest mode at 32^4, where solves lighter than that took as many iterations: 25/13700.
 * The modes next to zero lie as dense as the volume is large. */
static const double LOWEST = 0.0018;
static const double LOWEST_VOLUME = 32.0 * 32 * 32 * 32;

static double decades(double tolerance, double reference)
{
    return log(2 / tolerance) / log(2 / reference);
}

model_iterations model_iterations_of(double mass, double tolerance, int64_t volume, int points)
{
    /* the largest eigenvalue of D is that of the free one: 16 49/36 squared, or 16 */
    const double shape = points == 16 ? 1 : 6.0 / 7;
    const double scale = shape * decades(tolerance, 1e-10);
    const double lowest = LOWEST * LOWEST_VOLUME / (double)volume;
    return (model_iterations){.least = 22 * scale / fmax(mass, lowest),
                              .expected = 25 * scale / mass,
                              .most = 31.5 * scale / mass};
}

double model_iterations_above(double mass, double tolerance, double lowest)
{
    return 25 * decades(tolerance, 1e-10) / hypot(mass, lowest);
}

model_iterations model_iterations_assumed(double tolerance)
{
    const double scale = decades(tolerance, 1e-10);
    return (model_iterations){.least = 20 * scale, .expected = 100 * scale, .most = 500 * scale};
}

static double distance(double mass, double other, bool by_mass)
{
    return fabs(by_mass ? log(other / mass) : other - mass);
}

model_iterations model_iterations_from(const model_pilot *pilot, int count, bool by_mass,
                                       double mass, double tolerance)
{
    const model_pilot *near = pilot;
    for (int i = 1; i < count; i++) {
        if (distance(mass, pilot[i].mass, by_mass) < distance(mass, near->mass, by_mass)) {
            near = &pilot[i];
        }
    }
    const double scale = decades(tolerance, near->tolerance) * (by_mass ? near->mass / mass : 1);
    return (model_iterations){
        .least = near->least * scale, .expected = near->mean * scale, .most = near->most * scale};
}
