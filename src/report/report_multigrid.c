/* report_multigrid.c - what multigrid did for a mass, out of what the runs of a file said of it */
#include "report/report_multigrid.h"

#include <stdio.h>
#include <string.h>

#include "base/lines.h"

/* As src/run/report.c writes it. */
static bool read_line(const char *line, double *mass, report_multigrid *out)
{
    return sscanf(line, "mass=%lf setup_s=%lf outer=%lld coarse=%lld", mass, &out->setup_s,
                  &out->outer, &out->coarse) == 4;
}

bool report_multigrid_of(const naik_propagator_reader *v, double mass, report_multigrid *out)
{
    bool any = false;
    *out = (report_multigrid){.setup_s = 0};
    for (int i = 0; i < v->text_count; i++) {
        const bool run = strncmp(v->texts[i].name, "run ", 4) == 0;
        const char *line = run ? naik_line_value(v->texts[i].text, "multigrid") : NULL;
        while (line != NULL) {
            report_multigrid one;
            double its = 0;
            if (read_line(line, &its, &one) && its == mass) {
                out->setup_s += one.setup_s;
                out->outer += one.outer;
                out->coarse += one.coarse;
                any = true;
            }
            line = naik_line_value(line, "multigrid");
        }
    }
    return any;
}
