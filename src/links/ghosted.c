/* ghosted.c - index arithmetic and face exchange of ghosted fields
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

enum { ROW_NUMBERS = NAIK_ROW_SITES * NAIK_ROW_REALS };

static int64_t line_number(const naik_ghosted_plan *plan, const int x[NAIK_DIM])
{
    int64_t number = 0;
    for (int mu = NAIK_DIM - 1; mu > 0; mu--) {
        number = number * plan->extent[mu] + x[mu] - plan->origin[mu] + plan->pad[mu];
    }
    return number;
}

/* From component 0 of the first site of a line to that of site x, which may be beside the box. */
static int64_t number_in_line(const naik_ghosted_plan *plan, int x)
{
    const int length = plan->box[0];
    const bool split = plan->pad[0] > 0;
    const int position = x < 0         ? (split ? length + 1 : length - 1)
                         : x == length ? (split ? length : 0)
                                       : x;
    return (int64_t)(position / NAIK_ROW_SITES) * ROW_NUMBERS + position % NAIK_ROW_SITES;
}

double *naik_ghosted_at(const naik_ghosted *ghosted, const int x[NAIK_DIM])
{
    const naik_ghosted_plan *plan = ghosted->plan;
    return ghosted->data + line_number(plan, x) * plan->line * NAIK_ROW_REALS +
           number_in_line(plan, x[0] - plan->origin[0]);
}

static int rows_for(int sites)
{
    return (sites + NAIK_ROW_SITES - 1) / NAIK_ROW_SITES;
}

/* What follows from box and pad. */
static void measure(naik_ghosted_plan *plan)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        plan->extent[mu] = plan->box[mu] + 2 * plan->pad[mu];
    }
    plan->line =
        plan->device != NULL ? plan->extent[0] : rows_for(plan->extent[0]) * NAIK_ROW_SITES;
    plan->lines = (int64_t)plan->extent[1] * plan->extent[2] * plan->extent[3];
    plan->chunks = (int64_t)rows_for(plan->box[0]) * plan->box[1] * plan->box[2] * plan->box[3];
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
    naik_status status = NAIK_OK;
    naik_device *device = ghosted->plan->device;
    const naik_link_ops *ops = naik_link_ops_of(device);
    double *face = device != NULL ? ghosted->plan->face : message;
    if (device != NULL && !pack) {
        NAIK_TRY(device->memory->upload(device, face, message, bytes));
    }
    NAIK_TRY(ops->ghosted_layer(ghosted, mu, from, to, pack, face));
    if (device != NULL && pack) {
        NAIK_TRY(device->memory->download(device, message, face, bytes));
    }
done:
    return status;
}

/* filled[nu]: the ghost sites in direction nu are already filled and travel along. */
static naik_status exchange(naik_ghosted *ghosted, int mu, const bool filled[NAIK_DIM])
{
    const naik_ghosted_plan *plan = ghosted->plan;
    const naik_lattice *lat = plan->lattice;
    if (!lat->split[mu]) {
        return NAIK_OK;
    }
    naik_status status = NAIK_OK;
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
        NAIK_TRY(copy_layer(ghosted, mu, from, to, bytes, true, plan->send));
        NAIK_TRY(naik_comm_exchange(lat->comm, lat->neighbour_rank[mu][opposite], plan->send,
                                    lat->neighbour_rank[mu][side], plan->receive, bytes));
        from[mu] = arriving;
        to[mu] = arriving + 1;
        NAIK_TRY(copy_layer(ghosted, mu, from, to, bytes, false, plan->receive));
    }
done:
    return status;
}

naik_status naik_ghosted_exchange(naik_ghosted *ghosted, int mu)
{
    static const bool none[NAIK_DIM] = {false, false, false, false};
    return exchange(ghosted, mu, none);
}

naik_status naik_ghosted_exchange_all(naik_ghosted *ghosted)
{
    naik_status status = NAIK_OK;
    bool filled[NAIK_DIM] = {false, false, false, false};
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(exchange(ghosted, mu, filled));
        filled[mu] = true;
    }
done:
    return status;
}

naik_ghosted_place naik_ghosted_place_at(const naik_ghosted_plan *plan, const int x[NAIK_DIM])
{
    const int along = x[0] - plan->origin[0], rest = plan->box[0] - along;
    const int in_line = plan->line / NAIK_ROW_SITES, first = along / NAIK_ROW_SITES;
    naik_ghosted_place place = {.x = {x[0], x[1], x[2], x[3]},
                                .n = rest < NAIK_ROW_SITES ? rest : NAIK_ROW_SITES,
                                .here = line_number(plan, x) * in_line + first};
    place.forward[0] = number_in_line(plan, along + place.n) - (int64_t)first * ROW_NUMBERS;
    place.backward[0] = number_in_line(plan, along - 1) - (int64_t)first * ROW_NUMBERS;
    int64_t step = in_line;
    for (int mu = 1; mu < NAIK_DIM; mu++) {
        const int last = plan->box[mu] - 1, at = x[mu] - plan->origin[mu];
        const bool wraps = plan->pad[mu] == 0;
        place.forward[mu] = wraps && at == last ? -step * last : step;
        place.backward[mu] = wraps && at == 0 ? step * last : -step;
        step *= plan->extent[mu];
    }
    return place;
}

naik_ghosted_place naik_ghosted_chunk(const naik_ghosted_plan *plan, int64_t chunk)
{
    const int rows = rows_for(plan->box[0]);
    int rest = (int)chunk; /* a box has less than 2^31 sites */
    int x[NAIK_DIM] = {plan->origin[0] + rest % rows * NAIK_ROW_SITES, 0, 0, 0};
    rest /= rows;
    for (int mu = 1; mu < NAIK_DIM; mu++) {
        x[mu] = plan->origin[mu] + rest % plan->box[mu];
        rest /= plan->box[mu];
    }
    return naik_ghosted_place_at(plan, x);
}

naik_status naik_ghosted_from_gauge(const naik_gauge *gauge, int mu, naik_ghosted *ghosted)
{
    return naik_link_ops_of(ghosted->plan->device)->ghosted_fill(gauge, mu, ghosted);
}

const naik_row *naik_ghosted_row(const naik_ghosted *ghosted, const naik_ghosted_place *place,
                                 int forward, int backward, naik_row *buffer)
{
    const naik_row *row = (const naik_row *)ghosted->data + place->here;
    row += (forward > 0 ? place->forward[forward] : 0) +
           (backward > 0 ? place->backward[backward] : 0);
    if (forward != 0 && backward != 0) {
        return row;
    }
    const double *numbers = &row->at[0][0];
    if (forward == 0) {
        naik_rows_shift(row, 1, place->n - 1, numbers + place->forward[0], buffer);
    } else {
        naik_rows_shift(row, -1, 0, numbers + place->backward[0], buffer);
    }
    return buffer;
}

void naik_ghosted_put(naik_ghosted *ghosted, const naik_ghosted_place *place, const naik_row *from)
{
    naik_row *to = (naik_row *)ghosted->data + place->here;
    if (place->n == NAIK_ROW_SITES) {
        *to = *from;
        return;
    }
    /* Neighbour sites may follow in the same row. */
    for (int k = 0; k < NAIK_ROW_REALS; k++) {
        memcpy(to->at[k], from->at[k], (size_t)place->n * sizeof(double));
    }
}

void naik_gauge_put_row(naik_gauge *gauge, const naik_ghosted_place *place, int mu,
                        const naik_row *from)
{
    const int64_t site = naik_lattice_site(gauge->lattice, place->x);
    naik_rows_to_links(from, place->n, &gauge->link[site * NAIK_DIM + mu], NAIK_DIM);
}
