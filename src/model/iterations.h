/* iterations.h - how many iterations a mass takes, before a run or from a pilot run
 *
 * Before: conjugate gradient on 4m^2 - DD takes ln(2/tolerance) / (2 asinh(m/r)) steps, where 2r is
 * the largest eigenvalue of D; with r = 2.11, light masses take 25/m to 1e-10. Measured
 * (tests/results/h200.txt, 32^4, beta = 6): 24.6/m, 24.1/m and 22.2/m at 0.05, 0.01 and 0.002; 31/m
 * on a random field; below the smallest eigenvalue of D a lighter mass costs no more (6.9/m at
 * 0.0005). Heavy masses: tests/results/cpu.txt. Where the smallest eigenvalue lies is not known
 * beforehand, so a range is given: from the eigenvalue that configuration suggests, which falls
 * with the volume, to 31/m.
 */
#ifndef NAIK_MODEL_ITERATIONS_H
#define NAIK_MODEL_ITERATIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct model_iterations {
    double least, expected, most;
} model_iterations;

/* volume: sites of the lattice */
model_iterations model_iterations_of(double mass, double tolerance, int64_t volume);

/* Of quarks with spin nothing follows from the mass, since the critical mass is the
 * configuration's: 100 to 1e-10 are assumed, from 20 to 500. */
model_iterations model_iterations_assumed(double tolerance);

/* Where `lowest` is the lowest eigenvalue that is left, in units of the mass: of D, or above the
 * modes that are removed. */
double model_iterations_above(double mass, double tolerance, double lowest);

/* Before a run: by the rule where they follow from the mass, or what is assumed. */
model_iterations model_iterations_ahead(bool by_mass, double mass, double tolerance,
                                        int64_t volume);

/* Iterations of a pilot run, over its solves of one mass. */
typedef struct model_pilot {
    double mass, tolerance, least, mean, most;
} model_pilot;

/* Iterations from `count` >= 1 masses of a pilot run: from the nearest mass, by the rule where they
 * follow from the mass (as many else: masses may be negative), and by ln(2/tolerance). */
model_iterations model_iterations_from(const model_pilot *pilot, int count, bool by_mass,
                                       double mass, double tolerance);

#endif
