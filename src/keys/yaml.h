/* yaml.h - a bounded tree of one YAML document, with the place of every node
 *
 * Made from libyaml's events. Refused with a sentence: anchors, aliases, tags, several documents,
 * more than 8 levels, 1 MiB or 65536 nodes, NUL bytes and other control characters, keys that are
 * not plain words, a key twice in one mapping.
 */
#ifndef NAIK_KEYS_YAML_H
#define NAIK_KEYS_YAML_H

#include <stddef.h>

#include "naik/log.h"

enum {
    NAIK_YAML_MAX_DEPTH = 8,
    NAIK_YAML_MAX_NODES = 65536,
    NAIK_YAML_MAX_BYTES = 1 << 20,
    NAIK_YAML_MAX_KEY = 64,  /* characters */
    NAIK_YAML_MAX_KEYS = 256 /* in one mapping */
};

typedef enum naik_yaml_kind { NAIK_YAML_SCALAR, NAIK_YAML_LIST, NAIK_YAML_MAP } naik_yaml_kind;

typedef struct naik_yaml_node {
    naik_yaml_kind kind;
    const char *origin;           /* name of the file, or "--set KEY=VALUE" */
    int line, column;             /* from 1; 0 where the origin has no lines */
    const char *key;              /* inside a mapping, else NULL */
    int key_line, key_column;     /* where the key stands */
    const char *text;             /* of a scalar */
    struct naik_yaml_node *child; /* first of a list or mapping */
    struct naik_yaml_node *next;  /* sibling */
    struct naik_yaml_node *last;  /* last child, for appending */
    int count;                    /* children */
} naik_yaml_node;

typedef struct naik_yaml {
    const char *name;               /* of the file */
    naik_yaml_node *root;           /* NULL for an empty document */
    struct naik_yaml_block *blocks; /* the pool: everything in the tree, freed with it */
    int nodes;
} naik_yaml;

/* Parses `size` bytes, named `name` in sentences. Release with naik_yaml_destroy.
 * NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_yaml_parse(naik_log *log, const char *name, const char *bytes, size_t size,
                            naik_yaml **out);
void naik_yaml_destroy(naik_yaml **tree);

/* Replaces or adds the node at a path ("solver.tolerance", "solve.0.masses") by `flow` (YAML flow
 * text). `origin` names it in sentences. Sections on the way are made; list elements must exist.
 * NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_yaml_set(naik_log *log, naik_yaml *tree, const char *path, const char *flow,
                          const char *origin);

/* Parses YAML flow text ("[1, 2]") into a node of the tree's pool that hangs nowhere; an empty text
 * gives an empty scalar. NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_yaml_flow(naik_log *log, naik_yaml *tree, const char *flow, const char *origin,
                           naik_yaml_node **out);

/* The node at a path ("solve.0.source.radius") below `from`, or NULL; from may be NULL. */
const naik_yaml_node *naik_yaml_find(const naik_yaml_node *from, const char *path);

/* The child of a mapping with this key, or element `index` of a list; NULL if there is none. */
naik_yaml_node *naik_yaml_child(const naik_yaml_node *map, const char *key);
naik_yaml_node *naik_yaml_element(const naik_yaml_node *list, int index);

/* "input.yaml:12:5" or "--set solver.tolerance=x", into text. */
const char *naik_yaml_place(const naik_yaml_node *node, char *text, size_t text_size);

/* The place of the node's key. */
const char *naik_yaml_key_place(const naik_yaml_node *node, char *text, size_t text_size);

/* Zeroed memory that lives as long as the tree; NULL when there is none. */
void *naik_yaml_alloc(naik_yaml *tree, size_t size_bytes);

#endif
