/* sites.h - a 4-d array of sites in a file, read and written by all ranks together
 *
 * The array has extent[0..3] elements of element_bytes each, extent[0] running fastest, and begins
 * at a byte offset. Every rank owns a box of it. The bytes pass through a bounded buffer, row by
 * row, so that no rank ever holds a second copy of its links.
 */
#ifndef NAIK_IO_SITES_H
#define NAIK_IO_SITES_H

#include "naik/lattice.h"

typedef struct naik_sites_box {
    int64_t offset;                       /* of the array in the file, bytes */
    int64_t element_bytes;                /* of one site, at most 1 MiB */
    int extent[NAIK_DIM];                 /* of the array, fastest first */
    int start[NAIK_DIM], count[NAIK_DIM]; /* this rank's box; any count 0: nothing to do here */
} naik_sites_box;

typedef struct naik_sites_row {
    int coord[NAIK_DIM];  /* in the array, of the first element of the row */
    int count;            /* elements along direction 0 */
    int64_t number;       /* of the first element: c0 + e0 (c1 + e1 (c2 + e2 c3)) */
    unsigned char *bytes; /* [count][element_bytes], in the file's byte order */
} naik_sites_row;

/* Called once for each row of the rank's box, from several OpenMP threads at once: update shared
 * sums with `#pragma omp atomic`. Reading: takes the bytes. Writing: fills all of them. */
typedef void naik_sites_visit(void *context, const naik_sites_row *row);

/* Whether a lattice may have these extents: each is in 1 .. 65536, and no count of their bytes
 * overflows. */
bool naik_sites_possible(const int64_t size[NAIK_DIM]);

/* The box of this rank in an array over the whole lattice, x fastest. */
naik_sites_box naik_sites_of_lattice(const naik_lattice *lattice, int64_t offset,
                                     int64_t element_bytes);
/* This rank's box of an array over the sites lower..upper (inclusive) only: row.coord is relative to
 * lower. A rank without such sites gets counts of 0. */
naik_sites_box naik_sites_of_part(const naik_lattice *lattice, int64_t offset,
                                  int64_t element_bytes, const int lower[NAIK_DIM],
                                  const int upper[NAIK_DIM]);

/* Local lexicographic number of the row's first site, for a box of naik_sites_of_lattice. */
int32_t naik_sites_local(const naik_lattice *lattice, const naik_sites_row *row);

/* Reads this rank's box and visits its rows. Collective; path and array the same on every rank.
 * NAIK_ERR_IO       the file cannot be opened or a read fails
 * NAIK_ERR_CORRUPT  the file ends before the array does
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_sites_read(naik_comm *comm, const char *path, const naik_sites_box *box,
                            naik_sites_visit *visit, void *context);

/* Visits the rows of this rank's box and writes them into the file, which exists. Collective.
 * NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_sites_write(naik_comm *comm, const char *path, const naik_sites_box *box,
                             naik_sites_visit *visit, void *context);

/* out[i] = real number i of `bytes`, of 32 or 64 bits, byte order as said; and the way back.
 * Unaligned bytes are welcome. */
void naik_reals_decode(const unsigned char *bytes, int64_t count, int bits, bool big_endian,
                       double *out);
void naik_reals_encode(const double *in, int64_t count, int bits, bool big_endian,
                       unsigned char *bytes);

#endif
