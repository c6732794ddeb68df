/* site_blocks.c - canonical blocks to the backend's */
#include "backend/site_blocks.h"

#include <stdlib.h>

#include "backend/packed_links.h"
#include "comm/new.h"

static naik_status allocate(naik_blocks *blocks)
{
    naik_backend *backend = blocks->geometry->backend;
    blocks->size_bytes =
        backend->ops->wilson.blocks_bytes(blocks->geometry->lattice, blocks->precision);
    return naik_backend_alloc(backend, blocks->size_bytes, "clover blocks", &blocks->data);
}

naik_status naik_blocks_create(const naik_geometry *geometry, naik_precision precision,
                               const naik_block (*source)[NAIK_SITE_BLOCKS], double number,
                               naik_blocks **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = geometry->backend;
    naik_blocks *blocks = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(backend->comm, sizeof *blocks, "the clover blocks", (void **)&blocks));
    blocks->geometry = geometry;
    blocks->precision = precision == NAIK_DOUBLE ? NAIK_DOUBLE : NAIK_SINGLE;
    blocks->number = number;
    if (source != NULL) {
        NAIK_TRY(naik_comm_agree(backend->comm, allocate(blocks)));
        NAIK_TRY(naik_comm_agree(backend->comm, backend->ops->wilson.blocks_pack(blocks, source)));
        status = naik_backend_sum_words(backend, blocks->data, blocks->size_bytes, blocks->sums);
        NAIK_TRY(naik_comm_agree(backend->comm, status));
    }
    *out = blocks;
done:
    if (status != NAIK_OK) {
        naik_blocks_destroy(&blocks);
    }
    return status;
}

naik_status naik_blocks_verify(const naik_blocks *blocks, int *rank)
{
    *rank = -1;
    for (const naik_blocks *b = blocks; b != NULL && b->data != NULL && *rank < 0; b = b->factor) {
        NAIK_PASS(naik_words_verify(b->geometry->backend, b->data, b->size_bytes, b->sums, rank));
    }
    return NAIK_OK;
}

void naik_blocks_destroy(naik_blocks **blocks)
{
    if (*blocks != NULL) {
        if ((*blocks)->geometry != NULL) {
            naik_backend_release((*blocks)->geometry->backend, (*blocks)->data);
        }
        free(*blocks);
        *blocks = NULL;
    }
}
