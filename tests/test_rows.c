/* test_rows.c - what an input may say beside what else: tests/input_rows.txt, a condition a row
 *
 * ranks: 1
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "input/input_table.h"

enum { LINE = 4000, BASE = 4000, MOST = 8 };

/* What came of an input: the sentence that refuses it, or its identity and what it warned of. */
typedef struct outcome {
    bool taken, stored; /* the second: as the input that a file carries */
    char sentence[LINE], warned[LINE];
    char *identity;
} outcome;

static void hear(void *data, const char *text)
{
    outcome *o = data;
    snprintf(o->warned, sizeof o->warned, "%s", text);
}

/* `row`: overrides with " | " between them; none in an empty one. */
static void try_row(check *t, const char *base, char *row, outcome *o)
{
    const char *overrides[MOST];
    int count = 0;
    for (char *at = row; *at != '\0';) {
        char *bar = strstr(at, " | ");
        CHECK_REQUIRE(t, count < MOST);
        overrides[count++] = at;
        if (bar != NULL) {
            *bar = '\0';
        }
        at = bar != NULL ? bar + 3 : at + strlen(at);
    }
    naik_input *input = NULL;
    *o = (outcome){.taken = false};
    naik_log_watch_warnings(t->log, hear, o);
    o->taken = naik_input_parse(t->log, "input.yaml", base, strlen(base), overrides, count, NULL,
                                NULL, &input) == NAIK_OK;
    naik_log_watch_warnings(t->log, NULL, NULL);
    snprintf(o->sentence, sizeof o->sentence, "%s", o->taken ? "" : naik_log_message(t->log));
    o->identity = o->taken ? strdup(input->identity) : NULL;
    naik_log_clear(t->log);
    naik_input_destroy(&input);
    o->stored = naik_input_parse_stored(t->log, base, strlen(base), overrides, count, NULL, NULL,
                                        &input) == NAIK_OK;
    naik_log_clear(t->log);
    naik_input_destroy(&input);
}

static const char *behind(const char *text, const char *words)
{
    return strncmp(text, words, strlen(words)) == 0 ? text + strlen(words) : NULL;
}

/* Whether the outcome is the one that the table says. */
static bool is_as_said(const outcome *o, const char *want)
{
    const char *warns = behind(want, "warns: "), *has = behind(want, "identity has: "),
               *lacks = behind(want, "identity lacks: "), *now = behind(want, "of a new run: ");
    return strcmp(want, "taken") == 0 ? o->taken && o->warned[0] == '\0'
           : warns != NULL            ? o->taken && strstr(o->warned, warns) != NULL
           : has != NULL              ? o->taken && strstr(o->identity, has) != NULL
           : lacks != NULL            ? o->taken && strstr(o->identity, lacks) == NULL
           : now != NULL              ? !o->taken && o->stored && strstr(o->sentence, now) != NULL
                                      : !o->taken && strstr(o->sentence, want) != NULL;
}

/* Reads a line without its end; false at the end of the file. */
static bool read_line(FILE *file, char line[LINE])
{
    if (fgets(line, LINE, file) == NULL) {
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    return true;
}

/* Every "solve.N" becomes "solve.N+1". */
static void shift(const char *in, char *out, size_t size)
{
    static const char word[] = "solve.";
    size_t used = 0;
    for (const char *at = in; *at != '\0' && used + 16 < size;) {
        char *end = NULL;
        const long number = behind(at, word) != NULL ? strtol(at + strlen(word), &end, 10) : 0;
        if (end != NULL && end > at + strlen(word)) {
            used += (size_t)snprintf(out + used, size - used, "%s%ld", word, number + 1);
            at = end;
        } else {
            out[used++] = *at++;
        }
    }
    out[used] = '\0';
}

/* A rule for an entry is one for each: what refuses an entry refuses it behind another one, too. */
static void try_behind_another(check *t, const char *base, const char *row, const char *want)
{
    char longer[BASE + 200], later[LINE], kept[LINE], told[LINE];
    const char *list = strstr(base, "solve:\n");
    if (behind(want, "'solve.") == NULL || strstr(row, "solve=[") != NULL || list == NULL) {
        return;
    }
    list += strlen("solve:\n");
    snprintf(longer, sizeof longer,
             "%.*s  - {name: first, %s, source: {type: point, origin: [0, 0, 0, 0]}}\n%s",
             (int)(list - base), base,
             strstr(base, "kappas") != NULL ? "kappas: [0.11]" : "masses: [0.7]", list);
    shift(row, later, sizeof later);
    shift(want, told, sizeof told);
    snprintf(kept, sizeof kept, "%s", later);
    outcome o;
    try_row(t, longer, later, &o);
    if (!CHECK_TRUE(t, is_as_said(&o, told))) {
        fprintf(stderr, "    behind another entry: %s\n    said: %s%s\n    want: %s\n", kept,
                o.taken ? "taken " : o.sentence, o.warned, told);
    }
    free(o.identity);
}

static void every_row_has_the_outcome_that_is_stated(check *t)
{
    char line[LINE], row[LINE], kept[LINE], base[BASE] = "";
    int rows = 0;
    FILE *file = fopen("tests/input_rows.txt", "r");
    CHECK_REQUIRE(t, file != NULL);
    while (read_line(file, line)) {
        if (line[0] == '#' || line[0] == '\0') {
            continue;
        }
        if (behind(line, "= ") != NULL) { /* a base, until an empty line */
            for (base[0] = '\0'; read_line(file, line) && line[0] != '\0';) {
                CHECK_REQUIRE(t, strlen(base) + strlen(line) + 2 < sizeof base);
                strcat(strcat(base, line), "\n");
            }
            continue;
        }
        outcome o;
        CHECK_REQUIRE(t, line[0] == '-'); /* alone: nothing is replaced */
        snprintf(row, sizeof row, "%s", line + 1 + (line[1] == ' '));
        snprintf(kept, sizeof kept, "%s", row);
        CHECK_REQUIRE(t, read_line(file, line));
        try_row(t, base, row, &o);
        if (!CHECK_TRUE(t, is_as_said(&o, line))) {
            fprintf(stderr, "    %s\n    said: %s%s\n    want: %s\n", kept,
                    o.taken ? "taken " : o.sentence, o.warned, line);
        }
        free(o.identity);
        try_behind_another(t, base, kept, line);
        rows++;
    }
    CHECK_TRUE(t, rows >= 200);
    fclose(file);
}

/* Of four sources two are solved exactly: with every seed two others, in their order, each of the four as often. */
static void exact_sources_are_drawn_alike(check *t)
{
    enum { SEEDS = 400, SOURCES = 4, EXACT = 2 };
    static const char text[] =
        "lattice: {size: [8, 8, 8, 16]}\n"
        "gauge: {file: lat.h5}\n"
        "action: {type: hisq}\n"
        "solve: [{name: p, masses: [0.1], source: {type: point, origin: [[0, 0, 0, 0], [0, 0, 0, "
        "4], [0, 0, 0, 8], [0, 0, 0, 12]]}}]\n"
        "averages: [{type: truncated_solves, solve: p, tolerance_sloppy: 0.01, exact_sources: 2}]\n"
        "output: {file: out.h5, correlators: [pion5]}\n";
    int drawn[SOURCES] = {0};
    for (int seed = 1; seed <= SEEDS; seed++) {
        char key[64];
        naik_input *input = NULL;
        snprintf(key, sizeof key, "averages.0.seed=%d", seed);
        const char *const overrides[] = {key};
        CHECK_OK(t, naik_input_parse(t->log, "input.yaml", text, strlen(text), overrides, 1, NULL,
                                     NULL, &input));
        CHECK_REQUIRE(t, input != NULL);
        const naik_ints *subset = &input->averages[0].subset;
        CHECK_REQUIRE(t, subset->count == EXACT && subset->data[0] >= 0 &&
                             subset->data[0] < subset->data[1] && subset->data[1] < SOURCES);
        for (int k = 0; k < EXACT; k++) {
            drawn[subset->data[k]]++;
        }
        naik_input_destroy(&input);
    }
    for (int k = 0; k < SOURCES; k++) { /* four standard deviations: 4 sqrt(400/4) */
        CHECK_NEAR(t, drawn[k], SEEDS * EXACT / SOURCES, 40);
    }
}

CHECK_MAIN(CHECK(every_row_has_the_outcome_that_is_stated), CHECK(exact_sources_are_drawn_alike))
