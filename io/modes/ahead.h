/* ahead.h - vectors of a file of modes, read and summed by threads before they are asked for; private
 * to io/modes
 */
#ifndef NAIK_IO_MODES_AHEAD_H
#define NAIK_IO_MODES_AHEAD_H

#include "io/modes/form.h"
#include "io/runs.h"

typedef struct naik_modes_ahead naik_modes_ahead;

/* Begins with the first of `count` vectors that lie behind each other from `offset` of the file on. Local.
 * NAIK_ERR_IO, NAIK_ERR_INPUT  the file cannot be opened        NAIK_ERR_MEMORY */
naik_status naik_modes_ahead_begin(const char *path, const naik_mode_form *form, int64_t offset,
                                   int count, naik_modes_ahead **out);
/* The next vector as it lies in the file, until the call after this one; this rank's part of its sum,
 * and whether all of it is finite. Local. NAIK_ERR_IO */
naik_status naik_modes_ahead_next(naik_modes_ahead *ahead, const void **vector, uint32_t sum[2],
                                  bool *finite);
void naik_modes_ahead_end(naik_modes_ahead **ahead);

#endif
