/* coarse_vector.c - memory with a shape, and messages of whole coarse sites
 *
 * The sites of a zone lie in one piece behind those of the box. Messages go by way of the host, one face after
 * the other: they are small.
 */
#include "multigrid/coarse_vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"

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
    naik_status status = NAIK_OK;
    const naik_multigrid_ops *ops = naik_multigrid_of(v->aggregates->geometry);
    NAIK_TRY(
        naik_backend_alloc(v->aggregates->geometry->backend, bytes, "a coarse vector", &v->data));
    if (ops->coarse_clear != NULL) {
        NAIK_TRY(ops->coarse_clear(v, bytes));
    } else {
        memset(v->data, 0, bytes);
    }
done:
    return status;
}

naik_status naik_coarse_create(const naik_aggregates *aggregates, int components, int capacity,
                               naik_coarse **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = aggregates->geometry->backend;
    naik_coarse *v = NULL;
    *out = NULL;
    status = naik_alloc(backend->log, sizeof *v, "a coarse vector", (void **)&v);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
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
        naik_free(*v);
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
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_backend_download(backend, sums, products, (size_t)numbers * 2 * sizeof *sums));
    NAIK_TRY(naik_comm_sum_i64(backend->comm, sums, 2 * numbers));
    for (int i = 0; i < numbers; i++) {
        const double unit = scale[i] > 0 ? 1 / scale[i] : 0;
        out[2 * i] = unit * (double)sums[2 * i];
        out[2 * i + 1] = unit * (double)sums[2 * i + 1];
    }
done:
    return status;
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

struct naik_coarse_halo {
    const naik_aggregates *aggregates;
    size_t site_bytes;
    char *packed;         /* backend memory: the largest face */
    char *send, *receive; /* host memory: the same */
};

/* Sites of a face, of the parity that has more: what travels, so that both sides of it agree. */
static int32_t face_sites(const naik_aggregates *a, int mu, int side)
{
    const int32_t even = a->sends[0][mu][side], odd = a->sends[1][mu][side];
    return even > odd ? even : odd;
}

static size_t largest_face(const naik_aggregates *a, size_t site_bytes)
{
    size_t most = 0;
    for (int face = 0; face < 2 * NAIK_DIM; face++) {
        const size_t bytes = (size_t)face_sites(a, face / 2, face % 2) * site_bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

size_t naik_coarse_halo_bytes(const naik_aggregates *aggregates, int components, int capacity)
{
    return largest_face(aggregates,
                        naik_multigrid_of(aggregates->geometry)->site_bytes(components, capacity));
}

static naik_status make_buffers(naik_coarse_halo *h)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = h->aggregates->geometry->backend;
    const size_t most = largest_face(h->aggregates, h->site_bytes);
    if (most > 0) {
        NAIK_TRY(naik_backend_alloc(backend, most, "coarse messages", (void **)&h->packed));
        NAIK_TRY(naik_alloc(backend->log, most, "coarse messages", (void **)&h->send));
        NAIK_TRY(naik_alloc(backend->log, most, "coarse messages", (void **)&h->receive));
    }
done:
    return status;
}

naik_status naik_coarse_halo_create(const naik_aggregates *aggregates, int components, int capacity,
                                    naik_coarse_halo **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = aggregates->geometry->backend;
    naik_coarse_halo *h = NULL;
    *out = NULL;
    status = naik_alloc(backend->log, sizeof *h, "coarse messages", (void **)&h);
    NAIK_TRY(naik_comm_agree(backend->comm, status));
    h->aggregates = aggregates;
    h->site_bytes = naik_multigrid_of(aggregates->geometry)->site_bytes(components, capacity);
    NAIK_TRY(naik_comm_agree(backend->comm, make_buffers(h)));
    *out = h;
    h = NULL;
done:
    naik_coarse_halo_destroy(&h);
    return status;
}

void naik_coarse_halo_destroy(naik_coarse_halo **halo)
{
    naik_coarse_halo *h = *halo;
    if (h != NULL) {
        if (h->packed != NULL) {
            naik_backend_release(h->aggregates->geometry->backend, h->packed);
        }
        naik_free(h->send);
        naik_free(h->receive);
        naik_free(h);
        *halo = NULL;
    }
}

/* The face on one side goes there, and the zone on the other is filled. */
static naik_status pass(naik_coarse_halo *h, naik_coarse *v, naik_parity parity, int mu, int side)
{
    naik_status status = NAIK_OK;
    const naik_aggregates *a = h->aggregates;
    const naik_lattice *lat = a->geometry->lattice;
    naik_backend *backend = a->geometry->backend;
    const int zone = !side;
    const size_t to = (size_t)(a->count[parity] + a->zone[parity][mu][zone]) * v->site_bytes;
    NAIK_TRY(naik_multigrid_of(a->geometry)->pack(v, a, parity, mu, side, h->packed));
    NAIK_TRY(naik_backend_download(backend, h->send, h->packed,
                                   (size_t)a->sends[parity][mu][side] * v->site_bytes));
    NAIK_TRY(naik_comm_exchange(backend->comm, lat->neighbour_rank[mu][side], h->send,
                                lat->neighbour_rank[mu][zone], h->receive,
                                (size_t)face_sites(a, mu, side) * v->site_bytes));
    NAIK_TRY(naik_backend_upload(backend, (char *)v->data + to, h->receive,
                                 (size_t)a->face[parity][mu][zone] * v->site_bytes));
done:
    return status;
}

naik_status naik_coarse_exchange(naik_coarse_halo *h, naik_coarse *v, naik_parity parity)
{
    naik_status status = NAIK_OK;
    for (int face = 0; face < 2 * NAIK_DIM; face++) {
        if (h->aggregates->geometry->lattice->split[face / 2]) {
            NAIK_TRY(pass(h, v, parity, face / 2, face % 2));
        }
    }
done:
    return status;
}
