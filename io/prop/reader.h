/* reader.h - a propagator file as it is, for people to look at
 *
 * One rank reads what describes the file: texts, records of the solves, residual histories,
 * correlators; no propagators. All of that is compared with its checksums, and nothing in it is
 * trusted: what is missing or damaged is left out, and counted.
 */
#ifndef NAIK_IO_PROP_READER_H
#define NAIK_IO_PROP_READER_H

#include "io/prop/contraction_view.h"

typedef struct naik_reader_fact {
    char *name, *text;
} naik_reader_fact;

typedef struct naik_reader_correlator {
    char meson[32];
    int momentum[NAIK_DIM - 1];
    double *values; /* [size t][2], real and imaginary part */
} naik_reader_correlator;

enum { NAIK_READER_COLUMNS = 12 };

/* All solves of one source and one mass. */
typedef struct naik_reader_pair {
    char label[96];   /* of the source: its set, or set/s0001 where that has several */
    char source[96];  /* "point at 0,0,0,0" */
    naik_quark quark; /* its kind is NULL where naik has none of the file's name */
    int x0
        [NAIK_DIM]; /* of the source: where phases of what is made of the solves are counted from */
    int counted_from[NAIK_DIM]; /* signs and momenta of its correlators */
    bool waves; /* of which those with momentum have exp(2 pi i p.(x - x0)/L), not cosines */
    naik_solve_record
        solve[NAIK_READER_COLUMNS]; /* [columns]; NAIK_SOLVE_PENDING where not done or damaged */
    double *history[NAIK_READER_COLUMNS]; /* residuals, or NULL */
    int history_count[NAIK_READER_COLUMNS];
    naik_reader_correlator *correlators; /* [correlator_count]; none while a colour is pending */
    int correlator_count;
    int correlators_stored;   /* so many are in the file */
    bool correlators_damaged; /* some of those read disagree with the checksums of their colours,
                                 and are left out */
} naik_reader_pair;

typedef struct naik_propagator_reader {
    char *path;
    bool complete;
    bool has_metadata_crc; /* attributes and texts have a checksum */
    char edited[300];      /* the sentence where that checksum disagrees, else "" */
    int bad_records;       /* of solves, that disagree with theirs */
    int histories;         /* of residuals, read and compared */
    int bad_histories;     /* of those histories, that disagree */
    int size[NAIK_DIM];
    int columns;             /* solves of a pair: 3 colours, or 12 columns of spinors */
    naik_reader_fact *facts; /* [fact_count]: whence and how */
    int fact_count;
    naik_reader_fact *texts; /* [text_count]: of several lines: input, headers, sessions */
    int text_count;
    naik_reader_pair *pairs; /* [pair_count] */
    int pair_count;
    naik_contraction_view contractions;
} naik_propagator_reader;

/* Reads PATH, or PATH.part where there is no PATH. Local: the other ranks need not take part.
 *
 *   histories    residuals are read of so many pairs, the first ones
 *   correlators  of every pair so many are read, the first ones
 *
 * NAIK_ERR_INPUT    no such file, or not a propagator file of naik
 * NAIK_ERR_CORRUPT  HDF5 cannot open the file; its records cannot be read
 * NAIK_ERR_MEMORY */
naik_status naik_propagator_reader_open(naik_log *log, const char *path, int histories,
                                        int correlators, naik_propagator_reader **out);
void naik_propagator_reader_destroy(naik_propagator_reader **view);
/* A fact or text of the file, such as gauge_checksum; NULL where it has none. Borrowed. Local. */
const char *naik_propagator_reader_text(const naik_propagator_reader *view, const char *name);

#endif
