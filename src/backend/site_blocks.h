/* site_blocks.h - what multiplies a spinor at its own site: A or A^-1 of a quark with spin
 *
 *   B = X + i c g5     or, with a factor F,   B = (F + i c g5) X
 *
 * X is a number where csw = 0, else two hermitian 6 x 6 blocks a site (clover.h); F is the X of other
 * blocks. Of a quark with twisted mass mu, X = A = m + 4 + C and c = mu; the inverse has c = -mu,
 * X = (A^2 + mu^2)^-1 and F = A, or without a clover term numbers alone.
 */
#ifndef NAIK_BACKEND_SITE_BLOCKS_H
#define NAIK_BACKEND_SITE_BLOCKS_H

#include "backend/backend.h"
#include "links/clover.h"

struct naik_blocks {
    const naik_geometry *geometry; /* borrowed */
    naik_precision precision;      /* that of the arithmetic: NAIK_DOUBLE or NAIK_SINGLE */
    double number;                 /* X where there are no blocks */
    double chiral;                 /* c; whoever made the blocks may set it */
    const naik_blocks *factor;     /* whose X is F, NULL: 1; borrowed, set as c is */
    size_t size_bytes;
    void *data;       /* backend memory, both parities; NULL: the number */
    uint64_t sums[2]; /* of its words as packed, on this rank */
};

/* From canonical blocks in the backend's memory, [sites][NAIK_SITE_BLOCKS], which are only read; NULL:
 * the number everywhere. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE */
naik_status naik_blocks_create(const naik_geometry *geometry, naik_precision precision,
                               const naik_block (*source)[NAIK_SITE_BLOCKS], double number,
                               naik_blocks **out);
void naik_blocks_destroy(naik_blocks **blocks);

/* Whether B is more than a number, which would commute with D. */
static inline bool naik_blocks_is_matrix(const naik_blocks *blocks)
{
    return blocks->data != NULL || blocks->chiral != 0;
}

/* As naik_links_verify, the factor too; a number does not change. Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_blocks_verify(const naik_blocks *blocks, int *rank);

#endif
