/* qdp.h - a LatticePropagator in the HDF5 of QDP++ and Chroma; private to io/
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

/* Opens the propagator of a file, /propagator or the only one of its root; false where there is none.
 * Local. */
bool naik_qdp_propagator_open(hid_t h5, naik_h5_array *out);

#endif
