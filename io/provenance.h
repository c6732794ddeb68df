/* provenance.h - who wrote a file, when, with what; the same on every rank */
#ifndef NAIK_IO_PROVENANCE_H
#define NAIK_IO_PROVENANCE_H

#include "io/h5/h5.h"
#include "io/h5/own_format.h"

enum { NAIK_UUID_TEXT = 37, NAIK_TIME_TEXT = 24 };

/* "2026-11-21T00:03:06Z" of rank 0's clock. Collective. */
naik_status naik_utc_now(naik_comm *comm, char text[NAIK_TIME_TEXT]);

/* "hdf5 1.10.8; Open MPI v4.1.4, ..." of the libraries in use. Local. */
void naik_library_versions(char *text, size_t text_size);

/* The root attributes of every file of naik: format, format_version, writer, git, uuid, created.
 * Collective, does not agree on HDF5's failures. */
naik_status naik_h5_put_identity(naik_comm *comm, hid_t file, naik_own_format format);

#endif
