/* told_multigrid.h - what multigrid did, out of what the records and the runs of a file said of it */
#ifndef NAIK_STORED_TOLD_MULTIGRID_H
#define NAIK_STORED_TOLD_MULTIGRID_H

#include "io/prop/reader.h"

/* How a record says that multigrid solved it, and that others did what it had left. */
extern const char told_multigrid_converged[], told_multigrid_left[];
bool told_multigrid_has(const naik_solve_record *record);

typedef struct told_multigrid {
    double setup_s;
    long long outer,
        coarse; /* iterations of batches, and steps on the coarse lattice in all of them */
} told_multigrid;

/* For a mass: sums over all runs of the file that were not killed; false: none of them had multigrid for it. */
bool told_multigrid_of(const naik_propagator_reader *v, double mass, told_multigrid *out);

#endif
