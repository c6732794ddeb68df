/* milc_words.h - the words of a parameter file: separated by space, '#' starts a comment
 *
 * Bounded: a file of at most 1 MiB, words of at most 255 printable characters. Every function that
 * fails leaves the sentence "FILE:LINE: STANZA: ..." in the log.
 */
#ifndef NAIK_MILC_WORDS_H
#define NAIK_MILC_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "naik/log.h"

enum { MILC_WORD_SIZE = 256 };

typedef struct milc_words {
    naik_log *log;
    const char *name; /* of the file, for the sentences */
    const char *at, *end;
    int line;                  /* of `at` */
    char word[MILC_WORD_SIZE]; /* the last one taken or looked at */
    int word_line;
    bool looked;     /* `word` has not been taken */
    char stanza[64]; /* what is being read */
    bool parting;    /* inputs of other programs of MILC are alike until here */
    FILE *obstacles; /* one line "LINE: STANZA: ..." on each thing that cannot be expressed */
    int obstacle_count;
} milc_words;

/* Remembers what is read now: "base source 3". index < 0: none. */
void milc_words_stanza(milc_words *w, const char *stanza, int index);

/* Writes down that something cannot be expressed; the reader goes on behind it. */
void milc_words_obstacle(milc_words *w, int line, const char *format, ...) NAIK_PRINTF(3, 4);
/* The end of all reading: "FILE:LINE: STANZA: ...", status NAIK_ERR_INPUT. Through milc_words_refuse. */
naik_status milc_words_record(const milc_words *w, int line, const char *format, ...)
    NAIK_PRINTF(3, 4);
#define milc_words_refuse(...) naik_log_failed(NAIK_ERR_INPUT, milc_words_record(__VA_ARGS__))

/* Looks at the next word: *word is "" at the end of the file. */
naik_status milc_words_look(milc_words *w, const char **word);
/* Takes the next word; what says what should stand there ("the number of sources"). */
naik_status milc_words_take(milc_words *w, const char *what);
/* Takes the next word if it is this one. */
naik_status milc_words_skip(milc_words *w, const char *key, bool *was_there);
/* The next word must be this one. */
naik_status milc_words_key(milc_words *w, const char *key);
/* Passes over words until the next is one of these (NULL ends the list), which is not taken. */
naik_status milc_words_until(milc_words *w, const char *const *stops);
/* A key, then its value or values. */
naik_status milc_words_ints(milc_words *w, const char *key, int count, int min, int max, int *out);
naik_status milc_words_real(milc_words *w, const char *key, double *out);
naik_status milc_words_text(milc_words *w, const char *key, char out[MILC_WORD_SIZE]);
/* A key that may be left out, then its values. */
naik_status milc_words_option(milc_words *w, const char *key, int values);
/* One value alone; `key` only names it. */
naik_status milc_words_int(milc_words *w, const char *key, int min, int max, int *out);

#endif
