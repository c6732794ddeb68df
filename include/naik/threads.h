/* threads.h - how many threads the parallel loops of this process use */
#ifndef NAIK_THREADS_H
#define NAIK_THREADS_H

#include "naik/comm.h"

/* So many from now on, in all loops that this thread starts. */
void naik_threads_use(int count);
int naik_threads_count(void);
/* Unless OMP_NUM_THREADS is set: as many as this rank has processors to itself (comm->cpus), so
 * that ranks that nobody bound to processors do not each take all of them. */
void naik_threads_guard(const naik_comm *comm);

#endif
