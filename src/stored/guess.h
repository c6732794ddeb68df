/* guess.h - solve[].guess: solutions in a propagator file as starting values, or as they are
 *
 * A guess that naik has stored is of the same source, mass and Naik epsilon on the same links; only the tolerance that it
 * was solved to may be another. The true residual in double decides, as always, so that a bad guess
 * costs iterations and never an answer. Files of other codes: guess_foreign.h.
 */
#ifndef NAIK_STORED_GUESS_H
#define NAIK_STORED_GUESS_H

#include "propagator/propagator.h"
#include "stored/guess_foreign.h"
#include "stored/stored_runs.h"

typedef struct solve_guess {
    const naik_input *input; /* borrowed; NULL: no entry of solve has a guess */
    stored_run **run;        /* [solve_count] borrowed; NULL: the entry has none of naik */
    guess_foreign *foreign;  /* [solve_count] */
    int *solve;              /* [task_count] number of the solve in the file of naik */
    char
        *text; /* the identity of the sources, and a line for each guess that tells what it holds */
} solve_guess;

/* Opens every guess of the input among `runs` and finds the solution of each task. The caller closes *out, whatever
 * comes back. Collective.
 *
 *   links    identity of this run's links (link_provider.h), and
 *   sources  of its sources in files (source_file.h), or NULL; with links NULL neither is compared
 *
 * NAIK_ERR_INPUT    no propagator file, unfinished, or without propagators; of other extents, links,
 *                   sources or masses: the sentence says which
 * NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status solve_guess_open(const naik_lattice *lattice, const naik_input *input,
                             const char *links, const char *sources, stored_runs *runs,
                             solve_guess *out);
void solve_guess_close(solve_guess *guess);

/* x [sites][3][2], or [sites][4][3][2], = the guess of input->tasks[task], compared with its checksum; *found
 * says what it is. Collective. NAIK_ERR_INPUT as foreign_read, NAIK_ERR_CORRUPT, NAIK_ERR_IO */
naik_status solve_guess_read(const solve_guess *guess, const naik_lattice *lattice, int task,
                             double *x, naik_guess *found);
/* What is known of it; NULL where there is none, or one of another code. Borrowed. Local. */
const naik_solve_record *solve_guess_record(const solve_guess *guess, int task);
/* Takes note of what the foreign guess of a task came to. */
void solve_guess_weighed(const solve_guess *guess, naik_log *log, int task,
                         const naik_start_value *value);

/* Reads all of naik's files, but none that was verified before; those of others were read when they were opened. Collective. As solve_guess_read, and
 * NAIK_ERR_MEMORY */
naik_status solve_guess_verify(const solve_guess *guess, const naik_lattice *lattice,
                               stored_runs *runs);

#endif
