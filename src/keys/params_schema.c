/* params_schema.c - the table of keys as a JSON schema, for editors and for tests */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "keys/params.h"

enum { INDENT = 1, KEY_ROOM = 128, PREFIX_ROOM = 160 };

typedef struct writer {
    FILE *out;
    int depth;
    bool first; /* nothing stands in the object or list yet */
} writer;

static void put_text(writer *w, const char *text)
{
    fputc('"', w->out);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\') {
            fputc('\\', w->out);
        }
        fputc(*c, w->out);
    }
    fputc('"', w->out);
}

/* A comma where one is due, a new line, and the name of what follows; NULL: of a list. */
static void put_name(writer *w, const char *name)
{
    fprintf(w->out, "%s\n%*s", w->first ? "" : ",", w->depth * INDENT, "");
    w->first = false;
    if (name != NULL) {
        put_text(w, name);
        fputs(": ", w->out);
    }
}

static void open_at(writer *w, const char *name, char bracket)
{
    put_name(w, name);
    fputc(bracket, w->out);
    w->depth++;
    w->first = true;
}

static void close_with(writer *w, char bracket)
{
    w->depth--;
    fprintf(w->out, "\n%*s%c", w->depth * INDENT, "", bracket);
    w->first = false;
}

static void put_member(writer *w, const char *name, const char *text)
{
    put_name(w, name);
    put_text(w, text);
}

static void put_number(writer *w, const char *name, double value)
{
    put_name(w, name);
    fprintf(w->out, "%.17g", value);
}

static void put_limits(writer *w, const naik_param *param)
{
    int number;
    if (param->multiple != 0) {
        put_number(w, "multipleOf", param->multiple);
    }
    if (param->range.least == 0 && param->range.most == 0) {
        return;
    }
    if (naik_range_is_above(param->range, &number)) {
        put_number(w, "exclusiveMinimum", number);
    } else {
        put_number(w, "minimum", param->range.least);
    }
    if (param->range.most != NAIK_NO_LIMIT) {
        put_number(w, "maximum", param->range.most);
    }
}

/* A word; of digits also as the number that a document has without quotes. */
static void put_word(writer *w, const char *word)
{
    put_name(w, NULL);
    put_text(w, word);
    if (word[0] != '\0' && strspn(word, "0123456789") == strlen(word)) {
        put_name(w, NULL);
        fputs(word, w->out);
    }
}

/* "enum": [words, others], each once: a list of labels has some that stand for earlier words. */
static void put_words(writer *w, const char *const *words, const char *const *others)
{
    open_at(w, "enum", '[');
    for (int i = 0; words[i] != NULL; i++) {
        if (!naik_text_is_among(words[i], words, i) && !naik_text_is_among(words[i], others, -1)) {
            put_word(w, words[i]);
        }
    }
    for (int i = 0; others != NULL && others[i] != NULL; i++) {
        put_word(w, others[i]);
    }
    close_with(w, ']');
}

/* What every scalar can be: naik types it by the table, so that a number is a text where one is wanted. */
static void put_any_scalar(writer *w)
{
    static const char *const types[] = {"string", "number", "boolean"};
    open_at(w, "type", '[');
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        put_name(w, NULL);
        put_text(w, types[i]);
    }
    close_with(w, ']');
}

static void put_time(writer *w)
{
    open_at(w, "anyOf", '[');
    open_at(w, NULL, '{');
    put_member(w, "type", "number");
    put_number(w, "minimum", 0);
    close_with(w, '}');
    open_at(w, NULL, '{');
    put_member(w, "type", "string");
    put_member(w, "pattern", "^[0-9]+(:[0-5]?[0-9]){2}$");
    close_with(w, '}');
    close_with(w, ']');
}

typedef enum shape { SCALAR, SCALARS, LIST, VECTOR, VECTORS, PAIRS } shape;

/* How a kind is made of scalars, and how many of them a vector has. */
static shape shape_of(const naik_param *param, int *extent)
{
    *extent = param->kind == NAIK_PARAM_VECTOR3 || param->kind == NAIK_PARAM_VECTORS3 ? 3 : 4;
    switch (param->kind) {
    case NAIK_PARAM_REALS:
    case NAIK_PARAM_INTS:
    case NAIK_PARAM_TEXTS: return SCALARS;
    case NAIK_PARAM_CHOICES: return LIST;
    case NAIK_PARAM_VECTOR3:
    case NAIK_PARAM_VECTOR4: return VECTOR;
    case NAIK_PARAM_VECTORS3:
    case NAIK_PARAM_VECTORS4: return VECTORS;
    case NAIK_PARAM_PAIRS: return PAIRS;
    case NAIK_PARAM_BOOL:
    case NAIK_PARAM_INT:
    case NAIK_PARAM_INT64:
    case NAIK_PARAM_UINT64:
    case NAIK_PARAM_REAL:
    case NAIK_PARAM_TIME:
    case NAIK_PARAM_TEXT:
    case NAIK_PARAM_CHOICE: break;
    }
    return SCALAR;
}

static void put_scalar(writer *w, const naik_param *param)
{
    switch (param->kind) {
    case NAIK_PARAM_BOOL:
        if (param->words == NULL) {
            put_member(w, "type", "boolean");
        } else {
            put_words(w, param->words, NULL);
        }
        break;
    case NAIK_PARAM_UINT64:
        put_member(w, "type", "integer");
        put_number(w, "minimum", 0);
        break;
    case NAIK_PARAM_REAL:
    case NAIK_PARAM_REALS:
        put_member(w, "type", "number");
        put_limits(w, param);
        break;
    case NAIK_PARAM_TIME: put_time(w); break;
    case NAIK_PARAM_TEXT:
    case NAIK_PARAM_TEXTS: put_any_scalar(w); break;
    case NAIK_PARAM_CHOICE:
    case NAIK_PARAM_CHOICES: put_words(w, param->words, param->others); break;
    case NAIK_PARAM_INT:
    case NAIK_PARAM_INT64:
    case NAIK_PARAM_INTS:
    case NAIK_PARAM_VECTOR3:
    case NAIK_PARAM_VECTOR4:
    case NAIK_PARAM_VECTORS3:
    case NAIK_PARAM_VECTORS4:
        put_member(w, "type", "integer");
        put_limits(w, param);
        break;
    case NAIK_PARAM_PAIRS: break;
    }
}

/* extent: of a list of exactly so many; 0: at least one. */
static void put_list(writer *w, const naik_param *param, int extent, bool unique)
{
    put_member(w, "type", "array");
    if (extent > 0) {
        put_number(w, "minItems", extent);
        put_number(w, "maxItems", extent);
    } else if (!unique) {
        put_number(w, "minItems", 1);
    }
    if (unique) {
        put_name(w, "uniqueItems");
        fputs("true", w->out);
    }
    open_at(w, "items", '{');
    put_scalar(w, param);
    close_with(w, '}');
}

static void put_vectors(writer *w, const naik_param *param, int extent)
{
    put_member(w, "type", "array");
    put_number(w, "minItems", 1);
    open_at(w, "items", '{');
    put_list(w, param, extent, false);
    close_with(w, '}');
}

/* The alternatives of a value, each an object of anyOf. */
static void put_alternatives(writer *w, const naik_param *param, shape s, int extent)
{
    open_at(w, "anyOf", '[');
    if (param->special != NULL) {
        open_at(w, NULL, '{');
        put_member(w, "const", param->special);
        close_with(w, '}');
    }
    if (s == SCALAR || s == SCALARS) {
        open_at(w, NULL, '{');
        put_scalar(w, param);
        close_with(w, '}');
    }
    if (s != SCALAR) {
        open_at(w, NULL, '{');
        put_list(w, param, s == VECTOR || s == VECTORS ? extent : 0, s == LIST);
        close_with(w, '}');
    }
    if (s == VECTORS) {
        open_at(w, NULL, '{');
        put_vectors(w, param, extent);
        close_with(w, '}');
    }
    close_with(w, ']');
}

/* What editors show of a key. */
static void put_meaning(writer *w, const naik_param *param)
{
    char text[1024];
    const bool common = param->initial != NULL && param->needed == NULL;
    snprintf(text, sizeof text, "%s%s%s", param->doc, common ? "; default " : "",
             common ? param->initial : "");
    put_member(w, "description", text);
}

static void put_value(writer *w, const char *name, const naik_param *param)
{
    int extent;
    const shape s = shape_of(param, &extent);
    open_at(w, name, '{');
    put_meaning(w, param);
    if (s == PAIRS) {
        put_member(w, "type", "object");
        open_at(w, "additionalProperties", '{');
        put_any_scalar(w);
        close_with(w, '}');
    } else if (param->special != NULL || s == SCALARS || s == VECTORS) {
        put_alternatives(w, param, s, extent);
    } else if (s == SCALAR) {
        put_scalar(w, param);
    } else {
        put_list(w, param, s == VECTOR ? extent : 0, s == LIST);
    }
    close_with(w, '}');
}

static const char *meaning_of(const naik_param_table *table, const char *prefix)
{
    for (int i = 0; table->sections[i] != NULL; i += 2) {
        const size_t length = strlen(table->sections[i]);
        if (strncmp(table->sections[i], prefix, length) == 0 &&
            (prefix[length] == '.' || prefix[length] == '[')) {
            return table->sections[i + 1];
        }
    }
    return NULL;
}

static bool is_list(const char *prefix)
{
    const size_t length = strlen(prefix);
    return length > 3 && strcmp(prefix + length - 3, "[].") == 0;
}

/* Whether a section or list must be there: the list, or something of the section. */
static bool is_required(const naik_param_table *table, const char *prefix)
{
    const size_t length = strlen(prefix);
    if (is_list(prefix)) {
        return naik_param_list_of(table, prefix)->required;
    }
    for (int i = 0; i < table->count; i++) {
        if (strncmp(table->params[i].key, prefix, length) == 0 && table->params[i].required) {
            return true;
        }
    }
    return false;
}

/* The word behind the prefix, and the prefix of what is below it; "" of a value. */
static void next_word(const char *key, const char *prefix, char word[KEY_ROOM],
                      char below[PREFIX_ROOM])
{
    const char *rest = key + strlen(prefix);
    const int length = (int)strcspn(rest, ".[");
    snprintf(word, KEY_ROOM, "%.*s", length, rest);
    below[0] = '\0';
    if (rest[length] != '\0') {
        snprintf(below, PREFIX_ROOM, "%s%s%s", prefix, word, rest[length] == '[' ? "[]." : ".");
    }
}

static void put_object(writer *w, const naik_param_table *table, const char *prefix);

static void put_below(writer *w, const naik_param_table *table, const char *word, const char *below)
{
    const char *meaning = meaning_of(table, below);
    open_at(w, word, '{');
    if (is_list(below)) {
        if (meaning != NULL) {
            put_member(w, "description", meaning);
        }
        put_member(w, "type", "array");
        put_number(w, "minItems", 1);
        put_number(w, "maxItems", naik_param_list_of(table, below)->max_count);
        open_at(w, "items", '{');
        put_object(w, table, below);
        close_with(w, '}');
    } else {
        if (meaning != NULL && strchr(below, '[') == NULL) {
            put_member(w, "description", meaning);
        }
        put_object(w, table, below);
    }
    close_with(w, '}');
}

/* The members of an object whose keys begin with the prefix, in the order of the table. */
static void put_object(writer *w, const naik_param_table *table, const char *prefix)
{
    const size_t length = strlen(prefix);
    for (int pass = 0; pass < 2; pass++) {
        char last[KEY_ROOM] = "";
        if (pass == 0) {
            put_member(w, "type", "object");
            put_name(w, "additionalProperties");
            fputs("false", w->out);
        }
        open_at(w, pass == 0 ? "required" : "properties", pass == 0 ? '[' : '{');
        for (int i = 0; i < table->count; i++) {
            const naik_param *param = &table->params[i];
            char word[KEY_ROOM], below[PREFIX_ROOM];
            if (strncmp(param->key, prefix, length) != 0) {
                continue;
            }
            next_word(param->key, prefix, word, below);
            if (strcmp(word, last) == 0) {
                continue;
            }
            strcpy(last, word);
            if (pass == 0) {
                if (below[0] == '\0' ? param->required : is_required(table, below)) {
                    put_name(w, NULL);
                    put_text(w, word);
                }
            } else if (below[0] == '\0') {
                put_value(w, word, param);
            } else {
                put_below(w, table, word, below);
            }
        }
        close_with(w, pass == 0 ? ']' : '}');
    }
}

naik_status naik_params_print_schema(naik_log *log, const naik_param_table *table,
                                     const char *title)
{
    char *text = NULL;
    size_t size = 0;
    writer w = {.out = open_memstream(&text, &size), .depth = 1, .first = true};
    if (w.out == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the schema");
    }
    fputc('{', w.out);
    put_member(&w, "$schema", "http://json-schema.org/draft-07/schema#");
    put_member(&w, "title", title);
    put_object(&w, table, "");
    close_with(&w, '}');
    fclose(w.out);
    if (text != NULL) {
        naik_log_line(log, "%s", text);
    }
    free(text);
    return NAIK_OK;
}
