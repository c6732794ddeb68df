/* stored_runs.h - the finished propagator files that an input names, each opened once
 *
 * Sequential sources and guesses of several entries may name the same file: it is opened, parsed and
 * compared with its checksums once for all of them.
 */
#ifndef NAIK_STORED_STORED_RUNS_H
#define NAIK_STORED_STORED_RUNS_H

#include "stored/stored_run.h"

/* All zero before the first file. */
typedef struct stored_runs {
    int count;
    struct stored_run_of {
        stored_run run;
        bool *verified; /* [solves of the file] */
    } * *of;            /* [count]; their addresses stay */
} stored_runs;

/* *out: the file of that name, open; borrowed from `runs`. The name, as it is written, and the lattice
 * outlive `runs`. Collective. As stored_run_open */
naik_status stored_runs_open(stored_runs *runs, const naik_lattice *lattice, const char *path,
                             stored_run **out);
/* Reads solution number `solve` of one of them, unless that was done, and compares it with its
 * checksum. Collective. NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status stored_runs_verify(stored_runs *runs, const naik_lattice *lattice,
                               const stored_run *run, int solve);
/* A line for each file of which solutions were verified: how many. */
void stored_runs_report(const stored_runs *runs, naik_log *log);
void stored_runs_close(stored_runs *runs);

#endif
