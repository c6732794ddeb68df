/* export_cmd.c - `naik export PROP.h5 --to usqcd|qdp|grid -o FILE`: propagators for other codes
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/text.h"
#include "cli/commands.h"
#include "comm/paths.h"
#include "io/output.h"
#include "io/vectors/vector_io.h"
#include "lattice/source_kind.h"
#include "stored/stored_sources.h"

enum { PATH_SIZE = 4096, SOURCE_TEXT = 384 };

enum { TO_USQCD, TO_QDP, TO_GRID, FORMATS };

/* Formats that hold a propagator as one field of matrices; the other one is of pairs. */
static const struct matrix_format {
    const char *said;
    naik_propagator_write *write; /* NULL: of pairs */
    bool spin_only;
} matrix_formats[FORMATS] = {
    [TO_QDP] = {"a LatticePropagator", naik_qdp_propagator_write, true},
    [TO_GRID] = {"a field of Grid", naik_grid_propagator_write, false},
};

typedef struct job {
    naik_comm *comm;
    const char *path, *out, *mass_text;
    int source, mass; /* the one asked for; -1: all */
    int format;
    int columns; /* of a propagator: 3, of quarks with spin 12 */
    bool allow_unconverged;
    stored_run run;
    stored_sources sources;
    void *vectors[2]; /* [sites][spin][3][2]: source, solution; or the second all columns */
} job;

static naik_status allocate(job *j)
{
    naik_status status = NAIK_OK;
    const size_t bytes = (size_t)(j->columns / 3) * naik_lattice_vector_bytes(j->run.lattice);
    status = naik_alloc(j->comm->log, bytes, "a vector", &j->vectors[0]);
    if (status == NAIK_OK) {
        const size_t held = matrix_formats[j->format].write != NULL ? (size_t)j->columns : 1;
        status = naik_alloc(j->comm->log, held * bytes, "a propagator", &j->vectors[1]);
    }
    return naik_comm_agree(j->comm, status);
}

static const naik_solve_record *record_of(const job *j, const naik_input_source *source, int mass,
                                          int colour)
{
    return naik_propagator_file_record(
        j->run.file, naik_propagator_file_solve(j->run.file, source->index, mass, colour));
}

/* Solves of one propagator that missed their tolerance. */
static int count_unconverged(const job *j, const naik_input_source *source, int mass)
{
    int count = 0;
    for (int column = 0; column < j->columns; column++) {
        count += record_of(j, source, mass, column)->state == NAIK_SOLVE_NOT_CONVERGED;
    }
    return count;
}

/* "random_wall, operator GX-G1", as a record tells it. */
static void name_source(const naik_source *source, char text[SOURCE_TEXT])
{
    snprintf(text, SOURCE_TEXT, "%s%s%s", naik_source_name(source->type),
             source->spin_taste != 0 ? ", operator " : "",
             source->spin_taste != 0 ? naik_input_correlator_name(source->spin_taste) : "");
}

/* "random_wall, operator GX-G1, on one time slice, noise Z2, seed 7": all that decides its numbers but place
 * and momentum. hops: sites per hop of smearing */
static void tell_source(const naik_source *source, int hops, char text[SOURCE_TEXT])
{
    const naik_source_kind *kind = naik_source_kind_of(source->type);
    char name[SOURCE_TEXT], where[SOURCE_TEXT / 3], numbers[SOURCE_TEXT / 3] = "", seed[32] = "";
    name_source(source, name);
    naik_source_where(source, where, sizeof where);
    if (kind->say != NULL) {
        kind->say(source, hops, numbers, sizeof numbers);
    }
    if (kind->random) {
        snprintf(seed, sizeof seed, ", seed %llu", (unsigned long long)source->seed);
    }
    snprintf(text, SOURCE_TEXT, "%.90s, on %s%s%s%s", name, where, numbers[0] != '\0' ? ", " : "",
             numbers, seed);
}

/* For the file's own XML: paths may hold what XML must not. */
static void describe(const job *j, const naik_input_source *source, int mass, char *text,
                     size_t text_size)
{
    const naik_quark *quark = naik_input_quark(j->run.input, source->solve, mass);
    const char *gauge =
        j->run.input->gauge.file != NULL ? j->run.input->gauge.file : j->run.input->action.file;
    const int *at = source->source.origin, *p = source->source.momentum;
    char numbers[NAIK_QUARK_TEXT], kind[SOURCE_TEXT];
    naik_quark_text(quark, "\n", 17, numbers);
    tell_source(&source->source, j->run.input->kind->stride, kind);
    snprintf(text, text_size,
             "written by naik from %.300s, set %s\nsource %s; place %d %d %d %d, momentum %d %d "
             "%d\nlinks "
             "from %.300s\nt boundary %s\naction %s\n%s\n%s",
             j->path, source->label, kind, at[0], at[1], at[2], at[3], p[0], p[1], p[2], gauge,
             j->run.input->lattice.antiperiodic_t ? "antiperiodic" : "periodic", quark->kind->name,
             numbers, quark->kind->equation);
    const double *twist = naik_quark_twist(quark);
    if (twist != NULL) {
        naik_text_append(text, text_size, "\ntwist %.17g %.17g %.17g", twist[0], twist[1],
                         twist[2]);
    }
    if (count_unconverged(j, source, mass) > 0) {
        naik_text_append(text, text_size, "\nNOT CONVERGED: residuals");
        for (int column = 0; column < j->columns; column++) {
            naik_text_append(text, text_size, " %.3e",
                             record_of(j, source, mass, column)->true_residual);
        }
        naik_text_append(text, text_size, ", tolerance %.3e",
                         record_of(j, source, mass, 0)->target);
    }
    for (char *c = text; *c != '\0'; c++) {
        *c = (char)(strchr("<>&", *c) != NULL ? '_' : *c);
    }
}

/* Whether `out` may be written, which is asked for every file before the first is begun. */
static naik_status spare(const job *j, const naik_input_source *source, const char *out)
{
    const naik_input *input = j->run.input;
    const char *const inputs[] = {j->path, input->gauge.file, input->action.file,
                                  input->action.long_file, input->solve[source->solve].source_file};
    NAIK_PASS(naik_path_refuse_input(j->comm, "-o", out, inputs, 5));
    return naik_output_refuse(j->comm, "-o", out);
}

static naik_status export_pairs(job *j, const naik_input_source *source, int mass, const char *out,
                                const char *info, int precision)
{
    naik_status status = NAIK_OK;
    naik_pair_writer *writer = NULL;
    char kind[SOURCE_TEXT], quark[NAIK_QUARK_NAME];
    name_source(&source->source, kind);
    NAIK_TRY(
        naik_pair_writer_create(j->run.lattice, out, j->columns / 3, precision, info, &writer));
    for (int column = 0; column < j->columns; column++) {
        const int solve = naik_propagator_file_solve(j->run.file, source->index, mass, column);
        NAIK_TRY(naik_comm_agree(j->comm,
                                 stored_sources_make(&j->sources, source, column, j->vectors[0])));
        NAIK_TRY(naik_propagator_file_read_solution(j->run.file, solve, j->vectors[1]));
        NAIK_TRY(naik_pair_writer_add(writer, j->vectors[0], j->vectors[1], kind));
    }
    NAIK_TRY(naik_pair_writer_finish(&writer));
    naik_log_line(j->comm->log, "wrote %s: %s, %s, %d pairs, %d bit, verified", out, source->label,
                  naik_quark_phrase(naik_input_quark(j->run.input, source->solve, mass), 10, quark),
                  j->columns, precision);
done:
    naik_pair_writer_abandon(&writer);
    return status;
}

static naik_status export_matrices(job *j, const naik_input_source *source, int mass,
                                   const char *out, const char *info, int precision)
{
    const struct matrix_format *format = &matrix_formats[j->format];
    const size_t reals = (size_t)j->run.lattice->sites * 2 * (size_t)j->columns;
    double *columns = j->vectors[1];
    char quark[NAIK_QUARK_NAME];
    for (int column = 0; column < j->columns; column++) {
        const int solve = naik_propagator_file_solve(j->run.file, source->index, mass, column);
        NAIK_PASS(naik_propagator_file_read_solution(j->run.file, solve,
                                                     columns + (size_t)column * reals));
    }
    NAIK_PASS(format->write(j->run.lattice, out, j->columns / 3, precision, info, columns));
    naik_log_line(j->comm->log, "wrote %s: %s, %s, %s, %d bit, verified", out, source->label,
                  naik_quark_phrase(naik_input_quark(j->run.input, source->solve, mass), 10, quark),
                  format->said, precision);
    return NAIK_OK;
}

static naik_status export_one(job *j, const naik_input_source *source, int mass, const char *out)
{
    char info[2048];
    int precision;
    naik_propagator_file_stores(j->run.file, &precision);
    describe(j, source, mass, info, sizeof info);
    return matrix_formats[j->format].write != NULL
               ? export_matrices(j, source, mass, out, info, precision)
               : export_pairs(j, source, mass, out, info, precision);
}

/* Before anything is written. */
static naik_status answer_unconverged(const job *j, int count, int asked)
{
    naik_log *log = j->comm->log;
    if (!j->allow_unconverged) {
        return NAIK_FAIL(log, NAIK_ERR_NOT_CONVERGED,
                         "%d of the %d solves to be exported did not reach their tolerance: see "
                         "`naik info %s`; --allow-unconverged exports them as they are",
                         count, asked, j->path);
    }
    naik_log_warn(log, "%d of the %d exported solves did not reach their tolerance", count, asked);
    return NAIK_OK;
}

static naik_status refuse_part(const job *j, const naik_input_source *source)
{
    return naik_input_is_whole(&j->run.input->solve[source->solve])
               ? NAIK_OK
               : NAIK_FAIL(j->comm->log, NAIK_ERR_INPUT,
                           "'%s' has not all three colours of source %s: it is no propagator, and "
                           "not exported",
                           j->path, source->label);
}

/* FILE, or FILE.s0001.m00 where several propagators are written. */
static naik_status export_wanted(job *j)
{
    char name[PATH_SIZE];
    int wanted = 0, unconverged = 0;
    for (int pass = 0; pass < 3; pass++) {
        for (int s = 0; s < j->run.input->source_count; s++) {
            const naik_input_source *source = &j->run.input->sources[s];
            const int masses = j->run.input->solve[source->solve].masses.count;
            for (int m = 0; m < masses; m++) {
                if ((j->source >= 0 && s != j->source) || (j->mass >= 0 && m != j->mass)) {
                    continue;
                }
                if (pass == 0) {
                    NAIK_PASS(refuse_part(j, source));
                    wanted++;
                    unconverged += count_unconverged(j, source, m);
                    continue;
                }
                snprintf(name, sizeof name, "%s.s%04d.m%02d", j->out, s, m);
                const char *out = wanted > 1 ? name : j->out;
                NAIK_PASS(pass == 1 ? spare(j, source, out) : export_one(j, source, m, out));
            }
        }
        if (pass == 0 && unconverged > 0) {
            NAIK_PASS(answer_unconverged(j, unconverged, j->columns * wanted));
        }
    }
    if (wanted == 0 && j->source < 0) {
        return NAIK_FAIL(j->comm->log, NAIK_ERR_INPUT, "'%s' has no source with a mass %d", j->path,
                         j->mass);
    }
    if (wanted == 0 && j->mass < 0) {
        return NAIK_FAIL(j->comm->log, NAIK_ERR_INPUT, "'%s' has no source %d: sources are 0 to %d",
                         j->path, j->source, j->run.input->source_count - 1);
    }
    if (wanted == 0) {
        return NAIK_FAIL(j->comm->log, NAIK_ERR_INPUT,
                         "'%s' has no source %d with a mass %d: sources are 0 to %d", j->path,
                         j->source, j->mass, j->run.input->source_count - 1);
    }
    return NAIK_OK;
}

/* The number of a mass, which is not its value. */
static naik_status read_mass(job *j)
{
    int64_t number = 0;
    char list[512] = "";
    if (j->mass_text == NULL) {
        return NAIK_OK;
    }
    if (naik_text_int64(j->mass_text, &number) && number >= 0 && number <= 1000000) {
        j->mass = (int)number;
        return NAIK_OK;
    }
    const naik_input *in = j->run.input;
    const bool one = j->source >= 0 && j->source < in->source_count;
    const int first = one ? in->sources[j->source].solve : 0;
    const int end = one ? first + 1 : in->solve_count;
    for (int s = first; s < end; s++) {
        naik_text_append(list, sizeof list, "%s of '%s'", s > first ? ";" : "", in->solve[s].name);
        for (int m = 0; m < in->solve[s].masses.count; m++) {
            char name[NAIK_QUARK_NAME];
            naik_text_append(list, sizeof list, "%s %d is %s", m > 0 ? "," : "", m,
                             naik_quark_phrase(naik_input_quark(in, s, m), 10, name));
        }
    }
    return NAIK_FAIL(j->comm->log, NAIK_ERR_INPUT,
                     "naik export: option '--mass' takes the number of a mass in its entry of "
                     "solve, not '%s';%s",
                     j->mass_text, list);
}

naik_status naik_command_export(naik_comm *comm, int argc, char **argv)
{
    static const char *const formats[FORMATS + 1] = {
        [TO_USQCD] = "usqcd", [TO_QDP] = "qdp", [TO_GRID] = "grid"};
    static const char *const operands[] = {"PROP.h5"};
    job j = {.comm = comm, .source = -1, .mass = -1};
    naik_option_list overrides = {.count = 0};
    const naik_option options[] = {
        {.name = "to", .kind = NAIK_OPTION_CHOICE, .target = &j.format, .choices = formats},
        {.name = "output",
         .letter = 'o',
         .kind = NAIK_OPTION_TEXT,
         .target = &j.out,
         .required = true},
        {.name = "source", .kind = NAIK_OPTION_INT, .target = &j.source, .min = 0, .max = 1e6},
        {.name = "mass", .kind = NAIK_OPTION_TEXT, .target = &j.mass_text},
        {.name = "allow-unconverged", .kind = NAIK_OPTION_FLAG, .target = &j.allow_unconverged},
        {.name = "set", .kind = NAIK_OPTION_LIST, .target = &overrides},
        {.name = "force", .kind = NAIK_OPTION_FLAG, .target = &comm->io.replace}};
    naik_status status =
        naik_options_parse(comm->log, "export", argc, argv, options,
                           (int)(sizeof options / sizeof *options), operands, 1, &j.path);
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(stored_run_open(comm, j.path, NULL, overrides.text, overrides.count, &j.run));
    NAIK_TRY(read_mass(&j));
    NAIK_TRY(stored_sources_open(&j.run, &j.sources));
    j.columns = j.run.input->kind->columns;
    if (matrix_formats[j.format].spin_only && j.run.input->kind->spin == 1) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' holds staggered propagators: --to %s is for those with spin",
                           j.path, formats[j.format]);
        goto done;
    }
    NAIK_TRY(allocate(&j));
    NAIK_TRY(export_wanted(&j));
done:
    naik_free(j.vectors[0]);
    naik_free(j.vectors[1]);
    stored_sources_close(&j.sources);
    stored_run_close(&j.run);
    return status;
}
