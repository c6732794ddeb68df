/* watchdog.c - a thread that looks now and then whether the counter of movements has changed
 *
 * It ends the process itself, and not through main: the main thread is inside MPI and will not come
 * back. The launcher sees the exit status and ends the other ranks.
 */
#include "base/watchdog.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "base/timer.h"

#define TICK_S  0.25
#define GRACE_S 1.0 /* for the others to say where they are, before the launcher ends them */

struct naik_watchdog {
    int rank;
    const char *host;
    _Atomic double limit_s;
    atomic_ulong moves;
    _Atomic(const char *) phase, waiting, armed; /* NULL: none */
    _Atomic(const int *) partners;
    atomic_int partner_count, first, iterations;
    _Atomic double armed_s;
    bool stop;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
};

/* "3 and 5" or "all ranks": each partner once, and not this rank itself. */
static const char *name_partners(const naik_watchdog *w, char *text, size_t text_size)
{
    const int *partners = atomic_load(&w->partners);
    const int count = partners != NULL ? atomic_load(&w->partner_count) : 0;
    const int first = atomic_load(&w->first);
    text[0] = '\0';
    for (int i = 0; i < count; i++) {
        bool told = first + partners[i] == w->rank;
        for (int k = 0; k < i; k++) {
            told = told || partners[k] == partners[i];
        }
        if (!told) {
            naik_text_append(text, text_size, "%s%d", text[0] != '\0' ? " and " : "rank ",
                             first + partners[i]);
        }
    }
    return text[0] != '\0' ? text : "all ranks";
}

static void end_process(const naik_watchdog *w, double limit_s)
{
    char partners[128], where[256] = "";
    const char *armed = atomic_load(&w->armed), *waiting = atomic_load(&w->waiting);
    const char *phase = atomic_load(&w->phase);
    const int iterations = atomic_load(&w->iterations);
    naik_text_append(where, sizeof where, "%s", phase != NULL ? phase : "start");
    if (iterations > 0) {
        naik_text_append(where, sizeof where, ", iteration %d", iterations);
    }
    if (waiting != NULL) {
        naik_text_append(where, sizeof where, ", waiting for %s of %s", waiting,
                         name_partners(w, partners, sizeof partners));
    }
    if (armed != NULL) {
        fprintf(stderr,
                "naik: error: %s has not returned for %.0f s: the file system or MPI-IO hangs; "
                "what was committed is safe, so run again, with output.aggregators set if the disk "
                "was full [rank %d on %s: %s]\n",
                armed, limit_s, w->rank, w->host, where);
    } else {
        fprintf(stderr,
                "naik: error: nothing has moved for %.0f s: rank %d on %s is at: %s; a rank that "
                "does not say this is where it hangs; what was committed is safe, so run again\n",
                limit_s, w->rank, w->host, where);
    }
    fflush(stderr);
    const struct timespec grace = {(time_t)GRACE_S, 0};
    nanosleep(&grace, NULL);
    _exit(naik_status_exit(NAIK_ERR_IO));
}

/* Sleeps a tick, or less where it is told to stop; how long it counts. */
static double sleep_tick(naik_watchdog *w)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const double begin_s = naik_time_s();
    until.tv_nsec += (long)(1e9 * TICK_S);
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&w->wake, &w->mutex, &until);
    return fmin(naik_time_s() - begin_s, 2 * TICK_S);
}

static void *watch(void *argument)
{
    naik_watchdog *w = argument;
    unsigned long seen = 0;
    double still_s = 0;
    pthread_mutex_lock(&w->mutex);
    while (!w->stop) {
        const unsigned long moves = atomic_load(&w->moves);
        still_s = moves == seen ? still_s : 0;
        seen = moves;
        const double limit_s =
            atomic_load(&w->armed) != NULL ? atomic_load(&w->armed_s) : atomic_load(&w->limit_s);
        if (limit_s > 0 && still_s >= limit_s) {
            end_process(w, limit_s);
        }
        still_s += sleep_tick(w);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

naik_status naik_watchdog_create(naik_log *log, int rank, const char *host, double limit_s,
                                 naik_watchdog **out)
{
    *out = NULL;
    naik_watchdog *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the watchdog");
    }
    w->rank = rank;
    w->host = host;
    atomic_store(&w->limit_s, limit_s);
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

unsigned long naik_watchdog_moves(const naik_watchdog *w)
{
    return w != NULL ? atomic_load(&w->moves) : 0;
}

static void count(naik_watchdog *w)
{
    atomic_fetch_add_explicit(&w->moves, 1, memory_order_relaxed);
}

void naik_watchdog_limit(naik_watchdog *w, double limit_s)
{
    if (w != NULL) {
        atomic_store(&w->limit_s, limit_s);
        count(w);
    }
}

void naik_watchdog_phase(naik_watchdog *w, const char *phase)
{
    if (w != NULL) {
        atomic_store(&w->phase, phase);
        count(w);
    }
}

void naik_watchdog_step(naik_watchdog *w, int iterations)
{
    if (w != NULL) {
        atomic_store_explicit(&w->iterations, iterations, memory_order_relaxed);
        count(w);
    }
}

void naik_watchdog_wait(naik_watchdog *w, const char *what, const int *partners, int partner_count)
{
    if (w != NULL) {
        atomic_store_explicit(&w->partners, partners, memory_order_relaxed);
        atomic_store_explicit(&w->partner_count, partner_count, memory_order_relaxed);
        atomic_store_explicit(&w->waiting, what, memory_order_relaxed);
        count(w);
    }
}

void naik_watchdog_base(naik_watchdog *w, int first)
{
    if (w != NULL) {
        atomic_store(&w->first, first);
    }
}

void naik_watchdog_move(naik_watchdog *w)
{
    if (w != NULL) {
        atomic_store_explicit(&w->waiting, NULL, memory_order_relaxed);
        count(w);
    }
}

void naik_watchdog_arm(naik_watchdog *w, const char *what, double limit_s)
{
    if (w != NULL) {
        atomic_store(&w->armed_s, limit_s);
        atomic_store(&w->armed, what);
        count(w);
    }
}

void naik_watchdog_disarm(naik_watchdog *w)
{
    if (w != NULL) {
        atomic_store(&w->armed, NULL);
        count(w);
    }
}
