/* json.c - numbers out of a JSON file */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *json_load(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
        rewind(file);
    }
    if (size >= 0 && (text = calloc((size_t)size + 1, 1)) != NULL &&
        fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at)
{
    for (at++; *at != '"' && *at != 0; at++) {
        at += *at == '\\' && at[1] != 0;
    }
    return at + (*at == '"');
}

/* Behind the value at `at`. */
static const char *skip_value(const char *at)
{
    int depth = 0;
    at = skip_space(at);
    if (*at == '"') {
        return skip_string(at);
    }
    if (*at != '{' && *at != '[') {
        return at + strcspn(at, ",]} \t\r\n");
    }
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        at++;
    } while (depth > 0 && *at != 0);
    return at;
}

bool json_is_text(const char *value, const char *text)
{
    const size_t length = strlen(text);
    return value != NULL && value[0] == '"' && strncmp(value + 1, text, length) == 0 &&
           value[1 + length] == '"';
}

/* The part `index` of an object or array, or that of this key; objects are looked through by key
 * alone. */
static const char *part(const char *whole, const char *key, int index)
{
    if (whole == NULL || whole[0] != (key != NULL ? '{' : '[')) {
        return NULL;
    }
    const char *at = skip_space(whole + 1);
    for (int i = 0; *at != ']' && *at != '}' && *at != 0; i++) {
        bool wanted = key == NULL && i == index;
        if (key != NULL) {
            wanted = json_is_text(at, key);
            at = skip_space(skip_string(at));
            at = skip_space(at + (*at == ':'));
        }
        if (wanted) {
            return at;
        }
        at = skip_space(skip_value(at));
        at = skip_space(at + (*at == ','));
    }
    return NULL;
}

const char *json_member(const char *object, const char *key)
{
    return part(object, key, 0);
}

const char *json_element(const char *array, int index)
{
    return part(array, NULL, index);
}

double json_number(const char *value)
{
    char *end;
    const double number = value != NULL ? strtod(value, &end) : NAN;
    return value != NULL && end != value ? number : NAN;
}
