/* about.h - what a file of near-null vectors says of itself, to and from its attributes; private to
 * io/multigrid
 */
#ifndef NAIK_IO_MULTIGRID_ABOUT_H
#define NAIK_IO_MULTIGRID_ABOUT_H

#include "io/h5/box.h"
#include "io/multigrid/multigrid_file.h"

enum { NAIK_MG_SITE_REALS = 24, NAIK_MG_SITE_BYTES = NAIK_MG_SITE_REALS * 4 };

/* All attributes but format, state and checksum. By rank 0 alone. */
naik_status naik_multigrid_about_put(naik_log *log, hid_t file, const naik_multigrid_about *about);
/* And back, of a file that is complete, with its extents. Local.
 * NAIK_ERR_CORRUPT where an attribute is missing, cannot be what naik writes or contradicts another, and where
 * the file has not so many vectors of these extents */
naik_status naik_multigrid_about_get(naik_log *log, hid_t file, const char *path,
                                     naik_multigrid_about *about, int size[NAIK_DIM]);
/* "complete" or "incomplete". */
bool naik_multigrid_file_is_whole(hid_t file);

/* The vectors of an open file. */
typedef struct naik_multigrid_vectors {
    hid_t dataset, type; /* owned */
    naik_h5_field field; /* of one; `lead` is its number */
} naik_multigrid_vectors;
/* Local; close it whatever is returned. NAIK_ERR_CORRUPT */
naik_status naik_multigrid_vectors_open(naik_comm *comm, hid_t file, naik_multigrid_vectors *out);
void naik_multigrid_vectors_close(naik_multigrid_vectors *vectors);
/* Checksums [count][2] and near_null [count] of an open file. Local. NAIK_ERR_CORRUPT, NAIK_ERR_IO */
naik_status naik_multigrid_numbers_get(naik_log *log, hid_t file, const char *path, int count,
                                       uint32_t (*sum)[2], double *near_null);
/* Every vector against its sum: *damaged of them disagree, the first is number *first. Collective.
 * NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status naik_multigrid_vectors_verify(const naik_lattice *lattice, hid_t file, int count,
                                          uint32_t (*sum)[2], int *damaged, int *first);

#endif
