/* geometry.c - a lattice as one backend sees it */
#include "backend/geometry.h"

#include <stdlib.h>

#include "backend/halo.h"

naik_status naik_geometry_create(naik_backend *backend, const naik_lattice *lattice,
                                 naik_geometry **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    naik_geometry *geometry = calloc(1, sizeof *geometry);
    if (geometry == NULL) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the geometry");
    }
    status = naik_comm_agree(backend->comm, status);
    if (status != NAIK_OK) {
        free(geometry);
        return status;
    }
    geometry->backend = backend;
    geometry->lattice = lattice;
    NAIK_TRY(naik_comm_agree(backend->comm,
                             backend->ops->tables_create(backend, lattice, &geometry->tables)));
    NAIK_TRY(naik_comm_agree(backend->comm, naik_halo_create(geometry, &geometry->halo)));
    *out = geometry;
done:
    if (status != NAIK_OK) {
        naik_geometry_destroy(&geometry);
    }
    return status;
}

void naik_geometry_destroy(naik_geometry **geometry)
{
    if (*geometry == NULL) {
        return;
    }
    naik_halo_destroy(&(*geometry)->halo);
    if ((*geometry)->tables != NULL) {
        (*geometry)->backend->ops->tables_destroy((*geometry)->backend, (*geometry)->tables);
    }
    free(*geometry);
    *geometry = NULL;
}
