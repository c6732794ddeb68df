/* milc_yaml.c - what was understood of an input of MILC, as an input of naik */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/input.h"
#include "lattice/source_kind.h"
#include "milc/milc_input.h"

enum { MOST_MASSES = 100 }; /* of one entry */

/* Propagators one behind the other of one source. */
typedef struct run {
    int first, end;
    int entry, place; /* which entry of solve it is in, and which of its places is its source */
} run;

/* Where the propagators are in the list solve: runs that differ in the place of their source share an entry. */
typedef struct entries {
    run runs[MILC_MAX_PROPAGATORS];
    int run_count, count;
    int places[MILC_MAX_PROPAGATORS];     /* how many sources an entry has */
    int run_of[MILC_MAX_PROPAGATORS];     /* of each propagator */
    char names[MILC_MAX_PROPAGATORS][32]; /* of each entry */
} entries;

static const milc_source *source_of(const milc_input *in, const run *r)
{
    return &in->sources[in->propagators[r->first].source];
}

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

/* The places of an entry's sources: one, or a list. */
static void print_places(FILE *out, const milc_input *in, const entries *e, int entry)
{
    const bool several = e->places[entry] > 1;
    const char *between = several ? "[" : "";
    for (int i = 0; i < e->run_count; i++) {
        const run *r = &e->runs[i];
        const milc_source *s = source_of(in, r);
        const int *x = s->origin;
        if (r->entry != entry) {
            continue;
        }
        fputs(between, out);
        between = r->place % 4 == 3 ? ",\n               " : ", ";
        if ((naik_source_kind_of(s->type)->keys & NAIK_SOURCE_KEY_ORIGIN) != 0) {
            fprintf(out, "[%d, %d, %d, %d]", x[0], x[1], x[2], x[3]);
        } else {
            fprintf(out, "%d", x[3]);
        }
    }
    fputs(several ? "]\n" : "\n", out);
}

static void print_source(FILE *out, const milc_input *in, const entries *e, const run *first)
{
    char text[32];
    const milc_source *s = source_of(in, first);
    const bool moves = naik_input_is_moving(s->momentum);
    const unsigned keys = naik_source_kind_of(s->type)->keys;
    fprintf(out, "    source:\n      type: %s\n", naik_source_name(s->type));
    if ((keys & NAIK_SOURCE_KEY_ORIGIN) != 0) {
        fprintf(out, "      origin: ");
        print_places(out, in, e, first->entry);
    } else if ((keys & NAIK_SOURCE_KEY_FILE) != 0) {
        fprintf(out, "      file: ");
        print_quoted(out, s->file);
        fputc('\n', out);
    } else if ((keys & NAIK_SOURCE_KEY_T0) != 0) {
        fprintf(out, "      t0: ");
        print_places(out, in, e, first->entry);
    }
    if ((keys & NAIK_SOURCE_KEY_RADIUS) != 0) {
        fprintf(out, "      radius: %s\n", real(s->radius, text));
    }
    if ((keys & NAIK_SOURCE_KEY_ITERATIONS) != 0) {
        fprintf(out, "      iterations: %d\n", s->iterations);
    }
    if ((keys & NAIK_SOURCE_KEY_NOISE) != 0) {
        fprintf(out, "      noise: %s\n      seed: %llu\n",
                s->noise == NAIK_NOISE_GAUSSIAN ? "gaussian"
                : s->noise == NAIK_NOISE_U1     ? "u1"
                                                : "z2",
                (unsigned long long)s->seed);
    }
    if (s->spacing > 0) {
        fprintf(out, "      spacing: %d\n", s->spacing);
    }
    if (s->subset == NAIK_SUBSET_CORNER) {
        fprintf(out, "      subset: corner\n");
    }
    if (s->corner[0] != 0 || s->corner[1] != 0 || s->corner[2] != 0) {
        fprintf(out, "      corner: [%d, %d, %d]\n", s->corner[0], s->corner[1], s->corner[2]);
    }
    if (s->spin_taste != 0) {
        fprintf(out, "      spin_taste: %s\n", naik_input_correlator_name(s->spin_taste));
    }
    if (moves) {
        fprintf(out, "      momentum: [%d, %d, %d]\n", s->momentum[0], s->momentum[1],
                s->momentum[2]);
    }
}

/* Whether two propagators can be of one run, where no other stands between them. */
static bool together(const milc_propagator *a, const milc_propagator *b)
{
    return a->condensate == b->condensate && a->set == b->set && a->source == b->source &&
           a->error == b->error && milc_same_twist(a, b);
}

static void find_runs(const milc_input *in, entries *e)
{
    for (int i = 0; i < in->propagator_count; i++) {
        run *last = &e->runs[e->run_count > 0 ? e->run_count - 1 : 0];
        if (i == 0 || i - last->first >= MOST_MASSES ||
            !together(&in->propagators[last->first], &in->propagators[i])) {
            last = &e->runs[e->run_count++];
            last->first = i;
        }
        last->end = i + 1;
        e->run_of[i] = e->run_count - 1;
    }
}

/* Whether one entry can have both: the places of their sources are all that differs. Every noise has a seed of its
 * own. */
static bool differ_in_place(const milc_input *in, const run *a, const run *b)
{
    milc_source moved = *source_of(in, b);
    const milc_source *source = source_of(in, a);
    const unsigned keys = naik_source_kind_of(moved.type)->keys;
    const unsigned place = NAIK_SOURCE_KEY_ORIGIN | NAIK_SOURCE_KEY_T0;
    if (a->end - a->first != b->end - b->first || (keys & place) == 0 ||
        (keys & (NAIK_SOURCE_KEY_NOISE | NAIK_SOURCE_KEY_FILE)) != 0 ||
        memcmp(moved.origin, source->origin, sizeof moved.origin) == 0) {
        return false;
    }
    memcpy(moved.origin, source->origin, sizeof moved.origin);
    bool same = milc_same_source(&moved, source);
    for (int i = 0; i < a->end - a->first && same; i++) {
        const milc_propagator *p = &in->propagators[a->first + i];
        const milc_propagator *q = &in->propagators[b->first + i];
        same = p->mass == q->mass && p->epsilon == q->epsilon && p->error == q->error &&
               milc_same_twist(p, q);
    }
    return same;
}

/* The entry of an earlier run that run `number` can join; -1: there is none. */
static int entry_to_join(const milc_input *in, const entries *e, int number)
{
    const run *r = &e->runs[number];
    for (int i = 0; i < number; i++) {
        bool joins = e->runs[i].place == 0 && differ_in_place(in, &e->runs[i], r);
        for (int k = i + 1; k < number && joins; k++) {
            joins = e->runs[k].entry != e->runs[i].entry || differ_in_place(in, &e->runs[k], r);
        }
        if (joins) {
            return e->runs[i].entry;
        }
    }
    return -1;
}

static void share_entries(const milc_input *in, entries *e, bool shared)
{
    e->count = 0;
    memset(e->places, 0, sizeof e->places);
    for (int i = 0; i < e->run_count; i++) {
        run *r = &e->runs[i];
        const int joined = shared ? entry_to_join(in, e, i) : -1;
        r->entry = joined >= 0 ? joined : e->count++;
        r->place = e->places[r->entry]++;
    }
}

/* naik contracts the sources of entries in their order: whether that joins what MILC joins. */
static bool orders_agree(const milc_input *in, const entries *e)
{
    bool agree = true;
    for (int i = 0; i < in->hadron_count; i++) {
        const milc_hadron *h = &in->hadrons[i];
        const run *a = &e->runs[e->run_of[h->of[0]]];
        for (int k = 1; k < h->count; k++) {
            const run *b = &e->runs[e->run_of[h->of[k]]];
            agree = agree && a->place == b->place && e->places[a->entry] == e->places[b->entry];
        }
    }
    return agree;
}

/* The name of the entry that begins with propagator `first`, the part'th of its set. */
static void name_entry(const milc_propagator *first, int part, char name[32])
{
    snprintf(name, 32, "%s%d", first->condensate ? "pbp" : "set", first->set);
    if (part > 0) {
        naik_text_append(name, 32, "_%d", part);
    }
}

static void print_entry(FILE *out, const milc_input *in, const entries *e, const run *r,
                        bool with_epsilon)
{
    char text[32];
    const milc_propagator *p = in->propagators;
    bool epsilon = false;
    fprintf(out, "  - name: %s  # line %d\n    masses: [", e->names[r->entry], p[r->first].line);
    for (int i = r->first; i < r->end; i++) {
        fprintf(out, "%s%s", i > r->first ? ", " : "", real(p[i].mass, text));
        epsilon = epsilon || p[i].epsilon != 0;
    }
    fprintf(out, "]\n");
    if (epsilon && with_epsilon) {
        fprintf(out, "    naik_epsilon: [");
        for (int i = r->first; i < r->end; i++) {
            fprintf(out, "%s%s", i > r->first ? ", " : "", real(p[i].epsilon, text));
        }
        fprintf(out, "]\n");
    }
    const double *twist = p[r->first].twist;
    if (!naik_twist_none(twist)) {
        fprintf(out, "    twist: [");
        for (int k = 0; k < NAIK_DIM - 1; k++) {
            fprintf(out, "%s%s", k > 0 ? ", " : "", real(twist[k], text));
        }
        fprintf(out, "]\n");
    }
    /* Without error_for_propagator only the heavy-quark residual decides. */
    const double error = p[r->first].error;
    fprintf(out, "    tolerance: %s\n", real(error > 0 ? error : 1, text));
    print_source(out, in, e, r);
}

static void print_solves(FILE *out, const milc_input *in, entries *e, bool with_epsilon)
{
    const milc_propagator *p = in->propagators;
    int part = 0;
    fprintf(out, "solve:\n");
    for (int i = 0; i < e->run_count; i++) {
        const run *r = &e->runs[i];
        const bool goes_on = i > 0 && p[r->first].set == p[r->first - 1].set &&
                             p[r->first].condensate == p[r->first - 1].condensate;
        part = goes_on ? part + 1 : 0;
        if (r->place == 0) {
            name_entry(&p[r->first], part, e->names[r->entry]);
            print_entry(out, in, e, r, with_epsilon);
        }
    }
}

/* The same by entries; of a baryon their order makes no difference. */
static milc_hadron by_entries(const milc_hadron *h, const entries *e)
{
    milc_hadron same = {.count = h->count, .sink = h->sink};
    for (int k = 0; k < h->count; k++) {
        same.of[k] = e->runs[e->run_of[h->of[k]]].entry;
    }
    for (int i = 0; same.count == 3 && i < 3; i++) {
        for (int k = i + 1; k < 3; k++) {
            if (same.of[k] < same.of[i]) {
                const int swap = same.of[i];
                same.of[i] = same.of[k];
                same.of[k] = swap;
            }
        }
    }
    return same;
}

/* number: of the pair in the list, which tells apart those that differ in their smearing alone. */
static void print_pair(FILE *out, const milc_sink *sink, const char *antiquark, const char *quark,
                       int number)
{
    char text[32], suffix[32] = "";
    if (sink->wall) {
        snprintf(suffix, sizeof suffix, "-wall");
    } else if (sink->iterations > 0) {
        snprintf(suffix, sizeof suffix, "-smeared%d", number);
    }
    fprintf(out, "  - {name: %s-%s%s, quark: %s, antiquark: %s", quark, antiquark, suffix, quark,
            antiquark);
    if (sink->wall) {
        fprintf(out, ", sink: wall");
    } else if (sink->iterations > 0) {
        fprintf(out, ", sink: covariant_gaussian, radius: %s, iterations: %d",
                real(sink->radius, text), sink->iterations);
    }
    fprintf(out, "}\n");
}

/* Lists of pairs (count 2) or baryons (3), each set of entries once. */
static void print_hadrons(FILE *out, const milc_input *in, const entries *e, int count)
{
    bool any = false;
    int pairs = 0;
    for (int i = 0; i < in->hadron_count; i++) {
        const milc_hadron h = by_entries(&in->hadrons[i], e);
        bool had = h.count != count;
        for (int k = 0; k < i && !had; k++) {
            const milc_hadron before = by_entries(&in->hadrons[k], e);
            had = milc_hadron_is(&before, &h);
        }
        if (had) {
            continue;
        }
        fputs(any ? "" : count == 2 ? "pairs:\n" : "baryons:\n", out);
        any = true;
        const char *a = e->names[h.of[0]], *b = e->names[h.of[1]];
        if (count == 2) {
            print_pair(out, &h.sink, a, b, ++pairs);
        } else {
            const char *third = e->names[h.of[2]];
            fprintf(out, "  - {name: %s-%s-%s, quarks: [%s, %s, %s]}\n", a, b, third, a, b, third);
        }
    }
}

static void print_output(FILE *out, const milc_input *in, const char *file)
{
    fprintf(out, "output:\n  file: ");
    print_quoted(out, file);
    fprintf(out, "\n  propagators: %s\n  correlators: [", in->stores ? "true" : "false");
    const char *between = "";
    for (int i = 0; i < (int)NAIK_FIRST_CURRENT; i++) {
        if (in->mesons[i]) {
            fprintf(out, "%s%s", between, naik_input_correlator_name(i));
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
    if (in->weight == MILC_COSINES) {
        fprintf(out, "  momentum_weight: cos\n");
    }
    if (in->counted && !in->from_source) {
        const int *x = in->origin;
        fprintf(out, "  origin: [%d, %d, %d, %d]\n", x[0], x[1], x[2], x[3]);
    }
    if (in->nucleon || in->delta) {
        fprintf(out, "  baryons: [%s%s%s]\n", in->nucleon ? "nucleon" : "",
                in->nucleon && in->delta ? ", " : "", in->delta ? "delta_coulomb" : "");
    }
    if (in->loops) {
        fprintf(out, "  loops: [GX-G1, GY-G1, GZ-G1, GT-G1]\n");
    } else if (in->condensate_count > 0) {
        fprintf(out, "  condensate: true\n");
    }
}

bool milc_yaml_write(const milc_input *in, const char *name, const char *action,
                     const char *output_file, const char *notes, FILE *out)
{
    char text[32];
    entries *e = calloc(1, sizeof *e);
    if (e == NULL) {
        return false;
    }
    find_runs(in, e);
    share_entries(in, e, true);
    if (!orders_agree(in, e)) {
        share_entries(in, e, false);
    }
    fprintf(out, "# Translated by `naik import-milc` from %s\n", name);
    while (*notes != '\0') {
        const size_t length = strcspn(notes, "\n");
        fprintf(out, "# %.*s\n", (int)length, notes);
        notes += length + (notes[length] == '\n');
    }
    fprintf(out, "lattice:\n  size: [%d, %d, %d, %d]\n  boundary_t: %s\n", in->size[0], in->size[1],
            in->size[2], in->size[3], in->antiperiodic ? "antiperiodic" : "periodic");
    fprintf(out, "gauge:\n  file: ");
    print_quoted(out, in->gauge != MILC_UNFIXED ? in->fixed_file : in->gauge_file);
    fprintf(out, "\naction:\n  type: %s\n", action);
    if (strcmp(action, "asqtad") == 0) {
        fprintf(out, "  u0: %s\n", real(in->u0, text));
    }
    print_solves(out, in, e, strcmp(action, "hisq") == 0);
    print_hadrons(out, in, e, 2);
    print_hadrons(out, in, e, 3);
    fprintf(out, "solver:\n  max_iterations: %lld\n",
            (long long)(in->max_iterations < 100000000 ? in->max_iterations : 100000000));
    if (in->relative_error > 0) {
        fprintf(out, "  site_relative_tolerance: %s\n", real(in->relative_error, text));
    }
    print_output(out, in, output_file);
    free(e);
    return true;
}
