/* import_milc_cmd.c - `naik import-milc INPUT [-o OUT.yaml]`: an input of ks_spectrum or ks_measure for naik
 *
 * What is written has passed the checks that `naik solve` makes. What naik cannot do is refused, all
 * of it at once, or left out and listed (--propagators-only). Rank 0 does everything.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "base/text.h"
#include "cli/commands.h"
#include "comm/paths.h"
#include "input/input_table.h"
#include "keys/yaml.h"
#include "milc/milc_input.h"

#define TRANSLATION "translation" /* until it has a name */

static const char *const actions[] = {"auto", "hisq", "asqtad", "naive", NULL};
enum { ACTION_AUTO, ACTION_HISQ, ACTION_ASQTAD, ACTION_NAIVE };

typedef struct job {
    naik_log *log;
    const char *path, *out; /* out: NULL for standard output */
    bool replace, propagators_only;
    int action;
    char *bytes, *notes, *obstacles, *yaml;
    int64_t size;
    size_t notes_size, obstacles_size, yaml_size;
    int dropped;
    milc_input *input;
} job;

static naik_status read_bytes(job *j)
{
    NAIK_PASS(naik_input_read_file(j->log, j->path, &j->bytes, &j->size));
    return j->size <= NAIK_YAML_MAX_BYTES
               ? NAIK_OK
               : NAIK_FAIL(j->log, NAIK_ERR_INPUT, "%s has more than %d bytes: no input file",
                           j->path, NAIK_YAML_MAX_BYTES);
}

static naik_status choose_action(job *j)
{
    if (j->action == ACTION_AUTO) {
        j->action = j->input->has_epsilon ? ACTION_HISQ : ACTION_ASQTAD;
        if (!j->input->has_epsilon) {
            fprintf(j->input->notes,
                    "no naik_term_epsilon: action asqtad; --action says otherwise\n");
        }
    } else if (j->action != ACTION_HISQ && j->input->has_epsilon) {
        return NAIK_FAIL(j->log, NAIK_ERR_INPUT,
                         "%s has naik_term_epsilon and so is for hisq, not for %s", j->path,
                         actions[j->action]);
    }
    return NAIK_OK;
}

/* Tells the obstacles: notes with --propagators-only; else one is the error, and of several each is
 * a warning before the error that counts them. */
static naik_status tell_obstacles(job *j)
{
    const char *line = j->obstacles;
    if (j->dropped == 1 && !j->propagators_only) {
        return NAIK_FAIL(j->log, NAIK_ERR_INPUT, "%s:%.*s", j->path, (int)strcspn(line, "\n"),
                         line);
    }
    while (*line != '\0') {
        const int length = (int)strcspn(line, "\n");
        if (j->propagators_only) {
            fprintf(j->input->notes, "dropped, line %.*s\n", length, line);
        } else {
            naik_log_warn(j->log, "%s:%.*s", j->path, length, line);
        }
        line += length + (line[length] == '\n');
    }
    return j->dropped == 0 || j->propagators_only
               ? NAIK_OK
               : NAIK_FAIL(
                     j->log, NAIK_ERR_INPUT,
                     "%s: these %d things cannot be expressed; --propagators-only leaves them "
                     "out and stores the %d propagator%s that naik can solve",
                     j->path, j->dropped, j->input->propagator_count,
                     j->input->propagator_count == 1 ? "" : "s");
}

static naik_status judge(job *j)
{
    const milc_input *in = j->input;
    NAIK_PASS(tell_obstacles(j));
    if (in->propagator_count == 0) {
        return NAIK_FAIL(j->log, NAIK_ERR_INPUT, "%s: no propagator is left that naik can solve",
                         j->path);
    }
    bool any = in->stores || in->loops || in->nucleon || in->delta || in->hadron_count > 0 ||
               in->condensate_count > 0;
    for (int i = 0; i < NAIK_FIRST_CURRENT; i++) {
        any = any || in->mesons[i];
    }
    return any ? NAIK_OK
               : NAIK_FAIL(j->log, NAIK_ERR_INPUT,
                           "%s: nothing would be written: every propagator is forgotten and no "
                           "correlator asked for; --propagators-only stores them",
                           j->path);
}

static naik_status parse(job *j)
{
    naik_status status = NAIK_OK;
    milc_words w = {.log = j->log,
                    .name = j->path,
                    .at = j->bytes,
                    .end = j->bytes + (size_t)j->size,
                    .line = 1};
    j->input = calloc(1, sizeof *j->input);
    FILE *notes = open_memstream(&j->notes, &j->notes_size);
    w.obstacles = open_memstream(&j->obstacles, &j->obstacles_size);
    if (j->input == NULL || notes == NULL || w.obstacles == NULL) {
        status = NAIK_FAIL(j->log, NAIK_ERR_MEMORY, "no memory for the input %s", j->path);
        goto done;
    }
    j->input->notes = notes;
    NAIK_TRY(milc_input_read(&w, j->input));
    fflush(w.obstacles);
    j->dropped = w.obstacle_count;
    j->input->stores = j->input->stores || j->propagators_only;
    NAIK_TRY(judge(j));
    NAIK_TRY(choose_action(j));
done:
    if (notes != NULL) {
        fclose(notes);
    }
    if (w.obstacles != NULL) {
        fclose(w.obstacles);
    }
    if (j->input != NULL) {
        j->input->notes = NULL;
    }
    return status;
}

/* "dir/run.in" to "run.h5", in the folder where the run will be. */
static void output_name(const char *path, char *name, size_t name_size)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t length = dot != NULL && dot > base ? (size_t)(dot - base) : strlen(base);
    snprintf(name, name_size, "%.*s.h5", (int)(length < 200 ? length : 200), base);
}

/* The line of MILC's input that line `number` of the translation comes from, or 0: each entry of solve tells its own. */
static int line_before(const job *j, int number)
{
    int line = 0;
    const char *at = j->yaml;
    for (int i = 0; i < number && *at != '\0'; i++) {
        const char *end = at + strcspn(at, "\n"), *told = strstr(at, "  # line ");
        if (*at != ' ') { /* a section begins */
            line = 0;
        } else if (told != NULL && told < end) {
            sscanf(told, "  # line %d", &line);
        }
        at = end + (*end == '\n');
    }
    return line;
}

/* A check of naik refused the translation, which nobody has seen: its sentence names the line of MILC's input. */
static naik_status refuse_by_line(job *j)
{
    int number = 0, column = 0, length = 0;
    naik_log_failure failure;
    naik_log_failure_get(j->log, &failure);
    sscanf(failure.message, TRANSLATION ":%d:%d: %n", &number, &column, &length);
    const int line = line_before(j, number);
    naik_log_clear(j->log);
    return line > 0
               ? NAIK_FAIL(j->log, NAIK_ERR_INPUT, "%s:%d: %s", j->path, line,
                           failure.message + length)
               : NAIK_FAIL(j->log, NAIK_ERR_INPUT, "%s: %s", j->path, failure.message + length);
}

static naik_status translate(job *j)
{
    char name[256];
    naik_input *check = NULL;
    FILE *yaml = open_memstream(&j->yaml, &j->yaml_size);
    if (yaml == NULL) {
        return NAIK_FAIL(j->log, NAIK_ERR_MEMORY, "no memory for the translation");
    }
    output_name(j->out != NULL ? j->out : j->path, name, sizeof name);
    const bool written =
        milc_yaml_write(j->input, j->path, actions[j->action], name, j->notes, yaml);
    if (fclose(yaml) != 0 || !written) {
        return NAIK_FAIL(j->log, NAIK_ERR_MEMORY, "no memory for the translation");
    }
    naik_status status =
        naik_input_parse(j->log, TRANSLATION, j->yaml, j->yaml_size, NULL, 0, NULL, NULL, &check);
    naik_input_destroy(&check);
    return status == NAIK_ERR_INPUT ? refuse_by_line(j) : status;
}

/* A file that is there stays: somebody may have edited it. */
static naik_status write_out(const job *j)
{
    if (j->out == NULL) {
        naik_log_line(j->log, "%.*s", (int)(j->yaml_size - 1), j->yaml);
        return NAIK_OK;
    }
    FILE *file = fopen(j->out, j->replace ? "w" : "wx");
    if (file == NULL) {
        return NAIK_FAIL(j->log, naik_text_refused(errno), "%s cannot be written: %s", j->out,
                         strerror(errno));
    }
    const bool written = fwrite(j->yaml, 1, j->yaml_size, file) == j->yaml_size;
    if (fclose(file) != 0 || !written) {
        return NAIK_FAIL(j->log, NAIK_ERR_IO, "%s cannot be written: %s", j->out, strerror(errno));
    }
    naik_log_line(j->log, "wrote %s: %d propagator%s, %d thing%s dropped; next:", j->out,
                  j->input->propagator_count, j->input->propagator_count == 1 ? "" : "s",
                  j->dropped, j->dropped == 1 ? "" : "s");
    if (j->input->gauge != MILC_UNFIXED) {
        naik_log_line(j->log, "    naik gauge fix %s -o %s --gauge %s", j->input->gauge_file,
                      j->input->fixed_file, j->input->gauge == MILC_COULOMB ? "coulomb" : "landau");
    }
    naik_log_line(j->log, "    naik solve %s --dry-run", j->out);
    return NAIK_OK;
}

static void report_notes(const job *j)
{
    const char *note = j->notes;
    while (*note != '\0') {
        const size_t length = strcspn(note, "\n");
        naik_log_warn(j->log, "%.*s", (int)length, note);
        note += length + (note[length] == '\n');
    }
}

static naik_status work(job *j)
{
    NAIK_PASS(read_bytes(j));
    NAIK_PASS(parse(j));
    NAIK_PASS(translate(j));
    NAIK_PASS(write_out(j));
    report_notes(j);
    return NAIK_OK;
}

naik_status naik_command_import_milc(naik_comm *comm, int argc, char **argv)
{
    job j = {.log = comm->log};
    const naik_option options[] = {
        {.name = "output", .letter = 'o', .kind = NAIK_OPTION_TEXT, .target = &j.out},
        {.name = "action", .kind = NAIK_OPTION_CHOICE, .target = &j.action, .choices = actions},
        {.name = "propagators-only", .kind = NAIK_OPTION_FLAG, .target = &j.propagators_only},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    const char *const operands[] = {"INPUT"};
    naik_status status =
        naik_options_parse(comm->log, "import-milc", argc, argv, options,
                           (int)(sizeof options / sizeof *options), operands, 1, &j.path);
    status = status != NAIK_OK ? status : naik_path_refuse_input(comm, "-o", j.out, &j.path, 1);
    status = status != NAIK_OK ? status : naik_path_refuse_output(comm, "-o", j.out);
    if (status == NAIK_OK && comm->rank == 0) {
        j.replace = comm->io.replace;
        status = work(&j);
    }
    free(j.bytes);
    free(j.notes);
    free(j.obstacles);
    free(j.yaml);
    free(j.input);
    return naik_comm_agree(comm, status);
}
