/* new.h - memory that every rank gets, or none: of a structure, and of devices
 */
#ifndef NAIK_COMM_NEW_H
#define NAIK_COMM_NEW_H

#include <stddef.h>

#include "base/device.h"
#include "naik/comm.h"

/* *out: size_bytes of zeroes, released by free; NULL where any rank has no memory, and then every
 * rank fails with "no memory for WHAT". Collective. NAIK_ERR_MEMORY */
naik_status naik_new(naik_comm *comm, size_t size_bytes, const char *what, void **out);

/* *bytes: what the device of the rank that has least can still give; of the host's memory, host_bytes where these are
 * least. Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_room(naik_comm *comm, naik_device *device, double host_bytes, double *bytes);

#endif
