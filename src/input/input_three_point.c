/* input_three_point.c - the block three_point: checked, and its sequential solves added to those of the input */
#include <stdio.h>
#include <string.h>

#include "input/input_table.h"
#include "lattice/source_kind.h"
#include "propagator/spin_taste.h"

enum { PATH_SIZE = 160, MAX_MASSES = 100, MAX_NAME = 48, TIME = 8 };

typedef struct block {
    naik_log *log;
    naik_input *input;
    naik_input_three_point *three;
    int index;
} block;

/* "three_point.0.KEY" */
static const char *path_of(const block *b, const char *key, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "three_point.%d.%s", b->index, key);
    return path;
}

#define refuse(b, path, ...) naik_input_refuse((b)->log, (b)->input, path, __VA_ARGS__)

static bool is_given(const block *b, const char *key)
{
    char path[PATH_SIZE];
    return naik_yaml_find(b->input->tree->root, path_of(b, key, path)) != NULL;
}

static naik_status fill(const block *b)
{
    if (b->three->name == NULL) {
        char *name = naik_yaml_alloc(b->input->tree, MAX_NAME);
        if (name == NULL) {
            return NAIK_FAIL(b->log, NAIK_ERR_MEMORY, "no memory for the input");
        }
        snprintf(name, MAX_NAME, "three_point_%d", b->index);
        b->three->name = name;
    }
    if (b->input->kind->spin > 1 && !is_given(b, "sink_operator")) {
        b->three->sink = NAIK_MESONS + NAIK_SPIN_PION;
    }
    return NAIK_OK;
}

/* Number k of an entry, as far as it is known before the lists are made. */
static const int *place_of(const naik_input_solve *solve, int k)
{
    return naik_source_kind_of(solve->source.type)->place == NAIK_SOURCE_AT_SITE
               ? solve->origins.data[k]
               : NULL;
}

static naik_status check_quark(const block *b, const char *key, const char *name, int *of)
{
    char path[PATH_SIZE];
    NAIK_PASS(naik_input_find_entry(b->log, b->input, path_of(b, key, path), name, of));
    if (naik_source_is_sequential(&b->input->solve[*of].source)) {
        return refuse(b, path,
                      "'%s': the source of %s is sequential, and a three-point function begins at "
                      "one that is not",
                      path, name);
    }
    if (!naik_input_is_whole(&b->input->solve[*of])) {
        snprintf(path, sizeof path, "solve.%d.source.colours", *of);
        return refuse(b, path,
                      "'%s': single colours are no propagator, and 'three_point' is a sum over all "
                      "three",
                      path);
    }
    return NAIK_OK;
}

/* Both begin at one source. */
static naik_status check_sources(const block *b)
{
    char path[PATH_SIZE];
    const naik_input_solve *parent = &b->input->solve[b->three->of[0]];
    const naik_input_solve *spectator = &b->input->solve[b->three->of[1]];
    const int count = naik_input_count_sources(parent);
    path_of(b, "spectator", path);
    if (parent->parts > 1 || spectator->parts > 1) {
        return refuse(b, path, "'%s': naik makes no three-point functions of diluted noise", path);
    }
    if (naik_input_count_sources(spectator) != count) {
        const int its = naik_input_count_sources(spectator);
        return refuse(b, path,
                      "'%s' has %d source%s and the parent has %d: naik joins the sources in their "
                      "order, so that both need the same number",
                      path, its, its == 1 ? "" : "s", count);
    }
    NAIK_PASS(naik_input_check_common(b->log, b->input, path, parent, spectator));
    for (int k = 0; k < count; k++) {
        const int *one = place_of(parent, k), *other = place_of(spectator, k);
        if (one != NULL && other != NULL && memcmp(one, other, NAIK_DIM * sizeof *one) != 0) {
            return refuse(b, path, "'%s': source %d of %s and of %s lie at different sites", path,
                          k, parent->name, spectator->name);
        }
    }
    return NAIK_OK;
}

/* An operator that the input names: `number` of naik_input_correlator_name, and the word for it in sentences. */
typedef struct operator_word {
    const char *path, *word;
    int number;
} operator_word;

static operator_word word_of(const block *b, const char *key, int index, int number,
                             char path[PATH_SIZE])
{
    path_of(b, key, path);
    return (operator_word){path, naik_input_written(b->input, path, index, number), number};
}

/* The operator is a meson or an operator of the input's quarks. */
static naik_status check_operator(const block *b, operator_word o)
{
    char words[NAIK_INPUT_SPIN_WORDS];
    const bool gamma = o.number >= (int)NAIK_FIRST_GAMMA;
    const bool of_spin =
        gamma || (o.number >= (int)NAIK_MESONS && o.number < (int)NAIK_FIRST_SPIN_TASTE);
    return of_spin == (b->input->kind->spin > 1) || naik_correlator_is_current(o.number)
               ? NAIK_OK
               : refuse(b, o.path, "'%s': %s is for %s quarks", o.path, o.word,
                        of_spin ? naik_input_spin_words(words) : "staggered");
}

/* An operator with links acts on quarks without a twist, with the links of a configuration. */
static naik_status check_links(const block *b, operator_word o, int entry)
{
    return naik_input_twist(&b->input->solve[entry]) != NULL
               ? refuse(b, o.path,
                        "'%s': naik makes operators with links, such as %s, only without a twist",
                        o.path, o.word)
               : naik_input_check_smearing(b->log, b->input, o.path, o.word);
}

/* The operator of a meson is no current. */
static naik_status check_meson(const block *b, operator_word o)
{
    return naik_correlator_is_current(o.number)
               ? refuse(b, o.path, "'%s': %s is an insertion, and no meson", o.path, o.word)
               : check_operator(b, o);
}

static double epsilon_of(const naik_reals *epsilon, int mass)
{
    return mass < epsilon->count ? epsilon->data[mass] : 0;
}

/* A conserved current has the links of D of parent and daughter alike. */
static naik_status check_current(const block *b, operator_word o)
{
    const naik_input_solve *parent = &b->input->solve[b->three->of[0]];
    const naik_reals *daughter = &b->three->naik_epsilon;
    bool alike = naik_input_twist(parent) == NULL;
    for (int i = 0; i < parent->naik_epsilon.count || i < 1; i++) {
        for (int k = 0; k < daughter->count || k < 1; k++) {
            alike = alike && epsilon_of(&parent->naik_epsilon, i) == epsilon_of(daughter, k);
        }
    }
    return alike ? NAIK_OK
                 : refuse(b, o.path,
                          "'%s': there is no %s, because parent and daughter have different %s",
                          o.path, o.word,
                          naik_input_twist(parent) != NULL ? "twists" : "values of naik_epsilon");
}

static naik_status check_insertion(const block *b, int index)
{
    char path[PATH_SIZE];
    const operator_word o = word_of(b, "insertion", index, b->three->insertion.data[index], path);
    NAIK_PASS(check_operator(b, o));
    if (naik_correlator_is_current(o.number)) {
        NAIK_PASS(check_current(b, o));
    }
    if (naik_correlator_is_spin_taste(o.number)) {
        NAIK_PASS(check_links(b, o, b->three->of[0]));
    }
    return NAIK_OK;
}

static naik_status check_sink(const block *b)
{
    char path[PATH_SIZE];
    const operator_word o = word_of(b, "sink_operator", 0, b->three->sink, path);
    NAIK_PASS(check_meson(b, o));
    if (naik_correlator_is_spin_taste(o.number)) {
        NAIK_PASS(check_links(b, o, b->three->of[1]));
        const int label = o.number - NAIK_FIRST_SPIN_TASTE;
        if (((label / NAIK_GAMMAS ^ label % NAIK_GAMMAS) & TIME) != 0) {
            return refuse(b, path,
                          "'%s': %s has a link in time, and the meson at the sink lies on one time "
                          "slice",
                          path, o.word);
        }
    }
    return NAIK_OK;
}

static naik_status check_operators(const block *b)
{
    char path[PATH_SIZE], words[NAIK_INPUT_SPIN_WORDS];
    if (b->three->insertion.count == 0) {
        return refuse(b, path_of(b, "insertion", path), "'%s' names no current", path);
    }
    for (int i = 0; i < b->three->insertion.count; i++) {
        NAIK_PASS(check_insertion(b, i));
    }
    NAIK_PASS(check_sink(b));
    if (b->input->kind->spin > 1) {
        NAIK_PASS(check_meson(b, word_of(b, "source_operator", 0, b->three->source, path)));
    } else if (is_given(b, "source_operator")) {
        return refuse(b, path_of(b, "source_operator", path), "'%s' applies to action.type %s only",
                      path, naik_input_spin_words(words));
    }
    return NAIK_OK;
}

static naik_status check_times(const block *b)
{
    const naik_ints *times = &b->three->sink_times;
    char path[PATH_SIZE];
    path_of(b, "sink_times", path);
    for (int i = 0; i < times->count; i++) {
        if (times->data[i] >= b->input->lattice.size[3]) {
            return refuse(b, path, "'%s' %d lies outside the lattice of %d time slices", path,
                          times->data[i], b->input->lattice.size[3]);
        }
        for (int other = 0; other < i; other++) {
            if (times->data[i] == times->data[other]) {
                return refuse(b, path, "'%s' names %d twice", path, times->data[i]);
            }
        }
    }
    return NAIK_OK;
}

static naik_status check_momenta(const block *b, const char *key, const naik_vectors *momenta)
{
    char path[PATH_SIZE];
    path_of(b, key, path);
    NAIK_PASS(naik_input_check_zone(b->log, b->input, path, momenta));
    return naik_input_check_momenta(b->log, b->input, path, momenta);
}

static naik_status check_repeated(const block *b, const char *key, const naik_reals *values)
{
    const naik_reals *epsilon = &b->three->naik_epsilon;
    char path[PATH_SIZE];
    path_of(b, key, path);
    if (values->count > MAX_MASSES) {
        return refuse(b, path, "'%s' has %d masses; at most %d fit into one entry", path,
                      values->count, (int)MAX_MASSES);
    }
    for (int i = 0; i < values->count; i++) {
        for (int other = 0; other < i; other++) {
            const bool links = epsilon->count == 0 || epsilon->data[i] == epsilon->data[other];
            if (links && values->data[i] == values->data[other]) {
                return refuse(b, path, "'%s' names %g twice", path, values->data[i]);
            }
        }
    }
    return NAIK_OK;
}

static naik_status check_daughter(const block *b)
{
    const naik_input_three_point *three = b->three;
    char masses[PATH_SIZE], kappas[PATH_SIZE], path[PATH_SIZE];
    NAIK_PASS(naik_input_check_masses(b->log, b->input, path_of(b, "daughter_masses", masses),
                                      path_of(b, "daughter_kappas", kappas), &three->masses,
                                      three->kappas.count));
    path_of(b, "daughter_naik_epsilon", path);
    if (three->naik_epsilon.count > 0 &&
        (naik_quark_number_of(b->input->kind, "naik_epsilon")->uses & NAIK_NUMBER_LINKS) == 0) {
        return refuse(b, path, "'%s' applies to action.type hisq and links only", path);
    }
    if (three->naik_epsilon.count > 0 && three->naik_epsilon.count != three->masses.count) {
        return refuse(b, path,
                      "'%s' has %d number%s and daughter_masses has %d: give one for each mass",
                      path, three->naik_epsilon.count, three->naik_epsilon.count == 1 ? "" : "s",
                      three->masses.count);
    }
    NAIK_PASS(check_repeated(b, "daughter_masses", &three->masses));
    return check_repeated(b, "daughter_kappas", &three->kappas);
}

/* The daughter has no twist. */
static naik_status check_weight(const block *b)
{
    char path[PATH_SIZE];
    path_of(b, "parent", path);
    return naik_input_twist(&b->input->solve[b->three->of[0]]) != NULL &&
                   naik_input_any_moving(&b->three->momenta) &&
                   b->input->output.weight == NAIK_INPUT_WEIGHT_COS
               ? refuse(b, path,
                        "'output.momentum_weight' cos mixes the momenta p and -p, which differ in "
                        "'%s' with a twist: use exp",
                        path)
               : NAIK_OK;
}

static naik_status check_one(const block *b)
{
    NAIK_PASS(fill(b));
    NAIK_PASS(naik_input_check_name(b->log, b->input, "three_point", b->index, b->three->name));
    NAIK_PASS(check_quark(b, "parent", b->three->parent, &b->three->of[0]));
    NAIK_PASS(check_quark(b, "spectator", b->three->spectator, &b->three->of[1]));
    NAIK_PASS(check_sources(b));
    NAIK_PASS(check_operators(b));
    NAIK_PASS(check_times(b));
    NAIK_PASS(check_momenta(b, "momenta", &b->three->momenta));
    NAIK_PASS(check_momenta(b, "sink_momenta", &b->three->sink_momenta));
    NAIK_PASS(check_daughter(b));
    return check_weight(b);
}

naik_status naik_input_check_three_points(naik_log *log, naik_input *input)
{
    for (int i = 0; i < input->three_point_count; i++) {
        const block b = {log, input, &input->three_points[i], i};
        NAIK_PASS(check_one(&b));
    }
    return NAIK_OK;
}

/* What closes a meson of staggered quarks at the sink, on the spectator's solution: the sign of the meson times
 * (-1)^(x+y+z+t), which makes M^-1 run from the sink to the current. */
static int closing(int meson)
{
    for (int candidate = 0; candidate < (int)NAIK_MESONS; candidate++) {
        bool same = true;
        for (int corner = 0; corner < 1 << NAIK_DIM; corner++) {
            const int x[NAIK_DIM] = {corner & 1, corner >> 1 & 1, corner >> 2 & 1, corner >> 3};
            same =
                same && naik_meson_sign((naik_meson)candidate, x) ==
                            naik_meson_sign((naik_meson)meson, x) * naik_meson_sign(NAIK_PION05, x);
        }
        if (same) {
            return candidate;
        }
    }
    return NAIK_PION05; /* never: the 16 signs are a group */
}

/* The entry of a mass of the spectator: its sources lie on the sink times, for each momentum there, sources of
 * the spectator the last fastest. The times count from where a pair of the spectator and the parent does. */
static naik_status add_entry(const block *b, int mass, naik_input_solve *out)
{
    const naik_input_three_point *three = b->three;
    const naik_input_solve *both[2] = {&b->input->solve[three->of[1]],
                                       &b->input->solve[three->of[0]]};
    const naik_input_solve *begins = both[naik_source_first(
        (const naik_source *const[]){&both[0]->source, &both[1]->source}, 2)];
    const int sources = begins->origins.count, extent = b->input->lattice.size[3];
    const int count = three->sink_momenta.count * three->sink_times.count * sources;
    const size_t size = strlen(three->name) + 16;
    char *name = naik_yaml_alloc(b->input->tree, size);
    int(*origins)[4] = naik_yaml_alloc(b->input->tree, (size_t)count * sizeof *origins);
    if (name == NULL || origins == NULL) {
        return NAIK_FAIL(b->log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    snprintf(name, size, "%s+m%02d", three->name, mass);
    for (int i = 0; i < count; i++) {
        const int time = three->sink_times.data[i / sources % three->sink_times.count];
        memset(origins[i], 0, sizeof origins[i]);
        origins[i][3] = (begins->origins.data[i % sources][3] + time) % extent;
    }
    const bool spin = b->input->kind->spin > 1;
    *out = (naik_input_solve){.name = name,
                              .masses = three->masses,
                              .naik_epsilon = three->naik_epsilon,
                              .tolerance = three->tolerance,
                              .source = {.type = NAIK_SOURCE_SEQUENTIAL},
                              .origins = {origins, count},
                              .insertion = spin || naik_correlator_is_spin_taste(three->sink)
                                               ? three->sink
                                               : closing(three->sink),
                              .momenta = b->input->output.momenta,
                              .own_correlators = true,
                              .deflate = true};
    memcpy(out->source.origin, origins[0], sizeof out->source.origin);
    b->input->source_count += count;
    b->input->task_count += count * three->masses.count * b->input->kind->columns;
    return NAIK_OK;
}

naik_status naik_input_add_three_points(naik_log *log, naik_input *input)
{
    int count = input->solve_count, added = input->solve_count;
    for (int i = 0; i < input->three_point_count; i++) {
        count += input->solve[input->three_points[i].of[1]].masses.count;
    }
    if (count == input->solve_count) {
        return NAIK_OK;
    }
    naik_input_solve *all = naik_yaml_alloc(input->tree, (size_t)count * sizeof *all);
    if (all == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    memcpy(all, input->solve, (size_t)input->solve_count * sizeof *all);
    for (int i = 0; i < input->three_point_count; i++) {
        const block b = {log, input, &input->three_points[i], i};
        b.three->first = added;
        for (int m = 0; m < input->solve[b.three->of[1]].masses.count; m++) {
            NAIK_PASS(add_entry(&b, m, &all[added++]));
        }
    }
    input->solve = all;
    input->solve_count = count;
    if (input->source_count > NAIK_INPUT_SOURCES) {
        return naik_input_refuse(log, input, "three_point",
                                 "the input has %d sources with those of 'three_point'; at most %d "
                                 "fit into one file",
                                 input->source_count, (int)NAIK_INPUT_SOURCES);
    }
    return NAIK_OK;
}

const naik_input_three_point *naik_input_three_point_of(const naik_input *input, int solve)
{
    for (int i = 0; i < input->three_point_count; i++) {
        const naik_input_three_point *three = &input->three_points[i];
        const int entries = input->solve[three->of[1]].masses.count;
        if (solve >= three->first && solve < three->first + entries) {
            return three;
        }
    }
    return NULL;
}

void naik_input_place_three_points(naik_input *input)
{
    for (int s = 0; s < input->source_count; s++) {
        naik_input_source *source = &input->sources[s];
        const naik_input_three_point *three = naik_input_three_point_of(input, source->solve);
        if (three == NULL) {
            continue;
        }
        const int sources = input->solve[three->of[1]].origins.count;
        const int each = sources * three->sink_times.count;
        const int *momentum = three->sink_momenta.data[source->origin / each];
        source->made_of = naik_input_first_source(input, three->of[1]) + source->origin % sources;
        source->made_of_mass = source->solve - three->first;
        memcpy(source->source.momentum, momentum, sizeof source->source.momentum);
        source->parent = naik_input_first_source(input, three->of[0]) + source->origin % sources;
        const naik_input_source *begin[2] = {&input->sources[source->made_of],
                                             &input->sources[source->parent]};
        naik_source_begin((const naik_source *const[]){&begin[0]->source, &begin[1]->source},
                          (const int *const[]){begin[0]->x0, begin[1]->x0}, 2,
                          input->kind->spin == 1, source->x0);
    }
}
