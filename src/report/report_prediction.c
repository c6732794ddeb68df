/* report_prediction.c - what the model says of the run of a report, beside what the run took
 *
 * A table of a row a mass, and the size of the output. Without predicted seconds, as on CPUs, it has no
 * column for them.
 */
#include "report/html.h"
#include "report/report_parts.h"

static void print_mass(FILE *out, const prediction_mass *m, bool timed)
{
    fprintf(out,
            "<tr><td class=\"n\">%.10g</td><td class=\"n\">%g</td><td class=\"n\">%d</td>"
            "<td class=\"n\">%.0f</td><td class=\"n\">%.0f</td><td class=\"n\">%.0f to %.0f</td>"
            "<td class=\"n\">%.3g</td>",
            m->mass, m->tolerance, m->measured, m->measured_iterations, m->iterations.expected,
            m->iterations.least, m->iterations.most, m->measured_s);
    if (m->solve_s > 0) {
        fprintf(out, "<td class=\"n\">%.3g</td>", m->solve_s);
    } else if (timed) {
        fputs("<td class=\"n\">none</td>", out);
    }
    fputs("</tr>\n", out);
}

void report_prediction(FILE *out, const prediction *p, int64_t size_bytes)
{
    fputs("<h2>Predicted and measured</h2>\n", out);
    if (p->made) {
        bool timed = false;
        for (int i = 0; i < p->mass_count; i++) {
            timed = timed || p->masses[i].solve_s > 0;
        }
        fputs("<div class=\"wide\"><table>\n<tr><th class=\"n\">mass</th>"
              "<th class=\"n\">tolerance</th><th class=\"n\">solves</th>"
              "<th class=\"n\">iterations</th><th class=\"n\">predicted</th>"
              "<th class=\"n\">range</th><th class=\"n\">seconds a solve</th>",
              out);
        fputs(timed ? "<th class=\"n\">predicted</th></tr>\n" : "</tr>\n", out);
        for (int i = 0; i < p->mass_count; i++) {
            print_mass(out, &p->masses[i], timed);
        }
        fputs("</table></div>\n<p>", out);
        if (p->output_bytes > 0) {
            fprintf(out, "The file has %lld bytes, predicted %lld. ", (long long)size_bytes,
                    (long long)p->output_bytes);
        }
        fprintf(out, "%s%s%s</p>\n", p->machine != NULL ? "Times as on " : "",
                p->machine != NULL ? p->machine : "",
                p->machine != NULL ? ", as naik solve --dry-run --machine predicts them." : "");
    }
    if (p->gap != NULL) {
        fputs("<p>", out);
        html_text(out, p->gap);
        fputs(".</p>\n", out);
    }
}
