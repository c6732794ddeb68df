/* placement.h - which rank runs where: host, device, PCI address, NUMA domain, processors */
#ifndef NAIK_BACKEND_PLACEMENT_H
#define NAIK_BACKEND_PLACEMENT_H

#include "backend/backend.h"

/* One line a rank on the log, in the order of ranks:
 *   rank 3: host nid0042, A100, device 3 (0000:C1:00.0) ..., numa 0, cpus 0-15,64-79
 * numa is the device's domain, -1 where the system does not say or there is no device. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_placement_print(naik_backend *backend);

/* "0-15,64-79" from [count] flags; ends with ",..." where text is too short. */
void naik_placement_ranges(const bool *set, int count, char *text, size_t text_size);

/* The first PCI address, such as 0000:c1:00.0, in a device's description, in lower case; false and
 * "" where there is none. address has at least 16 bytes. */
bool naik_placement_address(const char *description, char *address);

#endif
