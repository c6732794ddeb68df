/* lattice.h - the lattice, this rank's box of it, and where every site lies
 *
 * Directions x, y, z, t are mu = 0..3. Global sites are numbered r = x + nx (y + ny (z + nz t));
 * the sites of a rank's box likewise by their local coordinates ("local lexicographic": the order
 * of every canonical host array). parity = (x + y + z + t) mod 2, the same locally and globally,
 * because every box begins at even coordinates. On one checkerboard, cb = local number / 2.
 *
 * A checkerboard array has `volume_cb` sites of the box and then `halo` sites of its neighbours:
 * for each split mu, first the forward zone (depth 0, 1, 2 = coordinate L, L+1, L+2), then the
 * backward one (depth 0, 1, 2 = coordinate -1, -2, -3); within a depth the sites run in local
 * lexicographic order with coordinate mu left out, number / 2.
 */
#ifndef NAIK_LATTICE_H
#define NAIK_LATTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naik/comm.h"

enum { NAIK_DIM = 4, NAIK_HALO_DEPTH = 3, NAIK_STENCIL = 16 };

typedef enum naik_parity { NAIK_EVEN = 0, NAIK_ODD = 1 } naik_parity;
enum { NAIK_FORWARD = 0, NAIK_BACKWARD = 1 };

/* The 16 stencil points of the improved Dslash, in the order in which every kernel adds them:
 * point = 4 kind + mu with kind 0: +1, 1: -1, 2: +3, 3: -3. The naive operator uses the first 8. */
enum {
    NAIK_POINT_FORWARD = 0,
    NAIK_POINT_BACKWARD = 4,
    NAIK_POINT_FORWARD3 = 8,
    NAIK_POINT_BACKWARD3 = 12
};

typedef struct naik_lattice {
    naik_comm *comm;                     /* borrowed */
    int size[NAIK_DIM];                  /* extents of the whole lattice: x, y, z, t */
    int grid[NAIK_DIM], coord[NAIK_DIM]; /* process grid and this rank's place, x fastest */
    int local[NAIK_DIM];                 /* extents of the box */
    int origin[NAIK_DIM];                /* global coordinates of its first site */
    bool split[NAIK_DIM];                /* grid[mu] > 1 */
    int neighbour_rank[NAIK_DIM][2];     /* [mu][forward, backward] */
    int64_t volume;                      /* global */
    int32_t sites;                       /* of the box */
    int32_t volume_cb;                   /* of one parity of the box */
    int32_t halo;                        /* of one parity, all zones */
    int32_t face[NAIK_DIM];              /* of one parity in one layer across mu */
    int32_t zone[NAIK_DIM][2];           /* first halo site of the zone; -1 where mu is not split */
    /* [parity of the site][volume_cb][16]: site or halo site of the other parity */
    int32_t *neighbour[2];
    int32_t *interior[2]; /* cb of sites whose 16 neighbours are all in the box, ascending */
    int32_t *boundary[2]; /* the others, ascending */
    int32_t interior_count[2], boundary_count[2];
} naik_lattice;

/* Bytes of a colour vector at every site of this rank: [sites][3][2] double. */
static inline size_t naik_lattice_vector_bytes(const naik_lattice *lat)
{
    return (size_t)lat->sites * 3 * 2 * sizeof(double);
}

/* Cuts the lattice into a box for each rank.
 *
 *   comm  borrowed
 *   size  global extents x, y, z, t: even, from 2 to 32768
 *   grid  ranks in each direction; NULL: the grid that exchanges least
 *
 * Extents of the box must be even, and at least 4 where a direction is split. Collective.
 * NAIK_ERR_INPUT   wrong extents, or the ranks cannot be laid out so; the sentence names grids that work
 * NAIK_ERR_MEMORY, agreed over ranks */
naik_status naik_lattice_create(naik_comm *comm, const int size[NAIK_DIM], const int grid[NAIK_DIM],
                                naik_lattice **out);
/* Frees the lattice and sets *lattice = NULL; accepts NULL in *lattice. Local. */
void naik_lattice_destroy(naik_lattice **lattice);
/* Whether `size`, the extents of the file `path`, are those of the lattice. Local. NAIK_ERR_INPUT */
naik_status naik_lattice_expect(const naik_lattice *lattice, const char *path,
                                const int size[NAIK_DIM]);

/* Local lexicographic number of the site with local coordinates x. */
static inline int32_t naik_lattice_site(const naik_lattice *lat, const int x[NAIK_DIM])
{
    return x[0] + lat->local[0] * (x[1] + lat->local[1] * (x[2] + lat->local[2] * x[3]));
}

/* x: local coordinates of the site with this local lexicographic number. */
static inline void naik_lattice_coords(const naik_lattice *lat, int32_t site, int x[NAIK_DIM])
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] = (int)(site % lat->local[mu]);
        site /= lat->local[mu];
    }
}

/* x: coordinates of a local site on the whole lattice. */
static inline void naik_lattice_global_coords(const naik_lattice *lat, int32_t site,
                                              int x[NAIK_DIM])
{
    naik_lattice_coords(lat, site, x);
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        x[mu] += lat->origin[mu];
    }
}

/* Global number of the site with local coordinates x. */
static inline int64_t naik_lattice_global(const naik_lattice *lat, const int x[NAIK_DIM])
{
    int64_t site = 0;
    for (int mu = NAIK_DIM - 1; mu >= 0; mu--) {
        site = site * lat->size[mu] + lat->origin[mu] + x[mu];
    }
    return site;
}

/* Copies `count` sites of a parity, from checkerboard site `begin` on, to their places in local
 * lexicographic order. from is [count][reals] double, and to is [sites][reals]. Local. */
void naik_lattice_scatter(const naik_lattice *lat, naik_parity parity, int32_t begin, int32_t count,
                          const double *from, int reals, double *to);

/* Parity of the site with coordinates x, local or global: 0 even, 1 odd. Coordinates may be negative. */
static inline int naik_parity_of(const int x[NAIK_DIM])
{
    return (x[0] + x[1] + x[2] + x[3]) & 1;
}

/* Local lexicographic number of checkerboard site cb of a parity. */
static inline int32_t naik_lattice_site_of(const naik_lattice *lat, naik_parity parity, int32_t cb)
{
    int32_t row = 2 * cb / lat->local[0];
    int y = (int)(row % lat->local[1]);
    int z = (int)(row / lat->local[1] % lat->local[2]);
    int t = (int)(row / lat->local[1] / lat->local[2]);
    return 2 * cb + ((y + z + t + (int)parity) & 1);
}

/* How the sites of a correlator are counted, by w(y) of y = x - x0:
 *
 *   w(y) = exp(2 pi i p.y/L), or the product over x, y, z of cos(2 pi p_k y_k / L_k)
 *
 * All zero: at rest, from the lattice's origin. */
typedef struct naik_frame {
    int origin[NAIK_DIM];       /* x0, global */
    int momentum[NAIK_DIM - 1]; /* p, in units of 2 pi/L */
    bool cosine;                /* w is the product of cosines, the even part in each direction */
} naik_frame;

/* Whether w is real, which makes a correlator of one propagator real. */
static inline bool naik_frame_is_real(const naik_frame *frame)
{
    const int *p = frame->momentum;
    return frame->cosine || (p[0] == 0 && p[1] == 0 && p[2] == 0);
}

#endif
