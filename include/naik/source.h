/* source.h - right-hand sides
 *
 * A source is a function of site and colour: for source colour c it is the shape below times the
 * unit vector of colour c (random, file, covariant_gaussian, sequential and funny ones excepted: see there). Canonical host arrays
 * [sites][3][2] double, local lexicographic.
 */
#ifndef NAIK_SOURCE_H
#define NAIK_SOURCE_H

#include <stdbool.h>

#include "naik/lattice.h"

typedef enum naik_source_type {
    NAIK_SOURCE_POINT,             /* 1 at the origin */
    NAIK_SOURCE_CORNER_WALL,       /* 1 where x, y, z modulo 2 are `corner`, at t0 */
    NAIK_SOURCE_EVEN_WALL,         /* 1 on the even sites (4-d parity) of t0 */
    NAIK_SOURCE_EVENANDODD_WALL,   /* 1 on all sites of t0 */
    NAIK_SOURCE_EVENMINUSODD_WALL, /* +1 on even, -1 on odd sites of t0 */
    NAIK_SOURCE_GAUSSIAN,    /* exp(-r^2/r0^2) around the origin, on its time slice; r the shortest
                                periodic distance */
    NAIK_SOURCE_RANDOM_WALL, /* noise on t0; one right-hand side per source colour slot */
    NAIK_SOURCE_FILE,        /* read by io */
    NAIK_SOURCE_RANDOM_VOLUME,      /* noise on the whole lattice; otherwise as random_wall */
    NAIK_SOURCE_COVARIANT_GAUSSIAN, /* a point that is smeared with links: gauss_smear.h */
    NAIK_SOURCE_SEQUENTIAL,         /* a stored propagator with an operator on t0: sequential.h */
    NAIK_SOURCE_FUNNYWALL1,         /* a wall on t0 of six tastes, made with links: funny_wall.h */
    NAIK_SOURCE_FUNNYWALL2          /* another */
} naik_source_type;

typedef enum naik_noise {
    NAIK_NOISE_Z2,
    NAIK_NOISE_U1,
    NAIK_NOISE_GAUSSIAN,
    NAIK_NOISE_Z3,
    NAIK_NOISE_Z4
} naik_noise;

/* Sites that keep a source, which is zero on the others. */
typedef enum naik_subset {
    NAIK_SUBSET_FULL,
    NAIK_SUBSET_EVEN, /* 4-d parity */
    NAIK_SUBSET_ODD,
    NAIK_SUBSET_CORNER /* x, y, z modulo 2 are `corner` */
} naik_subset;

typedef struct naik_source {
    naik_source_type type;
    int origin
        [NAIK_DIM]; /* global; of walls (0, 0, 0, t0), or a corner and t0: x0 of the momentum */
    int momentum[NAIK_DIM - 1]; /* factor exp(2 pi i p.(x - x0)/L) */
    double radius;              /* r0 of gaussian and covariant_gaussian, > 0 */
    int iterations;             /* n of covariant_gaussian, 1 and more */
    naik_noise
        noise;     /* of random sources: per site Z2 {+1,-1}, Z3, Z4 {1,i,-1,-i} or U(1) times the
                         colour's unit vector, or a vector of three complex gaussians normalised to 1 */
    uint64_t seed; /* of random sources; numbers depend on seed, colour slot and global site */
    naik_subset subset;
    int stride[NAIK_DIM],
        offset
            [NAIK_DIM]; /* of diluted noise: only sites whose x modulo stride is offset carry it; a
                                               stride of 0 or 1 keeps all */
    int corner[NAIK_DIM - 1]; /* 0 or 1 each: one of the eight corners of the hypercube */
    int spin_taste; /* the operator on all of that, counted from x0: a number of correlators of staggered quarks
                       (propagator/spin_taste.h) or a conserved current of any (quark/source_current.h);
                       0: G5-G5, which is 1. naik_source_fill leaves it out */
} naik_source;

/* Whether a source of this type is made of random numbers. Local. */
bool naik_source_is_random(naik_source_type type);
/* Whether a source is a wall on one corner of the hypercube. Local. */
bool naik_source_is_corner(const naik_source *source);

/* Fills out [sites][3][2] with the source for source colour `colour` (0..2). Every site is written.
 * Local: no communication. NAIK_ERR_ARG for NAIK_SOURCE_FILE, _COVARIANT_GAUSSIAN, _SEQUENTIAL and
 * funny walls, or an origin outside the lattice. */
naik_status naik_source_fill(const naik_lattice *lattice, const naik_source *source, int colour,
                             double *out);

/* v [sites][3][2] becomes [sites][4][3][2] in the same memory, zero but for that spin. Local. */
void naik_source_to_spin(const naik_lattice *lattice, int spin, double *v);

/* Zero on the sites that the source's subset leaves out: v [sites][reals]. Local. */
void naik_source_restrict(const naik_lattice *lattice, const naik_source *source, int reals,
                          double *v);

/* v [sites][reals]: times the momentum factor on time slice origin[3], zero on the others. Local. */
void naik_source_to_slice(const naik_lattice *lattice, const naik_source *source, int reals,
                          double *v);

/* The corners of the hypercube, x, y and z modulo 2, whose sites on time slice origin[3] carry the source:
 * bit x + 2 y + 4 z. Of a point and what is smeared around one it is the origin's; of those that are read
 * it is not known, and all are set. Local. */
unsigned naik_source_corners(const naik_source *source);
/* The first of them. */
void naik_source_corner(unsigned corners, int corner[NAIK_DIM - 1]);

/* Stable name as in the input file ("point", "corner_wall", ...). */
const char *naik_source_name(naik_source_type type);

#endif
