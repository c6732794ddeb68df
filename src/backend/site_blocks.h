/* site_blocks.h - what multiplies a spinor at its own site: A or A^-1 of a Wilson or clover quark
 *
 *   A = m + 4 + C     a number where csw = 0, else two hermitian 6 x 6 blocks a site (clover.h)
 */
#ifndef NAIK_BACKEND_SITE_BLOCKS_H
#define NAIK_BACKEND_SITE_BLOCKS_H

#include "backend/backend.h"
#include "links/clover.h"

struct naik_blocks {
    const naik_geometry *geometry; /* borrowed */
    naik_precision precision;      /* that of the arithmetic: NAIK_DOUBLE or NAIK_SINGLE */
    double number;                 /* where there are no blocks */
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

/* As naik_links_verify; a number does not change. Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_blocks_verify(const naik_blocks *blocks, int *rank);

#endif
