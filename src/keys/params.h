/* params.h - a YAML document to a typed struct, through one static table
 *
 * The table says for every key its type, default, range, place in the struct and meaning. It
 * drives parsing, defaults, the sentences of errors, the printed reference and the canonical text.
 * Scalars are typed by the table, never guessed. The document is read with libyaml's parser as a
 * bounded tree (yaml.h), so hostile input ends in a sentence.
 */
#ifndef NAIK_KEYS_PARAMS_H
#define NAIK_KEYS_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "keys/yaml.h"
#include "naik/log.h"

/* Lists in a typed struct; owned by the pool it was made with. */
typedef struct naik_reals {
    double *data; /* [count] */
    int count;
} naik_reals;
typedef struct naik_ints {
    int *data; /* [count] */
    int count;
} naik_ints;
typedef struct naik_vectors {
    int (*data)[4]; /* [count]; of vectors of three, the fourth is 0 */
    int count;
} naik_vectors;
typedef struct naik_texts {
    const char **data; /* [count] */
    int count;
} naik_texts;
typedef struct naik_pairs {
    struct {
        const char *key, *value;
    } * data; /* [count] */
    int count;
} naik_pairs;

typedef enum naik_param_kind {
    NAIK_PARAM_BOOL,     /* bool: true or false */
    NAIK_PARAM_INT,      /* int */
    NAIK_PARAM_INT64,    /* int64_t */
    NAIK_PARAM_UINT64,   /* uint64_t */
    NAIK_PARAM_REAL,     /* double, finite */
    NAIK_PARAM_TIME,     /* double: seconds, or HH:MM:SS */
    NAIK_PARAM_TEXT,     /* const char *, not empty */
    NAIK_PARAM_CHOICE,   /* int (an enum): index of the word in .words */
    NAIK_PARAM_REALS,    /* naik_reals: at least one */
    NAIK_PARAM_INTS,     /* naik_ints: one integer or a list of them */
    NAIK_PARAM_CHOICES,  /* naik_ints: list of words, none twice, may be empty */
    NAIK_PARAM_TEXTS,    /* naik_texts: one text or a list of them, none empty */
    NAIK_PARAM_VECTOR3,  /* int[3] */
    NAIK_PARAM_VECTOR4,  /* int[4] */
    NAIK_PARAM_VECTORS3, /* naik_vectors: one vector of three or a list of them */
    NAIK_PARAM_VECTORS4, /* naik_vectors: one vector of four or a list of them */
    NAIK_PARAM_PAIRS     /* naik_pairs: a mapping of texts to texts */
} naik_param_kind;

/* As least: greater than zero, or than -1. As most: no limit. */
#define NAIK_ABOVE_0       2.2250738585072014e-308
#define NAIK_ABOVE_MINUS_1 (-0.99999999999999989)
#define NAIK_NO_LIMIT      1.7976931348623157e+308

typedef struct naik_range {
    double least, most; /* inclusive; both 0: no limit */
} naik_range;

/* Whether it begins above a number, which itself is not in it: *number. */
static inline bool naik_range_is_above(naik_range range, int *number)
{
    *number = range.least == NAIK_ABOVE_MINUS_1 ? -1 : 0;
    return range.least == NAIK_ABOVE_0 || range.least == NAIK_ABOVE_MINUS_1;
}

typedef struct naik_param {
    const char *key; /* "solver.tolerance"; "solve[].source.type" inside a list of mappings */
    naik_param_kind kind;
    size_t offset;             /* in the struct; inside a list, in the list's element */
    bool required;             /* else `initial` is parsed as if it had been given */
    const char *needed;        /* "with X": where that holds the key must be given, and elsewhere it
                                 must not, so that `initial` is no default */
    const char *initial;       /* YAML flow text; NULL: zero bits */
    naik_range range;          /* of every number in it */
    int multiple;              /* divides every number in it, as the schema tells; 0: not asked */
    const char *const *words;  /* of a choice, ends with NULL */
    const char *const *others; /* other words for the first of them, ends with NULL; NULL: none */
    int listed;                /* of the words, how many are told; 0: all */
    const char *more;          /* what the others are, in words */
    const char *as;            /* in place of the words, for the reference; NULL: it has them */
    const char *special;       /* a word that stands for all zeros ("auto"), or NULL; */
    int special_int;    /* of an integer, for this; of a vector, for this and zeros behind it */
    bool identity;      /* a change of it changes the answer (canonical text) */
    bool later;         /* files exist that were begun without it: where it has its initial
                                 value it is not in the text of the identity */
    const char *before; /* of one that is later: what those files have; NULL: its initial value */
    const char *doc;    /* one line for the reference */
} naik_param;

/* A list of mappings: "solve". */
typedef struct naik_param_list {
    const char *key;
    size_t element_size;
    size_t data_offset, count_offset; /* of the element array's pointer and of its int count */
    int max_count;
    bool required; /* else it may be missing, and has no elements then */
} naik_param_list;

enum { NAIK_PARAM_LISTS = 5 };

/* What is answered to words that are none of the table. */
typedef struct naik_param_hint {
    const char *at;     /* how the key ends whose value has the word; NULL: the word is a key */
    const char *said;   /* words in small letters, with a blank between */
    const char *answer; /* "did you mean 'solver.tolerance'?" */
} naik_param_hint;

typedef struct naik_param_table {
    const naik_param *params;
    int count;
    naik_param_list list[NAIK_PARAM_LISTS]; /* of a key NULL: none */
    const char *const *sections;            /* pairs "section", meaning; ends with NULL */
    const naik_param_hint *hints;           /* ends with an answer NULL; NULL: none */
} naik_param_table;

/* The list that a key such as "solve[].masses" belongs to, or NULL. */
const naik_param_list *naik_param_list_of(const naik_param_table *table, const char *key);

/* The answer to `word`, a key or, with `key`, a value of that key; NULL: none. */
const char *naik_param_answer(const naik_param_table *table, const char *key, const char *word);

/* Fills the struct at `out` (zeroed by the caller) from the tree: every key that is given, and the
 * initial values of the others. Strings and lists are allocated from the tree's pool and live as
 * long. Whether a key was given, naik_yaml_find tells.
 * NAIK_ERR_INPUT    "input.yaml:12:5: unknown key 'solver.tolerence'; did you mean ..."
 * NAIK_ERR_MEMORY */
naik_status naik_params_read(naik_log *log, const naik_param_table *table, naik_yaml *tree,
                             void *out);

/* Every key with its value as "key = value" lines in the table's order, numbers in their shortest
 * exact form; only keys that decide the answer if identity_only. *out from the tree's pool. */
naik_status naik_params_text(naik_log *log, const naik_param_table *table, const void *values,
                             bool identity_only, naik_yaml *tree, const char **out);

/* Prints the reference of all keys: type, default, range, meaning. */
void naik_params_print_reference(naik_log *log, const naik_param_table *table);
/* Prints the same as a JSON schema (draft 7), of that title: types, ranges, words and meanings; what depends
 * on other keys is not in it. NAIK_ERR_MEMORY */
naik_status naik_params_print_schema(naik_log *log, const naik_param_table *table,
                                     const char *title);

#endif
