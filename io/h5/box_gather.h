/* box_gather.h - writing a field through few ranks, without collective HDF5; private to io/ */
#ifndef NAIK_IO_H5_BOX_GATHER_H
#define NAIK_IO_H5_BOX_GATHER_H

#include "io/h5/box.h"
#include "io/site_sums.h"

/* Planes (z, t) of the whole lattice are numbered z + nz t. Each of field->writers ranks owns a
 * range of them and writes it piece by piece; the others send it theirs.
 *
 *   data    [sites][field->reals] double, or packed
 *   sums    takes this rank's sites
 *
 * Collective, agrees. NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_h5_gather_write(const naik_lattice *lattice, const naik_h5_field *field,
                                 const void *data, naik_site_sums *sums);

#endif
