/* source.h - right-hand sides
 *
 * A source is a function of site and colour: for source colour c it is the shape below times the
 * unit vector of colour c (random_wall and file excepted: see there). Canonical host arrays
 * [sites][3][2] double, local lexicographic.
 */
#ifndef NAIK_SOURCE_H
#define NAIK_SOURCE_H

#include "naik/lattice.h"

typedef enum naik_source_type {
    NAIK_SOURCE_POINT,             /* 1 at the origin */
    NAIK_SOURCE_CORNER_WALL,       /* 1 where x, y, z are all even, at t0 */
    NAIK_SOURCE_EVEN_WALL,         /* 1 on the even sites (4-d parity) of t0 */
    NAIK_SOURCE_EVENANDODD_WALL,   /* 1 on all sites of t0 */
    NAIK_SOURCE_EVENMINUSODD_WALL, /* +1 on even, -1 on odd sites of t0 */
    NAIK_SOURCE_GAUSSIAN,    /* exp(-r^2/r0^2) around the origin, on its time slice; r the shortest
                                periodic distance */
    NAIK_SOURCE_RANDOM_WALL, /* noise on t0; one right-hand side per source colour slot */
    NAIK_SOURCE_FILE         /* read by io */
} naik_source_type;

typedef enum naik_noise { NAIK_NOISE_Z2, NAIK_NOISE_U1, NAIK_NOISE_GAUSSIAN } naik_noise;

typedef struct naik_source {
    naik_source_type type;
    int origin[NAIK_DIM];       /* global; t0 = origin[3] for walls */
    int momentum[NAIK_DIM - 1]; /* factor exp(2 pi i p.(x - x0)/L) */
    double radius;              /* r0 of gaussian, > 0 */
    naik_noise noise; /* of random_wall: per site Z2 {+1,-1} or U(1) times the colour's unit vector,
                         or a vector of three complex gaussians normalised to 1 */
    uint64_t seed;    /* of random_wall; numbers depend on seed, colour slot and global site */
} naik_source;

/* Fills out [sites][3][2] with the source for source colour `colour` (0..2). Every site is written.
 * Local: no communication. NAIK_ERR_ARG for NAIK_SOURCE_FILE or an origin outside the lattice. */
naik_status naik_source_fill(const naik_lattice *lattice, const naik_source *source, int colour,
                             double *out);

/* Stable name as in the input file ("point", "corner_wall", ...). */
const char *naik_source_name(naik_source_type type);

#endif
