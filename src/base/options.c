/* options.c - one pass over argv; every mistake answers with the nearest thing that exists */
#include "base/options.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

typedef struct parser {
    naik_log *log;
    const char *command;
    const naik_option *options;
    int count;
    uint64_t seen; /* bit i: options[i] was given */
} parser;

enum { MAX_OPTIONS = 64 };

static naik_status unknown_option(const parser *p, const char *typed)
{
    const char *words[MAX_OPTIONS + 1] = {NULL};
    for (int i = 0; i < p->count; i++) {
        words[i] = p->options[i].name;
    }
    const char *nearest = naik_text_nearest(typed + strspn(typed, "-"), words);
    if (nearest != NULL) {
        return NAIK_FAIL(p->log, NAIK_ERR_INPUT,
                         "naik %s: unknown option '%s'; did you mean '--%s'?", p->command, typed,
                         nearest);
    }
    return NAIK_FAIL(p->log, NAIK_ERR_INPUT,
                     "naik %s: unknown option '%s'; 'naik %s --help' lists them", p->command, typed,
                     p->command);
}

/* The option that argument `typed` ("--size", "-o") names, or NULL. */
static const naik_option *find_option(const parser *p, const char *typed)
{
    for (int i = 0; i < p->count; i++) {
        const naik_option *option = &p->options[i];
        bool by_name = strncmp(typed, "--", 2) == 0 && strcmp(typed + 2, option->name) == 0;
        bool by_letter = option->letter != '\0' && typed[1] == option->letter && typed[2] == '\0';
        if (by_name || by_letter) {
            return option;
        }
    }
    return NULL;
}

static naik_status bad_value(const parser *p, const naik_option *option, const char *value,
                             const char *wanted)
{
    return NAIK_FAIL(p->log, NAIK_ERR_INPUT, "naik %s: option '--%s' needs %s, not '%s'",
                     p->command, option->name, wanted, value);
}

static naik_status bad_number(const parser *p, const naik_option *option, const char *value,
                              const char *what)
{
    char wanted[96];
    if (option->min == 0 && option->max == 0) {
        snprintf(wanted, sizeof wanted, "%s", what);
    } else {
        snprintf(wanted, sizeof wanted, "%s from %.10g to %.10g", what, option->min, option->max);
    }
    return bad_value(p, option, value, wanted);
}

static bool in_range(const naik_option *option, double value)
{
    return (option->min == 0 && option->max == 0) || (value >= option->min && value <= option->max);
}

static naik_status store_int(const parser *p, const naik_option *option, const char *value)
{
    int64_t number = 0;
    if (!naik_text_int64(value, &number) || number > INT32_MAX || number < INT32_MIN ||
        !in_range(option, (double)number)) {
        return bad_number(p, option, value, "an integer");
    }
    *(int *)option->target = (int)number;
    return NAIK_OK;
}

static naik_status store_real(const parser *p, const naik_option *option, const char *value)
{
    double number = 0;
    if (!naik_text_real(value, &number) || !in_range(option, number)) {
        return bad_number(p, option, value, "a number");
    }
    *(double *)option->target = number;
    return NAIK_OK;
}

static naik_status store_choice(const parser *p, const naik_option *option, const char *value)
{
    char wanted[256] = "one of";
    for (int i = 0; option->choices[i] != NULL; i++) {
        if (strcmp(option->choices[i], value) == 0) {
            *(int *)option->target = i;
            return NAIK_OK;
        }
        naik_text_append(wanted, sizeof wanted, "%s %s", i > 0 ? "," : "", option->choices[i]);
    }
    return bad_value(p, option, value, wanted);
}

/* Whether nothing is left of a KEY=VALUE beside a later one: of the same key, or of a section that has it. */
static bool is_lost(const char *before, const char *later)
{
    const size_t length = strcspn(later, "=");
    return strncmp(before, later, length) == 0 && strcmp(before, later) != 0 &&
           (before[length] == '=' || before[length] == '.');
}

/* Of those that `last` is the first to replace. */
static void warn_of_lost(const parser *p, const naik_option *option, const char *last)
{
    const naik_option_list *list = option->target;
    for (int i = 0; i < list->count; i++) {
        bool lost = is_lost(list->text[i], last);
        for (int k = i + 1; k < list->count; k++) {
            lost = lost && !is_lost(list->text[i], list->text[k]);
        }
        if (lost) {
            naik_log_warn(p->log, "'--%s %s' does nothing: '--%s %s' comes after it", option->name,
                          list->text[i], option->name, last);
        }
    }
}

static naik_status store_list(const parser *p, const naik_option *option, const char *value)
{
    naik_option_list *list = option->target;
    if (list->count == NAIK_OPTION_LIST_MAX) {
        return NAIK_FAIL(p->log, NAIK_ERR_INPUT,
                         "naik %s: option '--%s' may be given at most %d times", p->command,
                         option->name, (int)NAIK_OPTION_LIST_MAX);
    }
    warn_of_lost(p, option, value);
    list->text[list->count++] = value;
    return NAIK_OK;
}

static naik_status store(const parser *p, const naik_option *option, const char *value)
{
    switch (option->kind) {
    case NAIK_OPTION_FLAG: *(bool *)option->target = true; return NAIK_OK;
    case NAIK_OPTION_TEXT: *(const char **)option->target = value; return NAIK_OK;
    case NAIK_OPTION_LIST: return store_list(p, option, value);
    case NAIK_OPTION_INT: return store_int(p, option, value);
    case NAIK_OPTION_REAL: return store_real(p, option, value);
    case NAIK_OPTION_CHOICE: return store_choice(p, option, value);
    case NAIK_OPTION_UINT64:
        return naik_text_uint64(value, option->target)
                   ? NAIK_OK
                   : bad_value(p, option, value, "an integer from 0 to 2^64 - 1");
    case NAIK_OPTION_EXTENTS:
        return naik_text_extents(value, option->target)
                   ? NAIK_OK
                   : bad_value(p, option, value, "four extents X,Y,Z,T");
    }
    return NAIK_FAIL(p->log, NAIK_ERR_ARG, "option '--%s' is of no known kind", option->name);
}

/* Takes the option at argv[*at] and its value; *at ends on the last argument used. */
static naik_status take_option(parser *p, int argc, char **argv, int *at)
{
    char typed[128];
    const char *argument = argv[*at];
    const char *value =
        strncmp(argument, "--", 2) == 0 ? strchr(argument, '=') : NULL; /* --name=value */
    int length = value != NULL ? (int)(value - argument) : (int)strlen(argument);
    snprintf(typed, sizeof typed, "%.*s", length, argument);
    value = value != NULL ? value + 1 : NULL;

    const naik_option *option = find_option(p, typed);
    if (option == NULL) {
        return unknown_option(p, typed);
    }
    uint64_t bit = (uint64_t)1 << (option - p->options);
    if ((p->seen & bit) != 0 && option->kind != NAIK_OPTION_LIST) {
        return NAIK_FAIL(p->log, NAIK_ERR_INPUT, "naik %s: option '%s' is given twice", p->command,
                         typed);
    }
    p->seen |= bit;
    if (option->kind == NAIK_OPTION_FLAG && value != NULL) {
        return NAIK_FAIL(p->log, NAIK_ERR_INPUT, "naik %s: option '%s' takes no value", p->command,
                         typed);
    }
    if (option->lone && value == NULL) {
        value = option->choices[0];
    }
    if (option->kind != NAIK_OPTION_FLAG && value == NULL) {
        bool follows = *at + 1 < argc && strncmp(argv[*at + 1], "--", 2) != 0;
        value = follows ? argv[++*at] : NULL;
    }
    if (option->kind != NAIK_OPTION_FLAG && (value == NULL || value[0] == '\0')) {
        return NAIK_FAIL(p->log, NAIK_ERR_INPUT, "naik %s: option '%s' needs a value", p->command,
                         typed);
    }
    return store(p, option, value);
}

static naik_status check_required(const parser *p, const char *const *operand_names,
                                  int operand_count, int operands_given)
{
    for (int i = 0; i < p->count; i++) {
        if (p->options[i].required && (p->seen >> i & 1) == 0) {
            const char letter[] = {'-', p->options[i].letter, '\0'};
            return NAIK_FAIL(p->log, NAIK_ERR_INPUT,
                             "naik %s: option '%s%s' is missing; 'naik %s --help' has examples",
                             p->command, letter[1] != '\0' ? letter : "--",
                             letter[1] != '\0' ? "" : p->options[i].name, p->command);
        }
    }
    if (operands_given < operand_count) {
        return NAIK_FAIL(p->log, NAIK_ERR_INPUT,
                         "naik %s: %s is missing; 'naik %s --help' has examples", p->command,
                         operand_names[operands_given], p->command);
    }
    return NAIK_OK;
}

naik_status naik_options_parse(naik_log *log, const char *command, int argc, char **argv,
                               const naik_option *options, int option_count,
                               const char *const *operand_names, int operand_count,
                               const char **operands)
{
    parser p = {.log = log, .command = command, .options = options, .count = option_count};
    if (option_count > MAX_OPTIONS) {
        return NAIK_FAIL(log, NAIK_ERR_ARG, "naik %s has more than %d options", command,
                         (int)MAX_OPTIONS);
    }
    int given = 0;
    bool only_operands = false;
    for (int i = 1; i < argc; i++) {
        if (!only_operands && strcmp(argv[i], "--") == 0) {
            only_operands = true;
        } else if (!only_operands && argv[i][0] == '-' && argv[i][1] != '\0') {
            NAIK_PASS(take_option(&p, argc, argv, &i));
        } else if (given < operand_count) {
            operands[given++] = argv[i];
        } else {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "naik %s: unexpected argument '%s'; 'naik %s --help' has examples",
                             command, argv[i], command);
        }
    }
    return check_required(&p, operand_names, operand_count, given);
}
