/* inside.c - whether everything that an HDF5 file holds lies in that file, and can be decoded
 *
 * An external link, external storage and a virtual dataset lead HDF5 to other files without a word,
 * which no checksum of this one vouches for. A soft link leads nowhere else, but naik writes none:
 * in a file of naik somebody put it there.
 */
#include <stdio.h>
#include <string.h>

#include "io/h5/h5.h"

enum { NAME_BYTES = 128, VALUE_BYTES = 1024 };

static void external_link(hid_t group, const char *name, size_t size, char *reason)
{
    char value[VALUE_BYTES];
    const char *file = "another file", *object = NULL;
    unsigned flags;
    if (size <= sizeof value && H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT) >= 0 &&
        H5Lunpack_elink_val(value, size, &flags, &file, &object) < 0) {
        file = "another file";
    }
    snprintf(reason, NAIK_H5_REASON_BYTES,
             "/%.128s is an external link to '%.200s': nothing is read from other files", name,
             file);
}

static void soft_link(hid_t group, const char *name, size_t size, char *reason)
{
    char value[VALUE_BYTES] = "";
    if (size >= sizeof value || H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT) < 0) {
        snprintf(value, sizeof value, "...");
    }
    snprintf(reason, NAIK_H5_REASON_BYTES,
             "/%.128s is a soft link to '%.200s', and naik writes none: the file was edited", name,
             value);
}

static void filters(hid_t list, const char *name, char *reason)
{
    const int count = H5Pget_nfilters(list);
    for (int i = 0; i < count && reason[0] == '\0'; i++) {
        char filter[NAME_BYTES] = "";
        size_t values = 0;
        unsigned flags, config;
        const H5Z_filter_t number = H5Pget_filter2(list, (unsigned)i, &flags, &values, NULL,
                                                   sizeof filter, filter, &config);
        if (number >= 0 && H5Zfilter_avail(number) <= 0) {
            snprintf(reason, NAIK_H5_REASON_BYTES,
                     "/%.128s is stored with filter %d%s%.100s, which this HDF5 library lacks: "
                     "repack the file without it (h5repack -f NONE)",
                     name, (int)number, filter[0] != '\0' ? ", " : "", filter);
        }
    }
}

static void storage(hid_t dataset, const char *name, char *reason)
{
    char file[NAME_BYTES] = "";
    off_t offset;
    hsize_t size;
    const hid_t list = H5Dget_create_plist(dataset);
    if (list >= 0 && H5Pget_layout(list) == H5D_VIRTUAL) {
        snprintf(reason, NAIK_H5_REASON_BYTES,
                 "/%.128s is a virtual dataset: nothing is read from other files", name);
    } else if (list >= 0 && H5Pget_external_count(list) > 0) {
        H5Pget_external(list, 0, sizeof file - 1, file, &offset, &size);
        snprintf(reason, NAIK_H5_REASON_BYTES,
                 "/%.128s is stored in '%.127s': nothing is read from other files", name, file);
    } else if (list >= 0) {
        filters(list, name, reason);
    }
    naik_h5_release(list);
}

typedef struct search {
    bool own; /* a file of naik */
    char *reason;
} search;

static herr_t look(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    const search *s = context;
    char *reason = s->reason;
    if (info->type == H5L_TYPE_EXTERNAL) {
        external_link(group, name, info->u.val_size, reason);
    } else if (info->type == H5L_TYPE_SOFT && s->own) {
        soft_link(group, name, info->u.val_size, reason);
    } else if (info->type == H5L_TYPE_HARD) {
        const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
        if (object >= 0 && H5Iget_type(object) == H5I_DATASET) {
            storage(object, name, reason);
        }
        if (object >= 0) {
            H5Oclose(object);
        }
    }
    return reason[0] != '\0';
}

bool naik_h5_stays_inside(hid_t file, char reason[NAIK_H5_REASON_BYTES])
{
    char format[16] = "";
    search s = {.reason = reason};
    reason[0] = '\0';
    s.own = naik_h5_get_text(file, "format", format, sizeof format) &&
            strncmp(format, "naik-", strlen("naik-")) == 0;
    (void)H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, look, &s); /* damage: others find it */
    H5Eclear2(H5E_DEFAULT);
    return reason[0] == '\0';
}
