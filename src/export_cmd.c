/* export_cmd.c - `naik export PROP.h5 --to usqcd -o FILE`: propagators for other codes
 *
 * The solutions are in the file; their sources are made again, or read again, from the input that
 * the file carries. That input must still mean what it meant: its canonical text is compared with
 * the one that was stored beside it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naik/commands.h"
#include "naik/input.h"
#include "naik/memory.h"
#include "naik/options.h"
#include "naik/propagator_file.h"
#include "naik/propagator_view.h"
#include "naik/vector_io.h"

enum { MAX_OVERRIDES = 256, PATH_SIZE = 4096 };

typedef struct job {
    naik_comm *comm;
    const char *path, *out;
    int source, mass; /* the one asked for; -1: all */
    naik_propagator_view *view;
    naik_input *input;
    naik_lattice *lattice;
    naik_propagator_file *file;
    void *vectors[2]; /* [sites][3][2]: source, solution */
} job;

static const char *text_of(const job *j, const char *name)
{
    for (int i = 0; i < j->view->text_count; i++) {
        if (strcmp(j->view->texts[i].name, name) == 0) {
            return j->view->texts[i].text;
        }
    }
    return NULL;
}

static bool begins_with(const char *line, const char *words)
{
    return strncmp(line, words, strlen(words)) == 0;
}

/* The last lines of the stored input tell what replaced keys on the command line; cuts them off
 * and points at their overrides. */
static int take_overrides(char *text, const char *overrides[MAX_OVERRIDES])
{
    static const char set[] = "# --set ";
    int count = 0;
    char *block = text + strlen(text);
    for (char *at = block; at > text; at = block) {
        char *line = at - 1;
        while (line > text && line[-1] != '\n') {
            line--;
        }
        if (!begins_with(line, set) && !begins_with(line, "# NAIK_")) {
            break;
        }
        block = line;
    }
    for (char *line = block; line != NULL && *line != '\0' && count < MAX_OVERRIDES;) {
        char *end = strchr(line, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        if (begins_with(line, set)) {
            overrides[count++] = line + strlen(set);
        }
        if (line == block) {
            *line = '\0'; /* here the input ends; its overrides begin further on */
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return count;
}

static naik_status rebuild_input(job *j)
{
    naik_log *log = j->comm->log;
    const char *overrides[MAX_OVERRIDES];
    const char *stored = text_of(j, "input_text"), *canonical = text_of(j, "canonical_input");
    char *text = stored != NULL && canonical != NULL ? strdup(stored) : NULL;
    if (text == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "'%s' does not carry the input that made it, so that its sources cannot "
                         "be written",
                         j->path);
    }
    const int count = take_overrides(text, overrides);
    naik_status status = naik_input_parse(log, "the stored input", text, strlen(text), overrides,
                                          count, NULL, NULL, &j->input);
    if (status == NAIK_OK && strcmp(j->input->identity, canonical) != 0) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "the input that '%s' carries does not mean to this version what it "
                           "meant to its writer, so that its sources cannot be written",
                           j->path);
    }
    free(text);
    return status;
}

static naik_status open_all(job *j)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = j->comm;
    int precision;
    NAIK_TRY(naik_comm_agree(comm, naik_propagator_view_open(comm->log, j->path, 0, &j->view)));
    NAIK_TRY(naik_comm_agree(comm, rebuild_input(j)));
    NAIK_TRY(naik_lattice_create(comm, j->view->size, NULL, &j->lattice));
    NAIK_TRY(naik_propagator_file_open_finished(j->lattice, j->path, &j->file));
    if (!naik_propagator_file_stores(j->file, &precision)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' holds correlators only: output.propagators was false", j->path);
        goto done;
    }
    if (naik_propagator_file_solves(j->file) != j->input->task_count) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "'%s' holds %d solves, but its input asks for %d", j->path,
                           naik_propagator_file_solves(j->file), j->input->task_count);
        goto done;
    }
    for (int i = 0; i < 2 && status == NAIK_OK; i++) {
        status = naik_alloc(comm->log, (size_t)j->lattice->sites * 6 * sizeof(double), "a vector",
                            &j->vectors[i]);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
done:
    return status;
}

static naik_status make_source(job *j, const naik_input_source *source, int colour, double *out)
{
    naik_status status = NAIK_OK;
    naik_vector_file *file = NULL;
    if (source->source.type != NAIK_SOURCE_FILE) {
        return naik_source_fill(j->lattice, &source->source, colour, out);
    }
    NAIK_TRY(naik_vector_file_open(j->comm, j->input->solve[source->solve].source_file, &file));
    NAIK_TRY(naik_vector_file_read(file, j->lattice,
                                   file->has_sources ? NAIK_VECTOR_SOURCE : NAIK_VECTOR_SOLUTION,
                                   colour, out));
done:
    naik_vector_file_close(&file);
    return status;
}

/* For the file's own XML: paths may hold what XML must not. */
static void describe(const job *j, const naik_input_source *source, int mass, char *text,
                     size_t text_size)
{
    const naik_input_solve *solve = &j->input->solve[source->solve];
    const char *gauge = j->input->gauge.file != NULL ? j->input->gauge.file : j->input->action.file;
    snprintf(text, text_size,
             "written by naik from %.300s, set %s\nlinks from %.300s\nt boundary %s\nmass %.17g\n"
             "naik_epsilon %.17g\n(2 mass + D) solution = source",
             j->path, source->label, gauge,
             j->input->lattice.antiperiodic_t ? "antiperiodic" : "periodic",
             solve->masses.data[mass], solve->naik_epsilon.data[mass]);
    for (char *c = text; *c != '\0'; c++) {
        *c = strchr("<>&", *c) != NULL ? '_' : *c;
    }
}

static naik_status export_one(job *j, const naik_input_source *source, int mass, const char *out)
{
    naik_status status = NAIK_OK;
    naik_pair_writer *writer = NULL;
    char info[2048];
    int precision;
    naik_propagator_file_stores(j->file, &precision);
    describe(j, source, mass, info, sizeof info);
    NAIK_TRY(naik_pair_writer_create(j->lattice, out, precision, info, &writer));
    for (int colour = 0; colour < 3; colour++) {
        const int solve = naik_propagator_file_solve(j->file, source->index, mass, colour);
        NAIK_TRY(naik_comm_agree(j->comm, make_source(j, source, colour, j->vectors[0])));
        NAIK_TRY(naik_propagator_file_read_solution(j->file, solve, j->vectors[1]));
        NAIK_TRY(naik_pair_writer_add(writer, j->vectors[0], j->vectors[1],
                                      naik_source_name(source->source.type)));
    }
    NAIK_TRY(naik_pair_writer_finish(&writer));
    naik_log_line(j->comm->log, "wrote %s: %s, mass %.10g, 3 pairs, %d bit, verified", out,
                  source->label, j->input->solve[source->solve].masses.data[mass], precision);
done:
    naik_pair_writer_abandon(&writer);
    return status;
}

/* FILE, or FILE.s0001.m00 where several propagators are written. */
static naik_status export_wanted(job *j)
{
    naik_status status = NAIK_OK;
    char name[PATH_SIZE];
    int wanted = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int s = 0; s < j->input->source_count; s++) {
            const naik_input_source *source = &j->input->sources[s];
            const int masses = j->input->solve[source->solve].masses.count;
            for (int m = 0; m < masses; m++) {
                if ((j->source >= 0 && s != j->source) || (j->mass >= 0 && m != j->mass)) {
                    continue;
                }
                if (pass == 0) {
                    wanted++;
                    continue;
                }
                snprintf(name, sizeof name, "%s.s%04d.m%02d", j->out, s, m);
                NAIK_TRY(export_one(j, source, m, wanted > 1 ? name : j->out));
            }
        }
    }
    if (wanted == 0) {
        status = NAIK_FAIL(j->comm->log, NAIK_ERR_INPUT,
                           "'%s' has no source %d with a mass %d: sources are 0 to %d", j->path,
                           j->source, j->mass, j->input->source_count - 1);
    }
done:
    return status;
}

naik_status naik_command_export(naik_comm *comm, int argc, char **argv)
{
    static const char *const formats[] = {"usqcd", NULL};
    static const char *const operands[] = {"PROP.h5"};
    job j = {.comm = comm, .source = -1, .mass = -1};
    int format = 0;
    const naik_option options[] = {
        {.name = "to", .kind = NAIK_OPTION_CHOICE, .target = &format, .choices = formats},
        {.name = "output",
         .letter = 'o',
         .kind = NAIK_OPTION_TEXT,
         .target = &j.out,
         .required = true},
        {.name = "source", .kind = NAIK_OPTION_INT, .target = &j.source, .min = 0, .max = 1e6},
        {.name = "mass", .kind = NAIK_OPTION_INT, .target = &j.mass, .min = 0, .max = 1e6}};
    naik_status status =
        naik_options_parse(comm->log, "export", argc, argv, options,
                           (int)(sizeof options / sizeof *options), operands, 1, &j.path);
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(open_all(&j));
    NAIK_TRY(export_wanted(&j));
done:
    naik_free(j.vectors[0]);
    naik_free(j.vectors[1]);
    naik_propagator_file_close(&j.file);
    naik_lattice_destroy(&j.lattice);
    naik_input_destroy(&j.input);
    naik_propagator_view_destroy(&j.view);
    return status;
}
