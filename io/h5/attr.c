/* attr.c - what surrounds the numbers: attributes, and texts of any length
 *
 * Attributes live in object headers, which HDF5 limits to 64 KiB: inputs and file headers are
 * therefore scalar string datasets ("documents").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/h5/h5.h"

enum { DOCUMENT_MAX_BYTES = 1 << 26 }; /* a larger size is not believed */

static naik_status put(naik_log *log, hid_t object, const char *name, hid_t file_type,
                       hid_t memory_type, int count, const void *values)
{
    naik_status status = NAIK_OK;
    char what[160];
    snprintf(what, sizeof what, "writing the attribute %.120s", name);
    const hsize_t dims[1] = {(hsize_t)count};
    hid_t space = count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, dims, NULL);
    hid_t attribute = H5Acreate2(object, name, file_type, space, H5P_DEFAULT, H5P_DEFAULT);
    NAIK_H5_TRY(log, attribute, what);
    NAIK_H5_TRY(log, H5Awrite(attribute, memory_type, values), what);
done:
    naik_h5_release(attribute);
    naik_h5_release(space);
    return status;
}

naik_status naik_h5_put_text(naik_log *log, hid_t object, const char *name, const char *text)
{
    if (text == NULL) {
        text = "";
    }
    hid_t type = naik_h5_text_type();
    naik_status status = put(log, object, name, type, type, 0, &text);
    naik_h5_release(type);
    return status;
}

naik_status naik_h5_set_text(naik_log *log, hid_t object, const char *name, const char *text)
{
    naik_status status = NAIK_OK;
    char fixed[256];
    if (H5Aexists(object, name) <= 0) {
        return naik_h5_put_text(log, object, name, text);
    }
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), file_type = H5Aget_type(attribute);
    hid_t type = -1;
    NAIK_H5_TRY(log, attribute, "opening a text");
    const bool variable = H5Tis_variable_str(file_type) > 0;
    snprintf(fixed, sizeof fixed, "%s", text);
    type = variable ? naik_h5_text_type() : naik_h5_string(sizeof fixed);
    NAIK_H5_TRY(log, H5Awrite(attribute, type, variable ? (const void *)&text : fixed),
                "writing a text");
done:
    naik_h5_release(type);
    naik_h5_release(file_type);
    naik_h5_release(attribute);
    return status;
}

naik_status naik_h5_put_f64(naik_log *log, hid_t object, const char *name, const double *values,
                            int count)
{
    return put(log, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, values);
}

naik_status naik_h5_put_i64(naik_log *log, hid_t object, const char *name, const int64_t *values,
                            int count)
{
    return put(log, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, count, values);
}

naik_status naik_h5_put_ints(naik_log *log, hid_t object, const char *name, const int *values,
                             int count)
{
    return put(log, object, name, H5T_STD_I32LE, H5T_NATIVE_INT, count, values);
}

/* Of any length in the file; out of memory and damage look alike. */
static bool read_variable(hid_t attribute, char *text, size_t text_size)
{
    char *value = NULL;
    hid_t type = naik_h5_text_type();
    const bool ok = H5Aread(attribute, type, &value) >= 0;
    if (ok && value != NULL) {
        snprintf(text, text_size, "%s", value);
    }
    if (value != NULL) {
        H5free_memory(value);
    }
    naik_h5_release(type);
    return ok;
}

bool naik_h5_get_text(hid_t object, const char *name, char *text, size_t text_size)
{
    text[0] = '\0';
    if (H5Aexists(object, name) <= 0) {
        return false;
    }
    bool ok = false;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute), memory = -1;
    const bool one =
        type >= 0 && H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_npoints(space) == 1;
    if (one && H5Tis_variable_str(type) > 0) {
        ok = read_variable(attribute, text, text_size);
    } else if (one && H5Tget_size(type) < (1 << 20)) {
        memory = H5Tcopy(type); /* of the caller's size: HDF5 cuts or fills up */
        H5Tset_strpad(memory, H5T_STR_NULLTERM);
        ok = H5Tset_size(memory, text_size) >= 0 && H5Aread(attribute, memory, text) >= 0;
        text[ok ? text_size - 1 : 0] = '\0';
    }
    naik_h5_release(memory);
    naik_h5_release(space);
    naik_h5_release(type);
    naik_h5_release(attribute);
    return ok;
}

static bool get(hid_t object, const char *name, H5T_class_t class, hid_t memory_type, void *values,
                int count)
{
    if (H5Aexists(object, name) <= 0) {
        return false;
    }
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute);
    bool ok = type >= 0 && H5Tget_class(type) == class &&
              H5Sget_simple_extent_npoints(space) == (count == 0 ? 1 : count) &&
              H5Aread(attribute, memory_type, values) >= 0;
    naik_h5_release(space);
    naik_h5_release(type);
    naik_h5_release(attribute);
    return ok;
}

bool naik_h5_get_f64(hid_t object, const char *name, double *values, int count)
{
    return get(object, name, H5T_FLOAT, H5T_NATIVE_DOUBLE, values, count);
}

bool naik_h5_get_ints(hid_t object, const char *name, int *values, int count)
{
    return get(object, name, H5T_INTEGER, H5T_NATIVE_INT, values, count);
}

bool naik_h5_get_i64(hid_t object, const char *name, int64_t *values, int count)
{
    return get(object, name, H5T_INTEGER, H5T_NATIVE_INT64, values, count);
}

naik_status naik_h5_put_document(naik_comm *comm, hid_t where, const char *name, const char *text)
{
    naik_status status = NAIK_OK;
    hid_t dataset = -1, type = naik_h5_string((text == NULL ? 0 : strlen(text)) + 1);
    status = naik_h5_dataset(comm->log, where, name, type, 0, NULL, NULL, &dataset);
    NAIK_TRY(naik_comm_agree(comm, status));
    if (comm->rank == 0) {
        status = naik_h5_write_part(comm->log, dataset, type, NULL, NULL, text == NULL ? "" : text);
    }
    NAIK_TRY(naik_comm_agree(comm, status));
done:
    naik_h5_release(dataset);
    naik_h5_release(type);
    return status;
}

naik_status naik_h5_get_document(naik_log *log, hid_t where, const char *name, char **text)
{
    naik_status status = NAIK_OK;
    hid_t dataset = -1, type = -1;
    *text = NULL;
    if (H5Lexists(where, name, H5P_DEFAULT) <= 0) {
        return NAIK_OK;
    }
    dataset = H5Dopen2(where, name, H5P_DEFAULT);
    NAIK_H5_TRY(log, dataset, "opening a text");
    type = H5Dget_type(dataset);
    size_t length = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        length > DOCUMENT_MAX_BYTES) {
        goto done;
    }
    *text = calloc(1, length + 1);
    if (*text == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for the text %s", name);
        goto done;
    }
    NAIK_TRY(naik_h5_read_part(log, dataset, type, NULL, NULL, *text));
done:
    if (status != NAIK_OK) {
        free(*text);
        *text = NULL;
    }
    naik_h5_release(type);
    naik_h5_release(dataset);
    return status;
}
