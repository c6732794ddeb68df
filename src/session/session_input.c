/* session_input.c - what is asked of a session, as an input of `naik solve` */
#include "session/session_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "comm/new.h"
#include "io/checksum.h"

static const char any_quark[] = "{masses: [1]}";
static const char any_source[] = "{type: point, origin: [0, 0, 0, 0]}";

enum { OVERRIDES = 9, PATH_TEXT = 4200, VARIABLE = 128 };

/* "gauge.file=..." as a quoted scalar, whatever its letters. */
static void quote(const char *key, const char *value, char text[PATH_TEXT])
{
    size_t used = (size_t)snprintf(text, PATH_TEXT, "%s=\"", key);
    for (const char *c = value; *c != '\0' && used + 4 < PATH_TEXT; c++) {
        if (*c == '"' || *c == '\\') {
            text[used++] = '\\';
        }
        text[used++] = *c;
    }
    text[used++] = '"';
    text[used] = '\0';
}

/* Whether the entry wants no low modes removed. They are then those of nobody, and switched off. */
static naik_status refuses_modes(naik_log *log, const char *entry, bool *refuses)
{
    naik_yaml *tree = NULL;
    const naik_status status =
        naik_yaml_parse(log, "the quark of the session", entry, strlen(entry), &tree);
    const naik_yaml_node *node = status == NAIK_OK ? naik_yaml_find(tree->root, "deflate") : NULL;
    *refuses = node != NULL && node->text != NULL && strcmp(node->text, "false") == 0;
    naik_yaml_destroy(&tree);
    return status;
}

const char *session_has_no_use(const char *key)
{
    static const struct {
        const char *key, *why; /* no reason: a session uses the key */
    } rows[] = {
        {"gauge.configs", "a session has one configuration"},
        {"solver.multishift", "a session solves one mass at a time"},
        {"solver.verify", "a session computes the residual of each solution a second way"},
        {"solver.double_check_every", "a session solves nothing twice"},
        {"run.wall_limit", "the program that opened the session decides when the session ends"},
        {"run.progress", "a session tells its program how far a solve is"},
        {"run.progress_interval", "a session tells its program how far a solve is"},
        {"run.events", "a session writes no log of events"},
        {"output.mpi_info", NULL},
        {"output.alignment", NULL},
        {"output.aggregators", NULL},
        {"output.", "a session writes no output file"},
        {"solve", "a session is asked for one solve after the other"},
        {"pairs", "a session contracts what its program asks for"},
        {"baryons", "a session contracts what its program asks for"},
        {"three_point", "a session solves one source after the other, of which a sequential one "
                        "can be given as its file"},
        {"averages", "a session solves one source after the other, each to a tolerance that its "
                     "caller says"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t size = strlen(rows[i].key);
        const char end = rows[i].key[size - 1];
        if (strncmp(key, rows[i].key, size) == 0 &&
            (end == '.' || key[size] == '.' || key[size] == '\0')) {
            return rows[i].why;
        }
    }
    return NULL;
}

/* The first key below `root` that does nothing in a session. */
static naik_status refuse_idle(naik_log *log, const naik_yaml_node *root)
{
    char key[2 * NAIK_YAML_MAX_KEY + 2];
    for (const naik_yaml_node *n = root != NULL ? root->child : NULL; n != NULL; n = n->next) {
        const bool inside = n->kind == NAIK_YAML_MAP;
        for (const naik_yaml_node *k = inside ? n->child : n; k != NULL;
             k = inside ? k->next : NULL) {
            snprintf(key, sizeof key, "%s%s%s", n->key, inside ? "." : "", inside ? k->key : "");
            const char *why = session_has_no_use(key);
            if (why != NULL) {
                return NAIK_FAIL(log, NAIK_ERR_INPUT,
                                 "'%s' does nothing in a session: %s, so leave it out", key, why);
            }
        }
    }
    return NAIK_OK;
}

naik_status session_parse_keys(naik_comm *comm, const char *keys, naik_yaml **tree)
{
    return naik_comm_agree(
        comm, naik_yaml_parse(comm->log, "the keys of the session", keys, strlen(keys), tree));
}

naik_status session_name_configuration(naik_comm *comm, const naik_yaml_node *keys,
                                       const char *name, char **out)
{
    const naik_yaml_node *node = naik_yaml_find(keys, "gauge.config");
    const char *config = node != NULL && node->text != NULL ? node->text : "{config}";
    if (node == NULL && strstr(name, config) != NULL) {
        NAIK_PASS(naik_comm_agree(
            comm, NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                            "'%s' has {config}, for which gauge.config gives no name", name)));
    }
    NAIK_PASS(naik_new(comm, naik_input_put_config(name, config, NULL), "a session", (void **)out));
    naik_input_put_config(name, config, *out);
    return NAIK_OK;
}

naik_status session_check_keys(naik_comm *comm, const naik_yaml_node *keys,
                               const session_texts *texts)
{
    naik_log *log = comm->log;
    naik_status status = refuse_idle(log, keys);
    const naik_yaml_node *size = naik_yaml_find(keys, "lattice.size");
    const int *const is = texts->size;
    bool same = size == NULL || size->count == NAIK_DIM;
    int mu = 0;
    for (const naik_yaml_node *n = size != NULL ? size->child : NULL; n != NULL && same;
         n = n->next, mu++) {
        int64_t extent;
        same = n->text != NULL && naik_text_int64(n->text, &extent) && extent == is[mu];
    }
    if (status == NAIK_OK && texts->file != NULL && naik_yaml_find(keys, "gauge.file") != NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'gauge.file' is given beside the configuration of the session: leave "
                           "one of the two out");
    } else if (status == NAIK_OK && is[0] > 0 && !same) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'lattice.size' is not that of the session's configuration, which is "
                           "%dx%dx%dx%d: leave it out",
                           is[0], is[1], is[2], is[3]);
    }
    return naik_comm_agree(comm, status);
}

naik_status session_compare(naik_comm *comm, uint32_t mine, const char *what)
{
    naik_status status = NAIK_OK;
    uint32_t first = mine;
    NAIK_PASS(naik_comm_broadcast(comm, &first, sizeof first, 0));
    if (mine != first) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "the ranks ask their session for different things: every rank must give "
                           "the same %s",
                           what);
    }
    return naik_comm_agree(comm, status);
}

naik_status session_compare_meson(naik_comm *comm, const char *meson, const naik_frame *frame,
                                  bool own)
{
    const uint32_t all[] = {
        naik_crc32(meson, strlen(meson)), naik_crc32(frame->origin, sizeof frame->origin),
        naik_crc32(frame->momentum, sizeof frame->momentum), frame->cosine, own};
    return session_compare(comm, naik_crc32(all, sizeof all),
                           "meson, momentum, origin and cosine, and an antiquark if others do");
}

static naik_status compare_texts(naik_comm *comm, const char *const *texts, int count)
{
    uint32_t mine = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t link[2] = {mine, naik_crc32(texts[i], strlen(texts[i]))};
        mine = naik_crc32(link, sizeof link);
    }
    return session_compare(comm, mine, "keys, quark and source");
}

/* NAIK_BACKEND and NAIK_GRID as rank 0 has them: a launcher need not carry them to every node. */
static naik_status read_environment(naik_comm *comm, char backend[VARIABLE], char grid[VARIABLE])
{
    const char *const names[] = {"NAIK_BACKEND", "NAIK_GRID"};
    char *const values[] = {backend, grid};
    for (int i = 0; i < 2; i++) {
        const char *text = getenv(names[i]);
        memset(values[i], 0, VARIABLE);
        snprintf(values[i], VARIABLE, "%s", text != NULL ? text : "");
        NAIK_PASS(naik_comm_broadcast(comm, values[i], VARIABLE, 0));
    }
    return NAIK_OK;
}

static naik_status join(naik_log *log, const char *key, const char *value, char **out)
{
    const size_t size = strlen(key) + strlen(value) + 2;
    *out = malloc(size);
    if (*out == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for what is asked of a session");
    }
    snprintf(*out, size, "%s=%s", key, value);
    return NAIK_OK;
}

naik_status session_input_make(naik_comm *comm, const session_texts *texts, const char *entry,
                               const char *source, naik_input **out)
{
    naik_status status = NAIK_OK;
    const char *overrides[OVERRIDES];
    char size[96], file[PATH_TEXT], *solve = NULL, *from = NULL, *list = NULL;
    char backend[VARIABLE], grid[VARIABLE];
    int count = 0;
    bool refuses = false;
    *out = NULL;
    if (texts->size[0] > 0) {
        snprintf(size, sizeof size, "lattice.size=[%d, %d, %d, %d]", texts->size[0], texts->size[1],
                 texts->size[2], texts->size[3]);
        overrides[count++] = size;
    }
    if (texts->file != NULL) {
        quote("gauge.file", texts->file, file);
        overrides[count++] = file;
    }
    overrides[count++] = "output.file=session";
    list = malloc(strlen(entry != NULL ? entry : any_quark) + 4);
    if (list != NULL) {
        sprintf(list, "[%s]", entry != NULL ? entry : any_quark);
        status = join(comm->log, "solve", list, &solve);
    } else {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for what is asked of a session");
    }
    if (status == NAIK_OK) {
        status = join(comm->log, "solve.0.source", source != NULL ? source : any_source, &from);
    }
    if (status == NAIK_OK && entry != NULL) {
        status = refuses_modes(comm->log, entry, &refuses);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    overrides[count++] = solve;
    overrides[count++] = from;
    overrides[count++] = "solve.0.name=session";
    if (refuses) {
        overrides[count++] = "solve.0.deflate=true";
        overrides[count++] = "deflation.modes=0";
    }
    overrides[count] = texts->keys;
    NAIK_TRY(compare_texts(comm, overrides, count + 1));
    NAIK_TRY(read_environment(comm, backend, grid));
    status = naik_input_parse(comm->log, "the keys of the session", texts->keys,
                              strlen(texts->keys), overrides, count, backend, grid, out);
    if (status == NAIK_OK) { /* its sources come one call after the other: none is tried first */
        (*out)->solver.method_auto = false;
    }
    if (status == NAIK_OK && (*out)->run.groups != 1) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'run.groups' is one of `naik solve`: all ranks of a session solve "
                           "together, so leave it out, or open a session on each group's "
                           "communicator");
    }
    status = naik_comm_agree(comm, status);
    if (status != NAIK_OK) {
        naik_input_destroy(out);
    } else {
        naik_input_use_io(comm, *out);
    }
done:
    free(list);
    free(solve);
    free(from);
    return status;
}
