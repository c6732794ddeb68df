/* transfer.h - P: near-null vectors cut into aggregates and chiralities, orthonormal in each */
#ifndef NAIK_MULTIGRID_TRANSFER_H
#define NAIK_MULTIGRID_TRANSFER_H

#include "multigrid/aggregates.h"

/* Test vectors stand in blocks of so many rhs on either parity, by number, not by memory. */
enum { NAIK_MG_BLOCK = 12 };

/* Collective. precision: NAIK_SINGLE or NAIK_HALF. NAIK_ERR_ARG, NAIK_ERR_MEMORY */
naik_status naik_transfer_create(const naik_aggregates *aggregates, int vectors,
                                 naik_precision precision, naik_transfer **out);
void naik_transfer_destroy(naik_transfer **p);
size_t naik_transfer_bytes(const naik_aggregates *aggregates, int vectors,
                           naik_precision precision);

/* P from vectors [blocks][2] by parity, of NAIK_MG_BLOCK rhs each or fewer in the last, and orthonormal;
 * what was met over all ranks. P in single. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_transfer_fill(naik_transfer *p, naik_field *const (*vectors)[2], int blocks,
                               naik_orthonormal *met);
/* Number of blocks of so many vectors. */
static inline int naik_transfer_blocks(int vectors)
{
    return (vectors + NAIK_MG_BLOCK - 1) / NAIK_MG_BLOCK;
}
/* Vectors in block b of so many. */
static inline int naik_transfer_in_block(int vectors, int b)
{
    const int left = vectors - b * NAIK_MG_BLOCK;
    return left < NAIK_MG_BLOCK ? left : NAIK_MG_BLOCK;
}

#endif
