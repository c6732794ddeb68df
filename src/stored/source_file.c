/* source_file.c - vectors of other codes as sources: looked at, identified, read */
#include "stored/source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lattice/source_kind.h"
#include "stored/foreign.h"

enum { PREFIX = 48 }; /* more than "solve.N.source.file holds " */

static bool is_read(const naik_input_solve *solve)
{
    return naik_source_kind_of(solve->source.type)->made == NAIK_SOURCE_READ;
}

static naik_status look_at(const naik_lattice *lattice, const naik_input *input, int solve)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    const char *path = input->solve[solve].source_file;
    naik_vector_file *file = NULL;
    NAIK_TRY(foreign_open(lattice, path, input->kind->columns, "sources", &file));
    if (file->other_sources > 0) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                      "'%s' holds solutions, and sources that are no vectors, such as one "
                      "complex field for all of them: naik takes sources of one vector for each "
                      "column",
                      path);
        goto done;
    }
    naik_log_line(comm->log, "the sources of solve.%d come from %s (%s, %d bit, %s)", solve, path,
                  file->format, file->precision,
                  file->has_checksums ? "checksums in the file" : "no checksum in the file");
done:
    naik_vector_file_close(&file);
    return status;
}

naik_status source_file_precheck(const naik_lattice *lattice, const naik_input *input)
{
    naik_status status = NAIK_OK;
    for (int i = 0; i < input->solve_count && status == NAIK_OK; i++) {
        if (is_read(&input->solve[i])) {
            status = look_at(lattice, input, i);
        }
    }
    return status;
}

naik_status source_file_read(const naik_lattice *lattice, const naik_input *input, int solve,
                             int column, const source_file_sums *sums, double *out)
{
    return foreign_read(lattice, input->solve[solve].source_file, NAIK_VECTOR_SOURCE, column,
                        sums != NULL ? sums->sum[solve][column] : NULL, out);
}

static bool any_file(const naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        if (is_read(&input->solve[i])) {
            return true;
        }
    }
    return false;
}

/* Local. */
static naik_status allocate(naik_log *log, const naik_input *input, source_file_sums *out)
{
    const size_t count = (size_t)input->solve_count;
    out->sum = calloc(count, sizeof *out->sum);
    out->text = calloc(count, FOREIGN_LINE + PREFIX);
    return out->sum != NULL && out->text != NULL
               ? NAIK_OK
               : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the identity of sources");
}

naik_status source_file_identify(const naik_lattice *lattice, const naik_input *input,
                                 source_file_sums *out)
{
    const int columns = input->kind->columns;
    *out = (source_file_sums){NULL, NULL};
    if (!any_file(input)) {
        return NAIK_OK;
    }
    NAIK_PASS(source_file_precheck(lattice, input));
    NAIK_PASS(naik_comm_agree(lattice->comm, allocate(lattice->comm->log, input, out)));
    for (int i = 0; i < input->solve_count; i++) {
        if (is_read(&input->solve[i])) {
            NAIK_PASS(foreign_identify(lattice, input->solve[i].source_file, NAIK_VECTOR_SOURCE,
                                       columns, out->sum[i]));
            sprintf(out->text + strlen(out->text), "solve.%d.source.file holds ", i);
            foreign_tell(columns, out->sum[i], out->text + strlen(out->text));
        }
    }
    return NAIK_OK;
}

void source_file_sums_clear(source_file_sums *sums)
{
    free(sums->sum);
    free(sums->text);
    *sums = (source_file_sums){NULL, NULL};
}
