/* contraction_view.h - what a reader finds of the correlators of several solves in a file */
#ifndef NAIK_IO_PROP_CONTRACTION_VIEW_H
#define NAIK_IO_PROP_CONTRACTION_VIEW_H

#include "io/prop/propagator_file.h"

/* One of them, as naik_contraction of propagator_file.h. */
typedef struct naik_reader_contraction {
    char path[NAIK_CONTRACTION_PATH], correlator[32], quantity[32];
    naik_contracted_quark quark[3];
    int quarks; /* 1 to 3 */
    int momentum[NAIK_DIM - 1];
    char sink[24];  /* "": point */
    char weight[8]; /* of a momentum: "exp", "cos", "" where the file does not say */
    bool counted;   /* from this x0 */
    int counted_from[NAIK_DIM];
    bool truncated; /* an average of truncated solves */
    /* As naik_contraction; "": none */
    bool three_point;
    naik_contracted_quark spectator;
    int sink_time, sink_momentum[NAIK_DIM - 1];
    char sink_operator[32], source_operator[32];
    double *values; /* [size t][2] */
} naik_reader_contraction;

typedef struct naik_contraction_view {
    naik_reader_contraction *item; /* [count] */
    int count;
    int bad; /* that are damaged, or missing in a complete file; left out */
} naik_contraction_view;

#endif
