/* input_words.c - sentences that inputs are refused with, and words of the table */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "input/input_table.h"

enum { PATH_SIZE = 160 };

naik_status naik_input_refuse(naik_log *log, const naik_input *input, const char *path,
                              const char *format, ...)
{
    char part[PATH_SIZE], place[512], sentence[512];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    snprintf(part, sizeof part, "%s", path);
    const naik_yaml_node *node = naik_yaml_find(input->tree->root, part);
    while (node == NULL && strrchr(part, '.') != NULL) {
        *strrchr(part, '.') = '\0';
        node = naik_yaml_find(input->tree->root, part);
    }
    snprintf(place, sizeof place, "%s", input->tree->name);
    if (node != NULL) {
        naik_yaml_place(node, place, sizeof place);
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT, "%s: %s", place, sentence);
}

naik_status naik_input_check_smearing(naik_log *log, const naik_input *input, const char *path,
                                      const char *word)
{
    return input->kind->links != NAIK_QUARK_STORED
               ? NAIK_OK
               : naik_input_refuse(log, input, path,
                                   "'%s' %s needs the links of a configuration, which action.type "
                                   "links does not read",
                                   path, word);
}

/* Of the list of that key, which has them all. */
static const char *word_of(const char *key, int number)
{
    for (int i = 0; i < naik_input_table.count; i++) {
        const naik_param *param = &naik_input_table.params[i];
        if (strcmp(param->key, key) == 0) {
            return param->words[number];
        }
    }
    return "";
}

const char *naik_input_correlator_name(int correlator)
{
    return word_of("three_point[].insertion", correlator);
}

const char *naik_input_written(const naik_input *input, const char *path, int index, int number)
{
    const naik_yaml_node *node = naik_yaml_find(input->tree->root, path);
    if (node != NULL && node->kind == NAIK_YAML_LIST) {
        node = naik_yaml_element(node, index);
    }
    return node != NULL && node->text != NULL ? node->text : naik_input_correlator_name(number);
}

const char *naik_input_insertion_name(const naik_input_solve *solve)
{
    return naik_input_correlator_name(solve->insertion);
}

const char *naik_input_baryon_name(int baryon)
{
    return word_of("output.baryons", baryon);
}
