/* leave_out.c - the propagators of a file that was to hold them until its correlators were made
 *
 * HDF5 gives no space back inside a file. So everything else is copied to a new one beside .part, which
 * then takes its name by a rename: killed before it, the next run finds .part with its propagators;
 * killed behind it, without them and with all that was made of them.
 */
#include <stdlib.h>
#include <string.h>

#include "io/h5/metadata_crc.h"
#include "io/prop/prop_file.h"

/* The attributes of the root that are written anew. */
static bool is_written_anew(const char *name)
{
    return strcmp(name, "state") == 0 || strcmp(name, "metadata_crc") == 0;
}

static naik_status copy_value(naik_log *log, hid_t from, hid_t to, const char *name)
{
    naik_status status = NAIK_OK;
    hid_t old = H5Aopen(from, name, H5P_DEFAULT), new = -1, type = -1, space = -1;
    void *value = NULL;
    NAIK_H5_TRY(log, old, "opening an attribute");
    type = H5Aget_type(old);
    space = H5Aget_space(old);
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    value = calloc((size_t)(count > 0 ? count : 1), H5Tget_size(type));
    if (value == NULL) {
        status = NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for an attribute");
        goto done;
    }
    NAIK_H5_TRY(log, H5Aread(old, type, value), "reading an attribute");
    new = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    NAIK_H5_TRY(log, new, "making an attribute");
    NAIK_H5_TRY(log, H5Awrite(new, type, value), "writing an attribute");
done:
    if (value != NULL && type >= 0 && H5Tis_variable_str(type) > 0) {
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, value);
    }
    free(value);
    naik_h5_release(new);
    naik_h5_release(old);
    naik_h5_release(space);
    naik_h5_release(type);
    return status;
}

static naik_status copy_root_attributes(naik_log *log, hid_t from, hid_t to)
{
    naik_status status = NAIK_OK;
    char name[NAIK_PROP_NAME];
    H5O_info_t info;
    NAIK_H5_TRY(log, H5Oget_info2(from, &info, H5O_INFO_NUM_ATTRS), "counting attributes");
    for (hsize_t i = 0; i < info.num_attrs; i++) {
        NAIK_H5_TRY(log,
                    H5Aget_name_by_idx(from, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                                       H5P_DEFAULT),
                    "reading the name of an attribute");
        if (!is_written_anew(name)) {
            NAIK_TRY(copy_value(log, from, to, name));
        }
    }
done:
    return status;
}

/* Groups and datasets that have nothing of propagators. */
static naik_status copy_objects(naik_log *log, const naik_prop_plan *plan, hid_t from, hid_t to)
{
    static const char *const whole[] = {"metadata", "corr", "solves", "solves_history",
                                        "contractions"};
    naik_status status = NAIK_OK;
    char path[NAIK_PROP_PATH];
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    NAIK_H5_TRY(log, H5Pset_create_intermediate_group(links, 1), "preparing a copy");
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        if (H5Lexists(from, whole[i], H5P_DEFAULT) > 0) {
            NAIK_H5_TRY(log, H5Ocopy(from, whole[i], to, whole[i], H5P_DEFAULT, links),
                        "copying a part of the file");
        }
    }
    for (int i = 0; i < plan->source_count; i++) {
        naik_prop_source_path(i, path);
        NAIK_H5_TRY(log, H5Ocopy(from, path, to, path, H5P_DEFAULT, links), "copying a source");
    }
done:
    naik_h5_release(links);
    return status;
}

/* There are no solutions whose checksums these could be, and some may never have been there. */
static naik_status forget_sums(naik_log *log, hid_t to, const char *path)
{
    naik_status status = NAIK_OK;
    naik_disk_record *disk = NULL;
    int count = 0;
    hid_t dataset = -1, type = -1;
    const hsize_t start[1] = {0};
    NAIK_TRY(naik_disk_records_read(log, to, path, &count, &disk, NULL));
    for (int i = 0; i < count; i++) {
        disk[i].suma = disk[i].sumb = 0;
        naik_disk_record_set_crc(&disk[i]);
    }
    dataset = H5Dopen2(to, "solves", H5P_DEFAULT);
    NAIK_H5_TRY(log, dataset, "opening the records of solves");
    type = naik_disk_record_type_of(dataset);
    const hsize_t dims[1] = {(hsize_t)count};
    NAIK_TRY(naik_h5_write_part(log, dataset, type, start, dims, disk));
done:
    naik_h5_release(type);
    naik_h5_release(dataset);
    free(disk);
    return status;
}

typedef struct copy {
    const naik_propagator_file *file;
    const char *beside;
} copy;

static naik_status make_copy(naik_comm *alone, void *data)
{
    const copy *c = data;
    naik_status status = NAIK_OK;
    hid_t from = -1, to = -1;
    NAIK_TRY(naik_h5_open(alone, c->file->part, false, &from));
    NAIK_TRY(naik_h5_create(alone, c->beside, &to));
    NAIK_TRY(copy_root_attributes(alone->log, from, to));
    NAIK_TRY(copy_objects(alone->log, c->file->plan, from, to));
    NAIK_TRY(forget_sums(alone->log, to, c->beside));
    NAIK_TRY(naik_h5_write_metadata_crc(alone, to));
    NAIK_TRY(naik_h5_set_text(alone->log, to, "state", "incomplete"));
    NAIK_TRY(naik_h5_flush(alone, to));
done:
    status = status == NAIK_OK ? naik_h5_close(alone, &to) : status;
    naik_h5_close(alone, &to);
    naik_h5_close(alone, &from);
    return status;
}

naik_status naik_prop_leave_out(naik_propagator_file *file)
{
    naik_comm *comm = file->comm;
    char beside[NAIK_PATH_MAX];
    copy c = {.file = file, .beside = beside};
    NAIK_PASS(naik_path_append(comm->log, file->part, ".new", beside));
    NAIK_PASS(naik_file_remove(comm, beside));
    NAIK_PASS(naik_h5_by_rank_0(comm, make_copy, &c));
    NAIK_PASS(naik_file_publish(comm, beside, file->part, true));
    file->plan->store = false;
    return NAIK_OK;
}
