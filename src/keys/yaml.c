/* yaml.c - libyaml's events to a bounded tree
 *
 * libyaml's own document loader resolves aliases (a small file can then stand for a huge one) and
 * guesses nothing about repeated keys; building the tree here, with an explicit stack, bounds depth
 * and size and knows the place of everything.
 */
#include "keys/yaml.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/text.h"
#include "io/files.h"

struct naik_yaml_block {
    struct naik_yaml_block *next;
    max_align_t memory[];
};

typedef struct builder {
    naik_log *log;
    naik_yaml *tree;
    const char *origin;
    bool lines;                                    /* the origin has lines worth naming */
    naik_yaml_node *open[NAIK_YAML_MAX_DEPTH + 1]; /* lists and mappings not yet ended */
    int depth;
    naik_yaml_node *root;
    const char *key; /* waits for its value, in the mapping open[depth - 1] */
    yaml_mark_t key_mark;
    int documents;
    bool ended;
} builder;

void *naik_yaml_alloc(naik_yaml *tree, size_t size_bytes)
{
    struct naik_yaml_block *block = calloc(1, sizeof *block + size_bytes);
    if (block == NULL) {
        return NULL;
    }
    block->next = tree->blocks;
    tree->blocks = block;
    return block->memory;
}

void naik_yaml_destroy(naik_yaml **tree)
{
    if (*tree == NULL) {
        return;
    }
    for (struct naik_yaml_block *block = (*tree)->blocks; block != NULL;) {
        struct naik_yaml_block *next = block->next;
        free(block);
        block = next;
    }
    free(*tree);
    *tree = NULL;
}

static const char *place_of(const char *origin, int line, int column, char *text, size_t text_size)
{
    if (line > 0) {
        snprintf(text, text_size, "%s:%d:%d", origin, line, column);
    } else {
        snprintf(text, text_size, "%s", origin);
    }
    return text;
}

const char *naik_yaml_place(const naik_yaml_node *node, char *text, size_t text_size)
{
    return place_of(node->origin, node->line, node->column, text, text_size);
}

const char *naik_yaml_key_place(const naik_yaml_node *node, char *text, size_t text_size)
{
    return place_of(node->origin, node->key_line, node->key_column, text, text_size);
}

static naik_status record_refusal(const builder *b, yaml_mark_t mark, const char *format, ...)
    NAIK_PRINTF(3, 4);
static naik_status record_refusal(const builder *b, yaml_mark_t mark, const char *format, ...)
{
    char place[512], sentence[512];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    place_of(b->origin, b->lines ? (int)mark.line + 1 : 0, (int)mark.column + 1, place,
             sizeof place);
    return NAIK_FAIL(b->log, NAIK_ERR_INPUT, "%s: %s", place, sentence);
}

/* An analyser does not look into functions of variable arguments: this shows it the status. */
#define refuse(...) naik_log_failed(NAIK_ERR_INPUT, record_refusal(__VA_ARGS__))

static naik_status out_of_memory(const builder *b)
{
    return NAIK_FAIL(b->log, NAIK_ERR_MEMORY, "no memory for the input %s", b->origin);
}

/* "solve.0.masses": where the builder stands. */
static void path_of(const builder *b, const char *key, char *text, size_t text_size)
{
    text[0] = '\0';
    for (int i = 1; i < b->depth; i++) {
        const naik_yaml_node *node = b->open[i];
        if (node->key != NULL) {
            naik_text_append(text, text_size, "%s.", node->key);
        } else {
            naik_text_append(text, text_size, "%d.", b->open[i - 1]->count - 1);
        }
    }
    naik_text_append(text, text_size, "%s", key);
}

#define ODD_SPACE "a space that is not the one of the space bar, such as a non-breaking space"

static naik_status take_key(builder *b, const char *text, yaml_mark_t mark)
{
    size_t length = strlen(text);
    if (length == 0 || length > NAIK_YAML_MAX_KEY) {
        return refuse(b, mark, "a key must have 1 to %d characters", (int)NAIK_YAML_MAX_KEY);
    }
    if (naik_text_has_odd_space(text, length)) {
        return refuse(b, mark, "a key has " ODD_SPACE);
    }
    if (b->open[b->depth - 1]->count == NAIK_YAML_MAX_KEYS) {
        return refuse(b, mark, "a section has more than %d keys", (int)NAIK_YAML_MAX_KEYS);
    }
    const naik_yaml_node *before = naik_yaml_child(b->open[b->depth - 1], text);
    if (before != NULL) {
        char path[256];
        path_of(b, text, path, sizeof path);
        return b->lines ? refuse(b, mark, "key '%s' is given twice, first on line %d", path,
                                 before->line)
                        : refuse(b, mark, "key '%s' is given twice", path);
    }
    b->key = text;
    b->key_mark = mark;
    return NAIK_OK;
}

/* A new node in its place: root, list element, or value of the waiting key. */
static naik_status add_node(builder *b, naik_yaml_kind kind, const char *text, yaml_mark_t mark,
                            naik_yaml_node **out)
{
    *out = NULL;
    if (++b->tree->nodes > NAIK_YAML_MAX_NODES) {
        return refuse(b, mark, "the input has more than %d values", (int)NAIK_YAML_MAX_NODES);
    }
    naik_yaml_node *node = naik_yaml_alloc(b->tree, sizeof *node);
    if (node == NULL) {
        return out_of_memory(b);
    }
    node->kind = kind;
    node->origin = b->origin;
    node->line = b->lines ? (int)mark.line + 1 : 0;
    node->column = (int)mark.column + 1;
    node->text = text;
    if (b->depth == 0) {
        b->root = node;
    } else {
        naik_yaml_node *parent = b->open[b->depth - 1];
        node->key = parent->kind == NAIK_YAML_MAP ? b->key : NULL;
        node->key_line = b->lines ? (int)b->key_mark.line + 1 : 0;
        node->key_column = (int)b->key_mark.column + 1;
        if (node->key != NULL && kind == NAIK_YAML_SCALAR && text[0] == '\0') {
            node->line = node->key_line; /* a missing value has no place of its own */
            node->column = node->key_column;
        }
        if (parent->last == NULL) {
            parent->child = node;
        } else {
            parent->last->next = node;
        }
        parent->last = node;
        parent->count++;
        b->key = NULL;
    }
    *out = node;
    return NAIK_OK;
}

static naik_status take_scalar(builder *b, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)value[i] < ' ' || value[i] == 0x7f) {
            return refuse(b, event->start_mark,
                          "a value must not hold control characters or "
                          "line breaks");
        }
    }
    char *text = naik_yaml_alloc(b->tree, length + 1);
    if (text == NULL) {
        return out_of_memory(b);
    }
    memcpy(text, value, length);
    if (b->depth > 0 && b->open[b->depth - 1]->kind == NAIK_YAML_MAP && b->key == NULL) {
        return take_key(b, text, event->start_mark);
    }
    naik_yaml_node *node = NULL;
    return add_node(b, NAIK_YAML_SCALAR, text, event->start_mark, &node);
}

static naik_status take_start(builder *b, naik_yaml_kind kind, yaml_mark_t mark)
{
    if (b->depth > 0 && b->open[b->depth - 1]->kind == NAIK_YAML_MAP && b->key == NULL) {
        return refuse(b, mark, "a key must be a plain word");
    }
    if (b->depth == NAIK_YAML_MAX_DEPTH) {
        return refuse(b, mark, "the input is nested more than %d levels deep",
                      (int)NAIK_YAML_MAX_DEPTH);
    }
    naik_yaml_node *node = NULL;
    NAIK_PASS(add_node(b, kind, NULL, mark, &node));
    b->open[b->depth++] = node;
    return NAIK_OK;
}

static bool has_anchor_or_tag(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor != NULL || event->data.scalar.tag != NULL;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor != NULL || event->data.sequence_start.tag != NULL;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor != NULL || event->data.mapping_start.tag != NULL;
    default: return event->type == YAML_ALIAS_EVENT;
    }
}

static naik_status take_event(builder *b, const yaml_event_t *event)
{
    if (has_anchor_or_tag(event)) {
        return refuse(b, event->start_mark,
                      "anchors, aliases and tags (&, *, !) are not allowed here; write the value "
                      "out, or put it in quotes");
    }
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return ++b->documents == 1 ? NAIK_OK
                                   : refuse(b, event->start_mark,
                                            "a second YAML document begins here; one is allowed");
    case YAML_SCALAR_EVENT: return take_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT: return take_start(b, NAIK_YAML_LIST, event->start_mark);
    case YAML_MAPPING_START_EVENT: return take_start(b, NAIK_YAML_MAP, event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: b->depth--; return NAIK_OK;
    case YAML_STREAM_END_EVENT: b->ended = true; return NAIK_OK;
    default: return NAIK_OK;
    }
}

/* Where YAML stumbles over what nobody sees, this is said instead of its own reason. */
static naik_status parser_failure(const builder *b, const yaml_parser_t *parser, const char *bytes,
                                  size_t size)
{
    const yaml_mark_t at = parser->problem_mark;
    const char *line = bytes, *end = bytes + size;
    for (size_t i = 0; i < at.line && line < end; i++) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        line = next != NULL ? next + 1 : end;
    }
    const char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    const size_t length = (size_t)((stop != NULL ? stop : end) - line);
    if (parser->error == YAML_MEMORY_ERROR) {
        return out_of_memory(b);
    }
    if (parser->error == YAML_READER_ERROR) {
        return NAIK_FAIL(b->log, NAIK_ERR_INPUT, "%s: byte %zu is not valid UTF-8 text", b->origin,
                         parser->problem_offset);
    }
    if (naik_text_has_odd_space(line, length)) {
        return refuse(b, at, "this is not YAML: the line has " ODD_SPACE);
    }
    if (at.column < length && line[at.column] == '\t') {
        return refuse(b, at, "this is not YAML: a tab stands here; indent by spaces");
    }
    if (at.column > 0 && at.column < length && line[at.column] == '{' &&
        strchr(" ,:[{", line[at.column - 1]) == NULL) {
        return refuse(b, at,
                      "this is not YAML: a brace stands inside a text; put the text into quotes");
    }
    return refuse(b, at, "this is not YAML: %s",
                  parser->problem != NULL ? parser->problem : "no reason known");
}

static naik_status check_bytes(const builder *b, const char *bytes, size_t size)
{
    if (size >= NAIK_FILE_HDF5_BYTES && memcmp(bytes, NAIK_FILE_HDF5, NAIK_FILE_HDF5_BYTES) == 0) {
        return NAIK_FAIL(
            b->log, NAIK_ERR_INPUT,
            "%s: this is an HDF5 file and not an input, which is a text in YAML; 'naik "
            "info' shows what a file of naik's holds",
            b->origin);
    }
    if (size > NAIK_YAML_MAX_BYTES) {
        return NAIK_FAIL(b->log, NAIK_ERR_INPUT, "%s: the input is larger than %d bytes", b->origin,
                         (int)NAIK_YAML_MAX_BYTES);
    }
    const char *nul = size > 0 ? memchr(bytes, '\0', size) : NULL;
    if (nul != NULL) {
        return NAIK_FAIL(b->log, NAIK_ERR_INPUT, "%s: byte %zu is zero: this is not a text file",
                         b->origin, (size_t)(nul - bytes));
    }
    return NAIK_OK;
}

/* Parses into b->root, all memory from b->tree. */
static naik_status build(builder *b, const char *bytes, size_t size)
{
    naik_status status = NAIK_OK;
    NAIK_PASS(check_bytes(b, bytes, size));
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        return out_of_memory(b);
    }
    const size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING); /* with it, no byte order mark is read */
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes + mark, size - mark);
    while (status == NAIK_OK && !b->ended) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            status = parser_failure(b, &parser, bytes + mark, size - mark);
        } else {
            status = take_event(b, &event);
            yaml_event_delete(&event);
        }
    }
    yaml_parser_delete(&parser);
    return status;
}

/* A copy of `text` in the tree's pool; NULL when memory is out. */
static char *copy_text(naik_yaml *tree, const char *text, size_t length)
{
    char *copy = naik_yaml_alloc(tree, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

naik_status naik_yaml_parse(naik_log *log, const char *name, const char *bytes, size_t size,
                            naik_yaml **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    naik_yaml *tree = calloc(1, sizeof *tree);
    builder b = {.log = log, .tree = tree, .lines = true};
    b.origin = tree != NULL ? copy_text(tree, name, strlen(name)) : NULL;
    if (b.origin == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input %s", name);
        goto done;
    }
    NAIK_TRY(build(&b, bytes, size));
    tree->name = b.origin;
    tree->root = b.root;
    *out = tree;
    tree = NULL;
done:
    naik_yaml_destroy(&tree);
    return status;
}

naik_status naik_yaml_flow(naik_log *log, naik_yaml *tree, const char *flow, const char *origin,
                           naik_yaml_node **out)
{
    builder b = {.log = log, .tree = tree};
    *out = NULL;
    b.origin = copy_text(tree, origin, strlen(origin));
    if (b.origin == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input %s", origin);
    }
    NAIK_PASS(build(&b, flow, strlen(flow)));
    if (b.root == NULL) {
        NAIK_PASS(add_node(&b, NAIK_YAML_SCALAR, "", (yaml_mark_t){0}, &b.root));
    }
    *out = b.root;
    return NAIK_OK;
}

naik_yaml_node *naik_yaml_child(const naik_yaml_node *map, const char *key)
{
    for (naik_yaml_node *node = map->kind == NAIK_YAML_MAP ? map->child : NULL; node != NULL;
         node = node->next) {
        if (strcmp(node->key, key) == 0) {
            return node;
        }
    }
    return NULL;
}

naik_yaml_node *naik_yaml_element(const naik_yaml_node *list, int index)
{
    naik_yaml_node *node = list->kind == NAIK_YAML_LIST && index >= 0 ? list->child : NULL;
    while (node != NULL && index-- > 0) {
        node = node->next;
    }
    return node;
}

const naik_yaml_node *naik_yaml_find(const naik_yaml_node *from, const char *path)
{
    const naik_yaml_node *node = from;
    while (node != NULL && *path != '\0') {
        char part[NAIK_YAML_MAX_KEY + 1];
        size_t length = strcspn(path, ".");
        int64_t index = 0;
        if (length >= sizeof part) {
            return NULL;
        }
        memcpy(part, path, length);
        part[length] = '\0';
        if (node->kind == NAIK_YAML_LIST) {
            node = naik_text_int64(part, &index) && index >= 0 && index < node->count
                       ? naik_yaml_element(node, (int)index)
                       : NULL;
        } else {
            node = naik_yaml_child(node, part);
        }
        path += length + (path[length] == '.');
    }
    return node;
}

/* The node of the path's next part below *at, made where a section or key is missing. */
static naik_status step_down(builder *b, naik_yaml_node **at, const char *part, const char *path)
{
    naik_yaml_node *node = *at, *below = NULL;
    if (node->kind == NAIK_YAML_SCALAR && node->text[0] == '\0') {
        node->kind = NAIK_YAML_MAP;
        node->text = NULL;
    }
    if (node->kind == NAIK_YAML_SCALAR) {
        return NAIK_FAIL(b->log, NAIK_ERR_INPUT, "%s: '%s' leads through a value, not a section",
                         b->origin, path);
    }
    if (node->kind == NAIK_YAML_LIST) {
        int64_t index = -1;
        below = naik_text_int64(part, &index) && index < node->count
                    ? naik_yaml_element(node, (int)index)
                    : NULL;
        if (below == NULL) {
            return NAIK_FAIL(b->log, NAIK_ERR_INPUT,
                             "%s: '%s' is no entry of the list; it has %d, counted from 0",
                             b->origin, part, node->count);
        }
        *at = below;
        return NAIK_OK;
    }
    below = naik_yaml_child(node, part);
    if (below == NULL) {
        char *key = copy_text(b->tree, part, strlen(part));
        if (key == NULL) {
            return out_of_memory(b);
        }
        b->open[0] = node;
        b->depth = 1;
        b->key = key;
        NAIK_PASS(add_node(b, NAIK_YAML_SCALAR, "", (yaml_mark_t){0}, &below));
    }
    *at = below;
    return NAIK_OK;
}

naik_status naik_yaml_set(naik_log *log, naik_yaml *tree, const char *path, const char *flow,
                          const char *origin)
{
    naik_yaml_node *value = NULL, *at = NULL;
    NAIK_PASS(naik_yaml_flow(log, tree, flow, origin, &value));
    builder b = {.log = log, .tree = tree, .origin = value->origin};
    if (tree->root == NULL) {
        NAIK_PASS(add_node(&b, NAIK_YAML_MAP, NULL, (yaml_mark_t){0}, &tree->root));
    }
    at = tree->root;
    for (const char *rest = path;; rest++) {
        char part[NAIK_YAML_MAX_KEY + 1];
        size_t length = strcspn(rest, ".");
        if (length == 0 || length > NAIK_YAML_MAX_KEY) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT, "%s: '%s' is not a key such as solver.tolerance",
                             origin, path);
        }
        memcpy(part, rest, length);
        part[length] = '\0';
        NAIK_PASS(step_down(&b, &at, part, path));
        rest += length;
        if (*rest == '\0') {
            break;
        }
    }
    value->key = at->key;
    value->key_line = 0; /* the key that was typed is the override's */
    value->next = at->next;
    *at = *value;
    return NAIK_OK;
}
