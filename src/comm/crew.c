/* crew.c - threads that are started together and end together */
#include "comm/crew.h"

#include <signal.h>
#include <time.h>

#include "comm/threads.h"

void naik_crew_open(naik_crew *crew)
{
    pthread_condattr_t clock; /* which nobody sets */
    *crew = (naik_crew){.threads = 0};
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&crew->mutex, NULL);
    pthread_cond_init(&crew->moved, &clock);
    pthread_condattr_destroy(&clock);
}

static void *begin(void *argument)
{
    naik_crew *crew = argument;
    naik_threads_unbind();
    naik_crew_lock(crew); /* until all are there */
    naik_crew_unlock(crew);
    crew->work(crew->data);
    return NULL;
}

void naik_crew_start(naik_crew *crew, int wanted, void (*work)(void *data), void *data)
{
    sigset_t all, before;
    crew->work = work;
    crew->data = data;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    naik_crew_lock(crew);
    while (crew->threads < wanted && crew->threads < NAIK_CREW_MOST &&
           pthread_create(&crew->thread[crew->threads], NULL, begin, crew) == 0) {
        crew->threads++;
    }
    naik_crew_unlock(crew);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void naik_crew_close(naik_crew *crew)
{
    naik_crew_lock(crew);
    crew->stop = true;
    naik_crew_tell(crew);
    naik_crew_unlock(crew);
    for (int i = 0; i < crew->threads; i++) {
        pthread_join(crew->thread[i], NULL);
    }
    pthread_cond_destroy(&crew->moved);
    pthread_mutex_destroy(&crew->mutex);
}

void naik_crew_wait(naik_crew *crew)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    pthread_cond_timedwait(&crew->moved, &crew->mutex, &until);
}
