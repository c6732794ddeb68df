/* html.c - HTML and SVG by hand: text, axes, curves
 *
 * The page forbids itself everything from outside (Content-Security-Policy), so that it can be
 * mailed and opened anywhere.
 */
#include "report/html.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/text.h"

enum { WIDTH = 520, HEIGHT = 300, LEFT = 72, RIGHT = 12, TOP = 12, BOTTOM = 44, MOST_POINTS = 400 };

/* Distinguishable with any colour vision (M. Okabe, K. Ito); more curves are dashed. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",     "#cc79a7",
                                      "#e69f00", "#56b4e9", "currentColor"};
enum { COLOURS = sizeof colours / sizeof *colours };

void html_text(FILE *out, const char *text)
{
    const char *s = text;
    while (*s != '\0') {
        const int length = naik_text_printable(s);
        if (*s == '&') {
            fputs("&amp;", out);
        } else if (*s == '<') {
            fputs("&lt;", out);
        } else if (*s == '>') {
            fputs("&gt;", out);
        } else if (*s == '"') {
            fputs("&quot;", out);
        } else if (*s == '\'') {
            fputs("&#39;", out);
        } else if (length == 0 && *s != '\n' && *s != '\t') {
            fputs("\xef\xbf\xbd", out);
        } else {
            fwrite(s, 1, length > 0 ? (size_t)length : 1, out);
        }
        s += length > 0 ? length : 1;
    }
}

void html_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
          out);
    html_text(out, title);
    fputs("</title>\n<style>\n"
          ":root{color-scheme:light dark;--ink:#1a1a1a;--paper:#fff;--rule:#ddd;--grid:#eee;"
          "--frame:#888;--code:#f5f5f5;--bad:#b00020;--good:#00693e}\n"
          "@media (prefers-color-scheme:dark){:root{--ink:#e6e6e6;--paper:#16181c;--rule:#3a3d44;"
          "--grid:#2a2d33;--frame:#777;--code:#202329;--bad:#ff7a85;--good:#5fd39a}}\n"
          "body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
          "margin:0 auto;max-width:1120px;padding:1.5rem}\n"
          "h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.2rem;margin-top:2rem;"
          "border-bottom:1px solid var(--rule)}h3{font-size:1rem;margin-bottom:.2rem}\n"
          "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
          "td,th{padding:.15rem .6rem;text-align:left;border-bottom:1px "
          "solid var(--rule);vertical-align:top;white-space:nowrap}"
          "th+td{white-space:normal;overflow-wrap:anywhere}td.n,th.n{text-align:right}\n"
          ".wide{overflow-x:auto;margin-bottom:.6rem}.bad{color:var(--bad);font-weight:600}.good{"
          "color:var(--good)}\n"
          "pre{background:var(--code);padding:.6rem;overflow-x:auto;max-height:24rem}\n"
          "figure{display:inline-block;vertical-align:top;margin:0 1rem 1rem 0;width:520px;"
          "max-width:100%}"
          "figcaption{font-weight:600}svg{max-width:100%;height:auto}\n"
          "svg text{font-size:12px;fill:var(--ink)}.grid{stroke:var(--grid)}"
          ".frame{fill:none;stroke:var(--frame)}"
          ".legend span{margin-right:1rem;white-space:nowrap}\n"
          "@media (max-width:34rem){body{padding:.7rem}svg text{font-size:14px}}\n"
          "</style>\n</head>\n<body>\n<main>\n",
          out);
}

void html_end(FILE *out)
{
    fputs("</main>\n</body>\n</html>\n", out);
}

typedef struct scale {
    double x0, x1, y0, y1; /* y already logarithmic on a logarithmic axis */
    bool log_y;
} scale;

static bool drawable(const scale *s, double y)
{
    return isfinite(y) && fabs(y) < DBL_MAX / 4 && (!s->log_y || y >= DBL_MIN);
}

static double height_of(const scale *s, double y)
{
    return s->log_y ? log10(y) : y;
}

static double to_x(const scale *s, double x)
{
    return LEFT + (x - s->x0) / (s->x1 - s->x0) * (WIDTH - LEFT - RIGHT);
}

static double to_y(const scale *s, double y)
{
    return HEIGHT - BOTTOM - (y - s->y0) / (s->y1 - s->y0) * (HEIGHT - TOP - BOTTOM);
}

/* The range of what can be drawn, a little widened; false where there is nothing. */
static bool find_scale(const html_axes *axes, const html_curve *curves, int count, scale *s)
{
    *s = (scale){HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL, axes->log_y};
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < curves[i].count; k++) {
            if (drawable(s, curves[i].y[k])) {
                const double x = curves[i].x0 + k, y = height_of(s, curves[i].y[k]);
                s->x0 = fmin(s->x0, x);
                s->x1 = fmax(s->x1, x);
                s->y0 = fmin(s->y0, y);
                s->y1 = fmax(s->y1, y);
            }
        }
    }
    if (!(s->x0 <= s->x1)) {
        return false;
    }
    const double dx = s->x1 > s->x0 ? (s->x1 - s->x0) * 0.03 : 0.5;
    const double smallest = fmax(fabs(s->y0), fabs(s->y1)) * 1e-9 + 1e-300;
    const double dy = s->y1 - s->y0 > smallest ? (s->y1 - s->y0) * 0.06 : 0.5 + smallest;
    s->x0 -= dx;
    s->x1 += dx;
    s->y0 -= dy;
    s->y1 += dy;
    return true;
}

/* 1, 2 or 5 times a power of ten, so that about `most` steps make the range. */
static double nice_step(double range, int most)
{
    const double raw = range / most, power = pow(10, floor(log10(raw)));
    const double digit = raw / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static void grid_line(FILE *out, double x0, double y0, double x1, double y1)
{
    fprintf(out, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x0, y0,
            x1, y1);
}

static void draw_axes(FILE *out, const html_axes *axes, const scale *s)
{
    const double x_step = fmax(1, nice_step(s->x1 - s->x0, 8));
    double y_step = nice_step(s->y1 - s->y0, 6);
    y_step = s->log_y ? fmax(1, ceil(y_step)) : y_step;
    const double leftmost = ceil(s->x0 / x_step);
    for (int i = 0; (leftmost + i) * x_step <= s->x1; i++) {
        const double x = (leftmost + i) * x_step;
        grid_line(out, to_x(s, x), TOP, to_x(s, x), HEIGHT - BOTTOM);
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", to_x(s, x),
                HEIGHT - BOTTOM + 16, x == 0 ? 0.0 : x);
    }
    const double first = ceil(s->y0 / y_step);
    for (int i = 0; i < 40 && (first + i) * y_step <= s->y1; i++) {
        const double y = (first + i) * y_step;
        grid_line(out, LEFT, to_y(s, y), WIDTH - RIGHT, to_y(s, y));
        fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s%g</text>\n", LEFT - 6,
                to_y(s, y) + 4, s->log_y ? "1e" : "", fabs(y) < y_step * 1e-6 ? 0 : y);
    }
    fprintf(out, "<rect class=\"frame\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT,
            TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
            HEIGHT - 8);
    html_text(out, axes->x);
    fprintf(out,
            "</text>\n<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">",
            (TOP + HEIGHT - BOTTOM) / 2);
    html_text(out, axes->y);
    fputs("</text>\n", out);
}

static void style_of(FILE *out, int colour)
{
    fprintf(out, "stroke=\"%s\"", colours[colour % COLOURS]);
    if (colour >= COLOURS) {
        fprintf(out, " stroke-dasharray=\"%d 3\"", 2 + 3 * (colour / COLOURS));
    }
}

static void draw_curve(FILE *out, const html_axes *axes, const scale *s, const html_curve *c)
{
    const int step = (c->count + MOST_POINTS - 1) / MOST_POINTS;
    bool open = false;
    fputs("<g fill=\"none\" stroke-width=\"1.5\" ", out);
    style_of(out, c->colour);
    fputs("><title>", out);
    html_text(out, c->name);
    fputs("</title>\n<path d=\"", out);
    for (int k = 0; k < c->count; k += step) {
        if (!drawable(s, c->y[k])) {
            open = false;
            continue;
        }
        fprintf(out, "%c%.1f %.1f", open ? 'L' : 'M', to_x(s, c->x0 + k),
                to_y(s, height_of(s, c->y[k])));
        open = true;
    }
    fputs("\"/>\n", out);
    for (int k = 0; axes->points && k < c->count; k += step) {
        if (drawable(s, c->y[k])) {
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"><title>",
                    to_x(s, c->x0 + k), to_y(s, height_of(s, c->y[k])),
                    colours[c->colour % COLOURS]);
            html_text(out, c->name);
            fprintf(out, ", %g: %.9g</title></circle>\n", c->x0 + k, c->y[k]);
        }
    }
    fputs("</g>\n", out);
}

static void draw_legend(FILE *out, const html_curve *curves, int count)
{
    fputs("<div class=\"legend\">", out);
    for (int i = 0; i < count; i++) {
        bool told = curves[i].label[0] == '\0';
        for (int k = 0; k < i && !told; k++) {
            told = curves[k].colour == curves[i].colour;
        }
        if (!told) {
            fputs("<span><svg width=\"26\" height=\"8\"><path d=\"M0 4L26 4\" stroke-width=\"2\" ",
                  out);
            style_of(out, curves[i].colour);
            fputs("/></svg> ", out);
            html_text(out, curves[i].label);
            fputs("</span> ", out);
        }
    }
    fputs("</div>\n", out);
}

void html_plot(FILE *out, const html_axes *axes, const html_curve *curves, int count)
{
    scale s;
    fputs("<figure><figcaption>", out);
    html_text(out, axes->title);
    fputs("</figcaption>\n", out);
    if (!find_scale(axes, curves, count, &s)) {
        fputs("<p>nothing to draw</p></figure>\n", out);
        return;
    }
    fprintf(out, "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    html_text(out, axes->title);
    fputs("\">\n", out);
    draw_axes(out, axes, &s);
    for (int i = 0; i < count; i++) {
        draw_curve(out, axes, &s, &curves[i]);
    }
    fputs("</svg>\n", out);
    draw_legend(out, curves, count);
    fputs("</figure>\n", out);
}
