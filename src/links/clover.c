/* clover.c - the links around each site brought together, and made blocks and their inverses of
 *
 * The box has one more site on every side that is another rank's, edges included. The loop over sites
 * (link_ops.h) runs on the host or on a device, where links, blocks and inverses stay.
 */
#include "links/clover.h"

#include <stdlib.h>

#include "comm/collective.h"
#include "comm/new.h"
#include "links/ghosted.h"
#include "links/link_ops.h"

/* All ranks leave together where a block has no inverse. */
static naik_status agree(naik_clover *clover, double mass, double csw, int64_t singular)
{
    const naik_lattice *lat = clover->lattice;
    double first = (double)singular, bounds[] = {clover->largest, clover->largest_inverse};
    NAIK_PASS(naik_comm_sum_i64(lat->comm, &clover->pivoted, 1));
    NAIK_PASS(naik_comm_max_f64(lat->comm, bounds, 2));
    clover->largest = bounds[0];
    clover->largest_inverse = bounds[1];
    NAIK_PASS(naik_comm_min_f64(lat->comm, &first, 1));
    if (first < (double)lat->volume) {
        int64_t rest = (int64_t)first;
        int x[NAIK_DIM];
        for (int mu = 0; mu < NAIK_DIM; mu++) {
            x[mu] = (int)(rest % lat->size[mu]);
            rest /= lat->size[mu];
        }
        return NAIK_FAIL(lat->comm->log, NAIK_ERR_INPUT,
                         "m + 4 + C cannot be inverted at site %d %d %d %d (x y z t) with mass "
                         "%.10g and csw %.10g",
                         x[0], x[1], x[2], x[3], mass, csw);
    }
    return NAIK_OK;
}

size_t naik_clover_bytes(const naik_lattice *lattice)
{
    return 2 * (size_t)lattice->sites * sizeof(naik_block[NAIK_SITE_BLOCKS]);
}

size_t naik_clover_links_bytes(const naik_lattice *lattice, naik_device *device)
{
    const naik_ghosted_plan plan = naik_ghosted_plan_of(lattice, device);
    return NAIK_DIM * naik_ghosted_numbers(&plan) * sizeof(double);
}

static naik_status allocate(naik_clover *clover)
{
    naik_log *log = clover->lattice->comm->log;
    const size_t bytes = naik_clover_bytes(clover->lattice) / 2;
    NAIK_PASS(
        naik_device_alloc(clover->device, log, bytes, "clover blocks", (void **)&clover->block));
    return naik_device_alloc(clover->device, log, bytes, "inverse clover blocks",
                             (void **)&clover->inverse);
}

/* The box of all links and what is around it. */
static naik_status gather(const naik_gauge *u, naik_device *device, naik_ghosted links[NAIK_DIM])
{
    naik_status status = NAIK_OK;
    naik_gauge *there = NULL;
    NAIK_TRY(naik_gauge_bring(u, device, &there));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        NAIK_TRY(naik_ghosted_from_gauge(there, mu, &links[mu]));
        NAIK_TRY(naik_ghosted_exchange_all(&links[mu]));
    }
done:
    naik_gauge_destroy(&there);
    return status;
}

naik_status naik_clover_create(const naik_gauge *u, naik_device *device, double mass,
                               double twisted_mass, double csw, naik_clover **out)
{
    naik_status status = NAIK_OK;
    const naik_lattice *lat = u->lattice;
    naik_ghosted_plan plan = {.lattice = lat};
    naik_ghosted links[NAIK_DIM] = {{NULL, NULL}};
    int64_t singular = 0;
    naik_clover *clover = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(lat->comm, sizeof *clover, "the clover term", (void **)&clover));
    clover->lattice = lat;
    clover->device = device;
    clover->twisted_mass = twisted_mass;
    NAIK_TRY(naik_comm_agree(lat->comm, allocate(clover)));
    NAIK_TRY(naik_ghosted_plan_init(lat, device, &plan));
    NAIK_TRY(naik_ghosted_init(&plan, NAIK_DIM, links));
    NAIK_TRY(gather(u, device, links));
    status = naik_link_ops_of(device)->clover(links, mass + 4, csw, clover, &singular);
    NAIK_TRY(naik_comm_agree(lat->comm, status));
    NAIK_TRY(agree(clover, mass, csw, singular));
    *out = clover;
done:
    naik_ghosted_clear(NAIK_DIM, links);
    naik_ghosted_plan_clear(&plan);
    if (status != NAIK_OK) {
        naik_clover_destroy(&clover);
    }
    return status;
}

void naik_clover_destroy(naik_clover **clover)
{
    if (*clover != NULL) {
        naik_device_free((*clover)->device, (*clover)->block);
        naik_device_free((*clover)->device, (*clover)->inverse);
        free(*clover);
        *clover = NULL;
    }
}
