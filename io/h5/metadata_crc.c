/* metadata_crc.c - a checksum over everything in a file that only describes its data
 *
 * Objects and attributes are visited by name, so that the order of their making does not matter.
 * What is counted, and how far down one goes, is bounded: the file may be damaged. All ranks visit
 * the same: the metadata cache of a file open for writing must not differ between them.
 */
#include "io/h5/metadata_crc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/checksum.h"
#include "io/h5/guard.h"

enum { NAME_BYTES = 256, DEPTH = 8, MAX_OBJECTS = 1 << 20, MAX_BYTES = 1 << 26, MAX_RANK = 32 };

static const char *const crc_name = "metadata_crc";

typedef struct walk {
    naik_log *log;
    uint32_t crc;
    int objects;
    naik_status status; /* of what stood in the way, and is no damage */
} walk;

static void add(walk *w, const void *bytes, size_t size_bytes)
{
    const uint32_t link[2] = {w->crc, naik_crc32(bytes, size_bytes)};
    w->crc = naik_crc32(link, sizeof link);
}

static void add_text(walk *w, const char *text)
{
    add(w, text, strlen(text));
}

/* Class, size and number of members of a type; rank and extents of a space. */
static void add_shape(walk *w, hid_t type, hid_t space)
{
    hsize_t dims[MAX_RANK] = {0};
    const H5T_class_t class = H5Tget_class(type);
    const int rank = H5Sget_simple_extent_ndims(space);
    const bool variable = class == H5T_STRING && H5Tis_variable_str(type) > 0;
    const int64_t shape[4] = {class, variable ? 0 : (int64_t)H5Tget_size(type),
                              class == H5T_COMPOUND ? H5Tget_nmembers(type) : 0, rank};
    add(w, shape, sizeof shape);
    if (rank > 0 && rank <= MAX_RANK && H5Sget_simple_extent_dims(space, dims, NULL) == rank) {
        add(w, dims, (size_t)rank * sizeof *dims);
    }
}

/* The type in which naik writes what has this type: where it is damaged, the values are read as
 * they are everywhere else, and differ. Any other type as it is. */
static hid_t type_of_naik(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    const size_t size_bytes = H5Tget_size(type);
    if (class == H5T_STRING && H5Tis_variable_str(type) == 0) {
        return naik_h5_string(size_bytes);
    }
    return H5Tcopy(class == H5T_FLOAT && size_bytes == 8     ? H5T_IEEE_F64LE
                   : class == H5T_INTEGER && size_bytes == 4 ? H5T_STD_I32LE
                   : class == H5T_INTEGER && size_bytes == 8 ? H5T_STD_I64LE
                                                             : type);
}

static void add_variable(walk *w, hid_t attribute, hid_t space)
{
    char *text = NULL;
    hid_t memory = naik_h5_text_type();
    if (H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, memory, &text) >= 0 &&
        text != NULL) {
        add_text(w, text);
    }
    if (text != NULL) {
        H5free_memory(text);
    }
    naik_h5_release(memory);
}

static void add_attribute(walk *w, hid_t attribute)
{
    char name[NAME_BYTES] = "";
    hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    hid_t memory = type_of_naik(type);
    const hsize_t size_bytes = H5Aget_storage_size(attribute);
    if (H5Aget_name(attribute, sizeof name, name) >= 0 && strcmp(name, "state") != 0 &&
        strcmp(name, crc_name) != 0) {
        add_text(w, name);
        add_shape(w, type, space);
        if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) > 0) {
            add_variable(w, attribute, space);
        }
        void *bytes = size_bytes <= MAX_BYTES ? calloc(1, (size_t)size_bytes + 1) : NULL;
        if (bytes == NULL && size_bytes <= MAX_BYTES) {
            w->status = NAIK_FAIL(w->log, NAIK_ERR_MEMORY, "no memory for the attribute %s", name);
        } else if (bytes != NULL && H5Tget_class(type) != H5T_VLEN &&
                   H5Tis_variable_str(type) == 0 && H5Aread(attribute, memory, bytes) >= 0) {
            add(w, bytes, (size_t)size_bytes);
        }
        free(bytes);
    }
    naik_h5_release(memory);
    naik_h5_release(space);
    naik_h5_release(type);
}

/* One attribute of an object; ends the iteration where it cannot be opened. */
static herr_t add_named(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    (void)info;
    if (attribute >= 0) {
        add_attribute(context, attribute);
        naik_h5_release(attribute);
    }
    return attribute < 0;
}

/* By iteration, not by index: HDF5 lists and sorts all attributes for each index. */
static void add_attributes(walk *w, hid_t object)
{
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, add_named, w);
}

/* Its shape, and where it is a text the text. */
static void add_dataset(walk *w, hid_t parent, const char *name, hid_t dataset)
{
    naik_status status = NAIK_OK;
    char *text = NULL;
    hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    add_shape(w, type, space);
    if (H5Tget_class(type) == H5T_STRING && H5Sget_simple_extent_ndims(space) == 0) {
        status = naik_h5_get_document(w->log, parent, name, &text);
    }
    if (status == NAIK_ERR_MEMORY) {
        w->status = status;
    }
    if (text != NULL) {
        add_text(w, text);
    }
    free(text);
    naik_h5_release(space);
    naik_h5_release(type);
}

typedef struct children {
    walk *walk;
    int depth;
} children;

static void add_children(walk *w, hid_t group, int depth);

/* One link of a group; ends the iteration where there is too much. */
static herr_t add_child(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    const children *c = context;
    (void)info;
    if (c->walk->objects++ >= MAX_OBJECTS || strlen(name) >= NAME_BYTES) {
        return 1;
    }
    add_text(c->walk, name);
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    const H5I_type_t kind = object < 0 ? H5I_BADID : H5Iget_type(object);
    if (kind == H5I_DATASET) {
        add_dataset(c->walk, group, name, object);
    }
    add_attributes(c->walk, object);
    if (kind == H5I_GROUP && c->depth > 0) {
        add_children(c->walk, object, c->depth - 1);
    }
    naik_h5_release(object);
    return 0;
}

/* By iteration, not by index: H5Lget_name_by_idx of HDF5 1.10 broadcasts what it reads, and hangs
 * where rank 0 has read some of it before. */
static void add_children(walk *w, hid_t group, int depth)
{
    children c = {.walk = w, .depth = depth};
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_child, &c);
}

static naik_status measure(naik_log *log, hid_t file, uint32_t *crc)
{
    walk w = {.log = log};
    hid_t root = H5Gopen2(file, "/", H5P_DEFAULT);
    add_attributes(&w, root);
    add_children(&w, root, DEPTH);
    naik_h5_release(root);
    H5Eclear2(H5E_DEFAULT);
    *crc = w.crc;
    return w.status;
}

naik_status naik_h5_write_metadata_crc(naik_comm *comm, hid_t file)
{
    char text[16];
    NAIK_PASS(naik_h5_flush(comm, file)); /* rank 0 wrote the texts */
    uint32_t crc;
    NAIK_PASS(naik_comm_agree(comm, measure(comm->log, file, &crc)));
    NAIK_PASS(naik_comm_broadcast(comm, &crc, sizeof crc, 0));
    snprintf(text, sizeof text, "%08x", crc);
    return naik_comm_agree(comm, naik_h5_put_text(comm->log, file, crc_name, text));
}

naik_status naik_h5_check_metadata_crc(naik_log *log, hid_t file, const char *path)
{
    char stored[16], found[16];
    uint32_t crc;
    if (!naik_h5_get_text(file, crc_name, stored, sizeof stored)) {
        return NAIK_OK;
    }
    NAIK_PASS(measure(log, file, &crc));
    snprintf(found, sizeof found, "%08x", crc);
    if (strcmp(stored, found) != 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "'%s' is damaged or was edited: its attributes and texts give the "
                         "checksum %s, but metadata_crc is %s",
                         path, found, stored);
    }
    return NAIK_OK;
}

naik_status naik_h5_need_metadata_crc(naik_log *log, hid_t file, const char *path)
{
    if (H5Aexists(file, crc_name) <= 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' is damaged: its metadata_crc is missing",
                         path);
    }
    return naik_h5_check_metadata_crc(log, file, path);
}

naik_status naik_h5_reads_otherwise(naik_log *log, const char *path)
{
    return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                     "'%s' is damaged: what describes it reads otherwise than it was written",
                     path);
}

naik_status naik_h5_confirm_metadata(naik_comm *comm, hid_t file, const char *path,
                                     const char *state)
{
    char found[32] = "";
    naik_h5_guard guard;
    naik_h5_guard_begin(&guard);
    naik_status status = naik_h5_need_metadata_crc(comm->log, file, path);
    naik_h5_get_text(file, "state", found, sizeof found);
    naik_h5_guard_end(&guard);
    if (status == NAIK_OK && strcmp(found, state) != 0) {
        status = naik_h5_reads_otherwise(comm->log, path);
    }
    return naik_comm_agree(comm, status);
}
