/* qdp.h - a LatticePropagator in the HDF5 of QDP++; private to io/
 *
 * One dataset of the lattice whose element is a matrix of spins of matrices of colours, sink before
 * source in both.
 */
#ifndef NAIK_IO_VECTORS_QDP_H
#define NAIK_IO_VECTORS_QDP_H

#include "io/h5/array.h"

#define NAIK_QDP_NAME "propagator" /* of the dataset in the files of naik */

enum {
    NAIK_QDP_SPINS = 4,
    NAIK_QDP_COLOURS = 3,
    NAIK_QDP_COLUMNS = NAIK_QDP_SPINS * NAIK_QDP_COLOURS,
    NAIK_QDP_SITE_REALS = 2 * NAIK_QDP_COLUMNS * NAIK_QDP_COLUMNS
};

/* Opens the propagator of a file, /propagator or the first one in any group. How many there are, of
 * which more than one is none that can be meant: nothing is open then. Local. */
int naik_qdp_propagator_open(hid_t h5, naik_h5_array *out);
/* In words, what a file with another number of them than one is. NAIK_ERR_INPUT */
naik_status naik_qdp_propagator_refuse(naik_log *log, const char *path, int count);

#endif
