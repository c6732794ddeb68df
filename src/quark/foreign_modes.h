/* foreign_modes.h - eigenvectors that another code has stored, as low modes of the links at hand
 *
 * Files of MILC, QUDA and Hadrons (io/vectors/vector_io.h). A file tells little of itself, so that the links
 * decide: which parity the vectors are on, where the file does not say it; which staggered phases they were
 * made with; and whether they are modes at all. Each vector is normalised, its eigenvalue a = v^+ (-DD) v
 * and its residual |DD v + a v| are formed in double, and all are multiplied with each other. Vectors of
 * odd sites become D_eo v / |D_eo v|. What is used was found to be a mode, whatever the file calls it.
 */
#ifndef NAIK_QUARK_FOREIGN_MODES_H
#define NAIK_QUARK_FOREIGN_MODES_H

#include "io/modes/modes_file.h"

/* Whether PATH is a file of vectors of another code; false where it is not there. Collective. */
naik_status foreign_modes_recognise(naik_comm *comm, const char *path, bool *foreign);
/* How many colour vectors it holds. Collective.
 * NAIK_ERR_INPUT  of another lattice, or spinors        NAIK_ERR_CORRUPT, NAIK_ERR_MEMORY */
naik_status foreign_modes_count(const naik_geometry *geometry, const char *path, int *count);

/* The first `count` vectors of PATH as modes in single precision, ascending.
 *
 *   links, single  of the modes, in double and in single precision
 *   tolerance      largest |DD v + a v| / a; at most 0.1 counts, since vectors of other links have 0.4
 *   gram           largest element of |V^+ V - 1|
 *   report         high: a little above the largest eigenvalue; converged: `count`; all else 0
 *
 * Collective. NAIK_ERR_INPUT    they are no modes of these links: the sentence says which check failed
 * NAIK_ERR_CORRUPT  the file is damaged, or contradicts itself     NAIK_ERR_MEMORY, NAIK_ERR_IO, ... */
naik_status foreign_modes_read(const naik_links *links, const naik_links *single, const char *path,
                               int count, double tolerance, naik_modes **out, double *gram,
                               naik_lanczos_report *report);

#endif
