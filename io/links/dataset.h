/* dataset.h - links in an HDF5 file of naik; private to io/ */
#ifndef NAIK_IO_LINKS_DATASET_H
#define NAIK_IO_LINKS_DATASET_H

#include "io/h5/h5.h"
#include "links/smear.h"
#include "naik/gauge_io.h"

/* io/links/dataset.c: links as the dataset `name`, [T][Z][Y][X][4] of ARRAY[3][3] of {r,i}. create: the dataset without
 * its data, by whoever has the file open; local. fill: all ranks write them; sum: the checksum of
 * what was written; collective, agrees. */
naik_status naik_h5_links_create(hid_t file, const char *name, const naik_lattice *lattice,
                                 int precision);
naik_status naik_h5_links_fill(hid_t file, const char *name, const naik_gauge *gauge, int precision,
                               uint32_t sum[2]);

typedef struct naik_h5_links { /* one dataset of a file that is written */
    char name[32];
    const char *kind; /* "thin", "fat" or "long" */
    const naik_gauge *gauge;
    const naik_fatlong *set;  /* which the links are part of; NULL: thin */
    uint32_t sum[2];          /* filled in */
    naik_gauge_checks checks; /* filled in, of thin links */
} naik_h5_links;

/* The attributes dims, precision, byte_order, link_kind, phases_in, suma, sumb of the dataset; of
 * thin links also plaquettes, link trace and deviation from unitarity. Local. */
naik_status naik_h5_links_put_description(naik_log *log, hid_t file, const naik_h5_links *links,
                                          int precision);

typedef struct naik_h5_links_file {
    const char *path;
    naik_h5_links *links; /* [count] */
    int count, precision;
    const char *action, *boundary_t; /* of sets; NULL: none */
    int set_count;
    const naik_gauge_meta *meta; /* for /metadata: ensemble, source file, input text; or NULL */
} naik_h5_links_file;

/* io/links/write.c: a whole new file, with its metadata checksum, in the state complete. Collective,
 * agrees. */
naik_status naik_h5_links_file_write(naik_comm *comm, naik_h5_links_file *file);

/* Reads links, into those of that lattice or, where gauge is NULL, for the checksum alone.
 * file->precision, checksums and checksum_ok are filled in. Collective, agrees.
 * NAIK_ERR_INPUT  no such dataset, other extents     NAIK_ERR_CORRUPT  another shape or type */
naik_status naik_h5_links_read(hid_t file, const char *name, const naik_lattice *lat,
                               naik_gauge *gauge, naik_gauge_file *description);

/* What the dataset says of itself, without reading it. Local, any driver.
 * NAIK_ERR_INPUT  no such dataset     NAIK_ERR_CORRUPT  contradicts itself */
naik_status naik_h5_links_describe(naik_log *log, hid_t file, const char *name, const char *path,
                                   naik_gauge_file *description);

#endif
