/* packed_links.c - canonical fat and long links to the 16 matrices a site multiplies by
 *
 * The backward link of a site belongs to the site before it, perhaps in the box of another rank: whole
 * layers of links travel once, here, so that no kernel ever needs a neighbour's links.
 */
#include "backend/packed_links.h"

#include <stdlib.h>

#include "backend/field.h"
#include "base/memory.h"
#include "comm/collective.h"
#include "comm/new.h"
#include "links/link_ops.h"
#include "links/smear.h"

enum { CHUNK = 8192 }; /* sites whose matrices are put together at a time: 19 MB */

static void release_layers(naik_device *device, naik_link_layers *backward)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        naik_device_free(device, backward->link[mu]);
        backward->link[mu] = NULL;
    }
}

/* The last layers of links mu of the backward neighbour, into memory of the links' kind. */
static naik_status exchange_layers(const naik_gauge *links, int mu, naik_link_layers *backward)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = links->lattice;
    naik_comm *comm = lat->comm;
    naik_device *device = links->device;
    naik_matrix *out = NULL, *in = NULL, *there = backward->link[mu];
    const size_t bytes =
        (size_t)backward->distance * (size_t)(lat->sites / lat->local[mu]) * sizeof *out;
    status = naik_alloc(comm->log, bytes, "a layer of links", (void **)&out);
    if (status == NAIK_OK && device != NULL) {
        status = naik_alloc(comm->log, bytes, "a layer of links", (void **)&in);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_link_ops_of(device)->layers(links, mu, backward->distance,
                                              device != NULL ? there : out));
    if (device != NULL) {
        NAIK_TRY(device->memory->download(device, out, there, bytes));
    }
    NAIK_TRY(naik_comm_exchange(comm, lat->neighbour_rank[mu][NAIK_FORWARD], out,
                                lat->neighbour_rank[mu][NAIK_BACKWARD], device != NULL ? in : there,
                                bytes));
    if (device != NULL) {
        NAIK_TRY(device->memory->upload(device, there, in, bytes));
    }
done:
    naik_free(out);
    naik_free(in);
    return status;
}

/* For every split mu. */
static naik_status fetch_layers(const naik_gauge *links, naik_link_layers *backward)
{
    const naik_lattice *lat = links->lattice;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (lat->split[mu]) {
            const size_t matrices =
                (size_t)backward->distance * (size_t)(lat->sites / lat->local[mu]);
            NAIK_PASS(naik_comm_agree(lat->comm, naik_device_alloc(links->device, lat->comm->log,
                                                                   matrices * sizeof(naik_matrix),
                                                                   "a layer of links",
                                                                   (void **)&backward->link[mu])));
            NAIK_PASS(exchange_layers(links, mu, backward));
        }
    }
    return NAIK_OK;
}

/* Largest |Re|, |Im| of any element on any rank. */
static naik_status measure_scale(const naik_gauge *links, double *scale)
{
    *scale = 0;
    if (links != NULL) {
        NAIK_PASS(naik_link_ops_of(links->device)->largest(links, scale));
        NAIK_PASS(naik_comm_max_f64(links->lattice->comm, scale, 1));
    }
    return NAIK_OK;
}

size_t naik_links_bytes(const naik_geometry *geometry, naik_precision precision, int recon,
                        int points)
{
    return geometry->backend->ops->staggered.links_bytes(geometry->lattice, precision, recon,
                                                         points);
}

size_t naik_links_packing_bytes(const naik_geometry *geometry, int points)
{
    const bool host = geometry->backend->ops->host_memory; /* which gives what is touched */
    const int32_t sites = geometry->lattice->volume_cb;
    return (size_t)(host && sites < CHUNK ? sites : CHUNK) * (size_t)points * sizeof(naik_matrix);
}

/* Whether all links in direction t are exactly 1 but those that leave the last time slice. */
static naik_status find_unit_time(const naik_gauge *links, bool *out)
{
    const naik_lattice *lat = links->lattice;
    const int last = lat->size[3] - 1 - lat->origin[3];
    int64_t others = 0;
    double most;
    NAIK_PASS(naik_link_ops_of(links->device)->others_in_time(links, last, &others));
    most = (double)others;
    NAIK_PASS(naik_comm_max_f64(lat->comm, &most, 1));
    *out = most == 0;
    return NAIK_OK;
}

/* Chunk by chunk: the matrices are put together where the source is and packed where the kernels
 * are. */
static naik_status pack_all(naik_links *links, const naik_fatlong *source,
                            const naik_link_layers backward[2])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = links->geometry->backend;
    naik_device *here = source->fat->device, *there = naik_backend_device(backend);
    const naik_lattice *lat = links->geometry->lattice;
    const size_t site_bytes = (size_t)links->points * sizeof(naik_matrix);
    naik_matrix *made = NULL, *packed = NULL;
    NAIK_TRY(
        naik_device_alloc(here, backend->log, CHUNK * site_bytes, "link packing", (void **)&made));
    if (here != there) {
        NAIK_TRY(naik_device_alloc(there, backend->log, CHUNK * site_bytes, "link packing",
                                   (void **)&packed));
    }
    for (int parity = 0; parity < 2; parity++) {
        for (int32_t begin = 0; begin < lat->volume_cb; begin += CHUNK) {
            const int32_t count = lat->volume_cb - begin < CHUNK ? lat->volume_cb - begin : CHUNK;
            NAIK_TRY(naik_link_ops_of(here)->points(source, backward, links->points,
                                                    (naik_parity)parity, begin, count, made));
            if (here != there) {
                NAIK_TRY(naik_backend_upload(backend, packed, made, (size_t)count * site_bytes));
            }
            NAIK_TRY(backend->ops->staggered.links_pack(links, (naik_parity)parity, begin, count,
                                                        here != there ? packed : made));
        }
    }
    NAIK_TRY(naik_backend_sync(backend));
done:
    naik_device_free(here, made);
    naik_device_free(there, packed);
    return status;
}

naik_status naik_links_create(const naik_geometry *geometry, const naik_fatlong *source,
                              naik_precision precision, int recon, naik_links **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = geometry->backend;
    naik_link_layers backward[2] = {{{NULL}, 1}, {{NULL}, NAIK_HALO_DEPTH}};
    *out = NULL;
    naik_links *links = NULL;
    NAIK_TRY(naik_new(backend->comm, sizeof *links, "the links", (void **)&links));
    links->geometry = geometry;
    links->precision = precision;
    links->recon = recon;
    links->long_scale = source->long_scale;
    links->points = source->long_links != NULL ? NAIK_STENCIL : NAIK_STENCIL / 2;
    links->size_bytes = naik_links_bytes(geometry, precision, recon, links->points);
    if (links->size_bytes == 0) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_INPUT,
                           "the %s backend does not store links of %d numbers in %s precision",
                           backend->ops->name, recon, naik_precision_name(precision));
        goto done;
    }
    NAIK_TRY(measure_scale(source->fat, &links->scale[0]));
    if (links->points != NAIK_STENCIL) {
        NAIK_TRY(find_unit_time(source->fat, &links->unit_time));
    }
    NAIK_TRY(measure_scale(source->long_links, &links->scale[1]));
    NAIK_TRY(naik_comm_agree(
        backend->comm, naik_backend_alloc(backend, links->size_bytes, "the links", &links->data)));
    NAIK_TRY(fetch_layers(source->fat, &backward[0]));
    if (source->long_links != NULL) {
        NAIK_TRY(fetch_layers(source->long_links, &backward[1]));
    }
    NAIK_TRY(naik_comm_agree(backend->comm, pack_all(links, source, backward)));
    status = naik_backend_sum_words(backend, links->data, links->size_bytes, links->sums);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    *out = links;
done:
    release_layers(source->fat->device, &backward[0]);
    release_layers(source->fat->device, &backward[1]);
    if (status != NAIK_OK) {
        naik_links_destroy(&links);
    }
    return status;
}

naik_status naik_words_verify(naik_backend *backend, const void *memory, size_t size_bytes,
                              const uint64_t sums[2], int *rank)
{
    uint64_t now[2];
    NAIK_PASS(
        naik_comm_agree(backend->comm, naik_backend_sum_words(backend, memory, size_bytes, now)));
    const bool same = now[0] == sums[0] && now[1] == sums[1];
    double first = same ? backend->comm->size : backend->comm->rank;
    NAIK_PASS(naik_comm_min_f64(backend->comm, &first, 1));
    *rank = first < backend->comm->size ? (int)first : -1;
    return NAIK_OK;
}

naik_status naik_links_verify(const naik_links *links, int *rank)
{
    return naik_words_verify(links->geometry->backend, links->data, links->size_bytes, links->sums,
                             rank);
}

void naik_links_destroy(naik_links **links)
{
    if (*links == NULL) {
        return;
    }
    naik_backend *backend = (*links)->geometry->backend;
    naik_backend_release(backend, (*links)->data);
    free(*links);
    *links = NULL;
}
