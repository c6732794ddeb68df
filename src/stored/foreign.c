/* foreign.c - the columns of a source or a propagator that another code has stored */
#include "stored/foreign.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/site_sums.h"

enum { COLOURS = 3 };

naik_status foreign_open(const naik_lattice *lattice, const char *path, int columns,
                         const char *use, naik_vector_file **out)
{
    naik_status status = NAIK_OK;
    naik_log *log = lattice->comm->log;
    naik_vector_file *file = NULL;
    *out = NULL;
    NAIK_TRY(naik_vector_file_open(lattice->comm, path, &file));
    NAIK_TRY(naik_lattice_expect(lattice, path, file->size));
    if (file->spin != columns / COLOURS) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' holds %s, which are no %s of %s", path,
                           file->spin > 1 ? "spinors" : "colour vectors", use,
                           columns > COLOURS ? "wilson and clover quarks" : "staggered quarks");
    } else if (file->basis[0] != '\0') {
        status =
            NAIK_FAIL(log, NAIK_ERR_INPUT,
                      "'%s' holds spinors in the gamma matrices of %s, and naik reads those of "
                      "DeGrand and Rossi",
                      path, file->basis);
    } else if (file->count < columns) {
        status = NAIK_FAIL(
            log, NAIK_ERR_INPUT, "'%s' holds %d vectors, but %s need one for each of %d %s", path,
            file->count, use, columns, columns > COLOURS ? "spins and colours" : "colours");
    }
    NAIK_TRY(status);
    *out = file;
    file = NULL;
done:
    naik_vector_file_close(&file);
    return status;
}

/* suma and sumb of v [sites][reals]. Collective. */
static naik_status checksum(const naik_lattice *lattice, int reals, const double *v,
                            uint32_t sum[2])
{
    return naik_site_sums_of(lattice, v, reals * (int64_t)sizeof *v, sum);
}

/* One column of an open file, and what it holds. */
static naik_status read_column(const naik_vector_file *file, const naik_lattice *lattice,
                               naik_vector_part part, int column, double *out, uint32_t sum[2])
{
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_vector_file_read(file, lattice, file->has_sources ? part : NAIK_VECTOR_SOLUTION,
                                   column, out));
    NAIK_TRY(checksum(lattice, 2 * COLOURS * file->spin, out, sum));
done:
    return status;
}

naik_status foreign_read(const naik_lattice *lattice, const char *path, naik_vector_part part,
                         int column, const uint32_t then[2], double *out)
{
    naik_status status = NAIK_OK;
    naik_vector_file *file = NULL;
    uint32_t now[2];
    NAIK_TRY(naik_vector_file_open(lattice->comm, path, &file));
    NAIK_TRY(read_column(file, lattice, part, column, out, now));
    if (then != NULL && memcmp(now, then, sizeof now) != 0) {
        /* Hours may lie between two readings of a file that was identified once. */
        status =
            NAIK_FAIL(lattice->comm->log, NAIK_ERR_INPUT,
                      "'%s' was replaced while this run was at work: then suma/sumb %x %x, now "
                      "%x %x: put the former back and run again",
                      path, then[0], then[1], now[0], now[1]);
    }
done:
    naik_vector_file_close(&file);
    return status;
}

naik_status foreign_identify(const naik_lattice *lattice, const char *path, naik_vector_part part,
                             int columns, uint32_t sum[][2])
{
    naik_status status = NAIK_OK;
    naik_vector_file *file = NULL;
    double *v = NULL;
    NAIK_TRY(naik_vector_file_open(lattice->comm, path, &file));
    status = naik_alloc(lattice->comm->log, (size_t)file->spin * naik_lattice_vector_bytes(lattice),
                        "a vector of another code", (void **)&v);
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    for (int column = 0; column < columns; column++) {
        NAIK_TRY(read_column(file, lattice, part, column, v, sum[column]));
    }
done:
    naik_free(v);
    naik_vector_file_close(&file);
    return status;
}

void foreign_tell(int columns, uint32_t sum[][2], char *text)
{
    text += sprintf(text, "suma/sumb");
    for (int column = 0; column < columns; column++) {
        text += sprintf(text, "%s %x %x", column > 0 ? "," : "", sum[column][0], sum[column][1]);
    }
    sprintf(text, "\n");
}
