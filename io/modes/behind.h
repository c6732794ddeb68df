/* behind.h - a file of modes that is written by threads of its own, while its modes are used
 *
 * The vectors are packed into host memory in single precision, in the order of their sites. A few
 * threads without MPI make bricks of them where the file has bricks, sum them, write them, read them
 * again and compare, and force the file to disk. One of them first has the file system set its blocks aside.
 * Where all have room they begin when all are packed, which is sooner without them.
 * The file is described and gets its name in a call of all ranks, when all have ended.
 */
#ifndef NAIK_IO_MODES_BEHIND_H
#define NAIK_IO_MODES_BEHIND_H

#include "io/modes/modes_file.h"
#include "io/modes/room.h"

typedef struct naik_modes_writer naik_modes_writer;

/* How a file is written. */
typedef struct naik_modes_pace {
    int threads;     /* of this rank, at least 1 */
    size_t in_hands; /* bytes of packed vectors that may wait for them; one vector always may */
    naik_modes_room *room; /* borrowed; NULL: memory is made when it is needed */
} naik_modes_pace;

/* Whether boxes and options let threads write: runs are long, and nobody asked for few writers. The same
 * on every rank. Local. */
bool naik_modes_can_follow(const naik_geometry *geometry, bool bricks);

/* Begins PATH.part with its datasets, and packs all vectors, waiting for the threads where too many are
 * in their hands: afterwards `modes` may be changed or released. `modes` NULL: a search's vectors.
 * Collective. As naik_modes_file_write; where *out is not NULL the file is begun */
naik_status naik_modes_writer_begin(const naik_geometry *geometry, const char *path,
                                    const naik_modes *modes, const naik_modes_about *about,
                                    const naik_modes_pace *pace, naik_modes_writer **out);
/* Whether the vectors of all ranks are on disk, or one has failed. Collective.
 * NAIK_ERR_IO  of the rank that failed; then the file is to be abandoned */
naik_status naik_modes_writer_look(naik_modes_writer *writer, bool *ended);
/* Waits for them, and gives the file its name. *writer = NULL, whatever is returned: where that is no
 * success, what was begun is removed. Collective. As naik_modes_file_write */
naik_status naik_modes_writer_finish(naik_modes_writer **writer);
/* Stops the threads and removes what was begun. Collective; accepts NULL. */
void naik_modes_writer_abandon(naik_modes_writer **writer);

#endif
