/* milc_correlators.c - quarks and correlators of a ks_spectrum input
 *
 * naik contracts every propagator with itself, for every meson and momentum asked for anywhere in
 * the file, and the entries of two propagators with all masses of both: where the file asks for
 * fewer, there are more correlators in the output, not others.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "input/input.h"
#include "milc/milc_input.h"
#include "propagator/baryon.h"

/* Of a quark or a correlator: forgotten, or written under some name. */
static naik_status saved(milc_words *w, const char *forget, bool *there)
{
    naik_status status = milc_words_take(w, forget);
    *there = status == NAIK_OK && strncmp(w->word, "save_", 5) == 0;
    if (*there) {
        status = milc_words_take(w, "the name of its file");
    } else if (status == NAIK_OK && strcmp(w->word, forget) != 0) {
        status = milc_words_refuse(w, w->word_line, "expected '%s' or 'save_...', found '%s'",
                                   forget, w->word);
    }
    return status;
}

/* What is done to a propagator or quark before it is contracted. */
static naik_status sink(milc_words *w, milc_quark *quark)
{
    static const char *const stops[] = {"op_label", NULL};
    NAIK_PASS(milc_words_take(w, "identity"));
    const bool plain = !quark->sink.wall && quark->sink.iterations == 0;
    if (strcmp(w->word, "evenandodd_wall") == 0 && plain) {
        quark->sink.wall = true;
    } else if (strcmp(w->word, "covariant_gaussian") == 0 && plain) {
        bool other = false;
        NAIK_PASS(milc_smearing_read(w, &quark->sink.radius, &quark->sink.iterations, &other));
        quark->propagator = other ? -1 : quark->propagator;
    } else if (strcmp(w->word, "identity") != 0) {
        milc_words_obstacle(w, w->word_line,
                            "the sink operation '%s' cannot be expressed, only identity and one "
                            "evenandodd_wall or covariant_gaussian; save the propagators and "
                            "contract with naik_io.py",
                            w->word);
        quark->propagator = -1;
        NAIK_PASS(milc_words_until(w, stops));
    }
    NAIK_PASS(milc_words_key(w, "op_label"));
    return milc_words_take(w, "op_label");
}

static naik_status quark(milc_words *w, milc_input *in, int first_propagator, int first_quark)
{
    static const char *const stops[] = {"forget_ksprop",
                                        "save_serial_scidac_ksprop",
                                        "save_parallel_scidac_ksprop",
                                        "save_partfile_scidac_ksprop",
                                        "save_multifile_scidac_ksprop",
                                        "save_serial_fm_ksprop",
                                        "save_ascii_ksprop",
                                        NULL};
    int parent = 0;
    milc_quark made = {.propagator = -1};
    bool is_saved = false;
    if (in->quark_count >= MILC_MAX_PROPAGATORS) {
        return milc_words_refuse(w, w->word_line, "more than %d quarks", MILC_MAX_PROPAGATORS);
    }
    NAIK_PASS(milc_words_take(w, "propagator or quark"));
    if (strcmp(w->word, "propagator") == 0) {
        NAIK_PASS(milc_words_int(w, "propagator", 0, in->propagator_count - first_propagator - 1,
                                 &parent));
        made.propagator = in->propagators[first_propagator + parent].same_as;
        if (made.propagator < 0) {
            milc_words_obstacle(w, w->word_line, "propagator %d is not solved", parent);
        }
        NAIK_PASS(sink(w, &made));
    } else if (strcmp(w->word, "quark") == 0) {
        NAIK_PASS(milc_words_int(w, "quark", 0, in->quark_count - first_quark - 1, &parent));
        made = in->quarks[first_quark + parent];
        NAIK_PASS(sink(w, &made));
    } else if (strcmp(w->word, "combine") == 0) {
        milc_words_obstacle(w, w->word_line,
                            "'combine' cannot be expressed; a quark is a propagator here");
        NAIK_PASS(milc_words_until(w, stops));
    } else {
        return milc_words_refuse(
            w, w->word_line, "expected 'propagator', 'quark' or 'combine', found '%s'", w->word);
    }
    NAIK_PASS(saved(w, "forget_ksprop", &is_saved));
    if (is_saved) {
        fprintf(in->notes, "line %d: %s: all propagators go into output.file, quarks do not\n",
                w->word_line, w->word);
        in->stores = true;
    }
    in->quarks[in->quark_count++] = made;
    return NAIK_OK;
}

static naik_status add_momentum(milc_words *w, milc_input *in, const int p[NAIK_DIM - 1])
{
    for (int i = 0; i < in->momentum_count; i++) {
        if (memcmp(in->momenta[i], p, sizeof in->momenta[i]) == 0) {
            return NAIK_OK;
        }
    }
    if (in->momentum_count >= MILC_MAX_MOMENTA) {
        return milc_words_refuse(w, w->word_line, "more than %d momenta", MILC_MAX_MOMENTA);
    }
    memcpy(in->momenta[in->momentum_count++], p, sizeof in->momenta[0]);
    return NAIK_OK;
}

typedef struct correlator {
    int line;
    char label[MILC_WORD_SIZE], momentum_label[MILC_WORD_SIZE];
    char phase[MILC_WORD_SIZE], name[MILC_WORD_SIZE];
    char parity[NAIK_DIM - 1][MILC_WORD_SIZE];
    bool divided;
    double factor;
    int momentum[NAIK_DIM - 1];
} correlator;

/* PHASE * FACTOR NAME */
static naik_status factor_and_name(milc_words *w, correlator *c)
{
    NAIK_PASS(milc_words_take(w, "the phase"));
    memcpy(c->phase, w->word, sizeof c->phase);
    NAIK_PASS(milc_words_take(w, "* or /"));
    c->divided = strcmp(w->word, "/") == 0;
    if (!c->divided && strcmp(w->word, "*") != 0) {
        return milc_words_refuse(w, c->line, "expected * or / and a factor, found '%s'", w->word);
    }
    NAIK_PASS(milc_words_take(w, "the factor"));
    if (!naik_text_real(w->word, &c->factor)) {
        return milc_words_refuse(w, c->line, "the factor must be a number, not '%s'", w->word);
    }
    NAIK_PASS(milc_words_take(w, "what is contracted"));
    memcpy(c->name, w->word, sizeof c->name);
    return NAIK_OK;
}

/* correlator LABEL MOMENTUM_LABEL PHASE * FACTOR MESON px py pz Px Py Pz */
static naik_status meson_line(milc_words *w, correlator *c)
{
    NAIK_PASS(milc_words_text(w, "correlator", c->label));
    c->line = w->word_line;
    NAIK_PASS(milc_words_take(w, "the label of the momentum"));
    memcpy(c->momentum_label, w->word, sizeof c->momentum_label);
    NAIK_PASS(factor_and_name(w, c));
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        NAIK_PASS(milc_words_int(w, "momentum", -99, 99, &c->momentum[k]));
    }
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        NAIK_PASS(milc_words_take(w, "the parity of a momentum"));
        memcpy(c->parity[k], w->word, sizeof c->parity[k]);
    }
    return NAIK_OK;
}

/* Whether every component that does not vanish has this parity, and the others one that is not odd. */
static bool has_parity(const correlator *c, const char *parity)
{
    for (int k = 0; k < NAIK_DIM - 1; k++) {
        if (c->momentum[k] == 0 ? strcmp(c->parity[k], "O") == 0
                                : strcmp(c->parity[k], parity) != 0) {
            return false;
        }
    }
    return true;
}

/* Remembers that these propagators are contracted. */
static naik_status add_hadron(milc_words *w, milc_input *in, const milc_hadron *hadron)
{
    for (int i = 0; i < in->hadron_count; i++) {
        if (milc_hadron_is(&in->hadrons[i], hadron)) {
            return NAIK_OK;
        }
    }
    if (in->hadron_count >= MILC_MAX_HADRONS) {
        return milc_words_refuse(w, w->word_line, "more than %d mesons and baryons",
                                 (int)MILC_MAX_HADRONS);
    }
    in->hadrons[in->hadron_count++] = *hadron;
    return NAIK_OK;
}

static void note_factor(milc_input *in, const correlator *c, const char *times)
{
    if (strcmp(c->phase, "1") != 0 || c->factor != 1 || times[0] != '\0') {
        fprintf(in->notes, "line %d: %s is written without its factor %s %s %.17g%s\n", c->line,
                c->label, c->phase, c->divided ? "/" : "*", c->factor, times);
    }
}

/* E is the product of cosines, EO the exponential: of one file naik has one of them. A momentum along one
 * axis has both in the real part where every site's term is real, as of one propagator and a local operator.
 * false: an obstacle was written down. */
static bool take_weight(milc_words *w, milc_input *in, const correlator *c, bool is_real)
{
    const int *p = c->momentum;
    const bool even = has_parity(c, "E"), one_axis = (p[0] != 0) + (p[1] != 0) + (p[2] != 0) == 1;
    if (!even && !has_parity(c, "EO")) {
        milc_words_obstacle(w, c->line,
                            "the momentum parities %s %s %s of %s cannot be expressed, only E "
                            "(cosines) or EO (the exponential) in all directions",
                            c->parity[0], c->parity[1], c->parity[2], c->label);
        return false;
    }
    const milc_weight wanted = even ? MILC_COSINES : MILC_WAVES;
    in->weight = in->weight == MILC_AT_REST ? wanted : in->weight;
    if (in->weight == wanted) {
        return true;
    }
    if (!is_real || !one_axis) {
        milc_words_obstacle(
            w, c->line,
            "the momentum parities of %s are others than those before it: naik has one "
            "output.momentum_weight in a file",
            c->label);
        return false;
    }
    fprintf(in->notes, "line %d: of %s at %d %d %d the real part is parity E%s\n", c->line,
            c->label, p[0], p[1], p[2], even ? "" : ", and the other is not written");
    return true;
}

static bool is_twisted(const milc_input *in, const milc_quark *quark)
{
    return !naik_twist_none(in->propagators[quark->propagator].twist);
}

/* Adds it to what naik contracts of antiquark a and quark b, or says why not. */
static naik_status take_meson(milc_words *w, milc_input *in, const correlator *c,
                              const int offset[NAIK_DIM], const milc_quark *a, const milc_quark *b)
{
    int sign = 1;
    const int meson = milc_operator_of(c->name, &sign), *p = c->momentum;
    const bool moves = naik_input_is_moving(p);
    const milc_hadron pair = {.count = 2, .of = {a->propagator, b->propagator}, .sink = a->sink};
    const bool of_two = a->propagator != b->propagator || a->sink.iterations > 0;
    const milc_counted counted = {.line = c->line,
                                  .label = c->label,
                                  .meson = meson,
                                  .momentum = p,
                                  .of = {a->propagator, b->propagator}};
    if (meson < 0) {
        milc_words_obstacle(w, c->line,
                            "the meson '%s' of %s cannot be expressed; save the propagators and "
                            "contract with naik_io.py",
                            c->name, c->label);
        return NAIK_OK;
    }
    if (a->sink.wall && (meson != NAIK_PION5 || moves)) {
        milc_words_obstacle(w, c->line,
                            "%s of %s vanishes: of two wall sinks there is pion5 at rest only",
                            c->name, c->label);
        return NAIK_OK;
    }
    if (a->sink.wall) {
        note_factor(in, c, ", and without the sum over nx ny nz equal sites of the sink");
        return add_hadron(w, in, &pair);
    }
    const char *why = !(meson >= (int)NAIK_MESONS) ? NULL
                      : is_twisted(in, a) || is_twisted(in, b)
                          ? "naik makes operators with links only without a twist"
                          : milc_other_links(in);
    if (why != NULL) {
        milc_words_obstacle(w, c->line, "the meson '%s' of %s cannot be expressed: %s", c->name,
                            c->label, why);
        return NAIK_OK;
    }
    if (!milc_offset_take(w, in, &counted, offset) ||
        (moves && !take_weight(w, in, c, !of_two && meson < (int)NAIK_MESONS))) {
        return NAIK_OK;
    }
    in->mesons[meson] = true;
    note_factor(in, c, "");
    if (sign < 0) {
        fprintf(in->notes, "line %d: %s is minus %s\n", c->line, c->label,
                naik_input_correlator_name(meson));
    }
    if (of_two) {
        NAIK_PASS(add_hadron(w, in, &pair));
    }
    return add_momentum(w, in, p);
}

/* spectrum_request REQUEST, where it is saved, r_offset, number_of_correlators */
static naik_status request(milc_words *w, milc_input *in, const char *what, int offset[NAIK_DIM],
                           int *count)
{
    bool there = false;
    char requested[MILC_WORD_SIZE];
    NAIK_PASS(milc_words_text(w, "spectrum_request", requested));
    if (strcmp(requested, what) != 0) {
        return milc_words_refuse(
            w, w->word_line, "'spectrum_request %s' cannot be expressed, only %s", requested, what);
    }
    NAIK_PASS(saved(w, "forget_corr", &there));
    NAIK_PASS(milc_words_ints(w, "r_offset", NAIK_DIM, 0, 32767, offset));
    const int turned = strcmp(what, "baryon") == 0 ? offset[3] % in->size[3] : 0;
    if (offset[3] != 0 && !in->noted_t) {
        fprintf(in->notes,
                "line %d: correlators run over t of the lattice, not from r_offset (noted of the "
                "first such line only)\n",
                w->word_line);
        in->noted_t = true;
    }
    if (turned != 0 && turned != in->noted_turned) {
        fprintf(in->notes,
                "line %d: r_offset: on the slices t below %d MILC's baryons are minus naik's\n",
                w->word_line, turned);
        in->noted_turned = turned;
    }
    return milc_words_ints(w, "number_of_correlators", 1, 0, 1000, count);
}

/* MILC averages the lines of a pair that have both labels alike; naik has each correlator by itself. */
static void note_average(milc_input *in, const correlator *lines, int last)
{
    const correlator *c = &lines[last];
    int before = 0;
    for (int i = 0; i < last; i++) {
        before += strcmp(lines[i].label, c->label) == 0 &&
                  strcmp(lines[i].momentum_label, c->momentum_label) == 0;
    }
    if (before == 1) {
        fprintf(
            in->notes,
            "line %d: %s %s: MILC writes the mean of all lines with these two labels, naik each "
            "correlator by itself\n",
            c->line, c->label, c->momentum_label);
    }
}

static naik_status meson(milc_words *w, milc_input *in, int first_quark)
{
    naik_status status = NAIK_OK;
    int pair[2] = {0}, offset[NAIK_DIM] = {0}, count = 0;
    correlator *lines = NULL;
    NAIK_TRY(milc_words_ints(w, "pair", 2, 0, in->quark_count - first_quark - 1, pair));
    const int line = w->word_line;
    const milc_quark *a = &in->quarks[first_quark + pair[0]];
    const milc_quark *b = &in->quarks[first_quark + pair[1]];
    bool good = a->propagator >= 0 && b->propagator >= 0;
    NAIK_TRY(request(w, in, "meson", offset, &count));
    if (!good) {
        milc_words_obstacle(w, line, "'pair %d %d' needs what cannot be expressed", pair[0],
                            pair[1]);
    } else if (!milc_sink_is(&a->sink, &b->sink)) {
        milc_words_obstacle(w, line,
                            "'pair %d %d' of two different sinks cannot be expressed; save the "
                            "propagators and contract with naik_io.py",
                            pair[0], pair[1]);
        good = false;
    } else {
        char words[64];
        snprintf(words, sizeof words, "'pair %d %d'", pair[0], pair[1]);
        good = milc_one_side(w, in, line, words, 2, (const int[]){a->propagator, b->propagator});
    }
    lines = calloc((size_t)count + 1, sizeof *lines);
    if (lines == NULL) {
        status = NAIK_FAIL(w->log, NAIK_ERR_MEMORY, "no memory for %d correlators", count);
        goto done;
    }
    for (int i = 0; i < count; i++) {
        NAIK_TRY(meson_line(w, &lines[i]));
        if (good) {
            NAIK_TRY(take_meson(w, in, &lines[i], offset, a, b));
            note_average(in, lines, i);
        }
    }
done:
    free(lines);
    return status;
}

/* MILC takes the first corner of the hypercube, naik the first that the source carries. */
static bool at_first_corner(const milc_input *in, naik_baryon baryon, const int of[3])
{
    unsigned corners = ~0U;
    int corner[NAIK_DIM - 1] = {1};
    for (int k = 0; k < 3; k++) {
        const naik_source source = milc_source_of(in, of[k]);
        corners &= naik_source_corners(&source);
    }
    return naik_baryon_corner(baryon, corners, false, corner) &&
           corner[0] + corner[1] + corner[2] == 0;
}

/* MILC's has neither the links nor the halves of the shifts. */
static bool take_delta(milc_input *in, const correlator *c, const int *of)
{
    const naik_source source = milc_source_of(in, of[0]);
    if (of[0] != of[1] || of[0] != of[2] || naik_source_is_random(source.type) ||
        !at_first_corner(in, NAIK_DELTA_COULOMB, of)) {
        return false;
    }
    note_factor(in, c, "");
    fprintf(in->notes,
            "line %d: %s: MILC's delta is 8 times the real part of naik's delta_coulomb\n", c->line,
            c->label);
    in->delta = true;
    return true;
}

static naik_status take_baryon(milc_words *w, milc_input *in, const correlator *c,
                               const milc_hadron *three)
{
    const int *of = three->of;
    if (strcmp(c->name, "delta") == 0 && take_delta(in, c, of)) {
        return NAIK_OK;
    }
    if (strcmp(c->name, "nucleon") != 0) {
        milc_words_obstacle(w, c->line,
                            "the baryon '%s' of %s cannot be expressed; save the propagators and "
                            "contract with naik_io.py",
                            c->name, c->label);
        return NAIK_OK;
    }
    if (!at_first_corner(in, NAIK_NUCLEON, of)) {
        milc_words_obstacle(
            w, c->line,
            "the nucleon of a source that is zero where x, y and z are even cannot be "
            "expressed; naik sums it at a corner that the source carries");
        return NAIK_OK;
    }
    note_factor(in, c, "");
    if (of[0] == of[1] && of[0] == of[2]) {
        in->nucleon = true;
        return NAIK_OK;
    }
    fprintf(in->notes,
            "line %d: %s: naik has the mean over the six assignments of source colours to quarks, "
            "MILC one of them\n",
            c->line, c->label);
    return add_hadron(w, in, three);
}

static naik_status baryon(milc_words *w, milc_input *in, int first_quark)
{
    int triplet[3] = {0}, offset[NAIK_DIM] = {0}, count = 0;
    milc_hadron three = {.count = 3};
    bool good = true;
    NAIK_PASS(milc_words_ints(w, "triplet", 3, 0, in->quark_count - first_quark - 1, triplet));
    const int line = w->word_line;
    for (int k = 0; k < 3; k++) {
        const milc_quark *quark = &in->quarks[first_quark + triplet[k]];
        three.of[k] = quark->propagator;
        good = good && quark->propagator >= 0 && !quark->sink.wall && quark->sink.iterations == 0;
    }
    if (!good) {
        milc_words_obstacle(w, line, "'triplet %d %d %d' needs what cannot be expressed",
                            triplet[0], triplet[1], triplet[2]);
    } else {
        char words[64];
        snprintf(words, sizeof words, "'triplet %d %d %d'", triplet[0], triplet[1], triplet[2]);
        good = milc_one_side(w, in, line, words, 3, three.of);
    }
    NAIK_PASS(request(w, in, "baryon", offset, &count));
    for (int i = 0; i < count; i++) {
        correlator c = {0};
        NAIK_PASS(milc_words_text(w, "correlator", c.label));
        c.line = w->word_line;
        NAIK_PASS(factor_and_name(w, &c));
        if (good) {
            NAIK_PASS(take_baryon(w, in, &c, &three));
        }
    }
    return NAIK_OK;
}

naik_status milc_correlators_read(milc_words *w, milc_input *in, int first_propagator)
{
    const int first_quark = in->quark_count;
    int count = 0;
    milc_words_stanza(w, "quarks", -1);
    NAIK_PASS(milc_words_ints(w, "number_of_quarks", 1, 0, MILC_MAX_PROPAGATORS, &count));
    for (int i = 0; i < count; i++) {
        milc_words_stanza(w, "quark", i);
        NAIK_PASS(quark(w, in, first_propagator, first_quark));
    }
    milc_words_stanza(w, "mesons", -1);
    NAIK_PASS(milc_words_ints(w, "number_of_mesons", 1, 0, MILC_MAX_PROPAGATORS, &count));
    for (int i = 0; i < count; i++) {
        milc_words_stanza(w, "meson", i);
        NAIK_PASS(meson(w, in, first_quark));
    }
    milc_words_stanza(w, "baryons", -1);
    NAIK_PASS(milc_words_ints(w, "number_of_baryons", 1, 0, MILC_MAX_PROPAGATORS, &count));
    for (int i = 0; i < count; i++) {
        milc_words_stanza(w, "baryon", i);
        NAIK_PASS(baryon(w, in, first_quark));
    }
    return NAIK_OK;
}
