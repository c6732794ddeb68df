/* report_modes.c - what low modes did in a run: iterations with and without them, their spectrum
 *
 * The run says in its session which modes it used (run/work.c); the spectrum is in their file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/modes/modes_file.h"
#include "model/iterations.h"
#include "report/html.h"
#include "report/report_parts.h"

enum { MAX_SETS = 16, MAX_MASSES = 100 };

/* The modes of one Naik epsilon, as the last run that had some tells. */
typedef struct modes_used {
    int count;
    double epsilon, first, last;
    char path[1024];
} modes_used;

static int find_sets(const naik_propagator_reader *v, modes_used set[MAX_SETS])
{
    int count = 0;
    for (int i = 0; i < v->text_count; i++) {
        if (strncmp(v->texts[i].name, "run ", 4) != 0) {
            continue;
        }
        for (const char *line = v->texts[i].text; line != NULL;
             line = strchr(line, '\n'), line += line != NULL) {
            modes_used one = {.path = ""};
            int k = 0;
            if (sscanf(line, "modes=%d epsilon=%lf lambda=%lf,%lf file=%1023[^\n]", &one.count,
                       &one.epsilon, &one.first, &one.last, one.path) != 5) {
                continue;
            }
            while (k < count && set[k].epsilon != one.epsilon) {
                k++;
            }
            if (k < MAX_SETS) {
                set[k] = one;
                count += k == count;
            }
        }
    }
    return count;
}

/* Deflated solves of one mass. */
typedef struct mass_row {
    double mass, epsilon, target;
    int solves, modes;
    int64_t iterations;
} mass_row;

static int add_up(const naik_propagator_reader *v, mass_row row[MAX_MASSES])
{
    int count = 0;
    for (int i = 0; i < v->columns * v->pair_count; i++) {
        const naik_reader_pair *pair = &v->pairs[i / v->columns];
        const naik_solve_record *s = &pair->solve[i % v->columns];
        int k = 0;
        if (s->state == NAIK_SOLVE_PENDING || s->modes == 0) {
            continue;
        }
        while (k < count &&
               (row[k].mass != pair->quark.mass || row[k].epsilon != pair->quark.naik_epsilon ||
                row[k].target != s->target || row[k].modes != s->modes)) {
            k++;
        }
        if (k == MAX_MASSES) {
            continue;
        }
        if (k == count) {
            row[count++] = (mass_row){.mass = pair->quark.mass,
                                      .epsilon = pair->quark.naik_epsilon,
                                      .target = s->target,
                                      .modes = s->modes};
        }
        row[k].solves++;
        row[k].iterations += s->iterations;
    }
    return count;
}

static void cell(FILE *out, double value)
{
    fputs("<td class=\"n\">", out);
    if (isfinite(value)) {
        fprintf(out, "%.0f", value);
    }
    fputs("</td>", out);
}

static void print_table(FILE *out, const mass_row *row, int rows, const modes_used *set, int sets)
{
    fputs("<div class=\"wide\"><table>\n<tr><th class=\"n\">mass</th><th class=\"n\">target</th>"
          "<th class=\"n\">solves</th><th class=\"n\">modes</th><th class=\"n\">iterations a "
          "solve</th><th class=\"n\">foreseen</th><th class=\"n\">foreseen without</th></tr>\n",
          out);
    for (int i = 0; i < rows; i++) {
        double with = NAN, without = NAN;
        for (int k = 0; k < sets; k++) {
            if (set[k].epsilon == row[i].epsilon && set[k].count == row[i].modes) {
                with = model_iterations_above(row[i].mass, row[i].target, set[k].last);
                without = model_iterations_above(row[i].mass, row[i].target, set[k].first);
            }
        }
        fprintf(out,
                "<tr><td class=\"n\">%.10g</td><td class=\"n\">%.1e</td><td class=\"n\">%d</td>"
                "<td class=\"n\">%d</td><td class=\"n\">%.1f</td>",
                row[i].mass, row[i].target, row[i].solves, row[i].modes,
                (double)row[i].iterations / row[i].solves);
        cell(out, with);
        cell(out, without);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n<p>Foreseen: 25/sqrt(m^2 + lambda^2) iterations to 1e-10, lambda of the "
          "last "
          "mode, and without modes of the first.</p>\n",
          out);
}

static bool fits(const modes_used *set, const naik_modes_spectrum *s)
{
    return set->epsilon == s->naik_epsilon && set->count <= s->count &&
           fabs(naik_modes_lambda(s->lambda2[set->count - 1]) - set->last) <= 1e-5 * set->last;
}

/* The spectrum of one set, or the sentence why there is none. */
static naik_status print_spectrum(naik_log *log, FILE *out, const modes_used *set, const char *path,
                                  bool asked)
{
    naik_status status = NAIK_OK;
    naik_modes_spectrum s;
    double *lambda = NULL;
    char name[64];
    status = naik_modes_spectrum_read(log, path, &s);
    if (status == NAIK_OK && !fits(set, &s)) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' does not hold the modes of this run", path);
    }
    if (status != NAIK_OK && status != NAIK_ERR_MEMORY && !asked) {
        fputs("<p>No spectrum: ", out);
        html_text(out, naik_log_message(log));
        fputs("</p>\n", out);
        naik_log_clear(log);
        status = NAIK_OK;
        goto done;
    }
    NAIK_TRY(status);
    lambda = calloc((size_t)s.count, sizeof *lambda);
    if (lambda == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a plot");
        goto done;
    }
    for (int i = 0; i < set->count; i++) {
        lambda[i] = naik_modes_lambda(s.lambda2[i]);
    }
    snprintf(name, sizeof name, "Naik epsilon %.10g", set->epsilon);
    html_plot(out,
              &(html_axes){"lambda, where -DD has the eigenvalue 4 lambda^2", "mode", "lambda",
                           false, set->count <= 64},
              &(html_curve){name, name, 0, lambda, set->count, 1}, 1);
done:
    free(lambda);
    naik_modes_spectrum_clear(&s);
    return status;
}

naik_status report_modes(naik_log *log, FILE *out, const naik_propagator_reader *v,
                         const char *path)
{
    modes_used set[MAX_SETS];
    mass_row row[MAX_MASSES];
    const int rows = add_up(v, row), sets = find_sets(v, set);
    if (rows == 0) {
        return path != NULL
                   ? NAIK_FAIL(log, NAIK_ERR_INPUT, "no solve of '%s' was deflated", v->path)
                   : NAIK_OK;
    }
    fputs("<h2>Low modes</h2>\n", out);
    print_table(out, row, rows, set, sets);
    for (int k = 0; k < sets; k++) {
        /* of several sets a path that is given is the first one's */
        const bool asked = path != NULL && k == 0;
        NAIK_PASS(print_spectrum(log, out, &set[k], asked ? path : set[k].path, asked));
    }
    return NAIK_OK;
}
