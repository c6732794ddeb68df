/* contraction_list.h - correlators of several solves: pairs, baryons, three-point functions, condensate, averages
 * over sources
 *
 * The list follows from the input alone. It is carried out when every solve is in the file, from
 * the solutions as they lie there, and again by every run that finishes the file. An average is
 * over the sources of one entry that is not sequential, each correlator shifted so that its source lies at t = 0, with the
 * signs and phases that go with the shift; not of cosines counted from one site, where sources have several places.
 */
#ifndef NAIK_CONTRACT_CONTRACTION_LIST_H
#define NAIK_CONTRACT_CONTRACTION_LIST_H

#include "contract/contraction_kind.h"
#include "input/input.h"
#include "io/prop/propagator_file.h"

typedef enum contraction_statistic {
    CONTRACTION_VALUE,
    CONTRACTION_MEAN, /* over the sources of an entry */
    CONTRACTION_ERROR /* of that mean */
} contraction_statistic;

/* How one is made. */
typedef struct contraction_item {
    const contraction_kind *kind;
    naik_input_sink sink;
    contraction_statistic statistic;
    int quarks;             /* as the kind's; 1 of averages of the correlators that solves have */
    int source[3], mass[3]; /* of each: in sources[], in the masses of its entry */
    int meson;              /* number of naik_input_correlator_name; -1: none */
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
} contraction_item;

typedef struct contraction_list {
    int count;
    naik_contraction *spec; /* [count] */
    contraction_item *item; /* [count] */
} contraction_list;

/* NAIK_ERR_MEMORY. Local. */
naik_status contraction_list_create(naik_log *log, const naik_input *input, contraction_list *out);
/* Where the momentum of an item has its place: in the list of the entry of one quark, of several in that
 * of the output. Borrowed. */
const naik_vectors *contraction_momenta(const naik_input *input, const contraction_item *item);
/* The number of an item's correlator among those that the solves of its source have. */
int contraction_place(const naik_input *input, const contraction_item *item);
/* Whether propagators are kept while the run goes on, in the file or until all is contracted. */
bool contraction_keeps(const naik_input *input);
/* The most quarks of one: so many propagators are held at a time. */
int contraction_quarks(const naik_input *input);
/* Bytes on a rank while they are made: a propagator for each quark, a source, and what operators and currents
 * with links need. */
int64_t contraction_bytes(const naik_input *input, const naik_lattice *lattice);
void contraction_list_clear(contraction_list *list);

#endif
