/* gauge_h5.h - one set of links in an HDF5 file of naik; private to io/ */
#ifndef NAIK_IO_GAUGE_H5_H
#define NAIK_IO_GAUGE_H5_H

#include "h5.h"
#include "naik/gauge_io.h"

/* Writes links as the dataset `name` ([T][Z][Y][X][4] of ARRAY[3][3] of {r,i}) with the attributes
 * dims, precision, byte_order, link_kind, phases_in, suma, sumb; thin links also with plaquettes,
 * link trace and deviation from unitarity. Collective, agrees. */
naik_status naik_h5_links_write(hid_t file, const char *name, const naik_gauge *gauge,
                                int precision, const char *link_kind);

/* Reads them, into links of that lattice or, where gauge is NULL, for the checksum alone.
 * file->precision, checksums and checksum_ok are filled in. Collective, agrees.
 * NAIK_ERR_INPUT  no such dataset, other extents     NAIK_ERR_CORRUPT  another shape or type */
naik_status naik_h5_links_read(hid_t file, const char *name, const naik_lattice *lat,
                               naik_gauge *gauge, naik_gauge_file *description);

/* /metadata: ensemble, source file, input text. meta may be NULL. Collective, agrees. */
naik_status naik_h5_put_metadata(naik_comm *comm, hid_t file, const naik_gauge_meta *meta);

/* What the dataset says of itself, without reading it. Local, any driver.
 * NAIK_ERR_INPUT  no such dataset     NAIK_ERR_CORRUPT  contradicts itself */
naik_status naik_h5_links_describe(naik_log *log, hid_t file, const char *name, const char *path,
                                   naik_gauge_file *description);

#endif
