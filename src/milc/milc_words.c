/* milc_words.c - words one after the other, with the line of each */
#include "milc/milc_words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

void milc_words_stanza(milc_words *w, const char *stanza, int index)
{
    w->parting = false;
    if (index < 0) {
        snprintf(w->stanza, sizeof w->stanza, "%s", stanza);
    } else {
        snprintf(w->stanza, sizeof w->stanza, "%s %d", stanza, index);
    }
}

naik_status milc_words_record(const milc_words *w, int line, const char *format, ...)
{
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    return NAIK_FAIL(w->log, NAIK_ERR_INPUT, "%s:%d: %s: %s", w->name, line, w->stanza, text);
}

void milc_words_obstacle(milc_words *w, int line, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(w->obstacles, "%d: %s: ", line, w->stanza);
    vfprintf(w->obstacles, format, values);
    fputc('\n', w->obstacles);
    va_end(values);
    w->obstacle_count++;
}

static void skip_space_and_comments(milc_words *w)
{
    while (w->at < w->end && (isspace((unsigned char)*w->at) || *w->at == '#')) {
        if (*w->at == '#') {
            while (w->at < w->end && *w->at != '\n') {
                w->at++;
            }
        } else {
            w->line += *w->at == '\n';
            w->at++;
        }
    }
}

naik_status milc_words_look(milc_words *w, const char **word)
{
    size_t length = 0;
    *word = w->word;
    if (w->looked) {
        return NAIK_OK;
    }
    skip_space_and_comments(w);
    w->word_line = w->line;
    while (w->at < w->end && !isspace((unsigned char)*w->at)) {
        if (!isprint((unsigned char)*w->at)) {
            return milc_words_refuse(w, w->line, "byte 0x%02x is no part of a word",
                                     (unsigned)(unsigned char)*w->at);
        }
        if (length + 1 >= sizeof w->word) {
            return milc_words_refuse(w, w->line, "a word of more than %d characters",
                                     MILC_WORD_SIZE - 1);
        }
        w->word[length++] = *w->at++;
    }
    w->word[length] = '\0';
    w->looked = true;
    return NAIK_OK;
}

naik_status milc_words_take(milc_words *w, const char *what)
{
    const char *word = NULL;
    naik_status status = milc_words_look(w, &word);
    if (status == NAIK_OK && word[0] == '\0') {
        return milc_words_refuse(w, w->word_line, "the file ends where %s is expected", what);
    }
    w->looked = false;
    return status;
}

naik_status milc_words_skip(milc_words *w, const char *key, bool *was_there)
{
    const char *word = NULL;
    naik_status status = milc_words_look(w, &word);
    *was_there = status == NAIK_OK && strcmp(word, key) == 0;
    if (*was_there) {
        w->looked = false;
    }
    return status;
}

naik_status milc_words_until(milc_words *w, const char *const *stops)
{
    const int line = w->word_line;
    for (;;) {
        const char *word = NULL;
        NAIK_PASS(milc_words_look(w, &word));
        if (word[0] == '\0') {
            return milc_words_refuse(w, line, "the file ends where %s is expected", stops[0]);
        }
        for (int i = 0; stops[i] != NULL; i++) {
            if (strcmp(word, stops[i]) == 0) {
                return NAIK_OK;
            }
        }
        w->looked = false;
    }
}

naik_status milc_words_option(milc_words *w, const char *key, int values)
{
    bool there = false;
    naik_status status = milc_words_skip(w, key, &there);
    for (int i = 0; there && i < values && status == NAIK_OK; i++) {
        status = milc_words_take(w, key);
    }
    return status;
}

naik_status milc_words_key(milc_words *w, const char *key)
{
    NAIK_PASS(milc_words_take(w, key));
    if (strcmp(w->word, key) != 0) {
        return milc_words_refuse(w, w->word_line, "expected '%s', found '%s'%s", key, w->word,
                                 w->parting ? "; naik translates inputs of ks_spectrum and "
                                              "ks_measure, is this one of them?"
                                            : "");
    }
    return NAIK_OK;
}

naik_status milc_words_int(milc_words *w, const char *key, int min, int max, int *out)
{
    int64_t value = 0;
    NAIK_PASS(milc_words_take(w, key));
    if (!naik_text_int64(w->word, &value) || value < min || value > max) {
        return milc_words_refuse(w, w->word_line, "'%s' must be an integer from %d to %d, not '%s'",
                                 key, min, max, w->word);
    }
    *out = (int)value;
    return NAIK_OK;
}

naik_status milc_words_ints(milc_words *w, const char *key, int count, int min, int max, int *out)
{
    naik_status status = milc_words_key(w, key);
    for (int i = 0; i < count && status == NAIK_OK; i++) {
        status = milc_words_int(w, key, min, max, &out[i]);
    }
    return status;
}

naik_status milc_words_real(milc_words *w, const char *key, double *out)
{
    NAIK_PASS(milc_words_key(w, key));
    NAIK_PASS(milc_words_take(w, key));
    if (!naik_text_real(w->word, out)) {
        return milc_words_refuse(w, w->word_line, "'%s' must be a number, not '%s'", key, w->word);
    }
    return NAIK_OK;
}

naik_status milc_words_text(milc_words *w, const char *key, char out[MILC_WORD_SIZE])
{
    NAIK_PASS(milc_words_key(w, key));
    NAIK_PASS(milc_words_take(w, key));
    memcpy(out, w->word, MILC_WORD_SIZE);
    return NAIK_OK;
}
