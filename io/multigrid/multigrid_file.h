/* multigrid_file.h - near-null vectors of a multigrid setup in HDF5: "naik-multigrid" 1.0
 *
 *   /multigrid/v          [n][T][Z][Y][X] of ARRAY[4][3] of {r,i}, 32 bits a real: the vectors that the setup
 *                         ended with, of which P, coarse operator and smoother follow
 *   /multigrid/near_null  [n] |Mh v| / |v| on even sites, M the quark's for which they were made
 *   /multigrid/suma, /multigrid/sumb [n] USQCD checksum of each vector's bytes
 *   attributes of the root: that quark; the parameters of the setup, extents of an aggregate among them;
 *   what was known of the links; near_null_crc
 */
#ifndef NAIK_IO_MULTIGRID_MULTIGRID_FILE_H
#define NAIK_IO_MULTIGRID_MULTIGRID_FILE_H

#include "io/h5/h5.h"
#include "multigrid/vectors.h"
#include "operator/quark.h"

enum { NAIK_MULTIGRID_LINKS = 512, NAIK_MULTIGRID_BOUNDARY = 32, NAIK_MULTIGRID_NUMBER = 64 };

typedef struct naik_multigrid_about {
    naik_quark quark;                         /* for which the vectors were made */
    naik_multigrid_parameters parameters;     /* aggregates as they are, restart is of no matter */
    char boundary_t[NAIK_MULTIGRID_BOUNDARY]; /* "antiperiodic" or "periodic" */
    char links[NAIK_MULTIGRID_LINKS];         /* a line that identifies the configuration */
} naik_multigrid_about;

/* The first parameter in which two setups differ: its name, and both values as text; NULL: none. */
const char *naik_multigrid_difference(const naik_multigrid_parameters *a,
                                      const naik_multigrid_parameters *b,
                                      char its[NAIK_MULTIGRID_NUMBER],
                                      char other[NAIK_MULTIGRID_NUMBER]);

/* Bytes of so many vectors of a lattice of these extents, and a little. */
int64_t naik_multigrid_file_bytes(const int size[NAIK_DIM], int vectors);
/* Writes vectors, of |Mh v|/|v| near_null [count], as PATH.part, reads it again, renames it. *there: another job has
 * written PATH, or writes it now, and it stays. Asks the vectors' hooks. Collective.
 * NAIK_ERR_INTERRUPTED, NAIK_ERR_INPUT, NAIK_ERR_IO, NAIK_ERR_MEMORY: PATH is then untouched */
naik_status naik_multigrid_file_write(const naik_geometry *geometry, const char *path,
                                      const naik_multigrid_about *about,
                                      const naik_test_vectors *vectors, const double *near_null,
                                      bool *there);

/* What a file says of itself; all attributes are as they were written. size: of the lattice. Collective.
 * NAIK_ERR_INPUT    no file of near-null vectors, or of another lattice
 * NAIK_ERR_CORRUPT  damaged, or unfinished        NAIK_ERR_IO */
naik_status naik_multigrid_file_look(naik_comm *comm, const char *path, const int size[NAIK_DIM],
                                     naik_multigrid_about *about);
/* All vectors, each against its checksum; near_null [vectors->count]. Collective.
 * NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_DEVICE */
naik_status naik_multigrid_file_read(const naik_geometry *geometry, const char *path,
                                     naik_test_vectors *vectors, double *near_null);

#endif
