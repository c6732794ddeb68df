/* site_blocks.c - clover blocks into the lanes and cells of the CPU */
#include "backend/site_blocks.h"

#include "backend/cpu/cpu.h"

size_t cpu_blocks_bytes(const naik_lattice *lattice, naik_precision precision)
{
    return (size_t)lattice->sites * NAIK_SITE_BLOCKS * NAIK_BLOCK_REALS *
           (precision == NAIK_DOUBLE ? sizeof(double) : sizeof(float));
}

static void store(const naik_blocks *blocks, size_t at, double value)
{
    if (blocks->precision == NAIK_DOUBLE) {
        ((double *)blocks->data)[at] = value;
    } else {
        ((float *)blocks->data)[at] = (float)value;
    }
}

/* A block into its lane: number i is `lanes` behind number i - 1. */
static void pack_block(const naik_blocks *blocks, const naik_block *block, size_t first,
                       size_t lanes)
{
    for (size_t i = 0; i < NAIK_BLOCK_SIZE; i++) {
        store(blocks, first + i * lanes, block->diagonal[i]);
    }
    for (size_t i = 0; i < NAIK_BLOCK_LOWER; i++) {
        const size_t at = first + (NAIK_BLOCK_SIZE + 2 * i) * lanes;
        store(blocks, at, block->lower[i].re);
        store(blocks, at + lanes, block->lower[i].im);
    }
}

naik_status cpu_blocks_pack(naik_blocks *blocks, const naik_block (*source)[NAIK_SITE_BLOCKS])
{
    const naik_geometry *geometry = blocks->geometry;
    const cpu_shape *shape = &cpu_tables_of(geometry)->shape;
    const size_t lanes = (size_t)shape->lanes;
#pragma omp parallel for schedule(static) num_threads(cpu_threads(geometry->backend))
    for (int32_t site = 0; site < geometry->lattice->sites; site++) {
        int x[NAIK_DIM];
        size_t cell, lane;
        naik_lattice_coords(geometry->lattice, site, x);
        cpu_place_of(shape, x, &cell, &lane);
        cell += naik_parity_of(x) == NAIK_ODD ? (size_t)shape->cells : 0;
        for (size_t b = 0; b < NAIK_SITE_BLOCKS; b++) {
            const size_t first = (cell * NAIK_SITE_BLOCKS + b) * NAIK_BLOCK_REALS * lanes + lane;
            pack_block(blocks, &source[site][b], first, lanes);
        }
    }
    return NAIK_OK;
}
