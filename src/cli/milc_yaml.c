/* milc_yaml.c - what was understood of a ks_spectrum input, as an input of naik */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/milc_input.h"

enum { MOST_MASSES = 100 }; /* of one entry */

static const char *real(double value, char text[32])
{
    naik_text_print_real(value, text, 32);
    return text;
}

/* A YAML text in double quotes; a word has no control characters. */
static void print_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            fputc('\\', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

static void print_source(FILE *out, const milc_source *s)
{
    char text[32];
    const bool moves = s->momentum[0] != 0 || s->momentum[1] != 0 || s->momentum[2] != 0;
    fprintf(out, "    source:\n      type: %s\n", naik_source_name(s->type));
    if (s->type == NAIK_SOURCE_POINT || s->type == NAIK_SOURCE_GAUSSIAN) {
        fprintf(out, "      origin: [%d, %d, %d, %d]\n", s->origin[0], s->origin[1], s->origin[2],
                s->origin[3]);
    } else if (s->type == NAIK_SOURCE_FILE) {
        fprintf(out, "      file: ");
        print_quoted(out, s->file);
        fputc('\n', out);
    } else {
        fprintf(out, "      t0: %d\n", s->origin[3]);
    }
    if (s->type == NAIK_SOURCE_GAUSSIAN) {
        fprintf(out, "      radius: %s\n", real(s->radius, text));
    }
    if (s->type == NAIK_SOURCE_RANDOM_WALL) {
        fprintf(out, "      noise: gaussian\n      seed: %llu\n", (unsigned long long)s->seed);
    }
    if (moves) {
        fprintf(out, "      momentum: [%d, %d, %d]\n", s->momentum[0], s->momentum[1],
                s->momentum[2]);
    }
}

/* One past the last propagator that can share an entry with the first. */
static int entry_end(const milc_input *in, int first)
{
    const milc_propagator *p = in->propagators;
    int end = first + 1;
    while (end < in->propagator_count && end - first < MOST_MASSES && p[end].set == p[first].set &&
           p[end].source == p[first].source && p[end].error == p[first].error) {
        end++;
    }
    return end;
}

static void print_solves(FILE *out, const milc_input *in, bool with_epsilon)
{
    char text[32];
    const milc_propagator *p = in->propagators;
    int part = 0;
    fprintf(out, "solve:\n");
    for (int first = 0, end = 0; first < in->propagator_count; first = end) {
        bool epsilon = false;
        end = entry_end(in, first);
        part = first > 0 && p[first].set == p[first - 1].set ? part + 1 : 0;
        fprintf(out, "  - name: set%d", p[first].set);
        if (part > 0) {
            fprintf(out, "_%d", part);
        }
        fprintf(out, "  # line %d\n    masses: [", p[first].line);
        for (int i = first; i < end; i++) {
            fprintf(out, "%s%s", i > first ? ", " : "", real(p[i].mass, text));
            epsilon = epsilon || p[i].epsilon != 0;
        }
        fprintf(out, "]\n");
        if (epsilon && with_epsilon) {
            fprintf(out, "    naik_epsilon: [");
            for (int i = first; i < end; i++) {
                fprintf(out, "%s%s", i > first ? ", " : "", real(p[i].epsilon, text));
            }
            fprintf(out, "]\n");
        }
        /* Without error_for_propagator only the site-relative residual decides. */
        fprintf(out, "    tolerance: %s\n", real(p[first].error > 0 ? p[first].error : 1, text));
        print_source(out, &in->sources[p[first].source]);
    }
}

static void print_output(FILE *out, const milc_input *in, const char *file)
{
    fprintf(out, "output:\n  file: ");
    print_quoted(out, file);
    fprintf(out, "\n  propagators: %s\n  correlators: [", in->stores ? "true" : "false");
    const char *between = "";
    for (int i = 0; i < NAIK_MESONS; i++) {
        if (in->mesons[i]) {
            fprintf(out, "%s%s", between, naik_meson_name((naik_meson)i));
            between = ", ";
        }
    }
    fprintf(out, "]\n");
    if (in->momentum_count > 0) {
        fprintf(out, "  momenta: [");
        for (int i = 0; i < in->momentum_count; i++) {
            const int *p = in->momenta[i];
            fprintf(out, "%s[%d, %d, %d]", i > 0 ? ", " : "", p[0], p[1], p[2]);
        }
        fprintf(out, "]\n");
    }
}

void milc_yaml_write(const milc_input *in, const char *name, const char *action,
                     const char *output_file, const char *notes, FILE *out)
{
    char text[32];
    fprintf(out, "# Translated by `naik import-milc` from %s\n", name);
    while (*notes != '\0') {
        const size_t length = strcspn(notes, "\n");
        fprintf(out, "# %.*s\n", (int)length, notes);
        notes += length + (notes[length] == '\n');
    }
    fprintf(out, "lattice:\n  size: [%d, %d, %d, %d]\n  boundary_t: %s\n", in->size[0], in->size[1],
            in->size[2], in->size[3], in->antiperiodic ? "antiperiodic" : "periodic");
    fprintf(out, "gauge:\n  file: ");
    print_quoted(out, in->gauge_file);
    fprintf(out, "\naction:\n  type: %s\n", action);
    if (strcmp(action, "asqtad") == 0) {
        fprintf(out, "  u0: %s\n", real(in->u0, text));
    }
    print_solves(out, in, strcmp(action, "hisq") == 0);
    fprintf(out, "solver:\n  max_iterations: %lld\n",
            (long long)(in->max_iterations < 100000000 ? in->max_iterations : 100000000));
    if (in->relative_error > 0) {
        fprintf(out, "  site_relative_tolerance: %s\n", real(in->relative_error, text));
    }
    print_output(out, in, output_file);
}
