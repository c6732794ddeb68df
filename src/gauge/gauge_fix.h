/* gauge_fix.h - Coulomb and Landau gauge by over-relaxation
 *
 * The functional  F = sum_x sum_mu Re Tr U_mu(x),  mu over x, y, z (Coulomb) or all four (Landau),
 * is made stationary by gauge transformations g(x), of even and of odd sites in turns: at one site
 * F is Re Tr g w with w = sum_mu U_mu(x) + U_mu(x-mu)^+, and g is taken subgroup by subgroup beyond
 * its maximum. J. Mandula, M. Ogilvie, PLB 248 (1990) 156.
 */
#ifndef NAIK_GAUGE_GAUGE_FIX_H
#define NAIK_GAUGE_GAUGE_FIX_H

#include "base/device.h"
#include "naik/gauge.h"

typedef enum naik_gauge_condition { NAIK_COULOMB, NAIK_LANDAU } naik_gauge_condition;

typedef struct naik_gauge_fix_options {
    naik_gauge_condition condition;
    double tolerance;       /* on theta of naik_gauge_divergence, > 0 */
    double over_relaxation; /* from 1, relaxation, to below 2 */
    int max_iterations;
} naik_gauge_fix_options;

typedef struct naik_gauge_fix_result {
    double theta; /* of the links as they are */
    int iterations;
    bool converged;
} naik_gauge_fix_result;

/* Transforms unphased SU(3) links in place and reunitarises them. Not to converge is a result.
 * Links in the host's memory; device: where they are turned, borrowed, NULL: on the host. Collective;
 * the same bits on every process grid, and on a device those of the host.
 * NAIK_ERR_ARG    options out of range, links that are not SU(3)
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_gauge_fix(naik_gauge *gauge, naik_device *device,
                           const naik_gauge_fix_options *options, naik_gauge_fix_result *result);

#endif
