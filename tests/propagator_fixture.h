/* propagator_fixture.h - a small propagator file with made-up contents that any rank can compute */
#ifndef NAIK_TESTS_PROPAGATOR_FIXTURE_H
#define NAIK_TESTS_PROPAGATOR_FIXTURE_H

#include "check.h"
#include "io/files.h"
#include "io/prop/propagator_file.h"

enum { ROOM_T = 8, ROOM_CORRELATORS = 2, ROOM_MOMENTA = 2, ROOM_SOLVES = 12 };
enum { ROOM_CONTRACTED = 3 };
enum { ROOM_CORR = ROOM_CORRELATORS * ROOM_MOMENTA * ROOM_T, ROOM_HISTORY = 6 };

/* Two solve sets on 8 x 4 x 4 x 8: pt, one source and two masses; wall, two sources and one mass.
 * Twelve solves. Everything it points at lives as long as the program. */
naik_propagator_spec room_spec(void);
naik_status room_lattice(naik_comm *comm, naik_lattice **out);

/* Gives a file contractions: three, and what each of them holds. */
void room_add_contractions(naik_propagator_spec *spec);
void room_fill_contractions(double values[ROOM_CONTRACTED][2 * ROOM_T]);

/* What solve number `solve` is made to hold: [sites][3][2], and [correlators][momenta][T]. */
void room_fill_solution(const naik_lattice *lat, int solve, double *out);
void room_fill_correlators(int solve, double out[ROOM_CORR]);
/* Commits it; solve 5 as not converged. */
naik_status room_commit(const naik_lattice *lat, naik_propagator_file *file, int solve);

typedef struct room { /* a folder of this job's own */
    char folder[NAIK_PATH_MAX - 96], path[NAIK_PATH_MAX - 48];
    naik_lattice *lattice;
    double *solution, *expected; /* [sites][3][2] */
} room;

bool room_enter(check *t, room *r);
void room_leave(check *t, room *r); /* removes it; nothing unexpected may be left in it */
bool room_has(const room *r, const char *suffix);
naik_propagator_file *room_open(check *t, const room *r, const naik_propagator_spec *spec,
                                bool fresh);
/* The same, with its first `solves` committed. */
naik_propagator_file *room_begin(check *t, const room *r, const naik_propagator_spec *spec,
                                 int solves);
/* Commits what is pending, finishes, checks as below, closes. */
void room_complete(check *t, room *r, naik_propagator_file **file, bool single);
/* Every solve of a finished file reads back to the bit, or to its rounding to single. */
void room_check(check *t, room *r, naik_propagator_file *file, bool single);

#endif
