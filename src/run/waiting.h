/* waiting.h - finished columns of a source that is contracted before they are stored, and without their solutions
 *
 * They wait until the last column of their source has come. Then its correlators are written, and after them the records of
 * all columns. What still waits when a run is asked to stop, or its solves end, is stored with its solution: a run that is
 * killed loses the columns that wait, and nothing else.
 */
#ifndef NAIK_RUN_WAITING_H
#define NAIK_RUN_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "naik/status.h"

typedef struct solve_job solve_job;
typedef struct solve_finished solve_finished;
typedef struct solve_waiter solve_waiter;

typedef struct solve_waiting {
    solve_waiter *first; /* the one that came last */
} solve_waiting;

/* Whether a task waits. Local. */
bool solve_waiting_has(const solve_waiting *waiting, int task);
/* Whether the solution of solve `index` of the job `data` is wanted on the host. Local. */
bool solve_waiting_reads(void *data, int64_t index);
/* Before the listed solves: room on the device. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, NAIK_ERR_MPI */
naik_status solve_waiting_begin(solve_job *j);
/* A finished solve waits, or is stored, with those that it completes. Collective. What contracting and storing return */
naik_status solve_waiting_store(solve_job *j, const solve_finished *finished);
/* Stores what waits, each with its solution. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE, and what storing returns */
naik_status solve_waiting_end(solve_job *j);
void solve_waiting_clear(solve_waiting *waiting);

#endif
