/* format.h - what a file format of gauge configurations provides; private to io/
 *
 * The table of formats is in formats.c. It opens the file once on rank 0 and asks the formats in
 * order; rank 0's findings are then broadcast, so that a header is parsed in one place only.
 */
#ifndef NAIK_IO_GAUGE_FORMAT_H
#define NAIK_IO_GAUGE_FORMAT_H

#include "io/files.h"
#include "naik/gauge_io.h"

typedef struct naik_gauge_format {
    const char *name; /* family, for messages */
    /* By content alone. On rank 0 only. */
    bool (*recognise)(const naik_file_head *head);
    /* Fills everything of `file` (zeroed before, the stored numbers NaN, size as the caller gives it or
     * zero) that the header tells; header_text from malloc. On rank 0 only: no communication.
     * NAIK_ERR_INPUT, NAIK_ERR_CORRUPT, NAIK_ERR_MEMORY */
    naik_status (*probe)(naik_log *log, const naik_file_head *head, naik_gauge_file *file);
    /* Reads the links as stored and completes checksum_computed and checksum_ok. The extents are
     * the lattice's. Collective. */
    naik_status (*read)(const char *path, naik_gauge *gauge, naik_gauge_file *file);
} naik_gauge_format;

extern const naik_gauge_format naik_gauge_format_milc;
extern const naik_gauge_format naik_gauge_format_lime;
extern const naik_gauge_format naik_gauge_format_h5;
extern const naik_gauge_format naik_gauge_format_nersc;
extern const naik_gauge_format naik_gauge_format_openqcd;
extern const naik_gauge_format naik_gauge_format_qdp;
extern const naik_gauge_format naik_gauge_format_pyquda;

/* A plaquette or link trace from the text of a header, also with the D of Fortran before its exponent, and 1 in
 * the last digit of it. False where it is no number. */
bool naik_gauge_read_claim(const char *text, double *value, double *last);
/* Whether the file may have this size, of which its format needs `expected`: the same, or zeros follow,
 * which the note then tells. On rank 0 only. */
bool naik_gauge_size_fits(const naik_file_head *head, int64_t expected, naik_gauge_file *file);
/* One more piece of file->note. */
void naik_gauge_add_note(naik_gauge_file *file, const char *format, ...) NAIK_PRINTF(2, 3);

/* Sets the extents; false where they are not naik_sites_possible. */
bool naik_gauge_set_extents(naik_gauge_file *file, const int64_t size[NAIK_DIM]);
/* What links on this lattice take in a file, and its head. */
int64_t naik_gauge_file_bytes(const naik_lattice *lattice, int precision);
/* Product of the extents. */
int64_t naik_gauge_file_volume(const naik_gauge_file *file);

typedef enum naik_flat_sum {
    NAIK_SUM_NONE,
    NAIK_SUM_MILC,
    NAIK_SUM_USQCD,
    NAIK_SUM_NERSC
} naik_flat_sum;

/* Reads links that lie in the file as [T][Z][Y][X][4][rows][3] complex from file->data_offset on,
 * in file->precision and file->byte_order; two rows are completed to SU(3). Computes the sum into
 * file->checksum_computed. Collective. */
naik_status naik_gauge_read_flat(const char *path, naik_gauge *gauge, naik_flat_sum sum,
                                 naik_gauge_file *file);
/* Writes the links so, into the existing file `path`; the sum goes to file->checksum_computed.
 * Collective. */
naik_status naik_gauge_write_flat(const char *path, const naik_gauge *gauge, naik_flat_sum sum,
                                  naik_gauge_file *file);

/* The third row from the other two, as readers make it: conj(row0 x row1). */
void naik_gauge_complete_row(naik_matrix *u);
/* naik_gauge_measure of the links as a file of this precision and so many rows gives them back: what
 * its header tells is of what it holds. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_gauge_measure_stored(const naik_gauge *gauge, int precision, int rows,
                                      naik_gauge_checks *out);

/* Writes one format for naik_gauge_write: a whole file at `path`. `file` comes with the extents, the
 * precision and ILDG's name, `checks` are of the links as they will be read. Collective. */
typedef naik_status naik_gauge_writer(const char *path, const naik_gauge *gauge,
                                      const naik_gauge_checks *checks, naik_gauge_file *file);
naik_gauge_writer naik_milc_write, naik_ildg_write, naik_nersc_write, naik_nersc_write_3x3,
    naik_pyquda_write;

#endif
