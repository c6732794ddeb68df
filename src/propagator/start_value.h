/* start_value.h - a starting value that somebody else has made: does it solve this system?
 *
 * A solution of another code may be of another normalisation of M, which is a factor; of staggered
 * phases in another order of the directions, which is a sign at each site; of quarks with spin whose
 * antiperiodic boundary is a phase exp(i pi / T) on every link in t, which is a phase on each time
 * slice where the source is on one; or of other links or quarks, from which a solver would begin
 * worse than from zero.
 */
#ifndef NAIK_PROPAGATOR_START_VALUE_H
#define NAIK_PROPAGATOR_START_VALUE_H

#include "operator/operator.h"

/* What to begin from is scale x, or scale (-1)^(t (x+y+z)) x where `signs`, or
 * scale exp(i pi (t - t0) / times) x where `times` is not 0. It leaves |src - M x| = residual |src|.
 * scale 1: x solves the system, as far as it was solved; 0: it solves another one, and residual is
 * that of x itself. */
typedef struct naik_start_value {
    double scale, residual;
    bool signs;    /* x has Chroma's and Grid's staggered phases: (-1)^(x+y+z) in t, 1 in x */
    int t0, times; /* x has tmLQCD's antiperiodic boundary: the slice of its source, and T */
} naik_start_value;

/* x [sites][spin][3][2] = what to begin from, as far as scale is not 0.
 *
 *   s  source and operator; its x is overwritten
 *
 * Collective, the same on every rank. Failures are the operator's. */
naik_status naik_start_value_weigh(const naik_solution *s, const naik_lattice *lattice, double *x,
                                   naik_start_value *out);

#endif
