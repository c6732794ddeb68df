/* report_parts.h - the parts of the page of `naik report` */
#ifndef NAIK_REPORT_REPORT_PARTS_H
#define NAIK_REPORT_REPORT_PARTS_H

#include <stdio.h>

#include "io/prop/reader.h"
#include "plan/prediction.h"

/* ---- report_contractions.c: what several solves give */

/* |Re C| and effective masses of pairs, baryons, channels and averages, a figure for each source and masses;
 * nothing where there are none. NAIK_ERR_MEMORY */
naik_status report_contractions(naik_log *log, FILE *out, const naik_propagator_reader *v);

/* arccosh((C(t-1) + C(t+1)) / 2C(t)) of the real part of a correlator c [extent][2] that is periodic in t, into
 * m [extent]; NaN where that has no solution. */
void report_effective_mass(const double *c, int extent, double *m);

/* ---- report_figures.c: correlators, effective masses, residuals */

enum { REPORT_HISTORIES = 40 }; /* pairs of source and mass whose histories are drawn */

/* |C| and effective masses of every source and mass; none: the sentence where there are no
 * correlators, NULL: no sentence. NAIK_ERR_MEMORY */
naik_status report_correlators(naik_log *log, FILE *out, const naik_propagator_reader *v,
                               const char *none);
/* |r| of the solves over their iterations. NAIK_ERR_MEMORY */
naik_status report_histories(naik_log *log, FILE *out, const naik_propagator_reader *v);

/* ---- report_modes.c: what low modes did, and their spectrum */

/* The part of the page on low modes; nothing where no solve was deflated.
 *
 *   path  file of the modes; NULL: the one that the run named, if it is there. One that cannot be
 *         read, or holds other modes, is told by a sentence on the page
 *
 * NAIK_ERR_MEMORY; of a path that is given also NAIK_ERR_INPUT and NAIK_ERR_CORRUPT */
naik_status report_modes(naik_log *log, FILE *out, const naik_propagator_reader *v,
                         const char *path);

/* ---- report_prediction.c: what the model says of the run, beside what the run took */

/* size_bytes: of the file. */
void report_prediction(FILE *out, const prediction *p, int64_t size_bytes);

#endif
