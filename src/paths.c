/* paths.c - files by what they are, not by how they are called */
#include "naik/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

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
