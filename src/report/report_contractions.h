/* report_contractions.h - the plots of a report that show what several solves give */
#ifndef NAIK_REPORT_CONTRACTIONS_H
#define NAIK_REPORT_CONTRACTIONS_H

#include <stdio.h>

#include "io/prop/reader.h"

/* |Re C| and effective masses of pairs, baryons, channels and averages, a figure for each source and masses;
 * nothing where there are none. NAIK_ERR_MEMORY */
naik_status report_contractions(naik_log *log, FILE *out, const naik_propagator_reader *v);

/* arccosh((C(t-1) + C(t+1)) / 2C(t)) of the real part of a correlator c [extent][2] that is periodic in t, into
 * m [extent]; NaN where that has no solution. */
void report_effective_mass(const double *c, int extent, double *m);

#endif
