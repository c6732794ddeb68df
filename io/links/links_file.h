/* links_file.h - fat and long links in naik's own HDF5, and in the SciDAC files of other codes
 *
 * The file is that of a gauge configuration (gauge_io.h) with, in the shape of /gauge, the datasets
 * /fat and /long of the first link set and /set0001/fat, /set0001/long ... of further Naik
 * epsilons. The links carry phases, boundary sign and coefficients, as the operator uses them.
 */
#ifndef NAIK_IO_LINKS_LINKS_FILE_H
#define NAIK_IO_LINKS_LINKS_FILE_H

#include "links/smear.h"
#include "naik/gauge_io.h"

/* Writes the link sets as PATH.part, verifies the file by reading it again, renames it.
 *
 *   sets       [count], on one lattice, of distinct naik_epsilon
 *   action     "naive", "asqtad", "hisq"
 *   boundary_t "antiperiodic" or "periodic", as inside the links
 *   precision  32 or 64
 *   meta       may be NULL
 *
 * Collective. NAIK_ERR_INPUT: another job writes PATH. NAIK_ERR_IO: PATH is then untouched.
 * NAIK_ERR_CORRUPT: it did not read back. */
naik_status naik_links_h5_write(const char *path, const naik_fatlong *const *sets, int count,
                                const char *action, const char *boundary_t, int precision,
                                const naik_gauge_meta *meta);

/* New fat and long links of the set with this Naik epsilon, checksums verified.
 *
 *   boundary_t  expected; a file made for the other is refused
 *
 * Collective. Release with naik_fatlong_destroy.
 * NAIK_ERR_INPUT    no such file, not one with links, other extents, no set of this epsilon
 * NAIK_ERR_CORRUPT  a checksum disagrees */
naik_status naik_links_h5_read(const char *path, const naik_lattice *lattice, double naik_epsilon,
                               const char *boundary_t, naik_fatlong **out);

/* One line from the stored checksums of the sets of these epsilons: two files with the same line
 * hold the same links. The sums are compared with the links when these are read. Collective. Errors
 * as naik_links_h5_read. */
naik_status naik_links_h5_identity(const char *path, const naik_lattice *lattice,
                                   const double *naik_epsilon, int count, const char *boundary_t,
                                   char *text, size_t text_size);

typedef struct naik_links_boundary {
    const char *name; /* "antiperiodic" or "periodic" */
    bool given; /* by the user; else it is a default, which nothing but the links may confirm */
} naik_links_boundary;

/* New fat and long links from two SciDAC files, with phases, boundary sign and coefficients inside.
 * The files tell neither boundary nor action nor which links they hold; the matrices do: long links are
 * one number times unitary matrices and fat links are not, and the signs of their determinants are the
 * staggered phases and the boundary. Checksums are verified and printed.
 *
 *   naik_epsilon  what the caller knows them to be made with; only noted
 *   boundary      expected; links that show the other are refused
 *
 * long_scale is measured. Collective. Release with naik_fatlong_destroy.
 * NAIK_ERR_INPUT    no such file, of another format, other extents; links of another kind, boundary or
 *                   phases; a boundary that is neither seen nor given
 * NAIK_ERR_CORRUPT  a checksum disagrees, a file contradicts itself */
naik_status naik_links_scidac_read(const char *fat_path, const char *long_path,
                                   const naik_lattice *lattice, double naik_epsilon,
                                   const naik_links_boundary *boundary, naik_fatlong **out);
/* The identity of the two files in a line; a file without a checksum is read for its sum. Collective. */
naik_status naik_links_scidac_identity(const char *fat_path, const char *long_path,
                                       const naik_lattice *lattice, char *text, size_t text_size);
/* Whether the file begins like a SciDAC file; false where it cannot be read. Collective. */
naik_status naik_links_scidac_recognise(naik_comm *comm, const char *path, bool *is_scidac);

#endif
