/* row_signs.h - signs of staggered phases or of the boundary in links of which a file has two rows
 *
 * The third row is made of the other two, so that a sign of a link is lost in it: what is read is in
 * SU(3), has the checksum that is stored, and is another field. The plaquette that is stored tells.
 */
#ifndef NAIK_GAUGE_ROW_SIGNS_H
#define NAIK_GAUGE_ROW_SIGNS_H

#include "naik/gauge.h"

/* phases: staggered ones are in the rows; boundary: -1 on the t-links of the last slice. */
typedef struct naik_row_signs {
    bool phases, boundary;
} naik_row_signs;

/* Looks which signs, taken from the first two rows, give links of the stored plaquette, or with phases
 * of its negative, which is that of links with phases; neither where there are none. Phases of MILC, of
 * Chroma, and of directions in their reverse orders. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI
 *
 *   plaquette  Re Tr P, 3 for unit links          tolerance  of it */
naik_status naik_row_signs_find(const naik_gauge *links, double plaquette, double tolerance,
                                naik_row_signs *out);

#endif
