/* volumes.h - a volume of QIO: an array lies in several files, each with a list of the sites it has */
#ifndef NAIK_IO_LIME_VOLUMES_H
#define NAIK_IO_LIME_VOLUMES_H

#include "io/lime/lime.h"
#include "io/sites.h"

typedef struct naik_volumes naik_volumes;
/* Arrays among the first `field` records of a volume: all but the global ones, which lie in its first
 * file alone. */
int naik_volumes_arrays_before(const naik_scidac_file *lime, int field);
/* The files beside the first part `path`, whose records `lime` describes. Collective.
 * NAIK_ERR_INPUT it is not the first; NAIK_ERR_CORRUPT parts are missing or contradict each other;
 * NAIK_ERR_MEMORY */
naik_status naik_volumes_open(naik_comm *comm, const char *path, const naik_scidac_file *lime,
                              naik_volumes **out);
void naik_volumes_close(naik_volumes **volumes);
/* Visits this rank's sites of array number `array`, in rows of neighbours along x: row->coord is in the
 * lattice, row->number the global number of the first site. Not by several threads. Collective, agrees.
 * NAIK_ERR_CORRUPT  a site is there twice or not at all; NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status naik_volumes_read(naik_volumes *volumes, const naik_lattice *lattice, int64_t array,
                              int element_bytes, naik_sites_visit *visit, void *context);
/* naik_volumes_read of one array of the volume whose first part is `path`. Collective, agrees. */
naik_status naik_volumes_read_one(const char *path, const naik_lattice *lattice, int64_t array,
                                  int element_bytes, naik_sites_visit *visit, void *context);

#endif
