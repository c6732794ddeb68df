/* threads.h - how many threads the parallel loops of this process use */
#ifndef NAIK_COMM_THREADS_H
#define NAIK_COMM_THREADS_H

#include "naik/comm.h"

/* So many from now on, in all loops that this thread starts. */
void naik_threads_use(int count);
int naik_threads_count(void);
/* Number of the calling thread in the parallel loop that it works in, from 0 and below that count. */
int naik_threads_index(void);
/* Lets the calling thread run on all processors that OpenMP's threads are bound to: one that a bound
 * thread has started would share that thread's processor. Nothing where none is bound. */
void naik_threads_unbind(void);
/* NAIK_ERR_INPUT where so many of `name` cannot be meant: above 256, and above 16 for each
 * processor of this node. Local. */
naik_status naik_threads_check(naik_log *log, const char *name, int64_t count);
/* Unless OMP_NUM_THREADS is set: as many as this rank has processors to itself (comm->cpus), so
 * that ranks that nobody bound to processors do not each take all of them. Local.
 * NAIK_ERR_INPUT  OMP_NUM_THREADS is no number of threads, or as above */
naik_status naik_threads_guard(const naik_comm *comm);

#endif
