/* device_current.h - the conserved current of staggered quarks as an operator on a vector, on a device
 *
 * The numbers are those of naik_current_apply, to the bit. Of directions that no ranks split.
 */
#ifndef NAIK_CONTRACT_DEVICE_CURRENT_H
#define NAIK_CONTRACT_DEVICE_CURRENT_H

#include "base/device.h"
#include "propagator/current.h"

typedef struct device_current device_current;

/* Of direction mu; copies the links, which are not kept. *out is NULL where the device has no room for them beside `spare` more
 * bytes, or mu is split. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, NAIK_ERR_MPI. Release with device_current_destroy. */
naik_status device_current_create(naik_device *device, const naik_lattice *lattice,
                                  const naik_hops *hops, int mu, size_t spare,
                                  device_current **out);
void device_current_destroy(device_current **current);
/* The weight from now on. Local. NAIK_ERR_DEVICE */
naik_status device_current_weigh(device_current *current, const naik_frame *frame);
/* out = K f, or K (-1)^(x+y+z+t) f where `sign` says so, which is then put on f; vectors [sites][3][2] there, not in place.
 * rest: what rounding to single precision leaves of it. Local. NAIK_ERR_DEVICE */
naik_status device_current_apply(const device_current *current, bool sign, bool rest, double *f,
                                 double *out);

#endif
