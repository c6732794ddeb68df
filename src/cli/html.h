/* html.h - pieces of one HTML page: escaped text and plots as inline SVG; no scripts, no links */
#ifndef NAIK_CLI_HTML_H
#define NAIK_CLI_HTML_H

#include <stdbool.h>
#include <stdio.h>

/* Text of unknown origin: markup is escaped, and bytes that are not printable UTF-8 become U+FFFD.
 */
void page_text(FILE *out, const char *text);

/* One curve. Curves of one colour share a legend entry: its label is printed once. Points that are
 * not finite, or not positive on a logarithmic axis, are left out and interrupt the line. */
typedef struct page_curve {
    const char *label; /* of the colour, for the legend */
    const char *name;  /* of the curve, shown where the mouse rests on it */
    int colour;        /* 0, 1, 2 ... */
    const double *y;   /* [count], at x = x0, x0 + 1, ... */
    int count;
    double x0;
} page_curve;

typedef struct page_axes {
    const char *title, *x, *y;
    bool log_y;
    bool points; /* markers besides the line */
} page_axes;

/* A <figure>. Draws at most 400 points of each curve. */
void page_plot(FILE *out, const page_axes *axes, const page_curve *curves, int count);

/* Everything before and after the content of <main>. */
void page_begin(FILE *out, const char *title);
void page_end(FILE *out);

#endif
