/* watchdog.h - a thread on every rank that notices when nothing moves any more
 *
 * A rank that died quietly, stalled or lost its network leaves the others waiting inside MPI for
 * ever, where no status can be returned and no signal is looked at. Whoever waits, or gets on, says
 * so here; when nothing is said for too long, every rank prints where it is, and the process ends
 * with exit status 2, upon which the launcher ends the others. Time in which the process itself was
 * suspended does not count.
 *
 * One hangs from a communicator (comm.h), for whoever waits in it. Every function accepts NULL and then does nothing. Texts
 * must outlive their use. Local.
 */
#ifndef NAIK_BASE_WATCHDOG_H
#define NAIK_BASE_WATCHDOG_H

#include "naik/log.h"

typedef struct naik_watchdog naik_watchdog;

#define NAIK_WATCHDOG_LIMIT_S "1200" /* where nothing else is said, as text */

/* rank, host  of this process, for the message; host must outlive the watchdog
 * limit_s     how long nothing may move; at most 0: only what is armed is watched
 * Without threads, *out = NULL and nothing is watched. NAIK_ERR_MEMORY */
naik_status naik_watchdog_create(naik_log *log, int rank, const char *host, double limit_s,
                                 naik_watchdog **out);
void naik_watchdog_destroy(naik_watchdog **watchdog);
/* Another limit from now on. Counts as movement. */
void naik_watchdog_limit(naik_watchdog *watchdog, double limit_s);

/* What the rank is at, for the message. Counts as movement. */
void naik_watchdog_phase(naik_watchdog *watchdog, const char *phase);
void naik_watchdog_step(naik_watchdog *watchdog, int iterations);
/* Before a call that waits for others: WHAT of the ranks in partners[count], or of all (count 0).
 */
void naik_watchdog_wait(naik_watchdog *watchdog, const char *what, const int *partners, int count);
/* From now on partners are numbered from this rank of the process' own numbers on. */
void naik_watchdog_base(naik_watchdog *watchdog, int first);
/* After it, or whenever something got on. */
void naik_watchdog_move(naik_watchdog *watchdog);

/* How often something counted as movement so far. */
unsigned long naik_watchdog_moves(const naik_watchdog *watchdog);

/* Between the two another limit holds, at most 0: none, and the message is "WHAT has not returned
 * ...": for writing, where file systems hang by themselves. */
void naik_watchdog_arm(naik_watchdog *watchdog, const char *what, double limit_s);
void naik_watchdog_disarm(naik_watchdog *watchdog);

#endif
