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

/* The text between <tag ...> and the next tag, without comments and without white space around it, into
 * value; false and "" where there is none or where it does not fit. A tag may have the prefix of a
 * namespace. */
bool naik_xml_value(const char *text, const char *tag, char *value, size_t value_size);
/* Whether a second tag of this name has another value: then nobody knows which of the two is meant. */
bool naik_xml_contradicts(const char *text, const char *tag);
/* `count` decimal integers of a tag, all of them and no more; false otherwise. */
bool naik_xml_ints(const char *text, const char *tag, int count, int *out);

/* What a record with binary data holds, by its own description. */
typedef enum naik_field_kind {
    NAIK_FIELD_OTHER,                /* none of these */
    NAIK_FIELD_LINKS,                /* four matrices a site, of `colors` colours */
    NAIK_FIELD_VECTORS,              /* `datacount` colour vectors a site */
    NAIK_FIELD_SPINORS,              /* `datacount` spinors a site, [4][3] */
    NAIK_FIELD_STAGGERED_PROPAGATOR, /* [sink colour][source colour] a site */
    NAIK_FIELD_PROPAGATOR            /* [sink spin][source spin][sink colour][source colour] */
} naik_field_kind;

/* One record with binary data and what the records around it say of it. */
typedef struct naik_scidac_field {
    int64_t offset, size_bytes; /* of the data in the file; inside the file for sure */
    naik_field_kind kind;
    bool fits; /* its length is that of its description; false where one of them is missing */
    bool contradicts;  /* its description speaks against itself or against the length of the data */
    bool ildg;         /* the data record is ildg-binary-data */
    bool has_private;  /* scidac-private-record-xml came before it */
    bool has_format;   /* ildg-format, or one of tmLQCD's, came before it */
    bool tmlqcd;       /* etmc-propagator-format or etmc-source-format */
    bool is_source;    /* by its XML, or because it covers only a part of the lattice */
    bool ends_message; /* nothing else was to follow it */
    bool checkered;    /* of Grid: the sites of one parity, which the file does not tell */
    bool has_dims;
    int dims[NAIK_DIM]; /* of the lattice; x, y, z, t */
    char datatype[64];
    char field_name[32];                  /* <field> of the format record, "" where not said */
    int precision;                        /* 32, 64, or 0 if unknown */
    int format_rows;                      /* of the format record: 2 of links without third rows */
    int format_precision;                 /* of the format record; 0 where not said */
    int bits;                             /* of a real of the data; 0 of NAIK_FIELD_OTHER */
    int rows;                             /* of each matrix, of links whose bits are known */
    int colors, spins;                    /* -1 where not said */
    int typesize, datacount;              /* bytes of one element and elements a site; -1 */
    int recordtype;                       /* 0 field, 1 global, 2 sub-volume; 0 where not said */
    int lower[NAIK_DIM], upper[NAIK_DIM]; /* of the sub-volume, inclusive; recordtype 2 only */
    bool has_sum;
    uint32_t sum[2]; /* suma, sumb */
    char user[2048]; /* begin of scidac-record-xml (usqcdKSPropInfo, usqcdInfo, ...), "" if none */
    char format[1024]; /* begin of the format record */
} naik_scidac_field;

typedef struct naik_scidac_file {
    int64_t size_bytes;
    int64_t padding; /* bytes behind the last record, which are zero */
    bool has_dims;
    int dims[NAIK_DIM]; /* from scidac-private-file-xml; x, y, z, t; naik_sites_possible */
    char user[8192];    /* begin of scidac-file-xml */
    char ildg_lfn[512]; /* the first ildg-data-lfn; "" if there is none */
    bool volume;        /* QIO wrote it as several files, of which this is one */
    int64_t list_offset,
        list_bytes; /* of its scidac-sitelist: whose sites this one holds; 0: none */
    int lone;       /* descriptions of a field (scidac-private-record-xml) that no field follows */
    int count;
    naik_scidac_field *field; /* [count], owned */
} naik_scidac_file;

/* Finds kind, bits, fits, contradicts and, of links, colors, from the rest of the description. */
void naik_scidac_classify(const naik_scidac_file *file, naik_scidac_field *field);
/* naik_scidac_classify with extents that the file does not tell. */
void naik_scidac_give_dims(const naik_scidac_file *file, const int dims[NAIK_DIM],
                           naik_scidac_field *field);
/* "2 gauge configurations, 3 colour vectors": what a LIME file holds, for a sentence. */
void naik_scidac_contents(const naik_scidac_file *file, char *text, size_t text_size);

/* True where the file's first bytes are a LIME record header. */
bool naik_lime_recognise(const unsigned char *head, size_t head_size);

/* Walks the records on this rank alone (rank 0 of a reader that broadcasts its own findings). Of parts of
 * a volume but the first the fields are not described.
 * NAIK_ERR_INPUT    cannot be opened, or is no LIME file
 * NAIK_ERR_CORRUPT  a record ends beyond the file, or the extents are impossible or contradict each
 *                   other
 * NAIK_ERR_MEMORY */
naik_status naik_scidac_scan(naik_log *log, const char *path, naik_scidac_file **out);
/* NAIK_ERR_INPUT  the file is a part of a volume, and not the one that describes it. Local. */
naik_status naik_scidac_need_first(naik_log *log, const char *path, const naik_scidac_file *file);
/* naik_scidac_scan on rank 0, the result on every rank. Collective. */
naik_status naik_scidac_open(naik_comm *comm, const char *path, naik_scidac_file **out);
void naik_scidac_close(naik_scidac_file **file);

#endif
