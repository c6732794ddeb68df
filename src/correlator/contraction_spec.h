/* contraction_spec.h - one correlator of several solves: how it is made, and what a file says of it */
#ifndef NAIK_CORRELATOR_CONTRACTION_SPEC_H
#define NAIK_CORRELATOR_CONTRACTION_SPEC_H

#include "correlator/contraction_kind.h"
#include "input/input.h"
#include "io/prop/propagator_file.h"

typedef enum contraction_statistic {
    CONTRACTION_VALUE,
    CONTRACTION_SUM,   /* of loops, over the sources of diluted noise */
    CONTRACTION_FIELD, /* of loops with low modes: by one noise field alone */
    CONTRACTION_MEAN,  /* over the sources of an entry */
    CONTRACTION_ERROR, /* of that mean */
    /* Of truncated solves (average.h): */
    CONTRACTION_CORRECTED,
    CONTRACTION_CORRECTED_ERROR,
    CONTRACTION_SLOPPY, /* the mean of the sloppy solves */
    CONTRACTION_SLOPPY_ERROR,
    CONTRACTION_CORRECTION, /* the mean of exact minus sloppy */
    CONTRACTION_CORRECTION_ERROR,
    /* Of low modes (low_average.h): */
    CONTRACTION_LOW_MEAN,
    CONTRACTION_LOW_ERROR,
    CONTRACTION_LOW, /* of all sites */
    CONTRACTION_REST,
    CONTRACTION_STATISTICS
} contraction_statistic;

/* How one is made. */
typedef struct contraction_item {
    const contraction_kind *kind;
    naik_input_sink sink;
    contraction_statistic statistic;
    int quarks;             /* as the kind's; 1 of averages of the correlators that solves have */
    int source[3], mass[3]; /* of each: in sources[], in the masses of its entry */
    int meson;              /* number of naik_input_correlator_name; -1: none */
    int baryon;             /* naik_baryon, of baryons */
    int momentum;           /* place in contraction_momenta; -1: none */
    double radius;          /* of a smeared sink, else 0; with iterations, gauss_smear.h */
    int iterations;
    int anchor; /* the quark whose source the correlator begins at: 1 of a three-point function, else 0 */
    const naik_input_three_point *three_point; /* that it is of; NULL: of none */
    int spectator[2]; /* of it: its source, in sources[], and its mass in its entry */
    int sink_time;
    const int *sink_momentum; /* [NAIK_DIM - 1] */
    int first, step;          /* of averages: items first, first + step ... ; first < 0: the
                               correlators that the solves of mass[0] have */
    const naik_input_average *average; /* of the block averages; NULL: plain */
    int field;                         /* of CONTRACTION_FIELD */
    int exact_first, exact_source;     /* as first and source[0], of its exact solves */
} contraction_item;

/* Where the momentum of an item has its place: in the list of the entry of one quark, of several in that
 * of the output. Borrowed. */
const naik_vectors *contraction_momenta(const naik_input *input, const contraction_item *item);
/* The number of an item's correlator among those that the solves of its source have. */
int contraction_place(const naik_input *input, const contraction_item *item);
/* The statistics that stand together in the list for one correlator, of which the item is one: the first, and how many.
 * Local. */
contraction_statistic contraction_first(const contraction_item *item);
int contraction_family(const contraction_item *item);
/* Whether a statistic follows from what the file holds. Low modes are not in it. */
bool contraction_follows(const contraction_item *item);
/* folder: of /corr. Local. */
void contraction_describe(const naik_input *input, const contraction_item *item, const char *folder,
                          naik_contraction *out);

/* shift_factor.c: what C(origin_t + t) of source number k is multiplied with on its way to t, as if its source
 * lay at the lattice's origin: sign and phase of a meson that was not counted from its source, and three quarks
 * change sign where they cross an antiperiodic boundary. */
naik_complex correlator_factor_of_shift(const naik_lattice *lattice, const naik_input *input,
                                        const contraction_item *item, int k,
                                        const int origin[NAIK_DIM], int t);

#endif
