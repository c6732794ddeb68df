/* source_file.h - solve[].source.file: vectors that another code has stored, as sources
 *
 * A file gives one source: its first three vectors are the colours. Of source-solution pairs the
 * sources are taken.
 */
#ifndef NAIK_SOURCE_FILE_H
#define NAIK_SOURCE_FILE_H

#include "naik/input.h"
#include "naik/lattice.h"

/* Whether every such file of the input is there, of a known format, of the lattice's extents and of
 * three vectors. Collective. NAIK_ERR_INPUT, NAIK_ERR_CORRUPT, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status source_file_look(const naik_lattice *lattice, const naik_input *input);

/* out [sites][3][2] = the source of one colour of input->solve[solve]. Collective.
 *
 *   identity  of source_file_identity, with which it must agree; or NULL
 *
 * As source_file_look, NAIK_ERR_INPUT where the file holds something else by now, and
 * NAIK_ERR_CORRUPT where a checksum disagrees */
naik_status source_file_read(const naik_lattice *lattice, const naik_input *input, int solve,
                             int colour, const char *identity, double *out);

/* *text = what such files hold, whatever their names and formats: a line for each, with suma and
 * sumb of the three colours as doubles; NULL without such files. The caller frees it. Reads all of
 * them. Collective. As source_file_read */
naik_status source_file_identity(const naik_lattice *lattice, const naik_input *input, char **text);

#endif
