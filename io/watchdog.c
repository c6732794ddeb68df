/* watchdog.c - a thread that sleeps until a deadline, or until it is told that all is well
 *
 * It ends the process itself, and not through main: the main thread is inside MPI and will not come
 * back. The launcher sees the exit status and ends the other ranks.
 */
#include "watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct naik_watchdog {
    int rank;
    double limit_s;
    const char *what; /* NULL: not armed */
    struct timespec deadline;
    bool stop;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

static void end_process(const naik_watchdog *w)
{
    fprintf(stderr,
            "naik: error: %s has not returned for %.0f s: the file system or MPI-IO hangs; what "
            "was committed is safe, so run again, with output.aggregators set if the disk was "
            "full [rank %d]\n",
            w->what, w->limit_s, w->rank);
    fflush(stderr);
    _exit(naik_status_exit(NAIK_ERR_IO));
}

static void *watch(void *argument)
{
    naik_watchdog *w = argument;
    pthread_mutex_lock(&w->mutex);
    while (!w->stop) {
        if (w->what == NULL) {
            pthread_cond_wait(&w->wake, &w->mutex);
        } else {
            struct timespec until = w->deadline, now;
            int waited = pthread_cond_timedwait(&w->wake, &w->mutex, &until);
            clock_gettime(CLOCK_MONOTONIC, &now);
            bool late = now.tv_sec > w->deadline.tv_sec ||
                        (now.tv_sec == w->deadline.tv_sec && now.tv_nsec >= w->deadline.tv_nsec);
            if (waited == ETIMEDOUT && w->what != NULL && late) {
                end_process(w);
            }
        }
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

naik_status naik_watchdog_create(naik_comm *comm, double limit_s, naik_watchdog **out)
{
    *out = NULL;
    if (limit_s <= 0) {
        return NAIK_OK;
    }
    naik_watchdog *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for the watchdog of the output");
    }
    w->rank = comm->rank;
    w->limit_s = limit_s;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&w->mutex, NULL);
    pthread_cond_init(&w->wake, &clock);
    pthread_condattr_destroy(&clock);
    /* Signals belong to the main thread: the new one is born with all of them blocked. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&w->thread, NULL, watch, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) { /* a job without a watchdog is better than no job */
        free(w);
        return NAIK_OK;
    }
    *out = w;
    return NAIK_OK;
}

void naik_watchdog_destroy(naik_watchdog **watchdog)
{
    naik_watchdog *w = *watchdog;
    if (w == NULL) {
        return;
    }
    pthread_mutex_lock(&w->mutex);
    w->stop = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->mutex);
    free(w);
    *watchdog = NULL;
}

void naik_watchdog_arm(naik_watchdog *watchdog, const char *what)
{
    if (watchdog == NULL) {
        return;
    }
    pthread_mutex_lock(&watchdog->mutex);
    clock_gettime(CLOCK_MONOTONIC, &watchdog->deadline);
    time_t whole = (time_t)watchdog->limit_s;
    watchdog->deadline.tv_sec += whole;
    watchdog->deadline.tv_nsec += (long)(1e9 * (watchdog->limit_s - (double)whole));
    if (watchdog->deadline.tv_nsec >= 1000000000L) {
        watchdog->deadline.tv_nsec -= 1000000000L;
        watchdog->deadline.tv_sec++;
    }
    watchdog->what = what;
    pthread_cond_signal(&watchdog->wake);
    pthread_mutex_unlock(&watchdog->mutex);
}

void naik_watchdog_disarm(naik_watchdog *watchdog)
{
    if (watchdog == NULL) {
        return;
    }
    pthread_mutex_lock(&watchdog->mutex);
    watchdog->what = NULL;
    pthread_cond_signal(&watchdog->wake);
    pthread_mutex_unlock(&watchdog->mutex);
}
