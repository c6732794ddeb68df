/* report_modes.h - what low modes did in a run: iterations with and without them, their spectrum */
#ifndef NAIK_REPORT_MODES_H
#define NAIK_REPORT_MODES_H

#include <stdio.h>

#include "io/prop/reader.h"

/* The part of the page on low modes; nothing where no solve was deflated.
 *
 *   path  file of the modes; NULL: the one that the run named, if it is there. One that cannot be
 *         read, or holds other modes, is told by a sentence on the page
 *
 * NAIK_ERR_MEMORY; of a path that is given also NAIK_ERR_INPUT and NAIK_ERR_CORRUPT */
naik_status report_modes(naik_log *log, FILE *out, const naik_propagator_reader *v,
                         const char *path);

#endif
