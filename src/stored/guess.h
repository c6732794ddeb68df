/* guess.h - solve[].guess: solutions in a propagator file as starting values, or as they are
 *
 * A guess is of the same source, mass and Naik epsilon on the same links; only the tolerance that it
 * was solved to may be another. The true residual in double decides, as always, so that a bad guess
 * costs iterations and never an answer.
 */
#ifndef NAIK_STORED_GUESS_H
#define NAIK_STORED_GUESS_H

#include "stored/stored_runs.h"

typedef struct solve_guess {
    const naik_input *input; /* borrowed; NULL: no entry of solve has a guess */
    stored_run **run;        /* [solve_count] borrowed; NULL: the entry has none */
    int *solve;              /* [task_count] number of the solve in that file */
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

/* x [sites][3][2], or [sites][4][3][2], = the guess of input->tasks[task], compared with its checksum; *found = false where
 * it has none. Collective. NAIK_ERR_CORRUPT, NAIK_ERR_IO */
naik_status solve_guess_read(const solve_guess *guess, int task, double *x, bool *found);
/* What is known of it; NULL where there is none. Borrowed. Local. */
const naik_solve_record *solve_guess_record(const solve_guess *guess, int task);

/* Reads all of them, but none that was verified before. Collective. As solve_guess_read, and
 * NAIK_ERR_MEMORY */
naik_status solve_guess_verify(const solve_guess *guess, const naik_lattice *lattice,
                               stored_runs *runs);

#endif
