/* vectors.h - test vectors of a multigrid setup: noise, made near null */
#ifndef NAIK_MULTIGRID_VECTORS_H
#define NAIK_MULTIGRID_VECTORS_H

#include "multigrid/cycle.h"
#include "multigrid/hooks.h"
#include "solver/solver.h"

enum { NAIK_MG_BLOCKS_MOST = (NAIK_MG_VECTORS_MOST + NAIK_MG_BLOCK - 1) / NAIK_MG_BLOCK };

typedef struct naik_test_vectors {
    naik_multigrid_hooks hooks;
    int count, blocks;
    naik_field *v[NAIK_MG_BLOCKS_MOST][2]; /* in single, by parity */
    naik_field *b, *w;                     /* of one block, in single on either parity; scratch */
    naik_exactsum *sums;                   /* backend memory [2 NAIK_MG_BLOCK] */
} naik_test_vectors;

/* Collective. NAIK_ERR_MEMORY */
naik_status naik_test_vectors_create(const naik_geometry *geometry, int count,
                                     naik_test_vectors *out);
void naik_test_vectors_destroy(naik_test_vectors *vectors);
/* Backend memory of so many, and that of the solves that they begin with beside. */
size_t naik_test_vectors_bytes(const naik_geometry *geometry, int count);
size_t naik_test_vectors_begin_bytes(const naik_geometry *geometry);

/* Noise that has gone through `iterations` of BiCGStab on Mh x = 0 on even sites, and odd sites that go
 * with it. Asks the hooks, as the next does. Collective. NAIK_ERR_INTERRUPTED, NAIK_ERR_MEMORY, NAIK_ERR_MPI,
 * NAIK_ERR_DEVICE */
naik_status naik_test_vectors_begin(naik_test_vectors *vectors, const naik_wilson *outer,
                                    const naik_wilson *inner, int iterations, uint64_t seed);
/* Each becomes about M^-1 times itself by one cycle. */
naik_status naik_test_vectors_improve(naik_test_vectors *vectors, naik_cycle *cycle);
/* Vectors that span the same and are orthonormal on the whole lattice, so that those which a cycle amplifies
 * most do not become the only ones. */
naik_status naik_test_vectors_part(naik_test_vectors *vectors);
/* out [count]: |v|, of both parities. */
naik_status naik_test_vectors_lengths(naik_test_vectors *vectors, double *out);
/* out [count]: |Mh v| / |v| on even sites; the largest of them. */
naik_status naik_test_vectors_near_null(naik_test_vectors *vectors, const naik_wilson *inner,
                                        double *out);
naik_status naik_test_vectors_worst(naik_test_vectors *vectors, const naik_wilson *inner,
                                    double *out);

#endif
