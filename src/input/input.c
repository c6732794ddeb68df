/* input.c - the input file on every rank: read once, overridden, typed, checked, expanded
 *
 * Only rank 0 touches the file and the environment; the others parse the same bytes, so that all
 * find the same mistakes and no rank can run with another input.
 */
#include "input/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "comm/paths.h"
#include "input/input_table.h"
#include "io/files.h"
#include "solver/bicgstab.h"

typedef struct environment { /* broadcast as it is */
    char backend[64], grid[64];
    int64_t size; /* of the file */
} environment;

/* "--set solver.tolerance=1e-8" */
static naik_status apply_override(naik_log *log, naik_yaml *tree, const char *option,
                                  const char *text)
{
    char origin[256], key[256];
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof key) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s%s: expected KEY=VALUE, such as solver.tolerance=1e-8", option, text);
    }
    snprintf(origin, sizeof origin, "%s%s", option, text);
    snprintf(key, sizeof key, "%.*s", (int)(equals - text), text);
    return naik_yaml_set(log, tree, key, equals + 1, origin);
}

static naik_status apply_environment(naik_log *log, naik_yaml *tree, const char *backend,
                                     const char *grid)
{
    char origin[128], flow[128];
    if (backend != NULL && backend[0] != '\0') {
        snprintf(origin, sizeof origin, "NAIK_BACKEND=%.100s", backend);
        NAIK_PASS(naik_yaml_set(log, tree, "run.backend", backend, origin));
    }
    if (grid != NULL && grid[0] != '\0') {
        int n[NAIK_DIM];
        snprintf(origin, sizeof origin, "NAIK_GRID=%.100s", grid);
        if (naik_text_extents(grid, n)) {
            snprintf(flow, sizeof flow, "[%d, %d, %d, %d]", n[0], n[1], n[2], n[3]);
        } else if (strcmp(grid, "auto") == 0) {
            snprintf(flow, sizeof flow, "auto");
        } else {
            return NAIK_FAIL(log, NAIK_ERR_INPUT,
                             "%s: expected ranks in each direction, such as 1x1x2x4, or auto",
                             origin);
        }
        NAIK_PASS(naik_yaml_set(log, tree, "run.grid", flow, origin));
    }
    return NAIK_OK;
}

/* What the input is made of. */
typedef struct parts {
    const char *name, *bytes;
    size_t size;
    const char *const *overrides; /* [count] */
    int count;
    const char *option;         /* before an override in a sentence: "--set ", or "" of a session */
    const char *backend, *grid; /* NAIK_BACKEND, NAIK_GRID; NULL or "": not given */
    bool stored;                /* out of a file that naik wrote, */
    const char *identity;       /* which has this text; NULL: none */
    const naik_variables *known; /* of the environment; NULL: names of files are as they are */
} parts;

/* The bytes as given, then a line that ends them and a comment line for whatever changed them. */
static naik_status keep_text(naik_log *log, naik_input *input, const parts *from)
{
    const size_t size = from->size;
    size_t total = size + 320;
    for (int i = 0; i < from->count; i++) {
        total += strlen(from->overrides[i]) + 16;
    }
    const char *expanded = input->expanded != NULL ? input->expanded : "";
    char *text = naik_yaml_alloc(input->tree, total + strlen(expanded));
    total += strlen(expanded);
    if (text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input");
    }
    if (size > 0) {
        memcpy(text, from->bytes, size);
    }
    size_t used = size;
    if (size > 0 && text[size - 1] != '\n') {
        text[used++] = '\n';
    }
    used += (size_t)snprintf(text + used, total - used, NAIK_INPUT_END "\n");
    for (int i = 0; i < from->count; i++) {
        used += (size_t)snprintf(text + used, total - used, "# --set %s\n", from->overrides[i]);
    }
    used += (size_t)snprintf(text + used, total - used, "%s", expanded);
    if (from->backend != NULL && from->backend[0] != '\0') {
        used +=
            (size_t)snprintf(text + used, total - used, "# NAIK_BACKEND=%.64s\n", from->backend);
    }
    if (from->grid != NULL && from->grid[0] != '\0') {
        snprintf(text + used, total - used, "# NAIK_GRID=%.64s\n", from->grid);
    }
    input->text = text;
    return NAIK_OK;
}

static naik_status parse(naik_log *log, const parts *from, naik_input **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    naik_input *input = calloc(1, sizeof *input);
    if (input == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input %s", from->name);
    }
    NAIK_TRY(naik_yaml_parse(log, from->name, from->bytes, from->size, &input->tree));
    for (int i = 0; i < from->count; i++) {
        NAIK_TRY(apply_override(log, input->tree, from->option, from->overrides[i]));
    }
    NAIK_TRY(apply_environment(log, input->tree, from->backend, from->grid));
    NAIK_TRY(naik_params_read(log, &naik_input_table, input->tree, input));
    input->kind = naik_quark_kinds[input->action.type];
    if (input->action.projection == 1 && input->kind->su3 != NULL) {
        input->kind = input->kind->su3;
    }
    if (input->solver.method == NAIK_METHOD_AUTO) { /* what goes before multigrid, if it comes */
        const bool choices = input->kind->solvers[1] != NULL;
        input->solver.method_auto = choices;
        input->solver.method = choices && strcmp(input->kind->solvers[0], "cg") == 0
                                   ? NAIK_METHOD_CG
                                   : NAIK_METHOD_BICGSTAB;
    }
    if (input->multigrid_file != NULL && strcmp(input->multigrid_file, "none") == 0) {
        input->multigrid_file = NULL;
    }
    naik_input_count_as(input, from->identity);
    input->lattice.boundary_given = naik_yaml_find(input->tree->root, "lattice.boundary_t") != NULL;
    NAIK_TRY(naik_input_name_files(log, input, from->known));
    NAIK_TRY(naik_input_check(log, input));
    if (!from->stored) {
        NAIK_TRY(naik_input_check_idle(log, input));
        NAIK_TRY(naik_input_check_zones(log, input));
        NAIK_TRY(naik_input_check_asked_baryons(log, input));
        NAIK_TRY(naik_input_check_asked_average(log, input));
    }
    NAIK_TRY(naik_input_expand(log, input));
    if (!from->stored) { /* an earlier version made averages that this one refuses, and its propagators are right */
        NAIK_TRY(naik_input_check_turns(log, input));
    }
    NAIK_TRY(naik_input_check_groups(log, input));
    NAIK_TRY(keep_text(log, input, from));
    *out = input;
    input = NULL;
done:
    naik_input_destroy(&input);
    return status;
}

naik_status naik_input_parse(naik_log *log, const char *name, const char *bytes, size_t size,
                             const char *const *overrides, int count, const char *backend,
                             const char *grid, naik_input **out)
{
    const parts from = {.name = name,
                        .bytes = bytes,
                        .size = size,
                        .overrides = overrides,
                        .count = count,
                        .option = "",
                        .backend = backend,
                        .grid = grid};
    return parse(log, &from, out);
}

naik_status naik_input_parse_stored(naik_log *log, const char *bytes, size_t size,
                                    const char *const *overrides, int count, const char *identity,
                                    const naik_variables *known, naik_input **out)
{
    const parts from = {.name = "the stored input",
                        .bytes = bytes,
                        .size = size,
                        .overrides = overrides,
                        .option = "--set ",
                        .count = count,
                        .stored = true,
                        .identity = identity,
                        .known = known};
    return parse(log, &from, out);
}

void naik_input_column_text(const naik_input *input, int column, char text[NAIK_INPUT_COLUMN_TEXT])
{
    if (input->kind->spin > 1) {
        snprintf(text, NAIK_INPUT_COLUMN_TEXT, "spin=%d colour=%d", column / 3, column % 3);
    } else {
        snprintf(text, NAIK_INPUT_COLUMN_TEXT, "colour=%d", column);
    }
}

const char *naik_input_task_text(const naik_input *input, const naik_input_task *task,
                                 char text[NAIK_INPUT_TASK_TEXT])
{
    char quark[NAIK_QUARK_NAME], column[NAIK_INPUT_COLUMN_TEXT];
    naik_input_column_text(input, task->colour, column);
    snprintf(text, NAIK_INPUT_TASK_TEXT, "source=%s %s %s", input->sources[task->source].label,
             naik_quark_fields(&input->quarks[task->quark], "", 6, quark), column);
    return text;
}

bool naik_input_deflates(const naik_input *input, int quark)
{
    bool deflates = false;
    for (int i = 0; i < input->solve_count; i++) {
        const naik_input_solve *solve = &input->solve[i];
        for (int k = 0; k < solve->masses.count && solve->deflate; k++) {
            deflates = deflates || solve->quark[k] == quark;
        }
    }
    return deflates;
}

int naik_input_first_deflated(const naik_input *input, int quark)
{
    int first = 0;
    while (first < quark &&
           !(naik_input_deflates(input, first) &&
             naik_quark_shares_links(&input->quarks[first], &input->quarks[quark]))) {
        first++;
    }
    return first;
}

/* Of the first entry that has modes, or the one that is said. */
static double first_epsilon(const naik_input *input)
{
    if (input->deflation.epsilon != NULL) {
        return *input->deflation.epsilon;
    }
    for (int i = 0; i < input->solve_count; i++) {
        if (input->solve[i].deflate) {
            return naik_input_quark(input, i, 0)->naik_epsilon;
        }
    }
    return 0;
}

/* A file of the first epsilon, or the one beside it of another. */
static void path_of_epsilon(const naik_input *input, const char *file, double naik_epsilon,
                            char *path)
{
    if (naik_epsilon == first_epsilon(input)) {
        snprintf(path, NAIK_PATH_MAX, "%s", file);
    } else {
        char epsilon[32];
        naik_text_print_real(naik_epsilon, epsilon, sizeof epsilon);
        snprintf(path, NAIK_PATH_MAX, "%s" NAIK_INPUT_OF_EPSILON "%s", file, epsilon);
    }
}

void naik_input_modes_path(const naik_input *input, double naik_epsilon, char *path)
{
    path_of_epsilon(input, input->deflation.file, naik_epsilon, path);
}

void naik_input_import_path(const naik_input *input, double naik_epsilon, char *path)
{
    path[0] = '\0';
    if (input->deflation.import != NULL) {
        path_of_epsilon(input, input->deflation.import, naik_epsilon, path);
    }
}

void naik_input_multigrid_path(const naik_input *input, const naik_quark *quark, char *path)
{
    const double *twist = quark->twist;
    if (naik_twist_same(twist, input->quarks[0].twist)) {
        snprintf(path, NAIK_PATH_MAX, "%s", input->multigrid_file);
    } else {
        char number[NAIK_DIM - 1][32];
        for (int i = 0; i < NAIK_DIM - 1; i++) {
            naik_text_print_real(twist[i], number[i], sizeof number[i]);
        }
        snprintf(path, NAIK_PATH_MAX, "%s" NAIK_INPUT_OF_TWIST "%s_%s_%s", input->multigrid_file,
                 number[0], number[1], number[2]);
    }
}

void naik_input_destroy(naik_input **input)
{
    if (*input != NULL) {
        naik_yaml_destroy(&(*input)->tree);
        free(*input);
        *input = NULL;
    }
}

naik_status naik_input_read_file(naik_log *log, const char *path, char **bytes, int64_t *size)
{
    FILE *file = NULL;
    naik_status status = naik_path_open_text(log, path, &file);
    if (status != NAIK_OK) {
        return status;
    }
    *bytes = malloc(NAIK_YAML_MAX_BYTES + 1);
    if (*bytes == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the input %s", path);
    } else {
        errno = 0;
        *size = (int64_t)fread(*bytes, 1, NAIK_YAML_MAX_BYTES + 1, file);
        if (ferror(file)) {
            status = NAIK_FAIL(log, naik_text_refused(errno), "%s cannot be read: %s", path,
                               strerror(errno));
        }
    }
    fclose(file);
    return status;
}

static naik_status read_variable(naik_log *log, const char *name, char *value, size_t value_size)
{
    const char *text = getenv(name);
    if (text != NULL && strlen(text) >= value_size) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "%s=%.40s...: the value is too long", name, text);
    }
    snprintf(value, value_size, "%s", text != NULL ? text : "");
    return NAIK_OK;
}

/* Everything from outside, on rank 0. */
static naik_status gather_outside(naik_log *log, const char *path, environment *env, char **bytes)
{
    NAIK_PASS(read_variable(log, "NAIK_BACKEND", env->backend, sizeof env->backend));
    NAIK_PASS(read_variable(log, "NAIK_GRID", env->grid, sizeof env->grid));
    return naik_input_read_file(log, path, bytes, &env->size);
}

static void join_hints(const naik_pairs *pairs, char *text, size_t text_size)
{
    text[0] = '\0';
    for (int i = 0; i < pairs->count; i++) {
        naik_text_append(text, text_size, "%s%s=%s", i > 0 ? ";" : "", pairs->data[i].key,
                         pairs->data[i].value);
    }
}

void naik_input_use_io(naik_comm *comm, const naik_input *input)
{
    join_hints(&input->output.mpi_info, comm->io.hints, sizeof comm->io.hints);
    comm->io.alignment = input->output.alignment;
    comm->io.writers = input->output.aggregators;
}

naik_status naik_input_share_bytes(naik_comm *comm, const char *path, int64_t size, char **bytes)
{
    naik_status status = NAIK_OK;
    if (comm->rank != 0) {
        *bytes = malloc((size_t)size + 1);
    }
    if (*bytes == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for the input %s", path);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_comm_broadcast(comm, *bytes, (size_t)size, 0);
}

naik_status naik_input_load(naik_comm *comm, const char *path, const char *const *overrides,
                            int count, naik_input **out)
{
    naik_status status = NAIK_OK;
    environment env = {.size = 0};
    naik_variables known = {.size = 0};
    char *bytes = NULL;
    *out = NULL;
    if (comm->rank == 0) {
        status = gather_outside(comm->log, path, &env, &bytes);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_broadcast(comm, &env, sizeof env, 0));
    NAIK_TRY(naik_input_share_bytes(comm, path, env.size, &bytes));
    NAIK_TRY(naik_variables_read(comm, bytes, (size_t)env.size, overrides, count, &known));
    const parts from = {.name = path,
                        .bytes = bytes,
                        .size = (size_t)env.size,
                        .overrides = overrides,
                        .option = "--set ",
                        .count = count,
                        .backend = env.backend,
                        .grid = env.grid,
                        .known = &known};
    status = naik_comm_agree(comm, parse(comm->log, &from, out));
    if (status != NAIK_OK) {
        naik_input_destroy(out);
    } else {
        naik_input_use_io(comm, *out);
    }
done:
    naik_variables_clear(&known);
    free(bytes);
    return status;
}

void naik_input_print_reference(naik_log *log)
{
    naik_params_print_reference(log, &naik_input_table);
}

naik_status naik_input_print_schema(naik_log *log)
{
    return naik_params_print_schema(log, &naik_input_table, "input of naik solve");
}
