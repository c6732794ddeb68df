/* vectors.h - one vector on the even sites, to and from its place in a file; private to io */
#ifndef NAIK_IO_MODES_VECTORS_H
#define NAIK_IO_MODES_VECTORS_H

#include "backend/field.h"
#include "io/h5/box.h"
#include "io/modes/ahead.h"
#include "io/modes/form.h"

/* Numbered vectors of a dataset and host memory for one of them. */
typedef struct naik_mode_vectors {
    const naik_lattice *lattice; /* borrowed */
    naik_mode_form form;
    hid_t dataset, type;     /* owned */
    float *even;             /* [sites / 2][6] */
    naik_brick *brick;       /* of a file in bricks, [sites / 16] */
    naik_modes_ahead *ahead; /* NULL: vectors are read by HDF5 when they are asked for */
} naik_mode_vectors;

/* Vectors in the file, 0 where its dataset is not one of a lattice of these extents; whether they are bricks.
 * Local. */
int naik_mode_vectors_count(hid_t file, const int size[NAIK_DIM], bool *bricks);
/* Opens /modes/v of `file`, whose shape is known to be right. Local but for the memory, on which the ranks agree. */
naik_status naik_mode_vectors_open(const naik_lattice *lattice, hid_t file, naik_mode_vectors *out);
/* The first `count` vectors will be read in turn, by naik_mode_vector_read, from the file PATH: threads
 * may do so ahead. Collective, agrees. NAIK_ERR_IO, NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_mode_vectors_read_ahead(naik_mode_vectors *vectors, const char *path, int count);
void naik_mode_vectors_close(naik_mode_vectors *vectors);
/* Vector `index` from rhs `index` of blocks of NAIK_MODES_BLOCK in single precision, or into it; what is read
 * from bricks may go into blocks of bricks. Read with block NULL only its checksum is formed. Collective, agree. */
naik_status naik_mode_vector_write(naik_mode_vectors *vectors, naik_field *const *block, int index,
                                   uint32_t sum[2]);
naik_status naik_mode_vector_read(naik_mode_vectors *vectors, naik_field *const *block, int index,
                                  uint32_t sum[2]);

#endif
