/* input_configs.c - one input for many configurations: {config} in the names of files */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "input/input_table.h"

enum { PATH_SIZE = 160, MAX_NAME = 64 };

static const char mark[] = "{config}";

static naik_status check_word(naik_log *log, const naik_input *input, const char *path,
                              const char *word)
{
    bool ok = strlen(word) <= MAX_NAME && strcmp(word, ".") != 0 && strcmp(word, "..") != 0;
    for (const char *c = word; *c != '\0'; c++) {
        ok = ok && (isalnum((unsigned char)*c) || strchr("._-", *c) != NULL);
    }
    return ok ? NAIK_OK
              : naik_input_refuse(log, input, path,
                                  "'%s' must be of at most %d letters, digits, ., _ and -, not "
                                  "'%.100s'",
                                  path, (int)MAX_NAME, word);
}

static naik_status check_list(naik_log *log, const naik_input *input)
{
    const naik_texts *configs = &input->gauge.configs;
    for (int i = 0; i < configs->count; i++) {
        naik_status status = check_word(log, input, "gauge.configs", configs->data[i]);
        for (int k = 0; k < i && status == NAIK_OK; k++) {
            if (strcmp(configs->data[i], configs->data[k]) == 0) {
                status = naik_input_refuse(log, input, "gauge.configs",
                                           "'gauge.configs' names '%s' twice", configs->data[i]);
            }
        }
        if (status != NAIK_OK) {
            return status;
        }
    }
    return NAIK_OK;
}

size_t naik_input_put_config(const char *name, const char *config, char *to)
{
    size_t size = 0;
    for (const char *at = strstr(name, mark); at != NULL; at = strstr(name, mark)) {
        if (to != NULL) {
            to += sprintf(to, "%.*s%s", (int)(at - name), name, config);
        }
        size += (size_t)(at - name) + strlen(config);
        name = at + strlen(mark);
    }
    if (to != NULL) {
        strcpy(to, name);
    }
    return size + strlen(name) + 1;
}

/* Replaces every mark in *name. */
static naik_status put(naik_log *log, naik_input *input, const void *unused, const char *path,
                       const char **name)
{
    (void)unused;
    const char *config = input->gauge.config, *from = *name;
    if (from == NULL || strstr(from, mark) == NULL) {
        return NAIK_OK;
    }
    if (config == NULL) {
        return naik_input_refuse(log, input, path,
                                 "'%s' has {config}, for which neither gauge.config nor "
                                 "gauge.configs gives a name",
                                 path);
    }
    char *to = naik_yaml_alloc(input->tree, naik_input_put_config(from, config, NULL));
    if (to == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    naik_input_put_config(from, config, to);
    *name = to;
    input->gauge.config_used = true;
    return NAIK_OK;
}

static bool has_mark(const char *name)
{
    return name != NULL && strstr(name, mark) != NULL;
}

/* Of several configurations each has its own links, output and modes. */
static naik_status check_apart(naik_log *log, const naik_input *input)
{
    const char *const keys[] = {"output.file", "deflation.file", "deflation.import",
                                "multigrid.file", "gauge.file"};
    const bool apart[] = {has_mark(input->output.file),
                          input->deflation.file == NULL || has_mark(input->deflation.file),
                          input->deflation.import == NULL || has_mark(input->deflation.import),
                          input->multigrid_file == NULL || has_mark(input->multigrid_file),
                          has_mark(input->gauge.file) || has_mark(input->action.file)};
    for (size_t i = 0; i < sizeof keys / sizeof *keys && input->gauge.every; i++) {
        if (!apart[i]) {
            return naik_input_refuse(
                log, input, keys[i],
                "'%s' needs {config} in its name: gauge.configs asks for several", keys[i]);
        }
    }
    return NAIK_OK;
}

typedef naik_status (*rename_file)(naik_log *, naik_input *, const void *, const char *,
                                   const char **);

/* Does it with every file that the input names. */
static naik_status for_each_file(naik_log *log, naik_input *input, rename_file change,
                                 const void *data)
{
    char path[PATH_SIZE];
    const struct {
        const char *key, **name;
    } files[] = {{"gauge.file", &input->gauge.file},
                 {"action.file", &input->action.file},
                 {"action.long_file", &input->action.long_file},
                 {"deflation.file", &input->deflation.file},
                 {"multigrid.file", &input->multigrid_file},
                 {"deflation.import", &input->deflation.import},
                 {"output.file", &input->output.file},
                 {"run.events", &input->run.events},
                 {"run.tune_cache", &input->run.tune_cache}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        NAIK_PASS(change(log, input, data, files[i].key, files[i].name));
    }
    for (int i = 0; i < input->solve_count; i++) {
        snprintf(path, sizeof path, "solve.%d.source.file", i);
        NAIK_PASS(change(log, input, data, path, &input->solve[i].source_file));
        snprintf(path, sizeof path, "solve.%d.guess", i);
        NAIK_PASS(change(log, input, data, path, &input->solve[i].guess));
    }
    return NAIK_OK;
}

static naik_status expand(naik_log *log, naik_input *input, const void *known, const char *path,
                          const char **name)
{
    return naik_input_expand_path(log, input, known, path, name);
}

naik_status naik_input_name_files(naik_log *log, naik_input *input, const naik_variables *known)
{
    NAIK_PASS(for_each_file(log, input, expand, known));
    NAIK_PASS(check_list(log, input));
    if (input->gauge.config == NULL && input->gauge.configs.count > 0) {
        input->gauge.config = input->gauge.configs.data[0];
        input->gauge.every = true;
    }
    NAIK_PASS(check_apart(log, input));
    if (input->gauge.config != NULL) {
        NAIK_PASS(check_word(log, input, "gauge.config", input->gauge.config));
    }
    return for_each_file(log, input, put, NULL);
}

naik_status naik_input_choose_one(naik_log *log, const naik_input *input)
{
    return input->gauge.every
               ? naik_input_refuse(log, input, "gauge.configs",
                                   "'gauge.configs' is a list for naik solve: choose one here, "
                                   "--set gauge.config=%s",
                                   input->gauge.config)
               : NAIK_OK;
}
