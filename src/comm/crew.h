/* crew.h - a few threads beside the main one, for work that knows nothing of MPI and of OpenMP
 *
 * They share one mutex and one condition with the thread that started them. Signals stay with the main
 * thread, and where OpenMP binds that to a processor, they are not bound there. Local.
 */
#ifndef NAIK_COMM_CREW_H
#define NAIK_COMM_CREW_H

#include <pthread.h>
#include <stdbool.h>

enum { NAIK_CREW_MOST = 16 };

typedef struct naik_crew {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    pthread_t thread[NAIK_CREW_MOST];
    int threads;
    bool stop; /* with the mutex: whoever works is to return */
    void (*work)(void *data);
    void *data;
} naik_crew;

void naik_crew_open(naik_crew *crew);
/* work(data) in up to `wanted` threads; crew->threads says how many the system gave, perhaps none. None
 * begins before this returns. */
void naik_crew_start(naik_crew *crew, int wanted, void (*work)(void *data), void *data);
/* Asks them to return, waits until they have, and releases what naik_crew_open made. */
void naik_crew_close(naik_crew *crew);

static inline void naik_crew_lock(naik_crew *crew)
{
    pthread_mutex_lock(&crew->mutex);
}
static inline void naik_crew_unlock(naik_crew *crew)
{
    pthread_mutex_unlock(&crew->mutex);
}
/* With the mutex: tells all that something has moved; waits until somebody tells so, or a second long. */
static inline void naik_crew_tell(naik_crew *crew)
{
    pthread_cond_broadcast(&crew->moved);
}
void naik_crew_wait(naik_crew *crew);

#endif
