/* params.c - walks a YAML tree beside the table: unknown keys first, then every value
 *
 * All keys are checked before any value is typed, so that a mistyped key is named as such and not
 * reported as a missing one.
 */
#include "keys/params.h"

#include <string.h>

#include "base/text.h"
#include "keys/params_value.h"

enum { PATH_SIZE = 320, MAX_SIBLINGS = 64 };

typedef struct reader {
    naik_log *log;
    const naik_param_table *table;
    naik_yaml *tree;
} reader;

/* What a pattern ("solver.tolerance", "solve[].source") is in the table. */
typedef enum meaning { UNKNOWN, VALUE, SECTION, LIST } meaning;

static const naik_param_list *find_list(const naik_param_table *table, const char *key,
                                        size_t length)
{
    for (int i = 0; i < NAIK_PARAM_LISTS; i++) {
        const char *name = table->list[i].key;
        if (name != NULL && strlen(name) == length && strncmp(name, key, length) == 0) {
            return &table->list[i];
        }
    }
    return NULL;
}

const naik_param_list *naik_param_list_of(const naik_param_table *table, const char *key)
{
    const char *bracket = strstr(key, "[]");
    return bracket != NULL ? find_list(table, key, (size_t)(bracket - key)) : NULL;
}

static meaning look_up(const naik_param_table *table, const char *pattern)
{
    size_t length = strlen(pattern);
    if (find_list(table, pattern, length) != NULL) {
        return LIST;
    }
    for (int i = 0; i < table->count; i++) {
        const char *key = table->params[i].key;
        if (strncmp(key, pattern, length) == 0 && (key[length] == '\0' || key[length] == '.')) {
            return key[length] == '\0' ? VALUE : SECTION;
        }
    }
    return UNKNOWN;
}

/* The words that may stand below `prefix` ("solver."), without repeats; ends with NULL. */
static void list_siblings(const naik_param_table *table, const char *prefix,
                          char storage[MAX_SIBLINGS][NAIK_YAML_MAX_KEY + 1],
                          const char *words[MAX_SIBLINGS + 1])
{
    size_t length = strlen(prefix);
    int count = 0;
    for (int i = 0; i < table->count && count < MAX_SIBLINGS; i++) {
        const char *key = table->params[i].key;
        if (strncmp(key, prefix, length) != 0) {
            continue;
        }
        int word_length = (int)strcspn(key + length, ".[");
        snprintf(storage[count], NAIK_YAML_MAX_KEY + 1, "%.*s", word_length, key + length);
        if (count == 0 || strcmp(storage[count], storage[count - 1]) != 0) {
            words[count] = storage[count];
            count++;
        }
    }
    words[count] = NULL;
}

/* How many letters `word` is from `key`: none if `key` is the plural of `word`. */
static int distance_of(const char *word, const char *key)
{
    const size_t length = strlen(word);
    const bool plural = strncmp(key, word, length) == 0 &&
                        (strcmp(key + length, "s") == 0 || strcmp(key + length, "es") == 0);
    return plural ? 0 : naik_text_distance(word, key);
}

/* A key of any section whose last word is `word`, but for one letter in four: for a key in the
 * wrong section, whose path begins with `prefix`. The first of several is nearest to the top of the input. */
static bool find_elsewhere(const naik_param_table *table, const char *word, const char *prefix,
                           char *path, size_t path_size)
{
    const char *best = NULL;
    int best_distance = 0;
    for (int i = 0; i < table->count; i++) {
        const char *dot = strrchr(table->params[i].key, '.');
        const char *last = dot != NULL ? dot + 1 : table->params[i].key;
        int distance = distance_of(word, last);
        if (4 * distance <= (int)strlen(last) && (best == NULL || distance < best_distance)) {
            best = table->params[i].key;
            best_distance = distance;
        }
    }
    if (best != NULL) {
        const char *bracket = strstr(best, "[]");
        int head = bracket != NULL ? (int)(bracket - best) : (int)strlen(best);
        int entry = 0; /* that of `prefix`, such as "solve.1." */
        if (bracket != NULL && strncmp(prefix, best, (size_t)head) == 0) {
            (void)sscanf(prefix + head, ".%d.", &entry);
        }
        if (bracket != NULL) {
            snprintf(path, path_size, "%.*s.%d%s", head, best, entry, bracket + 2);
        } else {
            snprintf(path, path_size, "%s", best);
        }
    }
    return best != NULL;
}

static naik_status unknown_key(const reader *r, const naik_yaml_node *node, const char *prefix,
                               const char *path_prefix)
{
    char storage[MAX_SIBLINGS][NAIK_YAML_MAX_KEY + 1], place[512], near[PATH_SIZE];
    const char *words[MAX_SIBLINGS + 1];
    list_siblings(r->table, prefix, storage, words);
    const char *sibling = naik_text_nearest(node->key, words);
    const char *answer = sibling == NULL ? naik_param_answer(r->table, NULL, node->key) : NULL;
    const bool elsewhere =
        sibling == NULL && find_elsewhere(r->table, node->key, path_prefix, near, sizeof near);
    if (elsewhere) { /* where the section has that word but for an ending, it is meant */
        const char *dot = strrchr(near, '.');
        sibling = naik_text_nearest(dot != NULL ? dot + 1 : near, words);
    }
    naik_yaml_key_place(node, place, sizeof place);
    if (answer != NULL) {
        return NAIK_FAIL(r->log, NAIK_ERR_INPUT, "%s: unknown key '%s%s'; %s", place, path_prefix,
                         node->key, answer);
    }
    if (sibling != NULL) {
        snprintf(near, sizeof near, "%s%s", path_prefix, sibling);
    } else if (!elsewhere) {
        return NAIK_FAIL(r->log, NAIK_ERR_INPUT,
                         "%s: unknown key '%s%s'; 'naik solve --help' lists the keys", place,
                         path_prefix, node->key);
    }
    return NAIK_FAIL(r->log, NAIK_ERR_INPUT, "%s: unknown key '%s%s'; did you mean '%s'?", place,
                     path_prefix, node->key, near);
}

static naik_status not_a(const reader *r, const naik_yaml_node *node, const char *path,
                         const char *wanted)
{
    char place[512];
    return NAIK_FAIL(r->log, NAIK_ERR_INPUT, "%s: '%s' must be %s",
                     naik_yaml_place(node, place, sizeof place), path, wanted);
}

static naik_status check_section(const reader *r, const naik_yaml_node *section, const char *prefix,
                                 const char *path_prefix);

static naik_status check_list(const reader *r, const naik_yaml_node *list)
{
    const char *key = list->key;
    const int most = find_list(r->table, key, strlen(key))->max_count;
    char prefix[PATH_SIZE], path[PATH_SIZE];
    if (list->kind != NAIK_YAML_LIST || list->count == 0) {
        return not_a(r, list, key, "a list with at least one entry, each beginning with '-'");
    }
    if (list->count > most) {
        snprintf(path, sizeof path, "a list of at most %d entries", most);
        return not_a(r, list, key, path);
    }
    int index = 0;
    for (const naik_yaml_node *item = list->child; item != NULL; item = item->next, index++) {
        snprintf(prefix, sizeof prefix, "%s[].", key);
        snprintf(path, sizeof path, "%s.%d.", key, index);
        naik_status status = NAIK_OK;
        if (item->kind != NAIK_YAML_MAP) {
            path[strlen(path) - 1] = '\0';
            status = not_a(r, item, path, "a section of keys");
        } else {
            status = check_section(r, item, prefix, path);
        }
        if (status != NAIK_OK) {
            return status;
        }
    }
    return NAIK_OK;
}

/* Every key of the section and below it must be in the table. Depth is bounded by yaml.h. */
static naik_status check_section(const reader *r, const naik_yaml_node *section, const char *prefix,
                                 const char *path_prefix)
{
    for (const naik_yaml_node *node = section->child; node != NULL; node = node->next) {
        char pattern[PATH_SIZE], path[PATH_SIZE];
        snprintf(pattern, sizeof pattern, "%s%s", prefix, node->key);
        snprintf(path, sizeof path, "%s%s", path_prefix, node->key);
        switch (look_up(r->table, pattern)) {
        case UNKNOWN: return unknown_key(r, node, prefix, path_prefix);
        case VALUE: break;
        case LIST: NAIK_PASS(check_list(r, node)); break;
        case SECTION:
            if (node->kind != NAIK_YAML_MAP) {
                return not_a(r, node, path, "a section of keys");
            }
            strcat(pattern, ".");
            strcat(path, ".");
            NAIK_PASS(check_section(r, node, pattern, path));
            break;
        }
    }
    return NAIK_OK;
}

static naik_status missing(const reader *r, const naik_param *param, const char *path,
                           const naik_yaml_node *element)
{
    char place[512], wanted[384];
    naik_param_wanted(param, wanted, sizeof wanted);
    if (element != NULL) {
        naik_yaml_place(element, place, sizeof place);
    } else {
        snprintf(place, sizeof place, "%s", r->tree->name);
    }
    return NAIK_FAIL(r->log, NAIK_ERR_INPUT, "%s: key '%s' is missing; it must be %s", place, path,
                     wanted);
}

/* Stores parameter `param` from below `from` (root or list element) in the struct at `base`. */
static naik_status read_param(const reader *r, const naik_param *param, const naik_yaml_node *from,
                              int element, void *base)
{
    char path[PATH_SIZE];
    const char *bracket = strstr(param->key, "[].");
    const char *key = bracket != NULL ? bracket + 3 : param->key;
    snprintf(path, sizeof path, "%s", key);
    if (bracket != NULL) {
        snprintf(path, sizeof path, "%.*s.%d.%s", (int)(bracket - param->key), param->key, element,
                 key);
    }
    const naik_yaml_node *given = naik_yaml_find(from, key);
    naik_yaml_node *initial = NULL;
    if (given == NULL && param->required) {
        return missing(r, param, path, bracket != NULL ? from : NULL);
    }
    if (given == NULL && param->initial == NULL) {
        return NAIK_OK;
    }
    if (given == NULL) {
        NAIK_PASS(naik_yaml_flow(r->log, r->tree, param->initial, "default", &initial));
    }
    return naik_param_store(r->log, r->tree, r->table, param, path, given != NULL ? given : initial,
                            (char *)base + param->offset);
}

static naik_status read_list(const reader *r, const naik_param_list *list, void *out)
{
    const naik_yaml_node *node = naik_yaml_find(r->tree->root, list->key);
    if (node == NULL && !list->required) {
        return NAIK_OK;
    }
    if (node == NULL) {
        return NAIK_FAIL(r->log, NAIK_ERR_INPUT,
                         "%s: key '%s' is missing; it must be a list with at least one entry",
                         r->tree->name, list->key);
    }
    char *data = naik_yaml_alloc(r->tree, (size_t)node->count * list->element_size);
    if (data == NULL) {
        return NAIK_FAIL(r->log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    memcpy((char *)out + list->data_offset, &data, sizeof data);
    memcpy((char *)out + list->count_offset, &node->count, sizeof node->count);
    int element = 0;
    for (const naik_yaml_node *item = node->child; item != NULL; item = item->next, element++) {
        for (int i = 0; i < r->table->count; i++) {
            const naik_param *param = &r->table->params[i];
            if (naik_param_list_of(r->table, param->key) == list) {
                NAIK_PASS(read_param(r, param, item, element,
                                     data + (size_t)element * list->element_size));
            }
        }
    }
    return NAIK_OK;
}

naik_status naik_params_read(naik_log *log, const naik_param_table *table, naik_yaml *tree,
                             void *out)
{
    const reader r = {.log = log, .table = table, .tree = tree};
    if (tree->root != NULL && tree->root->kind != NAIK_YAML_MAP) {
        return not_a(&r, tree->root, tree->name, "made of sections, such as 'lattice:'");
    }
    if (tree->root != NULL) {
        NAIK_PASS(check_section(&r, tree->root, "", ""));
    }
    for (int i = 0; i < table->count; i++) {
        if (strstr(table->params[i].key, "[].") == NULL) {
            NAIK_PASS(read_param(&r, &table->params[i], tree->root, 0, out));
        }
    }
    for (int i = 0; i < NAIK_PARAM_LISTS; i++) {
        if (table->list[i].key != NULL) {
            NAIK_PASS(read_list(&r, &table->list[i], out));
        }
    }
    return NAIK_OK;
}
