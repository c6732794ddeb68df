/* stored.c - opening an HDF5 file that may be missing, damaged, or of another program or version */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "io/files.h"
#include "io/h5/h5.h"
#include "io/reread.h"

static naik_status look_for_signature(naik_log *log, const char *path)
{
    naik_file_head head;
    struct stat info;
    if (stat(path, &info) != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "there is no file '%s'%s", path,
                         naik_file_in_parts(path));
    }
    if (!S_ISREG(info.st_mode) || naik_file_head_read(log, path, "the file", &head) != NAIK_OK) {
        naik_log_clear(log);
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' is no file that can be read%s", path,
                         S_ISDIR(info.st_mode) ? ", but a folder" : "");
    }
    if (!naik_h5_begins(head.bytes, (size_t)head.length)) {
        const char *wrapping = naik_file_wrapping(&head);
        return wrapping[0] != '\0'
                   ? NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' cannot be read%s", path, wrapping)
                   : NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s' is no HDF5 file", path);
    }
    return NAIK_OK;
}

/* HDF5 cuts a file at its end when it closes it: what lies behind was put there by others. A file
 * that is being written is incomplete, or has no metadata_crc yet. */
static void tell_of_more(naik_log *log, hid_t file, const char *path)
{
#if H5_VERSION_GE(1, 10, 2)
    hsize_t size = 0;
    haddr_t end = 0;
    char state[32] = "";
    naik_h5_get_text(file, "state", state, sizeof state);
    if (H5Aexists(file, "metadata_crc") > 0 && strcmp(state, "incomplete") != 0 &&
        H5Fget_filesize(file, &size) >= 0 && H5Fget_eoa(file, &end) >= 0 && size > end) {
        naik_log_warn_once(log,
                           "'%s' has %llu bytes behind its end, which naik does not read: "
                           "somebody appended them",
                           path, (unsigned long long)(size - end));
    }
#endif
}

naik_status naik_h5_open_alone(naik_log *log, const char *path, hid_t *file)
{
    *file = -1;
    NAIK_PASS(look_for_signature(log, path));
    hid_t access = naik_h5_access_alone();
    char text[NAIK_H5_REASON_BYTES] = "";
    *file = H5Fopen(path, H5F_ACC_RDONLY, access);
    const bool refused = *file < 0 && naik_h5_take_reason(text); /* before the next call */
    naik_h5_release(access);
    if (*file >= 0) {
        char reason[NAIK_H5_REASON_BYTES];
        const naik_status status = naik_h5_stays_inside(*file, reason)
                                       ? naik_h5_check_version(log, *file, path)
                                       : NAIK_FAIL(log, NAIK_ERR_INPUT, "'%s': %s", path, reason);
        if (status != NAIK_OK) {
            H5Fclose(*file);
            *file = -1;
        } else {
            tell_of_more(log, *file, path);
        }
        return status;
    }
    return refused
               ? NAIK_FAIL(log, NAIK_ERR_IO, "'%s' cannot be read: %s", path, text)
               : NAIK_FAIL(log, NAIK_ERR_CORRUPT, "'%s' cannot be opened as HDF5: %s", path, text);
}

naik_status naik_h5_open_stored(naik_comm *comm, const char *path, hid_t *file)
{
    naik_status status = NAIK_OK;
    hid_t alone = -1;
    *file = -1;
    if (comm->rank == 0) { /* which has the better sentences */
        status = naik_h5_open_alone(comm->log, path, &alone);
        if (alone >= 0) {
            H5Fclose(alone);
        }
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_h5_read_verdict(comm->log, naik_h5_open(comm, path, false, file));
}
