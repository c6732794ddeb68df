/* contraction_list.c - which correlators of several solves an input asks for */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lattice/source_kind.h"
#include "propagator/spin_meson.h"
#include "run/contraction_list.h"
#include "run/frame.h"

static const char *const definitions[] = {
    [CONTRACT_NUCLEON] =
        "sum over x at the source's corner of the hypercube of det G(x), rows by source colour",
    [CONTRACT_CONDENSATE] = ("sum over x and colours of src^+ G: Tr M^-1 of the sites that carry "
                             "noise, M = 2m + D; no 1/V, no sign"),
    [CONTRACT_WALL] = "Tr W_quark W_antiquark^+, W(t) = sum over x of G; no 1/V",
    [CONTRACT_BARYON] =
        ("sum over x at the sources' corner of the hypercube of the mean, over the assignments of "
         "source colours to quarks, of det of the rows of their G"),
    [CONTRACT_CHANNEL] = ("sum over x of w(x - x0) tr g5 G S H g5 S^+, G and H of the "
                          "correlator (spin_meson.h); no 1/V, no sign"),
    [CONTRACT_CHANNEL_PAIR] = ("sum over x of w(x - x0) tr g5 G S_quark H g5 S_antiquark^+, G "
                               "and H of the correlator (spin_meson.h); no 1/V, no sign"),
    [CONTRACT_CHANNEL_SMEARED] =
        ("sum over x of w(x - x0) tr g5 G S_quark H g5 S_antiquark^+, G and H of the "
         "correlator (spin_meson.h), both S smeared at x by a gauge-covariant gaussian; no 1/V, no "
         "sign"),
    [CONTRACT_CHANNEL_WALL] =
        ("tr g5 G W_quark H g5 W_antiquark^+, W(t) = sum over x of S, G and H "
         "of the correlator (spin_meson.h); no 1/V, no sign"),
    [CONTRACT_SPIN_CONDENSATE] =
        ("sum over x, spins and colours of src^+ S: Tr M^-1 of the sites that carry noise, M = m + "
         "4 + C - D/2; no 1/V, no sign"),
    [CONTRACT_SPIN_BARYON] =
        ("sum over x of tr (1 + gt)/2 <N(x) Nbar(x0)>, N = eps_abc (q_a^T C g5 r_b) s_c of the "
         "quarks in their order, C = gy gt; the first and third change places where they are of "
         "one "
         "entry and mass (spin_nucleon.h); no 1/V, no sign"),
    [CONTRACT_SPIN_NUCLEON] = ("sum over x of tr (1 + gt)/2 <N(x) Nbar(x0)>, N = eps_abc (u_a^T C "
                               "g5 d_b) u_c, C = gy gt (spin_nucleon.h); no 1/V, no sign"),
    [CONTRACT_PAIR] = "sum over x of w(x - x0) phi(x - x0) Tr G_quark G_antiquark^+; no 1/V",
    [CONTRACT_SMEARED] =
        ("sum over x of w(x - x0) phi(x - x0) Tr G_quark G_antiquark^+, both G smeared at x by a "
         "gauge-covariant gaussian; no 1/V"),
    [CONTRACT_MEAN] = "mean over sources, each shifted to t = 0",
    [CONTRACT_ERROR] = "standard error of that mean, of real and imaginary part"};

const naik_vectors *contraction_momenta(const naik_input *input, const contraction_item *item)
{
    return item->quarks == 1 ? &input->solve[input->sources[item->source[0]].solve].momenta
                             : &input->output.momenta;
}

const naik_ints *contraction_correlators(const naik_input *input, const contraction_item *item)
{
    return item->quarks == 1 ? &input->solve[input->sources[item->source[0]].solve].correlators
                             : &input->output.correlators;
}

typedef struct builder {
    const naik_input *input;
    contraction_list *list;
    int room;
    bool failed;
} builder;

static naik_contraction *add(builder *b, const contraction_item *item)
{
    contraction_list *list = b->list;
    if (list->count == b->room && !b->failed) {
        const int room = 2 * b->room + 64;
        void *spec = realloc(list->spec, (size_t)room * sizeof *list->spec);
        list->spec = spec != NULL ? spec : list->spec;
        void *items = realloc(list->item, (size_t)room * sizeof *list->item);
        list->item = items != NULL ? items : list->item;
        b->failed = spec == NULL || items == NULL;
        b->room = b->failed ? b->room : room;
    }
    if (b->failed) {
        return NULL;
    }
    list->item[list->count] = *item;
    naik_contraction *out = &list->spec[list->count++];
    *out = (naik_contraction){.quantity = "correlator", .definition = definitions[item->kind]};
    return out;
}

static void describe_sink(const contraction_item *item, naik_contraction *out)
{
    if (item->kind == CONTRACT_WALL || item->kind == CONTRACT_CHANNEL_WALL) {
        out->sink = "wall";
    } else if (item->iterations > 0) {
        out->sink = "covariant_gaussian";
        out->sink_radius = item->radius;
        out->sink_iterations = item->iterations;
    }
}

/* Masses, epsilons and labels of its quarks. */
static void describe(const builder *b, const contraction_item *item, bool averaged,
                     naik_contraction *out)
{
    out->quarks = item->quarks;
    for (int k = 0; k < item->quarks; k++) {
        const naik_input_source *source = &b->input->sources[item->source[k]];
        const naik_input_solve *solve = &b->input->solve[source->solve];
        snprintf(out->quark[k].source, sizeof out->quark[k].source, "%s",
                 averaged ? solve->name : source->label);
        out->quark[k].mass = solve->masses.data[item->mass[k]];
        out->quark[k].naik_epsilon = solve->naik_epsilon.data[item->mass[k]];
        if (naik_input_twist(solve) != NULL) {
            memcpy(out->quark[k].twist, naik_input_twist(solve), sizeof out->quark[k].twist);
        }
    }
    if (item->momentum >= 0) {
        const naik_frame frame =
            correlator_frame(b->input, item->quarks, item->source,
                             contraction_momenta(b->input, item)->data[item->momentum]);
        memcpy(out->momentum, frame.momentum, sizeof out->momentum);
        out->weight = frame.cosine ? "cos" : "exp";
        out->counted = !averaged;
        memcpy(out->counted_from, frame.origin, sizeof out->counted_from);
    }
}

/* What one source and mass give. */
static void add_single(builder *b, contraction_kind kind, const char *name, int source, int mass)
{
    const contraction_item item = {.kind = kind,
                                   .quarks = 1,
                                   .source = {source},
                                   .mass = {mass},
                                   .meson = -1,
                                   .momentum = -1,
                                   .baryon =
                                       kind == CONTRACT_NUCLEON || kind == CONTRACT_SPIN_NUCLEON};
    naik_contraction *out = add(b, &item);
    if (out != NULL) {
        snprintf(out->path, sizeof out->path, "/corr/%s/m%02d/%s", b->input->sources[source].label,
                 mass, name);
        out->correlator = name;
        describe(b, &item, false, out);
    }
}

/* /corr/NAME/m00/rho_x/p000 */
static void add_channels(builder *b, int source, int mass)
{
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[input->sources[source].solve];
    char p[64];
    for (int c = 0; c < solve->channels.count; c++) {
        for (int k = 0; k < solve->momenta.count; k++) {
            const naik_spin_meson meson = (naik_spin_meson)solve->channels.data[c];
            const contraction_item item = {.kind = CONTRACT_CHANNEL,
                                           .quarks = 1,
                                           .source = {source},
                                           .mass = {mass},
                                           .meson = (int)meson,
                                           .momentum = k};
            naik_contraction *out = add(b, &item);
            if (out != NULL) {
                naik_propagator_momentum_name(solve->momenta.data[k], p);
                snprintf(out->path, sizeof out->path, "/corr/%s/m%02d/%s/%s",
                         input->sources[source].label, mass, naik_spin_meson_name(meson), p);
                out->correlator = naik_spin_meson_name(meson);
                describe(b, &item, false, out);
            }
        }
    }
}

/* Of single colours nothing is contracted. */
static bool has_nucleon(const naik_input *input, const naik_input_solve *solve)
{
    return input->output.baryons.count > 0 && naik_input_is_whole(solve);
}

static bool has_condensate(const naik_input *input, const naik_input_solve *solve)
{
    return input->output.condensate && naik_source_is_random(solve->source.type) &&
           naik_input_is_whole(solve);
}

static void add_singles(builder *b)
{
    const bool wilson = naik_input_is_wilson(b->input);
    for (int s = 0; s < b->input->source_count; s++) {
        const naik_input_solve *solve = &b->input->solve[b->input->sources[s].solve];
        for (int m = 0; m < solve->masses.count; m++) {
            if (has_nucleon(b->input, solve)) {
                add_single(b, wilson ? CONTRACT_SPIN_NUCLEON : CONTRACT_NUCLEON, "nucleon", s, m);
            }
            if (has_condensate(b->input, solve)) {
                add_single(b, wilson ? CONTRACT_SPIN_CONDENSATE : CONTRACT_CONDENSATE, "condensate",
                           s, m);
            }
            add_channels(b, s, m);
        }
    }
}

/* "pion5/p000" */
static void name_meson(int meson, const naik_vectors *momenta, int momentum, char text[96])
{
    char p[64];
    naik_propagator_momentum_name(momenta->data[momentum], p);
    snprintf(text, 96, "%s/%s", naik_input_correlator_name(meson), p);
}

static int first_source(const naik_input *input, int solve)
{
    int first = 0;
    while (input->sources[first].solve != solve) {
        first++;
    }
    return first;
}

/* What is made of one source of each entry and one mass of each. */
typedef struct mixture {
    const char *name;  /* of the pair or baryon */
    int within, count; /* source number `within` of `count` */
    contraction_item item;
} mixture;

static void add_mixed(builder *b, const mixture *m, const char *correlator, const char *name)
{
    char numbered[16] = "", masses[32] = "";
    naik_contraction *out = add(b, &m->item);
    if (out == NULL) {
        return;
    }
    if (m->count > 1) {
        snprintf(numbered, sizeof numbered, "/s%04d", m->within);
    }
    for (int k = 0; k < m->item.quarks; k++) {
        const size_t used = strlen(masses);
        snprintf(masses + used, sizeof masses - used, "%sm%02d", k > 0 ? "-" : "", m->item.mass[k]);
    }
    snprintf(out->path, sizeof out->path, "/corr/%s%s/%s/%s", m->name, numbered, masses, name);
    out->correlator = correlator;
    describe_sink(&m->item, out);
    describe(b, &m->item, false, out);
}

/* All mesons that are asked for of quarks with spin; those of a wall sink are at rest. */
static void add_channels_of(builder *b, mixture *m)
{
    const naik_input *input = b->input;
    const int pions = input->output.correlators.count;
    char name[96], p[64];
    for (int c = 0; c < pions + input->output.channels.count; c++) {
        m->item.meson = c < pions ? NAIK_SPIN_PION : input->output.channels.data[c - pions];
        const char *correlator = naik_spin_meson_name((naik_spin_meson)m->item.meson);
        if (m->item.kind == CONTRACT_CHANNEL_WALL) {
            snprintf(name, sizeof name, "%s/p000", correlator);
            add_mixed(b, m, correlator, name);
            continue;
        }
        for (m->item.momentum = 0; m->item.momentum < input->output.momenta.count;
             m->item.momentum++) {
            naik_propagator_momentum_name(input->output.momenta.data[m->item.momentum], p);
            snprintf(name, sizeof name, "%s/%s", correlator, p);
            add_mixed(b, m, correlator, name);
        }
    }
}

static void add_pair_of(builder *b, mixture *m)
{
    const naik_input *input = b->input;
    char name[96];
    if (naik_input_is_wilson(input)) {
        add_channels_of(b, m);
        return;
    }
    if (m->item.kind == CONTRACT_WALL) {
        add_mixed(b, m, "pion5", "pion5/p000");
        return;
    }
    for (int c = 0; c < input->output.correlators.count; c++) {
        for (int p = 0; p < input->output.momenta.count; p++) {
            m->item.meson = c;
            m->item.momentum = p;
            name_meson(input->output.correlators.data[c], &input->output.momenta, p, name);
            add_mixed(b, m, naik_meson_name((naik_meson)input->output.correlators.data[c]), name);
        }
    }
}

/* Whether correlators of that momentum may be averaged: not products of cosines that are counted from one
 * site, of sources at several places. */
static bool may_average(const naik_input *input, const contraction_item *item)
{
    const naik_input_solve *solve = &input->solve[input->sources[item->source[0]].solve];
    return item->momentum < 0 ||
           !naik_input_is_moving(contraction_momenta(input, item)->data[item->momentum]) ||
           !naik_input_mixes_places(input, solve);
}

/* Mean and error of what `one` is of the first source; name: behind the folder of averages. */
static void add_average(builder *b, const contraction_item *one, const char *folder,
                        const char *name, const char *correlator, int first, int step)
{
    static const struct {
        contraction_kind kind;
        const char *word, *quantity;
    } both[] = {{CONTRACT_MEAN, "mean", "mean"}, {CONTRACT_ERROR, "error", "standard error"}};
    for (int k = 0; k < 2; k++) {
        contraction_item item = *one;
        item.kind = both[k].kind;
        item.first = first;
        item.step = step;
        naik_contraction *out = add(b, &item);
        if (out != NULL) {
            snprintf(out->path, sizeof out->path, "/corr/%s/average/%s/%s", folder, name,
                     both[k].word);
            out->correlator = correlator;
            out->quantity = both[k].quantity;
            describe_sink(one, out);
            describe(b, &item, true, out);
        }
    }
}

/* Of what add_singles made of a mass of an entry, but for the condensate; `first`: where that of its
 * first source begins. */
static void average_singles(builder *b, int index, int first)
{
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[index];
    const int each = has_nucleon(input, solve) + has_condensate(input, solve) +
                     solve->channels.count * solve->momenta.count;
    const size_t head =
        strlen("/corr//") + strlen(input->sources[first_source(input, index)].label);
    for (int k = first; k < first + each && !b->failed; k++) {
        const contraction_item one = b->list->item[k];
        const bool noise = one.kind == CONTRACT_CONDENSATE || one.kind == CONTRACT_SPIN_CONDENSATE;
        if (!noise && may_average(input, &one)) {
            char name[NAIK_CONTRACTION_PATH]; /* the list may move while it grows */
            snprintf(name, sizeof name, "%s", b->list->spec[k].path + head);
            add_average(b, &one, solve->name, name, b->list->spec[k].correlator, k,
                        solve->masses.count * each);
        }
    }
}

/* Of the correlators that the solves have. */
static void average_solved(builder *b, int index, int mass)
{
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[index];
    char name[112], meson[96];
    contraction_item one = {
        .kind = CONTRACT_MEAN, .quarks = 1, .source = {first_source(input, index)}, .mass = {mass}};
    for (one.meson = 0; one.meson < solve->correlators.count; one.meson++) {
        for (one.momentum = 0; one.momentum < solve->momenta.count; one.momentum++) {
            if (may_average(input, &one)) {
                name_meson(solve->correlators.data[one.meson], &solve->momenta, one.momentum,
                           meson);
                snprintf(name, sizeof name, "m%02d/%s", mass, meson);
                add_average(b, &one, solve->name, name,
                            naik_input_correlator_name(solve->correlators.data[one.meson]), -1, 0);
            }
        }
    }
}

/* Of a pair or baryon whose items begin at `first`, source after source. */
static void average_mixed(builder *b, const mixture *m, int first)
{
    const naik_input *input = b->input;
    const int step = (b->list->count - first) / m->count;
    const size_t head = strlen("/corr//s0000/") + strlen(m->name);
    for (int k = 0; k < step && !b->failed; k++) {
        const contraction_item one = b->list->item[first + k];
        if (may_average(input, &one)) {
            char name[NAIK_CONTRACTION_PATH]; /* the list may move while it grows */
            snprintf(name, sizeof name, "%s", b->list->spec[first + k].path + head);
            add_average(b, &one, m->name, name, b->list->spec[first + k].correlator, first + k,
                        step);
        }
    }
}

static void add_pair(builder *b, const naik_input_pair *pair)
{
    const naik_input *input = b->input;
    const naik_input_solve *quark = &input->solve[pair->of[0]];
    const naik_input_solve *antiquark = &input->solve[pair->of[1]];
    const int first = b->list->count;
    const int quarks = quark->origins.count, antiquarks = antiquark->origins.count;
    mixture m = {.name = pair->name, .count = quarks > antiquarks ? quarks : antiquarks};
    m.item = (contraction_item){.kind = CONTRACT_PAIR, .quarks = 2, .meson = -1, .momentum = -1};
    if (pair->sink == NAIK_INPUT_SINK_WALL) {
        m.item.kind = CONTRACT_WALL;
    }
    const bool smeared = pair->sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN;
    if (naik_input_is_wilson(input)) {
        m.item.kind = smeared                              ? CONTRACT_CHANNEL_SMEARED
                      : pair->sink == NAIK_INPUT_SINK_WALL ? CONTRACT_CHANNEL_WALL
                                                           : CONTRACT_CHANNEL_PAIR;
    } else if (smeared) {
        m.item.kind = CONTRACT_SMEARED;
    }
    if (smeared) {
        m.item.radius = pair->radius;
        m.item.iterations = pair->iterations;
    }
    for (m.within = 0; m.within < m.count; m.within++) {
        m.item.source[0] = first_source(input, pair->of[0]) + (quarks > 1 ? m.within : 0);
        m.item.source[1] = first_source(input, pair->of[1]) + (antiquarks > 1 ? m.within : 0);
        for (m.item.mass[0] = 0; m.item.mass[0] < quark->masses.count; m.item.mass[0]++) {
            for (m.item.mass[1] = 0; m.item.mass[1] < antiquark->masses.count; m.item.mass[1]++) {
                add_pair_of(b, &m);
            }
        }
    }
    if (input->output.average && m.count > 1 && !naik_source_is_sequential(&quark->source) &&
        !naik_source_is_sequential(&antiquark->source)) {
        average_mixed(b, &m, first);
    }
}

static void add_pairs(builder *b)
{
    for (int i = 0; i < b->input->pair_count; i++) {
        add_pair(b, &b->input->pairs[i]);
    }
}

/* Staggered quarks of one entry are alike: of their masses, every choice once. */
static bool is_repeated(const naik_input_baryon *baryon, const int mass[3])
{
    for (int i = 0; i < 3; i++) {
        for (int k = i + 1; k < 3; k++) {
            if (baryon->of[i] == baryon->of[k] && mass[i] > mass[k]) {
                return true;
            }
        }
    }
    return false;
}

static void add_baryon(builder *b, const naik_input_baryon *baryon)
{
    const naik_input *input = b->input;
    const int first = b->list->count;
    int masses[3];
    const bool wilson = naik_input_is_wilson(input);
    mixture m = {.name = baryon->name, .count = input->solve[baryon->of[0]].origins.count};
    m.item = (contraction_item){.kind = wilson ? CONTRACT_SPIN_BARYON : CONTRACT_BARYON,
                                .quarks = 3,
                                .meson = -1,
                                .momentum = -1,
                                .baryon = true};
    for (int k = 0; k < 3; k++) {
        masses[k] = input->solve[baryon->of[k]].masses.count;
    }
    for (m.within = 0; m.within < m.count; m.within++) {
        for (int k = 0; k < 3; k++) {
            m.item.source[k] = first_source(input, baryon->of[k]) + m.within;
        }
        for (int i = 0; i < masses[0] * masses[1] * masses[2] && !b->failed; i++) {
            m.item.mass[0] = i / (masses[1] * masses[2]);
            m.item.mass[1] = i / masses[2] % masses[1];
            m.item.mass[2] = i % masses[2];
            if (wilson || !is_repeated(baryon, m.item.mass)) {
                add_mixed(b, &m, "nucleon", "nucleon");
            }
        }
    }
    bool sequential = false;
    for (int k = 0; k < 3; k++) {
        sequential = sequential || naik_source_is_sequential(&input->solve[baryon->of[k]].source);
    }
    if (input->output.average && m.count > 1 && !sequential) {
        average_mixed(b, &m, first);
    }
}

static void add_baryons(builder *b)
{
    for (int i = 0; i < b->input->baryon_count; i++) {
        add_baryon(b, &b->input->baryons[i]);
    }
}

/* Where what add_singles made of a source and mass begins in the list. */
static int first_single(const builder *b, int source, int mass)
{
    int k = 0;
    while (k < b->list->count &&
           (b->list->item[k].source[0] != source || b->list->item[k].mass[0] != mass)) {
        k++;
    }
    return k;
}

static void add_averages(builder *b)
{
    const naik_input *input = b->input;
    for (int i = 0; input->output.average && i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        const bool several = solve->origins.count > 1 && !naik_source_is_sequential(&solve->source);
        for (int m = 0; several && m < solve->masses.count; m++) {
            average_singles(b, i, first_single(b, first_source(input, i), m));
            average_solved(b, i, m);
        }
    }
}

naik_status contraction_list_create(naik_log *log, const naik_input *input, contraction_list *out)
{
    *out = (contraction_list){.count = 0};
    builder b = {.input = input, .list = out};
    add_singles(&b);
    add_pairs(&b);
    add_baryons(&b);
    add_averages(&b);
    if (b.failed) {
        contraction_list_clear(out);
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a list of contractions");
    }
    return NAIK_OK;
}

int contraction_quarks(const naik_input *input)
{
    bool alone = input->output.baryons.count > 0 || input->output.condensate;
    for (int i = 0; i < input->solve_count; i++) {
        alone = alone || input->solve[i].channels.count > 0;
    }
    return input->baryon_count > 0 ? 3 : input->pair_count > 0 ? 2 : alone ? 1 : 0;
}

bool contraction_keeps(const naik_input *input)
{
    return input->output.propagators || contraction_quarks(input) > 0;
}

int64_t contraction_bytes(const naik_input *input, int32_t sites)
{
    return contraction_quarks(input) > 0
               ? (naik_input_columns(input) * contraction_quarks(input) + 1) *
                     naik_input_reals(input) * (int64_t)sizeof(double) * sites
               : 0;
}

void contraction_list_clear(contraction_list *list)
{
    free(list->spec);
    free(list->item);
    *list = (contraction_list){.count = 0};
}
