/* parameters.h - what an input says of multigrid, and what nobody needs to say */
#ifndef NAIK_MULTIGRID_PARAMETERS_H
#define NAIK_MULTIGRID_PARAMETERS_H

#include <stdbool.h>
#include <stdint.h>

enum { NAIK_MG_SMOOTHER_MOST = 16, NAIK_MG_RESTART_MOST = 32 };

typedef struct naik_multigrid_parameters {
    int vectors;      /* near-null vectors */
    int aggregate[4]; /* sites along each direction; all 0: chosen from the lattice */
    int start;        /* iterations of BiCGStab that vectors begin with */
    int cycles;       /* adaptive cycles after them */
    int smoother;     /* coefficients of the polynomial */
    double coarse_tolerance;
    int coarse_space; /* directions kept on the coarse lattice */
    int restart;      /* and on the fine one */
    int precision;    /* bits of P and the coarse operator: 16 or 32 */
    uint64_t seed;
} naik_multigrid_parameters;

static inline naik_multigrid_parameters naik_multigrid_defaults(void)
{
    return (naik_multigrid_parameters){.vectors = 24,
                                       .start = 20,
                                       .cycles = 3,
                                       .smoother = 8,
                                       .coarse_tolerance = 0.1,
                                       .coarse_space = 64,
                                       .restart = 16,
                                       .precision = 16,
                                       .seed = 1};
}

#endif
