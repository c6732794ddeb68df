/* contraction_list.c - which correlators of several solves an input asks for */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/contract.h"

static const char *const definitions[] = {
    [CONTRACT_NUCLEON] = "sum over x - x0 with even components of det G(x), rows by source colour",
    [CONTRACT_CONDENSATE] = ("sum over x and colours of src^+ G: Tr M^-1 of the sites that carry "
                             "noise, M = 2m + D; no 1/V, no sign"),
    [CONTRACT_PAIR] = "sum over x of cos(px) phi(x) Tr G_quark G_antiquark^+; no 1/V",
    [CONTRACT_MEAN] = "mean over sources, each shifted to t = 0",
    [CONTRACT_ERROR] = "standard error of that mean, of real and imaginary part"};

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

/* Masses, epsilons and labels of quark and antiquark. */
static void describe(const builder *b, const contraction_item *item, bool both, bool averaged,
                     naik_contraction *out)
{
    const naik_input_source *quark = &b->input->sources[item->source[0]];
    const naik_input_solve *solve = &b->input->solve[quark->solve];
    snprintf(out->quark, sizeof out->quark, "%s", averaged ? solve->name : quark->label);
    out->mass = solve->masses.data[item->mass[0]];
    out->naik_epsilon = solve->naik_epsilon.data[item->mass[0]];
    if (both) {
        const naik_input_source *antiquark = &b->input->sources[item->source[1]];
        solve = &b->input->solve[antiquark->solve];
        snprintf(out->antiquark, sizeof out->antiquark, "%s",
                 averaged ? solve->name : antiquark->label);
        out->antiquark_mass = solve->masses.data[item->mass[1]];
        out->antiquark_epsilon = solve->naik_epsilon.data[item->mass[1]];
    }
    if (item->momentum >= 0) {
        memcpy(out->momentum, b->input->output.momenta.data[item->momentum], sizeof out->momentum);
    }
}

/* What one source and mass give. */
static void add_single(builder *b, contraction_kind kind, const char *name, int source, int mass)
{
    const contraction_item item = {
        .kind = kind, .source = {source, -1}, .mass = {mass, -1}, .meson = -1, .momentum = -1};
    naik_contraction *out = add(b, &item);
    if (out != NULL) {
        snprintf(out->path, sizeof out->path, "/corr/%s/m%02d/%s", b->input->sources[source].label,
                 mass, name);
        out->correlator = name;
        describe(b, &item, false, false, out);
    }
}

static void add_singles(builder *b)
{
    for (int s = 0; s < b->input->source_count; s++) {
        const naik_input_solve *solve = &b->input->solve[b->input->sources[s].solve];
        for (int m = 0; m < solve->masses.count; m++) {
            if (b->input->output.baryons.count > 0) {
                add_single(b, CONTRACT_NUCLEON, "nucleon", s, m);
            }
            if (b->input->output.condensate && naik_source_is_random(solve->source.type)) {
                add_single(b, CONTRACT_CONDENSATE, "condensate", s, m);
            }
        }
    }
}

/* "pion5/p000" */
static void name_meson(const builder *b, int meson, int momentum, char text[96])
{
    char p[64];
    naik_propagator_momentum_name(b->input->output.momenta.data[momentum], p);
    snprintf(text, 96, "%s/%s",
             naik_meson_name((naik_meson)b->input->output.correlators.data[meson]), p);
}

static int first_source(const naik_input *input, int solve)
{
    int first = 0;
    while (input->sources[first].solve != solve) {
        first++;
    }
    return first;
}

static void add_pair_of(builder *b, const naik_input_pair *pair, int within, int count, int mass,
                        int other)
{
    const naik_input *input = b->input;
    char numbered[16] = "", name[96];
    if (count > 1) {
        snprintf(numbered, sizeof numbered, "/s%04d", within);
    }
    for (int c = 0; c < input->output.correlators.count; c++) {
        for (int p = 0; p < input->output.momenta.count; p++) {
            const contraction_item item = {.kind = CONTRACT_PAIR,
                                           .source = {first_source(input, pair->of[0]) + within,
                                                      first_source(input, pair->of[1]) + within},
                                           .mass = {mass, other},
                                           .meson = c,
                                           .momentum = p};
            naik_contraction *out = add(b, &item);
            if (out != NULL) {
                name_meson(b, c, p, name);
                snprintf(out->path, sizeof out->path, "/corr/%s%s/m%02d-m%02d/%s", pair->name,
                         numbered, mass, other, name);
                out->correlator = naik_meson_name((naik_meson)input->output.correlators.data[c]);
                describe(b, &item, true, false, out);
            }
        }
    }
}

/* Whether correlators of that momentum, whose phases begin at the lattice's origin, may be
 * averaged. */
static bool may_average(const naik_input *input, const naik_input_solve *solve, int momentum)
{
    const int *p = input->output.momenta.data[momentum];
    bool one_place = true;
    for (int k = 1; k < solve->origins.count; k++) {
        one_place = one_place && memcmp(solve->origins.data[k], solve->origins.data[0],
                                        (NAIK_DIM - 1) * sizeof(int)) == 0;
    }
    return one_place || (p[0] == 0 && p[1] == 0 && p[2] == 0);
}

/* Mean and error of what `one` is of the first source. */
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
            snprintf(out->path, sizeof out->path, "/corr/%s/%s/%s", folder, name, both[k].word);
            out->correlator = correlator;
            out->quantity = both[k].quantity;
            describe(b, &item, one->source[1] >= 0, true, out);
        }
    }
}

/* Of the correlators that the solves have, and of the nucleon, whose first item is `nucleon`. */
static void average_entry(builder *b, int index, int mass, int nucleon)
{
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[index];
    char folder[96], name[96];
    contraction_item one = {.kind = CONTRACT_MEAN,
                            .source = {first_source(input, index), -1},
                            .mass = {mass, -1},
                            .meson = -1,
                            .momentum = -1};
    snprintf(folder, sizeof folder, "%s/average/m%02d", solve->name, mass);
    if (nucleon >= 0) {
        const bool two = input->output.condensate && naik_source_is_random(solve->source.type);
        add_average(b, &one, folder, "nucleon", "nucleon", nucleon,
                    solve->masses.count * (two ? 2 : 1));
    }
    for (one.meson = 0; one.meson < input->output.correlators.count; one.meson++) {
        for (one.momentum = 0; one.momentum < input->output.momenta.count; one.momentum++) {
            if (may_average(input, solve, one.momentum)) {
                name_meson(b, one.meson, one.momentum, name);
                add_average(b, &one, folder, name,
                            naik_meson_name((naik_meson)input->output.correlators.data[one.meson]),
                            -1, 0);
            }
        }
    }
}

/* Whose items begin at `first`, source after source. */
static void average_pair(builder *b, const naik_input_pair *pair, int first)
{
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[pair->of[0]];
    char folder[96], name[96];
    const int step = (b->list->count - first) / solve->origins.count;
    for (int k = 0; k < step && !b->failed; k++) {
        const contraction_item one = b->list->item[first + k];
        if (may_average(input, solve, one.momentum)) {
            snprintf(folder, sizeof folder, "%s/average/m%02d-m%02d", pair->name, one.mass[0],
                     one.mass[1]);
            name_meson(b, one.meson, one.momentum, name);
            add_average(b, &one, folder, name, b->list->spec[first + k].correlator, first + k,
                        step);
        }
    }
}

static void add_pairs(builder *b)
{
    const naik_input *input = b->input;
    for (int i = 0; i < input->pair_count; i++) {
        const naik_input_pair *pair = &input->pairs[i];
        const naik_input_solve *quark = &input->solve[pair->of[0]];
        const naik_input_solve *antiquark = &input->solve[pair->of[1]];
        const int first = b->list->count, count = quark->origins.count;
        for (int within = 0; within < count; within++) {
            for (int m = 0; m < quark->masses.count; m++) {
                for (int other = 0; other < antiquark->masses.count; other++) {
                    add_pair_of(b, pair, within, count, m, other);
                }
            }
        }
        if (input->output.average && count > 1) {
            average_pair(b, pair, first);
        }
    }
}

static void add_averages(builder *b)
{
    const naik_input *input = b->input;
    for (int i = 0; input->output.average && i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        for (int m = 0; solve->origins.count > 1 && m < solve->masses.count; m++) {
            int nucleon = -1;
            for (int k = b->list->count - 1; k >= 0; k--) {
                const contraction_item *item = &b->list->item[k];
                if (item->kind == CONTRACT_NUCLEON && item->mass[0] == m &&
                    item->source[0] == first_source(input, i)) {
                    nucleon = k;
                }
            }
            average_entry(b, i, m, nucleon);
        }
    }
}

naik_status contraction_list_create(naik_log *log, const naik_input *input, contraction_list *out)
{
    *out = (contraction_list){.count = 0};
    builder b = {.input = input, .list = out};
    add_singles(&b);
    add_pairs(&b);
    add_averages(&b);
    if (b.failed) {
        contraction_list_clear(out);
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a list of contractions");
    }
    return NAIK_OK;
}

void contraction_list_clear(contraction_list *list)
{
    free(list->spec);
    free(list->item);
    *list = (contraction_list){.count = 0};
}
