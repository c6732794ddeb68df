/* on_paper.c - sizes as the GPU's backend has them (gpu/vectors/blas.cu, gpu/links/links.cu, gpu/halo/messages.cu,
 * gpu/halo/exchange.cu, gpu/dslash/wilson_blocks.cu, gpu/multigrid)
 *
 * Blocks of 32 sites and spare right-hand sides are left out: they are thousandths of a box that
 * anybody plans with.
 */
#include "plan/on_paper.h"

#include <stdio.h>
#include <string.h>

#include "backend/field.h"
#include "backend/multigrid.h"
#include "backend/packed_links.h"

static size_t field_bytes(const naik_lattice *lat, naik_precision precision, int nrhs)
{
    return ((size_t)lat->volume_cb + (size_t)lat->halo) * (size_t)nrhs *
           (size_t)naik_vector_bytes(precision);
}

static size_t bare_field_bytes(const naik_lattice *lat, naik_precision precision, int nrhs)
{
    return precision == NAIK_HALF
               ? naik_bricks_bytes((size_t)lat->volume_cb) * (size_t)nrhs
               : (size_t)lat->volume_cb * (size_t)nrhs * (size_t)naik_vector_bytes(precision);
}

static size_t links_bytes(const naik_lattice *lat, naik_precision precision, int recon, int points)
{
    return 2 * (size_t)lat->volume_cb * (size_t)naik_links_site_bytes(precision, recon, points);
}

static size_t face_bytes(const naik_lattice *lat, naik_precision precision, int nrhs, int mu,
                         int depth)
{
    return (size_t)naik_vector_bytes(precision) * (size_t)nrhs * (size_t)lat->face[mu] *
           (size_t)depth;
}

static size_t peer_bytes(const naik_lattice *lat, naik_precision precision, int nrhs)
{
    return naik_peer_room(nrhs,
                          (size_t)lat->halo * (size_t)nrhs * (size_t)naik_vector_bytes(precision));
}

static size_t blocks_bytes(const naik_lattice *lat, naik_precision precision)
{
    return 2 * (size_t)lat->volume_cb * NAIK_SITE_BLOCKS * NAIK_BLOCK_REALS *
           (precision == NAIK_DOUBLE ? sizeof(double) : sizeof(float));
}

static size_t aggregate_count(const naik_aggregates *a)
{
    return (size_t)a->count[0] + (size_t)a->count[1];
}

static size_t transfer_bytes(const naik_aggregates *a, int vectors, naik_precision precision)
{
    return 2 * aggregate_count(a) * (size_t)a->fine * (size_t)vectors *
           (precision == NAIK_HALF ? 12 * 2 * sizeof(int16_t) + sizeof(float)
                                   : 12 * 2 * sizeof(float));
}

static size_t no_work_bytes(const naik_aggregates *a, int vectors)
{
    (void)a;
    (void)vectors;
    return 0;
}

/* In tiles of 16 components and 4 rhs. */
static size_t tiles_of(int components)
{
    return ((size_t)components + 15) / 16;
}

static size_t coarse_links_bytes(const naik_aggregates *a, int components, naik_precision precision)
{
    const size_t numbers = tiles_of(components) * tiles_of(components) * 2 * 16 * 16;
    return aggregate_count(a) * NAIK_MG_MATRICES *
           (numbers * (precision == NAIK_HALF ? sizeof(uint16_t) : sizeof(float)) + sizeof(float));
}

static size_t coarse_site_bytes(int components, int capacity)
{
    return tiles_of(components) * (((size_t)capacity + 3) / 4) * 2 * 16 * 4 * sizeof(float);
}

/* Inverses in double and products in single of as many sites as 64 MiB of the first hold. */
static size_t invert_bytes(const naik_aggregates *a, int components)
{
    const size_t each = (size_t)components * (size_t)components * 2 * sizeof(double);
    const size_t most = ((size_t)64 << 20) / each, sites = aggregate_count(a);
    return (sites < most ? sites : most) * each / 2 * 3;
}

static naik_status noise(naik_field *v, naik_parity parity, int irhs, uint64_t seed,
                         uint32_t stream)
{
    (void)parity;
    (void)irhs;
    (void)seed;
    (void)stream;
    return NAIK_FAIL(v->geometry->backend->log, NAIK_ERR_ARG, "there is no noise on paper");
}

static naik_status free_bytes(naik_device *device, size_t *out)
{
    const on_paper *paper = (const on_paper *)(const void *)device; /* it begins with its device */
    *out = paper->memory_bytes;
    return NAIK_OK;
}

static void describe(const naik_backend *backend, char *text, size_t text_size)
{
    (void)backend;
    snprintf(text, text_size, "on paper");
}

static const naik_peer_ops peers = {.bytes = peer_bytes};
static const naik_multigrid_ops multigrid = {.transfer_bytes = transfer_bytes,
                                             .work_bytes = no_work_bytes,
                                             .noise = noise, /* made there, not on the host */
                                             .links_bytes = coarse_links_bytes,
                                             .invert_bytes = invert_bytes,
                                             .site_bytes = coarse_site_bytes};
static const naik_backend_ops ops = {.name = "gpu",
                                     .describe = describe,
                                     .memory = {.free_bytes = free_bytes},
                                     .field = {.bytes = field_bytes},
                                     .halo = {.face_bytes = face_bytes, .peer = &peers},
                                     .staggered = {.links_bytes = links_bytes},
                                     .wilson = {.blocks_bytes = blocks_bytes},
                                     .modes = {.bytes = bare_field_bytes},
                                     .multigrid = &multigrid};

bool on_paper_fits_numbers(const int local[NAIK_DIM])
{
    const double sites = (double)local[0] * local[1] * (double)local[2] * local[3];
    return sites < INT32_MAX;
}

void on_paper_lay_out(on_paper *paper, naik_comm *comm, const int size[NAIK_DIM],
                      const int grid[NAIK_DIM], bool single_node, naik_transport wanted,
                      size_t memory_bytes)
{
    const bool peer = wanted == NAIK_TRANSPORT_AUTO || wanted == NAIK_TRANSPORT_PEER;
    memset(paper, 0, sizeof *paper);
    naik_lattice *lat = &paper->lattice;
    *lat = (naik_lattice){.comm = comm, .volume = 1, .sites = 1};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        lat->size[mu] = size[mu];
        lat->grid[mu] = grid[mu];
        lat->local[mu] = size[mu] / grid[mu];
        lat->split[mu] = grid[mu] > 1;
        lat->volume *= size[mu];
        lat->sites *= lat->local[mu];
    }
    lat->volume_cb = lat->sites / 2;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        lat->face[mu] = lat->volume_cb / lat->local[mu];
        lat->halo += lat->split[mu] ? 2 * NAIK_HALO_DEPTH * lat->face[mu] : 0;
    }
    paper->memory_bytes = memory_bytes;
    paper->backend = (naik_backend){.device = {.memory = &ops.memory, .log = comm->log},
                                    .ops = &ops,
                                    .comm = comm,
                                    .log = comm->log,
                                    .route = {.peer = peer,
                                              .single_node = peer && single_node,
                                              .device = wanted == NAIK_TRANSPORT_MPI_DEVICE}};
    paper->geometry = (naik_geometry){.backend = &paper->backend, .lattice = lat};
}
