/* ghosted.c - memory and face exchange of ghosted fields
 *
 * Whole lines of x travel for y, z and t, columns for x. A line carries its own two ghost sites
 * along, so corners come for free when x goes first and every later direction sends the lines that
 * the earlier ones have filled.
 */
#include "links/ghosted.h"

#include <string.h>

#include "base/memory.h"
#include "comm/collective.h"
#include "links/link_ops.h"

/* What follows from box and pad. */
static void measure(naik_ghosted_plan *plan)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        plan->extent[mu] = plan->box[mu] + 2 * plan->pad[mu];
    }
    plan->line =
        plan->device != NULL ? plan->extent[0] : naik_rows_for(plan->extent[0]) * NAIK_ROW_SITES;
    plan->lines = (int64_t)plan->extent[1] * plan->extent[2] * plan->extent[3];
    plan->chunks =
        (int64_t)naik_rows_for(plan->box[0]) * plan->box[1] * plan->box[2] * plan->box[3];
}

static int64_t largest_face(const naik_ghosted_plan *plan)
{
    int64_t largest = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const int64_t matrices =
            mu == 0 ? plan->lines : plan->lines / plan->extent[mu] * plan->line;
        largest = plan->pad[mu] > 0 && matrices > largest ? matrices : largest;
    }
    return largest;
}

naik_ghosted_plan naik_ghosted_plan_of(const naik_lattice *lattice, naik_device *device)
{
    naik_ghosted_plan plan = {.lattice = lattice, .device = device};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        plan.box[mu] = lattice->local[mu];
        plan.pad[mu] = lattice->split[mu] ? 1 : 0;
    }
    measure(&plan);
    return plan;
}

naik_status naik_ghosted_plan_init(const naik_lattice *lattice, naik_device *device,
                                   naik_ghosted_plan *plan)
{
    naik_status status = NAIK_OK;
    naik_log *log = lattice->comm->log;
    *plan = naik_ghosted_plan_of(lattice, device);
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

void naik_ghosted_plan_clear(naik_ghosted_plan *plan)
{
    naik_free(plan->send);
    naik_free(plan->receive);
    naik_device_free(plan->device, plan->face);
    memset(plan, 0, sizeof *plan);
}

naik_ghosted_plan naik_ghosted_slab(const naik_ghosted_plan *whole, int mu, int from, int thickness)
{
    naik_ghosted_plan slab = *whole;
    slab.origin[mu] = from;
    slab.box[mu] = thickness;
    slab.pad[mu] = 0;
    measure(&slab);
    return slab;
}

size_t naik_ghosted_numbers(const naik_ghosted_plan *plan)
{
    const size_t align = 256 / sizeof(double); /* a device reads whole lines of memory */
    const size_t numbers = (size_t)plan->lines * (size_t)plan->line * NAIK_ROW_REALS;
    return (numbers + align - 1) / align * align;
}

naik_status naik_ghosted_init(const naik_ghosted_plan *plan, int count, naik_ghosted *ghosted)
{
    naik_comm *comm = plan->lattice->comm;
    const size_t numbers = naik_ghosted_numbers(plan);
    void *memory = NULL;
    const naik_status status =
        naik_device_alloc(plan->device, comm->log, (size_t)count * numbers * sizeof(double),
                          "links with their neighbours", &memory);
    for (int i = 0; i < count; i++) {
        ghosted[i].plan = plan;
        ghosted[i].data = memory != NULL ? (double *)memory + (size_t)i * numbers : NULL;
    }
    return naik_comm_agree(comm, status);
}

void naik_ghosted_clear(int count, naik_ghosted *ghosted)
{
    if (ghosted[0].data != NULL) {
        naik_device_free(ghosted[0].plan->device, ghosted[0].data);
    }
    for (int i = 0; i < count; i++) {
        ghosted[i].data = NULL;
    }
}

/* The layer's sites have coordinates from..to-1, in x whole lines unless mu is x; from the field to
 * message, or back. */
static naik_status copy_layer(naik_ghosted *ghosted, int mu, const int from[NAIK_DIM],
                              const int to[NAIK_DIM], size_t bytes, bool pack, double *message)
{
    naik_device *device = ghosted->plan->device;
    const naik_link_ops *ops = naik_link_ops_of(device);
    double *face = device != NULL ? ghosted->plan->face : message;
    if (device != NULL && !pack) {
        NAIK_PASS(device->memory->upload(device, face, message, bytes));
    }
    NAIK_PASS(ops->ghosted_layer(ghosted, mu, from, to, pack, face));
    if (device != NULL && pack) {
        NAIK_PASS(device->memory->download(device, message, face, bytes));
    }
    return NAIK_OK;
}

/* filled[nu]: the ghost sites in direction nu are already filled and travel along. */
static naik_status exchange(naik_ghosted *ghosted, int mu, const bool filled[NAIK_DIM])
{
    const naik_ghosted_plan *plan = ghosted->plan;
    const naik_lattice *lat = plan->lattice;
    if (!lat->split[mu]) {
        return NAIK_OK;
    }
    int from[NAIK_DIM], to[NAIK_DIM];
    size_t matrices = (size_t)(mu == 0 ? 1 : plan->line);
    for (int nu = 0; nu < NAIK_DIM; nu++) {
        int pad = filled[nu] ? plan->pad[nu] : 0;
        from[nu] = -pad;
        to[nu] = lat->local[nu] + pad;
        matrices *= nu == mu || nu == 0 ? 1 : (size_t)(to[nu] - from[nu]);
    }
    const size_t bytes = matrices * NAIK_ROW_REALS * sizeof(double);
    for (int side = NAIK_FORWARD; side <= NAIK_BACKWARD; side++) {
        /* Forward ghost sites are that neighbour's first layer, backward ones its last. */
        const int sent = side == NAIK_FORWARD ? 0 : lat->local[mu] - 1;
        const int arriving = side == NAIK_FORWARD ? lat->local[mu] : -1;
        const int opposite = side == NAIK_FORWARD ? NAIK_BACKWARD : NAIK_FORWARD;
        from[mu] = sent;
        to[mu] = sent + 1;
        NAIK_PASS(copy_layer(ghosted, mu, from, to, bytes, true, plan->send));
        NAIK_PASS(naik_comm_exchange(lat->comm, lat->neighbour_rank[mu][opposite], plan->send,
                                     lat->neighbour_rank[mu][side], plan->receive, bytes));
        from[mu] = arriving;
        to[mu] = arriving + 1;
        NAIK_PASS(copy_layer(ghosted, mu, from, to, bytes, false, plan->receive));
    }
    return NAIK_OK;
}

naik_status naik_ghosted_exchange(naik_ghosted *ghosted, int mu)
{
    static const bool none[NAIK_DIM] = {false, false, false, false};
    return exchange(ghosted, mu, none);
}

naik_status naik_ghosted_exchange_all(naik_ghosted *ghosted)
{
    bool filled[NAIK_DIM] = {false, false, false, false};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_PASS(exchange(ghosted, mu, filled));
        filled[mu] = true;
    }
    return NAIK_OK;
}

naik_status naik_ghosted_from_gauge(const naik_gauge *gauge, int mu, naik_ghosted *ghosted)
{
    return naik_link_ops_of(ghosted->plan->device)->ghosted_fill(gauge, mu, ghosted);
}
