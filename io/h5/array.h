/* array.h - fields over the lattice in HDF5 files of other codes; private to io/
 *
 * A dataset whose first four dimensions are T, Z, Y, X; the rest of the dimensions, array types and
 * a compound of a real and an imaginary part make up the reals of a site, in any nesting.
 */
#ifndef NAIK_IO_H5_ARRAY_H
#define NAIK_IO_H5_ARRAY_H

#include "io/h5/h5.h"

typedef struct naik_h5_array {
    hid_t dataset; /* owned */
    hid_t memory; /* owned: type of an element in memory, native byte order, the file's precision */
    int rank;
    hsize_t dims[8];
    int64_t dim[NAIK_DIM]; /* extents x, y, z, t as the dataset has them */
    int bits;              /* 32 or 64 */
    int reals;             /* of one site */
    bool big_endian;
    int64_t call_bytes; /* that a rank moves in one call */
} naik_h5_array;

/* True where the object NAME is such a dataset with `reals` reals a site, opened into *out; nothing
 * to release otherwise. Reads no data. Local. */
bool naik_h5_array_open(hid_t file, const char *name, int reals, naik_h5_array *out);
void naik_h5_array_close(naik_h5_array *array);

enum { NAIK_H5_NAME_BYTES = 128 };
typedef bool naik_h5_is_wanted(const naik_h5_array *array, const char *name);
typedef struct naik_h5_found {
    naik_h5_array first;              /* open where there is one: .dataset >= 0 */
    char name[2][NAIK_H5_NAME_BYTES]; /* of the first two, from the group that was searched */
    int count;
} naik_h5_found;
/* The arrays with `reals` reals a site that are wanted, in this group and all below it. Reads no data.
 * Local. */
naik_h5_found naik_h5_arrays_find(hid_t group, int reals, naik_h5_is_wanted *is_wanted);

/* Called with `count` consecutive sites along x of the rank's box: local number of the first, its
 * global number, and their reals in native order and the array's precision. From several threads.
 */
typedef void naik_h5_visit(void *context, int32_t site, int64_t number, int count, void *bytes);

/* Moves this rank's box through a bounded buffer. Collective, agrees.
 * NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_h5_array_read(const naik_lattice *lattice, const naik_h5_array *array,
                               naik_h5_visit *visit, void *context);
naik_status naik_h5_array_write(const naik_lattice *lattice, const naik_h5_array *array,
                                naik_h5_visit *visit, void *context);

#endif
