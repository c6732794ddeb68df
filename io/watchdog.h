/* watchdog.h - a collective write that never returns ends the job with a sentence
 *
 * On a failing disk some MPI libraries leave ranks waiting inside MPI-IO for ever, where no status
 * can be returned and no signal handler of the program is looked at. A thread on every rank watches
 * the clock meanwhile. What was committed before is safe; a rerun continues.
 */
#ifndef NAIK_IO_WATCHDOG_H
#define NAIK_IO_WATCHDOG_H

#include "naik/comm.h"

typedef struct naik_watchdog naik_watchdog;

/* limit_s: how long one armed call may take; at most 0: never watched, *out = NULL. Local.
 * NAIK_ERR_MEMORY */
naik_status naik_watchdog_create(naik_comm *comm, double limit_s, naik_watchdog **out);
void naik_watchdog_destroy(naik_watchdog **watchdog);

/* Between the two, the process ends with exit status 2 and "WHAT has not returned ..." on standard
 * error once limit_s is over. `what` must outlive it. watchdog may be NULL. Local. */
void naik_watchdog_arm(naik_watchdog *watchdog, const char *what);
void naik_watchdog_disarm(naik_watchdog *watchdog);

#endif
