/* files.c - rank 0 asks the file system, all ranks hear the answer
 *
 * What is written beside an output (.part.state.new, what MPI-IO keeps) has a longer name than the
 * output. Where that is longer than a name may be, Open MPI 4.1.4 crashes instead of saying so.
 */
#include "io/files.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"
#include "base/watchdog.h"
#include "comm/crew.h"
#include "comm/new.h"
#include "comm/paths.h"

naik_status naik_path_append(naik_log *log, const char *path, const char *suffix,
                             char out[NAIK_PATH_MAX])
{
    int length = snprintf(out, NAIK_PATH_MAX, "%s%s", path, suffix);
    if (length < 0 || length >= NAIK_PATH_MAX) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "the path %.60s... is longer than %d characters",
                         path, NAIK_PATH_MAX - 1);
    }
    return NAIK_OK;
}

naik_status naik_file_head_read(naik_log *log, const char *path, const char *what,
                                naik_file_head *head)
{
    struct stat info;
    *head = (naik_file_head){.path = path};
    FILE *stream = naik_path_open(path, &info);
    if (stream == NULL) {
        const int failed = errno;
        return failed == 0
                   ? NAIK_FAIL(log, NAIK_ERR_INPUT, "%s '%s' is not a regular file", what, path)
                   : NAIK_FAIL(log, naik_text_refused(failed), "cannot open %s '%s': %s%s", what,
                               path, strerror(failed), naik_file_in_parts(path));
    }
    head->size_bytes = info.st_size;
    head->length = (int)fread(head->bytes, 1, sizeof head->bytes, stream);
    fclose(stream);
    return NAIK_OK;
}

const char *naik_file_in_parts(const char *path)
{
    char first[NAIK_PATH_MAX];
    const int length = snprintf(first, sizeof first, "%s.vol0000", path);
    return length < NAIK_PATH_MAX && access(path, F_OK) != 0 && access(first, F_OK) == 0
               ? "; QIO wrote it in several files: give the first one, which ends in .vol0000"
               : "";
}

#define OF_A_LOG ": it is the log of a run of naik: read it as it is"

/* What has a line that begins with the section that every input has. The logs of runs have one, too. */
static const char *words_of_lattice(const naik_file_head *head)
{
    static const char section[] = "lattice:", grid[] = ", process grid ";
    bool at_begin = true;
    for (int at = 0; at + (int)strlen(section) <= head->length; at++) {
        if (at_begin && memcmp(head->bytes + at, section, strlen(section)) == 0) {
            for (; at + (int)strlen(grid) <= head->length && head->bytes[at] != '\n'; at++) {
                if (memcmp(head->bytes + at, grid, strlen(grid)) == 0) {
                    return OF_A_LOG;
                }
            }
            return ": it is an input of naik solve: naik solve FILE --dry-run checks it";
        }
        at_begin = head->bytes[at] == '\n';
    }
    return "";
}

const char *naik_file_wrapping(const naik_file_head *head)
{
    static const struct {
        int at, every; /* the first place, and whether it may be at twice, four times ... this */
        const char *begin, *words;
    } known[] = {
        {0, 0, "\x1f\x8b", ": it is packed by gzip: unpack it"},
        {0, 0, "BZh", ": it is packed by bzip2: unpack it"},
        {0, 0,
         "\xfd"
         "7zXZ",
         ": it is packed by xz: unpack it"},
        {0, 0, "\x28\xb5\x2f\xfd", ": it is packed by zstd: unpack it"},
        {0, 0, "PK\x03\x04", ": it is a zip archive: unpack it"},
        {0, 0, "version https://git-lfs",
         ": it is a pointer of Git LFS and not the file itself: fetch that with git lfs pull"},
        {0, 0, "naik-journal ",
         ": it is the journal of an unfinished naik solve: name the output, without .journal"},
        {0, 0, "naikflow",
         ": it holds the solves in flight of an unfinished naik solve: name the output, without "
         ".part.state"},
        {0, 0, "host=",
         ": it is the lock of a naik that writes the output: name the output, without .lock"},
        {0, 0, "{\"event\": ",
         ": it is a log of events, which run.events asked for: its lines are JSON, a line an "
         "event"},
        {0, 0, "<!DOCTYPE html", ": it is a page such as naik report makes: open it in a browser"},
        {0, 0, "naik: ", ": it is what a command of naik said: read it as it is"},
        {0, 0, "naik ", OF_A_LOG},
        {0, 0, "<?xml", ": it is XML, such as an input of Chroma or Grid"},
        /* where HDF5 looks for its signature */
        {512, 1, NAIK_FILE_HDF5,
         ": it is HDF5 behind a user block, which naik does not skip: remove the user block with "
         "h5unjam"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int length = (int)strlen(known[i].begin);
        for (int at = known[i].at; at + length <= head->length;
             at = known[i].every ? 2 * at : head->length) {
            if (memcmp(head->bytes + at, known[i].begin, (size_t)length) == 0) {
                return known[i].words;
            }
        }
    }
    return words_of_lattice(head);
}

bool naik_file_is_padded(const char *path, int64_t from)
{
    struct stat info;
    unsigned char bytes[16384];
    size_t count = 0;
    FILE *stream = naik_path_open(path, &info);
    bool padded = stream != NULL && fseeko(stream, from, SEEK_SET) == 0;
    while (padded && (count = fread(bytes, 1, sizeof bytes, stream)) > 0) {
        for (size_t i = 0; i < count; i++) {
            padded = padded && bytes[i] == 0;
        }
    }
    if (stream != NULL) {
        padded = padded && ferror(stream) == 0;
        fclose(stream);
    }
    return padded;
}

bool naik_file_size_fits(const naik_file_head *head, int64_t needed)
{
    return head->size_bytes == needed ||
           (head->size_bytes > needed && naik_file_is_padded(head->path, needed));
}

void naik_file_folder(const char *path, char folder[NAIK_PATH_MAX])
{
    snprintf(folder, NAIK_PATH_MAX, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL) {
        strcpy(folder, ".");
    } else {
        slash[slash == folder] = '\0';
    }
}

int naik_file_open_unnamed(const char *path, bool *unnamed)
{
    char folder[NAIK_PATH_MAX];
    naik_file_folder(path, folder);
    const int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    *unnamed = fd >= 0;
    return fd >= 0 ? fd : open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
}

bool naik_file_give_name(int fd, const char *path)
{
    char link_path[64];
    snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, link_path, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
}

naik_status naik_refusal(int error_number)
{
    const bool users = error_number == EACCES || error_number == EPERM ||
                       error_number == ENAMETOOLONG || error_number == ELOOP;
    return users ? NAIK_ERR_INPUT : NAIK_ERR_IO;
}

naik_status naik_file_size(naik_comm *comm, const char *path, int64_t *size_bytes)
{
    naik_status status = NAIK_OK;
    struct stat info;
    *size_bytes = -1;
    if (comm->rank == 0 && stat(path, &info) == 0) {
        *size_bytes = info.st_size;
    } else if (comm->rank == 0 && errno != ENOENT && errno != ENOTDIR) {
        status = NAIK_FAIL(comm->log, naik_refusal(errno), "'%s' cannot be looked at: %s", path,
                           strerror(errno));
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_comm_broadcast(comm, size_bytes, sizeof *size_bytes, 0);
}

naik_status naik_file_remove(naik_comm *comm, const char *path)
{
    naik_status status = NAIK_OK;
    if (comm->rank == 0 && unlink(path) != 0 && errno != ENOENT) {
        status =
            NAIK_FAIL(comm->log, NAIK_ERR_IO, "%s cannot be removed: %s", path, strerror(errno));
    }
    return naik_comm_agree(comm, status);
}

static naik_status force_to_disk(naik_log *log, const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    /* A folder that cannot be opened or synchronised (some network file systems) is no loss. */
    bool folder = (flags & O_DIRECTORY) != 0;
    int failed = fd < 0 ? errno : fsync(fd) != 0 ? errno : 0;
    if (fd >= 0) {
        close(fd);
    }
    if (failed != 0 && !folder) {
        return NAIK_FAIL(log, NAIK_ERR_IO, "%s cannot be forced to disk: %s", path,
                         strerror(failed));
    }
    return NAIK_OK;
}

static naik_status refuse_irregular(naik_log *log, const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s is there already and is no regular file: choose another name", path);
    }
    return naik_path_refuse_dangling(log, path);
}

naik_status naik_file_publish(naik_comm *comm, const char *from, const char *to, bool replace)
{
    naik_status status = NAIK_OK;
    if (comm->rank == 0) {
        char folder[NAIK_PATH_MAX];
        naik_file_folder(to, folder);
        status = refuse_irregular(comm->log, to); /* rename would replace a device by a file */
        status = status != NAIK_OK ? status : force_to_disk(comm->log, from, O_RDONLY);
        const int failed = status == NAIK_OK ? naik_path_rename(from, to, replace) : 0;
        if (failed == EEXIST && !replace) {
            status =
                NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                          "%s is there, which was not when this run began, and stays: what was "
                          "made is complete as %s",
                          to, from);
        } else if (failed != 0) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_IO, "%s cannot be renamed to %s: %s", from, to,
                               strerror(failed));
        }
        if (status == NAIK_OK) {
            status = force_to_disk(comm->log, folder, O_RDONLY | O_DIRECTORY);
        }
    }
    return naik_comm_agree(comm, status);
}

/* Longer names than the output's own by so many characters are made beside it. */
enum { LONGER_NAMES = 48 };

naik_status naik_file_check_name(naik_log *log, const char *path)
{
    char folder[NAIK_PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    naik_file_folder(path, folder);
    const long most = pathconf(folder, _PC_NAME_MAX);
    if (most > LONGER_NAMES && strlen(name) > (size_t)(most - LONGER_NAMES)) {
        return NAIK_FAIL(
            log, NAIK_ERR_INPUT,
            "the name %.40s... has %zu characters, more than %ld: naik makes longer names "
            "beside the file while it writes",
            name, strlen(name), most - LONGER_NAMES);
    }
    return NAIK_OK;
}

/* Of what is to be made as `path`. */
static naik_status check_folder(naik_log *log, const char *folder, const char *path)
{
    struct stat info;
    if (stat(folder, &info) != 0) {
        return errno == ENOENT
                   ? NAIK_FAIL(log, NAIK_ERR_INPUT, "the folder %s of %s does not exist: make it",
                               folder, path)
                   : NAIK_FAIL(log, naik_text_refused(errno),
                               "the folder %s of %s cannot be used: %s", folder, path,
                               strerror(errno));
    }
    if (!S_ISDIR(info.st_mode)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "the folder %s of %s is no folder", folder, path);
    }
    if (access(folder, W_OK | X_OK) != 0) {
        return NAIK_FAIL(log, naik_text_refused(errno), "the folder %s of %s is not writable: %s",
                         folder, path, strerror(errno));
    }
    return NAIK_OK;
}

static naik_status space_for(naik_log *log, const char *path, int64_t size_bytes)
{
    char folder[NAIK_PATH_MAX];
    struct statvfs disk;
    struct stat info;
    naik_file_folder(path, folder);
    NAIK_PASS(check_folder(log, folder, path));
    NAIK_PASS(refuse_irregular(log, path));
    int64_t have = stat(path, &info) == 0 ? (int64_t)info.st_blocks * 512 : 0;
    if (statvfs(folder, &disk) != 0 || disk.f_blocks == 0) {
        return NAIK_OK; /* a file system that does not tell: the writes will */
    }
    double free_bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    if ((double)(size_bytes - have) > free_bytes) {
        char needed[NAIK_TEXT_SIZE], there[NAIK_TEXT_SIZE];
        naik_text_print_size((double)(size_bytes - have), needed);
        naik_text_print_size(free_bytes, there);
        return NAIK_FAIL(log, NAIK_ERR_IO,
                         "%s needs %s more, but its file system has %s free: make room or choose "
                         "another place",
                         path, needed, there);
    }
    return NAIK_OK;
}

naik_status naik_file_check_space(naik_comm *comm, const char *path, int64_t size_bytes)
{
    naik_status status = NAIK_OK;
    if (comm->rank == 0) {
        status = space_for(comm->log, path, size_bytes);
    }
    return naik_comm_agree(comm, status);
}

/* ---- blocks set aside */

/* Bytes at a time: in some file systems nobody writes into the file meanwhile. */
enum { RESERVED_AT_ONCE = 1 << 26 };

struct naik_reservation {
    naik_crew crew; /* of one thread on rank 0; its mutex is for the last three */
    int fd;
    char path[NAIK_PATH_MAX];
    int64_t bytes, done;
    bool ended;
    int failed; /* of the system */
};

/* Bytes of the open file from `at` on. 0, or why the disk does not give them. */
static int reserve_piece(int fd, int64_t at, int64_t bytes)
{
    const int failed = fallocate(fd, 0, at, bytes) != 0 ? errno : 0;
    return failed == ENOSPC || failed == EDQUOT || failed == EFBIG ? failed : 0;
}

static void reserve_pieces(void *data)
{
    naik_reservation *r = data;
    naik_crew_lock(&r->crew);
    while (!r->crew.stop && r->failed == 0 && r->done < r->bytes) {
        const int64_t at = r->done, left = r->bytes - at;
        const int64_t now = left < RESERVED_AT_ONCE ? left : RESERVED_AT_ONCE;
        naik_crew_unlock(&r->crew);
        const int failed = reserve_piece(r->fd, at, now);
        naik_crew_lock(&r->crew);
        r->failed = failed;
        r->done = at + now;
        naik_crew_tell(&r->crew);
    }
    r->ended = true;
    naik_crew_tell(&r->crew);
    naik_crew_unlock(&r->crew);
}

static void use_processors(pthread_t thread, int policy)
{
    const struct sched_param none = {0};
    (void)pthread_setschedparam(thread, policy, &none); /* refused: as before */
}

/* In processors that nobody else wants: a loop of all threads is as slow as the slowest of them. */
static void reserve_behind(void *data)
{
#if defined(SCHED_IDLE)
    use_processors(pthread_self(), SCHED_IDLE);
#endif
    reserve_pieces(data);
}

int naik_file_reserve_open(int fd)
{
    struct stat info;
    naik_reservation r = {.fd = fd, .bytes = fstat(fd, &info) == 0 ? info.st_size : 0};
    naik_crew_open(&r.crew);
    reserve_pieces(&r);
    naik_crew_close(&r.crew);
    return r.failed;
}

/* On rank 0. */
static naik_status reserve(naik_log *log, naik_reservation *r)
{
    struct stat info;
    r->fd = open(r->path, O_RDWR | O_CLOEXEC);
    if (r->fd < 0 || fstat(r->fd, &info) != 0) {
        return NAIK_FAIL(log, NAIK_ERR_IO, "%s cannot be opened: %m", r->path);
    }
    r->bytes = info.st_size;
    naik_crew_start(&r->crew, 1, reserve_behind, r);
    if (r->crew.threads == 0) {
        reserve_pieces(r);
    }
    return NAIK_OK;
}

naik_status naik_file_reserve_begin(naik_comm *comm, const char *path, naik_reservation **out)
{
    NAIK_PASS(naik_new(comm, sizeof **out, "a reservation of blocks", (void **)out));
    naik_reservation *r = *out;
    r->fd = -1;
    snprintf(r->path, sizeof r->path, "%s", path);
    naik_crew_open(&r->crew);
    naik_status status = comm->rank == 0 ? reserve(comm->log, r) : NAIK_OK;
    status = naik_comm_agree(comm, status);
    if (status != NAIK_OK) {
        naik_file_reserve_abandon(out);
    }
    return status;
}

naik_status naik_file_reserve_end(naik_comm *comm, naik_reservation **reservation)
{
    naik_status status = NAIK_OK;
    naik_reservation *r = *reservation;
    if (r == NULL) {
        return NAIK_OK;
    }
    if (r->crew.threads > 0) {
        use_processors(r->crew.thread[0], SCHED_OTHER);
    }
    naik_crew_lock(&r->crew);
    while (comm->rank == 0 && !r->ended) {
        const int64_t done = r->done;
        naik_crew_wait(&r->crew);
        if (r->done != done) {
            naik_watchdog_move(comm->watchdog);
        }
    }
    naik_crew_unlock(&r->crew);
    if (r->failed != 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_IO,
                           "%s needs %.1f MiB, which its file system does not give: %s", r->path,
                           (double)r->bytes / 1048576.0, strerror(r->failed));
    }
    naik_file_reserve_abandon(reservation);
    return naik_comm_agree(comm, status);
}

void naik_file_reserve_abandon(naik_reservation **reservation)
{
    naik_reservation *r = *reservation;
    if (r == NULL) {
        return;
    }
    naik_crew_close(&r->crew);
    if (r->fd >= 0) {
        close(r->fd);
    }
    free(r);
    *reservation = NULL;
}

naik_status naik_file_reserve(naik_comm *comm, const char *path)
{
    naik_reservation *reservation = NULL;
    NAIK_PASS(naik_file_reserve_begin(comm, path, &reservation));
    return naik_file_reserve_end(comm, &reservation);
}

naik_status naik_file_put(naik_comm *comm, const char *path, bool create, int64_t offset,
                          const void *bytes, size_t size_bytes)
{
    naik_status status = NAIK_OK;
    if (comm->rank == 0) {
        FILE *stream = fopen(path, create ? "wb" : "r+b");
        bool ok = stream != NULL && fseeko(stream, offset, SEEK_SET) == 0 &&
                  (size_bytes == 0 || fwrite(bytes, 1, size_bytes, stream) == size_bytes);
        if (stream != NULL) {
            ok = (fclose(stream) == 0) && ok;
        }
        if (!ok) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_IO, "cannot write '%s': %m", path);
        }
    }
    return naik_comm_agree(comm, status);
}
