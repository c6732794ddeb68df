/* geometry.h - a lattice as one backend sees it, with its halo exchange */
#ifndef NAIK_BACKEND_GEOMETRY_H
#define NAIK_BACKEND_GEOMETRY_H

#include "backend/backend.h"

naik_status naik_geometry_create(naik_backend *backend, const naik_lattice *lattice,
                                 naik_geometry **out);
void naik_geometry_destroy(naik_geometry **geometry);

#endif
