/* device_items.h - which correlators of a list a device makes, and all those of the same quarks in one pass */
#ifndef NAIK_CONTRACT_DEVICE_ITEMS_H
#define NAIK_CONTRACT_DEVICE_ITEMS_H

#include "contract/device_tie.h"
#include "correlator/contraction_list.h"

/* Whether a device can make an item: a meson, or the same of a three-point function, of staggered quarks. Local. */
bool device_tie_takes(const naik_input *input, const contraction_item *item);
/* values [count][T]: those of the items that are chosen [count], all of one pair of quarks and with the same list of momenta,
 * from g and h on the device. Collective. As device_tie_sum */
naik_status device_tie_items(device_tie *tie, const naik_input *input, const contraction_list *list,
                             const bool *chosen, const double *g, const double *h,
                             naik_complex *values);

#endif
