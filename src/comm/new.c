/* new.c - memory for a structure that every rank gets, or none */
#include "comm/new.h"

#include <stdlib.h>

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
