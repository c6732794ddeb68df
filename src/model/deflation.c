/* deflation.c - the rules of deflation.h */
#include "model/deflation.h"

#include <math.h>

static const double MODES_A_SLICE = 740, SLICE = 32.0 * 32 * 32;
static const double APPLICATIONS = 6.5;  /* of D D, for n/lambda_n = 1 */
static const double VECTOR_SHARE = 0.04; /* 24 bytes a site of about 600 */
static const double VECTOR_READS = 4.6;  /* of orthogonalising and rotating, for n = 1 */

double model_mode_density(const int size[NAIK_DIM])
{
    const double slice = (double)size[0] * size[1] * size[2];
    return MODES_A_SLICE * size[3] * fmin(1, slice / SLICE);
}

double model_search_iterations(double density, int modes)
{
    return modes > 0 ? APPLICATIONS * density + VECTOR_READS * VECTOR_SHARE * modes * modes : 0;
}

double model_deflating_iterations(int modes, int bits, double tolerance, double again)
{
    const double times = 1 + fmax(0, floor(log(tolerance) / log(again)));
    return 2 * VECTOR_SHARE * modes * times * bits / 32;
}

double model_odd_over_even(double mass, double lambda, double tolerance)
{
    return 1 + (1 + log(hypot(mass, lambda) / mass)) / log(2 / tolerance);
}

model_iterations model_iterations_deflated(model_iterations plain, double mass, double lambda,
                                           double tolerance, int64_t volume)
{
    const model_iterations rule = model_iterations_of(hypot(mass, lambda), tolerance, volume);
    return (model_iterations){.least = fmin(plain.least, rule.least),
                              .expected = fmin(plain.expected, rule.expected),
                              .most = fmin(plain.most, rule.most)};
}
