/* inspect.h - parts of a file's description; private to io/ */
#ifndef NAIK_IO_INSPECT_H
#define NAIK_IO_INSPECT_H

#include "io/file_info.h"
#include "io/prop/prop_file.h"

/* io/facts.c: root attributes, /metadata, extents; what is damaged is left out. Local.
 * NAIK_ERR_MEMORY */
void naik_describe_identity(hid_t h5, naik_report *report);
naik_status naik_describe_metadata(naik_log *log, hid_t h5, naik_report *report);
void naik_describe_size(const int size[NAIK_DIM], naik_report *report);

/* io/vectors/describe.c: vectors and propagators of other codes, what `naik export` writes included;
 * verified: every vector is read. Collective. Errors as those of vector_io.h, but what is damaged is
 * told by *verdict. */
naik_status naik_describe_vectors(naik_comm *comm, const char *path, bool verified,
                                  naik_report *report, naik_status *verdict);

/* io/vectors/describe_qdp.c: a propagator in QDP++'s HDF5, which has no checksum; verified: every
 * number is read. Collective. NAIK_ERR_CORRUPT where it cannot be described at all; NAIK_ERR_IO */
naik_status naik_describe_qdp_propagator(naik_comm *comm, hid_t h5, const char *path, bool verified,
                                         naik_report *report, naik_status *verdict);

/* io/modes/describe.c: low modes, or a search for them; verified: every vector against its checksum.
 * Collective. NAIK_ERR_CORRUPT where it cannot be described at all. */
naik_status naik_describe_modes(naik_comm *comm, hid_t h5, const char *path, bool verified,
                                naik_report *report, naik_status *verdict);

/* io/multigrid/describe.c: near-null vectors of multigrid; verified: every vector against its checksum.
 * Collective. NAIK_ERR_CORRUPT where it cannot be described at all. */
naik_status naik_describe_multigrid(naik_comm *comm, hid_t h5, const char *path, bool verified,
                                    naik_report *report, naik_status *verdict);

/* A propagator file, open for reading on all ranks. Collective. NAIK_ERR_CORRUPT where it cannot be
 * described at all. */
naik_status naik_describe_propagators(naik_comm *comm, hid_t h5, const char *path, bool verify,
                                      naik_report *report, naik_status *verdict);

#endif
