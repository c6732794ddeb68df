/* claim.c - whether a file at PATH or PATH.part is of this input, of another one, or of somebody else */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files.h"
#include "io/h5/guard.h"
#include "io/prop/prop_file.h"

naik_status naik_prop_expect_complete(naik_log *log, hid_t h5, const char *path)
{
    char format[32] = "", state[32] = "";
    if (h5 >= 0) {
        naik_h5_get_text(h5, "format", format, sizeof format);
        naik_h5_get_text(h5, "state", state, sizeof state);
        NAIK_PASS(naik_h5_check_version(log, h5, path));
    }
    if (format[0] != '\0' && strcmp(format, "naik-prop") != 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s exists and is a file of another kind (%s): move it away, or choose "
                         "another output.file",
                         path, format);
    }
    /* naik writes the checksum of the attributes beside the format: without both the file is no file of
     * naik that was damaged */
    if (h5 >= 0 && format[0] == '\0' && H5Aexists(h5, "metadata_crc") <= 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s exists and is no file of naik: move it away, or choose another "
                         "output.file",
                         path);
    }
    if (h5 >= 0 && strcmp(state, "incomplete") == 0) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s exists and is an unfinished propagator file: rename it to %s.part to "
                         "continue it, or choose another output.file",
                         path, path);
    }
    if (format[0] == '\0' || strcmp(state, "complete") != 0) {
        return NAIK_FAIL(log, NAIK_ERR_CORRUPT,
                         "%s exists, but is not a complete propagator file of naik: move it "
                         "away, or replace a damaged one with --fresh",
                         path);
    }
    return NAIK_OK;
}

naik_status naik_prop_refuse_other(naik_log *log, hid_t h5, const char *path)
{
    char format[32] = "";
    naik_h5_get_text(h5, "format", format, sizeof format);
    return format[0] == '\0' || strcmp(format, "naik-prop") == 0
               ? naik_h5_check_version(log, h5, path)
               : NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "%s is a file of format %s: move it away or choose another output.file",
                           path, format);
}

/* *other: a file which --fresh must not replace: HDF5 of another format, or, of a `finished` one, no
 * HDF5 (beside.h has looked at the others). A damaged propagator file is none.
 * NAIK_ERR_INPUT where the file is of a version that is not known, or is no file of its own */
static naik_status find_other(naik_log *log, const char *path, bool finished, bool *other)
{
    naik_file_head head;
    char format[32] = "";
    hid_t h5 = -1;
    *other = false;
    if (naik_file_head_read(log, path, "the file", &head) != NAIK_OK) {
        naik_log_clear(log); /* what cannot be opened is refused by what opens it */
        return NAIK_OK;
    }
    if (!naik_h5_begins(head.bytes, (size_t)head.length)) {
        *other = finished && head.size_bytes > 0;
        return NAIK_OK;
    }
    const naik_status status = naik_h5_open_alone(log, path, &h5);
    if (status == NAIK_ERR_INPUT) {
        return status;
    }
    if (status != NAIK_OK) {
        naik_log_clear(log);
        return NAIK_OK;
    }
    const bool told = naik_h5_get_text(h5, "format", format, sizeof format);
    H5Fclose(h5);
    *other = (told || finished) && strcmp(format, "naik-prop") != 0;
    return NAIK_OK;
}

static naik_status refuse_replacing(naik_log *log, const char *path, bool finished)
{
    bool other;
    const naik_status status = find_other(log, path, finished, &other);
    return status == NAIK_OK && other
               ? NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "%s is no propagator file of naik, and --fresh replaces no other: move "
                           "it away or choose another output.file",
                           path)
               : status;
}

/* Rank 0, of PATH or PATH.part. */
static naik_status find_file(naik_log *log, const char *path, const char *canonical_input,
                             bool finished, bool *there)
{
    naik_status status = NAIK_OK;
    char state[32] = "";
    hid_t h5 = -1;
    struct stat info;
    *there = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    if (!*there || canonical_input == NULL) {
        return *there ? refuse_replacing(log, path, finished) : NAIK_OK;
    }
    status = naik_h5_open_alone(log, path, &h5);
    if (status == NAIK_ERR_IO || (status == NAIK_ERR_INPUT && finished)) {
        return status;
    }
    status = NAIK_OK;
    naik_log_clear(log); /* what is wrong with a .part is found out when it is continued */
    if (finished) {
        NAIK_TRY(naik_prop_expect_complete(log, h5, path));
    } else if (h5 >= 0) {
        NAIK_TRY(naik_prop_refuse_other(log, h5, path));
    }
    if (h5 >= 0 && naik_h5_get_text(h5, "state", state, sizeof state)) {
        status = naik_prop_compare_input(log, h5, path, canonical_input);
    }
    if (status == NAIK_ERR_CORRUPT && !finished) {
        naik_log_clear(log);
        status = NAIK_OK;
    }
done:
    if (h5 >= 0) {
        H5Fclose(h5);
    }
    return status;
}

/* Rank 0. NULL where it cannot be read. */
static char *text_of(naik_log *log, const char *path)
{
    char *text = NULL;
    hid_t h5 = -1, group = -1;
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
        naik_h5_open_alone(log, path, &h5) != NAIK_OK) {
        naik_log_clear(log);
        return NULL;
    }
    group = H5Gopen2(h5, "metadata", H5P_DEFAULT);
    if (group >= 0 && naik_h5_get_document(log, group, "canonical_input", &text) != NAIK_OK) {
        naik_log_clear(log); /* what compares it says so */
    }
    naik_h5_release(group);
    H5Fclose(h5);
    return text;
}

naik_status naik_propagator_file_begun_with(naik_comm *comm, const char *path, char **text)
{
    naik_status status = NAIK_OK;
    char part[NAIK_PATH_MAX];
    naik_h5_guard guard;
    *text = NULL;
    naik_h5_guard_begin(&guard);
    NAIK_TRY(naik_path_append(comm->log, path, ".part", part));
    if (comm->rank == 0) {
        *text = text_of(comm->log, access(path, F_OK) == 0 ? path : part);
    }
    NAIK_TRY(naik_prop_share_text(comm, text));
done:
    naik_h5_guard_end(&guard);
    return status;
}

naik_status naik_propagator_file_find(naik_comm *comm, const char *path,
                                      const char *canonical_input, bool *complete)
{
    naik_status status = NAIK_OK;
    char part[NAIK_PATH_MAX];
    bool begun = false;
    naik_h5_guard guard;
    *complete = false;
    naik_h5_guard_begin(&guard);
    NAIK_TRY(naik_path_append(comm->log, path, ".part", part));
    if (comm->rank == 0) {
        status = find_file(comm->log, path, canonical_input, true, complete);
        if (status == NAIK_OK && (!*complete || canonical_input == NULL)) {
            status = find_file(comm->log, part, canonical_input, false, &begun);
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    NAIK_TRY(naik_comm_broadcast(comm, complete, sizeof *complete, 0));
done:
    naik_h5_guard_end(&guard);
    return status;
}
