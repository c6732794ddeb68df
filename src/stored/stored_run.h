/* stored_run.h - a finished propagator file, with the input that made it
 *
 * The solutions are in the file; their sources are made again from the input that the file carries
 * (stored_sources.h).
 */
#ifndef NAIK_STORED_STORED_RUN_H
#define NAIK_STORED_STORED_RUN_H

#include "input/input.h"
#include "io/prop/propagator_file.h"
#include "io/prop/reader.h"

typedef struct stored_run {
    naik_comm *comm;  /* borrowed */
    const char *path; /* borrowed */
    naik_propagator_reader *view;
    naik_input *input;
    naik_lattice *lattice;
    naik_propagator_file *file; /* open for reading; task i of the input is solve i */
} stored_run;

/* lattice    the caller's, which outlives it; NULL: one of its own
 * overrides  `count` texts "section.key=value" for the input, where its files have moved
 * Collective. Close it whatever comes back.
 * NAIK_ERR_INPUT    not a complete propagator file; it stores no propagators, or not the input that
 *                   made it, or one that this version understands differently; overrides that ask
 *                   for other solves
 * NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status stored_run_open(naik_comm *comm, const char *path, const naik_lattice *lattice,
                            const char *const *overrides, int count, stored_run *out);
/* The view and the input of a run alone, of an unfinished file too. */
naik_status stored_run_read(naik_comm *comm, const char *path, const char *const *overrides,
                            int count, stored_run *out);
void stored_run_close(stored_run *run);

/* What the file says of the links that it was made with, "unknown" if nothing, where that is not
 * `now` (link_provider.h); NULL where it is. Borrowed. Local. */
const char *stored_run_other_links(const stored_run *run, const char *now);
/* Adds what a solution holds to one number for several, sum[2] from {0, 0} on, in their order. */
void stored_run_add_sums(const naik_solve_record *record, uint32_t sum[2]);

#endif
