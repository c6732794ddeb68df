/* setup.h - multigrid for one operator: near-null vectors found, P, coarse operator and smoother made
 *
 * Vectors begin as noise by global site, go through `start` iterations of BiCGStab on Mh x = 0, then
 * `cycles` times through the multigrid cycle that was made of them. All of it is a function of links, mass
 * and parameters: the same bits on any grid, and again in the next run. A multigrid made for one mass serves
 * others of the same links and csw: only the coarse operator and the smoother are made anew.
 */
#ifndef NAIK_MULTIGRID_SETUP_H
#define NAIK_MULTIGRID_SETUP_H

#include "multigrid/vectors.h"

enum { NAIK_MULTIGRID_STORED = -1 };
/* What a step of the setup came to. */
typedef struct naik_multigrid_step {
    int cycle;           /* 0: after the start; NAIK_MULTIGRID_STORED: of an earlier setup */
    double worst;        /* |Mh v| / |v| of the vectors, the largest */
    double applications; /* of Mh to one vector, for each vector, so far */
    double coarse_steps; /* a coarse solve, of the slowest vector */
    naik_orthonormal met;
} naik_multigrid_step;

/* P, coarse matrices, and three of each block of low vectors. */
enum { NAIK_MULTIGRID_PARTS = 2 + 3 * NAIK_MG_LOW_BLOCKS };

typedef struct naik_multigrid {
    naik_multigrid_parameters parameters;
    const naik_wilson *outer, *inner; /* in double; with vectors in single. Borrowed */
    naik_multigrid_hooks hooks;
    naik_aggregates *aggregates;
    naik_transfer *made, *used; /* P in single, NULL once it is stored otherwise; as it is stored */
    naik_coarse_operator *coarse;
    naik_polynomial smoother[2]; /* by parity */
    naik_cycle *cycle;           /* of `width` rhs */
    int width;
    naik_multigrid_step *steps; /* [parameters.cycles + 1] */
    int step_count;
    uint64_t sums[NAIK_MULTIGRID_PARTS][2]; /* of what solves use, part by part (base/device.h) */
} naik_multigrid;

/* outer: the operator in double, inner: one that vectors in single go with. width: rhs of a solve.
 * hooks may be NULL, and so may `store`, which says where vectors come from and go. Prints a line a step where
 * `report` is not NULL. Collective. What the store returns, and
 * NAIK_ERR_INPUT   as naik_aggregates_create
 * NAIK_ERR_NOT_CONVERGED   vectors, smoother or coarse operator that cannot be made
 * NAIK_ERR_INTERRUPTED     a hook said so
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_multigrid_create(const naik_wilson *outer, const naik_wilson *inner, int width,
                                  const naik_multigrid_parameters *parameters,
                                  const naik_multigrid_hooks *hooks,
                                  const naik_multigrid_store *store, naik_log *report,
                                  naik_multigrid **out);
void naik_multigrid_destroy(naik_multigrid **mg);

/* Backend memory of this rank: of a multigrid; what its setup, or a change, takes beside at the most; and of the
 * outer GCR's directions of `width` rhs, which solves have. host: of the setup in the host's memory beside. The
 * operators and messages of D are not counted. */
typedef struct naik_multigrid_sizes {
    size_t kept, making, directions, host;
} naik_multigrid_sizes;
/* extent: as naik_multigrid_aggregate gives it, the box holds whole ones. */
naik_multigrid_sizes naik_multigrid_bytes(const naik_geometry *geometry, const int extent[NAIK_DIM],
                                          int width, const naik_multigrid_parameters *parameters);

/* Another mass, or the operator made anew: P stays. Collective, failures as above. */
naik_status naik_multigrid_change(naik_multigrid *mg, const naik_wilson *outer,
                                  const naik_wilson *inner);

/* checksum.c: notes what is in the memory that solves use, as create does at its end; or, after a change, of the coarse
 * matrices alone: P is to be what it was. Collective. */
naik_status naik_multigrid_seal(naik_multigrid *mg, bool changed);
/* Whether that memory is unchanged: *rank is the first on which it is not, -1: it is; *what: the part that changed.
 * Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_multigrid_verify(const naik_multigrid *mg, const char **what, int *rank);
/* "0123456789abcdef0123456789abcdef": what a cycle makes of noise, in two exact sums. Two setups with the same one
 * have the same bits, on any grid. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
enum { NAIK_MULTIGRID_PRINT = 33 };
naik_status naik_multigrid_print(naik_multigrid *mg, char text[NAIK_MULTIGRID_PRINT]);

/* The cycle as solvers take it. */
naik_preconditioner naik_multigrid_preconditioner(naik_multigrid *mg);

#endif
