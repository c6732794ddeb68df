/* interrupt.c - signals by descriptor, the wall clock, and one answer for all ranks
 *
 * Rank 0 decides when the ranks talk, at once when it has a signal itself or the limit is past: it
 * broadcasts at every call whether this is such a call, because clocks of different ranks may not
 * decide what is collective.
 */
#include "comm/interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/timer.h"
#include "comm/collective.h"

struct naik_interrupt {
    naik_comm *comm;
    double begun_s, wall_limit_s, last_s;
    int descriptor; /* -1: none */
    int received;   /* the first signal that this rank has seen, 0 for none */
    sigset_t old_mask;
    bool (*ask)(void *data); /* in place of signals; NULL: these */
    void *data;
    bool asked;
    char reason[64];
};

/* What batch systems and people send; a hangup unless nohup has it ignored. */
static sigset_t watched(void)
{
    static const int numbers[] = {SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGXCPU, SIGHUP};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        if (numbers[i] != SIGHUP || sigaction(SIGHUP, NULL, &now) != 0 ||
            now.sa_handler != SIG_IGN) {
            sigaddset(&set, numbers[i]);
        }
    }
    return set;
}

void naik_interrupt_block(void)
{
    const sigset_t set = watched();
    sigprocmask(SIG_BLOCK, &set, NULL);
}

naik_status naik_interrupt_create(naik_comm *comm, double wall_limit_s, double begun_s,
                                  naik_interrupt **out)
{
    naik_interrupt *interrupt = calloc(1, sizeof *interrupt);
    *out = interrupt;
    if (interrupt == NULL) {
        return NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory to watch for signals");
    }
    interrupt->comm = comm;
    interrupt->wall_limit_s = wall_limit_s;
    interrupt->begun_s = begun_s;
    interrupt->last_s = naik_time_s();
    const sigset_t wanted = watched();
    sigprocmask(SIG_BLOCK, &wanted, &interrupt->old_mask);
    interrupt->descriptor = signalfd(-1, &wanted, SFD_NONBLOCK | SFD_CLOEXEC);
    return NAIK_OK;
}

naik_status naik_interrupt_create_asking(naik_comm *comm, bool (*ask)(void *data), void *data,
                                         naik_interrupt **out)
{
    naik_interrupt *interrupt = calloc(1, sizeof *interrupt);
    *out = interrupt;
    if (interrupt == NULL) {
        return NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory to hear the caller");
    }
    interrupt->comm = comm;
    interrupt->descriptor = -1;
    interrupt->begun_s = naik_time_s();
    interrupt->ask = ask;
    interrupt->data = data;
    return NAIK_OK;
}

void naik_interrupt_destroy(naik_interrupt **interrupt)
{
    if (*interrupt == NULL) {
        return;
    }
    if ((*interrupt)->descriptor >= 0) {
        close((*interrupt)->descriptor);
    }
    if ((*interrupt)->ask == NULL) {
        sigprocmask(SIG_SETMASK, &(*interrupt)->old_mask, NULL);
    }
    free(*interrupt);
    *interrupt = NULL;
}

/* Whether a signal has come to this rank. */
static bool received(naik_interrupt *interrupt)
{
    struct signalfd_siginfo info;
    if (interrupt->received == 0 && interrupt->descriptor >= 0 &&
        read(interrupt->descriptor, &info, sizeof info) == (ssize_t)sizeof info) {
        interrupt->received = (int)info.ssi_signo;
    }
    return interrupt->received != 0;
}

static void name_signal(int number, char *text, size_t text_size)
{
    snprintf(text, text_size, "signal %s", strsignal(number));
}

bool naik_interrupt_signalled(naik_interrupt *interrupt, char *reason, size_t reason_size)
{
    const bool any = received(interrupt);
    if (any) {
        name_signal(interrupt->received, reason, reason_size);
    }
    return any;
}

static bool is_late(const naik_interrupt *interrupt, double now_s)
{
    return interrupt->wall_limit_s > 0 && now_s - interrupt->begun_s > interrupt->wall_limit_s;
}

/* Of a caller, whose answers depend on no clock. */
static bool asks_to_stop(naik_interrupt *interrupt)
{
    double asked = interrupt->ask(interrupt->data) ? 1 : 0;
    if (naik_comm_max_f64(interrupt->comm, &asked, 1) == NAIK_OK && asked > 0) {
        interrupt->asked = true;
        snprintf(interrupt->reason, sizeof interrupt->reason, "the caller");
    }
    return interrupt->asked;
}

bool naik_interrupt_asked(naik_interrupt *interrupt)
{
    enum { PAUSE, TALK };
    int what = PAUSE;
    double now_s = naik_time_s();
    if (interrupt->asked) {
        return true;
    }
    if (interrupt->ask != NULL) {
        return asks_to_stop(interrupt);
    }
    if (interrupt->comm->rank == 0 &&
        (received(interrupt) || is_late(interrupt, now_s) || now_s - interrupt->last_s > 0.2)) {
        what = TALK;
        interrupt->last_s = now_s;
    }
    if (naik_comm_broadcast(interrupt->comm, &what, sizeof what, 0) != NAIK_OK || what == PAUSE) {
        return false;
    }
    double seen[2] = {received(interrupt) ? interrupt->received : 0, is_late(interrupt, now_s)};
    if (naik_comm_max_f64(interrupt->comm, seen, 2) != NAIK_OK) {
        return false;
    }
    interrupt->asked = seen[0] > 0 || seen[1] > 0;
    if (seen[0] > 0) {
        name_signal((int)seen[0], interrupt->reason, sizeof interrupt->reason);
    } else if (interrupt->asked) {
        snprintf(interrupt->reason, sizeof interrupt->reason, "wall_limit of %g s",
                 interrupt->wall_limit_s);
    }
    return interrupt->asked;
}

const char *naik_interrupt_reason(const naik_interrupt *interrupt)
{
    return interrupt->reason;
}

void naik_interrupt_advise(const naik_interrupt *interrupt, double own_s, const char *lacks,
                           char text[NAIK_INTERRUPT_ADVICE])
{
    const double all_s = naik_time_s() - interrupt->begun_s;
    if (lacks == NULL || 2 * own_s < all_s) { /* the next command has the time of other runs, too */
        snprintf(text, NAIK_INTERRUPT_ADVICE, ": run the same command again to go on");
    } else {
        snprintf(text, NAIK_INTERRUPT_ADVICE,
                 ", %.3g s after its start and before %s: give the run more time than that "
                 "(run.wall_limit, or the limit of the job) and run the same command again",
                 own_s, lacks);
    }
}
