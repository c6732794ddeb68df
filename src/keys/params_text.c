/* params_text.c - typed values back to text: the canonical form and the printed reference */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "keys/params_value.h"

static void print_real(double value, FILE *out)
{
    char text[32];
    naik_text_print_real(value, text, sizeof text);
    fputs(text, out);
}

static void print_vector(const int *vector, int length, FILE *out)
{
    for (int i = 0; i < length; i++) {
        fprintf(out, "%s%d", i == 0 ? "[" : ", ", vector[i]);
    }
    fputc(']', out);
}

static void print_vectors(const naik_vectors *vectors, int length, FILE *out)
{
    for (int i = 0; i < vectors->count; i++) {
        fputs(i == 0 ? "[" : ", ", out);
        print_vector(vectors->data[i], length, out);
    }
    fputc(']', out);
}

static void print_reals(const naik_reals *reals, FILE *out)
{
    for (int i = 0; i < reals->count; i++) {
        fputs(i == 0 ? "[" : ", ", out);
        print_real(reals->data[i], out);
    }
    fputc(']', out);
}

static void print_words(const naik_ints *words, const char *const *names, FILE *out)
{
    fputc('[', out);
    for (int i = 0; i < words->count; i++) {
        fprintf(out, "%s%s", i > 0 ? ", " : "", names[words->data[i]]);
    }
    fputc(']', out);
}

static void print_texts(const naik_texts *texts, FILE *out)
{
    for (int i = 0; i < texts->count; i++) {
        fprintf(out, "%s%s", i == 0 ? "[" : ", ", texts->data[i]);
    }
    fputc(']', out);
}

static void print_pairs(const naik_pairs *pairs, FILE *out)
{
    for (int i = 0; i < pairs->count; i++) {
        fprintf(out, "%s%s: %s", i == 0 ? "{" : ", ", pairs->data[i].key, pairs->data[i].value);
    }
    fputc('}', out);
}

/* Whether a number or vector with a special word ("auto") holds what it stands for. */
static bool is_special(const naik_param *param, const void *value)
{
    const int zeros[4] = {param->special_int};
    size_t size = param->kind == NAIK_PARAM_VECTOR4   ? 4 * sizeof(int)
                  : param->kind == NAIK_PARAM_VECTOR3 ? 3 * sizeof(int)
                                                      : sizeof(int);
    return param->special != NULL && memcmp(value, zeros, size) == 0;
}

static bool is_absent(const naik_param *param, const void *value)
{
    switch (param->kind) {
    case NAIK_PARAM_TEXT: return *(const char *const *)value == NULL;
    case NAIK_PARAM_REALS: return ((const naik_reals *)value)->count == 0;
    case NAIK_PARAM_INTS: return ((const naik_ints *)value)->count == 0;
    case NAIK_PARAM_CHOICES: return ((const naik_ints *)value)->data == NULL; /* [] says none */
    case NAIK_PARAM_TEXTS: return ((const naik_texts *)value)->count == 0;
    case NAIK_PARAM_VECTORS3:
    case NAIK_PARAM_VECTORS4: return ((const naik_vectors *)value)->count == 0;
    case NAIK_PARAM_PAIRS: return ((const naik_pairs *)value)->count == 0;
    default: return false;
    }
}

/* Writes the stored value as YAML flow text. False where there is nothing to say: an absent text
 * or an empty list that was not asked for. */
static bool print_value(const naik_param *param, const void *value, FILE *out)
{
    if (is_absent(param, value)) {
        return false;
    }
    if (is_special(param, value)) {
        fputs(param->special, out);
        return true;
    }
    const char *const *words = param->words;
    switch (param->kind) {
    case NAIK_PARAM_BOOL:
        fputs(words != NULL          ? words[*(const bool *)value]
              : *(const bool *)value ? "true"
                                     : "false",
              out);
        break;
    case NAIK_PARAM_CHOICE: fputs(words[*(const int *)value], out); break;
    case NAIK_PARAM_INT: fprintf(out, "%d", *(const int *)value); break;
    case NAIK_PARAM_INT64: fprintf(out, "%lld", (long long)*(const int64_t *)value); break;
    case NAIK_PARAM_UINT64:
        fprintf(out, "%llu", (unsigned long long)*(const uint64_t *)value);
        break;
    case NAIK_PARAM_REAL:
    case NAIK_PARAM_TIME: print_real(*(const double *)value, out); break;
    case NAIK_PARAM_TEXT: fputs(*(const char *const *)value, out); break;
    case NAIK_PARAM_REALS: print_reals(value, out); break;
    case NAIK_PARAM_INTS:
        print_vector(((const naik_ints *)value)->data, ((const naik_ints *)value)->count, out);
        break;
    case NAIK_PARAM_CHOICES: print_words(value, words, out); break;
    case NAIK_PARAM_TEXTS: print_texts(value, out); break;
    case NAIK_PARAM_VECTOR3: print_vector(value, 3, out); break;
    case NAIK_PARAM_VECTOR4: print_vector(value, 4, out); break;
    case NAIK_PARAM_VECTORS3: print_vectors(value, 3, out); break;
    case NAIK_PARAM_VECTORS4: print_vectors(value, 4, out); break;
    case NAIK_PARAM_PAIRS: print_pairs(value, out); break;
    }
    return true;
}

/* Whether the identity says nothing of it. */
static bool is_left_out(const naik_param *param, const void *value)
{
    const char *before = param->before != NULL ? param->before : param->initial;
    if (!param->later || before == NULL) {
        return false;
    }
    if (param->kind == NAIK_PARAM_REAL && !is_special(param, value)) {
        return naik_text_strtod(before, NULL) == *(const double *)value; /* 1e-4 prints as 0.0001 */
    }
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream != NULL) {
        print_value(param, value, stream);
        fclose(stream);
    }
    const bool is_initial = text != NULL && strcmp(text, before) == 0;
    free(text);
    return is_initial;
}

/* "solve[].masses" of element 3 is "solve.3.masses". */
static void print_line(const naik_param *param, int element, const void *base, bool identity_only,
                       FILE *out)
{
    const void *value = (const char *)base + param->offset;
    if (is_absent(param, value) || (identity_only && is_left_out(param, value))) {
        return;
    }
    const char *bracket = strstr(param->key, "[]");
    if (bracket != NULL) {
        fprintf(out, "%.*s.%d%s = ", (int)(bracket - param->key), param->key, element, bracket + 2);
    } else {
        fprintf(out, "%s = ", param->key);
    }
    print_value(param, value, out);
    fputc('\n', out);
}

/* The elements of the list, each with all its keys. */
static void print_list(const naik_param_table *table, const naik_param_list *list,
                       const void *values, bool identity_only, FILE *out)
{
    const char *data = NULL;
    int count = 0;
    memcpy(&data, (const char *)values + list->data_offset, sizeof data);
    memcpy(&count, (const char *)values + list->count_offset, sizeof count);
    for (int element = 0; element < count; element++) {
        for (int i = 0; i < table->count; i++) {
            const naik_param *param = &table->params[i];
            if (naik_param_list_of(table, param->key) == list &&
                (param->identity || !identity_only)) {
                print_line(param, element, data + (size_t)element * list->element_size,
                           identity_only, out);
            }
        }
    }
}

naik_status naik_params_text(naik_log *log, const naik_param_table *table, const void *values,
                             bool identity_only, naik_yaml *tree, const char **out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    *out = NULL;
    if (stream != NULL) {
        const naik_param_list *last = NULL;
        for (int i = 0; i < table->count; i++) {
            const naik_param *param = &table->params[i];
            const naik_param_list *list = naik_param_list_of(table, param->key);
            if (list != NULL && list != last) {
                print_list(table, list, values, identity_only, stream);
                last = list;
            } else if (list == NULL && (param->identity || !identity_only)) {
                print_line(param, 0, values, identity_only, stream);
            }
        }
        fclose(stream);
    }
    char *copy = text != NULL ? naik_yaml_alloc(tree, size + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, size);
        *out = copy;
    }
    free(text);
    return copy != NULL ? NAIK_OK : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input");
}

enum { INDENT = 27, WIDTH = 100 };

/* Blocks of words behind an indent; the first line begins with `head`. */
static void print_wrapped(naik_log *log, const char *head, const char *text)
{
    while (*text != '\0') {
        size_t length = strlen(text);
        if (length > WIDTH - INDENT) {
            length = WIDTH - INDENT;
            while (length > 1 && text[length] != ' ') {
                length--;
            }
        }
        naik_log_line(log, "%-*s%.*s", (int)INDENT, head, (int)length, text);
        text += length + (text[length] == ' ');
        head = "";
    }
}

static void print_section_head(naik_log *log, const naik_param_table *table, const char *key)
{
    size_t length = strcspn(key, ".[");
    for (int k = 0; table->sections[k] != NULL; k += 2) {
        if (strncmp(table->sections[k], key, length) == 0 && table->sections[k][length] == '\0') {
            naik_log_line(log, "\n%s: %s", table->sections[k], table->sections[k + 1]);
        }
    }
}

void naik_params_print_reference(naik_log *log, const naik_param_table *table)
{
    for (int i = 0; i < table->count; i++) {
        const naik_param *param = &table->params[i];
        char wanted[384], head[80];
        size_t section = strcspn(param->key, ".");
        if (i == 0 || strncmp(param->key, table->params[i - 1].key, section + 1) != 0) {
            print_section_head(log, table, param->key);
        }
        if (param->as != NULL) {
            snprintf(wanted, sizeof wanted, "%s", param->as);
        } else {
            naik_param_wanted(param, wanted, sizeof wanted);
        }
        if (param->required) {
            naik_text_append(wanted, sizeof wanted, "; required");
        } else if (param->needed != NULL) {
            naik_text_append(wanted, sizeof wanted, "; required %s", param->needed);
        } else if (param->initial != NULL) {
            naik_text_append(wanted, sizeof wanted, "; default %s", param->initial);
        }
        snprintf(head, sizeof head, "  %s", param->key + section + 1);
        print_wrapped(log, head, param->doc);
        print_wrapped(log, "", wanted);
    }
}
