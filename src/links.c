/* links.c - canonical fat and long links to the 16 matrices a site multiplies by
 *
 * The backward link of a site sits on a site behind it, perhaps in the box of another rank: whole
 * layers of links travel once, here, so that no kernel ever needs a neighbour's links.
 */
#include "naik/links.h"

#include <math.h>
#include <stdlib.h>

#include "naik/memory.h"

enum { CHUNK = 8192 }; /* sites whose matrices are handed to the backend at a time */

/* The layers behind the box in direction mu: [distance][layer sites], coordinate -distance + d
 * first. */
typedef struct layers {
    naik_matrix *link[NAIK_DIM]; /* NULL where mu is not split */
    int distance;
} layers;

/* Number of a site in its layer across mu: local lexicographic without coordinate mu. */
static int64_t number_across(const naik_lattice *lat, const int x[NAIK_DIM], int mu)
{
    int64_t number = 0;
    for (int nu = NAIK_DIM - 1; nu >= 0; nu--) {
        number = nu == mu ? number : number * lat->local[nu] + x[nu];
    }
    return number;
}

static void release_layers(layers *behind)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        naik_free(behind->link[mu]);
        behind->link[mu] = NULL;
    }
}

/* Receives the last `distance` layers of links mu from the rank behind, for every split mu. */
static naik_status fetch_layers(const naik_gauge *links, int distance, layers *behind)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = links->lattice;
    naik_comm *comm = lat->comm;
    naik_matrix *out[NAIK_DIM] = {NULL};
    behind->distance = distance;
    for (int mu = 0; mu < NAIK_DIM && status == NAIK_OK; mu++) {
        size_t bytes = (size_t)distance * (size_t)(lat->sites / lat->local[mu]) * sizeof **out;
        if (lat->split[mu]) {
            status = naik_alloc(comm->log, bytes, "a layer of links", (void **)&out[mu]);
        }
        if (lat->split[mu] && status == NAIK_OK) {
            status = naik_alloc(comm->log, bytes, "a layer of links", (void **)&behind->link[mu]);
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (!lat->split[mu]) {
            continue;
        }
        int64_t layer = lat->sites / lat->local[mu];
        for (int32_t site = 0; site < lat->sites; site++) {
            int x[NAIK_DIM];
            naik_lattice_coords(lat, site, x);
            int depth = x[mu] - (lat->local[mu] - distance);
            if (depth >= 0) {
                out[mu][depth * layer + number_across(lat, x, mu)] =
                    links->link[(int64_t)site * NAIK_DIM + mu];
            }
        }
        NAIK_TRY(naik_comm_exchange(comm, lat->neighbour_rank[mu][NAIK_AHEAD], out[mu],
                                    lat->neighbour_rank[mu][NAIK_BEHIND], behind->link[mu],
                                    (size_t)distance * (size_t)layer * sizeof **out));
    }
done:
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        naik_free(out[mu]);
    }
    return status;
}

/* -U_mu(x - distance mu)^+ */
static naik_matrix backward_link(const naik_gauge *links, const layers *behind,
                                 const int x[NAIK_DIM], int mu)
{
    const naik_lattice *lat = links->lattice;
    const naik_matrix *u;
    int there = x[mu] - behind->distance;
    if (there < 0 && lat->split[mu]) {
        int64_t layer = lat->sites / lat->local[mu];
        u = &behind->link[mu][(there + behind->distance) * layer + number_across(lat, x, mu)];
    } else {
        int y[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
        y[mu] = ((there % lat->local[mu]) + lat->local[mu]) % lat->local[mu];
        u = &links->link[(int64_t)naik_lattice_site(lat, y) * NAIK_DIM + mu];
    }
    naik_matrix dagger = naik_mat_dagger(u);
    return naik_mat_scale(-1, &dagger);
}

/* The matrices of `count` sites from `begin` of a parity: hops [count][naik_links.hops]. */
static void collect_hops(const naik_fatlong *source, const layers behind[2], int hops,
                         naik_parity parity, int32_t begin, int32_t count, naik_matrix *out)
{
    const naik_lattice *lat = source->fat->lattice;
#pragma omp parallel for schedule(static)
    for (int32_t i = 0; i < count; i++) {
        int x[NAIK_DIM];
        int32_t site = naik_lattice_site_of(lat, parity, begin + i);
        naik_lattice_coords(lat, site, x);
        naik_matrix *w = out + (int64_t)i * hops;
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            w[NAIK_HOP_AHEAD + mu] = source->fat->link[(int64_t)site * NAIK_DIM + mu];
            w[NAIK_HOP_BEHIND + mu] = backward_link(source->fat, &behind[0], x, mu);
            if (hops == NAIK_HOPS) {
                w[NAIK_HOP_AHEAD3 + mu] = source->long_links->link[(int64_t)site * NAIK_DIM + mu];
                w[NAIK_HOP_BEHIND3 + mu] = backward_link(source->long_links, &behind[1], x, mu);
            }
        }
    }
}

/* Largest |Re|, |Im| of any element on any rank. */
static naik_status measure_scale(const naik_gauge *links, double *scale)
{
    *scale = 0;
    if (links == NULL) {
        return NAIK_OK;
    }
    const double *numbers = &links->link[0].e[0][0].re;
    int64_t count = (int64_t)links->lattice->sites * NAIK_DIM * 18;
    double largest = 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
    for (int64_t i = 0; i < count; i++) {
        double size = fabs(numbers[i]);
        largest = size > largest ? size : largest;
    }
    *scale = largest;
    return naik_comm_max_f64(links->lattice->comm, scale, 1);
}

size_t naik_links_bytes(const naik_geometry *geometry, naik_precision precision, int recon,
                        int hops)
{
    return geometry->backend->ops->links_bytes(geometry->lattice, precision, recon, hops);
}

static naik_status pack_all(naik_links *links, const naik_fatlong *source, const layers behind[2])
{
    naik_status status = NAIK_OK;
    naik_backend *backend = links->geometry->backend;
    const naik_lattice *lat = links->geometry->lattice;
    naik_matrix *chunk = NULL;
    NAIK_TRY(naik_alloc(backend->log, (size_t)CHUNK * (size_t)links->hops * sizeof *chunk,
                        "link packing", (void **)&chunk));
    for (int parity = 0; parity < 2; parity++) {
        for (int32_t begin = 0; begin < lat->half; begin += CHUNK) {
            int32_t count = lat->half - begin < CHUNK ? lat->half - begin : CHUNK;
            collect_hops(source, behind, links->hops, (naik_parity)parity, begin, count, chunk);
            NAIK_TRY(backend->ops->links_pack(links, (naik_parity)parity, begin, count, chunk));
        }
    }
    NAIK_TRY(backend->ops->sync(backend));
done:
    naik_free(chunk);
    return status;
}

naik_status naik_links_create(const naik_geometry *geometry, const naik_fatlong *source,
                              naik_precision precision, int recon, naik_links **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = geometry->backend;
    layers behind[2] = {{{NULL}, 1}, {{NULL}, NAIK_HALO_DEPTH}};
    *out = NULL;
    naik_links *links = calloc(1, sizeof *links);
    if (links == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for the links");
    }
    links->geometry = geometry;
    links->precision = precision;
    links->recon = recon;
    links->long_scale = source->long_scale;
    links->hops = source->long_links != NULL ? NAIK_HOPS : NAIK_HOPS / 2;
    links->size_bytes = naik_links_bytes(geometry, precision, recon, links->hops);
    if (links->size_bytes == 0) {
        status = NAIK_FAIL(backend->log, NAIK_ERR_ARG,
                           "the %s backend does not store links of %d numbers in %s precision",
                           backend->ops->name, recon, naik_precision_name(precision));
        goto done;
    }
    NAIK_TRY(measure_scale(source->fat, &links->scale[0]));
    NAIK_TRY(measure_scale(source->long_links, &links->scale[1]));
    NAIK_TRY(naik_comm_agree(
        backend->comm, backend->ops->alloc(backend, links->size_bytes, "the links", &links->data)));
    NAIK_TRY(fetch_layers(source->fat, 1, &behind[0]));
    if (source->long_links != NULL) {
        NAIK_TRY(fetch_layers(source->long_links, NAIK_HALO_DEPTH, &behind[1]));
    }
    NAIK_TRY(naik_comm_agree(backend->comm, pack_all(links, source, behind)));
    status = backend->ops->sum_words(backend, links->data, links->size_bytes, links->sums);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    *out = links;
done:
    release_layers(&behind[0]);
    release_layers(&behind[1]);
    if (status != NAIK_OK) {
        naik_links_destroy(&links);
    }
    return status;
}

naik_status naik_links_verify(const naik_links *links, int *rank)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = links->geometry->backend;
    uint64_t now[2];
    status = backend->ops->sum_words(backend, links->data, links->size_bytes, now);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    const bool same = now[0] == links->sums[0] && now[1] == links->sums[1];
    double first = same ? backend->comm->size : backend->comm->rank;
    NAIK_TRY(naik_comm_min_f64(backend->comm, &first, 1));
    *rank = first < backend->comm->size ? (int)first : -1;
done:
    return status;
}

void naik_links_destroy(naik_links **links)
{
    if (*links == NULL) {
        return;
    }
    naik_backend *backend = (*links)->geometry->backend;
    backend->ops->release(backend, (*links)->data);
    free(*links);
    *links = NULL;
}
