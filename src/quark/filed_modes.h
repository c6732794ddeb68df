/* filed_modes.h - low modes that have been found, on their way into their file while they are used
 *
 * The file has its name only when it is whole. Until then the search stays that a killed run goes on
 * from, and so does the right to search, for which other jobs wait.
 */
#ifndef NAIK_QUARK_FILED_MODES_H
#define NAIK_QUARK_FILED_MODES_H

#include "io/lock.h"
#include "io/modes/behind.h"

typedef struct filed_modes filed_modes;

/* How so many modes will be written. Beside a device the host's memory for them is made from now on, while
 * they are looked for: the caller ends `room`. */
naik_modes_pace filed_modes_prepare(const naik_geometry *geometry, int count);

/* Begins the file PATH of `modes`, which may be changed afterwards, where naik_modes_can_follow.
 *
 *   pace    of filed_modes_prepare
 *   search  file of the search, removed when PATH has its name
 *   turn    the right to search; owned by *out from now on, *turn = NULL; else unchanged
 *
 * Collective. As naik_modes_file_write */
naik_status filed_modes_begin(const char *path, const char *search, const naik_modes *modes,
                              const naik_modes_about *about, const naik_modes_pace *pace,
                              naik_lock **turn, filed_modes **out);
/* After a solve: gives the file its name if all of it is on disk, then *file = NULL. Nothing for NULL.
 * Collective. NAIK_ERR_IO  it could not be written; *file = NULL */
naik_status filed_modes_look(filed_modes **file);
/* After the last: waits for it. Where the run has failed already, `status` says how, and decides
 * whether ranks can still work together; returns it, or else what became of the file. Accepts NULL.
 * Collective. */
naik_status filed_modes_end(filed_modes **file, naik_status status);

#endif
