/* source.h - right-hand sides
 *
 * A source is a function of site and colour. For source colour c, most sources are a shape, a number at
 * each site, times the unit vector of colour c. The exceptions are random sources, which have a vector of
 * noise at each site, and those that naik reads from files or makes with links. Arrays are canonical host
 * arrays [sites][3][2] double, local lexicographic.
 */
#ifndef NAIK_SOURCE_H
#define NAIK_SOURCE_H

#include <stdbool.h>

#include "naik/lattice.h"

/* Types, with the shape of each. t0 is the time slice origin[3]. */
typedef enum naik_source_type {
    NAIK_SOURCE_POINT,             /* 1 at the origin */
    NAIK_SOURCE_CORNER_WALL,       /* 1 where x, y, z modulo 2 are `corner`, at t0 */
    NAIK_SOURCE_EVEN_WALL,         /* 1 on the even sites (4-d parity) of t0 */
    NAIK_SOURCE_EVENANDODD_WALL,   /* 1 on all sites of t0 */
    NAIK_SOURCE_EVENMINUSODD_WALL, /* +1 on even, -1 on odd sites of t0 */
    NAIK_SOURCE_GAUSSIAN, /* exp(-r^2/r0^2) around the origin, on its time slice, with r the shortest
                             periodic distance */
    NAIK_SOURCE_RANDOM_WALL,        /* noise on t0, other noise for each source colour */
    NAIK_SOURCE_FILE,               /* vectors that naik reads from a file */
    NAIK_SOURCE_RANDOM_VOLUME,      /* noise on the whole lattice; otherwise as random_wall */
    NAIK_SOURCE_COVARIANT_GAUSSIAN, /* a point that is smeared with links: gauss_smear.h */
    NAIK_SOURCE_SEQUENTIAL,         /* a stored propagator with an operator on t0: sequential.h */
    NAIK_SOURCE_FUNNYWALL1,         /* a wall on t0 of six tastes, made with links: funny_wall.h */
    NAIK_SOURCE_FUNNYWALL2          /* a wall of six other tastes: funny_wall.h */
} naik_source_type;

/* Noise at a site: a random number of this kind times the unit vector of the colour; for gaussian noise a
 * vector of three complex gaussian numbers, normalised to 1. */
typedef enum naik_noise {
    NAIK_NOISE_Z2, /* 1, -1 */
    NAIK_NOISE_U1, /* a phase */
    NAIK_NOISE_GAUSSIAN,
    NAIK_NOISE_Z3, /* a third root of 1 */
    NAIK_NOISE_Z4  /* 1, i, -1, -i */
} naik_noise;

/* The sites on which a source is kept; the source is zero on all other sites. */
typedef enum naik_subset {
    NAIK_SUBSET_FULL,
    NAIK_SUBSET_EVEN, /* 4-d parity */
    NAIK_SUBSET_ODD,
    NAIK_SUBSET_CORNER /* x, y, z modulo 2 are `corner` */
} naik_subset;

/* origin      global coordinates x0 of a point or the centre of a smeared point; of a wall (0, 0, 0, t0), or
 *             a corner and t0. Momentum and operator are counted from x0
 * momentum    p of a factor exp(2 pi i p.(x - x0)/L)
 * radius      r0 of gaussian and covariant_gaussian, > 0, in lattice units
 * iterations  n of covariant_gaussian, at least 1
 * seed        of random sources. The numbers depend on seed, source colour and global site only
 * stride, offset   of diluted noise: only sites with x[mu] modulo stride[mu] = offset[mu] carry noise. A stride
 *             of 0 or 1 keeps all sites
 * corner      0 or 1 each: one of the eight corners of the hypercube
 * spin_taste  an operator that is applied to the source: a number of a correlator of staggered quarks
 *             (propagator/spin_taste.h), or a conserved current of any quark (quark/source_current.h).
 *             0: G5-G5, which changes nothing. naik_source_fill leaves the operator out */
typedef struct naik_source {
    naik_source_type type;
    int origin[NAIK_DIM];
    int momentum[NAIK_DIM - 1];
    double radius;
    int iterations;
    naik_noise noise; /* of random sources */
    uint64_t seed;
    naik_subset subset;
    int stride[NAIK_DIM], offset[NAIK_DIM];
    int corner[NAIK_DIM - 1];
    int spin_taste;
} naik_source;

/* Whether a source of this type is made of random numbers. Local. */
bool naik_source_is_random(naik_source_type type);
/* Whether a source is a wall on one corner of the hypercube. Local. */
bool naik_source_is_corner(const naik_source *source);

/* Fills out [sites][3][2] with the source for source colour `colour`, 0 to 2. Every site is written. Local.
 * NAIK_ERR_ARG  the type is FILE, COVARIANT_GAUSSIAN, SEQUENTIAL or a funny wall, which need files or links;
 *               the colour is none; or the origin is outside the lattice */
naik_status naik_source_fill(const naik_lattice *lattice, const naik_source *source, int colour,
                             double *out);

/* Turns v [sites][3][2] into [sites][4][3][2] in the same memory, which must have room for it: the vector is
 * in component `spin`, and the other spins are zero. Local. */
void naik_source_to_spin(const naik_lattice *lattice, int spin, double *v);

/* Sets v [sites][reals] to zero on the sites that the subset of the source leaves out. Local. */
void naik_source_restrict(const naik_lattice *lattice, const naik_source *source, int reals,
                          double *v);

/* Multiplies v [sites][reals] by the momentum factor of the source on time slice origin[3], and sets v to zero
 * on all other time slices. Local. */
void naik_source_to_slice(const naik_lattice *lattice, const naik_source *source, int reals,
                          double *v);

/* The corners of the hypercube that carry the source on time slice origin[3]: bit x + 2 y + 4 z is set for
 * sites with these x, y and z modulo 2. A point and a smeared point have the corner of their origin. Sources
 * that are read from files may have any, so all bits are set. Local. */
unsigned naik_source_corners(const naik_source *source);

/* The word of the input file for the type: "point", "corner_wall", ... Never NULL. Local. */
const char *naik_source_name(naik_source_type type);

#endif
