/* input_files.c - the files that an input names: none has two uses of which one is writing
 *
 * Names are compared here, as texts, for a file that is not there yet; what is there is compared by
 * what it is (comm/paths.h).
 */
#include <stdio.h>
#include <string.h>

#include "comm/paths.h"
#include "input/input_table.h"

enum { PATH_SIZE = 160 };

/* The next character of a path as a file system reads it, without "./" and repeated slashes. */
static const char *skip_idle(const char *path, const char *begin)
{
    for (;;) {
        const bool at_name = path == begin || path[-1] == '/';
        if (at_name && path[0] == '.' && path[1] == '/') {
            path += 2;
        } else if (path[0] == '/' && path != begin && path[-1] == '/') {
            path++;
        } else {
            return path;
        }
    }
}

static bool same_name(const char *a, const char *b)
{
    const char *i = a, *k = b;
    do {
        i = skip_idle(i, a);
        k = skip_idle(k, b);
        if (*i != *k) {
            return false;
        }
    } while (*i++ != '\0' && *k++ != '\0');
    return true;
}

static bool is_file(const char *name)
{
    return name != NULL && strcmp(name, "auto") != 0 && strcmp(name, "none") != 0;
}

static naik_status refuse_two_uses(naik_log *log, const naik_input *input, const char *key,
                                   const char *name, const char *other_key, const char *other)
{
    return is_file(name) && is_file(other) && same_name(name, other)
               ? naik_input_refuse(log, input, key, "'%s' is '%s', which is %s", key, name,
                                   other_key)
               : NAIK_OK;
}

typedef struct named {
    const char *key, *name;
} named;

static naik_status refuse_read(naik_log *log, const naik_input *input, const named *written)
{
    const char *const fixed[] = {input->gauge.file, input->action.file, input->action.long_file,
                                 input->deflation.import};
    for (int i = 0; i < 4; i++) {
        NAIK_PASS(
            refuse_two_uses(log, input, written->key, written->name, "read as input", fixed[i]));
    }
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        NAIK_PASS(refuse_two_uses(log, input, written->key, written->name, "read as input",
                                  solve->source_file));
        NAIK_PASS(refuse_two_uses(log, input, written->key, written->name, "read as input",
                                  solve->guess));
    }
    return NAIK_OK;
}

/* Names that naik makes of one that the input gives. */
static naik_status refuse_derived(naik_log *log, const naik_input *input, const named *written,
                                  const char *of, const char *ending, const char *whose)
{
    const size_t length = of != NULL ? strlen(of) : 0;
    return is_file(written->name) && of != NULL && strncmp(written->name, of, length) == 0 &&
                   strncmp(written->name + length, ending, strlen(ending)) == 0
               ? naik_input_refuse(log, input, written->key,
                                   "'%s' must not begin with %s%s: naik gives such names to the %s",
                                   written->key, of, ending, whose)
               : NAIK_OK;
}

naik_status naik_input_check_files(naik_log *log, const naik_input *input)
{
    const named written[] = {{"output.file", input->output.file},
                             {"deflation.file", input->deflation.file},
                             {"multigrid.file", input->multigrid_file},
                             {"run.events", input->run.events},
                             {"run.tune_cache", input->run.tune_cache}};
    const int count = (int)(sizeof written / sizeof *written);
    for (int i = 0; i < count; i++) {
        const char *ending =
            written[i].name != NULL ? naik_path_side_ending(written[i].name) : NULL;
        if (ending != NULL) {
            return naik_input_refuse(
                log, input, written[i].key,
                "'%s' must not end in %s: naik gives such names to files beside an output",
                written[i].key, ending);
        }
        NAIK_PASS(refuse_derived(log, input, &written[i], input->deflation.file,
                                 NAIK_INPUT_OF_EPSILON, "modes of further Naik epsilons"));
        NAIK_PASS(refuse_derived(log, input, &written[i], input->multigrid_file,
                                 NAIK_INPUT_OF_TWIST, "near-null vectors of further twists"));
        NAIK_PASS(refuse_read(log, input, &written[i]));
        for (int other = 0; other < i; other++) {
            NAIK_PASS(refuse_two_uses(log, input, written[i].key, written[i].name,
                                      written[other].key, written[other].name));
        }
    }
    return NAIK_OK;
}
