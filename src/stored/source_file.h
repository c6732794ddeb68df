/* source_file.h - solve[].source.file: vectors that another code has stored, as sources
 *
 * A file gives one source: its first three vectors are the colours; of quarks with spin its
 * first twelve spinors are the columns, 3 spin + colour. Of source-solution pairs the sources are
 * taken.
 */
#ifndef NAIK_STORED_SOURCE_FILE_H
#define NAIK_STORED_SOURCE_FILE_H

#include "input/input.h"
#include "naik/lattice.h"

/* Whether every such file of the input is there, of a known format, of the lattice's extents and of
 * as many vectors. Collective. NAIK_ERR_INPUT, NAIK_ERR_CORRUPT, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status source_file_precheck(const naik_lattice *lattice, const naik_input *input);

/* What such files hold, whatever their names and formats; all zero without such files. */
typedef struct source_file_sums {
    uint32_t (*sum)[12][2]; /* [solve_count][column]: suma and sumb of the column as doubles */
    char *text;             /* the same as text, a line for each file */
} source_file_sums;

/* Reads all of them. The caller clears *out, whatever comes back. Collective. As
 * source_file_read */
naik_status source_file_identify(const naik_lattice *lattice, const naik_input *input,
                                 source_file_sums *out);
void source_file_sums_clear(source_file_sums *sums);

/* out [sites][reals] = one column of the source of input->solve[solve]. Collective.
 *
 *   sums  what it must hold; or NULL
 *
 * As source_file_precheck, NAIK_ERR_INPUT where the file holds something else by now, and
 * NAIK_ERR_CORRUPT where a checksum disagrees */
naik_status source_file_read(const naik_lattice *lattice, const naik_input *input, int solve,
                             int column, const source_file_sums *sums, double *out);

#endif
