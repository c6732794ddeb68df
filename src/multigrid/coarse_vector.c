/* coarse_vector.c - memory with a shape, and messages of whole coarse sites
 *
 * The sites of a zone lie in one piece behind those of the box. All faces of a vector travel together, on the
 * paths of the backend's route.
 */
#include "multigrid/coarse_vector.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "comm/collective.h"
#include "comm/new.h"

static int32_t sites_of(const naik_aggregates *a)
{
    const int32_t even = a->count[0] + a->halo[0], odd = a->count[1] + a->halo[1];
    return even > odd ? even : odd;
}

size_t naik_coarse_bytes(const naik_aggregates *aggregates, int components, int capacity)
{
    return (size_t)sites_of(aggregates) *
           naik_multigrid_of(aggregates->geometry)->site_bytes(components, capacity);
}

static naik_status allocate(naik_coarse *v, size_t bytes)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(v->aggregates->geometry);
    NAIK_PASS(
        naik_backend_alloc(v->aggregates->geometry->backend, bytes, "a coarse vector", &v->data));
    if (ops->coarse_clear != NULL) { /* else it is zero */
        NAIK_PASS(ops->coarse_clear(v, bytes));
    }
    return NAIK_OK;
}

naik_status naik_coarse_create(const naik_aggregates *aggregates, int components, int capacity,
                               naik_coarse **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = aggregates->geometry->backend;
    naik_coarse *v = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(backend->comm, sizeof *v, "a coarse vector", (void **)&v));
    *v = (naik_coarse){
        .aggregates = aggregates,
        .components = components,
        .nrhs = capacity,
        .capacity = capacity,
        .site_bytes = naik_multigrid_of(aggregates->geometry)->site_bytes(components, capacity)};
    NAIK_TRY(naik_comm_agree(backend->comm,
                             allocate(v, naik_coarse_bytes(aggregates, components, capacity))));
    *out = v;
    v = NULL;
done:
    naik_coarse_destroy(&v);
    return status;
}

void naik_coarse_destroy(naik_coarse **v)
{
    if (*v != NULL) {
        naik_backend_release((*v)->aggregates->geometry->backend, (*v)->data);
        free(*v);
        *v = NULL;
    }
}

double naik_coarse_scale(double size)
{
    int exponent;
    if (!(size > 0) || !(size < 1e300)) {
        return 0;
    }
    (void)frexp(size, &exponent);
    return ldexp(1, 60 - exponent);
}

naik_status naik_coarse_sums_take(naik_backend *backend, const int64_t *products, int64_t *sums,
                                  int numbers, const double *scale, double *out)
{
    NAIK_PASS(naik_backend_download(backend, sums, products, (size_t)numbers * 2 * sizeof *sums));
    NAIK_PASS(naik_comm_sum_i64(backend->comm, sums, 2 * numbers));
    for (int i = 0; i < numbers; i++) {
        const double unit = scale[i] > 0 ? 1 / scale[i] : 0;
        out[2 * i] = unit * (double)sums[2 * i];
        out[2 * i + 1] = unit * (double)sums[2 * i + 1];
    }
    return NAIK_OK;
}

naik_status naik_coarse_set(naik_coarse *to, naik_parity parity, const naik_coarse *a,
                            const naik_coarse *b)
{
    const naik_coarse *const from[2] = {a, b};
    double zero[NAIK_MG_WIDTH] = {0}, ones[2 * NAIK_MG_WIDTH][2] = {{0}};
    for (int i = 0; i < 2 * NAIK_MG_WIDTH; i++) {
        ones[i][0] = 1;
    }
    return naik_multigrid_of(to->aggregates->geometry)
        ->update(to, parity, zero, from, b != NULL ? 2 : 1, &ones[0][0]);
}

/* Faces of neighbours whose memory this rank writes to travel by its packing kernel; a message of 0 bytes says that
 * they have come. The others are messages. What lies in an inbox has two halves, used in turns: who writes one again
 * has heard, in the exchange between, that its reader had copied what was there. */
struct naik_coarse_halo {
    const naik_aggregates *aggregates;
    size_t site_bytes;
    size_t at[NAIK_DIM][2], total; /* of the zone that a face fills, in a half; of all */
    size_t begin, end;             /* of the zones that messages fill */
    int turn;
    naik_inbox inbox;     /* [2][total]; all zero: there is none */
    char *packed;         /* backend memory [total], for messages; NULL: there are none */
    char *send, *receive; /* host memory, the same, where messages go by way of it */
};

enum { COARSE_FACE_UNIT = 256 };

/* Sites of a face, of the parity that has more. */
static int32_t face_sites(const naik_aggregates *a, int mu, int side)
{
    const int32_t even = a->sends[0][mu][side], odd = a->sends[1][mu][side];
    return even > odd ? even : odd;
}

static const naik_lattice *lattice_of(const naik_aggregates *a)
{
    return a->geometry->lattice;
}

static size_t zone_bytes(const naik_aggregates *a, size_t site_bytes, int mu, int zone)
{
    const size_t bytes =
        lattice_of(a)->split[mu] ? (size_t)face_sites(a, mu, !zone) * site_bytes : 0;
    return (bytes + COARSE_FACE_UNIT - 1) / COARSE_FACE_UNIT * COARSE_FACE_UNIT;
}

/* Where the zones of split directions begin; returns the bytes of all, which are the same on every rank. */
static size_t lay_out(const naik_aggregates *a, size_t site_bytes, size_t at[NAIK_DIM][2])
{
    size_t total = 0;
    for (int face = 0; face < 2 * NAIK_DIM; face++) {
        at[face / 2][face % 2] = total;
        total += zone_bytes(a, site_bytes, face / 2, face % 2);
    }
    return total;
}

static bool is_direct(const naik_aggregates *a, int mu, int side)
{
    const naik_route *route = &a->geometry->backend->route;
    return lattice_of(a)->split[mu] && route->peer &&
           route->near[lattice_of(a)->neighbour_rank[mu][side]];
}

size_t naik_coarse_halo_bytes(const naik_aggregates *aggregates, int components, int capacity)
{
    size_t at[NAIK_DIM][2];
    const naik_route *route = &aggregates->geometry->backend->route;
    const size_t total = lay_out(
        aggregates, naik_multigrid_of(aggregates->geometry)->site_bytes(components, capacity), at);
    return (route->peer ? 2 * total : 0) + (route->single_node ? 0 : total);
}

/* Of one face, as a message. Local. */
static naik_status check_message(const naik_coarse_halo *h, size_t bytes)
{
    char size[NAIK_TEXT_SIZE];
    if (bytes <= INT_MAX) {
        return NAIK_OK;
    }
    naik_text_print_size((double)bytes, size);
    return NAIK_FAIL(h->aggregates->geometry->backend->log, NAIK_ERR_ARG,
                     "a coarse face of %s is larger than a message of MPI, which has less than "
                     "2 GiB: fewer vectors or larger aggregates make the face smaller",
                     size);
}

static naik_status make_buffers(naik_coarse_halo *h)
{
    naik_backend *backend = h->aggregates->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    static const char what[] = "coarse messages";
    h->begin = h->total;
    for (int face = 0; face < 2 * NAIK_DIM; face++) { /* zones lie in the order of faces */
        const int mu = face / 2, zone = face % 2;
        if (lattice_of(h->aggregates)->split[mu] && !is_direct(h->aggregates, mu, !zone)) {
            const size_t bytes = zone_bytes(h->aggregates, h->site_bytes, mu, zone);
            NAIK_PASS(check_message(h, bytes));
            h->begin = h->at[mu][zone] < h->begin ? h->at[mu][zone] : h->begin;
            h->end = h->at[mu][zone] + bytes;
        }
    }
    const bool messages = h->end > h->begin;
    if (messages) {
        NAIK_PASS(naik_backend_alloc(backend, h->total, what, (void **)&h->packed));
    }
    if (messages && !ops->host_memory && !backend->route.device) {
        NAIK_PASS(ops->memory.alloc_host(&backend->device, h->total, what, (void **)&h->send));
        NAIK_PASS(ops->memory.alloc_host(&backend->device, h->total, what, (void **)&h->receive));
    }
    return NAIK_OK;
}

static naik_status open_inbox(naik_coarse_halo *h)
{
    const naik_geometry *geometry = h->aggregates->geometry;
    bool faces[NAIK_DIM][2];
    if (!geometry->backend->route.peer || h->total == 0) {
        return NAIK_OK;
    }
    for (int face = 0; face < 2 * NAIK_DIM; face++) {
        faces[face / 2][face % 2] = is_direct(h->aggregates, face / 2, face % 2);
    }
    return geometry->backend->ops->halo.peer->inbox_open(geometry, faces, 2 * h->total, &h->inbox);
}

naik_status naik_coarse_halo_create(const naik_aggregates *aggregates, int components, int capacity,
                                    naik_coarse_halo **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = aggregates->geometry->backend;
    naik_coarse_halo *h = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(backend->comm, sizeof *h, "coarse messages", (void **)&h));
    h->aggregates = aggregates;
    h->site_bytes = naik_multigrid_of(aggregates->geometry)->site_bytes(components, capacity);
    h->total = lay_out(aggregates, h->site_bytes, h->at);
    NAIK_TRY(naik_comm_agree(backend->comm, make_buffers(h)));
    NAIK_TRY(open_inbox(h));
    *out = h;
    h = NULL;
done:
    naik_coarse_halo_destroy(&h);
    return status;
}

static void release_buffers(naik_coarse_halo *h)
{
    naik_backend *backend = h->aggregates->geometry->backend;
    const naik_backend_ops *ops = backend->ops;
    if (h->inbox.memory != NULL) {
        ops->halo.peer->inbox_close(backend, &h->inbox);
    }
    if (h->packed != NULL) {
        naik_backend_release(backend, h->packed);
    }
    if (h->send != NULL || h->receive != NULL) {
        ops->memory.release_host(&backend->device, h->send);
        ops->memory.release_host(&backend->device, h->receive);
    }
}

void naik_coarse_halo_destroy(naik_coarse_halo **halo)
{
    naik_coarse_halo *h = *halo;
    if (h == NULL) {
        return;
    }
    if (h->aggregates != NULL) { /* else another rank had no memory */
        release_buffers(h);
    }
    free(h);
    *halo = NULL;
}

/* Every face to where it travels from: a neighbour's inbox, or the packed messages. */
static naik_status pack(naik_coarse_halo *h, const naik_coarse *v, naik_parity parity)
{
    const naik_aggregates *a = h->aggregates;
    naik_backend *backend = a->geometry->backend;
    for (int face = 0; face < 2 * NAIK_DIM; face++) {
        const int mu = face / 2, side = face % 2;
        if (lattice_of(a)->split[mu]) {
            char *to = is_direct(a, mu, side)
                           ? h->inbox.theirs[mu][side] + (size_t)h->turn * h->total
                           : h->packed;
            NAIK_PASS(naik_multigrid_of(a->geometry)
                          ->pack(v, a, parity, mu, side, to + h->at[mu][!side]));
        }
    }
    if (h->send != NULL) {
        NAIK_PASS(naik_backend_download(backend, h->send + h->begin, h->packed + h->begin,
                                        h->end - h->begin));
    } else {
        NAIK_PASS(naik_backend_sync(backend));
    }
    return NAIK_OK;
}

static char *zone_of(const naik_coarse *v, naik_parity parity, int mu, int side)
{
    const naik_aggregates *a = v->aggregates;
    return (char *)v->data + (size_t)(a->count[parity] + a->zone[parity][mu][side]) * v->site_bytes;
}

/* A message is tagged by the zone that it fills. */
static naik_status travel(const naik_coarse_halo *h, const naik_coarse *v, naik_parity parity)
{
    const naik_aggregates *a = h->aggregates;
    const naik_lattice *lat = lattice_of(a);
    naik_comm_message messages[2 * NAIK_DIM];
    int count = 0;
    for (int face = 0; face < 2 * NAIK_DIM; face++) {
        const int mu = face / 2, side = face % 2;
        const size_t there = is_direct(a, mu, side) ? 0 : v->site_bytes;
        if (lat->split[mu]) {
            messages[count++] = (naik_comm_message){
                .rank = lat->neighbour_rank[mu][side],
                .out_tag = 2 * mu + !side,
                .in_tag = 2 * mu + side,
                .out =
                    there == 0 ? NULL : (h->send != NULL ? h->send : h->packed) + h->at[mu][!side],
                .in = there == 0           ? NULL
                      : h->receive != NULL ? h->receive + h->at[mu][side]
                                           : zone_of(v, parity, mu, side),
                .out_bytes = (size_t)a->sends[parity][mu][side] * there,
                .in_bytes = (size_t)a->face[parity][mu][side] * there};
        }
    }
    return naik_comm_exchange_all(a->geometry->backend->comm, messages, count,
                                  &lat->neighbour_rank[0][0], 2 * NAIK_DIM);
}

/* What does not lie in the halo zones yet. */
static naik_status unpack(naik_coarse_halo *h, naik_coarse *v, naik_parity parity)
{
    const naik_aggregates *a = h->aggregates;
    naik_backend *backend = a->geometry->backend;
    for (int face = 0; face < 2 * NAIK_DIM; face++) {
        const int mu = face / 2, side = face % 2;
        const size_t bytes = (size_t)a->face[parity][mu][side] * v->site_bytes;
        if (!lattice_of(a)->split[mu] || bytes == 0) {
            continue;
        }
        if (is_direct(a, mu, side)) {
            NAIK_PASS(backend->ops->halo.peer->copy(
                backend, zone_of(v, parity, mu, side),
                h->inbox.memory + (size_t)h->turn * h->total + h->at[mu][side], bytes));
        } else if (h->receive != NULL) {
            NAIK_PASS(naik_backend_upload(backend, zone_of(v, parity, mu, side),
                                          h->receive + h->at[mu][side], bytes));
        }
    }
    h->turn = !h->turn;
    return NAIK_OK;
}

naik_status naik_coarse_exchange(naik_coarse_halo *h, naik_coarse *v, naik_parity parity)
{
    if (v->site_bytes > h->site_bytes) { /* faces would run into each other */
        return NAIK_FAIL(h->aggregates->geometry->backend->log, NAIK_ERR_ARG,
                         "a coarse vector of %zu bytes a site has no room in a halo for %zu",
                         v->site_bytes, h->site_bytes);
    }
    if (h->total > 0) {
        NAIK_PASS(pack(h, v, parity));
        NAIK_PASS(travel(h, v, parity));
        NAIK_PASS(unpack(h, v, parity));
    }
    return NAIK_OK;
}
