/* fail_one_rank.c - one rank's memory or disk fails, in a program that knows nothing of it
 *
 * Preloaded into every rank (LD_PRELOAD), glibc only. NAIK_FAIL=WHAT:N@RANK, WHAT being
 *   alloc     the N-th allocation that the program itself asks for gives nothing
 *   read      all reads from the N-th on give EIO, of files that have NAIK_FAIL_IN (or .h5) in
 *             their path
 *   oneread   the N-th read alone does
 *   piece     the N-th read of 16 KiB or more by pread alone does
 *   stall     the N-th read never returns
 *   write     all writes to such files from the N-th on give ENOSPC
 *   onewrite  the N-th write to such files alone gives EIO
 *   short     the N-th write to such files takes half of what it is given
 *   flip      the N-th write of 512 bytes or more to such files writes one bit otherwise
 *   turn      the N-th write of fewer bytes does
 *   spoil     the N-th write of 16 KiB or more does
 *   sync      all fsyncs of such files from the N-th on give EIO
 *   room      all fallocates of such files from the N-th on give ENOSPC
 *   open      the N-th attempt alone to open such a file gives EIO
 *   name      all attempts from the N-th on to give such a file a name, or another one, give EIO
 *   kill      the rank ends by SIGKILL at the N-th of all writes, fsyncs and names of such files
 *
 * NAIK_SLOW_MS: so many milliseconds pass before each write to such a file, on every rank.
 *
 * Libraries get the memory that they ask for. What happened is said once on standard error. A
 * program without a launcher hears from NAIK_FAIL_RANK which rank it is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LARGE = 1 << 14 }; /* bytes of what is a part of a field */

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static struct {
    bool known, mine;
    char what[12];
    long when, allocations;
    atomic_long calls; /* of any thread */
    bool told;
    char *begin, *end; /* the program in memory */
} order;

static void find_program(void)
{
    char line[512], name[400] = "";
    ssize_t length = readlink("/proc/self/exe", name, sizeof name - 1);
    FILE *maps = fopen("/proc/self/maps", "r");
    name[length > 0 ? length : 0] = '\0';
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        void *begin, *end;
        if (strstr(line, name) != NULL && sscanf(line, "%p-%p", &begin, &end) == 2) {
            order.begin = order.begin != NULL ? order.begin : begin;
            order.end = end;
        }
    }
    if (maps != NULL) {
        fclose(maps);
    }
}

static bool is_ordered(const char *what)
{
    if (!order.known) {
        order.known = true; /* before what allocates itself */
        const char *open_mpi = getenv("OMPI_COMM_WORLD_RANK"), *other = getenv("PMI_RANK");
        const char *launched = open_mpi != NULL ? open_mpi : other, *text = getenv("NAIK_FAIL");
        const char *rank = launched != NULL ? launched : getenv("NAIK_FAIL_RANK");
        int wanted = -1;
        if (rank != NULL && text != NULL &&
            sscanf(text, "%11[a-z]:%ld@%d", order.what, &order.when, &wanted) == 3) {
            find_program();
            order.mine = wanted == atoi(rank);
        }
    }
    return order.mine && strcmp(order.what, what) == 0;
}

static void tell(void)
{
    static const char line[] = "fail_one_rank: failed as ordered\n";
    if (!order.told) {
        order.told = true;
        ssize_t ignored = write(STDERR_FILENO, line, sizeof line - 1);
        (void)ignored;
    }
}

static bool refused(const void *caller)
{
    if (!is_ordered("alloc") || (const char *)caller < order.begin ||
        (const char *)caller >= order.end || ++order.allocations != order.when) {
        return false;
    }
    tell();
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

char *strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = refused(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
    return copy != NULL ? memcpy(copy, text, bytes) : NULL;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **out, size_t alignment, size_t bytes)
{
    *out = refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
    return *out != NULL ? 0 : ENOMEM;
}

static bool is_watched(int fd)
{
    char link[64], name[512] = "";
    const char *part = getenv("NAIK_FAIL_IN");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 1);
    return length >= 0 && strstr(name, part != NULL ? part : ".h5") != NULL;
}

static bool broken(int fd, bool writing)
{
    const char *alone = writing ? "onewrite" : "oneread";
    const bool once = is_ordered(alone), stalls = !writing && is_ordered("stall");
    const char *wanted = once ? alone : stalls ? "stall" : writing ? "write" : "read";
    if (!is_ordered(wanted) || !is_watched(fd)) {
        return false;
    }
    const long call = ++order.calls;
    if (call < order.when || (once && call > order.when)) {
        return false;
    }
    tell();
    while (stalls) {
        pause();
    }
    errno = writing && !once ? ENOSPC : EIO;
    return true;
}

/* Before a write, an fsync or a name that counts for `kill`. */
static void pass(bool watched, bool slowly)
{
    const char *slow = getenv("NAIK_SLOW_MS");
    if (!watched) {
        return;
    }
    if (slowly && slow != NULL) {
        usleep((unsigned)atoi(slow) * 1000);
    }
    if (is_ordered("kill") && ++order.calls == order.when) {
        tell();
        kill(getpid(), SIGKILL);
    }
}

static bool is_name(const char *path)
{
    const char *part = getenv("NAIK_FAIL_IN");
    return strstr(path, part != NULL ? part : ".h5") != NULL;
}

/* What is written in place of `from`: memory of its own where a bit is to be another one, which stays. */
static const void *flipped(int fd, const void *from, size_t bytes)
{
    const bool sized = (bytes >= LARGE && is_ordered("spoil")) ||
                       (bytes >= 512 && is_ordered("flip")) ||
                       (bytes < 512 && bytes > 0 && is_ordered("turn"));
    if (!sized || !is_watched(fd) || ++order.calls != order.when) {
        return from;
    }
    char *other = __libc_malloc(bytes);
    memcpy(other, from, bytes);
    other[bytes / 2] ^= 4;
    tell();
    return other;
}

#define CALL(name, writing, parameters, ...)                                                       \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        ssize_t(*real) parameters;                                                                 \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        pass((writing) && is_watched(fd), true);                                                   \
        return broken(fd, writing) ? -1 : real(__VA_ARGS__);                                       \
    }
CALL(read, false, (int fd, void *to, size_t bytes), fd, to, bytes)
#define PREAD(name)                                                                                \
    ssize_t name(int fd, void *to, size_t bytes, off_t at)                                         \
    {                                                                                              \
        ssize_t (*real)(int, void *, size_t, off_t);                                               \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        if (bytes >= LARGE && is_ordered("piece") && is_watched(fd) &&                             \
            ++order.calls == order.when) {                                                         \
            tell();                                                                                \
            errno = EIO;                                                                           \
            return -1;                                                                             \
        }                                                                                          \
        return broken(fd, false) ? -1 : real(fd, to, bytes, at);                                   \
    }
PREAD(pread)
PREAD(pread64)
CALL(readv, false, (int fd, const struct iovec *to, int count), fd, to, count)
CALL(preadv, false, (int fd, const struct iovec *to, int count, off_t at), fd, to, count, at)
CALL(preadv64, false, (int fd, const struct iovec *to, int count, off_t at), fd, to, count, at)

ssize_t write(int fd, const void *from, size_t bytes)
{
    ssize_t (*real)(int, const void *, size_t);
    *(void **)&real = dlsym(RTLD_NEXT, "write");
    pass(is_watched(fd), true);
    if (broken(fd, true)) {
        return -1;
    }
    if (is_ordered("short") && is_watched(fd) && ++order.calls == order.when) {
        tell();
        bytes /= 2;
    }
    return real(fd, flipped(fd, from, bytes), bytes);
}

#define PWRITE(name)                                                                               \
    ssize_t name(int fd, const void *from, size_t bytes, off_t at)                                 \
    {                                                                                              \
        ssize_t (*real)(int, const void *, size_t, off_t);                                         \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        pass(is_watched(fd), true);                                                                \
        return broken(fd, true) ? -1 : real(fd, flipped(fd, from, bytes), bytes, at);              \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

/* Of many pieces the first. */
static const struct iovec *flipped_first(int fd, const struct iovec *from, int count)
{
    const void *base = count > 0 ? flipped(fd, from->iov_base, from->iov_len) : NULL;
    if (count == 0 || base == from->iov_base) {
        return from;
    }
    struct iovec *other = __libc_malloc((size_t)count * sizeof *other);
    memcpy(other, from, (size_t)count * sizeof *other);
    *(const void **)&other->iov_base = base;
    return other;
}

CALL(writev, true, (int fd, const struct iovec *from, int count), fd,
     flipped_first(fd, from, count), count)
CALL(pwritev, true, (int fd, const struct iovec *from, int count, off_t at), fd,
     flipped_first(fd, from, count), count, at)
CALL(pwritev64, true, (int fd, const struct iovec *from, int count, off_t at), fd,
     flipped_first(fd, from, count), count, at)

/* Whether a call for all of a file fails, as all from the N-th on. */
static bool file_refused(const char *what, int fd, int error)
{
    if (!is_ordered(what) || !is_watched(fd) || ++order.calls < order.when) {
        return false;
    }
    tell();
    errno = error;
    return true;
}

int fsync(int fd)
{
    int (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "fsync");
    pass(is_watched(fd), false);
    return file_refused("sync", fd, EIO) ? -1 : real(fd);
}

int fallocate(int fd, int mode, off_t at, off_t bytes)
{
    int (*real)(int, int, off_t, off_t);
    *(void **)&real = dlsym(RTLD_NEXT, "fallocate");
    return file_refused("room", fd, ENOSPC) ? -1 : real(fd, mode, at, bytes);
}

/* Whether a call that has the path of a file fails: the N-th alone, or all from the N-th on. */
static bool path_refused(const char *what, const char *path, bool alone)
{
    if (!is_ordered(what) || !is_name(path)) {
        return false;
    }
    const long call = ++order.calls;
    if (call < order.when || (alone && call > order.when)) {
        return false;
    }
    tell();
    errno = EIO;
    return true;
}

#define OPENING(name, parameters, ...)                                                             \
    int name parameters                                                                            \
    {                                                                                              \
        int(*real) parameters;                                                                     \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        const unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, unsigned) : 0;          \
        va_end(more);                                                                              \
        return path_refused("open", path, true) ? -1 : real(__VA_ARGS__);                          \
    }
OPENING(open, (const char *path, int flags, ...), path, flags, mode)
OPENING(open64, (const char *path, int flags, ...), path, flags, mode)
OPENING(openat, (int at, const char *path, int flags, ...), at, path, flags, mode)
OPENING(openat64, (int at, const char *path, int flags, ...), at, path, flags, mode)

FILE *fopen(const char *path, const char *how)
{
    FILE *(*real)(const char *, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    return path_refused("open", path, true) ? NULL : real(path, how);
}

FILE *fopen64(const char *path, const char *how)
{
    FILE *(*real)(const char *, const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "fopen64");
    return path_refused("open", path, true) ? NULL : real(path, how);
}

#define NAMING(name, named, parameters, ...)                                                       \
    int name parameters                                                                            \
    {                                                                                              \
        int(*real) parameters;                                                                     \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                                                 \
        pass(is_name(named), false);                                                               \
        return path_refused("name", named, false) ? -1 : real(__VA_ARGS__);                        \
    }
NAMING(rename, from, (const char *from, const char *to), from, to)
NAMING(renameat2, from, (int at, const char *from, int to_at, const char *to, unsigned flags), at,
       from, to_at, to, flags)
NAMING(link, from, (const char *from, const char *to), from, to)

int unlink(const char *path)
{
    int (*real)(const char *);
    *(void **)&real = dlsym(RTLD_NEXT, "unlink");
    pass(is_name(path), false);
    return real(path);
}
