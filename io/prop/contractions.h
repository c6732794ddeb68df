/* contractions.h - correlators made of several solves, in a propagator file
 *
 * Each is a dataset [T] of complex {r,i} under /corr. /metadata/contractions names them, a line
 * each, and /contractions [count] has in that order a word in the upper and the crc32 of the
 * numbers in the lower half of an int64. Files without any have neither.
 */
#ifndef NAIK_IO_PROP_CONTRACTIONS_H
#define NAIK_IO_PROP_CONTRACTIONS_H

#include "io/prop/prop_file.h"
#include "io/prop/reader.h"

/* The datasets and their attributes in a new file, empty. Does not agree. */
naik_status naik_prop_make_contractions(naik_propagator_file *file,
                                        const naik_propagator_spec *spec);
/* Those of an open file that are missing or disagree with their checksum, added to *bad.
 * Collective. */
naik_status naik_prop_check_contractions(const naik_propagator_file *file, int *bad);

/* Reads them all on this rank; those that are damaged are counted, those not made yet left out.
 * NAIK_ERR_MEMORY */
naik_status naik_prop_read_contractions(naik_log *log, hid_t h5, naik_propagator_reader *view);

#endif
