/* report_prediction.h - what the model says of the run of a report, beside what it took */
#ifndef NAIK_REPORT_PREDICTION_H
#define NAIK_REPORT_PREDICTION_H

#include <stdio.h>

#include "plan/prediction.h"

/* size_bytes: of the file. */
void report_prediction(FILE *out, const prediction *p, int64_t size_bytes);

#endif
