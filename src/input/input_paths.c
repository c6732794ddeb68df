/* input_paths.c - names of files as a shell reads them: ~, ~user, $NAME and ${NAME}
 *
 * The environment is rank 0's. What it says of the names that a text has is gathered before the
 * text is parsed, so that every rank expands alike: pairs "NAME=value", each ended by a zero, of
 * users "~NAME=folder".
 */
#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/input_table.h"

enum { NAME_SIZE = 80, EXPANDED_SIZE = 4096 };

/* Letters of the name at `text`, of a variable or a user. */
static size_t name_length(const char *text, size_t left, bool user)
{
    size_t n = 0;
    while (n < left && n < NAME_SIZE - 2 &&
           (isalnum((unsigned char)text[n]) || text[n] == '_' ||
            (user && n > 0 && strchr(".-", text[n]) != NULL))) {
        n++;
    }
    return n > 0 && isdigit((unsigned char)text[0]) ? 0 : n;
}

static const char *find(const char *list, size_t size, const char *name)
{
    const size_t length = strlen(name);
    for (size_t at = 0; at < size; at += strlen(list + at) + 1) {
        if (strncmp(list + at, name, length) == 0 && list[at + length] == '=') {
            return list + at + length + 1;
        }
    }
    return NULL;
}

/* Adds what the environment says of a name to the list, once. */
static naik_status add(naik_log *log, const char *name, naik_variables *out)
{
    const char *value = NULL;
    if (find(out->list, out->size, name) != NULL) {
        return NAIK_OK;
    }
    if (name[0] == '~' && name[1] != '\0') {
        const struct passwd *user = getpwnam(name + 1);
        value = user != NULL ? user->pw_dir : NULL;
    } else {
        value = getenv(name[0] == '~' ? "HOME" : name);
    }
    if (value == NULL) {
        return NAIK_OK; /* told where it is used */
    }
    const size_t bytes = strlen(name) + strlen(value) + 2;
    char *list = realloc(out->list, out->size + bytes);
    if (list == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the environment");
    }
    snprintf(list + out->size, bytes, "%s=%s", name, value);
    out->list = list;
    out->size += bytes;
    return NAIK_OK;
}

/* Adds what the environment says of every ~, ~user, $NAME and ${NAME} in a text. */
static naik_status gather(naik_log *log, const char *text, size_t size, naik_variables *out)
{
    char name[NAME_SIZE];
    for (size_t i = 0; i < size; i++) {
        const bool user = text[i] == '~';
        if (!user && text[i] != '$') {
            continue;
        }
        const size_t brace = !user && i + 1 < size && text[i + 1] == '{' ? 1 : 0;
        const size_t begin = i + 1 + brace;
        const size_t length = begin < size ? name_length(text + begin, size - begin, user) : 0;
        snprintf(name, sizeof name, "%s%.*s", user ? "~" : "", (int)length, text + begin);
        if (name[0] != '\0') {
            NAIK_PASS(add(log, name, out));
        }
    }
    return NAIK_OK;
}

naik_status naik_variables_read(naik_comm *comm, const char *text, size_t size,
                                const char *const *texts, int count, naik_variables *out)
{
    naik_status status = comm->rank == 0 ? gather(comm->log, text, size, out) : NAIK_OK;
    for (int i = 0; i < count && comm->rank == 0 && status == NAIK_OK; i++) {
        status = gather(comm->log, texts[i], strlen(texts[i]), out);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    NAIK_PASS(naik_comm_broadcast(comm, &out->size, sizeof out->size, 0));
    if (comm->rank != 0) {
        out->list = malloc(out->size + 1);
        status = out->list != NULL
                     ? NAIK_OK
                     : NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for the environment");
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    if (out->size > 0) {
        NAIK_PASS(naik_comm_broadcast(comm, out->list, out->size, 0));
    }
    return NAIK_OK;
}

void naik_variables_clear(naik_variables *variables)
{
    free(variables->list);
    *variables = (naik_variables){.size = 0};
}

/* Where a file is named in the input. */
typedef struct place {
    naik_log *log;
    naik_input *input;
    const char *key, *name;
} place;

static naik_status append(const place *p, const char *text, size_t length, char *to, size_t *used)
{
    if (*used + length >= EXPANDED_SIZE) {
        return naik_input_refuse(p->log, p->input, p->key, "'%s' is longer than %d characters",
                                 p->key, (int)EXPANDED_SIZE - 1);
    }
    memcpy(to + *used, text, length);
    *used += length;
    to[*used] = '\0';
    return NAIK_OK;
}

static naik_status append_value(const place *p, const naik_variables *known, const char *name,
                                char *to, size_t *used)
{
    const char *value = find(known->list, known->size, name);
    if (value == NULL && name[0] == '~') {
        return naik_input_refuse(
            p->log, p->input, p->key,
            "'%s' is '%s', but %s%s: write the whole path, or \\~ for a tilde", p->key, p->name,
            name[1] == '\0' ? "the environment has no HOME" : "there is no user ", name + 1);
    }
    if (value == NULL) {
        return naik_input_refuse(p->log, p->input, p->key,
                                 "'%s' is '%s', but the environment has no %s: set it, or write "
                                 "\\$ for a dollar sign",
                                 p->key, p->name, name);
    }
    return append(p, value, strlen(value), to, used);
}

/* One thing at *from, which then points behind it. */
static naik_status expand_next(const place *p, const naik_variables *known, const char **from,
                               char *to, size_t *used)
{
    const char *at = *from;
    char name[NAME_SIZE];
    const bool first = at == p->name;
    if (at[0] == '\\' && (at[1] == '$' || (at[1] == '~' && first))) {
        *from = at + 2;
        return append(p, at + 1, 1, to, used);
    }
    if (at[0] == '~' && first) {
        const size_t length = name_length(at + 1, strlen(at + 1), true);
        if (at[1 + length] == '/' || at[1 + length] == '\0') {
            snprintf(name, sizeof name, "%.*s", (int)length + 1, at);
            *from = at + 1 + length;
            return append_value(p, known, name, to, used);
        }
    }
    if (at[0] == '$') {
        const size_t brace = at[1] == '{' ? 1 : 0;
        const char *begin = at + 1 + brace;
        const size_t length = name_length(begin, strlen(begin), false);
        if (brace == 1 && (length == 0 || begin[length] != '}')) {
            return naik_input_refuse(p->log, p->input, p->key,
                                     "'%s' is '%s': of a variable naik takes $NAME and ${NAME} "
                                     "only; write \\$ for a dollar sign",
                                     p->key, p->name);
        }
        if (length > 0) {
            snprintf(name, sizeof name, "%.*s", (int)length, begin);
            *from = begin + length + brace;
            return append_value(p, known, name, to, used);
        }
    }
    *from = at + 1;
    return append(p, at, 1, to, used);
}

/* Keeps the new name, and for the text that the output will carry an override with it. */
static naik_status keep(const place *p, const char *expanded, const char **name)
{
    naik_input *input = p->input;
    const size_t length = strlen(expanded);
    const size_t before = input->expanded != NULL ? strlen(input->expanded) : 0;
    char *kept = naik_yaml_alloc(input->tree, length + 1);
    char *lines = naik_yaml_alloc(input->tree, before + strlen(p->key) + 2 * length + 16);
    if (kept == NULL || lines == NULL) {
        return NAIK_FAIL(p->log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    *name = strcpy(kept, expanded);
    char *to = lines + sprintf(lines, "%s# --set %s='", before > 0 ? input->expanded : "", p->key);
    for (const char *c = expanded; *c != '\0'; c++) {
        to += sprintf(to, *c == '\'' ? "''" : "%c", *c);
    }
    strcpy(to, "'\n");
    input->expanded = lines;
    return NAIK_OK;
}

naik_status naik_input_expand_path(naik_log *log, naik_input *input, const naik_variables *known,
                                   const char *key, const char **name)
{
    const place p = {.log = log, .input = input, .key = key, .name = *name};
    char expanded[EXPANDED_SIZE] = "";
    size_t used = 0;
    if (known == NULL || *name == NULL || strpbrk(*name, "~$") == NULL) {
        return NAIK_OK;
    }
    for (const char *from = *name; *from != '\0';) {
        NAIK_PASS(expand_next(&p, known, &from, expanded, &used));
    }
    if (strpbrk(expanded, "\n\r") != NULL) {
        return naik_input_refuse(log, input, key, "'%s' is '%s', which has a line break in it", key,
                                 *name);
    }
    return strcmp(expanded, *name) != 0 ? keep(&p, expanded, name) : NAIK_OK;
}
