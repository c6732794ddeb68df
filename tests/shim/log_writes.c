/* log_writes.c - what a program writes, forces to disk, names and removes, in order
 *
 * Preloaded into every rank (LD_PRELOAD), glibc only. Each call on a file whose path has
 * NAIK_WRITES_IN in it becomes a line of the file that NAIK_WRITES_LOG names, in the order in which the
 * calls return, of all ranks:
 *   write PATH     sync PATH     rename FROM TO     link FROM TO     remove PATH
 * sync of a folder has the folder as PATH. What stdio writes by itself is not seen.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static bool is_watched(const char *path)
{
    const char *part = getenv("NAIK_WRITES_IN");
    return part != NULL && strstr(path, part) != NULL;
}

static void tell(const char *format, ...)
{
    char line[1200];
    const char *name = getenv("NAIK_WRITES_LOG");
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const int fd = name != NULL ? open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) { /* one call a line: lines of several ranks do not mix */
        syscall(SYS_write, fd, line, (size_t)length);
        close(fd);
    }
}

static bool path_of(int fd, char path[512])
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, 511);
    path[length > 0 ? length : 0] = '\0';
    return length > 0 && is_watched(path);
}

static void tell_of(const char *what, int fd)
{
    char path[512];
    if (path_of(fd, path)) {
        tell("%s %s\n", what, path);
    }
}

#define CALL(type, name, what, parameters, ...)                                                    \
    type name parameters                                                                           \
    {                                                                                              \
        type(*real) parameters;                                                                    \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        const type result = real(__VA_ARGS__);                                                     \
        if (result >= 0) {                                                                         \
            tell_of(what, fd);                                                                     \
        }                                                                                          \
        return result;                                                                             \
    }
CALL(ssize_t, write, "write", (int fd, const void *from, size_t bytes), fd, from, bytes)
CALL(ssize_t, pwrite, "write", (int fd, const void *from, size_t bytes, off_t at), fd, from, bytes,
     at)
CALL(ssize_t, pwrite64, "write", (int fd, const void *from, size_t bytes, off_t at), fd, from,
     bytes, at)
CALL(ssize_t, writev, "write", (int fd, const struct iovec *from, int count), fd, from, count)
CALL(ssize_t, pwritev, "write", (int fd, const struct iovec *from, int count, off_t at), fd, from,
     count, at)
CALL(ssize_t, pwritev64, "write", (int fd, const struct iovec *from, int count, off_t at), fd, from,
     count, at)
CALL(int, fsync, "sync", (int fd), fd)
CALL(int, fdatasync, "sync", (int fd), fd)
#undef CALL

static void tell_names(const char *what, const char *from, const char *to)
{
    char absolute[2][512];
    for (int i = 0; i < 2; i++) {
        const char *name = i == 0 ? from : to;
        char folder[256] = "";
        if (name[0] != '/' && getcwd(folder, sizeof folder) != NULL) {
            strcat(folder, "/");
        }
        snprintf(absolute[i], sizeof absolute[i], "%s%s", folder, name);
    }
    if (is_watched(absolute[1])) {
        tell("%s %s %s\n", what, absolute[0], absolute[1]);
    }
}

int rename(const char *from, const char *to)
{
    int (*real)(const char *, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "rename");
    const int result = real(from, to);
    if (result == 0) {
        tell_names("rename", from, to);
    }
    return result;
}

int renameat2(int old_folder, const char *from, int new_folder, const char *to, unsigned flags)
{
    int (*real)(int, const char *, int, const char *, unsigned);
    *(void **)&real = dlsym(RTLD_NEXT, "renameat2");
    const int result = real(old_folder, from, new_folder, to, flags);
    if (result == 0) {
        tell_names("rename", from, to);
    }
    return result;
}

int link(const char *from, const char *to)
{
    int (*real)(const char *, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "link");
    const int result = real(from, to);
    if (result == 0) {
        tell_names("rename", from, to);
    }
    return result;
}

int linkat(int old_folder, const char *from, int new_folder, const char *to, int flags)
{
    int (*real)(int, const char *, int, const char *, int);
    char path[512];
    int fd;
    *(void **)&real = dlsym(RTLD_NEXT, "linkat");
    const bool unnamed = sscanf(from, "/proc/self/fd/%d", &fd) == 1 && path_of(fd, path);
    const int result = real(old_folder, from, new_folder, to, flags);
    if (result == 0) {
        tell_names("link", unnamed ? path : from, to);
    }
    return result;
}

int unlink(const char *path)
{
    int (*real)(const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "unlink");
    const int result = real(path);
    if (result == 0) {
        tell_names("remove", path, path);
    }
    return result;
}
