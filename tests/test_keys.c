/* test_keys.c - the table of input keys against tests/input_keys.txt: defaults, ranges, and what decides
 * whether two runs are one
 *
 * ranks: 1
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "input/input_table.h"

enum { LINE = 4000, KEYS = 400 };

/* A key as a line of that file: whether the identity of a run has it ("identity"; "later": except where it
 * has its initial value; "-"), whether it is required, its initial value, its range, the word that may
 * stand for a number, the words of a choice. */
static void line_of(const naik_param *p, char line[LINE])
{
    int used = snprintf(line, LINE, "%s: %s, %s", p->key,
                        p->identity ? (p->later ? "identity, later" : "identity") : "-",
                        p->required          ? "required"
                        : p->initial != NULL ? p->initial
                                             : "none");
    if (p->range.least != 0 || p->range.most != 0) {
        used += snprintf(line + used, (size_t)(LINE - used), ", %.10g to %.10g", p->range.least,
                         p->range.most);
    }
    if (p->special != NULL) {
        used += snprintf(line + used, (size_t)(LINE - used), ", or %s (%d)", p->special,
                         p->special_int);
    }
    for (int i = 0; p->words != NULL && p->words[i] != NULL && used < LINE; i++) {
        used += snprintf(line + used, (size_t)(LINE - used), "%s%s", i == 0 ? ", of " : " ",
                         p->words[i]);
    }
}

static int read_lines(char (*stated)[LINE])
{
    int count = 0;
    FILE *file = fopen("tests/input_keys.txt", "r");
    while (file != NULL && count < KEYS && fgets(stated[count], LINE, file) != NULL) {
        stated[count][strcspn(stated[count], "\n")] = '\0';
        count += stated[count][0] != '#' && stated[count][0] != '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
    return count;
}

/* A key that falls out of the identity lets a run go on with another answer; a default that changes
 * changes the answers of inputs that are not. Either is stated in the file, or a mistake. */
static void every_key_has_the_identity_default_and_range_that_are_stated(check *t)
{
    char(*stated)[LINE] = calloc(KEYS, sizeof *stated);
    const int count = read_lines(stated);
    int found = 0;
    CHECK_TRUE(t, count > 0);
    for (int i = 0; i < naik_input_table.count; i++) {
        char line[LINE];
        bool there = false;
        line_of(&naik_input_table.params[i], line);
        for (int k = 0; k < count && !there; k++) {
            there = strcmp(stated[k], line) == 0;
        }
        found += there;
        if (!CHECK_TRUE(t, there)) {
            fprintf(stderr, "    if that is meant, tests/input_keys.txt has the line\n%s\n", line);
        }
    }
    CHECK_INT(t, found, count); /* and no other */
    free(stated);
}

/* ---- ranges */

static const char base[] =
    "lattice: {size: [8, 8, 8, 16]}\n"
    "gauge: {file: lat.h5}\n"
    "action: {type: hisq}\n"
    "solve:\n"
    "  - {name: a, masses: [0.1], source: {type: gaussian, origin: [0, 0, 0, 0], radius: 1}}\n"
    "  - {name: b, masses: [0.2], source: {type: covariant_gaussian, origin: [0, 0, 0, 0], radius: "
    "1, iterations: 9}}\n"
    "  - {name: p, masses: [0.1], source: {type: point, origin: [0, 0, 0, 0]}}\n"
    "  - {name: q, masses: [0.1], source: {type: corner_wall, t0: 3}}\n"
    "  - {name: r, masses: [0.1], source: {type: point, origin: [[0, 0, 0, 0], [1, 0, 0, 0]]}}\n"
    "pairs:\n"
    "  - {name: ab, quark: p, antiquark: p, sink: covariant_gaussian, radius: 1, iterations: 9}\n"
    "three_point:\n"
    "  - {parent: q, spectator: q, insertion: [G1-G1], sink_times: [4], daughter_masses: [0.1]}\n"
    "averages:\n"
    "  - {type: truncated_solves, solve: r, tolerance_sloppy: 0.01, exact_sources: 2}\n"
    "output: {file: out.h5}\n";

static const char plain[] =
    "lattice: {size: [8, 8, 8, 16]}\n"
    "gauge: {file: lat.h5}\n"
    "action: {type: hisq}\n"
    "solve: [{name: p, masses: [0.1], source: {type: point, origin: [0, 0, 0, 0]}}]\n"
    "output: {file: out.h5}\n";

/* Whether an input with these overrides is taken; the sentence where not. */
static bool takes(check *t, const char *text, const char *const *overrides, int count,
                  char sentence[LINE])
{
    naik_input *input = NULL;
    const naik_status status = naik_input_parse(t->log, "input.yaml", text, strlen(text), overrides,
                                                count, NULL, NULL, &input);
    snprintf(sentence, LINE, "%s", status == NAIK_OK ? "" : naik_log_message(t->log));
    naik_log_clear(t->log);
    naik_input_destroy(&input);
    return status == NAIK_OK;
}

static bool is_taken(check *t, const char *const *overrides, int count, char sentence[LINE])
{
    return takes(t, base, overrides, count, sentence);
}

/* "KEY=VALUE", a key of a list in its first element, a value in as many brackets as its kind has. */
static void override_of(const naik_param *p, double value, char text[LINE])
{
    char number[64], name[128];
    const char *inside = strstr(p->key, "[]");
    if (inside != NULL) {
        snprintf(name, sizeof name, "%.*s.0%s", (int)(inside - p->key), p->key, inside + 2);
    } else {
        snprintf(name, sizeof name, "%s", p->key);
    }
    const bool integer = p->kind != NAIK_PARAM_REAL && p->kind != NAIK_PARAM_REALS;
    snprintf(number, sizeof number, integer ? "%.0f" : "%.17g", value);
    switch (p->kind) {
    case NAIK_PARAM_INTS:
    case NAIK_PARAM_REALS: snprintf(text, LINE, "%s=[%s]", name, number); break;
    case NAIK_PARAM_VECTORS3:
    case NAIK_PARAM_VECTOR3: snprintf(text, LINE, "%s=[0,%s,0]", name, number); break;
    case NAIK_PARAM_VECTORS4:
    case NAIK_PARAM_VECTOR4:
        snprintf(text, LINE, "%s=[%s,%s,%s,%s]", name, number, number, number, number);
        break;
    default: snprintf(text, LINE, "%s=%s", name, number); break;
    }
}

/* Other rules say what must be as well. */
static bool is_other_rule(const char *sentence)
{
    static const char *const rules[] = {"must be even", "must be above", "must be two numbers",
                                        "must be three numbers"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strstr(sentence, rules[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Whether the range of the key is what refuses the value. */
static bool is_out_of_range(check *t, const naik_param *p, double value)
{
    char text[LINE], sentence[LINE];
    override_of(p, value, text);
    const char *const overrides[] = {text};
    const char *name = strrchr(p->key, '.');
    is_taken(t, overrides, 1, sentence);
    return strstr(sentence, "' must be ") != NULL && strstr(sentence, name) != NULL &&
           !is_other_rule(sentence);
}

static bool has_range(const naik_param *p)
{
    return (p->range.least != 0 || p->range.most != 0) && strncmp(p->key, "baryons", 7) != 0;
}

static void both_ends_of_every_range_are_in_it_and_what_is_beyond_is_not(check *t)
{
    int ranges = 0;
    for (int i = 0; i < naik_input_table.count; i++) {
        const naik_param *p = &naik_input_table.params[i];
        const bool real = p->kind == NAIK_PARAM_REAL || p->kind == NAIK_PARAM_REALS;
        if (!has_range(p)) {
            continue;
        }
        int number;
        const double below = !real ? p->range.least - 1
                             : naik_range_is_above(p->range, &number)
                                 ? number
                                 : p->range.least - 1e-12 * fmax(fabs(p->range.least), 1e-4);
        const double above = real ? p->range.most + 1e-12 * fabs(p->range.most) : p->range.most + 1;
        bool ok = !is_out_of_range(t, p, p->range.least) && !is_out_of_range(t, p, p->range.most);
        ok = ok && (isinf(above) || is_out_of_range(t, p, above));
        ok = ok && is_out_of_range(t, p, below);
        if (!CHECK_TRUE(t, ok)) {
            fprintf(stderr, "    %s: %.17g to %.17g\n", p->key, p->range.least, p->range.most);
        }
        ranges++;
    }
    CHECK_TRUE(t, ranges > 30);
}

/* What the checks between keys take and refuse: the last value that is good, the first that is not. */
static void limits_between_keys_are_where_they_are_said_to_be(check *t)
{
    static const struct {
        const char *good, *bad, *with;
    } rows[] = {
        {"solve.0.source.radius=0.001", "solve.0.source.radius=0.00099999", NULL},
        {"solve.1.source.radius=0.001", "solve.1.source.radius=0.00099999", NULL},
        {"pairs.0.radius=0.001", "pairs.0.radius=0.00099999", NULL},
        {"averages.0.exact_sources=2", "averages.0.exact_sources=3", NULL},
        {"averages.0.tolerance_sloppy=1.01e-10", "averages.0.tolerance_sloppy=1e-10", NULL},
        {"three_point.0.sink_times=[0,15]", "three_point.0.sink_times=[16]", NULL},
        {"three_point.0.momenta=[4,-4,0]", "three_point.0.momenta=[-5,0,0]", NULL},
        {"three_point.0.sink_momenta=[0,0,4]", "three_point.0.sink_momenta=[0,0,5]", NULL},
        {"three_point.0.daughter_masses=[1e-18]", "three_point.0.daughter_masses=[0.99e-18]", NULL},
        {"three_point.0.daughter_naik_epsilon=[-0.1,0]",
         "three_point.0.daughter_naik_epsilon=[-0.1]", "three_point.0.daughter_masses=[0.1,0.2]"},
        {"three_point.0.sink_operator=GT-GXT", "three_point.0.sink_operator=G1-GT", NULL},
        {"three_point.0.sink_operator=GXT-GT", "three_point.0.sink_operator=GXT-GX", NULL},
        {"three_point=[{parent: q, spectator: q, insertion: [conserved_vector_t], sink_times: [4], "
         "daughter_masses: [0.1], daughter_naik_epsilon: [-0.1]}]",
         "three_point=[{parent: q, spectator: q, insertion: [conserved_vector_t], sink_times: [4], "
         "daughter_masses: [0.1]}]",
         "solve.3.naik_epsilon=[-0.1]"},
        {"solve.0.masses=[1e-18]", "solve.0.masses=[0.99e-18]", NULL},
        {"solve.3.naik_epsilon=[-0.999]", "solve.3.naik_epsilon=[-1]", NULL}, /* no long links */
        {"solve.3.source.t0=15", "solve.3.source.t0=16", NULL},
        {"solve.2.source.origin=[7,0,0,0]", "solve.2.source.origin=[8,0,0,0]", NULL},
        {"solve.2.source.origin=[0,7,0,0]", "solve.2.source.origin=[0,8,0,0]", NULL},
        {"solve.2.source.origin=[0,0,7,0]", "solve.2.source.origin=[0,0,8,0]", NULL},
        {"solve.2.source.origin=[0,0,0,15]", "solve.2.source.origin=[0,0,0,16]", NULL},
        {"deflation.krylov=72", "deflation.krylov=68", "deflation={modes: 32, file: modes.h5}"},
        {"deflation.krylov=64", "deflation.krylov=56", "deflation={modes: 32, file: modes.h5}"},
        {"deflation.degree=10", "deflation.degree=11", "deflation={modes: 32, file: modes.h5}"},
        {"deflation.interval=[1,2]", "deflation.interval=[2,2]",
         "deflation={modes: 32, file: modes.h5}"},
        {"output.precision=32", "output.precision=33", NULL},
    };
    char sentence[LINE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const both[] = {rows[i].with, rows[i].good, rows[i].bad};
        const char *const good[] = {both[0] != NULL ? both[0] : both[1], both[1]};
        const char *const bad[] = {both[0] != NULL ? both[0] : both[2], both[2]};
        if (!CHECK_TRUE(t, is_taken(t, good, 2, sentence))) {
            fprintf(stderr, "    %s: %s\n", rows[i].good, sentence);
        }
        if (!CHECK_TRUE(t, !is_taken(t, bad, 2, sentence))) {
            fprintf(stderr, "    %s is taken\n", rows[i].bad);
        }
    }
}

/* "KEY=[0.1, 0.2, ...]" of `count` numbers. */
static char *list_of(const char *key, const char *each, int count)
{
    char *text = calloc(1, (size_t)count * 40 + 100);
    size_t used = (size_t)sprintf(text, "%s=[", key);
    for (int i = 0; i < count; i++) {
        used += (size_t)sprintf(text + used, "%s", i > 0 ? ", " : "");
        used += (size_t)sprintf(text + used, each, i % 10, i / 10 % 10, i / 100 % 10, i / 1000);
    }
    sprintf(text + used, "]");
    return text;
}

static void lists_end_where_they_are_said_to_end(check *t)
{
    static const struct {
        const char *key, *each;
        int most;
        const char *text;
    } rows[] = {
        {"solve.0.masses", "0.1%4$d%3$d%2$d%1$d", 100, base},
        {"three_point.0.daughter_masses", "0.1%4$d%3$d%2$d%1$d", 100, base},
        /* beside one source each of three other entries and of the three-point function, and two, sloppy and
         * exact, of the average, each of which counts for itself; beside none of them */
        {"solve.2.source.origin", "[%1$d, %2$d, %3$d, %4$d]", 10000 - 8, base},
        {"solve.0.source.origin", "[%1$d, %2$d, %3$d, %4$d]", 10000, plain}};
    char sentence[LINE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int more = 0; more < 2; more++) {
            char *text = list_of(rows[i].key, rows[i].each, rows[i].most + more);
            const char *const overrides[] = {"lattice.size=[16,16,16,32]", text};
            if (!CHECK_TRUE(t, takes(t, rows[i].text, overrides, 2, sentence) == (more == 0))) {
                fprintf(stderr, "    %s of %d: %s\n", rows[i].key, rows[i].most + more, sentence);
            }
            free(text);
        }
    }
}

/* Names that become parts of paths: as long as they may be, and one letter longer. */
static void names_end_where_they_are_said_to_end(check *t)
{
    static const struct {
        const char *format;
        int most;
    } rows[] = {{"solve.0.name=%.*s", 48}, {"gauge={file: \"{config}\", config: %.*s}", 64}};
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";
    char text[LINE], sentence[LINE];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int more = 0; more < 2; more++) {
            snprintf(text, sizeof text, rows[i].format, rows[i].most + more, letters);
            const char *const overrides[] = {text};
            if (!CHECK_TRUE(t, is_taken(t, overrides, 1, sentence) == (more == 0))) {
                fprintf(stderr, "    %s: %s\n", text, sentence);
            }
        }
    }
}

/* Integers that are none of the machine's, whatever the range of their key. */
static void integers_end_where_those_of_the_machine_do(check *t)
{
    int keys = 0;
    for (int i = 0; i < naik_input_table.count; i++) {
        const naik_param *p = &naik_input_table.params[i];
        const bool integer = p->kind == NAIK_PARAM_INT || p->kind == NAIK_PARAM_INTS ||
                             p->kind == NAIK_PARAM_VECTOR3 || p->kind == NAIK_PARAM_VECTORS3 ||
                             p->kind == NAIK_PARAM_VECTOR4 || p->kind == NAIK_PARAM_VECTORS4;
        if (integer && strncmp(p->key, "baryons", 7) != 0) {
            const bool ok =
                is_out_of_range(t, p, 2147483648.0) && is_out_of_range(t, p, -2147483649.0);
            if (!CHECK_TRUE(t, ok)) {
                fprintf(stderr, "    %s takes what is no int\n", p->key);
            }
            keys++;
        }
    }
    CHECK_TRUE(t, keys > 15);
}

/* "KEY=[ENTRY, ENTRY, ...]" of `count` entries, which have the number of each in the place of %d. */
static char *entries_of(const char *key, const char *entry, int count)
{
    char *text = calloc(1, (size_t)count * (strlen(entry) + 12) + 100);
    size_t used = (size_t)sprintf(text, "%s=[", key);
    for (int i = 0; i < count; i++) {
        used += (size_t)sprintf(text + used, "%s", i > 0 ? ", " : "");
        used += (size_t)sprintf(text + used, entry, i);
    }
    sprintf(text + used, "]");
    return text;
}

/* As many entries as the table says, and one more. */
static void lists_of_sections_end_where_they_are_said_to_end(check *t)
{
    static const char *const rows[NAIK_PARAM_LISTS] = {
        "{name: x%d, masses: [0.1], source: {type: point, origin: [0, 0, 0, 0]}}",
        "{name: x%d, quark: p, antiquark: p}",
        "{name: x%d, quarks: [p, p, p], operators: [nucleon]}",
        ("{name: x%d, parent: p, spectator: p, insertion: [G1-G1], sink_times: [4], "
         "daughter_masses: [0.1]}"),
        "{name: x%d, type: truncated_solves, solve: p, tolerance_sloppy: 0.01, exact_sources: 2}"};
    char sentence[LINE];
    for (int i = 0; i < NAIK_PARAM_LISTS; i++) {
        const naik_param_list *list = &naik_input_table.list[i];
        for (int more = 0; more < 2; more++) {
            char *text = entries_of(list->key, rows[i], list->max_count + more);
            const char *const overrides[] = {"output.correlators=[pion5]", text};
            takes(t, plain, overrides, 2, sentence);
            if (!CHECK_TRUE(t, (strstr(sentence, "a list of at most ") != NULL) == (more == 1))) {
                fprintf(stderr, "    %d entries of %s: %s\n", list->max_count + more, list->key,
                        sentence);
            }
            free(text);
        }
    }
}

/* Of every key one letter in four is another one, in a section where it is not: the key is found. */
static void a_mistyped_key_in_a_wrong_section_is_found(check *t)
{
    int found = 0;
    for (int i = 0; i < naik_input_table.count; i++) {
        const char *last = strrchr(naik_input_table.params[i].key, '.') + 1;
        const size_t length = strlen(last), wrong = length / 4;
        char text[LINE], sentence[LINE];
        snprintf(text, sizeof text, "run.%s=1", last);
        for (size_t k = 0; k < wrong; k++) {
            text[4 + k] = 'Q';
        }
        const char *const overrides[] = {text};
        is_taken(t, overrides, 1, sentence);
        if (wrong > 0 && !CHECK_TRUE(t, strstr(sentence, "; did you mean '") != NULL)) {
            fprintf(stderr, "    %s: %s\n", text, sentence);
        }
        found += wrong > 0;
    }
    CHECK_TRUE(t, found > 100);
}

CHECK_MAIN(CHECK(every_key_has_the_identity_default_and_range_that_are_stated),
           CHECK(both_ends_of_every_range_are_in_it_and_what_is_beyond_is_not),
           CHECK(limits_between_keys_are_where_they_are_said_to_be),
           CHECK(lists_end_where_they_are_said_to_end), CHECK(names_end_where_they_are_said_to_end),
           CHECK(integers_end_where_those_of_the_machine_do),
           CHECK(lists_of_sections_end_where_they_are_said_to_end),
           CHECK(a_mistyped_key_in_a_wrong_section_is_found))
