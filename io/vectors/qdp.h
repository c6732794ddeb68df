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

/* How many propagators a file has, /propagator alone or else those in any group; the only one is opened, of
 * several none. Local. */
int naik_qdp_propagator_open(hid_t h5, naik_h5_array *out);
/* What a file is that has none or several. NAIK_ERR_INPUT */
naik_status naik_qdp_propagator_refuse(naik_log *log, const char *path, int count);

#endif
