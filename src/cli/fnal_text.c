/* fnal_text.c - correlators as the text that MILC writes for FNAL's analysis
 *
 * A block of metadata says who the quark and the antiquark are; those of one block follow, each
 * with a block of its own. The same words as MILC's, with naik's names for sources and correlators, and
 * more of them where MILC has no such correlators. Correlators of a file that have one key have the same
 * numbers: those of two entries of pairs, or of baryons, with the same quarks and a point as sink.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/correlator_facts.h"
#include "input/input.h"

static void field(naik_log *log, const char *who, const char *name, const char *text)
{
    char key[64];
    snprintf(key, sizeof key, "%s%s%s:", who, who[0] != '\0' ? "_" : "", name);
    naik_log_line(log, "%-29s %s", key, text);
}

static const char *fact(const naik_propagator_reader *v, const char *name)
{
    const char *text = naik_propagator_reader_text(v, name);
    return text != NULL ? text : "";
}

/* The source of that label, as its type and place. */
static void print_quark(naik_log *log, const naik_propagator_reader *v, const char *who,
                        const char *sink, const char *label, double mass, double naik_epsilon,
                        const double twist[NAIK_DIM - 1])
{
    char type[96] = "", text[64];
    const char *place = "";
    const naik_quark_kind *kind = NULL;
    const bool spin = v->columns > 3;
    for (int i = 0; i < v->pair_count; i++) {
        if (strcmp(v->pairs[i].label, label) == 0) {
            snprintf(type, sizeof type, "%s", v->pairs[i].source);
            kind = v->pairs[i].quark.kind;
        }
    }
    char *at = strstr(type, " at ");
    if (at != NULL) {
        *at = '\0';
        place = at + 4;
    }
    field(log, who, "type", spin ? (kind != NULL ? kind->name : "") : "staggered");
    field(log, who, "source_type", type);
    field(log, who, "source_origin", place);
    field(log, who, "source_label", label);
    field(log, who, "sink_label", sink);
    snprintf(text, sizeof text, "\"%.10g\"", mass);
    field(log, who, "mass", text);
    snprintf(text, sizeof text, spin ? "\"%.10g\"" : "%.10g",
             spin ? 1 / (2 * mass + 8) : naik_epsilon);
    field(log, who, spin ? "kappa" : "epsilon", text);
    naik_propagator_twist_text(twist, "", type);
    if (type[0] != '\0') {
        field(log, who, "twist", type);
    }
}

/* unconverged: solves that missed their tolerance. */
static void begin(naik_log *log, const naik_propagator_reader *v, int unconverged)
{
    char size[64], date[80];
    snprintf(size, sizeof size, "%d,%d,%d,%d", v->size[0], v->size[1], v->size[2], v->size[3]);
    snprintf(date, sizeof date, "\"%.60s\"", fact(v, "created"));
    naik_log_line(log, "---");
    field(log, "", "JobID", fact(v, "uuid"));
    field(log, "", "date", date);
    field(log, "", "lattice_size", size);
    if (unconverged > 0) {
        field(log, "", "converged", "no");
    }
}

/* Where sign and momentum of a correlator are counted from; weight: of a momentum, "exp" or "cos". */
typedef struct frame {
    const int *from; /* NULL: from nowhere */
    const char *weight;
} frame;

static void print_frame(naik_log *log, const int p[NAIK_DIM - 1], const frame *frame)
{
    char text[64];
    if (frame->from != NULL) {
        const int *x = frame->from;
        snprintf(text, sizeof text, "%d,%d,%d,%d", x[0], x[1], x[2], x[3]);
        field(log, "", "counted_from", text);
    }
    if (naik_input_is_moving(p) && frame->weight[0] != '\0') {
        field(log, "", "momentum_weight", frame->weight);
    }
}

/* values [T][2]. who: sources and masses, for the key. */
static void print_values(naik_log *log, const naik_propagator_reader *v, const char *name,
                         const int p[NAIK_DIM - 1], const frame *frame, const char *who,
                         const double *values)
{
    char momentum[64], key[800];
    naik_propagator_momentum_name(p, momentum);
    snprintf(key, sizeof key, "%s_%s_%s", name, who, momentum);
    naik_log_line(log, "---");
    field(log, "", "correlator", name);
    field(log, "", "momentum", momentum);
    print_frame(log, p, frame);
    field(log, "", "spin_taste_sink", name);
    field(log, "", "correlator_key", key);
    naik_log_line(log, "...");
    for (int t = 0; t < v->size[NAIK_DIM - 1]; t++) {
        naik_log_line(log, "%d\t%.16e\t%.16e", t, values[2 * t], values[2 * t + 1]);
    }
}

/* "_m0.5", or "_m0.5_e-0.1" where the source has this mass with another Naik epsilon as well. */
static void add_mass(const naik_propagator_reader *v, const naik_contracted_quark *quark,
                     char *text, size_t text_size)
{
    naik_text_append(text, text_size, "_m%.10g", quark->quark.mass);
    if (correlator_mass_is_shared(v, quark->source, &quark->quark)) {
        naik_text_append(text, text_size, "_e%.10g", quark->quark.naik_epsilon);
    }
}

static int print_pair(naik_log *log, const naik_propagator_reader *v, const naik_reader_pair *pair)
{
    if (pair->correlator_count == 0) {
        return 0;
    }
    char who[NAIK_CONTRACTION_TEXT + 160];
    naik_contracted_quark quark = {.quark = pair->quark};
    snprintf(quark.source, sizeof quark.source, "%s", pair->label);
    snprintf(who, sizeof who, "%.95s", pair->label);
    for (int i = 0; i < 2; i++) {
        add_mass(v, &quark, who, sizeof who);
    }
    begin(log, v, correlator_unconverged_quark(v, &quark));
    print_quark(log, v, "antiquark", "point", pair->label, pair->quark.mass,
                pair->quark.naik_epsilon, pair->quark.twist);
    print_quark(log, v, "quark", "point", pair->label, pair->quark.mass, pair->quark.naik_epsilon,
                pair->quark.twist);
    naik_log_line(log, "...");
    for (int k = 0; k < pair->correlator_count; k++) {
        const naik_reader_correlator *c = &pair->correlators[k];
        const frame counted = {pair->counted_from, pair->waves ? "exp" : "cos"};
        print_values(log, v, c->meson, c->momentum, &counted, who, c->values);
    }
    return pair->correlator_count;
}

/* Which quark stands where, by how many there are: of a meson the antiquark first. */
static const int order[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 2}};

/* The entry of the input, which tells apart sinks that differ in their smearing; sources, then masses; one
 * quark alone has its mass twice. */
static void name_quarks(const naik_propagator_reader *v, const naik_reader_contraction *c,
                        char *text, size_t text_size)
{
    const int *k = order[c->quarks - 1];
    const char *name = strchr(c->path + 1, '/'); /* behind "/corr" */
    text[0] = '\0';
    if (c->sink[0] != '\0' && name != NULL) {
        naik_text_append(text, text_size, "%.*s_", (int)strcspn(name + 1, "/"), name + 1);
    }
    for (int i = 0; i < c->quarks; i++) {
        naik_text_append(text, text_size, "%s%s", i > 0 ? "_" : "", c->quark[k[i]].source);
    }
    for (int i = 0; i < (c->quarks > 2 ? 3 : 2); i++) {
        add_mass(v, &c->quark[k[i]], text, text_size);
    }
}

/* What a three-point function has beside the quarks that meet in the current. */
static void print_three_point(naik_log *log, const naik_propagator_reader *v,
                              const naik_reader_contraction *c)
{
    char text[64];
    print_quark(log, v, "spectator", "point", c->spectator.source, c->spectator.quark.mass,
                c->spectator.quark.naik_epsilon, c->spectator.quark.twist);
    snprintf(text, sizeof text, "%d", c->sink_time);
    field(log, "", "sink_time", text);
    field(log, "", "sink_operator", c->sink_operator);
    naik_propagator_momentum_name(c->sink_momentum, text);
    field(log, "", "sink_momentum", text);
    if (c->source_operator[0] != '\0') {
        field(log, "", "source_operator", c->source_operator);
    }
}

/* What is no correlator of one configuration, such as an error, is left out. */
static int print_contraction(naik_log *log, const naik_propagator_reader *v,
                             const naik_reader_contraction *c)
{
    static const char *const names[3][3] = {
        {"quark", "", ""}, {"quark", "antiquark", ""}, {"quark0", "quark1", "quark2"}};
    char who[4 * NAIK_CONTRACTION_TEXT + 240];
    if (strcmp(c->quantity, "correlator") != 0) {
        return 0;
    }
    name_quarks(v, c, who, sizeof who);
    begin(log, v, correlator_unconverged(v, c));
    for (int i = 0; i < c->quarks; i++) {
        const int k = order[c->quarks - 1][i];
        print_quark(log, v, names[c->quarks - 1][k], c->sink[0] != '\0' ? c->sink : "point",
                    c->quark[k].source, c->quark[k].quark.mass, c->quark[k].quark.naik_epsilon,
                    c->quark[k].quark.twist);
    }
    if (c->three_point) {
        print_three_point(log, v, c);
    }
    naik_log_line(log, "...");
    const frame counted = {c->counted ? c->counted_from : NULL, c->weight};
    print_values(log, v, c->correlator, c->momentum, &counted, who, c->values);
    return 1;
}

int fnal_text_print(naik_log *log, const naik_propagator_reader *view)
{
    int printed = 0;
    for (int i = 0; i < view->pair_count; i++) {
        printed += print_pair(log, view, &view->pairs[i]);
    }
    for (int i = 0; i < view->contractions.count; i++) {
        printed += print_contraction(log, view, &view->contractions.item[i]);
    }
    return printed;
}
