/* link_current.h - the conserved current of staggered quarks as an operator on a vector, on a device
 *
 * The numbers are those of naik_current_apply, to the bit. Of directions that no ranks split.
 */
#ifndef NAIK_LINKS_LINK_CURRENT_H
#define NAIK_LINKS_LINK_CURRENT_H

#include "base/device.h"
#include "naik/gauge.h"

typedef struct link_current link_current;

/* Of links of direction mu over one site, and over three or NULL; copies the links, which are not kept. *out is NULL where
 * the device has no room for them beside `spare` more bytes, or ranks split mu. Collective. NAIK_ERR_MEMORY,
 * NAIK_ERR_DEVICE, NAIK_ERR_MPI. Release with link_current_destroy. */
naik_status link_current_create(naik_device *device, const naik_lattice *lattice,
                                const naik_gauge *one, const naik_gauge *three, int mu,
                                size_t spare, link_current **out);
void link_current_destroy(link_current **current);
/* weights [2][sites] on the host, from now on: of links over one site, and over three. Local. NAIK_ERR_DEVICE */
naik_status link_current_weigh(link_current *current, const naik_complex *weights);
/* out = K f, or K (-1)^(x+y+z+t) f where `sign` says so, which is then put on f; vectors [sites][3][2] there, not in place.
 * Local. NAIK_ERR_DEVICE */
naik_status link_current_apply(const link_current *current, bool sign, double *f, double *out);

#endif
