/* contractions.h - correlators made of several solves, in a propagator file
 *
 * Each is a dataset [T] of complex {r,i} under /corr. /metadata/contractions names them, a line
 * each, and /contractions [count] has in that order a word in the upper and the crc32 of the
 * numbers in the lower half of an int64. Files without any have neither.
 */
#ifndef NAIK_IO_PROP_CONTRACTIONS_H
#define NAIK_IO_PROP_CONTRACTIONS_H

#include "io/prop/contraction_view.h"
#include "io/prop/prop_file.h"

/* The datasets and their attributes in a new file, empty. Does not agree. */
naik_status naik_prop_make_contractions(naik_propagator_file *file,
                                        const naik_propagator_spec *spec);
/* Adds to *bad how many contractions of an open file are missing or disagree with their checksum.
 *   all  those as well that follow from others
 * Collective. */
naik_status naik_prop_check_contractions(const naik_propagator_file *file, bool all, int *bad);

/* Reads them all on this rank; those that are damaged are counted, those not made yet left out.
 *
 *   times     size in t
 *   complete  the file says so: none may be missing
 *
 * Free with naik_contraction_view_clear, whatever comes back. NAIK_ERR_MEMORY */
naik_status naik_prop_read_contractions(naik_log *log, hid_t h5, int times, bool complete,
                                        naik_contraction_view *view);
void naik_contraction_view_clear(naik_contraction_view *view);

#endif
