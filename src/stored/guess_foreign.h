/* guess_foreign.h - solve[].guess: a propagator of another code as starting values
 *
 * Nothing in such a file tells source, mass and links, so that it serves an entry of one source and
 * one mass, and what its columns are worth is measured when they are begun from (start_value.h).
 */
#ifndef NAIK_STORED_GUESS_FOREIGN_H
#define NAIK_STORED_GUESS_FOREIGN_H

#include "input/input.h"
#include "propagator/start_value.h"
#include "stored/foreign.h"

typedef struct guess_foreign {
    bool there;                       /* the entry has such a guess */
    bool known;                       /* sum is filled in */
    uint32_t sum[FOREIGN_COLUMNS][2]; /* what the columns hold */
    int taken, scaled, left; /* solves that began from it, of those times a factor; without it */
    double worst;            /* residual of those taken */
    naik_start_value last;   /* that had a factor */
} guess_foreign;

/* Whether the guess of an entry is of another code. Collective. */
naik_status guess_foreign_recognise(naik_comm *comm, const char *path, bool *there);

/* Looks at the guess of entry `solve`; reads it as well if `read`. Collective.
 * NAIK_ERR_INPUT    as foreign_open, more vectors than columns, or the entry has several sources or
 *                   masses
 * NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status guess_foreign_open(const naik_lattice *lattice, const naik_input *input, int solve,
                               bool read, guess_foreign *out);

/* x [sites][spin][3][2] = a column. Collective. As foreign_read */
naik_status guess_foreign_read(const guess_foreign *guess, const naik_lattice *lattice,
                               const naik_input_solve *solve, int column, double *x);

/* Takes note of what a column came to; the first of an entry has a line of the log. */
void guess_foreign_weighed(guess_foreign *guess, naik_log *log, const naik_input_solve *solve,
                           const naik_start_value *value);
/* "3 solves of pt began from FILE ..." into text; false where nothing began. */
bool guess_foreign_summary(const guess_foreign *guess, const naik_input_solve *solve, char *text,
                           size_t text_size);

#endif
