/* contraction_list.h - correlators of several solves: pairs, baryons, condensate, averages over sources
 *
 * The list follows from the input alone. It is carried out when every solve is in the file, from
 * the solutions as they lie there, and again by every run that finishes the file. An average is
 * over the sources of one entry that is not sequential, each correlator shifted so that its source lies at t = 0, with the
 * signs and phases that go with the shift; not of cosines counted from one site, where sources have several places.
 */
#ifndef NAIK_RUN_CONTRACTION_LIST_H
#define NAIK_RUN_CONTRACTION_LIST_H

#include "input/input.h"
#include "io/prop/propagator_file.h"

typedef enum contraction_kind {
    CONTRACT_NUCLEON,
    CONTRACT_CONDENSATE,
    CONTRACT_PAIR,
    CONTRACT_WALL,    /* a pair with a wall sink */
    CONTRACT_SMEARED, /* a pair whose quarks are smeared at the sink */
    CONTRACT_BARYON,
    CONTRACT_CHANNEL,         /* of Wilson and clover quarks: all columns of a source and mass, */
    CONTRACT_CHANNEL_PAIR,    /* of two, */
    CONTRACT_CHANNEL_SMEARED, /* of two smeared at the sink, */
    CONTRACT_CHANNEL_WALL,    /* of two, each summed over the sink's time slice */
    CONTRACT_SPIN_NUCLEON,
    CONTRACT_SPIN_BARYON, /* the same of three quarks */
    CONTRACT_SPIN_CONDENSATE,
    CONTRACT_MEAN,
    CONTRACT_ERROR
} contraction_kind;

/* How one is made. */
typedef struct contraction_item {
    contraction_kind kind;
    int quarks;             /* 1; 2: quark and antiquark; 3: a baryon */
    int source[3], mass[3]; /* of each: in sources[], in the masses of its entry */
    int meson, momentum;    /* places in the lists below; -1; of a channel the naik_spin_meson */
    double radius;          /* of a smeared pair, else 0; with iterations, gauss_smear.h */
    int iterations;
    bool baryon;     /* three quarks go from source to sink, equal ones too */
    int first, step; /* of averages: items first, first + step ... ; first < 0: the
                               correlators that the solves of mass[0] have */
} contraction_item;

typedef struct contraction_list {
    int count;
    naik_contraction *spec; /* [count] */
    contraction_item *item; /* [count] */
} contraction_list;

/* NAIK_ERR_MEMORY. Local. */
naik_status contraction_list_create(naik_log *log, const naik_input *input, contraction_list *out);
/* Where meson and momentum of an item have their places: in the lists of the entry of one quark, of
 * several in those of the output. Borrowed. */
const naik_vectors *contraction_momenta(const naik_input *input, const contraction_item *item);
const naik_ints *contraction_correlators(const naik_input *input, const contraction_item *item);
/* Whether propagators are kept while the run goes on, in the file or until all is contracted. */
bool contraction_keeps(const naik_input *input);
/* The most quarks of one: so many propagators are held at a time. */
int contraction_quarks(const naik_input *input);
/* Bytes on a rank while they are made: a propagator for each quark, and a source. */
int64_t contraction_bytes(const naik_input *input, int32_t sites);
void contraction_list_clear(contraction_list *list);

#endif
