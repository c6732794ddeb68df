/* geometry.c - a lattice as one backend sees it */

#include <stdlib.h>

#include "backend/halo.h"
#include "comm/new.h"

naik_status naik_geometry_create(naik_backend *backend, const naik_lattice *lattice,
                                 naik_geometry **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    naik_geometry *geometry = NULL;
    NAIK_TRY(naik_new(backend->comm, sizeof *geometry, "the geometry", (void **)&geometry));
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
