/* foreign.h - the columns of a source or a propagator that another code has stored
 *
 * One column a source colour; of quarks with spin one a source spin and colour, numbered
 * 3 spin + colour. Spinors of tmLQCD come in naik's gamma matrices. What a file holds is known by
 * suma and sumb of its columns as doubles, whatever its name and format.
 */
#ifndef NAIK_STORED_FOREIGN_H
#define NAIK_STORED_FOREIGN_H

#include "io/vectors/vector_io.h"

enum { FOREIGN_COLUMNS = 12, FOREIGN_LINE = 352 }; /* bytes of what foreign_tell writes, at most */

/* Opens a file of vectors for quarks of so many columns; `use` is what they are to be, for a
 * sentence: "sources". The caller closes *out. Collective.
 * NAIK_ERR_INPUT    of another lattice, without spin or with it, of two flavours, too few
 * NAIK_ERR_CORRUPT, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status foreign_open(const naik_lattice *lattice, const char *path, int columns,
                         const char *use, naik_vector_file **out);

/* out [sites][spin][3][2] = one column. Collective.
 *
 *   part  NAIK_VECTOR_SOURCE: of a file without sources its vectors
 *   then  what the column must hold; or NULL
 *
 * As foreign_open, NAIK_ERR_INPUT where the file holds something else by now, and NAIK_ERR_CORRUPT
 * where a checksum disagrees */
naik_status foreign_read(const naik_lattice *lattice, const char *path, naik_vector_part part,
                         int column, const uint32_t then[2], double *out);

/* sum[0..columns-1] = what the columns hold. Reads all of them. Collective. As foreign_read */
naik_status foreign_identify(const naik_lattice *lattice, const char *path, naik_vector_part part,
                             int columns, uint32_t sum[][2]);

/* "suma/sumb A B, A B, ...\n" into text [FOREIGN_LINE]. */
void foreign_tell(int columns, uint32_t sum[][2], char *text);

#endif
