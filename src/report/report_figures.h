/* report_figures.h - the plots of a report: correlators, effective masses, residuals */
#ifndef NAIK_REPORT_FIGURES_H
#define NAIK_REPORT_FIGURES_H

#include <stdio.h>

#include "io/prop/reader.h"

enum { REPORT_HISTORIES = 40 }; /* pairs of source and mass whose histories are drawn */

/* |C| and effective masses of every source and mass; none: the sentence where there are no
 * correlators, NULL: no sentence. NAIK_ERR_MEMORY */
naik_status report_correlators(naik_log *log, FILE *out, const naik_propagator_reader *v,
                               const char *none);
/* |r| of the solves over their iterations. */
void report_histories(FILE *out, const naik_propagator_reader *v);

#endif
