/* import_milc_cmd.c - `naik import-milc INPUT [-o OUT.yaml]`: a ks_spectrum input for naik
 *
 * What is written has passed the checks that `naik solve` makes. Rank 0 does everything.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "cli/commands.h"
#include "cli/milc_input.h"
#include "comm/paths.h"
#include "input/input.h"

static const char *const actions[] = {"auto", "hisq", "asqtad", "naive", NULL};
enum { ACTION_AUTO, ACTION_HISQ, ACTION_ASQTAD, ACTION_NAIVE };

typedef struct job {
    naik_log *log;
    const char *path, *out; /* out: NULL for standard output */
    bool replace;
    int action;
    char *bytes, *notes, *yaml;
    size_t size, notes_size, yaml_size;
    milc_input *input;
} job;

static naik_status read_bytes(job *j)
{
    FILE *file = NULL;
    naik_status status = naik_path_open_text(j->log, j->path, &file);
    if (status != NAIK_OK) {
        return status;
    }
    errno = 0;
    j->bytes = malloc(MILC_MAX_BYTES + 1);
    j->size = j->bytes != NULL ? fread(j->bytes, 1, MILC_MAX_BYTES + 1, file) : 0;
    if (j->bytes == NULL) {
        status = NAIK_FAIL(j->log, NAIK_ERR_MEMORY, "no memory for the input %s", j->path);
    } else if (ferror(file)) {
        status =
            NAIK_FAIL(j->log, NAIK_ERR_INPUT, "%s cannot be read: %s", j->path, strerror(errno));
    } else if (j->size > MILC_MAX_BYTES) {
        status = NAIK_FAIL(j->log, NAIK_ERR_INPUT, "%s has more than %d bytes: no input file",
                           j->path, MILC_MAX_BYTES);
    }
    fclose(file);
    return status;
}

static naik_status parse(job *j)
{
    j->input = calloc(1, sizeof *j->input);
    FILE *notes = open_memstream(&j->notes, &j->notes_size);
    if (j->input == NULL || notes == NULL) {
        if (notes != NULL) {
            fclose(notes);
        }
        return NAIK_FAIL(j->log, NAIK_ERR_MEMORY, "no memory for the input %s", j->path);
    }
    j->input->notes = notes;
    naik_status status = milc_input_read(j->log, j->path, j->bytes, j->size, j->input);
    if (status == NAIK_OK && j->action == ACTION_AUTO) {
        j->action = j->input->has_epsilon ? ACTION_HISQ : ACTION_ASQTAD;
        if (!j->input->has_epsilon) {
            fprintf(notes, "no naik_term_epsilon: action asqtad; --action says otherwise\n");
        }
    } else if (status == NAIK_OK && j->action != ACTION_HISQ && j->input->has_epsilon) {
        status = NAIK_FAIL(j->log, NAIK_ERR_INPUT,
                           "%s has naik_term_epsilon and so is for hisq, not for %s", j->path,
                           actions[j->action]);
    }
    fclose(notes);
    j->input->notes = NULL;
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

static naik_status translate(job *j)
{
    char name[256];
    naik_input *check = NULL;
    FILE *yaml = open_memstream(&j->yaml, &j->yaml_size);
    if (yaml == NULL) {
        return NAIK_FAIL(j->log, NAIK_ERR_MEMORY, "no memory for the translation");
    }
    output_name(j->out != NULL ? j->out : j->path, name, sizeof name);
    milc_yaml_write(j->input, j->path, actions[j->action], name, j->notes, yaml);
    if (fclose(yaml) != 0) {
        return NAIK_FAIL(j->log, NAIK_ERR_MEMORY, "no memory for the translation");
    }
    const char *as = j->out != NULL ? j->out : "translation";
    naik_status status =
        naik_input_parse(j->log, as, j->yaml, j->yaml_size, NULL, 0, NULL, NULL, &check);
    naik_input_destroy(&check);
    return status;
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
        return NAIK_FAIL(j->log, NAIK_ERR_INPUT, "%s cannot be written: %s", j->out,
                         strerror(errno));
    }
    const bool written = fwrite(j->yaml, 1, j->yaml_size, file) == j->yaml_size;
    if (fclose(file) != 0 || !written) {
        return NAIK_FAIL(j->log, NAIK_ERR_IO, "%s cannot be written: %s", j->out, strerror(errno));
    }
    naik_log_line(j->log, "wrote %s: %d propagators; next: naik solve %s --dry-run", j->out,
                  j->input->propagator_count, j->out);
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
    naik_status status = NAIK_OK;
    NAIK_TRY(read_bytes(j));
    NAIK_TRY(parse(j));
    NAIK_TRY(translate(j));
    NAIK_TRY(write_out(j));
    report_notes(j);
done:
    return status;
}

naik_status naik_command_import_milc(naik_comm *comm, int argc, char **argv)
{
    job j = {.log = comm->log};
    const naik_option options[] = {
        {.name = "output", .letter = 'o', .kind = NAIK_OPTION_TEXT, .target = &j.out},
        {.name = "action", .kind = NAIK_OPTION_CHOICE, .target = &j.action, .choices = actions},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    const char *const operands[] = {"INPUT"};
    naik_status status =
        naik_options_parse(comm->log, "import-milc", argc, argv, options,
                           (int)(sizeof options / sizeof *options), operands, 1, &j.path);
    status = status != NAIK_OK ? status : naik_path_refuse_output(comm, "-o", j.out);
    if (status == NAIK_OK && comm->rank == 0) {
        j.replace = comm->io.replace;
        status = work(&j);
    }
    free(j.bytes);
    free(j.notes);
    free(j.yaml);
    free(j.input);
    return naik_comm_agree(comm, status);
}
