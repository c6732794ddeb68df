/* milc_input.h - what naik understands of an input file of MILC's ks_spectrum programs */
#ifndef NAIK_CLI_MILC_INPUT_H
#define NAIK_CLI_MILC_INPUT_H

#include <stdint.h>
#include <stdio.h>

#include "naik/source.h"

#include "cli/milc_words.h"

enum { MILC_MAX_SOURCES = 1000, MILC_MAX_PROPAGATORS = 5000, MILC_MAX_MOMENTA = 200 };

typedef struct milc_source {
    naik_source_type type;
    int origin[NAIK_DIM], momentum[NAIK_DIM - 1];
    double radius;
    uint64_t seed;
    char file[MILC_WORD_SIZE];
} milc_source;

typedef struct milc_propagator {
    int source; /* in sources[] */
    int set;    /* which set of the file it stands in */
    int line;
    double mass, epsilon, error, relative_error;
} milc_propagator;

/* A file may describe several calculations on one configuration; sources, propagators and quarks
 * are numbered anew in each. Here they stand one behind the other. */
typedef struct milc_input {
    int size[NAIK_DIM];
    int seed;
    char gauge_file[MILC_WORD_SIZE];
    double u0;
    bool has_epsilon;                /* a naik_term_epsilon occurs: HISQ */
    bool has_boundary, antiperiodic; /* antiperiodic where the file does not say */
    bool stores;                     /* some propagator is saved */
    bool pion5, pion05;
    int momenta[MILC_MAX_MOMENTA][NAIK_DIM - 1];
    int momentum_count;
    int64_t max_iterations;
    double relative_error; /* of all propagators */
    milc_source sources[MILC_MAX_SOURCES];
    int source_count;
    milc_propagator propagators[MILC_MAX_PROPAGATORS];
    int propagator_count, set_count;
    int quarks[MILC_MAX_PROPAGATORS]; /* the propagator of each */
    int quark_count;
    FILE *notes; /* one line on each thing that the result does not carry over */
} milc_input;

/* Reads `size` bytes into *out, zeroed by the caller but for `notes`, which is open for writing.
 * NAIK_ERR_INPUT "FILE:LINE: STANZA: ..." for the first thing that naik cannot do or read. */
naik_status milc_input_read(naik_log *log, const char *name, const char *bytes, size_t size,
                            milc_input *out);

/* milc_mesons.c: the quarks and correlators of one calculation, of which sources, propagators and
 * quarks begin at these numbers. */
naik_status milc_mesons_read(milc_words *w, milc_input *in, int first_propagator);

/* milc_yaml.c: writes the input for naik; action: "hisq", "asqtad", "naive". */
void milc_yaml_write(const milc_input *in, const char *name, const char *action,
                     const char *output_file, const char *notes, FILE *out);

#endif
