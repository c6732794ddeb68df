/* ghosted.h - one matrix a site, on this rank's box and on the ghost sites around it
 *
 * A ghosted field holds one direction of a gauge field, or an intermediate sum of staples. Every
 * split direction has one more site, a ghost site, on both sides; unsplit directions wrap. The box
 * is written by its owner; the ghost sites hold what an exchange brought, and nothing before that.
 *
 * The fields of one plan are in the host's memory or on a device. On the host they are rows of
 * rows.h: [t][z][y][rows in x], where the ghost sites of a split x follow the box, the forward one
 * first. On a device: [t][z][y][18][x], with the ghost sites of x on both sides.
 */
#ifndef NAIK_LINKS_GHOSTED_H
#define NAIK_LINKS_GHOSTED_H

#include "base/device.h"
#include "links/rows.h"
#include "naik/gauge.h"

typedef struct naik_ghosted_plan {
    const naik_lattice *lattice; /* borrowed */
    naik_device *device;         /* borrowed; in whose memory the fields are; NULL: the host's */
    int origin[NAIK_DIM];        /* of the box, in local coordinates: 0 but in a slab */
    int box[NAIK_DIM];           /* its extents: the local ones but in a slab */
    int pad[NAIK_DIM];           /* 1 where split, else 0 */
    int extent[NAIK_DIM];        /* box + 2 pad */
    int line;                    /* matrices stored for one y, z, t: extent x or more */
    int64_t lines;               /* of the box and the ghost sites: extents y, z, t */
    int64_t chunks;              /* of the box alone, see naik_ghosted_chunk */
    double *send, *receive;      /* one face, in the host's memory */
    double *face;                /* one face on the device, or NULL */
} naik_ghosted_plan;

typedef struct naik_ghosted {
    const naik_ghosted_plan *plan; /* borrowed */
    double *data;                  /* [lines][line][18] in the order above */
} naik_ghosted;

/* Rows of rows.h for so many sites beside each other. */
static inline int naik_rows_for(int sites)
{
    return (sites + NAIK_ROW_SITES - 1) / NAIK_ROW_SITES;
}

/* A plan without memory for faces: to ask how large its fields are. */
naik_ghosted_plan naik_ghosted_plan_of(const naik_lattice *lattice, naik_device *device);
/* Release with naik_ghosted_plan_clear, also after a failure. Collective. NAIK_ERR_MEMORY. */
naik_status naik_ghosted_plan_init(const naik_lattice *lattice, naik_device *device,
                                   naik_ghosted_plan *plan);
void naik_ghosted_plan_clear(naik_ghosted_plan *plan);

/* The sites from..from + thickness - 1 in direction mu of the whole box, on the host: a plan for
 * fields whose sites are never asked for their neighbours in that direction. In x, both numbers
 * are multiples of NAIK_ROW_SITES, or end with the box. Borrows from `whole`. */
naik_ghosted_plan naik_ghosted_slab(const naik_ghosted_plan *whole, int mu, int from,
                                    int thickness);

/* Numbers (doubles) of one field, with what keeps the next aligned. */
size_t naik_ghosted_numbers(const naik_ghosted_plan *plan);
/* `count` fields in one piece of memory, of zeroes on the host; naik_ghosted_clear also after a
 * failure. Collective. NAIK_ERR_MEMORY. */
naik_status naik_ghosted_init(const naik_ghosted_plan *plan, int count, naik_ghosted *ghosted);
void naik_ghosted_clear(int count, naik_ghosted *ghosted);

/* Fills the ghost sites on both sides in direction mu from the neighbour ranks, without edges.
 * Collective where mu is split, nothing otherwise. NAIK_ERR_MPI. */
naik_status naik_ghosted_exchange(naik_ghosted *ghosted, int mu);
/* Fills all ghost sites, edges and corners included, direction after direction. */
naik_status naik_ghosted_exchange_all(naik_ghosted *ghosted);

/* The box of link mu of a gauge field in the same memory. NAIK_ERR_DEVICE. */
naik_status naik_ghosted_from_gauge(const naik_gauge *gauge, int mu, naik_ghosted *ghosted);

/* The rest is for loops on the host. */

enum { NAIK_GHOSTED_HERE = -1 };

/* Where one row of sites of the box is, and what is beside it. */
typedef struct naik_ghosted_place {
    int x[NAIK_DIM]; /* local coordinates of the first site */
    int n;           /* sites, consecutive in x */
    int64_t here;    /* number of the row in the field */
    /* rows to the one beside it; mu = 0: numbers to component 0 of the site beside it */
    int64_t forward[NAIK_DIM], backward[NAIK_DIM];
} naik_ghosted_place;

/* The box in pieces for a parallel loop: number `chunk` < plan->chunks. */
naik_ghosted_place naik_ghosted_chunk(const naik_ghosted_plan *plan, int64_t chunk);
/* The piece that begins at the local coordinates x; x[0] is a multiple of NAIK_ROW_SITES. */
naik_ghosted_place naik_ghosted_place_at(const naik_ghosted_plan *plan, const int x[NAIK_DIM]);

/* The matrices one site from a place, forward in direction `forward` and backward in direction
 * `backward`, each NAIK_GHOSTED_HERE for no step; not both in x. Inside the field, or copied to
 * `buffer` where a step in x is asked for. */
const naik_row *naik_ghosted_row(const naik_ghosted *ghosted, const naik_ghosted_place *place,
                                 int forward, int backward, naik_row *buffer);

/* Component 0 of site x, inside the box or a ghost site; components are NAIK_ROW_SITES apart. */
double *naik_ghosted_at(const naik_ghosted *ghosted, const int x[NAIK_DIM]);

/* Writes the sites of a place. */
void naik_ghosted_put(naik_ghosted *ghosted, const naik_ghosted_place *place, const naik_row *from);
void naik_gauge_put_row(naik_gauge *gauge, const naik_ghosted_place *place, int mu,
                        const naik_row *from);

#endif
