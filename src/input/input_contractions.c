/* input_contractions.c - checks of what is contracted from several solves: pairs, averages */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "input/input_table.h"
#include "lattice/source_kind.h"
#include "propagator/spin_taste.h"

enum { PATH_SIZE = 160, MAX_NAME = 48 };

naik_status naik_input_check_letters(naik_log *log, const naik_input *input, const char *path,
                                     const char *name)
{
    bool ok = strlen(name) <= MAX_NAME;
    for (const char *letter = name; *letter != '\0'; letter++) {
        ok = ok && (isalnum((unsigned char)*letter) || *letter == '_' || *letter == '-');
    }
    return ok ? NAIK_OK
              : naik_input_refuse(
                    log, input, path,
                    "'%s' must be of at most %d letters, digits, _ and -, not '%.100s'", path,
                    (int)MAX_NAME, name);
}

/* That the name at `path` is not that of entry `index` of the list `list`. */
static naik_status check_differs(naik_log *log, const naik_input *input, const char *path,
                                 const char *name, const char *list, int index, const char *other)
{
    return strcmp(name, other) != 0
               ? NAIK_OK
               : naik_input_refuse(log, input, path, "'%s' is '%s', which %s.%d.name is already",
                                   path, name, list, index);
}

naik_status naik_input_check_name(naik_log *log, const naik_input *input, const char *list,
                                  int index, const char *name)
{
    static const char *const lists[] = {"solve", "pairs", "baryons", "three_point", "averages"};
    int before[] = {input->solve_count, input->pair_count, input->baryon_count,
                    input->three_point_count, input->average_count};
    bool behind = false;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s.%d.name", list, index);
    NAIK_PASS(naik_input_check_letters(log, input, path, name));
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        const bool here = strcmp(list, lists[k]) == 0;
        before[k] = behind ? 0 : here ? index : before[k];
        behind = behind || here;
        for (int i = 0; i < before[k]; i++) {
            const char *const names[] = {
                k == 0 ? input->solve[i].name : NULL, k == 1 ? input->pairs[i].name : NULL,
                k == 2 ? input->baryons[i].name : NULL, k == 3 ? input->three_points[i].name : NULL,
                k == 4 ? input->averages[i].name : NULL};
            NAIK_PASS(check_differs(log, input, path, name, lists[k], i, names[k]));
        }
    }
    return NAIK_OK;
}

/* The place in solve[] of the entry that `path` names. */
naik_status naik_input_find_entry(naik_log *log, const naik_input *input, const char *path,
                                  const char *name, int *found)
{
    for (int i = 0; i < input->solve_count; i++) {
        if (strcmp(input->solve[i].name, name) == 0) {
            *found = i;
            return NAIK_OK;
        }
    }
    return naik_input_refuse(log, input, path,
                             "'%s' is '%.100s', which is no name of an entry of solve", path, name);
}

int naik_input_sources_of_origin(const naik_input_solve *solve)
{
    return (solve->parts > 0 ? solve->parts : 1) * (solve->hits > 0 ? solve->hits : 1);
}

int naik_input_count_sources(const naik_input_solve *solve)
{
    const int count =
        solve->origins.count > solve->t0.count ? solve->origins.count : solve->t0.count;
    return (count > 0 ? count : 1) * naik_input_sources_of_origin(solve);
}

/* A sink that is smeared needs its two numbers and the links of a configuration; others have none. */
static naik_status check_sink(naik_log *log, const naik_input *input, int index,
                              const naik_input_pair *pair)
{
    static const char *const keys[] = {"radius", "iterations"};
    const bool smeared = pair->sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN;
    char path[PATH_SIZE];
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "pairs.%d.%s", index, keys[k]);
        const bool is_given = naik_yaml_find(input->tree->root, path) != NULL;
        if (smeared && !is_given) {
            return naik_input_refuse(log, input, path,
                                     "key '%s' is missing; sink covariant_gaussian needs it", path);
        }
        if (!smeared && is_given) {
            return naik_input_refuse(log, input, path,
                                     "'%s' applies to sink covariant_gaussian only", path);
        }
    }
    snprintf(path, sizeof path, "pairs.%d.radius", index);
    if (smeared && !(pair->radius >= 1e-3)) {
        return naik_input_refuse(log, input, path, "'%s' %g is too small: 0.001 is the least", path,
                                 pair->radius);
    }
    snprintf(path, sizeof path, "pairs.%d.sink", index);
    return smeared ? naik_input_check_smearing(log, input, path, "covariant_gaussian") : NAIK_OK;
}

/* Whether one source goes with each of several sequential ones, such as a list of sink times. */
static bool serves_several(const naik_input *input, const naik_input_pair *pair, const int count[2])
{
    const int many = count[0] > count[1] ? 0 : 1;
    return count[1 - many] == 1 && naik_source_is_sequential(&input->solve[pair->of[many]].source);
}

naik_source naik_input_source_number(const naik_input *input, const naik_input_solve *solve, int k)
{
    naik_source source = solve->source;
    if (solve->origins.count > 0) {
        memcpy(source.origin, solve->origins.data[k / naik_input_sources_of_origin(solve)],
               sizeof source.origin);
    } else if (solve->t0.count > 0) {
        source.origin[NAIK_DIM - 1] = solve->t0.data[k / naik_input_sources_of_origin(solve)];
    }
    naik_input_dilute(solve, input->lattice.size[3], k, &source);
    return source;
}

/* Why the mean of what is made of both vanishes whatever the gauge field; NULL: it need not. */
static const char *nothing_common(const naik_source *a, const naik_source *b)
{
    const bool random[2] = {naik_source_is_random(a->type), naik_source_is_random(b->type)};
    const bool volume = naik_source_kind_of(a->type)->place == NAIK_SOURCE_ON_LATTICE ||
                        naik_source_kind_of(b->type)->place == NAIK_SOURCE_ON_LATTICE;
    if (naik_source_is_stored(a) || naik_source_is_stored(b)) {
        return NULL;
    }
    if (random[0] != random[1]) {
        return "one is noise and the other is not";
    }
    if (random[0] && (a->seed != b->seed || a->noise != b->noise)) {
        return "they are noise of different seeds or kinds";
    }

    if (!volume && a->origin[NAIK_DIM - 1] != b->origin[NAIK_DIM - 1]) {
        return "they lie on different time slices";
    }
    return NULL;
}

static bool is_diluted_alike(const naik_input_solve *a, const naik_input_solve *b)
{
    unsigned set[2] = {0, 0};
    for (int k = 0; k < a->dilution.count; k++) {
        set[0] |= 1U << a->dilution.data[k];
    }
    for (int k = 0; k < b->dilution.count; k++) {
        set[1] |= 1U << b->dilution.data[k];
    }
    return set[0] == set[1] && a->spacing == b->spacing && a->hits == b->hits;
}

naik_status naik_input_check_common(naik_log *log, const naik_input *input, const char *path,
                                    const naik_input_solve *a, const naik_input_solve *b)
{
    for (int k = 0; k < naik_input_count_sources(a) && k < naik_input_count_sources(b); k++) {
        const naik_source one = naik_input_source_number(input, a, k),
                          two = naik_input_source_number(input, b, k);
        const char *why = nothing_common(&one, &two);
        const bool parted = naik_source_is_random(a->source.type) && !is_diluted_alike(a, b);
        why = why == NULL && parted ? "their noise is diluted in different ways" : why;
        if (why != NULL) {
            return naik_input_refuse(
                log, input, path,
                "'%s': source %d of %s and of %s give no correlator, because its mean "
                "vanishes: %s",
                path, k, a->name, b->name, why);
        }
    }
    return NAIK_OK;
}

static naik_status check_pair(naik_log *log, const naik_input *input, int index,
                              naik_input_pair *pair)
{
    char path[PATH_SIZE];
    NAIK_PASS(naik_input_check_name(log, input, "pairs", index, pair->name));
    snprintf(path, sizeof path, "pairs.%d.quark", index);
    NAIK_PASS(naik_input_find_entry(log, input, path, pair->quark, &pair->of[0]));
    snprintf(path, sizeof path, "pairs.%d.antiquark", index);
    NAIK_PASS(naik_input_find_entry(log, input, path, pair->antiquark, &pair->of[1]));
    const int count[2] = {naik_input_count_sources(&input->solve[pair->of[0]]),
                          naik_input_count_sources(&input->solve[pair->of[1]])};
    if (count[0] != count[1] && !serves_several(input, pair, count)) {
        return naik_input_refuse(
            log, input, path,
            "'%s' has %d source%s and the quark has %d: naik joins the sources "
            "in their order, so that both need the same number; a single "
            "source also goes with several of a sequential entry",
            path, count[1], count[1] == 1 ? "" : "s", count[0]);
    }
    NAIK_PASS(naik_input_check_common(log, input, path, &input->solve[pair->of[0]],
                                      &input->solve[pair->of[1]]));
    NAIK_PASS(check_sink(log, input, index, pair));
    const bool pion5 = pair->sink == NAIK_INPUT_SINK_WALL && input->kind->spin == 1;
    if (!pion5 && (input->output.correlators.count == 0 || input->output.momenta.count == 0)) {
        return naik_input_refuse(log, input, "pairs",
                                 "'pairs' have no correlators: output.correlators names none");
    }
    return NAIK_OK;
}

naik_status naik_input_check_momenta(naik_log *log, const naik_input *input, const char *path,
                                     const naik_vectors *momenta)
{
    for (int i = 0; i < momenta->count; i++) {
        const int *p = momenta->data[i];
        for (int other = 0; other < i; other++) {
            if (memcmp(p, momenta->data[other], sizeof momenta->data[0]) == 0) {
                return naik_input_refuse(log, input, path, "'%s' names [%d, %d, %d] twice", path,
                                         p[0], p[1], p[2]);
            }
        }
    }
    return NAIK_OK;
}

naik_status naik_input_check_zone(naik_log *log, const naik_input *input, const char *path,
                                  const naik_vectors *momenta)
{
    const int *size = input->lattice.size;
    for (int i = 0; i < (NAIK_DIM - 1) * momenta->count; i++) {
        const int *p = momenta->data[i / (NAIK_DIM - 1)], k = i % (NAIK_DIM - 1);
        if (2 * p[k] > size[k] || 2 * p[k] < -size[k]) {
            return naik_input_refuse(
                log, input, path,
                "'%s' [%d, %d, %d] is outside the Brillouin zone: %d in %c is more "
                "than half of the %d sites",
                path, p[0], p[1], p[2], p[k], "xyz"[k], size[k]);
        }
    }
    return NAIK_OK;
}

naik_status naik_input_check_zones(naik_log *log, const naik_input *input)
{
    NAIK_PASS(naik_input_check_zone(log, input, "output.momenta", &input->output.momenta));
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        int own[1][NAIK_DIM] = {{0}};
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "solve.%d.momenta", i);
        NAIK_PASS(naik_input_check_zone(log, input, path, &solve->momenta));
        snprintf(path, sizeof path, "solve.%d.source.momentum", i);
        memcpy(own[0], solve->source.momentum, sizeof solve->source.momentum);
        NAIK_PASS(naik_input_check_zone(log, input, path, &(naik_vectors){own, 1}));
    }
    return NAIK_OK;
}

const naik_ints *naik_input_asked_correlators(const naik_input *input,
                                              const naik_input_solve *solve)
{
    static const naik_ints none = {.count = 0};
    return solve->correlators.data != NULL ? &solve->correlators
           : naik_input_is_whole(solve)    ? &input->output.correlators
                                           : &none;
}

/* Operators with links have those of the configuration, which a twist is not in. */
static naik_status check_shifts(naik_log *log, const naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        bool paired = false;
        for (int p = 0; p < input->pair_count; p++) {
            paired = paired || input->pairs[p].of[0] == i || input->pairs[p].of[1] == i;
        }
        const naik_ints *asked[2] = {naik_input_asked_correlators(input, solve),
                                     &input->output.correlators};
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "solve.%d.twist", i);
        for (int k = 0; k < (paired ? 2 : 1) && naik_input_twist(solve) != NULL; k++) {
            for (int c = 0; c < asked[k]->count; c++) {
                if (naik_correlator_is_spin_taste(asked[k]->data[c])) {
                    return naik_input_refuse(
                        log, input, path,
                        "'%s': naik makes operators with links, such as %s, only without a twist",
                        path, naik_input_correlator_name(asked[k]->data[c]));
                }
            }
        }
    }
    return NAIK_OK;
}

/* The Naik epsilon of a mass, which may be given for none of them. */
static double epsilon_of(const naik_input_solve *solve, int mass)
{
    return mass < solve->naik_epsilon.count ? solve->naik_epsilon.data[mass] : 0;
}

/* Why the links of D are not those of both quarks of a pair; NULL: they are. */
static const char *different_links(const naik_input *input, const naik_input_pair *pair)
{
    const naik_input_solve *a = &input->solve[pair->of[0]], *b = &input->solve[pair->of[1]];
    bool alike = true;
    for (int i = 0; i < a->naik_epsilon.count || i < a->masses.count; i++) {
        for (int k = 0; k < b->naik_epsilon.count || k < b->masses.count; k++) {
            alike = alike && epsilon_of(a, i) == epsilon_of(b, k);
        }
    }
    return !naik_input_same_twist(a, b) ? "quark and antiquark have different twists"
           : !alike ? "quark and antiquark have different values of naik_epsilon"
                    : NULL;
}

/* Why a pair has no conserved current at its sink; NULL: it has. */
static const char *no_current(const naik_input *input, const naik_input_pair *pair)
{
    return pair->sink != NAIK_INPUT_SINK_POINT ? "its sink is not a point"
                                               : different_links(input, pair);
}

/* Of one that has it on a source. */
static const char *no_current_at_source(const naik_input *input, const naik_input_pair *pair)
{
    return pair->sink == NAIK_INPUT_SINK_WALL && input->kind->spin > 1
               ? "its sink is a wall"
               : different_links(input, pair);
}

/* That of a pair whose source has a conserved current on it; NULL: neither. */
static const naik_input_solve *with_current(const naik_input *input, const naik_input_pair *pair)
{
    for (int k = 0; k < 2; k++) {
        if (naik_source_has_current(&input->solve[pair->of[k]].source)) {
            return &input->solve[pair->of[k]];
        }
    }
    return NULL;
}

/* The links of a conserved current are those of D, of quark and antiquark alike, and its sink is a point. */
static naik_status check_currents(naik_log *log, const naik_input *input)
{
    const naik_ints *asked = &input->output.correlators;
    int current = 0;
    while (current < asked->count && !naik_correlator_is_current(asked->data[current])) {
        current++;
    }
    for (int i = 0; i < input->pair_count; i++) {
        const char *why = no_current(input, &input->pairs[i]);
        const naik_input_solve *with = with_current(input, &input->pairs[i]);
        const char *at_source = no_current_at_source(input, &input->pairs[i]);
        if (with != NULL && at_source != NULL) {
            char path[PATH_SIZE];
            snprintf(path, sizeof path, "solve.%d.source.spin_taste", (int)(with - input->solve));
            return naik_input_refuse(
                log, input, path, "'%s': pair '%s' has no %s at its source, because %s", path,
                input->pairs[i].name, naik_input_correlator_name(with->source.spin_taste),
                at_source);
        }
        if (why != NULL && current < asked->count) {
            return naik_input_refuse(log, input, "output.correlators",
                                     "'output.correlators': pair '%s' has no %s, because %s; give "
                                     "the current as solve[].correlators, or the pair an input of "
                                     "its own",
                                     input->pairs[i].name,
                                     naik_input_correlator_name(asked->data[current]), why);
        }
    }
    return NAIK_OK;
}

/* The direction of the only link of the operator on a source, which has no sign that depends on the site it acts
 * on; -1: it is another operator. */
static int direction_of(const naik_source *source)
{
    const int spin_taste = source->spin_taste - (int)NAIK_FIRST_SPIN_TASTE;
    for (int mu = 0; mu < NAIK_DIM - 1; mu++) {
        if (spin_taste == 1 << mu) { /* G1-GX, G1-GY, G1-GZ */
            return mu;
        }
    }
    return -1;
}

bool naik_input_is_displaced(const naik_input *input, const naik_input_baryon *baryon)
{
    unsigned directions = 0;
    for (int i = 0; i < 3; i++) {
        const int mu = direction_of(&input->solve[baryon->of[i]].source);
        directions |= mu < 0 ? 0 : 1U << mu;
    }
    return directions == 7;
}

/* Baryons and the condensate are of sources that nothing acts on, but for a Delta of three displaced ones. */
static naik_status check_operators(naik_log *log, const naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        const bool noise = naik_source_is_random(solve->source.type);
        bool baryon = input->output.baryons.count > 0;
        for (int k = 0; k < 3 * input->baryon_count; k++) {
            const naik_input_baryon *of = &input->baryons[k / 3];
            baryon = baryon || (of->of[k % 3] == i && !naik_input_is_displaced(input, of));
        }
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "solve.%d.source.spin_taste", i);
        if (solve->source.spin_taste != 0 && naik_input_is_whole(solve) &&
            (baryon || (input->output.condensate && noise))) {
            return naik_input_refuse(
                log, input, path,
                "'%s': naik makes no %s of a source with an operator on it: give "
                "this entry an input of its own",
                path, baryon ? "nucleon" : "condensate");
        }
    }
    return NAIK_OK;
}

/* What is asked by name of an entry, such as one that has not all of its colours; NULL: nothing. */
static const char *contracted(const naik_input *input, int entry)
{
    const char *key = input->solve[entry].correlators.count > 0 ? "correlators" : NULL;
    for (int i = 0; i < input->pair_count; i++) {
        const naik_input_pair *pair = &input->pairs[i];
        key = pair->of[0] == entry || pair->of[1] == entry ? "pairs" : key;
    }
    for (int i = 0; i < input->baryon_count; i++) {
        for (int k = 0; k < 3; k++) {
            key = input->baryons[i].of[k] == entry ? "baryons" : key;
        }
    }
    return key;
}

/* Whether output.average has something to average over the sources of an entry. */
static bool has_average(const naik_input *input, int entry)
{
    const naik_input_solve *solve = &input->solve[entry];
    return naik_input_count_sources(solve) > 1 && solve->parts == 1 &&
           !naik_source_is_sequential(&solve->source) && naik_input_is_whole(solve) &&
           (contracted(input, entry) != NULL || input->three_point_count > 0 ||
            input->output.baryons.count > 0 || naik_input_has_loops(input, solve) ||
            naik_input_asked_correlators(input, solve)->count > 0);
}

/* Contractions are sums over all three source colours. */
static naik_status check_whole(naik_log *log, const naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        char path[PATH_SIZE];
        const char *key = naik_input_is_whole(&input->solve[i]) ? NULL : contracted(input, i);
        snprintf(path, sizeof path, "solve.%d.source.colours", i);
        if (key != NULL) {
            return naik_input_refuse(
                log, input, path,
                "'%s': single colours are no propagator, and '%s' is a sum over all three", path,
                key);
        }
    }
    return NAIK_OK;
}

naik_status naik_input_check_contractions(naik_log *log, naik_input *input)
{
    bool random = false;
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        random =
            random || (naik_source_is_random(solve->source.type) && naik_input_is_whole(solve));
    }
    if (input->output.condensate && !random) {
        return naik_input_refuse(log, input, "output.condensate",
                                 "'%s' needs an entry of solve with a random source of all colours",
                                 "output.condensate");
    }
    for (int i = 0; i < input->pair_count; i++) {
        NAIK_PASS(check_pair(log, input, i, &input->pairs[i]));
    }
    NAIK_PASS(check_whole(log, input));
    NAIK_PASS(check_shifts(log, input));
    NAIK_PASS(check_currents(log, input));
    return check_operators(log, input);
}

naik_status naik_input_check_asked_average(naik_log *log, const naik_input *input)
{
    bool averages = !input->output.average;
    for (int i = 0; i < input->solve_count; i++) {
        averages = averages || has_average(input, i);
    }
    return averages ? NAIK_OK
                    : naik_input_refuse(
                          log, input, "output.average",
                          "'output.average' needs an entry of solve with several sources that are "
                          "not sequential, and with correlators to average");
}
