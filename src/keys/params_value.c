/* params_value.c - scalars and lists typed by the table, and their sentences */
#include "keys/params_value.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

typedef struct slot {
    naik_log *log;
    naik_yaml *tree;
    const naik_param_table *table;
    const naik_param *param;
    const char *path;
} slot;

static bool is_open(naik_range range)
{
    return range.least == 0 && range.most == 0;
}

static void print_range(const naik_param *param, char *text, size_t text_size)
{
    const naik_range range = param->range;
    int number;
    const bool above = naik_range_is_above(range, &number), open = range.most == NAIK_NO_LIMIT;
    if (is_open(range)) {
        text[0] = '\0';
    } else if (above && open) {
        snprintf(text, text_size, " above %d", number);
    } else if (above) {
        snprintf(text, text_size, " above %d and at most %.10g", number, range.most);
    } else if (open) {
        snprintf(text, text_size, " of at least %.10g", range.least);
    } else {
        snprintf(text, text_size, " from %.10g to %.10g", range.least, range.most);
    }
}

static void print_words(const naik_param *param, char *text, size_t text_size)
{
    text[0] = '\0';
    for (int i = 0; param->words[i] != NULL && (param->listed == 0 || i < param->listed); i++) {
        naik_text_append(text, text_size, "%s%s", i > 0 ? ", " : "", param->words[i]);
    }
    if (param->more != NULL) {
        naik_text_append(text, text_size, ", and %s", param->more);
    }
}

static const char *const truth[] = {"false", "true", NULL};

void naik_param_wanted(const naik_param *param, char *text, size_t text_size)
{
    char range[64], words[320] = "";
    print_range(param, range, sizeof range);
    if (param->words != NULL) {
        print_words(param, words, sizeof words);
    }
    size_t used = 0;
    text[0] = '\0';
    if (param->special != NULL) {
        used = (size_t)snprintf(text, text_size, "%s or ", param->special);
    }
    const char *const *two = param->words != NULL ? param->words : truth;
    char *to = text + used;
    size_t left = text_size - used;
    switch (param->kind) {
    case NAIK_PARAM_BOOL: snprintf(to, left, "%s or %s", two[1], two[0]); break;
    case NAIK_PARAM_INT:
    case NAIK_PARAM_INT64: snprintf(to, left, "an integer%s", range); break;
    case NAIK_PARAM_UINT64: snprintf(to, left, "an integer from 0 to 2^64 - 1"); break;
    case NAIK_PARAM_REAL: snprintf(to, left, "a number%s", range); break;
    case NAIK_PARAM_TIME: snprintf(to, left, "a time in seconds or as HH:MM:SS"); break;
    case NAIK_PARAM_TEXT: snprintf(to, left, "a text"); break;
    case NAIK_PARAM_CHOICE: snprintf(to, left, "one of %s", words); break;
    case NAIK_PARAM_REALS: snprintf(to, left, "a number%s or a list of them", range); break;
    case NAIK_PARAM_INTS: snprintf(to, left, "an integer%s or a list of them", range); break;
    case NAIK_PARAM_CHOICES: snprintf(to, left, "a list of words from %s", words); break;
    case NAIK_PARAM_TEXTS: snprintf(to, left, "a text or a list of them"); break;
    case NAIK_PARAM_VECTOR3: snprintf(to, left, "three integers [x, y, z]%s", range); break;
    case NAIK_PARAM_VECTOR4: snprintf(to, left, "four integers [x, y, z, t]%s", range); break;
    case NAIK_PARAM_VECTORS3:
        snprintf(to, left, "three integers [x, y, z]%s or a list of such", range);
        break;
    case NAIK_PARAM_VECTORS4:
        snprintf(to, left, "four integers [x, y, z, t]%s or a list of such", range);
        break;
    case NAIK_PARAM_PAIRS: snprintf(to, left, "a section of texts"); break;
    }
}

const char *naik_param_answer(const naik_param_table *table, const char *key, const char *word)
{
    const size_t length = strlen(word), key_length = key != NULL ? strlen(key) : 0;
    for (const naik_param_hint *h = table->hints; h != NULL && h->answer != NULL && length > 0;
         h++) {
        const size_t end = h->at != NULL ? strlen(h->at) : 0;
        if ((key != NULL) != (h->at != NULL) || end > key_length ||
            (key != NULL && strcmp(key + key_length - end, h->at) != 0)) {
            continue;
        }
        for (const char *said = h->said; *said != '\0';) {
            const size_t one = strcspn(said, " ");
            if (one == length && strncasecmp(said, word, one) == 0) {
                return h->answer;
            }
            said += one + strspn(said + one, " ");
        }
    }
    return NULL;
}

static void describe_scalar(const naik_param_table *table, const naik_param *param,
                            const char *text, char *got, size_t got_size, char *hint,
                            size_t hint_size)
{
    if (text[0] == '\0') {
        snprintf(got, got_size, "nothing");
    } else {
        snprintf(got, got_size, "'%.100s'", text);
    }
    if (naik_text_has_odd_space(text, strlen(text))) {
        snprintf(hint, hint_size, ", which has a space that is not the one of the space bar");
        return;
    }
    const char *answer = naik_param_answer(table, param->key, text);
    if (answer != NULL) {
        snprintf(hint, hint_size, "; %s", answer);
        return;
    }
    const char *nearest = param->words != NULL ? naik_text_nearest(text, param->words) : NULL;
    const char *other = param->others != NULL ? naik_text_nearest(text, param->others) : NULL;
    if (nearest == NULL ||
        (other != NULL && naik_text_distance(text, other) < naik_text_distance(text, nearest))) {
        nearest = other;
    }
    if (nearest != NULL) {
        const bool alone = strcmp(nearest, text) == 0; /* where a list of words is wanted */
        snprintf(hint, hint_size, alone ? "; did you mean '[%s]'?" : "; did you mean '%s'?",
                 nearest);
    }
}

static naik_status mismatch(const slot *s, const naik_yaml_node *node)
{
    char place[512], wanted[384], got[128], hint[192] = "";
    naik_yaml_place(node, place, sizeof place);
    naik_param_wanted(s->param, wanted, sizeof wanted);
    switch (node->kind) {
    case NAIK_YAML_LIST:
        snprintf(got, sizeof got, node->count > 0 ? "a list of %d" : "an empty list", node->count);
        break;
    case NAIK_YAML_MAP: snprintf(got, sizeof got, "a section"); break;
    case NAIK_YAML_SCALAR:
        describe_scalar(s->table, s->param, node->text, got, sizeof got, hint, sizeof hint);
        break;
    }
    return NAIK_FAIL(s->log, NAIK_ERR_INPUT, "%s: '%s' must be %s, not %s%s", place, s->path,
                     wanted, got, hint);
}

static bool in_range(naik_range range, double value)
{
    return is_open(range) || (value >= range.least && value <= range.most);
}

static bool is_text(const naik_yaml_node *node)
{
    return node->kind == NAIK_YAML_SCALAR && node->text[0] != '\0';
}

static naik_status read_int64(const slot *s, const naik_yaml_node *node, int64_t *out)
{
    if (!is_text(node) || !naik_text_int64(node->text, out) ||
        !in_range(s->param->range, (double)*out)) {
        return mismatch(s, node);
    }
    return NAIK_OK;
}

static naik_status read_int(const slot *s, const naik_yaml_node *node, int *out)
{
    int64_t value = 0;
    naik_status status = read_int64(s, node, &value);
    if (status == NAIK_OK && (value > INT_MAX || value < INT_MIN)) {
        return mismatch(s, node);
    }
    *out = (int)value;
    return status;
}

static naik_status read_real(const slot *s, const naik_yaml_node *node, double *out)
{
    if (!is_text(node) || !naik_text_real(node->text, out) || !in_range(s->param->range, *out)) {
        return mismatch(s, node);
    }
    return NAIK_OK;
}

/* Whether `text` is one of the words, by its number. */
static bool find_word(const char *text, const char *const *words, int *out)
{
    for (int i = 0; words != NULL && words[i] != NULL; i++) {
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static naik_status read_word(const slot *s, const naik_yaml_node *node, const char *const *words,
                             int *out)
{
    const bool found =
        node->kind == NAIK_YAML_SCALAR &&
        (find_word(node->text, s->param->others, out) || find_word(node->text, words, out));
    return found ? NAIK_OK : mismatch(s, node);
}

static naik_status read_vector(const slot *s, const naik_yaml_node *node, int length, int *out)
{
    if (node->kind != NAIK_YAML_LIST || node->count != length) {
        return mismatch(s, node);
    }
    for (const naik_yaml_node *item = node->child; item != NULL; item = item->next) {
        NAIK_PASS(read_int(s, item, out++));
    }
    return NAIK_OK;
}

static naik_status allocate(const slot *s, int count, size_t element_size, void *data)
{
    void *memory = naik_yaml_alloc(s->tree, (size_t)count * element_size);
    memcpy(data, &memory, sizeof memory);
    return memory != NULL ? NAIK_OK : NAIK_FAIL(s->log, NAIK_ERR_MEMORY, "no memory for the input");
}

/* The first element of a list, or the node itself where one may stand for a list. */
static const naik_yaml_node *first_of(const naik_yaml_node *node)
{
    return node->kind == NAIK_YAML_LIST ? node->child : node;
}
static int count_of(const naik_yaml_node *node)
{
    return node->kind == NAIK_YAML_LIST ? node->count : 1;
}

/* Reads one element of a list. */
typedef naik_status read_element(const slot *s, const naik_yaml_node *node, void *out);

static naik_status real_element(const slot *s, const naik_yaml_node *node, void *out)
{
    return read_real(s, node, out);
}

static naik_status int_element(const slot *s, const naik_yaml_node *node, void *out)
{
    return read_int(s, node, out);
}

static naik_status text_element(const slot *s, const naik_yaml_node *node, void *out)
{
    if (!is_text(node)) {
        return mismatch(s, node);
    }
    *(const char **)out = node->text;
    return NAIK_OK;
}

/* data: the address of the pointer to elements of that size. */
static naik_status store_list(const slot *s, const naik_yaml_node *node, read_element *read,
                              size_t element_size, void *data, int *count)
{
    char *element = NULL;
    if (count_of(node) == 0) {
        return mismatch(s, node);
    }
    NAIK_PASS(allocate(s, count_of(node), element_size, data));
    memcpy(&element, data, sizeof element);
    const naik_yaml_node *item = first_of(node);
    for (*count = 0; *count < count_of(node); (*count)++, item = item->next) {
        NAIK_PASS(read(s, item, element + (size_t)*count * element_size));
    }
    return NAIK_OK;
}

static naik_status store_reals(const slot *s, const naik_yaml_node *node, naik_reals *out)
{
    return store_list(s, node, real_element, sizeof *out->data, &out->data, &out->count);
}

static naik_status store_ints(const slot *s, const naik_yaml_node *node, naik_ints *out)
{
    return store_list(s, node, int_element, sizeof *out->data, &out->data, &out->count);
}

static naik_status store_texts(const slot *s, const naik_yaml_node *node, naik_texts *out)
{
    return store_list(s, node, text_element, sizeof *out->data, &out->data, &out->count);
}

static naik_status store_choices(const slot *s, const naik_yaml_node *node, naik_ints *out)
{
    if (node->kind != NAIK_YAML_LIST) {
        return mismatch(s, node);
    }
    NAIK_PASS(allocate(s, node->count, sizeof *out->data, &out->data));
    for (const naik_yaml_node *item = node->child; item != NULL; item = item->next) {
        int word = 0;
        NAIK_PASS(read_word(s, item, s->param->words, &word));
        for (int i = 0; i < out->count; i++) {
            if (out->data[i] == word) {
                char place[512];
                return NAIK_FAIL(s->log, NAIK_ERR_INPUT, "%s: '%s' names '%s' twice",
                                 naik_yaml_place(item, place, sizeof place), s->path, item->text);
            }
        }
        out->data[out->count++] = word;
    }
    return NAIK_OK;
}

static naik_status store_vectors(const slot *s, const naik_yaml_node *node, int length,
                                 naik_vectors *out)
{
    bool is_list = node->kind == NAIK_YAML_LIST && node->count > 0;
    bool is_one = is_list && node->child->kind == NAIK_YAML_SCALAR;
    if (!is_list) {
        return mismatch(s, node);
    }
    int count = is_one ? 1 : node->count;
    const naik_yaml_node *item = is_one ? node : node->child;
    NAIK_PASS(allocate(s, count, sizeof *out->data, &out->data));
    for (out->count = 0; out->count < count; out->count++, item = item->next) {
        NAIK_PASS(read_vector(s, item, length, out->data[out->count]));
    }
    return NAIK_OK;
}

static naik_status store_pairs(const slot *s, const naik_yaml_node *node, naik_pairs *out)
{
    if (node->kind != NAIK_YAML_MAP) {
        return mismatch(s, node);
    }
    NAIK_PASS(allocate(s, node->count, sizeof *out->data, &out->data));
    for (const naik_yaml_node *item = node->child; item != NULL; item = item->next) {
        if (!is_text(item)) {
            return mismatch(s, item);
        }
        out->data[out->count].key = item->key;
        out->data[out->count++].value = item->text;
    }
    return NAIK_OK;
}

static naik_status store_time(const slot *s, const naik_yaml_node *node, double *out)
{
    return is_text(node) && naik_text_time(node->text, out) && *out >= 0 ? NAIK_OK
                                                                         : mismatch(s, node);
}

naik_status naik_param_store(naik_log *log, naik_yaml *tree, const naik_param_table *table,
                             const naik_param *param, const char *path, const naik_yaml_node *node,
                             void *target)
{
    const slot s = {.log = log, .tree = tree, .table = table, .param = param, .path = path};
    naik_status status = NAIK_OK;
    if (param->special != NULL && node->kind == NAIK_YAML_SCALAR &&
        strcmp(node->text, param->special) == 0) {
        if (param->kind == NAIK_PARAM_INT || param->kind == NAIK_PARAM_VECTOR4) {
            *(int *)target = param->special_int;
        }
        return NAIK_OK; /* others are zeros already */
    }
    int word = 0;
    switch (param->kind) {
    case NAIK_PARAM_BOOL:
        status = read_word(&s, node, param->words != NULL ? param->words : truth, &word);
        *(bool *)target = word != 0;
        return status;
    case NAIK_PARAM_CHOICE: return read_word(&s, node, param->words, target);
    case NAIK_PARAM_INT: return read_int(&s, node, target);
    case NAIK_PARAM_INT64: return read_int64(&s, node, target);
    case NAIK_PARAM_UINT64:
        return is_text(node) && naik_text_uint64(node->text, target) ? NAIK_OK : mismatch(&s, node);
    case NAIK_PARAM_REAL: return read_real(&s, node, target);
    case NAIK_PARAM_TIME: return store_time(&s, node, target);
    case NAIK_PARAM_TEXT:
        *(const char **)target = node->text;
        return is_text(node) ? NAIK_OK : mismatch(&s, node);
    case NAIK_PARAM_REALS: return store_reals(&s, node, target);
    case NAIK_PARAM_INTS: return store_ints(&s, node, target);
    case NAIK_PARAM_CHOICES: return store_choices(&s, node, target);
    case NAIK_PARAM_TEXTS: return store_texts(&s, node, target);
    case NAIK_PARAM_VECTOR3: return read_vector(&s, node, 3, target);
    case NAIK_PARAM_VECTOR4: return read_vector(&s, node, 4, target);
    case NAIK_PARAM_VECTORS3: return store_vectors(&s, node, 3, target);
    case NAIK_PARAM_VECTORS4: return store_vectors(&s, node, 4, target);
    case NAIK_PARAM_PAIRS: return store_pairs(&s, node, target);
    }
    return NAIK_FAIL(log, NAIK_ERR_ARG, "'%s' is of no known kind", path);
}
