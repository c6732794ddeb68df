/* heatbath.h - quenched configurations: Wilson gauge action, heatbath and over-relaxation
 *
 * S = -beta/3 sum_P Re Tr P. Cabibbo-Marinari sweeps over the three SU(2) subgroups with
 * Kennedy-Pendleton heatbath (N. Cabibbo, E. Marinari, PLB 119 (1982) 387; A. Kennedy, B.
 * Pendleton, PLB 156 (1985) 393), microcanonical over-relaxation between them. Random numbers by
 * global site: the same configuration to the bit on every process grid.
 */
#ifndef NAIK_GAUGE_HEATBATH_H
#define NAIK_GAUGE_HEATBATH_H

#include "naik/gauge.h"

enum { NAIK_HEATBATH_MAX_SWEEPS = 1 << 29 }; /* streams of random numbers for one seed */

/* Updates the unphased SU(3) links in place by `sweeps` sweeps, each one heatbath and
 * `over_relaxations` over-relaxation passes over all links and a reunitarisation. sweep_offset
 * numbers the first sweep: two calls that share the sweeps between them give the same bits as one.
 * Collective. After a failure the links are in no defined state.
 * NAIK_ERR_INPUT    beta is negative or not finite, a count is negative, or the last sweep's number
 *                   would pass NAIK_HEATBATH_MAX_SWEEPS
 * NAIK_ERR_ARG      the links are not SU(3)
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_heatbath(naik_gauge *gauge, double beta, uint64_t seed, int sweep_offset,
                          int sweeps, int over_relaxations);

#endif
