/* ghosted.h - one matrix a site, on this rank's box and on a ring of neighbour sites around it
 *
 * A ring holds one direction of a gauge field, or an intermediate sum of staples. Every split
 * direction has one more site on both sides; unsplit directions wrap. The box is written by its
 * owner; the ring around it holds what an exchange brought, and nothing before that.
 *
 * Rings of one plan are in the host's memory or on a device. On the host they are rows of rows.h:
 * [t][z][y][rows in x], where the neighbour sites of a split x follow the box, the one ahead first.
 * On a device: [t][z][y][18][x], with the neighbour sites of x on both sides.
 */
#ifndef NAIK_LINKS_GHOSTED_H
#define NAIK_LINKS_GHOSTED_H

#include "base/device.h"
#include "links/rows.h"
#include "naik/gauge.h"

typedef struct naik_ring_plan {
    const naik_lattice *lattice; /* borrowed */
    naik_device *device;         /* borrowed; in whose memory rings are; NULL: in the host's */
    int origin[NAIK_DIM];        /* of the box, in local coordinates: 0 but in a slab */
    int box[NAIK_DIM];           /* its extents: the local ones but in a slab */
    int pad[NAIK_DIM];           /* 1 where split, else 0 */
    int extent[NAIK_DIM];        /* box + 2 pad */
    int line;                    /* matrices stored for one y, z, t: extent x or more */
    int64_t lines;               /* of the box and the ring: extents y, z, t */
    int64_t chunks;              /* of the box alone, see naik_ring_chunk */
    double *send, *receive;      /* one face, in the host's memory */
    double *face;                /* one face on the device, or NULL */
} naik_ring_plan;

typedef struct naik_ring {
    const naik_ring_plan *plan; /* borrowed */
    double *data;               /* [lines][line][18] in the order above */
} naik_ring;

/* A plan without memory for faces: to ask how large its rings are. */
naik_ring_plan naik_ring_plan_of(const naik_lattice *lattice, naik_device *device);
/* Release with naik_ring_plan_clear, also after a failure. Collective. NAIK_ERR_MEMORY. */
naik_status naik_ring_plan_init(const naik_lattice *lattice, naik_device *device,
                                naik_ring_plan *plan);
void naik_ring_plan_clear(naik_ring_plan *plan);

/* The sites from..from + thickness - 1 in direction mu of the whole box, on the host: a plan for
 * rings whose sites are never asked for what is beside them in that direction. In x, both numbers
 * are multiples of NAIK_ROW_SITES, or end with the box. Borrows from `whole`. */
naik_ring_plan naik_ring_slab(const naik_ring_plan *whole, int mu, int from, int thickness);

/* Numbers (doubles) of one ring, with what keeps the next aligned. */
size_t naik_ring_numbers(const naik_ring_plan *plan);
/* `count` rings in one piece of memory, of zeroes on the host; naik_rings_clear also after a
 * failure. Collective. NAIK_ERR_MEMORY. */
naik_status naik_rings_init(const naik_ring_plan *plan, int count, naik_ring *rings);
void naik_rings_clear(int count, naik_ring *rings);

/* Fills the ring from the neighbours in direction mu, both sides, faces only. Collective where mu
 * is split, nothing otherwise. NAIK_ERR_MPI. */
naik_status naik_ring_exchange(naik_ring *ring, int mu);
/* Fills all of the ring, edges and corners included, direction after direction. */
naik_status naik_ring_exchange_all(naik_ring *ring);

/* The box of link mu of a gauge field in the same memory. NAIK_ERR_DEVICE. */
naik_status naik_ring_from_gauge(const naik_gauge *gauge, int mu, naik_ring *ring);

/* The rest is for loops on the host. */

enum { NAIK_RING_HERE = -1 };

/* Where one row of sites of the box is, and what is beside it. */
typedef struct naik_ring_place {
    int x[NAIK_DIM];                           /* local coordinates of the first site */
    int n;                                     /* sites, consecutive in x */
    int64_t here;                              /* number of the row in the ring */
    int64_t ahead[NAIK_DIM], behind[NAIK_DIM]; /* rows to the one beside it; mu = 0: numbers to
                                                  component 0 of the site beside it */
} naik_ring_place;

/* The box in pieces for a parallel loop: number `chunk` < plan->chunks. */
naik_ring_place naik_ring_chunk(const naik_ring_plan *plan, int64_t chunk);
/* The piece that begins at the local coordinates x; x[0] is a multiple of NAIK_ROW_SITES. */
naik_ring_place naik_ring_place_at(const naik_ring_plan *plan, const int x[NAIK_DIM]);

/* The matrices one site ahead of a place in direction `ahead` and one behind in direction `behind`,
 * each NAIK_RING_HERE for no step; not both in x. Inside the ring, or copied to `buffer` where a
 * step in x is asked for. */
const naik_row *naik_ring_row(const naik_ring *ring, const naik_ring_place *place, int ahead,
                              int behind, naik_row *buffer);

/* Component 0 of site x, inside the box or in the ring; components are NAIK_ROW_SITES apart. */
double *naik_ring_at(const naik_ring *ring, const int x[NAIK_DIM]);

/* Writes the sites of a place. */
void naik_ring_put(naik_ring *ring, const naik_ring_place *place, const naik_row *from);
void naik_gauge_put_row(naik_gauge *gauge, const naik_ring_place *place, int mu,
                        const naik_row *from);

#endif
