/* options.h - the command line of one command: options by name, operands by position
 *
 *     --name value   --name=value   --flag   -o value   operand   -- (only operands follow)
 *
 * A command describes its options in a table that points at its own variables, which hold the
 * defaults before the call:
 *
 *     double beta = 0;
 *     int size[4] = {0}, sweeps = 100;
 *     const char *out = NULL;
 *     const naik_option options[] = {
 *         {.name = "size", .kind = NAIK_OPTION_EXTENTS, .target = size, .required = true},
 *         {.name = "beta", .kind = NAIK_OPTION_REAL, .target = &beta, .min = 1e-3, .max = 1e3},
 *         {.name = "sweeps", .kind = NAIK_OPTION_INT, .target = &sweeps, .min = 0, .max = 1e6},
 *         {.name = "output", .letter = 'o', .kind = NAIK_OPTION_TEXT, .target = &out}};
 *
 * `--help` never arrives here: main prints the help of the command (src/cli/help.c).
 */
#ifndef NAIK_BASE_OPTIONS_H
#define NAIK_BASE_OPTIONS_H

#include <stdbool.h>

#include "base/text.h"
#include "naik/log.h"

typedef enum naik_option_kind {
    NAIK_OPTION_FLAG,    /* bool *: true when given; takes no value */
    NAIK_OPTION_TEXT,    /* const char **: borrows from argv */
    NAIK_OPTION_LIST,    /* naik_option_list *: may be given several times */
    NAIK_OPTION_INT,     /* int *, in [min, max] */
    NAIK_OPTION_UINT64,  /* uint64_t * */
    NAIK_OPTION_REAL,    /* double *, finite, in [min, max] */
    NAIK_OPTION_EXTENTS, /* int[4]: X,Y,Z,T or XxYxZxT, each at least 1 */
    NAIK_OPTION_CHOICE   /* int *: index of the word in .choices */
} naik_option_kind;

enum { NAIK_OPTION_LIST_MAX = 64 };
typedef struct naik_option_list {
    const char *text[NAIK_OPTION_LIST_MAX]; /* borrowed from argv */
    int count;
} naik_option_list;

typedef struct naik_option {
    const char *name; /* "size" for --size */
    char letter;      /* 'o' for -o; 0 for none */
    naik_option_kind kind;
    void *target;
    bool required;
    double min, max;            /* of INT and REAL; both 0 means no limit */
    const char *const *choices; /* of CHOICE, ends with NULL */
    bool lone; /* of CHOICE: the value, if any, follows '='; without it it is the first word */
} naik_option;

/* Parses argv[1 .. argc-1]; argv[0] is not looked at.
 *
 *   command        as the user typed it, "gauge convert", for the sentences
 *   options        `option_count` entries
 *   operand_names  names of the operands in order, for the sentences; NULL when operand_count is 0
 *   operands       out: `operand_count` texts borrowed from argv; every operand is required
 *
 * Local; the same result on every rank. NAIK_ERR_INPUT with a sentence that names the nearest
 * option where one is unknown. */
naik_status naik_options_parse(naik_log *log, const char *command, int argc, char **argv,
                               const naik_option *options, int option_count,
                               const char *const *operand_names, int operand_count,
                               const char **operands);

#endif
