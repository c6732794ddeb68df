/* output.h - a file that one job makes as PATH.part, and that gets its name when it is whole */
#ifndef NAIK_IO_OUTPUT_H
#define NAIK_IO_OUTPUT_H

#include "io/beside.h"
#include "io/files.h"
#include "io/lock.h"

typedef struct naik_output {
    naik_comm *comm; /* borrowed */
    naik_lock *lock; /* NULL: not begun, or over */
    bool keep;       /* part is complete, but another file has its name */
    char path[NAIK_PATH_MAX], part[NAIK_PATH_MAX];
} naik_output;

/* Whether PATH can be begun as PATH.part: its folder, its name, the space; beside it nothing but
 * what naik left there (beside.h). part = that name. Collective. NAIK_ERR_INPUT, NAIK_ERR_IO */
naik_status naik_output_precheck(naik_comm *comm, const char *path, int64_t size_bytes,
                                 naik_beside use, char part[NAIK_PATH_MAX]);
/* That for a file that is made in one go: its PATH.part would take the place of an interrupted naik
 * solve with all that it has stored. Collective.
 * NAIK_ERR_INPUT  there is such a run; or as naik_output_precheck */
naik_status naik_output_room(naik_comm *comm, const char *path, int64_t size_bytes,
                             char part[NAIK_PATH_MAX]);
/* Before the work, of the output PATH that is given as the option or key `name`: as
 * naik_path_refuse_output, and as naik_output_room without its size. PATH may be NULL. Collective. */
naik_status naik_output_refuse(naik_comm *comm, const char *name, const char *path);
/* Looks at the place in that way and takes its lock; `out` is then to be given to one of the next
 * two. Collective. As naik_output_room, naik_lock_acquire */
naik_status naik_output_begin(naik_comm *comm, const char *path, int64_t size_bytes,
                              naik_output *out);
/* naik_output_begin for those who can do without: *held where another job has the lock. */
naik_status naik_output_try(naik_comm *comm, const char *path, int64_t size_bytes, naik_output *out,
                            bool *held);
/* out->part is whole and verified: it gets its name, if it is still this job's. Collective.
 * NAIK_ERR_INPUT  another file has it, without comm->io.replace: both stay
 * NAIK_ERR_IO     another job took the lock over; or as naik_file_publish */
naik_status naik_output_publish(naik_output *out);
/* Removes what was begun, if it is still this job's. Nothing after naik_output_publish, or where
 * `out` is all zero. Collective. */
void naik_output_abandon(naik_output *out);

#endif
