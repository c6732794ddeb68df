/* foreign.c - the columns of a source or a propagator that another code has stored */
#include "stored/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "io/site_sums.h"
#include "propagator/gamma.h"

enum { COLOURS = 3 };

/* The gamma matrices of tmLQCD in x, z and t are the negatives of naik's, that in y is the same: with
 * g = naik_gamma_y, g^-1 = g, they are g gamma g of naik's. A spinor of naik's is g times one of
 * tmLQCD's, whose columns are of its own spins of the source: naik's propagator is g G g. */
static bool is_tmlqcd(const naik_vector_file *file)
{
    return file->basis[0] != '\0';
}

/* tmLQCD writes a file for each column, NAME.00.inverted to NAME.11.inverted: where the digits of
 * the first one are in its name; NULL where the file is not such a one. */
static const char *digits_of(const naik_vector_file *file)
{
    const char *name = strrchr(file->path, '/'), *found = NULL;
    name = name != NULL ? name : file->path;
    for (const char *at = strstr(name, ".00"); at != NULL; at = strstr(at + 1, ".00")) {
        found = at[3] == '.' || at[3] == '\0' ? at + 1 : found;
    }
    return is_tmlqcd(file) && file->count == 1 ? found : NULL;
}

/* The file with column number `column` of the same propagator, which the caller closes.
 * Collective. */
static naik_status open_other(const naik_lattice *lattice, const naik_vector_file *first,
                              int column, naik_vector_file **out)
{
    naik_status status = NAIK_OK;
    naik_log *log = lattice->comm->log;
    naik_vector_file *file = NULL;
    char *path = strdup(first->path);
    *out = NULL;
    status = path != NULL ? NAIK_OK : NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a path");
    NAIK_TRY(naik_comm_agree(lattice->comm, status));
    char *digits = path + (digits_of(first) - first->path);
    digits[0] = (char)('0' + column / 10);
    digits[1] = (char)('0' + column % 10);
    NAIK_TRY(naik_vector_file_open(lattice->comm, path, &file));
    NAIK_TRY(naik_lattice_expect(lattice, path, file->size));
    if (!is_tmlqcd(file) || file->count != 1 || file->flavours != first->flavours ||
        file->has_sources != first->has_sources) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' is not one column of the propagator that '%s' begins", path,
                           first->path);
        goto done;
    }
    *out = file;
    file = NULL;
done:
    free(path);
    naik_vector_file_close(&file);
    return status;
}

/* Every file of a propagator that has one for each column. Collective. */
static naik_status open_others(const naik_lattice *lattice, const naik_vector_file *first,
                               int columns)
{
    naik_status status = NAIK_OK;
    for (int column = 1; column < columns && status == NAIK_OK; column++) {
        naik_vector_file *file = NULL;
        status = open_other(lattice, first, column, &file);
        naik_vector_file_close(&file);
    }
    return status;
}

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
                           columns > COLOURS ? "quarks with spin" : "staggered quarks");
    } else if (file->flavours != 1) {
        status =
            NAIK_FAIL(log, NAIK_ERR_INPUT,
                      "'%s' holds spinors of %d flavours that mix, and naik solves one flavour",
                      path, file->flavours);
    } else if (digits_of(file) != NULL) {
        status = open_others(lattice, file, columns);
    } else if (is_tmlqcd(file) && (file->count == 2 || file->count == 2 * columns)) {
        status = NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' holds %d vectors, as tmLQCD writes them with AddDownPropagator = "
                           "yes for two flavours in turn, but %s are of one flavour: let tmLQCD "
                           "write the file with AddDownPropagator = no",
                           path, file->count, use);
        /* of more vectors nobody says which are meant */
    } else if (file->count != columns) {
        status = NAIK_FAIL(
            log, NAIK_ERR_INPUT, "'%s' holds %d vectors, but %s need one for each of %d %s", path,
            file->count, use, columns, columns > COLOURS ? "spins and colours" : "colours");
    } else {
        status = naik_vector_file_expect_columns(log, file);
    }
    NAIK_TRY(status);
    *out = file;
    file = NULL;
done:
    naik_vector_file_close(&file);
    return status;
}

/* The column of the file that becomes column number `column`. */
static int column_of(const naik_vector_file *file, int column)
{
    const int spin = column / COLOURS, colour = column % COLOURS;
    int row = 0;
    while (naik_gamma_y.column[row] != spin) {
        row++;
    }
    return is_tmlqcd(file) ? COLOURS * row + colour : column;
}

/* v [sites][4][3][2] = g v g, of the column that column_of names. */
static void change_basis(const naik_lattice *lattice, int column, double *v)
{
    const naik_gamma *g = &naik_gamma_y;
    const double sign = g->value[column / COLOURS].re;
#pragma omp parallel for schedule(static)
    for (int32_t site = 0; site < lattice->sites; site++) {
        double was[NAIK_GAMMA_SPINS][2 * COLOURS];
        double *now = v + (int64_t)site * NAIK_GAMMA_SPINS * 2 * COLOURS;
        memcpy(was, now, sizeof was);
        for (int s = 0; s < NAIK_GAMMA_SPINS; s++) {
            for (int i = 0; i < 2 * COLOURS; i++) {
                now[s * 2 * COLOURS + i] = sign * g->value[s].re * was[g->column[s]][i];
            }
        }
    }
}

/* One column of a file in naik's gamma matrices, and what it holds. */
static naik_status read_column(const naik_vector_file *file, const naik_lattice *lattice,
                               naik_vector_part part, int column, double *out, uint32_t sum[2])
{
    naik_status status = NAIK_OK;
    naik_vector_file *other = NULL;
    const naik_vector_file *from = file;
    int index = column_of(file, column);
    if (digits_of(file) != NULL) {
        NAIK_TRY(open_other(lattice, file, index, &other));
        from = other;
        index = 0;
    }
    NAIK_TRY(naik_vector_file_read(from, lattice, from->has_sources ? part : NAIK_VECTOR_SOLUTION,
                                   index, out));
    if (is_tmlqcd(file)) {
        change_basis(lattice, column, out);
    }
    NAIK_TRY(naik_site_sums_of(lattice, out, 2 * COLOURS * file->spin * (int64_t)sizeof *out, sum));
done:
    naik_vector_file_close(&other);
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
