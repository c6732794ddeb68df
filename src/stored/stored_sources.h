/* stored_sources.h - the sources of a finished propagator file, made or read again
 */
#ifndef NAIK_STORED_STORED_SOURCES_H
#define NAIK_STORED_STORED_SOURCES_H

#include "quark/link_provider.h"
#include "stored/make_source.h"
#include "stored/stored_run.h"

typedef struct stored_sources {
    const stored_run *run; /* borrowed */
    source_file_sums sums;
    stored_runs stored; /* the files of the next */
    sequential_set sequential;
    naik_link_provider links; /* what sources are made with; all zero where no source needs them */
} stored_sources;

/* Close it whatever comes back. Collective.
 *
 *   run  open, with a lattice of its own
 *
 * NAIK_ERR_INPUT    files of sources that have changed; where sources are smeared, another
 *                   configuration
 * NAIK_ERR_CORRUPT, NAIK_ERR_IO, NAIK_ERR_MEMORY */
naik_status stored_sources_open(const stored_run *run, stored_sources *out);
void stored_sources_close(stored_sources *sources);

/* out [sites][3][2] of one colour, or [sites][4][3][2] of one column. Collective. As make_source */
naik_status stored_sources_make(stored_sources *sources, const naik_input_source *source,
                                int column, double *out);

#endif
