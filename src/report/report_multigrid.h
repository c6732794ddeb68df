/* report_multigrid.h - what multigrid did for a mass, out of what the runs of a file said of it */
#ifndef NAIK_REPORT_REPORT_MULTIGRID_H
#define NAIK_REPORT_REPORT_MULTIGRID_H

#include "io/prop/reader.h"

typedef struct report_multigrid {
    double setup_s;
    long long outer,
        coarse; /* iterations of batches, and steps on the coarse lattice in all of them */
} report_multigrid;

/* Sums over all runs of the file that were not killed; false: none of them had multigrid for the mass. */
bool report_multigrid_of(const naik_propagator_reader *v, double mass, report_multigrid *out);

#endif
