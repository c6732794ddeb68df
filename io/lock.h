/* lock.h - one job per output
 *
 * PATH.lock is created exclusively and names host, process, boot, Slurm job and time. A thread of
 * rank 0 touches it every minute. A lock is stale when its process is known to be dead (same host,
 * same boot, same process namespace), when its Slurm job is ours before a requeue, or when it has
 * not been touched for NAIK_LOCK_STALE_S. A stale lock is taken over with a warning.
 */
#ifndef NAIK_IO_LOCK_H
#define NAIK_IO_LOCK_H

#include "naik/comm.h"

enum { NAIK_LOCK_STALE_S = 900 };

typedef struct naik_lock naik_lock;

/* Locks the output `path`. Collective, the same result on every rank.
 * NAIK_ERR_INPUT  another job holds it: the sentence says which, and what to do
 * NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status naik_lock_acquire(naik_comm *comm, const char *path, naik_lock **out);
/* naik_lock_acquire for those who can wait: *held where another job holds the lock. */
naik_status naik_lock_try(naik_comm *comm, const char *path, naik_lock **out, bool *held);
/* Removes the lock that a dead job has left beside a `path` that is whole. That of a living job stays, and one that
 * vouches for a PATH.part. Collective. */
naik_status naik_lock_sweep(naik_comm *comm, const char *path);
/* The lock is still ours; touches it. Collective. NAIK_ERR_IO where another job took it over while
 * this one was stalled: nothing more may then be written. */
naik_status naik_lock_confirm(naik_comm *comm, naik_lock *lock);
/* Releases it if it is still ours. Call on every rank; accepts NULL. */
void naik_lock_release(naik_comm *comm, naik_lock **lock);

#endif
