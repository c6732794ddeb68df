/* report_contractions.c - the plots of a report that show what several solves give
 *
 * The list of a file goes source by source and mass by mass: what has one folder up to the name of the
 * correlator stands together and makes one figure.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "propagator/baryon.h"
#include "report/html.h"
#include "report/report_parts.h"

enum { MAX_FIGURES = 40, MAX_CURVES = 24, CURVE_NAME = 160 };

void report_effective_mass(const double *c, int extent, double *m)
{
    for (int t = 0; t < extent; t++) {
        const double ratio =
            (c[2 * ((t + extent - 1) % extent)] + c[2 * ((t + 1) % extent)]) / (2 * c[2 * t]);
        m[t] = ratio >= 1 ? acosh(ratio) : NAN;
    }
}

/* Of a baryon, which falls from its source on and changes sign where the part of the other direction takes
 * over: across a change of sign there is no mass. */
static void falling_mass(const double *c, int extent, double *m)
{
    for (int t = 0; t < extent; t++) {
        const double ratio = c[2 * t] / c[2 * ((t + 1) % extent)];
        m[t] = ratio > 0 ? log(ratio) : NAN;
    }
}

static bool is_baryon(const naik_reader_contraction *c)
{
    bool is = false;
    for (int k = 0; k < (int)NAIK_BARYONS; k++) {
        is = is || strcmp(c->correlator, naik_input_baryon_name(k)) == 0;
    }
    return is;
}

static bool is_drawn(const naik_reader_contraction *c)
{
    return strstr(c->quantity, "standard error") == NULL &&
           strcmp(c->quantity, "correction") != 0 && strstr(c->quantity, "rest") == NULL;
}

/* The name of a curve. It names the quantities of an average, which has several in one figure. */
static void print_name(const naik_reader_contraction *c, char name[CURVE_NAME])
{
    const bool plain = strcmp(c->quantity, "correlator") == 0;
    snprintf(name, CURVE_NAME, "%s, p = (%d, %d, %d)%s%s", c->correlator, c->momentum[0],
             c->momentum[1], c->momentum[2], plain ? "" : ", ", plain ? "" : c->quantity);
}

/* Length of the folder that holds the correlators of one source and masses. */
static int folder_length(const naik_reader_contraction *c)
{
    char name[40];
    int length = (int)strlen(c->path);
    snprintf(name, sizeof name, "/%s", c->correlator);
    for (const char *at = strstr(c->path, name); at != NULL; at = strstr(at + 1, name)) {
        length = (int)(at - c->path);
    }
    return length;
}

static bool in_one_figure(const naik_reader_contraction *a, const naik_reader_contraction *b)
{
    const int length = folder_length(a);
    return folder_length(b) == length && strncmp(a->path, b->path, (size_t)length) == 0;
}

/* "hl/s0001/m00-m00: light/s0001 of mass 0.1, heavy/s0001 of mass 0.5, wall sink" */
static void print_heading(FILE *out, const naik_reader_contraction *c)
{
    static const char root[] = "/corr/";
    char name[NAIK_CONTRACTION_PATH], twist[96], quark[NAIK_QUARK_NAME];
    const int length = folder_length(c), skipped = (int)strlen(root);
    snprintf(name, sizeof name, "%.*s", length, c->path);
    fputs("<h3>", out);
    html_text(out, strncmp(name, root, strlen(root)) == 0 ? name + skipped : name);
    for (int k = 0; k < c->quarks; k++) {
        fputs(k == 0 ? ": " : ", ", out);
        if (c->three_point) {
            fputs(k == 0 ? "daughter " : "parent ", out);
        }
        html_text(out, c->quark[k].source);
        fprintf(out, " of %s", naik_quark_phrase(&c->quark[k].quark, 10, quark));
        if (c->quark[k].quark.naik_epsilon != 0) {
            fprintf(out, ", Naik epsilon %.10g", c->quark[k].quark.naik_epsilon);
        }
        naik_propagator_twist_text(c->quark[k].quark.twist, ", twist ", twist);
        fputs(twist, out);
    }
    if (c->three_point) {
        fputs(", spectator ", out);
        html_text(out, c->spectator.source);
        fprintf(out, " of %s; ", naik_quark_phrase(&c->spectator.quark, 10, quark));
        html_text(out, c->sink_operator);
        fprintf(out, " with momentum (%d, %d, %d) at the sink, %d time slices after the source",
                c->sink_momentum[0], c->sink_momentum[1], c->sink_momentum[2], c->sink_time);
    }
    if (c->sink[0] != '\0') {
        fputs(", sink ", out);
        html_text(out, c->sink);
    }
    fputs("</h3>\n", out);
}

/* Items first to first + count - 1, of one folder. */
static naik_status print_figure(naik_log *log, FILE *out, const naik_propagator_reader *v,
                                int first, int count)
{
    const int extent = v->size[3];
    const naik_reader_contraction *item = v->contractions.item + first;
    html_curve curves[2][MAX_CURVES];
    char names[MAX_CURVES][CURVE_NAME];
    int drawn = 0, left = 0, with_mass = 0;
    double *memory = calloc((size_t)extent * 2 * MAX_CURVES, sizeof *memory);
    if (memory == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a plot");
    }
    for (int i = 0; i < count; i++) {
        const naik_reader_contraction *c = &item[i];
        if (!is_drawn(c)) {
            continue;
        }
        if (drawn == MAX_CURVES) {
            left++;
            continue;
        }
        double *size = memory + (size_t)extent * 2 * (size_t)drawn, *mass = size + extent;
        for (int t = 0; t < extent; t++) {
            size[t] = fabs(c->values[2 * t]);
        }
        print_name(c, names[drawn]);
        curves[0][drawn] = (html_curve){names[drawn], names[drawn], drawn, size, extent, 0};
        if (strcmp(c->correlator, "condensate") != 0 && strncmp(c->quantity, "loop", 4) != 0 &&
            !c->three_point) {
            (is_baryon(c) ? falling_mass : report_effective_mass)(c->values, extent, mass);
            curves[1][with_mass++] =
                (html_curve){names[drawn], names[drawn], drawn, mass, extent, 0};
        }
        drawn++;
    }
    print_heading(out, item);
    html_plot(out, &(html_axes){"|Re C(t)|", "t", "|Re C|", true, true}, curves[0], drawn);
    if (with_mass > 0) {
        html_plot(out,
                  &(html_axes){"effective mass", "t",
                               "arccosh((C(t-1) + C(t+1)) / 2C(t)), of a baryon log(C(t) / C(t+1))",
                               false, true},
                  curves[1], with_mass);
    }
    if (left > 0) {
        fprintf(out, "<p>%d more correlators of these quarks are in the file.</p>\n", left);
    }
    free(memory);
    return NAIK_OK;
}

naik_status report_contractions(naik_log *log, FILE *out, const naik_propagator_reader *v)
{
    const naik_contraction_view *view = &v->contractions;
    int figures = 0, left = 0;
    if (view->count > 0) {
        fputs("<h2>Correlators that need several solves</h2>\n", out);
    }
    for (int i = 0, count; i < view->count; i += count) {
        bool drawn = is_drawn(&view->item[i]);
        for (count = 1;
             i + count < view->count && in_one_figure(&view->item[i], &view->item[i + count]);
             count++) {
            drawn = drawn || is_drawn(&view->item[i + count]);
        }
        if (!drawn) {
            continue;
        }
        if (figures == MAX_FIGURES) {
            left++;
            continue;
        }
        NAIK_PASS(print_figure(log, out, v, i, count));
        figures++;
    }
    if (left > 0) {
        fprintf(out,
                "<p>%d more such plots could be made: naik info --correlators prints all.</p>\n",
                left);
    }
    return NAIK_OK;
}
