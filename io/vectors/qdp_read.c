/* qdp_read.c - the columns of a propagator in the HDF5 of QDP++
 *
 * The file has no checksum: its numbers are looked at, and whoever uses them measures what they are worth.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "io/h5/guard.h"
#include "io/reread.h"
#include "io/vectors/qdp.h"
#include "io/vectors/records.h"

enum {
    SPINS = NAIK_QDP_SPINS,
    COLOURS = NAIK_QDP_COLOURS,
    COLUMNS = NAIK_QDP_COLUMNS,
    NESTED_MOST = 24 /* dimensions of a dataset and of the arrays in it */
};

/* Whether the numbers of a site are [4][4][3][3] in any nesting; of [3][3][4][4] they are as many. */
static bool has_spins_outside(const naik_h5_array *array, const char *name)
{
    static const hsize_t wanted[4] = {SPINS, SPINS, COLOURS, COLOURS};
    hsize_t shape[NESTED_MOST] = {0};
    int count = 0;
    (void)name;
    for (int i = NAIK_DIM; i < array->rank; i++) {
        shape[count++] = array->dims[i];
    }
    hid_t type = H5Tcopy(array->memory);
    while (H5Tget_class(type) == H5T_ARRAY) {
        count += H5Tget_array_dims2(type, shape + count);
        const hid_t inner = H5Tget_super(type);
        naik_h5_release(type);
        type = inner;
    }
    const bool pair = H5Tget_class(type) == H5T_COMPOUND || (count > 0 && shape[count - 1] == 2);
    count -= H5Tget_class(type) != H5T_COMPOUND;
    naik_h5_release(type);
    return pair && count == 4 && memcmp(shape, wanted, sizeof wanted) == 0;
}

int naik_qdp_propagator_open(hid_t h5, naik_h5_array *out)
{
    if (naik_h5_array_open(h5, NAIK_QDP_NAME, NAIK_QDP_SITE_REALS, out) &&
        has_spins_outside(out, NAIK_QDP_NAME)) {
        return 1;
    }
    naik_h5_array_close(out);
    naik_h5_found found = naik_h5_arrays_find(h5, NAIK_QDP_SITE_REALS, has_spins_outside);
    if (found.count > 1) {
        naik_h5_array_close(&found.first);
    }
    *out = found.first;
    return found.count;
}

naik_status naik_qdp_propagator_refuse(naik_log *log, const char *path, int count)
{
    return count == 0
               ? NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' is an HDF5 file without a propagator of QDP++: a dataset "
                           "of the lattice whose elements are 4x4 matrices of 3x3 matrices",
                           path)
               : NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' holds %d propagators of QDP++ and none of the name "
                           "/" NAIK_QDP_NAME ": naik reads the one of this name, or the only one",
                           path, count);
}

bool naik_qdp_propagator_is_in(naik_log *log, const char *path)
{
    char format[32] = "";
    hid_t h5 = -1;
    naik_h5_array array = {.dataset = -1, .memory = -1};
    naik_h5_guard guard;
    naik_h5_guard_begin(&guard);
    bool found = naik_h5_open_alone(log, path, &h5) == NAIK_OK;
    naik_log_clear(log); /* whoever opens the file says it again */
    if (found) {
        found = !naik_h5_get_text(h5, "format", format, sizeof format) &&
                naik_qdp_propagator_open(h5, &array) > 0;
        naik_h5_array_close(&array);
        H5Fclose(h5);
    }
    naik_h5_guard_end(&guard);
    return found;
}

static naik_status open_array(naik_comm *comm, const char *path, hid_t *h5, naik_h5_array *array)
{
    naik_status status = NAIK_OK;
    char own[32] = "";
    NAIK_PASS(naik_h5_open_stored(comm, path, h5));
    if (naik_h5_get_text(*h5, "format", own, sizeof own) && strncmp(own, "naik-", 5) == 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "'%s' is a file of naik (%s), where vectors of another code are wanted",
                           path, own);
    } else {
        const int count = naik_qdp_propagator_open(*h5, array);
        status = count == 1 ? NAIK_OK : naik_qdp_propagator_refuse(comm->log, path, count);
    }
    return naik_comm_agree(comm, status);
}

naik_status naik_vectors_open_qdp(naik_comm *comm, naik_vector_file *file)
{
    naik_status status = NAIK_OK;
    hid_t h5 = -1;
    naik_h5_array array = {.dataset = -1, .memory = -1};
    naik_h5_guard guard;
    naik_h5_guard_begin(&guard);
    NAIK_TRY(open_array(comm, file->path, &h5, &array));
    NAIK_TRY(naik_comm_agree(comm, naik_vectors_allocate(comm->log, COLUMNS, file)));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        file->size[mu] = array.dim[mu] <= INT_MAX ? (int)array.dim[mu] : 0;
    }
    strcpy(file->format, "qdp++-hdf5");
    file->precision = array.bits;
    file->spin = SPINS;
    file->count = COLUMNS;
    file->whole = file->hdf5 = true;
done:
    naik_h5_array_close(&array);
    naik_h5_close(comm, &h5);
    naik_h5_guard_end(&guard);
    return naik_h5_read_verdict(comm->log, status);
}

typedef struct picking {
    int bits, column;
    double *out;
    int strange; /* shared by the threads */
} picking;

/* One column of `count` sites. */
static void pick(void *context, int32_t site, int64_t number, int count, void *bytes)
{
    picking *p = context;
    const float *narrow = bytes;
    const double *wide = bytes;
    const int source_spin = p->column / COLOURS, source_colour = p->column % COLOURS;
    int strange = 0;
    (void)number;
    for (int i = 0; i < count * COLUMNS; i++) {
        const int sink_spin = i % COLUMNS / COLOURS, sink_colour = i % COLOURS;
        const int64_t from =
            2 * (((i / COLUMNS * SPINS + sink_spin) * SPINS + source_spin) * COLOURS * COLOURS +
                 sink_colour * COLOURS + source_colour);
        double *to = p->out + 2 * ((int64_t)site * COLUMNS + i);
        for (int part = 0; part < 2; part++) {
            to[part] = p->bits == 32 ? (double)narrow[from + part] : wide[from + part];
            strange += !isfinite(to[part]);
        }
    }
    if (strange > 0) {
#pragma omp atomic
        p->strange += strange;
    }
}

naik_status naik_qdp_column_read(const naik_vector_file *file, const naik_lattice *lattice,
                                 int column, double *out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    hid_t h5 = -1;
    naik_h5_array array = {.dataset = -1, .memory = -1};
    picking p = {.bits = file->precision, .column = column, .out = out};
    naik_h5_guard guard;
    naik_h5_guard_begin(&guard);
    NAIK_TRY(open_array(comm, file->path, &h5, &array));
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        if (array.dim[mu] != lattice->size[mu] || array.bits != file->precision) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                               "'%s' was replaced while this run was at work", file->path);
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_h5_array_read(lattice, &array, pick, &p));
    if (p.strange > 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_CORRUPT,
                           "'%s' is damaged: its propagator has numbers that are infinite or not "
                           "numbers",
                           file->path);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
done:
    naik_h5_array_close(&array);
    naik_h5_close(comm, &h5);
    naik_h5_guard_end(&guard);
    return naik_h5_read_verdict(comm->log, status);
}
