/* reread.c - the same bytes again, by plain reads
 *
 * Every rank reads the first part of the range, where HDF5 keeps most of its metadata; the rest is
 * divided over the ranks of a node, because it is nodes that reach a file system or do not.
 */
#include "io/reread.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/watchdog.h"
#include "comm/collective.h"
#include "io/files.h"

enum { PIECE_BYTES = 4 << 20, STRIPE_BYTES = 64 << 20 };

void naik_mark_unread(void *bytes, size_t size_bytes)
{
    if (size_bytes > 0) { /* a rank without a part has no memory for it */
        memset(bytes, 0xff, size_bytes);
    }
}

/* 0, or why [begin, end) cannot be read; the file may end before. */
static int read_range(naik_comm *comm, int fd, int64_t begin, int64_t end, void *buffer)
{
    while (begin < end) {
        const size_t wanted = end - begin < PIECE_BYTES ? (size_t)(end - begin) : PIECE_BYTES;
        const ssize_t got = pread(fd, buffer, wanted, begin);
        if (got < 0 && errno != EINTR) {
            return errno;
        }
        if (got == 0) {
            break;
        }
        begin += got > 0 ? got : 0;
        naik_watchdog_move(comm->watchdog);
    }
    return 0;
}

static int read_mine(naik_comm *comm, const char *path, int64_t offset, int64_t size_bytes)
{
    int failed = 0;
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT || errno == ENOTDIR ? 0 : errno;
    }
    if (!S_ISREG(info.st_mode)) {
        return 0;
    }
    void *buffer = malloc(PIECE_BYTES);
    int fd = buffer != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    failed = fd >= 0 || errno == ENOENT ? 0 : errno;
    if (fd >= 0) {
        const int64_t file_end = info.st_size;
        const int64_t end =
            size_bytes < 0 || size_bytes > file_end - offset ? file_end : offset + size_bytes;
        for (int64_t stripe = 0; offset < end && failed == 0; stripe++, offset += STRIPE_BYTES) {
            const int64_t to = end - offset < STRIPE_BYTES ? end : offset + STRIPE_BYTES;
            if (stripe == 0 || stripe % comm->node_size == comm->node_rank) {
                failed = read_range(comm, fd, offset, to, buffer);
            }
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    free(buffer);
    return failed;
}

/* naik_file_reread; `named`: what may not be opened has had its sentence. */
static naik_status reread(naik_comm *comm, const char *path, int64_t offset, int64_t size_bytes,
                          bool named)
{
    naik_status status = NAIK_OK;
    int failed = read_mine(comm, path, offset, size_bytes);
    failed = named && naik_refusal(failed) == NAIK_ERR_INPUT ? 0 : failed;
    double any = failed;
    NAIK_PASS(naik_comm_max_f64(comm, &any, 1));
    if (any == 0) {
        return NAIK_OK;
    }
    naik_log_clear(comm->log); /* what was said before were the consequences */
    if (failed != 0) {
        status = NAIK_FAIL(comm->log, naik_refusal(failed), "'%s' cannot be read on %s: %s", path,
                           comm->host, strerror(failed));
    }
    return naik_comm_agree(comm, status);
}

naik_status naik_file_reread(naik_comm *comm, const char *path, int64_t offset, int64_t size_bytes)
{
    return reread(comm, path, offset, size_bytes, false);
}

naik_status naik_file_verdict(naik_comm *comm, const char *path, naik_status status)
{
    status = naik_comm_agree(comm, status);
    if (status != NAIK_ERR_IO && status != NAIK_ERR_CORRUPT && status != NAIK_ERR_INPUT) {
        return status;
    }
    /* What is merely another file than was asked for is not read to its end. */
    const int64_t bytes = status == NAIK_ERR_INPUT ? STRIPE_BYTES : -1;
    const naik_status again = reread(comm, path, 0, bytes, true);
    return again != NAIK_OK ? again : status;
}

naik_status naik_h5_read_verdict(const naik_log *log, naik_status status)
{
    const char *said = naik_log_message(log);
    const bool outside = strstr(said, strerror(EIO)) != NULL || /* the bytes were not seen */
                         strstr(said, "MPI_File_open failed") != NULL;
    return status == NAIK_ERR_IO && !outside ? NAIK_ERR_CORRUPT : status;
}

naik_status naik_write_verdict(naik_log *log, const char *path, naik_status status)
{
    char text[1024];
    if (status != NAIK_ERR_CORRUPT && status != NAIK_ERR_INPUT) {
        return status;
    }
    snprintf(text, sizeof text, "%s", naik_log_message(log));
    naik_log_clear(log);
    return NAIK_FAIL(log, NAIK_ERR_IO,
                     "'%s' did not read back as it was written (is the disk full?): %s", path,
                     text);
}
