/* contraction_list.c - which correlators of several solves an input asks for */
#include "correlator/contraction_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lattice/source_kind.h"
#include "propagator/spin_taste.h"

enum { FOLDER = 64 };

static const naik_input_solve *entry_of(const naik_input *input, int source)
{
    return &input->solve[input->sources[source].solve];
}

typedef struct builder {
    const naik_input *input;
    contraction_list *list;
    int room;
    bool failed;
} builder;

/* folder: of /corr */
static void add(builder *b, const contraction_item *item, const char *folder)
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
        return;
    }
    list->item[list->count] = *item;
    contraction_describe(b->input, item, folder, &list->spec[list->count++]);
}

/* No baryon of the daughter in a three-point function; exact solves of an average have those of all its sources. */
static bool has_baryon(const naik_input *input, const naik_input_solve *solve, int baryon)
{
    const int index = (int)(solve - input->solve);
    const naik_input_average *average = naik_input_average_of(input, index);
    return naik_input_three_point_of(input, index) == NULL &&
           naik_input_has_baryon(input, average != NULL ? &input->solve[average->of] : solve,
                                 baryon);
}

static bool has_condensate(const naik_input *input, const naik_input_solve *solve)
{
    return input->output.condensate && naik_source_is_random(solve->source.type) &&
           naik_input_is_whole(solve);
}

static const contraction_kind *meson_kind(const naik_input *input, int meson, int quarks)
{
    const contraction_what what = naik_correlator_is_current(meson)      ? CONTRACT_CURRENT
                                  : naik_correlator_is_spin_taste(meson) ? CONTRACT_SPIN_TASTE
                                                                         : CONTRACT_MESON;
    return contraction_kind_of(what, quarks, input->kind);
}

/* That of a pair. A conserved current on one of its sources takes the place of H; currents on both leave H
 * between them, as in the mesons of an entry by itself. */
static const contraction_kind *pair_kind(const naik_input *input, const contraction_item *item)
{
    bool current = false;
    for (int k = 0; k < item->quarks; k++) {
        current ^= naik_source_has_current(&input->sources[item->source[k]].source);
    }
    const contraction_what what = naik_correlator_is_current(item->meson)
                                      ? CONTRACT_CURRENT_OF_CURRENT
                                      : CONTRACT_MESON_OF_CURRENT;
    return current && input->kind->spin > 1 ? contraction_kind_of(what, item->quarks, input->kind)
                                            : meson_kind(input, item->meson, item->quarks);
}

/* What one source and mass give. */
static void add_singles_of(builder *b, int source, int mass)
{
    const naik_input_solve *solve = entry_of(b->input, source);
    const char *folder = b->input->sources[source].label;
    contraction_item item = {
        .quarks = 1, .source = {source}, .mass = {mass}, .meson = -1, .momentum = -1};
    const naik_ints *baryons = &b->input->output.baryons;
    for (int i = 0; i < baryons->count; i++) {
        item.baryon = baryons->data[i];
        item.kind = contraction_kind_of(CONTRACT_BARYON, 1, b->input->kind);
        if (has_baryon(b->input, solve, item.baryon)) {
            add(b, &item, folder);
        }
    }
    if (has_condensate(b->input, solve)) {
        item.kind = contraction_kind_of(CONTRACT_CONDENSATE, 1, b->input->kind);
        add(b, &item, folder);
    }
    for (int c = 0; c < solve->channels.count; c++) {
        item.meson = NAIK_MESONS + solve->channels.data[c];
        item.kind = meson_kind(b->input, item.meson, 1);
        for (item.momentum = 0; item.momentum < solve->momenta.count; item.momentum++) {
            add(b, &item, folder);
        }
    }
}

static void add_singles(builder *b)
{
    for (int s = 0; s < b->input->source_count; s++) {
        for (int m = 0; m < entry_of(b->input, s)->masses.count; m++) {
            add_singles_of(b, s, m);
        }
    }
}

/* What is made of one source of each entry and one mass of each. */
typedef struct mixture {
    const char *name;  /* of the pair or baryon */
    int within, count; /* source number `within` of `count` */
    contraction_item item;
} mixture;

static void add_mixed(builder *b, const mixture *m)
{
    char folder[FOLDER];
    snprintf(folder, sizeof folder, m->count > 1 ? "%s/s%04d" : "%s", m->name, m->within);
    add(b, &m->item, folder);
}

/* All mesons that are asked for; those of a wall sink are at rest, and of staggered quarks only the
 * Goldstone pion. */
static void add_pair_of(builder *b, mixture *m)
{
    const naik_ints *correlators = &b->input->output.correlators;
    const naik_ints *channels = &b->input->output.channels;
    const bool wall = m->item.sink == NAIK_INPUT_SINK_WALL, pion5 = wall && !m->item.kind->spin;
    const int count = pion5 ? 1 : correlators->count + channels->count;
    for (int c = 0; c < count; c++) {
        m->item.meson = pion5 ? (int)NAIK_PION5
                        : c < correlators->count
                            ? correlators->data[c]
                            : NAIK_MESONS + channels->data[c - correlators->count];
        m->item.kind = pair_kind(b->input, &m->item);
        m->item.momentum = -1;
        if (wall) {
            add_mixed(b, m);
            continue;
        }
        for (m->item.momentum = 0; m->item.momentum < b->input->output.momenta.count;
             m->item.momentum++) {
            add_mixed(b, m);
        }
    }
}

/* Whether correlators of that momentum may be averaged: not products of cosines that are counted from one
 * site, of sources at several places. */
static bool may_average(const naik_input *input, const contraction_item *item)
{
    const naik_input_solve *solve = entry_of(input, item->source[item->anchor]);
    return item->momentum < 0 ||
           !naik_input_is_moving(contraction_momenta(input, item)->data[item->momentum]) ||
           !naik_input_mixes_places(input, solve);
}

/* Whether it is a loop of one noise field, which knows no error. */
static bool is_single_field(const naik_input *input, const contraction_item *item)
{
    return item->kind->what == CONTRACT_LOOP && entry_of(input, item->source[0])->hits == 1;
}

/* Statistics of what `one` is of the first source: mean and error, or those of its average of truncated solves. */
static void add_average(builder *b, const contraction_item *one, const char *name, int first,
                        int step)
{
    char folder[FOLDER];
    contraction_item item = *one;
    const bool plain = one->average == NULL;
    const int begin = contraction_first(one), end = begin + contraction_family(one);
    snprintf(folder, sizeof folder, "%s%s", plain ? name : one->average->name,
             plain ? "/average" : "");
    item.first = first;
    item.step = step;
    for (int k = begin; k < end; k++) {
        item.statistic = (contraction_statistic)k;
        if (k != CONTRACTION_LOW_ERROR || !is_single_field(b->input, one)) {
            add(b, &item, folder);
        }
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

/* Of what add_singles made of a mass of an entry, but for the condensate. average: of truncated solves; NULL. */
static void average_singles(builder *b, int index, int mass, const naik_input_average *average)
{
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[index];
    int each = has_condensate(input, solve) + solve->channels.count * solve->momenta.count;
    for (int i = 0; i < input->output.baryons.count; i++) {
        each += has_baryon(input, solve, input->output.baryons.data[i]);
    }
    const int first = first_single(b, naik_input_first_source(input, index), mass);
    const int exact =
        average != NULL ? first_single(b, naik_input_first_source(input, average->exact), mass) : 0;
    for (int k = first; k < first + each && !b->failed; k++) {
        contraction_item one = b->list->item[k];
        one.average = average;
        one.exact_first = exact + k - first;
        if (one.kind->what != CONTRACT_CONDENSATE && may_average(input, &one)) {
            add_average(b, &one, solve->name, k, solve->masses.count * each);
        }
    }
}

/* Of the correlators that the solves have. */
static void average_solved(builder *b, int index, int mass, const naik_input_average *average)
{
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[index];
    contraction_item one = {.kind = contraction_kind_of(CONTRACT_MESON, 2, input->kind),
                            .quarks = 1,
                            .source = {naik_input_first_source(input, index)},
                            .mass = {mass},
                            .average = average};
    if (average != NULL && average->type == NAIK_INPUT_TRUNCATED_SOLVES) {
        one.exact_source = naik_input_first_source(input, average->exact);
    }
    for (int c = 0; c < solve->correlators.count; c++) {
        one.meson = solve->correlators.data[c];
        for (one.momentum = 0; one.momentum < solve->momenta.count; one.momentum++) {
            if (may_average(input, &one)) {
                add_average(b, &one, solve->name, -1, 0);
            }
        }
    }
}

/* Of a pair or baryon whose items begin at `first`, source after source. */
static void average_mixed(builder *b, const mixture *m, int first)
{
    const naik_input *input = b->input;
    const int step = (b->list->count - first) / m->count;
    for (int k = 0; k < step && !b->failed; k++) {
        const contraction_item one = b->list->item[first + k];
        if (may_average(input, &one)) {
            add_average(b, &one, m->name, first + k, step);
        }
    }
}

/* Of a pair with `step` items a source from `first` on: the low modes' average of the operator that is on its source. */
static void average_low_pair(builder *b, const mixture *m, int pair, int first, int step)
{
    for (int i = 0; i < b->input->average_count; i++) {
        const naik_input_average *average = &b->input->averages[i];
        for (int k = first; k < first + step && average->pair == pair && !b->failed; k++) {
            contraction_item one = b->list->item[k];
            one.average = average;
            if (one.meson == entry_of(b->input, one.source[0])->source.spin_taste) {
                add_average(b, &one, m->name, k, step);
            }
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
    m.item = (contraction_item){.kind = meson_kind(input, -1, 2), .sink = pair->sink, .quarks = 2};
    if (pair->sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN) {
        m.item.radius = pair->radius;
        m.item.iterations = pair->iterations;
    }
    for (m.within = 0; m.within < m.count; m.within++) {
        m.item.source[0] =
            naik_input_first_source(input, pair->of[0]) + (quarks > 1 ? m.within : 0);
        m.item.source[1] =
            naik_input_first_source(input, pair->of[1]) + (antiquarks > 1 ? m.within : 0);
        for (m.item.mass[0] = 0; m.item.mass[0] < quark->masses.count; m.item.mass[0]++) {
            for (m.item.mass[1] = 0; m.item.mass[1] < antiquark->masses.count; m.item.mass[1]++) {
                add_pair_of(b, &m);
            }
        }
    }
    const int step = (b->list->count - first) / m.count;
    if (input->output.average && m.count > 1 && !naik_source_is_sequential(&quark->source) &&
        !naik_source_is_sequential(&antiquark->source)) {
        average_mixed(b, &m, first);
    }
    average_low_pair(b, &m, (int)(pair - input->pairs), first, step);
}

static void add_pairs(builder *b)
{
    for (int i = 0; i < b->input->pair_count; i++) {
        add_pair(b, &b->input->pairs[i]);
    }
}

/* All currents between one daughter and one parent. */
static void add_currents(builder *b, mixture *m)
{
    const naik_input_three_point *three = m->item.three_point;
    for (int c = 0; c < three->insertion.count; c++) {
        m->item.meson = three->insertion.data[c];
        for (m->item.momentum = 0; m->item.momentum < three->momenta.count; m->item.momentum++) {
            add_mixed(b, m);
        }
    }
}

/* The three-point functions of source number m->within: every sink, then the masses of parent, spectator and
 * daughter. */
static void add_sinks(builder *b, mixture *m)
{
    const naik_input *input = b->input;
    const naik_input_three_point *three = m->item.three_point;
    const int sinks = three->sink_momenta.count * three->sink_times.count;
    const int masses[3] = {input->solve[three->of[0]].masses.count,
                           input->solve[three->of[1]].masses.count, three->masses.count};
    for (int i = 0; i < sinks; i++) {
        m->item.sink_momentum = three->sink_momenta.data[i / three->sink_times.count];
        m->item.sink_time = three->sink_times.data[i % three->sink_times.count];
        for (int k = 0; k < masses[0] * masses[1] * masses[2]; k++) {
            m->item.mass[1] = k / (masses[1] * masses[2]);
            m->item.spectator[1] = k / masses[2] % masses[1];
            m->item.mass[0] = k % masses[2];
            m->item.source[0] =
                naik_input_first_source(input, three->first + m->item.spectator[1]) + i * m->count +
                m->within;
            add_currents(b, m);
        }
    }
}

static void add_three_points(builder *b)
{
    const naik_input *input = b->input;
    for (int i = 0; i < input->three_point_count; i++) {
        const naik_input_three_point *three = &input->three_points[i];
        const int first = b->list->count;
        mixture m = {.name = three->name, .count = input->solve[three->of[0]].origins.count};
        m.item =
            (contraction_item){.kind = contraction_kind_of(CONTRACT_THREE_POINT, 2, input->kind),
                               .quarks = 2,
                               .anchor = 1,
                               .three_point = three};
        for (m.within = 0; m.within < m.count; m.within++) {
            m.item.source[1] = naik_input_first_source(input, three->of[0]) + m.within;
            m.item.spectator[0] = naik_input_first_source(input, three->of[1]) + m.within;
            add_sinks(b, &m);
        }
        if (input->output.average && m.count > 1) {
            average_mixed(b, &m, first);
        }
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
    mixture m = {.name = baryon->name, .count = input->solve[baryon->of[0]].origins.count};
    m.item = (contraction_item){.kind = contraction_kind_of(CONTRACT_BARYON, 3, input->kind),
                                .quarks = 3,
                                .meson = -1,
                                .momentum = -1};
    for (int k = 0; k < 3; k++) {
        masses[k] = input->solve[baryon->of[k]].masses.count;
    }
    for (m.within = 0; m.within < m.count; m.within++) {
        for (int k = 0; k < 3; k++) {
            m.item.source[k] = naik_input_first_source(input, baryon->of[k]) + m.within;
        }
        for (int i = 0; i < masses[0] * masses[1] * masses[2] && !b->failed; i++) {
            m.item.mass[0] = i / (masses[1] * masses[2]);
            m.item.mass[1] = i / masses[2] % masses[1];
            m.item.mass[2] = i % masses[2];
            for (int k = 0; k < baryon->operators.count; k++) {
                m.item.baryon = baryon->operators.data[k];
                if (m.item.kind->spin || !is_repeated(baryon, m.item.mass)) {
                    add_mixed(b, &m);
                }
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

static void add_averages(builder *b)
{
    const naik_input *input = b->input;
    for (int i = 0; input->output.average && i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        const bool several = solve->origins.count > 1 && solve->parts <= 1 &&
                             !naik_source_is_sequential(&solve->source) &&
                             naik_input_average_of(input, i) == NULL;
        for (int m = 0; several && m < solve->masses.count; m++) {
            average_singles(b, i, m, NULL);
            average_solved(b, i, m, NULL);
        }
    }
    for (int i = 0; i < input->average_count; i++) {
        const naik_input_average *average = &input->averages[i];
        const bool mesons = average->pair < 0 && !naik_input_averages_loops(input, average);
        for (int m = 0; m < input->solve[average->of].masses.count && mesons; m++) {
            if (average->type == NAIK_INPUT_TRUNCATED_SOLVES) {
                average_singles(b, average->of, m, average);
            }
            average_solved(b, average->of, m, average);
        }
    }
}

/* All loops of one source and mass. */
static void add_loops_of(builder *b, int source, int mass)
{
    const naik_input *input = b->input;
    contraction_item item = {.kind = contraction_kind_of(CONTRACT_LOOP, 1, input->kind),
                             .quarks = 1,
                             .source = {source},
                             .mass = {mass}};
    for (int k = 0; k < input->output.loops.count; k++) {
        item.meson = input->output.loops.data[k];
        for (item.momentum = 0; item.momentum < entry_of(input, source)->momenta.count;
             item.momentum++) {
            add(b, &item, input->sources[source].label);
        }
    }
}

/* Of an entry of noise, whose loops of the first source are items first to first + each - 1: of one field that is diluted the
 * sum over its parts; of several fields mean and error; and what low modes give. */
static void add_estimates(builder *b, int index, int first, int each)
{
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[index];
    for (int k = first; k < first + each && !b->failed; k++) {
        char folder[FOLDER];
        contraction_item item = b->list->item[k];
        item.statistic = CONTRACTION_SUM;
        item.first = k;
        item.step = each;
        snprintf(folder, sizeof folder, "%s/sum", solve->name);
        if (solve->hits > 1) {
            add_average(b, &item, solve->name, k, each);
        } else if (solve->parts > 1) {
            add(b, &item, folder);
        }
    }
    for (int i = 0; i < input->average_count; i++) {
        const naik_input_average *average = &input->averages[i];
        const bool mine = average->of == index && naik_input_averages_loops(input, average);
        for (int k = first; k < first + each && mine && !b->failed; k++) {
            contraction_item item = b->list->item[k];
            item.average = average;
            add_average(b, &item, NULL, k, each);
        }
        for (int k = 0; k < each * solve->hits && mine && solve->hits > 1 && !b->failed; k++) {
            char folder[FOLDER];
            contraction_item item = b->list->item[first + k % each];
            item.statistic = CONTRACTION_FIELD;
            item.average = average;
            item.field = k / each;
            item.first = first + k % each;
            item.step = each;
            snprintf(folder, sizeof folder, "%s/f%04d", average->name, item.field);
            add(b, &item, folder);
        }
    }
}

/* Those of every source of noise, then what is made of them. */
static void add_loops(builder *b)
{
    const naik_input *input = b->input;
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        const int masses = solve->masses.count, sources = solve->origins.count;
        const int first = b->list->count;
        for (int k = 0; k < sources * masses && naik_input_has_loops(input, solve); k++) {
            add_loops_of(b, naik_input_first_source(input, i) + k / masses, k % masses);
        }
        add_estimates(b, i, first, (b->list->count - first) / sources);
    }
}

naik_status contraction_list_create(naik_log *log, const naik_input *input, contraction_list *out)
{
    *out = (contraction_list){.count = 0};
    builder b = {.input = input, .list = out};
    add_singles(&b);
    add_pairs(&b);
    add_baryons(&b);
    add_three_points(&b);
    add_averages(&b);
    add_loops(&b);
    if (b.failed) {
        contraction_list_clear(out);
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a list of contractions");
    }
    return NAIK_OK;
}

int contraction_quarks(const naik_input *input)
{
    bool alone = input->output.baryons.count > 0 || input->output.condensate ||
                 input->output.loops.count > 0;
    for (int i = 0; i < input->solve_count; i++) {
        alone = alone || input->solve[i].channels.count > 0;
    }
    return input->baryon_count > 0                                 ? 3
           : input->pair_count > 0 || input->three_point_count > 0 ? 2
           : alone                                                 ? 1
                                                                   : 0;
}

bool contraction_keeps(const naik_input *input)
{
    return input->output.propagators || contraction_quarks(input) > 0;
}

void contraction_list_clear(contraction_list *list)
{
    free(list->spec);
    free(list->item);
    *list = (contraction_list){.count = 0};
}
