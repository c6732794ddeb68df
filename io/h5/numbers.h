/* numbers.h - lists of numbers in HDF5: datasets of one dimension, beside what they count */
#ifndef NAIK_IO_H5_NUMBERS_H
#define NAIK_IO_H5_NUMBERS_H

#include "io/h5/h5.h"

/* A list of `count` numbers of the type, empty yet. Collective, does not agree. */
naik_status naik_h5_numbers_make(naik_log *log, hid_t file, const char *name, hid_t type,
                                 hsize_t count);
/* All of it, by rank 0 alone. type: in memory. */
naik_status naik_h5_numbers_put(naik_log *log, hid_t file, const char *name, hid_t type, int count,
                                const void *data);
/* The first `count` numbers of type_bytes each. Local.
 * NAIK_ERR_CORRUPT  there are fewer        NAIK_ERR_IO */
naik_status naik_h5_numbers_get(naik_log *log, hid_t file, const char *name, hid_t type,
                                size_t type_bytes, int count, void *out);
/* Whether all numbers of a list have the crc32 that the attribute `name` of the file holds; files made
 * before there were such attributes have none, and nothing disagrees. */
bool naik_h5_numbers_agree(hid_t file, const char *name, const double *values, int count);
/* Whether data lie there as this type: HDF5's conversions do not survive damaged types. */
bool naik_h5_is_stored_as(hid_t dataset, hid_t type);

#endif
