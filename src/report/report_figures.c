/* report_figures.c - the plots of a report: correlators, effective masses, residuals */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/html.h"
#include "report/report_parts.h"

enum { MAX_FIGURES = 40, MAX_CURVES = 24 };

/* |C| and the effective masses of one source and mass. */
static naik_status print_correlators(naik_log *log, FILE *out, const naik_propagator_reader *v,
                                     const naik_reader_pair *pair)
{
    const int extent = v->size[3];
    const int count = pair->correlator_count < MAX_CURVES ? pair->correlator_count : MAX_CURVES;
    html_curve curves[2][MAX_CURVES];
    char names[MAX_CURVES][96], twist[96], quark[NAIK_QUARK_NAME];
    double *memory = calloc((size_t)extent * 2 * MAX_CURVES, sizeof *memory);
    if (memory == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a plot");
    }
    for (int i = 0; i < count; i++) {
        const naik_reader_correlator *c = &pair->correlators[i];
        double *size = memory + (size_t)extent * 2 * (size_t)i, *mass = size + extent;
        for (int t = 0; t < extent; t++) {
            size[t] = hypot(c->values[2 * t], c->values[2 * t + 1]);
        }
        report_effective_mass(c->values, extent, mass);
        snprintf(names[i], sizeof names[i], "%s, p = (%d, %d, %d)", c->meson, c->momentum[0],
                 c->momentum[1], c->momentum[2]);
        curves[0][i] = (html_curve){names[i], names[i], i, size, extent, 0};
        curves[1][i] = (html_curve){names[i], names[i], i, mass, extent, 0};
    }
    fputs("<h3>", out);
    html_text(out, pair->label);
    fprintf(out, ", %s", naik_quark_phrase(&pair->quark, 10, quark));
    if (pair->quark.naik_epsilon != 0) {
        fprintf(out, ", Naik epsilon %.10g", pair->quark.naik_epsilon);
    }
    naik_propagator_twist_text(pair->quark.twist, ", twist ", twist);
    fputs(twist, out);
    fputs(" (", out);
    html_text(out, pair->source);
    fputs(")", out);
    for (int c = 0; c < v->columns; c++) {
        if (pair->solve[c].state == NAIK_SOLVE_NOT_CONVERGED) {
            fputs(" <span class=\"bad\">not converged</span>", out);
            break;
        }
    }
    fputs("</h3>\n", out);
    html_plot(out, &(html_axes){"|C(t)|", "t", "|C|", true, true}, curves[0], count);
    html_plot(
        out, &(html_axes){"effective mass", "t", "arccosh((C(t-1) + C(t+1)) / 2C(t))", false, true},
        curves[1], count);
    if (pair->correlators_stored > count) {
        fprintf(out, "<p>%d more correlators are in the file.</p>\n",
                pair->correlators_stored - count);
    }
    free(memory);
    return NAIK_OK;
}

naik_status report_correlators(naik_log *log, FILE *out, const naik_propagator_reader *v,
                               const char *none)
{
    int figures = 0, left = 0;
    fputs("<h2>Correlators</h2>\n", out);
    for (int i = 0; i < v->pair_count; i++) {
        if (v->pairs[i].correlator_count == 0) {
            continue;
        }
        if (figures == MAX_FIGURES) {
            left++;
            continue;
        }
        NAIK_PASS(print_correlators(log, out, v, &v->pairs[i]));
        figures++;
    }
    if (left > 0) {
        fprintf(out, "<p>%d more pairs of source and mass are in the file.</p>\n", left);
    } else if (figures == 0 && none != NULL) {
        fprintf(out, "<p>%s</p>\n", none);
    }
    return NAIK_OK;
}

naik_status report_histories(naik_log *log, FILE *out, const naik_propagator_reader *v)
{
    struct {
        html_curve curves[NAIK_READER_COLUMNS * REPORT_HISTORIES];
        char names[NAIK_READER_COLUMNS * REPORT_HISTORIES][NAIK_QUARK_NAME + 112];
    } *room = calloc(1, sizeof *room);
    char labels[REPORT_HISTORIES][NAIK_QUARK_NAME + 24], mass[NAIK_QUARK_NAME];
    int count = 0, colours = 0, colour_of[REPORT_HISTORIES] = {0};
    if (room == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a plot");
    }
    const int pairs = v->pair_count < REPORT_HISTORIES ? v->pair_count : REPORT_HISTORIES;
    for (int i = 0; i < pairs; i++) {
        const naik_reader_pair *pair = &v->pairs[i];
        int colour = colours;
        for (int k = 0; k < i; k++) { /* one colour a mass */
            const bool alike = v->pairs[k].quark.mass == pair->quark.mass &&
                               v->pairs[k].quark.naik_epsilon == pair->quark.naik_epsilon;
            colour = alike ? colour_of[k] : colour;
        }
        colours += colour == colours;
        colour_of[i] = colour;
        naik_quark_phrase(&pair->quark, 6, mass);
        snprintf(labels[i], sizeof labels[i], "%s", mass);
        if (pair->quark.naik_epsilon != 0) {
            naik_text_append(labels[i], sizeof labels[i], ", epsilon %.6g",
                             pair->quark.naik_epsilon);
        }
        for (int c = 0; c < v->columns; c++) {
            char spin[16] = "";
            if (v->columns > 3) {
                snprintf(spin, sizeof spin, "spin %d, ", c / 3);
            }
            char *name = room->names[count];
            snprintf(name, sizeof room->names[0], "%.64s, %s, %scolour %d", pair->label, mass, spin,
                     c % 3);
            room->curves[count] =
                (html_curve){labels[i], name, colour, pair->history[c], pair->history_count[c], 1};
            count++;
        }
    }
    fputs("<h2>Residuals</h2>\n", out);
    html_plot(out,
              &(html_axes){v->columns == 3 ? "|b - (4m^2 - DD)x| / |b| of the parity solved"
                                           : "|b - Mh x| / |b| of the parity solved",
                           "iteration", "relative residual", true, false},
              room->curves, count);
    if (pairs < v->pair_count) {
        fprintf(out, "<p>The first %d of %d pairs of source and mass.</p>\n", pairs, v->pair_count);
    }
    free(room);
    return NAIK_OK;
}
