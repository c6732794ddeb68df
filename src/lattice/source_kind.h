/* source_kind.h - what each type of source is: a row a type
 *
 * A new source is a member of naik_source_type, its word and row in source_kind.c, and a function: its
 * shape where coordinates decide, else a maker in run/make_source.c.
 */
#ifndef NAIK_LATTICE_SOURCE_KIND_H
#define NAIK_LATTICE_SOURCE_KIND_H

#include <stddef.h>

#include "naik/source.h"

/* How a source is made. */
typedef enum naik_source_made {
    NAIK_SOURCE_FROM_COORDINATES, /* by naik_source_fill */
    NAIK_SOURCE_SMEARED,          /* a point, smeared with links: gauss_smear.h */
    NAIK_SOURCE_MOVED,            /* a wall, moved with links: funny_wall.h */
    NAIK_SOURCE_READ,             /* vectors in a file of another code */
    NAIK_SOURCE_FROM_PROPAGATOR /* a solution in a file of naik, with an operator on one time slice */
} naik_source_made;

typedef enum naik_source_place {
    NAIK_SOURCE_AT_SITE, /* around its origin */
    NAIK_SOURCE_ON_SLICE,
    NAIK_SOURCE_ON_LATTICE
} naik_source_place;

/* The keys of solve[].source that belong to some types only, as bits; naik_source_keys has their words. */
enum {
    NAIK_SOURCE_KEY_ORIGIN = 1 << 0,
    NAIK_SOURCE_KEY_T0 = 1 << 1,
    NAIK_SOURCE_KEY_MOMENTUM = 1 << 2,
    NAIK_SOURCE_KEY_PROPAGATOR = 1 << 3,
    NAIK_SOURCE_KEY_MASS = 1 << 4,
    NAIK_SOURCE_KEY_KAPPA = 1 << 5,
    NAIK_SOURCE_KEY_EPSILON = 1 << 6,
    NAIK_SOURCE_KEY_INSERTION = 1 << 7,
    NAIK_SOURCE_KEY_SEED = 1 << 8,
    NAIK_SOURCE_KEY_NOISE = 1 << 9,
    NAIK_SOURCE_KEY_RADIUS = 1 << 10,
    NAIK_SOURCE_KEY_ITERATIONS = 1 << 11,
    NAIK_SOURCE_KEY_SUBSET = 1 << 12,
    NAIK_SOURCE_KEY_FILE = 1 << 13,
    NAIK_SOURCE_KEY_SPIN_TASTE = 1 << 14,
    NAIK_SOURCE_KEY_DILUTION = 1 << 15,
    NAIK_SOURCE_KEY_SPACING = 1 << 16,
    NAIK_SOURCE_KEY_HITS = 1 << 17,
    NAIK_SOURCE_KEY_COUNT = 18
};
extern const char *const naik_source_keys[NAIK_SOURCE_KEY_COUNT];

enum { NAIK_SOURCE_TYPES = NAIK_SOURCE_FUNNYWALL2 + 1 };
/* The types as the input file has them, then NULL. */
extern const char *const naik_source_words[NAIK_SOURCE_TYPES + 1];

/* The real number at global x of its time slice; noise and the momentum come on top. */
typedef double naik_source_shape(const naik_lattice *lattice, const naik_source *source,
                                 const int x[NAIK_DIM]);
/* What a file says of its numbers, such as "radius 2".
 *   hops  sites per hop of smearing */
typedef void naik_source_say(const naik_source *source, int hops, char *text, size_t text_size);

typedef struct naik_source_kind {
    naik_source_made made;
    naik_source_place place;
    unsigned keys, required; /* NAIK_SOURCE_KEY_ bits: which apply, which of these must be given */
    bool random;             /* noise */
    bool corner;             /* on one corner of the hypercube alone */
    bool alternates;         /* it has the sign (-1)^(x+y+z+t), counted from the lattice's origin */
    bool tastes;             /* it adds up tastes, which only staggered quarks have */
    bool coulomb;            /* it adds up colours of several sites: links in Coulomb gauge */
    const char *where;       /* the sites that carry it, in words */
    naik_source_shape *shape; /* of coordinates; NULL: 1 everywhere */
    naik_source_say *say;     /* NULL: nothing */
} naik_source_kind;

const naik_source_kind *naik_source_kind_of(naik_source_type type);
/* The sites that carry a source, in words: "x, y, z = 1, 0, 1 modulo 2 on one time slice". */
void naik_source_where(const naik_source *source, char *text, size_t text_size);

/* Of a source that coordinates decide: the sites part[0] to part[1] - 1 of this rank, outside of which it is 0. Both are
 * even. */
void naik_source_part(const naik_lattice *lattice, const naik_source *source, int32_t part[2]);
/* naik_source_fill of these sites, as spin `spin` of `spins` (1 or 4); out [sites][spins][3][2]. */
naik_status naik_source_fill_part(const naik_lattice *lattice, const naik_source *source,
                                  int colour, int spin, int spins, const int32_t part[2],
                                  double *out);

/* 0 or 1 where all sites that the source, without its operator, is on are even or odd; else, and where
 * that is not known, -1. Local. */
int naik_source_parity(const naik_source *source);

/* Whether the sites of a source are all even, or all odd. */
static inline bool naik_source_is_on_one_parity(const naik_source *source)
{
    return source->type == NAIK_SOURCE_EVEN_WALL || source->subset == NAIK_SUBSET_EVEN ||
           source->subset == NAIK_SUBSET_ODD;
}

/* Whether the source is read from a file. */
static inline bool naik_source_is_stored(const naik_source *source)
{
    const naik_source_made made = naik_source_kind_of(source->type)->made;
    return made == NAIK_SOURCE_READ || made == NAIK_SOURCE_FROM_PROPAGATOR;
}
/* Whether the source is made of a stored propagator. */
static inline bool naik_source_is_sequential(const naik_source *source)
{
    return naik_source_kind_of(source->type)->made == NAIK_SOURCE_FROM_PROPAGATOR;
}
/* How well a source knows its place: where sources meet in one correlator, the place of the one that knows it best
 * counts, and of those that know it alike the place of the first. */
typedef enum naik_source_knows {
    NAIK_SOURCE_KNOWS_NOTHING, /* a file, or noise everywhere */
    NAIK_SOURCE_KNOWS_SLICE,
    NAIK_SOURCE_KNOWS_CORNER,
    NAIK_SOURCE_KNOWS_STORED, /* the place of the source that its propagator was made from */
    NAIK_SOURCE_KNOWS_SITE
} naik_source_knows;
naik_source_knows naik_source_knows_place(const naik_source *source);
/* Which of them, at least one, that is. */
int naik_source_first(const naik_source *const source[], int count);
/* Where a correlator of these sources is counted from, of x0 of each: that of naik_source_first. Of two
 * staggered ones of which one has the sign (-1)^(x+y+z+t) in it, the lattice's origin. */
void naik_source_begin(const naik_source *const source[], const int *const x0[], int quarks,
                       bool staggered, int out[NAIK_DIM]);
/* Whether x lies on the source's corner of the hypercube. */
static inline bool naik_source_at_corner(const naik_source *source, const int x[NAIK_DIM])
{
    return x[0] % 2 == source->corner[0] && x[1] % 2 == source->corner[1] &&
           x[2] % 2 == source->corner[2];
}

#endif
