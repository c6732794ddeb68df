/* stored_modes.h - files of modes: one that is read, and one that is not there */
#ifndef NAIK_QUARK_STORED_MODES_H
#define NAIK_QUARK_STORED_MODES_H

#include "input/input.h"
#include "io/modes/modes_file.h"

/* ---- stored_modes.c: each block is verified by the operator when it is read
 *
 * In memory are the modes as they are wanted, one block in single precision and what measures it.
 */

/* The first `count` modes of PATH in `precision`, with the file's eigenvalues and residuals. Both are
 * measured again from the vectors of the file, before they are rounded; those of a file in bricks stay as they are.
 *
 *   links   in double
 *   about   what the file says of itself
 *
 * Collective. NAIK_ERR_CORRUPT  the file is damaged
 * NAIK_ERR_INPUT    it holds modes of other links, or not the lowest      NAIK_ERR_MEMORY, ... */
naik_status stored_modes_read(const naik_links *links, const char *path,
                              const naik_modes_about *about, int count, naik_precision precision,
                              naik_modes **out);

/* What a file of modes for the input's quarks of a Naik epsilon says; without the sums of their links. */
naik_modes_about stored_modes_about(const naik_input *input, double naik_epsilon);

/* Behind the name of a file of modes: the output that the right to search is the lock of. */
#define STORED_MODES_TURN ".finding"

/* ---- modes_beside.c: a file of modes that is not there, and the one beside it that was meant;
 * and what is left beside one that is there */

/* Where `path` is not there: refuses it if the file in its folder with the name nearest to it holds
 * `wanted` modes of these very links (about, with their sums), because a search would find them again.
 * Files of other links, as those of other configurations, are nobody's mistake. Collective.
 * NAIK_ERR_INPUT  with both names */
naik_status modes_beside_refuse(const naik_geometry *geometry, const char *path, int wanted,
                                const naik_modes_about *about);
/* Where `path` is there: removes the locks that a job which died has left. Collective.
 * NAIK_ERR_INPUT  the name is too long */
naik_status modes_beside_tidy(naik_comm *comm, const char *path);

/* Whether a search for the modes of quark q would begin beside a file of nearly that name with as many: then
 * modes_beside_refuse_of needs the links. Collective. */
naik_status modes_beside_suspect(const naik_input *input, const naik_geometry *geometry, int wanted,
                                 int q, bool *mistyped);
/* Refuses that file if its modes are of these links, which come to the host. Collective. NAIK_ERR_INPUT ... */
naik_status modes_beside_refuse_of(const naik_input *input, const naik_geometry *geometry,
                                   int wanted, naik_fatlong *links);

#endif
