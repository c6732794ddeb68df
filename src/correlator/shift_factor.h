/* shift_factor.h - sign and phase of a correlator on its way to t = 0 */
#ifndef NAIK_CORRELATOR_SHIFT_FACTOR_H
#define NAIK_CORRELATOR_SHIFT_FACTOR_H

#include "correlator/contraction_spec.h"

/* What C(origin_t + t) of source number k is multiplied with on its way to t, as if its source lay at the
 * lattice's origin: sign and phase of a meson that was not counted from its source, and three quarks change sign where
 * they cross an antiperiodic boundary. */
naik_complex correlator_factor_of_shift(const naik_lattice *lattice, const naik_input *input,
                                        const contraction_item *item, int k,
                                        const int origin[NAIK_DIM], int t);

#endif
