/* numbers.c - lists of numbers in HDF5, of which a damaged file may hold too few */
#include "io/h5/numbers.h"

#include "io/checksum.h"

naik_status naik_h5_numbers_make(naik_log *log, hid_t file, const char *name, hid_t type,
                                 hsize_t count)
{
    hid_t dataset = -1;
    const naik_status status = naik_h5_dataset(log, file, name, type, 1, &count, NULL, &dataset);
    naik_h5_release(dataset);
    return status;
}

naik_status naik_h5_numbers_put(naik_log *log, hid_t file, const char *name, hid_t type, int count,
                                const void *data)
{
    naik_status status = NAIK_OK;
    const hsize_t start = 0, all = (hsize_t)count;
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    NAIK_H5_TRY(log, dataset, "opening a list of numbers");
    NAIK_TRY(naik_h5_write_part(log, dataset, type, &start, &all, data));
done:
    naik_h5_release(dataset);
    return status;
}

naik_status naik_h5_numbers_get(naik_log *log, hid_t file, const char *name, hid_t type,
                                size_t type_bytes, int count, void *out)
{
    naik_status status = NAIK_OK;
    const hsize_t start = 0, all = (hsize_t)count;
    hsize_t dim = 0;
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1;
    const bool whole = space >= 0 && H5Sget_simple_extent_ndims(space) == 1 &&
                       H5Sget_simple_extent_dims(space, &dim, NULL) == 1 && dim >= all &&
                       naik_h5_layout_holds(dataset, (int64_t)(dim * type_bytes));
    if (!whole) {
        status = NAIK_FAIL(log, NAIK_ERR_CORRUPT, "/%s is missing or damaged", name);
    } else {
        status = naik_h5_read_part(log, dataset, type, &start, &all, out);
    }
    naik_h5_release(space);
    naik_h5_release(dataset);
    return status;
}

bool naik_h5_numbers_agree(hid_t file, const char *name, const double *values, int count)
{
    int64_t stored = 0;
    return !naik_h5_get_i64(file, name, &stored, 0) ||
           stored == (int64_t)naik_crc32(values, (size_t)count * sizeof *values);
}

bool naik_h5_is_stored_as(hid_t dataset, hid_t type)
{
    hid_t stored = dataset < 0 ? -1 : H5Dget_type(dataset);
    const bool same = stored >= 0 && type >= 0 && H5Tequal(stored, type) > 0;
    naik_h5_release(stored);
    return same;
}
