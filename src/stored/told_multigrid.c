/* told_multigrid.c - the words of records and of lines that runs leave behind */
#include "stored/told_multigrid.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

const char told_multigrid_converged[] = "converged by multigrid",
           told_multigrid_left[] = "multigrid, then others";

bool told_multigrid_has(const naik_solve_record *record)
{
    return strcmp(record->stop_reason, told_multigrid_converged) == 0 ||
           strcmp(record->stop_reason, told_multigrid_left) == 0;
}

/* As src/run/report.c writes it. */
static bool read_line(const char *line, double *mass, told_multigrid *out)
{
    return sscanf(line, "mass=%lf setup_s=%lf outer=%lld coarse=%lld", mass, &out->setup_s,
                  &out->outer, &out->coarse) == 4;
}

bool told_multigrid_of(const naik_propagator_reader *v, double mass, told_multigrid *out)
{
    bool any = false;
    *out = (told_multigrid){.setup_s = 0};
    for (int i = 0; i < v->text_count; i++) {
        const bool run = strncmp(v->texts[i].name, "run ", 4) == 0;
        const char *line = run ? naik_line_value(v->texts[i].text, "multigrid") : NULL;
        while (line != NULL) {
            told_multigrid one;
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
