/* contraction_kind.h - what propagators can be contracted to: a row a kind
 *
 * A new contraction is a row of contraction_kind.c with its definition and a function. Sinks are columns of a
 * row, and averages (contraction_list.h) are of any.
 */
#ifndef NAIK_CORRELATOR_CONTRACTION_KIND_H
#define NAIK_CORRELATOR_CONTRACTION_KIND_H

#include "input/input.h"
#include "lattice/su3.h"
#include "propagator/baryon.h"
#include "propagator/current.h"

typedef enum contraction_what {
    CONTRACT_MESON,
    CONTRACT_SPIN_TASTE, /* a meson of staggered quarks whose operator has links */
    CONTRACT_CURRENT,    /* the conserved current of a quark and an antiquark */
    /* Of quarks with spin, with a conserved current on a source of theirs, in the place of H: */
    CONTRACT_MESON_OF_CURRENT,
    CONTRACT_CURRENT_OF_CURRENT,
    CONTRACT_THREE_POINT, /* the quark is the daughter, the antiquark the parent */
    CONTRACT_BARYON,
    CONTRACT_LOOP,      /* of noise, which takes the place of the antiquark */
    CONTRACT_CONDENSATE /* of noise */
} contraction_what;

/* What a function works with; all borrowed. */
typedef struct contraction_work {
    const naik_lattice *lattice;
    const naik_quark_kind *quarks;
    const naik_source *source; /* of the first quark */
    int meson;                 /* a number of spin_taste.h */
    int at_source; /* of a three-point function with spin: that of the meson at the source */
    naik_frame frame;
    int corner[NAIK_DIM - 1]; /* of a baryon of staggered quarks */
    const double *propagator
        [3]; /* [columns][sites][reals] of each quark; of one quark three times that; the operator of a spin and taste
                                     is on the second already */
    int baryon;          /* naik_baryon, */
    naik_shifts *shifts; /* and what the Delta of staggered quarks needs; else it may be NULL */
    const naik_current *current; /* between the two, for one */
    const naik_complex *wall[3]; /* the same of contract.h, for a wall sink; else NULL */
    double *spare;               /* [sites][reals] */
} contraction_work;

/* out [T], zeros before. Collective. */
typedef naik_status contraction_function(const contraction_work *work, naik_complex *out);

enum { CONTRACTION_SINKS = NAIK_INPUT_SINK_COVARIANT_GAUSSIAN + 1 };

typedef struct contraction_kind {
    contraction_what what;
    int quarks;       /* 1; 2: quark and antiquark; 3: a baryon */
    bool spin;        /* quarks with spin, and not staggered ones */
    const char *name; /* of its correlator; NULL: that of its meson or baryon */
    struct {
        contraction_function *make; /* NULL: there is no such sink */
        const char *definition;     /* in one line, for files; NULL: that of its baryon */
    } sink[CONTRACTION_SINKS];
} contraction_kind;

/* The row; NULL: there is none. */
const contraction_kind *contraction_kind_of(contraction_what what, int quarks,
                                            const naik_quark_kind *kind);

/* baryon_kind.c: the definition of a naik_baryon of one quark or of three different ones, in one line. Local. */
const char *baryon_definition(int baryon, bool spin, int quarks);

#endif
