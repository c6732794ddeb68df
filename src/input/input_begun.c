/* input_begun.c - an input that gives a default in words, beside an output that was begun without them, or the other way round */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "input/input_table.h"
#include "multigrid/parameters.h"

enum { ROOM = 96 };

/* What the identity has behind "key = "; "" where it has no such line. */
static const char *value_of(const naik_input *input, const char *key)
{
    const char *line = naik_line_find(input->identity, key);
    return *line != '\0' ? line + strlen(key) : line;
}

static bool is_no_twist(const naik_input *input, int entry, const char *value)
{
    (void)input;
    (void)entry;
    return naik_line_same(value, "[0, 0, 0]");
}

static bool is_all_colours(const naik_input *input, int entry, const char *value)
{
    (void)input;
    (void)entry;
    return naik_line_same(value, "[0, 1, 2]");
}

/* Quarks with spin whose input says nothing have the pion. */
static bool is_pion(const naik_input *input, int entry, const char *value)
{
    (void)entry;
    return input->kind->spin > 1 &&
           (naik_line_same(value, "[pion]") || naik_line_same(value, "[pion5]"));
}

static bool is_of_output(const naik_input *input, int entry, const char *value)
{
    const char *all = value_of(input, "output.correlators = ");
    return naik_input_is_whole(&input->solve[entry]) &&
           (naik_line_same(value, all) ||
            (is_pion(input, entry, value) && is_pion(input, entry, all)));
}

static bool is_momenta_of_output(const naik_input *input, int entry, const char *value)
{
    (void)entry;
    return naik_line_same(value, value_of(input, "output.momenta = "));
}

/* 0 is u0 that is not given. */
static bool is_no_tadpole(const naik_input *input, int entry, const char *value)
{
    (void)input;
    (void)entry;
    return naik_line_same(value, "0") || naik_line_same(value, "1");
}

static bool is_own_aggregate(const naik_input *input, int entry, const char *value)
{
    static const int none[NAIK_DIM];
    int x[NAIK_DIM], mu;
    char own[ROOM];
    (void)entry;
    if (!naik_multigrid_aggregate(input->lattice.size, none, x, &mu)) {
        return false;
    }
    snprintf(own, sizeof own, "[%d, %d, %d, %d]", x[0], x[1], x[2], x[3]);
    return naik_line_same(value, own);
}

/* The kappa of the lightest quark, where all quarks share near-null vectors. */
static bool is_lightest_kappa(const naik_input *input, int entry, const char *value)
{
    double mass = input->quarks[0].mass;
    bool share = true;
    (void)entry;
    for (int q = 0; q < input->quark_count; q++) {
        const naik_quark *quark = &input->quarks[q];
        mass = quark->mass < mass ? quark->mass : mass;
    }
    for (int i = 1; i < input->solve_count; i++) {
        share = share && naik_input_same_twist(&input->solve[0], &input->solve[i]);
    }
    return share && naik_input_mass_of(naik_text_strtod(value, NULL)) == mass;
}

/* Keys of the identity that say nothing new with the value that naik takes without them. */
static const struct {
    const char *key;
    bool of_entry; /* behind "solve.0." */
    bool (*is_default)(const naik_input *input, int entry, const char *value);
} rows[] = {{"twist = ", true, is_no_twist},
            {"source.colours = ", true, is_all_colours},
            {"correlators = ", true, is_of_output},
            {"momenta = ", true, is_momenta_of_output},
            {"action.u0 = ", false, is_no_tadpole},
            {"output.correlators = ", false, is_pion},
            {"multigrid.aggregate = ", false, is_own_aggregate},
            {"multigrid.setup_kappa = ", false, is_lightest_kappa}};

bool naik_input_says_nothing(const naik_input *input, const char *line)
{
    int entry = 0, used = 0;
    const bool of_entry = sscanf(line, "solve.%d.%n", &entry, &used) == 1 && used > 0 &&
                          entry >= 0 && entry < input->solve_count;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *key = line + (of_entry ? used : 0);
        if (rows[i].of_entry == of_entry && naik_text_begins(key, rows[i].key)) {
            return rows[i].is_default(input, entry, key + strlen(rows[i].key));
        }
    }
    return false;
}

/* The first line from there that says something, or the end. */
static const char *next_said(const naik_input *input, const char *line)
{
    while (*line != '\0' && naik_input_says_nothing(input, line)) {
        line = naik_line_next(line);
    }
    return line;
}

naik_status naik_input_go_on(naik_log *log, naik_input *input, const char *begun)
{
    const char *a = next_said(input, begun), *b = next_said(input, input->identity);
    while (*a != '\0' && *b != '\0' && naik_line_same(a, b)) {
        a = next_said(input, naik_line_next(a));
        b = next_said(input, naik_line_next(b));
    }
    if (*a != '\0' || *b != '\0') {
        return NAIK_OK; /* of another input: what opens the file says in which key */
    }
    char *text = naik_yaml_alloc(input->tree, strlen(begun) + 1);
    if (text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    input->identity = strcpy(text, begun);
    return NAIK_OK;
}
