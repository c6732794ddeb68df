/* vectors.h - one vector on the even sites, to and from its place in a file; private to io/modes */
#ifndef NAIK_IO_MODES_VECTORS_H
#define NAIK_IO_MODES_VECTORS_H

#include "backend/field.h"
#include "io/h5/box.h"

/* Numbered vectors of a dataset [n][T][Z][Y][X/2] and host memory for one of them. */
typedef struct naik_mode_vectors {
    const naik_geometry *geometry; /* borrowed */
    naik_lattice half;             /* the even sites, as a lattice of half the extent in x */
    hid_t dataset, type;           /* owned */
    double *sites, *even;          /* [sites][6], [sites / 2][6] */
} naik_mode_vectors;

/* Opens /modes/v of `file`, whose shape is known to be right. Local but for the memory, on which the ranks agree. */
naik_status naik_mode_vectors_open(const naik_geometry *geometry, hid_t file,
                                   naik_mode_vectors *out);
void naik_mode_vectors_close(naik_mode_vectors *vectors);
/* Vector `index` from rhs `index` of blocks of NAIK_MODES_BLOCK, or into it. Collective, agree. */
naik_status naik_mode_vector_write(naik_mode_vectors *vectors, naik_field *const *block, int index,
                                   uint32_t sum[2]);
naik_status naik_mode_vector_read(naik_mode_vectors *vectors, naik_field *const *block, int index,
                                  uint32_t sum[2]);

#endif
