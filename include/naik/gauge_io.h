/* gauge_io.h - gauge configurations in files
 *
 * Every format is recognised by its content. The table of formats is io/gauge/formats.c; each reader
 * parses its header on rank 0, with bounded parsers that trust no length field, and reads its sites
 * in parallel. What a file claims about itself is verified: checksums, plaquette, link trace.
 */
#ifndef NAIK_GAUGE_IO_H
#define NAIK_GAUGE_IO_H

#include "naik/gauge.h"

typedef struct naik_gauge_file {
    char format[24];       /* "milc-v5", "scidac", "ildg", "nersc", "openqcd", "naik-hdf5", ... */
    int size[NAIK_DIM];    /* x, y, z, t as the file says */
    bool extents_given;    /* the file tells no extents: size is what the caller said */
    int precision;         /* bits of a real in the file, 32 or 64 */
    char byte_order[8];    /* "little" or "big" */
    bool other_byte_order; /* after reading: rows have length 1 only in the other byte order */
    /* the format's own checksum: up to two words, in the order and notation of the format */
    char checksum_kind[16]; /* "sum29/sum31", "suma/sumb", "nersc", "none" */
    uint32_t checksum_stored[2], checksum_computed[2];
    bool checksum_known;      /* the file carries one */
    bool checksum_ok;         /* and it agrees, after reading */
    double plaquette_stored;  /* NaN if none; in the normalisation of naik_gauge_checks.plaquette */
    double link_trace_stored; /* NaN if none; as naik_gauge_checks.link_trace */
    double plaquette_last;    /* 1 in its last digit in the file; 0: all digits are there */
    double link_trace_last;   /* likewise */
    bool in_parts;            /* the files of a QIO volume, of which the caller named the first */
    /* bytes before the links, 0 where the format has none; in_parts: the number of the array of links */
    int64_t data_offset;
    int rows;               /* of each link in the file, 2 or 3 */
    char dataset[128];      /* HDF5 of other codes: where the links are inside the file */
    char note[400];         /* what a reader found odd and tolerated; "" if nothing */
    char uuid[40];          /* of naik's own files; "" otherwise */
    char lfn[512];          /* ILDG's logical file name (ildg-data-lfn); "" if there is none */
    char ensemble[1024];    /* of naik's own files: free text of whoever made it; or "" */
    char gauge_fixing[256]; /* of naik's own files: condition, theta, how; "": none is known */
    char disagrees[700];    /* what naik_gauge_load found wrong and went on with; "" if nothing */
    char *header_text; /* the file's own header or metadata as text, for provenance; owned; may be
                          NULL */
} naik_gauge_file;

/* Recognises the file and reads its header. Collective; the same result on every rank.
 * NAIK_ERR_INPUT    missing, unreadable, or of no known format
 * NAIK_ERR_CORRUPT  recognised, but the header or the file's length contradicts itself */
naik_status naik_gauge_file_probe(naik_comm *comm, const char *path, naik_gauge_file *out);
/* naik_gauge_file_probe of a file that may tell no extents (LIME without an ildg-format record), for which these
 * are taken; extents that the file tells are not compared with them. NULL: as naik_gauge_file_probe. */
naik_status naik_gauge_file_probe_sized(naik_comm *comm, const char *path,
                                        const int extents[NAIK_DIM], naik_gauge_file *out);
/* Frees what the struct owns and clears it. Local. */
void naik_gauge_file_clear(naik_gauge_file *file);

/* Reads the links as stored into `gauge`, computes the format's checksum and fills `file`. A checksum that
 * disagrees is no error here: checksum_ok says so, and naik_gauge_load decides. Collective.
 * NAIK_ERR_INPUT    the extents are not the lattice's, or as naik_gauge_file_probe
 * NAIK_ERR_CORRUPT  as naik_gauge_file_probe
 * NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_gauge_file_read(const char *path, naik_gauge *gauge, naik_gauge_file *file);

typedef struct naik_gauge_load_options {
    bool warn_only; /* gauge.on_mismatch: warn. Links that are unusable are refused all the same */
    bool reunitarise; /* project the links to SU(3) after the checks */
    /* links with a larger |(U U^+ - 1)_ij| are refused, before the projection; 0: the default */
    double max_unitarity_deviation;
} naik_gauge_load_options;

/* Default of max_unitarity_deviation: single-precision files have up to 1e-6. */
#define NAIK_GAUGE_UNITARITY_LIMIT 1e-5

/* What the links are, as far as their matrices tell. */
typedef enum naik_links_kind {
    NAIK_LINKS_THIN, /* none of the others; not always in SU(3) */
    NAIK_LINKS_OPEN, /* the t-links of the last time slice are zero, or links beyond it are fixed */
    NAIK_LINKS_SIGNED, /* unitary, some of determinant -1: phases or the boundary are in them */
    NAIK_LINKS_LONG,   /* one number times unitary matrices */
    NAIK_LINKS_FAT     /* most of them far from unitary */
} naik_links_kind;

typedef struct naik_gauge_verdict {
    char text[700]; /* the disagreements, joined by "; " */
    int count;      /* of the disagreements; 0: all agrees */
    /* NAIK_OK; NAIK_ERR_CORRUPT: the file contradicts itself; NAIK_ERR_INPUT: it agrees with itself, but
     * its links are no SU(3) field */
    naik_status status;
    naik_links_kind kind;
    bool unusable;    /* even with warn_only: links are no numbers, zero, or of another kind */
    const char *what; /* for a sentence: "is damaged", "holds no SU(3) configuration" ... Static */
} naik_gauge_verdict;

/* Compares the claims of a file that was read with the measured `checks` of its links, tests whether the
 * links are in SU(3) within `limit` (largest |(U U^+ - 1)_ij|; 0: the default), and finds their kind if they
 * are not. Collective. NAIK_ERR_MPI. A disagreement is no error here: `out` has it */
naik_status naik_gauge_judge(const naik_gauge *gauge, const naik_gauge_file *file,
                             const naik_gauge_checks *checks, double limit,
                             naik_gauge_verdict *out);

/* The words of a checksum in the notation of the file's format, into text[text_size]. Local. */
void naik_gauge_sum_text(const naik_gauge_file *file, const uint32_t sum[2], char *text,
                         size_t text_size);

/* Reads a configuration, measures its links, verifies all that the file claims, prints the lines of
 * naik_gauge_print, and then projects the links to SU(3) if asked.
 *
 *   gauge   on the host; receives the links
 *   file    receives what the file says; release with naik_gauge_file_clear. After a failure it owns nothing
 *   checks  receives what was measured on the links as stored
 *
 * Collective. The sentence of an error names every disagreement, expected and found.
 * NAIK_ERR_CORRUPT  the file contradicts itself, and warn_only is false or the links are unusable
 * NAIK_ERR_INPUT    its links are of another kind, likewise; or as naik_gauge_file_read
 * NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_gauge_load(const char *path, const naik_gauge_load_options *options,
                            naik_gauge *gauge, naik_gauge_file *file, naik_gauge_checks *checks);

/* naik_gauge_load of links that are in `gauge` already: `file` says what their maker claims of them
 * (naik_gauge_file_of_memory: nothing), and `name` is for sentences. Collective. Errors as naik_gauge_load */
naik_status naik_gauge_accept(const char *name, const naik_gauge_load_options *options,
                              naik_gauge *gauge, naik_gauge_file *file, naik_gauge_checks *checks);
/* The claims of links that come from no file, which are none. Local. */
naik_gauge_file naik_gauge_file_of_memory(const naik_lattice *lattice);

/* "checksum agrees", "no checksum", or what disagrees: a text for files that are made from this
 * configuration. Never NULL. Local. */
const char *naik_gauge_verified(const naik_gauge_file *file);

/* Prints format, precision, extents, checksums, plaquette, link trace and deviations from SU(3), from
 * rank 0. Local. */
void naik_gauge_print(naik_log *log, const char *path, const naik_gauge_file *file,
                      const naik_gauge_checks *checks);

typedef struct naik_gauge_meta {   /* what naik's own file records beside the links */
    const char *ensemble;          /* free text; NULL: that of `source`, if it has one */
    const char *lfn;               /* ILDG's logical file name; NULL: likewise */
    const char *source_path;       /* the file from which the links came, or NULL */
    const naik_gauge_file *source; /* what that file said, or NULL */
    const char *input_text;        /* command or input that made it */
    const char *gauge_fixing; /* condition, theta, how; NULL: that of `source`, if it has one */
} naik_gauge_meta;

/* Whether a configuration of this precision (32 or 64 bits of a real) could be written to PATH. Every
 * writer asks this first. Collective.
 * NAIK_ERR_INPUT  the folder is missing or may not be written, or the name is that of no regular file
 * NAIK_ERR_IO     the file system refuses, or has too little space */
naik_status naik_gauge_file_precheck(const naik_lattice *lattice, const char *path, int precision);

/* Writes naik's own HDF5 (naik-gauge, doc/output.md) as PATH.part, reads PATH.part again and compares, and
 * then renames it to PATH. precision is 32 or 64 bits of a real. Collective.
 * NAIK_ERR_INPUT  another job writes PATH, or as naik_gauge_file_precheck
 * NAIK_ERR_IO     PATH is then untouched */
naik_status naik_gauge_h5_write(const char *path, const naik_gauge *gauge, int precision,
                                const naik_gauge_meta *meta);

/* Writes the links in another code's format: "milc" (v5, 32 bit only), "nersc" (two rows, the third
 * is their cross product), "nersc-3x3", "ildg", "pyquda", or "naik", which is naik_gauge_h5_write. The file
 * is PATH.part until naik has read it again and compared it bit for bit. precision is 32 or 64 bits of a
 * real. Collective.
 * NAIK_ERR_INPUT  there is no such format, it cannot hold these links, or as naik_gauge_h5_write
 * NAIK_ERR_ARG    another precision
 * NAIK_ERR_IO     PATH is then untouched */
naik_status naik_gauge_write(const char *path, const char *format, const naik_gauge *gauge,
                             int precision, const naik_gauge_meta *meta);

#endif
