/* source_file.c - vectors of other codes as sources: looked at, identified, read */
#include "stored/source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/checksum.h"
#include "io/vectors/vector_io.h"
#include "lattice/source_kind.h"

static naik_status look_at(const naik_lattice *lattice, const naik_input *input, int solve)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    const char *path = input->solve[solve].source_file;
    const int columns = input->kind->columns;
    naik_vector_file *file = NULL;
    NAIK_TRY(naik_vector_file_open(comm, path, &file));
    NAIK_TRY(naik_lattice_expect(lattice, path, file->size));
    if (file->spin != columns / 3) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "'%s' holds %s, which are no sources of %s",
                           path, file->spin > 1 ? "spinors" : "colour vectors",
                           columns > 3 ? "wilson and clover quarks" : "staggered quarks");
        goto done;
    }
    if (file->basis[0] != '\0') {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                      "'%s' holds spinors in the gamma matrices of %s, and naik reads those of "
                      "DeGrand and Rossi",
                      path, file->basis);
        goto done;
    }
    if (file->count < columns) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' holds %d vectors, but a source needs one for each of %d %s", path,
                           file->count, columns, columns > 3 ? "spins and colours" : "colours");
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
        if (naik_source_kind_of(input->solve[i].source.type)->made == NAIK_SOURCE_READ) {
            status = look_at(lattice, input, i);
        }
    }
    return status;
}

/* suma and sumb of v [sites][reals]. Collective. */
static naik_status checksum(const naik_lattice *lattice, int reals, const double *v,
                            uint32_t sum[2])
{
    sum[0] = sum[1] = 0;
    for (int32_t site = 0; site < lattice->sites; site++) {
        int x[NAIK_DIM];
        naik_lattice_coords(lattice, site, x);
        naik_checksum_usqcd(sum, naik_lattice_global(lattice, x), 1, v + (int64_t)reals * site,
                            (int64_t)reals * (int64_t)sizeof *v);
    }
    return naik_checksum_combine(lattice->comm, sum);
}

/* Hours may lie between two readings of a file that was identified once. */
static naik_status expect(const naik_lattice *lattice, int reals, const char *path,
                          const uint32_t then[2], const double *v)
{
    naik_status status = NAIK_OK;
    uint32_t now[2];
    NAIK_TRY(checksum(lattice, reals, v, now));
    if (memcmp(now, then, sizeof now) != 0) {
        status =
            NAIK_FAIL(lattice->comm->log, NAIK_ERR_INPUT,
                      "'%s' was replaced while this run was at work: then suma/sumb %x %x, now "
                      "%x %x: put the former back and run again",
                      path, then[0], then[1], now[0], now[1]);
    }
done:
    return status;
}

naik_status source_file_read(const naik_lattice *lattice, const naik_input *input, int solve,
                             int column, const source_file_sums *sums, double *out)
{
    naik_status status = NAIK_OK;
    const char *path = input->solve[solve].source_file;
    naik_vector_file *file = NULL;
    NAIK_TRY(naik_vector_file_open(lattice->comm, path, &file));
    NAIK_TRY(naik_vector_file_read(
        file, lattice, file->has_sources ? NAIK_VECTOR_SOURCE : NAIK_VECTOR_SOLUTION, column, out));
    if (sums != NULL) {
        NAIK_TRY(expect(lattice, input->kind->reals, path, sums->sum[solve][column], out));
    }
done:
    naik_vector_file_close(&file);
    return status;
}

static bool any_file(const naik_input *input)
{
    for (int i = 0; i < input->solve_count; i++) {
        if (naik_source_kind_of(input->solve[i].source.type)->made == NAIK_SOURCE_READ) {
            return true;
        }
    }
    return false;
}

/* Local. */
static naik_status allocate(const naik_lattice *lattice, const naik_input *input, double **v,
                            source_file_sums *out)
{
    enum { LINE_BYTES = 400 }; /* more than the longest line of describe */
    out->sum = calloc((size_t)input->solve_count, sizeof *out->sum);
    out->text = calloc((size_t)input->solve_count, LINE_BYTES);
    if (out->sum == NULL || out->text == NULL) {
        return NAIK_FAIL(lattice->comm->log, NAIK_ERR_MEMORY,
                         "no memory for the identity of sources");
    }
    return naik_alloc(lattice->comm->log,
                      (size_t)lattice->sites * (size_t)input->kind->reals * sizeof **v, "a source",
                      (void **)v);
}

static char *describe(int solve, int columns, uint32_t sum[][2], char *text)
{
    text += sprintf(text, "solve.%d.source.file holds suma/sumb", solve);
    for (int column = 0; column < columns; column++) {
        text += sprintf(text, "%s %x %x", column > 0 ? "," : "", sum[column][0], sum[column][1]);
    }
    return text + sprintf(text, "\n");
}

naik_status source_file_identify(const naik_lattice *lattice, const naik_input *input,
                                 source_file_sums *out)
{
    naik_status status = NAIK_OK;
    double *v = NULL;
    *out = (source_file_sums){NULL, NULL};
    if (!any_file(input)) {
        return NAIK_OK;
    }
    NAIK_TRY(source_file_precheck(lattice, input));
    NAIK_TRY(naik_comm_agree(lattice->comm, allocate(lattice, input, &v, out)));
    char *end = out->text;
    for (int i = 0; i < input->solve_count; i++) {
        if (naik_source_kind_of(input->solve[i].source.type)->made != NAIK_SOURCE_READ) {
            continue;
        }
        for (int column = 0; column < input->kind->columns; column++) {
            NAIK_TRY(source_file_read(lattice, input, i, column, NULL, v));
            NAIK_TRY(checksum(lattice, input->kind->reals, v, out->sum[i][column]));
        }
        end = describe(i, input->kind->columns, out->sum[i], end);
    }
done:
    naik_free(v);
    return status;
}

void source_file_sums_clear(source_file_sums *sums)
{
    free(sums->sum);
    free(sums->text);
    *sums = (source_file_sums){NULL, NULL};
}
