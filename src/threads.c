/* threads.c - the one place that calls OpenMP: it has no pragma for the number of threads of all
 * loops, and reads its environment before main begins
 */
#include "naik/threads.h"

#include <omp.h>
#include <stdlib.h>

void naik_threads_use(int count)
{
    omp_set_num_threads(count);
}

int naik_threads_count(void)
{
    return omp_get_max_threads();
}

void naik_threads_guard(const naik_comm *comm)
{
    if (getenv("OMP_NUM_THREADS") == NULL) {
        naik_threads_use(comm->cpus);
    }
}
