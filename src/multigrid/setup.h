/* setup.h - multigrid for one operator: near-null vectors found, P, coarse operator and smoother made
 *
 * Vectors begin as noise by global site, go through `start` iterations of BiCGStab on Mh x = 0, then
 * `cycles` times through the multigrid cycle that was made of them. All of it is a function of links, mass
 * and parameters: the same bits on any grid, and again in the next run. A multigrid made for one mass serves
 * others of the same links and csw: only the coarse operator and the smoother are made anew.
 */
#ifndef NAIK_MULTIGRID_SETUP_H
#define NAIK_MULTIGRID_SETUP_H

#include "multigrid/cycle.h"
#include "solver/solver.h"

/* What a step of the setup came to. */
typedef struct naik_multigrid_step {
    int cycle;           /* 0: after the start */
    double worst;        /* |Mh v| / |v| of the vectors, the largest */
    double applications; /* of Mh to one vector, for each vector, so far */
    double coarse_steps; /* a coarse solve, of the slowest vector */
    naik_orthonormal met;
} naik_multigrid_step;

typedef struct naik_multigrid {
    naik_multigrid_parameters parameters;
    const naik_wilson *outer, *inner; /* in double; with vectors in single. Borrowed */
    naik_aggregates *aggregates;
    naik_transfer *made, *used; /* P in single; as it is stored, may be the same */
    naik_coarse_operator *coarse;
    naik_polynomial smoother[2]; /* by parity */
    naik_cycle *cycle;           /* of `width` rhs */
    int width;
    naik_multigrid_step *steps; /* [parameters.cycles + 1] */
    int step_count;
} naik_multigrid;

/* outer: the operator in double, inner: one that vectors in single go with. width: rhs of a solve.
 * Prints a line a step where `report` is not NULL. Collective.
 * NAIK_ERR_INPUT   as naik_aggregates_create
 * NAIK_ERR_NOT_CONVERGED   vectors, smoother or coarse operator that cannot be made
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_multigrid_create(const naik_wilson *outer, const naik_wilson *inner, int width,
                                  const naik_multigrid_parameters *parameters, naik_log *report,
                                  naik_multigrid **out);
void naik_multigrid_destroy(naik_multigrid **mg);
/* Another mass, or the operator made anew: P stays. Collective, failures as above. */
naik_status naik_multigrid_change(naik_multigrid *mg, const naik_wilson *outer,
                                  const naik_wilson *inner);

/* The cycle as solvers take it. */
naik_preconditioner naik_multigrid_preconditioner(naik_multigrid *mg);

#endif
