/* parameters.h - what multigrid is set to, and which aggregates a lattice holds
 *
 * The numbers are those of the block `multigrid` of an input. Aggregates follow from the extents of the
 * lattice alone, never from the grid, so that no bit of an answer depends on the grid.
 */
#ifndef NAIK_MULTIGRID_PARAMETERS_H
#define NAIK_MULTIGRID_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NAIK_MULTIGRID_DIM = 4 };

typedef struct naik_multigrid_parameters {
    int vectors;                       /* near-null vectors, a multiple of 3 */
    int aggregate[NAIK_MULTIGRID_DIM]; /* extents; all 0: chosen from those of the lattice */
    int start;    /* iterations of BiCGStab on M v = 0 from noise, before the first cycle */
    int cycles;   /* of the setup: v <- one cycle on v */
    int smoother; /* coefficients of the polynomial */
    double coarse_tolerance;   /* on |r|/|b| of the coarse equation */
    int coarse_space, restart; /* vectors of the coarse and of the outer GCR before they restart */
    int precision;             /* bits of P and of the coarse matrices: 16 or 32 */
    uint64_t seed;             /* of the noise */
} naik_multigrid_parameters;
naik_multigrid_parameters naik_multigrid_defaults(void);

/* Extents of the aggregates of a lattice: 4 where that leaves an even number of them, otherwise another
 * divisor that does, near to 4; 1 is even where nothing else is there. false: direction *mu has none.
 * An extent of asked[] that is above 0 is taken or refused as it is. Not all are odd. */
bool naik_multigrid_aggregate(const int size[NAIK_MULTIGRID_DIM],
                              const int asked[NAIK_MULTIGRID_DIM], int extent[NAIK_MULTIGRID_DIM],
                              int *mu);
/* Whether every box of the grid holds whole aggregates. */
bool naik_multigrid_fits(const int size[NAIK_MULTIGRID_DIM], const int extent[NAIK_MULTIGRID_DIM],
                         const int grid[NAIK_MULTIGRID_DIM]);

#endif
