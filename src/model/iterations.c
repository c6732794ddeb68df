/* iterations.c - the rule of iterations.h */
#include "model/iterations.h"

#include <math.h>

/* Of the lightest mode at 32^4, where solves lighter than that took as many iterations: 25/13700.
 * The modes next to zero lie as dense as the volume is large. */
static const double LOWEST = 0.0018;
static const double LOWEST_VOLUME = 32.0 * 32 * 32 * 32;

/* Half the largest eigenvalue of D that conjugate gradient meets, as measured: 25/m for light
 * masses, from 22/m to 31.5/m. On free links it is 7/3 of the improved operators and 2 of naive
 * quarks, and on links without any order sqrt(7), as on the tree whose sites have eight
 * neighbours. */
static const double REACH = 2.108015, REACH_LEAST = 1.855053, REACH_MOST = 2.656099;

static double decades(double tolerance, double reference)
{
    return log(2 / tolerance) / log(2 / reference);
}

/* The condition of 4m^2 - DD is 1 + (reach/m)^2, by which Chebyshev's polynomials fall. */
static double steps(double mass, double tolerance, double reach)
{
    return log(2 / tolerance) / (2 * asinh(mass / reach));
}

model_iterations model_iterations_of(double mass, double tolerance, int64_t volume)
{
    const double lowest = LOWEST * LOWEST_VOLUME / (double)volume;
    return (model_iterations){.least = steps(fmax(mass, lowest), tolerance, REACH_LEAST),
                              .expected = steps(mass, tolerance, REACH),
                              .most = steps(mass, tolerance, REACH_MOST)};
}

double model_iterations_above(double mass, double tolerance, double lowest)
{
    return steps(hypot(mass, lowest), tolerance, REACH);
}

model_iterations model_iterations_assumed(double tolerance)
{
    const double scale = decades(tolerance, 1e-10);
    return (model_iterations){.least = 20 * scale, .expected = 100 * scale, .most = 500 * scale};
}

model_iterations model_iterations_ahead(bool by_mass, double mass, double tolerance, int64_t volume)
{
    return by_mass ? model_iterations_of(mass, tolerance, volume)
                   : model_iterations_assumed(tolerance);
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
    const double scale =
        by_mass ? steps(mass, tolerance, REACH) / steps(near->mass, near->tolerance, REACH)
                : decades(tolerance, near->tolerance);
    return (model_iterations){
        .least = near->least * scale, .expected = near->mean * scale, .most = near->most * scale};
}
