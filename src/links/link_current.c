/* link_current.c - the conserved current of staggered quarks as an operator on a vector, on a device */
#include "links/link_current.h"

#include <math.h>
#include <stdlib.h>

#include "comm/new.h"
#include "links/link_ops.h"
#include "links/shift_ops.h"

enum { LENGTHS = 2, ALL = (1 << NAIK_DIM) - 1 };

struct link_current {
    const naik_lattice *lattice;
    naik_device *device;
    int mu;
    naik_gauge *one, *three; /* there; three may be NULL */
    naik_complex *weight;    /* there [LENGTHS][sites] */
};

static size_t weight_bytes(const naik_lattice *lattice)
{
    return LENGTHS * (size_t)lattice->sites * sizeof(naik_complex);
}

/* Whether there is room on every rank. */
static naik_status has_room(naik_device *device, const naik_lattice *lattice, size_t spare,
                            bool *room)
{
    double bytes = 0;
    const naik_status status = naik_room(lattice->comm, device, INFINITY, &bytes);
    const size_t links = LENGTHS * NAIK_DIM * sizeof(naik_matrix) * (size_t)lattice->sites;
    *room = (double)(links + weight_bytes(lattice) + spare) <= bytes;
    return status;
}

naik_status link_current_create(naik_device *device, const naik_lattice *lattice,
                                const naik_gauge *one, const naik_gauge *three, int mu,
                                size_t spare, link_current **out)
{
    naik_status status = NAIK_OK;
    bool room = false;
    *out = NULL;
    if (lattice->split[mu] || device->link_ops->shifts == NULL) {
        return NAIK_OK;
    }
    NAIK_TRY(has_room(device, lattice, spare, &room));
    if (!room) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_new(lattice->comm, sizeof **out, "a current", (void **)out));
    **out = (link_current){.lattice = lattice, .device = device, .mu = mu};
    status = naik_device_alloc(device, lattice->comm->log, weight_bytes(lattice),
                               "weights of a current", (void **)&(*out)->weight);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    NAIK_TRY(naik_gauge_bring(one, device, &(*out)->one));
    if (three != NULL) {
        NAIK_TRY(naik_gauge_bring(three, device, &(*out)->three));
    }
done:
    if (status != NAIK_OK) {
        link_current_destroy(out);
    }
    return status;
}

void link_current_destroy(link_current **current)
{
    link_current *c = *current;
    if (c != NULL) {
        naik_gauge_destroy(&c->one);
        naik_gauge_destroy(&c->three);
        naik_device_free(c->device, c->weight);
        free(c);
        *current = NULL;
    }
}

naik_status link_current_weigh(link_current *c, const naik_complex *weights)
{
    return c->device->memory->upload(c->device, c->weight, weights, weight_bytes(c->lattice));
}

naik_status link_current_apply(const link_current *c, bool sign, double *f, double *out)
{
    static const int nowhere[NAIK_DIM];
    const naik_shift_ops *ops = c->device->link_ops->shifts;
    const naik_link_current args = {.lattice = c->lattice,
                                    .mu = c->mu,
                                    .one = c->one->link,
                                    .three = c->three != NULL ? c->three->link : NULL,
                                    .weight = c->weight,
                                    .f = f,
                                    .out = out};
    if (sign) {
        NAIK_PASS(ops->give_sign(c->device, c->lattice, ALL, nowhere, 1, f));
    }
    return ops->current(c->device, &args);
}
