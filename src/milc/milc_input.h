/* milc_input.h - what naik understands of an input file of MILC's ks_spectrum and ks_measure programs */
#ifndef NAIK_MILC_INPUT_H
#define NAIK_MILC_INPUT_H

#include <stdint.h>
#include <stdio.h>

#include "links/twist.h"
#include "milc/milc_words.h"
#include "naik/meson.h"
#include "naik/source.h"
#include "propagator/spin_taste.h"

enum {
    MILC_MAX_SOURCES = 1000,
    MILC_MAX_PROPAGATORS = 5000,
    MILC_MAX_MOMENTA = 200,
    MILC_MAX_HADRONS = 5000
};

typedef struct milc_source {
    naik_source_type type;
    bool dropped; /* naik cannot make it */
    int origin[NAIK_DIM], momentum[NAIK_DIM - 1], corner[NAIK_DIM - 1];
    naik_subset subset;
    naik_noise noise;
    double radius;
    int iterations; /* of covariant_gaussian */
    uint64_t seed;
    int spacing;               /* of diluted noise; 0: it is not */
    int spin_taste;            /* of naik_source */
    bool other_slice;          /* MILC's operations on it act on another slice than its own */
    char file[MILC_WORD_SIZE]; /* where it is read, */
    int told_t;                /* on which slice, as its stanza says; the file may have others */
    char saved_as[MILC_WORD_SIZE]; /* where MILC would save it, which naik does not */
} milc_source;

typedef struct milc_propagator {
    int source; /* in sources[] */
    int set;    /* which set of the file it stands in, or which measurement of the condensate */
    int line;
    bool dropped, condensate;
    double mass, epsilon, error, relative_error;
    double twist[NAIK_DIM - 1]; /* as naik counts: momentum_twist / 2 */
    int same_as;                /* the first one of the same solution; itself where it is that */
} milc_propagator;

static inline bool milc_same_twist(const milc_propagator *a, const milc_propagator *b)
{
    return naik_twist_same(a->twist, b->twist);
}

typedef struct milc_sink {
    bool wall;
    double radius;  /* of covariant_gaussian, else 0; */
    int iterations; /* 0: not smeared */
} milc_sink;

static inline bool milc_sink_is(const milc_sink *a, const milc_sink *b)
{
    return a->wall == b->wall && a->radius == b->radius && a->iterations == b->iterations;
}

typedef enum milc_weight { MILC_AT_REST, MILC_COSINES, MILC_WAVES } milc_weight;

typedef struct milc_quark {
    int propagator; /* -1: naik has no such quark */
    milc_sink sink;
} milc_quark;

/* What is contracted of two propagators (antiquark, quark) or three, in propagators[]. */
typedef struct milc_hadron {
    int count, of[3];
    milc_sink sink;
} milc_hadron;

static inline bool milc_hadron_is(const milc_hadron *a, const milc_hadron *b)
{
    return a->count == b->count && milc_sink_is(&a->sink, &b->sink) && a->of[0] == b->of[0] &&
           a->of[1] == b->of[1] && a->of[2] == b->of[2];
}

/* A file may describe several calculations on one configuration; sources, propagators and quarks
 * are numbered anew in each. Here they stand one behind the other. */
typedef struct milc_input {
    int size[NAIK_DIM];
    int seed;
    char gauge_file[MILC_WORD_SIZE];
    enum { MILC_UNFIXED, MILC_COULOMB, MILC_LANDAU } gauge;
    char fixed_file[MILC_WORD_SIZE + 16]; /* what `naik gauge fix` is to make of it; "": nothing */
    double u0;
    int coordinate_origin[NAIK_DIM]; /* even */
    bool moves_boundary;             /* it has another t than 0, and the boundary is antiperiodic */
    bool smears_links;               /* for sources made with them: ape_iter above 0 */
    bool has_epsilon;                /* a naik_term_epsilon occurs: HISQ */
    bool has_boundary, antiperiodic; /* antiperiodic where the file does not say */
    bool stores;                     /* some propagator is saved */
    bool measures;                   /* it is for ks_measure: noise alone */
    bool loops;                      /* of currents, of the noise that is the condensate's else */
    bool mesons[NAIK_FIRST_CURRENT]; /* by their numbers (spin_taste.h) */
    int momenta[MILC_MAX_MOMENTA][NAIK_DIM - 1];
    int momentum_count;
    milc_weight weight;
    bool counted, from_source,
        from_site;        /* an r_offset was taken; all so far are those of the sources,
                                             or the first of them, */
    int origin[NAIK_DIM]; /* which is this */
    bool noted_offset;    /* that branches of MILC count mesons from different sites; */
    bool noted_t;         /* that correlators run over t of the lattice; */
    int noted_turned;     /* below which t the signs of baryons differ, last */
    int64_t max_iterations;
    bool has_errors;       /* what follows is that of some propagator */
    double relative_error; /* the least of those asked for, 0: none */
    milc_source sources[MILC_MAX_SOURCES];
    int turns[MILC_MAX_SOURCES]; /* how often MILC has put the phases of a twist on each */
    int source_count;
    milc_propagator propagators[MILC_MAX_PROPAGATORS];
    int propagator_count, set_count, condensate_count; /* sets; measurements of the condensate */
    milc_quark quarks[MILC_MAX_PROPAGATORS];
    int quark_count;
    milc_hadron hadrons[MILC_MAX_HADRONS]; /* of several propagators */
    int hadron_count;
    bool nucleon, delta; /* of three equal propagators */
    FILE *notes;         /* one line on each thing that the result does not carry over */
} milc_input;

/* Reads w to its end into *out, zeroed by the caller but for `notes`. What naik cannot do is
 * written down in w->obstacles and left out of *out; no propagator in *out is dropped, and hadrons are
 * of those that are there.
 * NAIK_ERR_INPUT "FILE:LINE: STANZA: ..." for the first thing that is no such file, or without
 * which there is nothing to translate. */
naik_status milc_input_read(milc_words *w, milc_input *out);

/* milc_input.c: the boundary in t, where it stands next; *other: not that of the file. */
naik_status milc_boundary_read(milc_words *w, milc_input *in, bool *other);
/* milc_operators.c: the correlator of naik (spin_taste.h) that is `sign` times MILC's of that name or label; -1:
 * there is none. Local. */
int milc_operator_of(const char *word, int *sign);
/* Why naik's operator with links would not be MILC's; NULL: it is. Local. */
const char *milc_other_links(const milc_input *in);
/* milc_sources.c: stride, r0 and source_iters of a covariant_gaussian. */
naik_status milc_smearing_read(milc_words *w, double *radius, int *iterations, bool *dropped);
/* milc_sets.c: mass; naik_term_epsilon, where it is; charge, where it is, of which naik does none; the errors of p. */
naik_status milc_mass_read(milc_words *w, double *value);
naik_status milc_epsilon_read(milc_words *w, milc_input *in, double *value);
naik_status milc_charge_read(milc_words *w, bool *dropped);
naik_status milc_errors_read(milc_words *w, milc_input *in, milc_propagator *p);
/* milc_sets.c: Local. */
bool milc_same_source(const milc_source *a, const milc_source *b);
/* milc_noise.c: the condensate of ks_spectrum; the sets of ks_measure. */
naik_status milc_condensate_read(milc_words *w, milc_input *in);
naik_status milc_measure_read(milc_words *w, milc_input *in);
/* milc_sources.c, milc_sets.c: those of one calculation. */
naik_status milc_sources_read(milc_words *w, milc_input *in);
naik_status milc_sets_read(milc_words *w, milc_input *in, int first_source);
/* milc_places.c: the source of a propagator as naik has it. */
naik_source milc_source_of(const milc_input *in, int propagator);
/* A meson of a pair's antiquark and quark, in propagators[]. */
typedef struct milc_counted {
    int line;
    const char *label;
    int meson;
    const int *momentum; /* [NAIK_DIM - 1] */
    int of[2];
} milc_counted;
/* MILC counts a pair from its r_offset, naik all from their sources or all from one site. false: an obstacle was
 * written down. */
bool milc_offset_take(milc_words *w, milc_input *in, const milc_counted *c,
                      const int offset[NAIK_DIM]);
/* Whether the sources of propagators of[count] lie on one side of a boundary that coordinate_origin moves, so that
 * the correlator `what` is naik's. false: an obstacle was written down. */
bool milc_one_side(milc_words *w, milc_input *in, int line, const char *what, int count,
                   const int *of);
/* milc_correlators.c: its quarks, mesons and baryons; its propagators begin at this number. */
naik_status milc_correlators_read(milc_words *w, milc_input *in, int first_propagator);

/* milc_yaml.c: writes the input for naik; action: "hisq", "asqtad", "naive". false: no memory. */
bool milc_yaml_write(const milc_input *in, const char *name, const char *action,
                     const char *output_file, const char *notes, FILE *out);

#endif
