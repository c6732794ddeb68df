/* array.c - datasets of other codes, whatever way they nest the reals of a site
 *
 * The memory type mirrors the file's type with native floats, so that HDF5 converts byte order and
 * padding, and never precision: checksums are formed on the words as stored.
 */
#include "io/h5/array.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/reread.h"

enum { CALL_BYTES = 1 << 28, MAX_NESTING = 4, MAX_REALS = 288, MAX_VISITS = 10000 };

static bool is_pair(hid_t type)
{
    static const char *const names[][2] = {{"r", "i"}, {"re", "im"}, {"real", "imag"}};
    bool known = false;
    if (H5Tget_nmembers(type) != 2) {
        return false;
    }
    char *first = H5Tget_member_name(type, 0), *second = H5Tget_member_name(type, 1);
    for (size_t k = 0; k < sizeof names / sizeof *names && first != NULL && second != NULL; k++) {
        known = known || (strcmp(first, names[k][0]) == 0 && strcmp(second, names[k][1]) == 0);
    }
    H5free_memory(first);
    H5free_memory(second);
    return known;
}

static hid_t mirror(hid_t type, naik_h5_array *array, int nesting);

static hid_t mirror_float(hid_t type, naik_h5_array *array)
{
    size_t size = H5Tget_size(type);
    if ((size != 4 && size != 8) || (array->bits != 0 && array->bits != (int)(8 * size))) {
        return -1;
    }
    array->bits = (int)(8 * size);
    array->big_endian = H5Tget_order(type) == H5T_ORDER_BE;
    return H5Tcopy(size == 4 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE);
}

static hid_t mirror_pair(hid_t type, naik_h5_array *array)
{
    hid_t part[2] = {-1, -1}, out = -1;
    for (unsigned k = 0; k < 2; k++) {
        hid_t member = H5Tget_member_type(type, k);
        part[k] = H5Tget_class(member) == H5T_FLOAT ? mirror_float(member, array) : -1;
        naik_h5_release(member);
    }
    if (part[0] >= 0 && part[1] >= 0) {
        size_t size = H5Tget_size(part[0]);
        out = H5Tcreate(H5T_COMPOUND, 2 * size);
        for (unsigned k = 0; k < 2; k++) {
            char *name = H5Tget_member_name(type, k);
            H5Tinsert(out, name, k * size, part[k]);
            H5free_memory(name);
        }
    }
    naik_h5_release(part[0]);
    naik_h5_release(part[1]);
    return out;
}

static hid_t mirror_array(hid_t type, naik_h5_array *array, int nesting)
{
    hsize_t dims[H5S_MAX_RANK];
    int rank = H5Tget_array_ndims(type);
    hid_t out = -1;
    if (rank < 1 || rank > 4 || H5Tget_array_dims2(type, dims) != rank) {
        return -1;
    }
    for (int i = 0; i < rank; i++) {
        if (dims[i] < 1 || dims[i] > MAX_REALS) {
            return -1;
        }
    }
    hid_t base = H5Tget_super(type), inner = mirror(base, array, nesting + 1);
    if (inner >= 0) {
        out = H5Tarray_create2(inner, (unsigned)rank, dims);
    }
    naik_h5_release(inner);
    naik_h5_release(base);
    return out;
}

static hid_t mirror(hid_t type, naik_h5_array *array, int nesting)
{
    if (nesting > MAX_NESTING) {
        return -1;
    }
    switch (H5Tget_class(type)) {
    case H5T_FLOAT: return mirror_float(type, array);
    case H5T_COMPOUND: return is_pair(type) ? mirror_pair(type, array) : -1;
    case H5T_ARRAY: return mirror_array(type, array, nesting);
    default: return -1;
    }
}

static bool take_shape(naik_h5_array *array)
{
    hid_t space = H5Dget_space(array->dataset);
    array->rank = H5Sget_simple_extent_ndims(space);
    bool ok = array->rank >= NAIK_DIM && array->rank <= 8 &&
              H5Sget_simple_extent_dims(space, array->dims, NULL) == array->rank;
    naik_h5_release(space);
    if (!ok) {
        return false;
    }
    hid_t type = H5Dget_type(array->dataset);
    array->memory = mirror(type, array, 0);
    naik_h5_release(type);
    if (array->memory < 0) {
        return false;
    }
    int64_t reals = (int64_t)(H5Tget_size(array->memory) / ((size_t)array->bits / 8));
    for (int i = 0; i < array->rank; i++) {
        if (array->dims[i] < 1 || array->dims[i] > 65536) {
            return false;
        }
        if (i >= NAIK_DIM) {
            reals *= (int64_t)array->dims[i];
            ok = ok && reals <= MAX_REALS;
        } else {
            array->dim[NAIK_DIM - 1 - i] = (int64_t)array->dims[i];
        }
    }
    array->reals = (int)reals;
    int64_t bytes = reals * array->bits / 8;
    for (int mu = 0; mu < NAIK_DIM && ok; mu++) {
        ok = bytes < (1LL << 46) / array->dim[mu];
        bytes *= array->dim[mu];
    }
    return ok && naik_h5_layout_holds(array->dataset, bytes);
}

bool naik_h5_array_open(hid_t file, const char *name, int reals, naik_h5_array *out)
{
    *out = (naik_h5_array){.dataset = -1, .memory = -1, .call_bytes = CALL_BYTES};
    hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    if (object < 0 || H5Iget_type(object) != H5I_DATASET) {
        naik_h5_release(object);
        return false;
    }
    out->dataset = object;
    if (!take_shape(out) || out->reals != reals) {
        naik_h5_array_close(out);
        return false;
    }
    return true;
}

void naik_h5_array_close(naik_h5_array *array)
{
    naik_h5_release(array->memory);
    naik_h5_release(array->dataset);
    array->memory = array->dataset = -1;
}

typedef struct search {
    naik_h5_is_wanted *is_wanted;
    int reals, visits;
    naik_h5_found *found;
} search;

static herr_t look(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    search *s = context;
    naik_h5_found *found = s->found;
    naik_h5_array array;
    if (++s->visits > MAX_VISITS) {
        return 1;
    }
    if (info->type != H5L_TYPE_HARD || !naik_h5_array_open(group, name, s->reals, &array)) {
        return 0;
    }
    const bool wanted = s->is_wanted(&array, name);
    if (wanted && found->count < 2) {
        snprintf(found->name[found->count], sizeof *found->name, "%s", name);
    }
    if (wanted && found->count == 0) {
        found->first = array;
    } else {
        naik_h5_array_close(&array);
    }
    found->count += wanted;
    return 0;
}

naik_h5_found naik_h5_arrays_find(hid_t group, int reals, naik_h5_is_wanted *is_wanted)
{
    naik_h5_found found = {.first = {.dataset = -1, .memory = -1}};
    search s = {.is_wanted = is_wanted, .reals = reals, .found = &found};
    H5Lvisit(group, H5_INDEX_NAME, H5_ITER_INC, look, &s);
    return found;
}

/* Planes of the box (z fastest, then t) that one call moves: all of one time slice, or a part. */
static int planes_per_call(const naik_lattice *lat, const naik_h5_array *array)
{
    int64_t plane = (int64_t)lat->local[0] * lat->local[1] * array->reals * array->bits / 8;
    int64_t planes = array->call_bytes / plane;
    planes = planes < 1 ? 1 : planes;
    return (int)(planes < lat->local[2] ? planes : lat->local[2]);
}

static void visit_planes(const naik_lattice *lat, const naik_h5_array *array, int t, int z, int nz,
                         naik_h5_visit *visit, void *context, unsigned char *buffer)
{
    int64_t row_bytes = (int64_t)lat->local[0] * array->reals * array->bits / 8;
    int rows = lat->local[1] * nz;
#pragma omp parallel for schedule(static)
    for (int r = 0; r < rows; r++) {
        int x[NAIK_DIM] = {0, r % lat->local[1], z + r / lat->local[1], t};
        visit(context, naik_lattice_site(lat, x), naik_lattice_global(lat, x), lat->local[0],
              buffer + r * row_bytes);
    }
}

static naik_status transfer(const naik_lattice *lat, const naik_h5_array *array, int t, int z,
                            int nz, hid_t list, bool writing, void *buffer)
{
    naik_log *log = lat->comm->log;
    naik_status status = NAIK_OK;
    const int first[NAIK_DIM] = {0, 0, z, t},
              extent[NAIK_DIM] = {lat->local[0], lat->local[1], nz, 1};
    hsize_t start[8] = {0}, count[8], elements = 1;
    for (int i = 0; i < array->rank; i++) {
        int mu = NAIK_DIM - 1 - i;
        start[i] = i < NAIK_DIM ? (hsize_t)(lat->origin[mu] + first[mu]) : 0;
        count[i] = i < NAIK_DIM ? (hsize_t)extent[mu] : array->dims[i];
        elements *= count[i];
    }
    hid_t space = H5Dget_space(array->dataset), memory = H5Screate_simple(1, &elements, NULL);
    NAIK_H5_TRY(log, H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL),
                "selecting this rank's box");
    if (writing) {
        NAIK_H5_TRY(log, H5Dwrite(array->dataset, array->memory, memory, space, list, buffer),
                    "writing links");
    } else {
        naik_mark_unread(buffer, (size_t)elements * H5Tget_size(array->memory));
        NAIK_H5_TRY(log, H5Dread(array->dataset, array->memory, memory, space, list, buffer),
                    "reading links");
    }
done:
    naik_h5_release(memory);
    naik_h5_release(space);
    return status;
}

static naik_status run(const naik_lattice *lat, const naik_h5_array *array, bool writing,
                       naik_h5_visit *visit, void *context)
{
    naik_comm *comm = lat->comm;
    naik_status status = NAIK_OK;
    void *buffer = NULL;
    int planes = planes_per_call(lat, array);
    size_t bytes = (size_t)planes * (size_t)(lat->local[0] * lat->local[1]) *
                   (size_t)(array->reals * array->bits / 8);
    hid_t list = H5Pcreate(H5P_DATASET_XFER);
    status = naik_alloc(comm->log, bytes, "the buffer of a file", &buffer);
    if (status == NAIK_OK) {
        status = naik_h5_check(comm->log, H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE),
                               "asking for collective transfers", __FILE__, __LINE__);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    for (int t = 0; t < lat->local[3]; t++) {
        for (int z = 0; z < lat->local[2]; z += planes) {
            int nz = lat->local[2] - z < planes ? lat->local[2] - z : planes;
            if (writing) {
                visit_planes(lat, array, t, z, nz, visit, context, buffer);
            }
            status = transfer(lat, array, t, z, nz, list, writing, buffer);
            NAIK_TRY(naik_comm_agree(comm, status));
            if (!writing) {
                visit_planes(lat, array, t, z, nz, visit, context, buffer);
            }
        }
    }
done:
    naik_free(buffer);
    naik_h5_release(list);
    return status;
}

naik_status naik_h5_array_read(const naik_lattice *lattice, const naik_h5_array *array,
                               naik_h5_visit *visit, void *context)
{
    return run(lattice, array, false, visit, context);
}

naik_status naik_h5_array_write(const naik_lattice *lattice, const naik_h5_array *array,
                                naik_h5_visit *visit, void *context)
{
    return run(lattice, array, true, visit, context);
}
