/* ring.h - one matrix a site, on this rank's box and on a ring of neighbour sites around it
 *
 * A ring holds one direction of a gauge field, or an intermediate sum of staples, in the layout of
 * rows.h: [t][z][y][18][x]. Every split direction has one more site on both sides; unsplit
 * directions wrap. The box is written by its owner; the ring around it holds what an exchange
 * brought, and nothing before that. Rings of one plan are in the host's memory or on a device.
 */
#ifndef NAIK_RING_H
#define NAIK_RING_H

#include "naik/backend.h"
#include "naik/gauge.h"
#include "naik/rows.h"

typedef struct naik_ring_plan {
    const naik_lattice *lattice; /* borrowed */
    naik_backend *device;        /* borrowed; in whose memory rings are; NULL: in the host's */
    int pad[NAIK_DIM];           /* 1 where split, else 0 */
    int extent[NAIK_DIM];        /* local extent + 2 pad */
    int64_t rows;                /* of the box and the ring: extents y, z, t */
    int64_t chunks;              /* of the box alone, see naik_ring_chunk */
    double *send, *receive;      /* one face, in the host's memory */
    double *face;                /* one face on the device, or NULL */
} naik_ring_plan;

typedef struct naik_ring {
    const naik_ring_plan *plan; /* borrowed */
    double *data;               /* [rows][18][extent x] */
} naik_ring;

/* Release with naik_ring_plan_clear, also after a failure. Collective. NAIK_ERR_MEMORY. */
naik_status naik_ring_plan_init(const naik_lattice *lattice, naik_backend *device,
                                naik_ring_plan *plan);
void naik_ring_plan_clear(naik_ring_plan *plan);

/* `count` rings, of zeroes on the host; naik_rings_clear also after a failure. Collective.
 * NAIK_ERR_MEMORY. */
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

/* Component 0 of site x, inside the box or in the ring. */
double *naik_ring_at(const naik_ring *ring, const int x[NAIK_DIM]);

/* The box in pieces for a parallel loop: chunk number `chunk` < plan->chunks begins at the site
 * with local coordinates x and has the returned number of sites, consecutive in x. */
int naik_ring_chunk(const naik_ring_plan *plan, int64_t chunk, int x[NAIK_DIM]);

/* The matrices of the n sites that begin one step (+1, -1, 0) from x in direction mu: inside the
 * ring, or copied to `buffer` where the row wraps. x may itself lie in the ring. */
naik_row naik_ring_row(const naik_ring *ring, const int x[NAIK_DIM], int mu, int step, int n,
                       naik_row_buffer *buffer);

/* Writes n sites from x on. */
void naik_ring_put(naik_ring *ring, const int x[NAIK_DIM], int n, const naik_row_buffer *from);
void naik_gauge_put_row(naik_gauge *gauge, const int x[NAIK_DIM], int mu, int n,
                        const naik_row_buffer *from);

#endif
