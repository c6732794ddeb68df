/* interrupt.h - being asked to stop: by a signal, or by the wall clock
 *
 * SIGUSR1, SIGUSR2, SIGTERM, SIGINT, SIGXCPU and SIGHUP are blocked and read from a descriptor, so
 * that no handler and no global is needed. The ranks agree on one answer.
 */
#ifndef NAIK_COMM_INTERRUPT_H
#define NAIK_COMM_INTERRUPT_H

#include "naik/comm.h"

typedef struct naik_interrupt naik_interrupt;

/* Blocks these signals in this thread and in those it will start. To be called before MPI and
 * OpenMP start theirs: a thread that does not block them would die of them, and the process with
 * it. */
void naik_interrupt_block(void);

/* wall_limit_s: seconds from begun_s, a time of naik_time_s, to when to stop; 0: none. Local.
 * NAIK_ERR_MEMORY */
naik_status naik_interrupt_create(naik_comm *comm, double wall_limit_s, double begun_s,
                                  naik_interrupt **out);
/* An interrupt for a program with signal handlers of its own: every rank calls ask(data) at every look, and
 * true on one rank stops all. Local. NAIK_ERR_MEMORY */
naik_status naik_interrupt_create_asking(naik_comm *comm, bool (*ask)(void *data), void *data,
                                         naik_interrupt **out);
void naik_interrupt_destroy(naik_interrupt **interrupt);

/* True, on all ranks alike, once any rank was signalled or is past its limit; stays true.
 * Collective, and cheap enough for every poll of a solver: the ranks talk once in 0.2 s, and when
 * rank 0 was signalled. */
bool naik_interrupt_asked(naik_interrupt *interrupt);
/* Whether a signal has come to this rank, which naik_interrupt_asked may tell the others later; in
 * `reason` its words. Local. */
bool naik_interrupt_signalled(naik_interrupt *interrupt, char *reason, size_t reason_size);
/* In words, for the log: "signal SIGUSR1", "wall_limit of 3600 s", "the
 * caller". */
const char *naik_interrupt_reason(const naik_interrupt *interrupt);
/* How the sentence of a run that has stopped ends, from its colon or comma on. own_s: seconds of the run; lacks: what it
 * has not come to, such as "the first iteration", so that the same time would not do again; NULL: it goes on. */
enum { NAIK_INTERRUPT_ADVICE = 224 };
void naik_interrupt_advise(const naik_interrupt *interrupt, double own_s, const char *lacks,
                           char text[NAIK_INTERRUPT_ADVICE]);

#endif
