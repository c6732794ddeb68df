/* input_averages.c - the block averages: checked, and the exact solves of its sources added to those of the input */
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "input/input_table.h"
#include "lattice/source_kind.h"
#include "propagator/spin_taste.h"

enum { PATH_SIZE = 96, MAX_NAME = 48, STREAM_DRAW = 0x64726177 };

typedef struct block {
    naik_log *log;
    naik_input *input;
    naik_input_average *average;
    int index;
} block;

/* The Naik epsilon of a mass, which may be given for none of them. */
static double epsilon_of(const naik_input_solve *solve, int mass)
{
    return mass < solve->naik_epsilon.count ? solve->naik_epsilon.data[mass] : 0;
}

/* "averages.0.KEY" */
static const char *path_of(const block *b, const char *key, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "averages.%d.%s", b->index, key);
    return path;
}

#define refuse(b, path, ...) naik_input_refuse((b)->log, (b)->input, path, __VA_ARGS__)

static naik_status fill(const block *b)
{
    if (b->average->name == NULL) {
        char *name = naik_yaml_alloc(b->input->tree, MAX_NAME);
        if (name == NULL) {
            return NAIK_FAIL(b->log, NAIK_ERR_MEMORY, "no memory for the input");
        }
        snprintf(name, MAX_NAME, "average_%d", b->index);
        b->average->name = name;
    }
    return NAIK_OK;
}

/* The first list and number of an entry that makes something else of solves which are sloppy now; NULL: none. */
static const char *other_use(const naik_input *input, int of, int *index)
{
    for (*index = 0; *index < input->pair_count; ++*index) {
        const int *pair = input->pairs[*index].of;
        if (pair[0] == of || pair[1] == of) {
            return "pairs";
        }
    }
    for (*index = 0; *index < input->baryon_count; ++*index) {
        const int *baryon = input->baryons[*index].of;
        if (baryon[0] == of || baryon[1] == of || baryon[2] == of) {
            return "baryons";
        }
    }
    for (*index = 0; *index < input->three_point_count; ++*index) {
        const int *three = input->three_points[*index].of;
        if (three[0] == of || three[1] == of) {
            return "three_point";
        }
    }
    for (*index = 0; *index < input->average_count; ++*index) {
        if (input->averages[*index].of == of) {
            return "averages";
        }
    }
    return NULL;
}

/* The first average of an entry before number `index`; else that. */
static int earlier(const naik_input *input, int of, int index)
{
    int first = 0;
    while (first < index && input->averages[first].of != of) {
        first++;
    }
    return first;
}

static naik_status check_entry(const block *b)
{
    int other = 0;
    char path[PATH_SIZE];
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[b->average->of];
    path_of(b, "solve", path);
    if (naik_source_is_stored(&solve->source) || naik_input_count_sources(solve) < 2) {
        return refuse(b, path, "'%s': an average is over several sources, and %s has %s", path,
                      solve->name,
                      naik_source_is_stored(&solve->source) ? "one from a file" : "one");
    }
    if (solve->parts > 1) {
        return refuse(b, path, "'%s': the sources of %s are parts of diluted noise, which add up",
                      path, solve->name);
    }
    if (!naik_input_is_whole(solve)) {
        return refuse(b, path,
                      "'%s': single colours are no propagator, and %s has no correlators to be "
                      "averaged",
                      path, solve->name);
    }
    if (naik_input_asked_correlators(input, solve)->count == 0 &&
        input->output.baryons.count == 0) {
        return refuse(b, path, "'%s': %s has no correlators to be averaged", path, solve->name);
    }
    if (solve->guess != NULL) {
        return refuse(b, path,
                      "'%s': %s begins from stored solutions (guess), and its sloppy solves must "
                      "begin from zero: leave guess out",
                      path, solve->name);
    }
    if (naik_input_mixes_places(input, solve) &&
        naik_input_any_moving(solve->momenta.count > 0 ? &solve->momenta
                                                       : &input->output.momenta)) {
        return refuse(b, path,
                      "'%s': products of cosines that output.origin counts from one site have no "
                      "average over sources at several places: use output.momentum_weight exp",
                      path);
    }
    const char *list = other_use(input, b->average->of, &other);
    if (b->average->type == NAIK_INPUT_LOW_MODES) {
        return earlier(input, b->average->of, b->index) < b->index
                   ? refuse(b, path, "'%s': averages.%d averages the sources of %s already", path,
                            earlier(input, b->average->of, b->index), solve->name)
                   : NAIK_OK;
    }
    if (naik_source_is_random(solve->source.type) &&
        (input->output.condensate || naik_input_has_loops(input, solve))) {
        return refuse(b, path,
                      "'%s': the solves of %s become sloppy, and output.%s is made of its noise as "
                      "well: leave one of them out",
                      path, solve->name, input->output.condensate ? "condensate" : "loops");
    }
    return list != NULL && (strcmp(list, "averages") != 0 || other < b->index)
               ? refuse(b, path,
                        "'%s': the solves of %s become sloppy, and %s.%d takes them as well: give "
                        "it an entry of its own",
                        path, solve->name, list, other)
               : NAIK_OK;
}

static naik_status check_truncated(const block *b)
{
    char path[PATH_SIZE];
    const naik_input *input = b->input;
    const naik_input_average *average = b->average;
    const naik_input_solve *solve = &input->solve[average->of];
    const double tolerance = solve->tolerance > 0 ? solve->tolerance : input->solver.tolerance;
    const int count = naik_input_count_sources(solve);
    if (average->tolerance_sloppy == 0 || average->exact_sources == 0) {
        path_of(b, average->tolerance_sloppy == 0 ? "tolerance_sloppy" : "exact_sources", path);
        return refuse(b, path, "key '%s' is missing; type truncated_solves needs it", path);
    }
    path_of(b, "tolerance_sloppy", path);
    if (!(average->tolerance_sloppy > tolerance)) {
        return refuse(b, path,
                      "'%s' %g is not above the tolerance %g of %s: its solves would be no cheaper",
                      path, average->tolerance_sloppy, tolerance, solve->name);
    }
    if (input->solver.tolerance_full > 0 || input->solver.site_relative_tolerance > 0) {
        return refuse(
            b, path,
            "'%s': solver.%s holds for all solves, so that none could be sloppy: "
            "leave it out",
            path, input->solver.tolerance_full > 0 ? "tolerance_full" : "site_relative_tolerance");
    }
    path_of(b, "exact_sources", path);
    return average->exact_sources > count ? refuse(b, path, "'%s' is %d, and %s has %d sources",
                                                   path, average->exact_sources, solve->name, count)
                                          : NAIK_OK;
}

/* Modes are those of one value. */
static naik_status check_epsilons(const block *b)
{
    char path[PATH_SIZE];
    const naik_input_solve *solve = &b->input->solve[b->average->of];
    path_of(b, "solve", path);
    for (int i = 1; i < solve->naik_epsilon.count; i++) {
        if (solve->naik_epsilon.data[i] != solve->naik_epsilon.data[0]) {
            return refuse(b, path,
                          "'%s': the masses of %s have several values of naik_epsilon, and so "
                          "several sets of modes: give each an entry of its own",
                          path, solve->name);
        }
    }
    return NAIK_OK;
}

/* What is averaged over all sites: local mesons of point sources without anything on them. */
static naik_status check_sources(const block *b)
{
    char path[PATH_SIZE];
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[b->average->of];
    const naik_source *source = &solve->source;
    const naik_ints *asked = naik_input_asked_correlators(input, solve);
    path_of(b, "solve", path);
    if (source->type != NAIK_SOURCE_POINT || source->spin_taste != 0) {
        return refuse(b, path,
                      "'%s': low_modes is an average over point sources, and the source of %s is "
                      "%s",
                      path, solve->name,
                      source->type != NAIK_SOURCE_POINT ? naik_source_name(source->type)
                                                        : "one with an operator");
    }
    if (asked->count == 0) {
        return refuse(b, path, "'%s': %s has no correlators to be averaged", path, solve->name);
    }
    for (int i = 0; i < asked->count; i++) {
        if (asked->data[i] >= (int)NAIK_MESONS) {
            return refuse(b, path,
                          "'%s': low_modes averages the local mesons of an entry, and %s of %s "
                          "has links: name a pair whose source has that operator, too",
                          path, naik_input_correlator_name(asked->data[i]), solve->name);
        }
    }
    return check_epsilons(b);
}

/* The loops of an entry of noise. */
static naik_status check_loops(const block *b)
{
    char path[PATH_SIZE];
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[b->average->of];
    const int first = earlier(input, b->average->of, b->index);
    path_of(b, "solve", path);
    if (!naik_input_has_loops(input, solve)) {
        return refuse(b, path, "'%s': low_modes averages the loops of noise, and %s has none: %s",
                      path, solve->name,
                      input->output.loops.count == 0 ? "name some in output.loops"
                                                     : "it leaves colours out");
    }
    return first < b->index ? refuse(b, path, "'%s': averages.%d takes the loops of %s already",
                                     path, first, solve->name)
                            : check_epsilons(b);
}

/* Why a pair has no average of low modes; NULL: it has. */
static const char *no_average(const naik_input *input, const naik_input_pair *pair)
{
    const naik_input_solve *quark = &input->solve[pair->of[0]], *other = &input->solve[pair->of[1]];
    const int operator= quark->source.spin_taste, count = naik_input_count_sources(quark);
    const bool points =
        quark->source.type == NAIK_SOURCE_POINT && other->source.type == NAIK_SOURCE_POINT;
    bool alike = points && count == naik_input_count_sources(other), asked = false, same = true;
    for (int k = 0; k < count && alike; k++) {
        alike = memcmp(quark->origins.data[k], other->origins.data[k], sizeof(int[NAIK_DIM])) == 0;
    }
    for (int k = 0; k < input->output.correlators.count; k++) {
        asked = asked || input->output.correlators.data[k] == operator;
    }
    for (int k = 0; k < 2; k++) {
        const naik_input_solve *solve = &input->solve[pair->of[k]];
        for (int i = 0; i < solve->masses.count; i++) {
            same = same && epsilon_of(solve, i) == epsilon_of(quark, 0);
        }
    }
    return !points                               ? "its sources are no points"
           : pair->sink != NAIK_INPUT_SINK_POINT ? "its sink is not a point"
           : !naik_correlator_is_spin_taste(operator) && !naik_correlator_is_current(operator)
               ? "no operator with links is on the source of its quark"
           :
           operator==(int) NAIK_CORRELATORS - 1
               ? "the links of conserved_vector_t leave the time slice of its source"
           : other->source.spin_taste != 0 ? "an operator is on the source of its antiquark"
           : !alike || count < 2 ? "its quark and antiquark need the same places, at least two"
           : !asked              ? "output.correlators lacks the operator of its source"
           : !same               ? "its quarks have several values of naik_epsilon"
           : !quark->deflate || !other->deflate ? "its solves are not deflated"
                                                : NULL;
}

/* Modes, their number and weights of momenta. */
static naik_status check_low_pair(const block *b)
{
    char path[PATH_SIZE];
    const char *why = no_average(b->input, &b->input->pairs[b->average->pair]);
    path_of(b, "solve", path);
    return why != NULL
               ? refuse(b, path, "'%s': the pair %s has no average of low modes, because %s", path,
                        b->average->solve, why)
               : NAIK_OK;
}

static naik_status check_low(const block *b)
{
    static const char *const others[] = {"tolerance_sloppy", "exact_sources", "seed"};
    char path[PATH_SIZE];
    const naik_input *input = b->input;
    const naik_input_solve *solve = &input->solve[b->average->of];
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        path_of(b, others[k], path);
        if (naik_yaml_find(input->tree->root, path) != NULL) {
            return refuse(b, path, "'%s' applies to type truncated_solves only", path);
        }
    }
    path_of(b, "type", path);
    if (input->kind->spin > 1) {
        return refuse(b, path, "'%s' low_modes is for staggered quarks only", path);
    }
    if (input->deflation.modes == 0 || !solve->deflate) {
        return refuse(b, path,
                      "'%s' low_modes takes the modes of deflation, and %s has none: set %s", path,
                      solve->name,
                      input->deflation.modes == 0 ? "deflation.modes and deflation.file"
                                                  : "its deflate to true");
    }
    const naik_vectors *momenta =
        solve->momenta.count > 0 && b->average->pair < 0 ? &solve->momenta : &input->output.momenta;
    if (naik_input_averages_loops(input, b->average)) {
        return check_loops(b);
    }
    if (input->output.weight == NAIK_INPUT_WEIGHT_COS && naik_input_any_moving(momenta)) {
        return refuse(
            b, path, "'%s' low_modes needs output.momentum_weight exp: cosines mix p and -p", path);
    }
    return b->average->pair < 0 ? check_sources(b) : check_low_pair(b);
}

/* The pair that an average of low modes names. */
static void find_pair(const block *b)
{
    for (int i = 0; i < b->input->pair_count && b->average->type == NAIK_INPUT_LOW_MODES; i++) {
        if (strcmp(b->input->pairs[i].name, b->average->solve) == 0) {
            b->average->pair = i;
            b->average->of = b->input->pairs[i].of[1];
        }
    }
}

static naik_status check_one(const block *b)
{
    char path[PATH_SIZE];
    NAIK_PASS(fill(b));
    NAIK_PASS(naik_input_check_name(b->log, b->input, "averages", b->index, b->average->name));
    find_pair(b);
    if (b->average->pair < 0) {
        NAIK_PASS(naik_input_find_entry(b->log, b->input, path_of(b, "solve", path),
                                        b->average->solve, &b->average->of));
        if (!naik_input_averages_loops(b->input, b->average)) {
            NAIK_PASS(check_entry(b));
        }
    }
    return b->average->type == NAIK_INPUT_LOW_MODES ? check_low(b) : check_truncated(b);
}

naik_status naik_input_check_averages(naik_log *log, naik_input *input)
{
    for (int i = 0; i < input->average_count; i++) {
        input->averages[i].of = input->averages[i].pair = -1; /* not known yet */
    }
    for (int i = 0; i < input->average_count; i++) {
        const block b = {log, input, &input->averages[i], i};
        NAIK_PASS(check_one(&b));
    }
    return NAIK_OK;
}

/* So many of `count` sources, each subset with the same probability, in their order. */
static void draw(const naik_input_average *average, int count, int *out)
{
    naik_rng rng = naik_rng_at(average->seed, STREAM_DRAW, 0);
    int taken = 0;
    for (int k = 0; k < count; k++) {
        const double chance = (double)(average->exact_sources - taken) / (count - k);
        if (naik_rng_uniform(&rng) < chance) {
            out[taken++] = k;
        }
    }
}

static naik_status add_entry(const block *b, naik_input_solve *sloppy, naik_input_solve *out)
{
    naik_input_average *average = b->average;
    const int count = average->exact_sources;
    const size_t size = strlen(sloppy->name) + sizeof NAIK_INPUT_EXACT;
    char *name = naik_yaml_alloc(b->input->tree, size);
    int(*origins)[4] = naik_yaml_alloc(b->input->tree, (size_t)count * sizeof *origins);
    int *subset = naik_yaml_alloc(b->input->tree, (size_t)count * sizeof *subset);
    if (name == NULL || origins == NULL || subset == NULL) {
        return NAIK_FAIL(b->log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    snprintf(name, size, "%s" NAIK_INPUT_EXACT, sloppy->name);
    draw(average, sloppy->origins.count, subset);
    average->subset = (naik_ints){subset, count};
    for (int i = 0; i < count; i++) {
        memcpy(origins[i], sloppy->origins.data[subset[i]], sizeof origins[i]);
    }
    *out = *sloppy;
    out->name = name;
    out->origins = (naik_vectors){origins, count};
    memcpy(out->source.origin, origins[0], sizeof out->source.origin);
    sloppy->tolerance = average->tolerance_sloppy;
    b->input->source_count += count;
    b->input->task_count += count * out->masses.count * b->input->kind->columns;
    return NAIK_OK;
}

naik_status naik_input_add_averages(naik_log *log, naik_input *input)
{
    if (input->average_count == 0) {
        return NAIK_OK;
    }
    size_t count = (size_t)input->solve_count;
    for (int i = 0; i < input->average_count; i++) {
        input->averages[i].exact = -1;
        if (input->averages[i].type == NAIK_INPUT_TRUNCATED_SOLVES) {
            input->averages[i].exact = (int)count++;
        }
    }
    naik_input_solve *all = naik_yaml_alloc(input->tree, count * sizeof *all);
    if (all == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    memcpy(all, input->solve, (size_t)input->solve_count * sizeof *all);
    for (int i = 0; i < input->average_count; i++) {
        const block b = {log, input, &input->averages[i], i};
        if (b.average->exact >= 0) {
            NAIK_PASS(add_entry(&b, &all[b.average->of], &all[b.average->exact]));
        }
    }
    input->solve = all;
    input->solve_count = (int)count;
    if (input->source_count > NAIK_INPUT_SOURCES) {
        return naik_input_refuse(log, input, "averages",
                                 "the input has %d sources with the exact ones of 'averages'; at "
                                 "most %d fit into one file",
                                 input->source_count, (int)NAIK_INPUT_SOURCES);
    }
    return NAIK_OK;
}

bool naik_input_averages_modes(const naik_input *input, const naik_quark *quark)
{
    bool any = false;
    for (int i = 0; i < input->average_count; i++) {
        const naik_input_average *average = &input->averages[i];
        any = any || (average->type == NAIK_INPUT_LOW_MODES &&
                      naik_quark_shares_links(naik_input_quark(input, average->of, 0), quark));
    }
    return any;
}
