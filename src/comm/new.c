/* new.c - memory that every rank gets, or none: of a structure, and of devices */
#include "comm/new.h"

#include <stdlib.h>

#include "comm/collective.h"
#include "naik/log.h"

naik_status naik_new(naik_comm *comm, size_t size_bytes, const char *what, void **out)
{
    naik_status status = NAIK_OK;
    *out = calloc(1, size_bytes);
    if (*out == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for %s", what);
    }
    status = naik_comm_agree(comm, status);
    if (status != NAIK_OK) {
        free(*out);
        *out = NULL;
    }
    return status;
}

naik_status naik_room(naik_comm *comm, naik_device *device, double host_bytes, double *bytes)
{
    naik_status status = NAIK_OK;
    *bytes = host_bytes;
    if (device->memory->free_bytes != NULL) {
        size_t free_bytes = 0;
        status = device->memory->free_bytes(device, &free_bytes);
        *bytes = (double)free_bytes;
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_comm_min_f64(comm, bytes, 1);
}
