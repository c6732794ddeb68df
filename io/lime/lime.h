/* lime.h - the LIME container and the SciDAC and ILDG records in it
 *
 * A LIME file is a chain of records: 144 bytes of header (magic, flags, length, type) and the data,
 * padded to 8 bytes. Real files hold malformed XML, odd flags and unknown records, so the text
 * records are searched for tags and never parsed as documents, and no length is trusted beyond the
 * end of the file.     SciDAC: QIO; ILDG: arXiv:0910.1692.
 */
#ifndef NAIK_IO_LIME_LIME_H
#define NAIK_IO_LIME_LIME_H

#include "naik/lattice.h"

/* The text between <tag ...> and the next '<', without white space around it, into value; false and
 * "" where there is none or where it does not fit. */
bool naik_xml_value(const char *text, const char *tag, char *value, size_t value_size);
/* `count` decimal integers of a tag, all of them and no more; false otherwise. */
bool naik_xml_ints(const char *text, const char *tag, int count, int *out);

/* One record with binary data and what the records around it say of it. */
typedef struct naik_scidac_field {
    int64_t offset, size_bytes; /* of the data in the file; inside the file for sure */
    bool ildg;                  /* the data record is ildg-binary-data */
    bool has_private;           /* scidac-private-record-xml came before it */
    char datatype[64];
    int precision;                        /* 32, 64, or 0 if unknown */
    int colors, spins;                    /* -1 where not said */
    int typesize, datacount;              /* bytes of one element and elements a site; -1 */
    int recordtype;                       /* 0 field, 1 global, 2 sub-volume; 0 where not said */
    int lower[NAIK_DIM], upper[NAIK_DIM]; /* of the sub-volume, inclusive; recordtype 2 only */
    bool has_sum;
    uint32_t sum[2]; /* suma, sumb */
    char user[2048]; /* begin of scidac-record-xml (usqcdKSPropInfo, usqcdInfo, ...), "" if none */
} naik_scidac_field;

typedef struct naik_scidac_file {
    int64_t size_bytes;
    bool has_dims;
    int dims[NAIK_DIM]; /* from <dims> or ildg-format; x, y, z, t; 1 .. 65536 each */
    bool has_ildg_format;
    int ildg_precision; /* 32 or 64; 0 where not said */
    char user[8192];    /* begin of scidac-file-xml */
    char ildg_format[2048];
    int lone; /* descriptions of a field (scidac-private-record-xml) that no field follows */
    int count;
    naik_scidac_field *field; /* [count], owned */
} naik_scidac_file;

/* True where the file's first bytes are a LIME record header. */
bool naik_lime_recognise(const unsigned char *head, size_t head_size);

/* Walks the records on this rank alone (rank 0 of a reader that broadcasts its own findings).
 * NAIK_ERR_INPUT    cannot be opened, is no LIME file, or is one part of a multi-file volume
 * NAIK_ERR_CORRUPT  a record ends beyond the file, or the extents are impossible
 * NAIK_ERR_MEMORY */
naik_status naik_scidac_scan(naik_log *log, const char *path, naik_scidac_file **out);
/* The same on rank 0, the result on every rank. Collective. */
naik_status naik_scidac_open(naik_comm *comm, const char *path, naik_scidac_file **out);
void naik_scidac_close(naik_scidac_file **file);

#endif
