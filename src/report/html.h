/* html.h - pieces of one HTML page: escaped text and plots as inline SVG; no scripts, no links */
#ifndef NAIK_REPORT_HTML_H
#define NAIK_REPORT_HTML_H

#include <stdbool.h>
#include <stdio.h>

/* Text of unknown origin: markup is escaped, and bytes that are not printable UTF-8 become U+FFFD.
 */
void html_text(FILE *out, const char *text);

/* One curve. Curves of one colour share a legend entry: its label is printed once. Points that are
 * not finite, or not positive on a logarithmic axis, are left out and interrupt the line. */
typedef struct html_curve {
    const char *label; /* of the colour, for the legend */
    const char *name;  /* of the curve, shown where the mouse rests on it */
    int colour;        /* 0, 1, 2 ... */
    const double *y;   /* [count], at x = x0, x0 + 1, ... */
    int count;
    double x0;
} html_curve;

typedef struct html_axes {
    const char *title, *x, *y;
    bool log_y;
    bool points; /* markers besides the line */
} html_axes;

/* A <figure>. Draws at most 400 points of each curve. */
void html_plot(FILE *out, const html_axes *axes, const html_curve *curves, int count);

/* Everything before and after the content of <main>. */
void html_begin(FILE *out, const char *title);
void html_end(FILE *out);

#endif
