/* paths.c - files by what they are, not by how they are called */
#include "comm/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

bool naik_path_same(const char *a, const char *b)
{
    struct stat one, other;
    return a != NULL && b != NULL && stat(a, &one) == 0 && stat(b, &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

naik_status naik_path_refuse_input(naik_comm *comm, const char *name, const char *output,
                                   const char *const *inputs, int count)
{
    naik_status status = NAIK_OK;
    for (int i = 0; i < count && comm->rank == 0 && status == NAIK_OK; i++) {
        if (naik_path_same(output, inputs[i])) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "'%s' is '%s', which is read as input",
                               name, output);
        }
    }
    return naik_comm_agree(comm, status);
}

const char *naik_path_side_ending(const char *path)
{
    static const char *const endings[] = {".part", ".journal", ".lock", ".state", ".search"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t size = strlen(endings[i]);
        if (length >= size && strcmp(path + length - size, endings[i]) == 0) {
            return endings[i];
        }
    }
    return NULL;
}

naik_status naik_path_refuse_dangling(naik_log *log, const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 || (errno != ENOENT && errno != ELOOP) || lstat(path, &info) != 0
               ? NAIK_OK
               : NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "%s is a symbolic link to nothing: remove the link, or choose another "
                           "name",
                           path);
}

static naik_status refuse_existing(naik_log *log, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return naik_path_refuse_dangling(log, path);
    }
    if (S_ISREG(info.st_mode)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s is there already and is not replaced without --force: choose another "
                         "name",
                         path);
    }
    return NAIK_OK;
}

naik_status naik_path_refuse_output(naik_comm *comm, const char *name, const char *path)
{
    naik_status status = NAIK_OK;
    if (comm->rank == 0 && path != NULL) {
        const char *ending = naik_path_side_ending(path);
        if (ending != NULL) {
            status = NAIK_FAIL(
                comm->log, NAIK_ERR_INPUT,
                "'%s' must not end in %s: naik gives such names to files beside an output", name,
                ending);
        } else if (!comm->io.replace) {
            status = refuse_existing(comm->log, path);
        }
    }
    return naik_comm_agree(comm, status);
}

/* For file systems whose rename cannot be told not to replace: a second name, which never does. */
static int link_and_unlink(const char *from, const char *to)
{
    struct stat info;
    if (link(from, to) == 0) {
        return unlink(from) == 0 ? 0 : errno;
    }
    if (errno != EPERM && errno != ENOTSUP && errno != ENOSYS && errno != EMLINK) {
        return errno;
    }
    if (lstat(to, &info) == 0) {
        return EEXIST;
    }
    return rename(from, to) == 0 ? 0 : errno;
}

int naik_path_rename(const char *from, const char *to, bool replace)
{
    if (replace) {
        return rename(from, to) == 0 ? 0 : errno;
    }
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP ? link_and_unlink(from, to)
                                                                  : errno;
}

FILE *naik_path_open(const char *path, struct stat *info)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return NULL;
    }
    const bool known = fstat(fd, info) == 0;
    FILE *stream = known && S_ISREG(info->st_mode) ? fdopen(fd, "rb") : NULL;
    if (stream == NULL) {
        const int failed = !known || S_ISREG(info->st_mode) ? errno : 0;
        close(fd);
        errno = failed;
    }
    return stream;
}

naik_status naik_path_open_text(naik_log *log, const char *path, FILE **out)
{
    struct stat info = {.st_mode = 0};
    *out = naik_path_open(path, &info);
    if (*out != NULL) {
        return NAIK_OK;
    }
    if (errno != 0) {
        return NAIK_FAIL(log, naik_text_refused(errno), "%s cannot be opened: %s", path,
                         strerror(errno));
    }
    return S_ISDIR(info.st_mode)
               ? NAIK_FAIL(log, NAIK_ERR_INPUT, "%s cannot be read: Is a directory", path)
               : NAIK_FAIL(log, NAIK_ERR_INPUT, "%s is no regular file, but a FIFO or a device",
                           path);
}
