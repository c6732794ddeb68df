/* input_check.c - what the table cannot say: checks between keys
 *
 * A key that does not apply is an error: its writer expected it to do something.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "input/input_table.h"
#include "lattice/source_kind.h"
#include "modes/lanczos.h"
#include "propagator/spin_taste.h"

#define LEAST_RADIUS 1e-3 /* r^2 divides */
#define GROWTH_MOST  100  /* decades by which smearing may enlarge momenta, with a warning */

enum { PATH_SIZE = 160, MAX_MASSES = 100 };

typedef struct checker {
    naik_log *log;
    const naik_input *input;
} checker;

static const naik_yaml_node *given(const checker *c, const char *path)
{
    return naik_yaml_find(c->input->tree->root, path);
}

#define refuse(c, path, ...) naik_input_refuse((c)->log, (c)->input, path, __VA_ARGS__)

/* A key whose use depends on the choice `word` of the key `chooser`. */
typedef struct rule {
    const char *key;
    unsigned applies, required; /* bit w: with word w of the choice */
} rule;

static naik_status check_rules(const checker *c, const rule *rules, int count, const char *prefix,
                               const char *chooser, int word)
{
    const naik_param *choice = naik_input_table.params; /* the chooser has a row */
    char path[PATH_SIZE], only[256];
    while (strcmp(choice->key, chooser) != 0) {
        choice++;
    }
    const char *what = strstr(chooser, "source") != NULL ? "source type" : "action.type";
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s%s", prefix, rules[i].key);
        bool is_given = given(c, path) != NULL;
        if (is_given && (rules[i].applies >> word & 1) == 0) {
            only[0] = '\0';
            for (int w = 0; choice->words[w] != NULL; w++) {
                if ((rules[i].applies >> w & 1) != 0) {
                    naik_text_append(only, sizeof only, "%s%s", only[0] != '\0' ? ", " : "",
                                     choice->words[w]);
                }
            }
            return refuse(c, path, "'%s' does not apply to %s %s, only to %s", path, what,
                          choice->words[word], only);
        }
        if (!is_given && (rules[i].required >> word & 1) != 0) {
            return refuse(c, path, "key '%s' is missing; %s %s needs it", path, what,
                          choice->words[word]);
        }
    }
    return NAIK_OK;
}

#define BIT(word) (1U << (word))

enum { NUMBER_RULES = 8 };

/* Of the numbers that a key gives for all quarks, by the kinds that have them. */
static int list_number_rules(rule rules[NUMBER_RULES])
{
    int count = 0;
    for (int kind = 0; naik_quark_kinds[kind] != NULL; kind++) {
        for (int i = 0; i < naik_quark_kinds[kind]->number_count; i++) {
            const naik_quark_number *number = &naik_quark_kinds[kind]->numbers[i];
            int at = 0;
            while (number->key != NULL && at < count && strcmp(rules[at].key, number->key) != 0) {
                at++;
            }
            if (number->key == NULL || at == NUMBER_RULES) {
                continue;
            }
            if (at == count) {
                rules[count++] = (rule){number->key, 0, 0};
            }
            rules[at].applies |= BIT(kind);
            rules[at].required |= number->required ? BIT(kind) : 0;
        }
    }
    return count;
}

static naik_status check_action(const checker *c)
{
    const int type = c->input->action.type;
    unsigned stored = 0, made = 0, projected = 0;
    rule numbers[NUMBER_RULES];
    for (int kind = 0; naik_quark_kinds[kind] != NULL; kind++) {
        *(naik_quark_kinds[kind]->links == NAIK_QUARK_STORED ? &stored : &made) |= BIT(kind);
        projected |= naik_quark_kinds[kind]->su3 != NULL ? BIT(kind) : 0;
    }
    const rule before[] = {{"gauge.file", made, made},
                           {"gauge.max_unitarity_deviation", made, 0},
                           {"gauge.reunitarise", made, 0}};
    const rule behind[] = {{"action.file", stored, stored},
                           {"action.long_file", stored, 0},
                           {"action.projection", projected, 0}};
    NAIK_PASS(check_rules(c, before, 3, "", "action.type", type));
    NAIK_PASS(check_rules(c, numbers, list_number_rules(numbers), "", "action.type", type));
    return check_rules(c, behind, 3, "", "action.type", type);
}

static naik_status check_lattice(const checker *c)
{
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (c->input->lattice.size[mu] % 2 != 0) {
            return refuse(c, "lattice.size",
                          "'lattice.size' must be even in every direction, not %d in %c",
                          c->input->lattice.size[mu], "xyzt"[mu]);
        }
    }
    return NAIK_OK;
}

static naik_status check_radius(const checker *c, int index)
{
    const naik_source *source = &c->input->solve[index].source;
    char path[PATH_SIZE];
    const bool sized = (naik_source_kind_of(source->type)->keys & NAIK_SOURCE_KEY_RADIUS) != 0;
    if (!sized || source->radius >= LEAST_RADIUS) {
        return NAIK_OK;
    }
    snprintf(path, sizeof path, "solve.%d.source.radius", index);
    return refuse(c, path, "'%s' %g is too small: %g is the least, which is a point source", path,
                  source->radius, LEAST_RADIUS);
}

static naik_status check_source_keys(const checker *c, int index)
{
    rule rules[NAIK_SOURCE_KEY_COUNT];
    for (int k = 0; k < NAIK_SOURCE_KEY_COUNT; k++) {
        rules[k] = (rule){.key = naik_source_keys[k]};
        for (int type = 0; type < NAIK_SOURCE_TYPES; type++) {
            const naik_source_kind *kind = naik_source_kind_of((naik_source_type)type);
            rules[k].applies |= (kind->keys >> k & 1) << type;
            rules[k].required |= (kind->required >> k & 1) << type;
        }
    }
    char prefix[PATH_SIZE];
    snprintf(prefix, sizeof prefix, "solve.%d.source.", index);
    return check_rules(c, rules, NAIK_SOURCE_KEY_COUNT, prefix, "solve[].source.type",
                       (int)c->input->solve[index].source.type);
}

/* Smearing falls with the momentum only in enough iterations. */
static naik_status check_growth(const checker *c, const char *path, double radius, int iterations)
{
    const double stride = c->input->kind->stride, width = radius / stride;
    const double least = ceil(1.5 * width * width);
    /* 1 + r0^2/(4 n s^2) Lap on the highest momenta, where Lap is -12, n times */
    const double growth = iterations * log10(fabs(1 - 3 * width * width / iterations));
    if (iterations >= least) {
        return NAIK_OK;
    }
    if (!(growth <= GROWTH_MOST)) {
        return refuse(c, path,
                      "'%s' %g in %d iterations enlarges the highest momenta beyond all "
                      "numbers: it takes at least 1.5 (radius/%g)^2 = %.3g of them",
                      path, radius, iterations, stride, least);
    }
    naik_log_warn(
        c->log,
        "'%s' %g in %d iterations is unstable: the highest momenta grow by %.2g instead of "
        "falling; give it at least 1.5 (radius/%g)^2 = %.0f iterations",
        path, radius, iterations, pow(10, growth), stride, least);
    return NAIK_OK;
}

static naik_status check_growths(const checker *c)
{
    char path[PATH_SIZE];
    for (int i = 0; i < c->input->solve_count; i++) {
        const naik_source *source = &c->input->solve[i].source;
        snprintf(path, sizeof path, "solve.%d.source.radius", i);
        if (naik_source_kind_of(source->type)->made == NAIK_SOURCE_SMEARED) {
            NAIK_PASS(check_growth(c, path, source->radius, source->iterations));
        }
    }
    for (int i = 0; i < c->input->pair_count; i++) {
        const naik_input_pair *pair = &c->input->pairs[i];
        snprintf(path, sizeof path, "pairs.%d.radius", i);
        if (pair->sink == NAIK_INPUT_SINK_COVARIANT_GAUSSIAN) {
            NAIK_PASS(check_growth(c, path, pair->radius, pair->iterations));
        }
    }
    return NAIK_OK;
}

static naik_status check_smearing(const checker *c, int index)
{
    const naik_source *source = &c->input->solve[index].source;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.source.type", index);
    return naik_source_is_smeared(source)
               ? naik_input_check_smearing(c->log, c->input, path, naik_source_name(source->type))
               : NAIK_OK;
}

static naik_status check_insertion(const checker *c, int index)
{
    const naik_input_solve *solve = &c->input->solve[index];
    const bool has_spin = solve->insertion >= (int)NAIK_MESONS;
    char path[PATH_SIZE], words[NAIK_INPUT_SPIN_WORDS];
    snprintf(path, sizeof path, "solve.%d.source.insertion", index);
    return !naik_source_is_sequential(&solve->source) || has_spin == (c->input->kind->spin > 1)
               ? NAIK_OK
               : refuse(c, path, "'%s': %s is for %s quarks", path,
                        naik_input_written(c->input, path, 0, solve->insertion),
                        has_spin ? naik_input_spin_words(words) : "staggered");
}

static naik_status check_colours(const checker *c, int index)
{
    const naik_ints *colours = &c->input->solve[index].colours;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.source.colours", index);
    for (int i = 0; i < colours->count; i++) {
        for (int other = 0; other < i; other++) {
            if (colours->data[i] == colours->data[other]) {
                return refuse(c, path, "'%s' names %d twice", path, colours->data[i]);
            }
        }
    }
    return NAIK_OK;
}

static naik_status check_corner(const checker *c, int index)
{
    const naik_source *source = &c->input->solve[index].source;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.source.corner", index);
    if (given(c, path) != NULL && !naik_source_kind_of(source->type)->corner &&
        source->subset != NAIK_SUBSET_CORNER) {
        return refuse(c, path, "'%s' applies to corner_wall and to subset corner only", path);
    }
    return NAIK_OK;
}

static naik_status check_name(const checker *c, int index)
{
    const char *name = c->input->solve[index].name;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.name", index);
    NAIK_PASS(naik_input_check_letters(c->log, c->input, path, name));
    for (int other = 0; other < index; other++) {
        if (strcmp(name, c->input->solve[other].name) == 0) {
            return refuse(c, path, "'%s' is '%s', which solve.%d.name is already", path, name,
                          other);
        }
    }
    return NAIK_OK;
}

/* Of the same links a mass is solved once. Inputs that are stored may have it twice. */
static naik_status check_repeated_masses(const checker *c, int index)
{
    const naik_input_solve *solve = &c->input->solve[index];
    const bool kappas = solve->kappas.count > 0;
    const naik_reals *values = kappas ? &solve->kappas : &solve->masses;
    const double *epsilon = solve->naik_epsilon.data;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.%s", index, kappas ? "kappas" : "masses");
    for (int i = 0; i < values->count; i++) {
        for (int other = 0; other < i; other++) {
            const bool links = solve->naik_epsilon.count == 0 || epsilon[i] == epsilon[other];
            if (links && values->data[i] == values->data[other]) {
                return refuse(c, path, "'%s' names %g twice", path, values->data[i]);
            }
        }
    }
    return NAIK_OK;
}

static naik_status check_masses(const checker *c, int index)
{
    const naik_input_solve *solve = &c->input->solve[index];
    char path[PATH_SIZE];
    if (solve->masses.count > MAX_MASSES || solve->kappas.count > MAX_MASSES) {
        const char *numbers = solve->kappas.count > 0 ? "kappas" : "masses";
        snprintf(path, sizeof path, "solve.%d.%s", index, numbers);
        return refuse(c, path, "'%s' has %d %s; at most %d fit into one entry", path,
                      solve->masses.count + solve->kappas.count, numbers, (int)MAX_MASSES);
    }
    snprintf(path, sizeof path, "solve.%d.naik_epsilon", index);
    if (solve->naik_epsilon.count == 0) {
        return NAIK_OK;
    }
    /* A file of links has one set for each epsilon it was made for. */
    if ((naik_quark_number_of(c->input->kind, "naik_epsilon")->uses & NAIK_NUMBER_LINKS) == 0) {
        return refuse(c, path, "'%s' applies to action.type hisq and links only", path);
    }
    if (solve->naik_epsilon.count != solve->masses.count) {
        return refuse(c, path, "'%s' has %d number%s and masses has %d: give one for each mass",
                      path, solve->naik_epsilon.count, solve->naik_epsilon.count == 1 ? "" : "s",
                      solve->masses.count);
    }
    return NAIK_OK;
}

static naik_status check_twist(const checker *c, int index)
{
    const naik_input_solve *solve = &c->input->solve[index];
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.twist", index);
    if (solve->twist.count != 0 && solve->twist.count != NAIK_DIM - 1) {
        return refuse(c, path, "'%s' must be three numbers [x, y, z], not a list of %d", path,
                      solve->twist.count);
    }
    if (naik_input_twist(solve) != NULL && solve->deflate && c->input->deflation.modes != 0) {
        return refuse(c, path,
                      "'%s': the low modes of deflation are those of links without a twist: give "
                      "this entry deflate: false",
                      path);
    }
    return NAIK_OK;
}

static naik_status check_origins(const checker *c, int index)
{
    const naik_input_solve *solve = &c->input->solve[index];
    const int *size = c->input->lattice.size;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "solve.%d.source.origin", index);
    for (int i = 0; i < solve->origins.count; i++) {
        const int *x = solve->origins.data[i];
        if (x[0] >= size[0] || x[1] >= size[1] || x[2] >= size[2] || x[3] >= size[3]) {
            return refuse(c, path,
                          "'%s' [%d, %d, %d, %d] lies outside the lattice [%d, %d, %d, %d]", path,
                          x[0], x[1], x[2], x[3], size[0], size[1], size[2], size[3]);
        }
        for (int other = 0; other < i; other++) {
            if (memcmp(x, solve->origins.data[other], sizeof solve->origins.data[0]) == 0) {
                return refuse(c, path, "'%s' names [%d, %d, %d, %d] twice", path, x[0], x[1], x[2],
                              x[3]);
            }
        }
    }
    snprintf(path, sizeof path, "solve.%d.source.t0", index);
    for (int i = 0; i < solve->t0.count; i++) {
        if (solve->t0.data[i] >= size[3]) {
            return refuse(c, path, "'%s' %d lies outside the lattice of %d time slices", path,
                          solve->t0.data[i], size[3]);
        }
        for (int other = 0; other < i; other++) {
            if (solve->t0.data[i] == solve->t0.data[other]) {
                return refuse(c, path, "'%s' names %d twice", path, solve->t0.data[i]);
            }
        }
    }
    return NAIK_OK;
}

static naik_status check_source_count(const checker *c)
{
    int64_t sources = 0;
    for (int i = 0; i < c->input->solve_count; i++) {
        const naik_input_solve *solve = &c->input->solve[i];
        int64_t most =
            solve->origins.count > solve->t0.count ? solve->origins.count : solve->t0.count;
        sources += (most > 0 ? most : 1) * naik_input_sources_of_origin(solve);
    }
    if (sources > NAIK_INPUT_SOURCES) {
        return refuse(c, "solve", "the input has %lld sources; at most %d fit into one file",
                      (long long)sources, (int)NAIK_INPUT_SOURCES);
    }
    return NAIK_OK;
}

static naik_status check_output(const checker *c)
{
    const naik_input *input = c->input;
    if (input->output.precision != 32 && input->output.precision != 64) {
        return refuse(c, "output.precision", "'output.precision' must be 32 or 64, not %d",
                      input->output.precision);
    }
    if (!input->output.propagators && !naik_input_contracts(input)) {
        return refuse(c, "output.propagators",
                      "nothing would be written: ask for propagators or for correlators");
    }
    return naik_input_check_momenta(c->log, input, "output.momenta", &input->output.momenta);
}

static naik_status check_hints(const checker *c)
{
    const naik_pairs *hints = &c->input->output.mpi_info;
    size_t bytes = 0;
    for (int i = 0; i < hints->count; i++) {
        bytes += strlen(hints->data[i].key) + strlen(hints->data[i].value) + 2; /* "key=value;" */
    }
    if (bytes > NAIK_HINTS_BYTES) {
        return refuse(c, "output.mpi_info",
                      "'output.mpi_info' has %zu characters; at most %d are passed on", bytes,
                      (int)NAIK_HINTS_BYTES);
    }
    return NAIK_OK;
}

naik_status naik_input_check_idle(naik_log *log, const naik_input *input)
{
    const checker c = {.log = log, .input = input};
    for (int i = 0; i < input->solve_count; i++) {
        NAIK_PASS(check_repeated_masses(&c, i));
    }
    NAIK_PASS(naik_input_check_keys(log, input));
    NAIK_PASS(check_growths(&c));
    return check_hints(&c);
}

static bool any_deflated(const naik_input *input)
{
    bool any = false;
    for (int i = 0; i < input->solve_count; i++) {
        any = any || input->solve[i].deflate;
    }
    return any;
}

/* Enough vectors for the modes, and no more than the lattice has. */
static naik_status check_search(const checker *c)
{
    char most[64] = "";
    const naik_input *input = c->input;
    const int *size = input->lattice.size;
    const naik_lanczos_options search = {.modes = input->deflation.modes,
                                         .krylov = input->deflation.krylov};
    const int krylov = naik_lanczos_krylov(&search), least = naik_lanczos_least(search.modes);
    if (search.modes > 0 && krylov < least) {
        return refuse(c, "deflation.krylov",
                      "'deflation.krylov' is %d: %d modes need %d vectors at least", krylov,
                      search.modes, least);
    }
    if (search.modes > 0 && !naik_lanczos_has_room(size, krylov)) {
        const int room = naik_lanczos_most(size, &search);
        if (room > 0) {
            snprintf(most, sizeof most, "; it has room for %d modes", room);
        }
        return refuse(c, "deflation.modes",
                      "'deflation.modes' is %d, for which a lattice of %dx%dx%dx%d is too small%s",
                      search.modes, size[0], size[1], size[2], size[3], most);
    }
    return NAIK_OK;
}

static naik_status check_deflation(const checker *c)
{
    const naik_input *input = c->input;
    const naik_reals *interval = &input->deflation.interval;
    if (input->deflation.modes != 0 && input->deflation.file == NULL) {
        return refuse(
            c, "deflation.modes",
            "'deflation.file' is missing: naik finds the modes once and keeps them there");
    }
    if (input->deflation.modes != 0 && !any_deflated(input)) {
        return refuse(c, "deflation.modes",
                      "'deflation.modes' does nothing: every entry of solve has deflate: false");
    }
    if (input->deflation.precision != 16 && input->deflation.precision != 32) {
        return refuse(c, "deflation.precision", "'deflation.precision' must be 16 or 32, not %d",
                      input->deflation.precision);
    }
    if (input->deflation.file_precision != 16 && input->deflation.file_precision != 32) {
        return refuse(c, "deflation.file_precision",
                      "'deflation.file_precision' must be 16 or 32, not %d",
                      input->deflation.file_precision);
    }
    if (input->deflation.modes != 0 && input->deflation.file_precision == 16 &&
        input->deflation.precision == 32) {
        return refuse(c, "deflation.file_precision",
                      "'deflation.file_precision' 16 needs deflation.precision 16, so that a later "
                      "run reads the modes that this run has used");
    }
    if (input->deflation.krylov % NAIK_MODES_BLOCK != 0) {
        return refuse(c, "deflation.krylov", "'deflation.krylov' must be a multiple of %d, not %d",
                      (int)NAIK_MODES_BLOCK, input->deflation.krylov);
    }
    if (input->deflation.degree % 2 != 0) {
        return refuse(c, "deflation.degree", "'deflation.degree' must be even, not %d",
                      input->deflation.degree);
    }
    NAIK_PASS(check_search(c));
    if (interval->count != 0 && (interval->count != 2 || interval->data[0] >= interval->data[1])) {
        return refuse(c, "deflation.interval",
                      "'deflation.interval' must be two numbers, the smaller first");
    }
    return NAIK_OK;
}

naik_status naik_input_check(naik_log *log, naik_input *input)
{
    const checker c = {.log = log, .input = input};
    char path[PATH_SIZE];
    NAIK_PASS(check_lattice(&c));
    NAIK_PASS(check_action(&c));
    NAIK_PASS(naik_input_check_quarks(log, input));
    NAIK_PASS(check_source_count(&c));
    for (int i = 0; i < input->solve_count; i++) {
        NAIK_PASS(check_name(&c, i));
        NAIK_PASS(check_masses(&c, i));
        NAIK_PASS(check_twist(&c, i));
        NAIK_PASS(check_source_keys(&c, i));
        NAIK_PASS(check_corner(&c, i));
        NAIK_PASS(check_colours(&c, i));
        NAIK_PASS(check_insertion(&c, i));
        NAIK_PASS(naik_input_check_operator(log, input, i));
        NAIK_PASS(check_radius(&c, i));
        NAIK_PASS(check_smearing(&c, i));
        NAIK_PASS(check_origins(&c, i));
        snprintf(path, sizeof path, "solve.%d.momenta", i);
        NAIK_PASS(naik_input_check_momenta(log, input, path, &input->solve[i].momenta));
    }
    NAIK_PASS(naik_input_check_files(log, input));
    NAIK_PASS(check_output(&c));
    NAIK_PASS(check_deflation(&c));
    NAIK_PASS(naik_input_check_loops(log, input));
    NAIK_PASS(check_source_count(&c)); /* with the parts of diluted noise */
    NAIK_PASS(naik_input_check_baryons(log, input));
    NAIK_PASS(naik_input_check_contractions(log, input));
    NAIK_PASS(naik_input_check_three_points(log, input));
    NAIK_PASS(naik_input_check_averages(log, input));
    return naik_input_check_count(log, input);
}
