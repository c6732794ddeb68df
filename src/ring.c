/* ring.c - index arithmetic and face exchange of rings
 *
 * Whole rows of x travel for y, z and t, columns for x. A row carries its own two ring sites along,
 * so corners come for free when x goes first and every later direction sends the rows that the
 * earlier ones have filled.
 */
#include "naik/ring.h"

#include <string.h>

#include "naik/link_ops.h"
#include "naik/memory.h"

static int64_t row_number(const naik_ring_plan *plan, int y, int z, int t)
{
    const int *e = plan->extent, *p = plan->pad;
    return (((int64_t)(t + p[3]) * e[2] + z + p[2]) * e[1]) + y + p[1];
}

double *naik_ring_at(const naik_ring *ring, const int x[NAIK_DIM])
{
    const naik_ring_plan *plan = ring->plan;
    int64_t row = row_number(plan, x[1], x[2], x[3]);
    return ring->data + row * NAIK_ROW_REALS * plan->extent[0] + plan->pad[0] + x[0];
}

static int64_t largest_face(const naik_ring_plan *plan)
{
    int64_t largest = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        int64_t matrices = plan->rows * plan->extent[0] / plan->extent[mu];
        largest = plan->pad[mu] > 0 && matrices > largest ? matrices : largest;
    }
    return largest;
}

naik_status naik_ring_plan_init(const naik_lattice *lattice, naik_backend *device,
                                naik_ring_plan *plan)
{
    naik_status status = NAIK_OK;
    naik_log *log = lattice->comm->log;
    memset(plan, 0, sizeof *plan);
    plan->lattice = lattice;
    plan->device = device;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        plan->pad[mu] = lattice->split[mu] ? 1 : 0;
        plan->extent[mu] = lattice->local[mu] + 2 * plan->pad[mu];
    }
    plan->rows = (int64_t)plan->extent[1] * plan->extent[2] * plan->extent[3];
    plan->chunks = (int64_t)lattice->sites / lattice->local[0] *
                   ((lattice->local[0] + NAIK_ROW_SITES - 1) / NAIK_ROW_SITES);
    const size_t face_bytes = (size_t)largest_face(plan) * NAIK_ROW_REALS * sizeof(double);
    status = naik_alloc(log, face_bytes, "a face of links to send", (void **)&plan->send);
    if (status == NAIK_OK) {
        status = naik_alloc(log, face_bytes, "a face of links to receive", (void **)&plan->receive);
    }
    if (status == NAIK_OK && device != NULL && face_bytes > 0) {
        status =
            naik_device_alloc(device, log, face_bytes, "a face of links", (void **)&plan->face);
    }
    return naik_comm_agree(lattice->comm, status);
}

void naik_ring_plan_clear(naik_ring_plan *plan)
{
    naik_free(plan->send);
    naik_free(plan->receive);
    naik_device_free(plan->device, plan->face);
    memset(plan, 0, sizeof *plan);
}

naik_status naik_rings_init(const naik_ring_plan *plan, int count, naik_ring *rings)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = plan->lattice->comm;
    const size_t size_bytes =
        (size_t)plan->rows * (size_t)plan->extent[0] * NAIK_ROW_REALS * sizeof(double);
    for (int i = 0; i < count; i++) {
        rings[i] = (naik_ring){plan, NULL};
    }
    for (int i = 0; i < count && status == NAIK_OK; i++) {
        status = naik_device_alloc(plan->device, comm->log, size_bytes,
                                   "links of one direction with their neighbours",
                                   (void **)&rings[i].data);
    }
    return naik_comm_agree(comm, status);
}

void naik_rings_clear(int count, naik_ring *rings)
{
    for (int i = 0; i < count; i++) {
        if (rings[i].data != NULL) {
            naik_device_free(rings[i].plan->device, rings[i].data);
        }
        rings[i].data = NULL;
    }
}

/* The layer's sites have coordinates from..to-1, in x whole rows unless mu is x; from ring to
 * message, or back. */
static naik_status copy_layer(naik_ring *ring, int mu, const int from[NAIK_DIM],
                              const int to[NAIK_DIM], size_t bytes, bool pack, double *message)
{
    naik_status status = NAIK_OK;
    naik_backend *device = ring->plan->device;
    const naik_link_ops *ops = naik_link_ops_of(device);
    double *face = device != NULL ? ring->plan->face : message;
    if (device != NULL && !pack) {
        NAIK_TRY(device->ops->upload(device, face, message, bytes));
    }
    NAIK_TRY(ops->ring_layer(ring, mu, from, to, pack, face));
    if (device != NULL && pack) {
        NAIK_TRY(device->ops->download(device, message, face, bytes));
    }
done:
    return status;
}

/* filled[nu]: the ring is already filled in direction nu and travels along. */
static naik_status exchange(naik_ring *ring, int mu, const bool filled[NAIK_DIM])
{
    const naik_ring_plan *plan = ring->plan;
    const naik_lattice *lat = plan->lattice;
    if (!lat->split[mu]) {
        return NAIK_OK;
    }
    naik_status status = NAIK_OK;
    int from[NAIK_DIM], to[NAIK_DIM];
    size_t matrices = (size_t)(mu == 0 ? 1 : plan->extent[0]);
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        int pad = filled[nu] ? plan->pad[nu] : 0;
        from[nu] = -pad;
        to[nu] = lat->local[nu] + pad;
        matrices *= nu == mu || nu == 0 ? 1 : (size_t)(to[nu] - from[nu]);
    }
    const size_t bytes = matrices * NAIK_ROW_REALS * sizeof(double);
    for (int side = NAIK_AHEAD; side <= NAIK_BEHIND; side++) {
        /* The ring ahead is the neighbour's first layer, the ring behind its last. */
        const int sent = side == NAIK_AHEAD ? 0 : lat->local[mu] - 1;
        const int arriving = side == NAIK_AHEAD ? lat->local[mu] : -1;
        const int opposite = side == NAIK_AHEAD ? NAIK_BEHIND : NAIK_AHEAD;
        from[mu] = sent;
        to[mu] = sent + 1;
        NAIK_TRY(copy_layer(ring, mu, from, to, bytes, true, plan->send));
        NAIK_TRY(naik_comm_exchange(lat->comm, lat->neighbour_rank[mu][opposite], plan->send,
                                    lat->neighbour_rank[mu][side], plan->receive, bytes));
        from[mu] = arriving;
        to[mu] = arriving + 1;
        NAIK_TRY(copy_layer(ring, mu, from, to, bytes, false, plan->receive));
    }
done:
    return status;
}

naik_status naik_ring_exchange(naik_ring *ring, int mu)
{
    static const bool none[NAIK_DIM] = {false, false, false, false};
    return exchange(ring, mu, none);
}

naik_status naik_ring_exchange_all(naik_ring *ring)
{
    naik_status status = NAIK_OK;
    bool filled[NAIK_DIM] = {false, false, false, false};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(exchange(ring, mu, filled));
        filled[mu] = true;
    }
done:
    return status;
}

int naik_ring_chunk(const naik_ring_plan *plan, int64_t chunk, int x[NAIK_DIM])
{
    const int *local = plan->lattice->local;
    const int pieces = (local[0] + NAIK_ROW_SITES - 1) / NAIK_ROW_SITES;
    x[0] = (int)(chunk % pieces) * NAIK_ROW_SITES;
    chunk /= pieces;
    for (int mu = 1; mu < NAIK_DIM; mu++) {
        x[mu] = (int)(chunk % local[mu]);
        chunk /= local[mu];
    }
    return local[0] - x[0] < NAIK_ROW_SITES ? local[0] - x[0] : NAIK_ROW_SITES;
}

naik_status naik_ring_from_gauge(const naik_gauge *gauge, int mu, naik_ring *ring)
{
    return naik_link_ops_of(ring->plan->device)->ring_fill(gauge, mu, ring);
}

naik_row naik_ring_row(const naik_ring *ring, const int x[NAIK_DIM], int mu, int step, int n,
                       naik_row_buffer *buffer)
{
    const naik_ring_plan *plan = ring->plan;
    const int *local = plan->lattice->local;
    const int64_t stride = plan->extent[0];
    int y[NAIK_DIM] = {x[0], x[1], x[2], x[3]};
    y[mu] += step;
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        if (plan->pad[nu] == 0 && y[nu] < 0) {
            y[nu] += local[nu];
        } else if (plan->pad[nu] == 0 && y[nu] >= local[nu]) {
            y[nu] -= local[nu];
        }
    }
    const double *at = naik_ring_at(ring, y);
    if (plan->pad[0] > 0 || y[0] + n <= local[0]) {
        return (naik_row){at, stride};
    }
    const int whole = local[0] - y[0]; /* sites before the row wraps */
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
        memcpy(buffer->at[k], at + k * stride, (size_t)whole * sizeof(double));
        memcpy(buffer->at[k] + whole, at + k * stride - y[0], (size_t)(n - whole) * sizeof(double));
    }
    return naik_row_of(buffer);
}

void naik_ring_put(naik_ring *ring, const int x[NAIK_DIM], int n, const naik_row_buffer *from)
{
    double *to = naik_ring_at(ring, x);
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
        memcpy(to + (int64_t)k * ring->plan->extent[0], from->at[k], (size_t)n * sizeof(double));
    }
}

void naik_gauge_put_row(naik_gauge *gauge, const int x[NAIK_DIM], int mu, int n,
                        const naik_row_buffer *from)
{
    naik_matrix *link = &gauge->link[(int64_t)naik_lattice_site(gauge->lattice, x) * NAIK_DIM + mu];
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < NAIK_ROW_REALS; k += 2) {
            link[(int64_t)i * NAIK_DIM].e[k / 6][k / 2 % 3] =
                (naik_complex){from->at[k][i], from->at[k + 1][i]};
        }
    }
}
