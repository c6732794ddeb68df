/* events.c - one object a line, one write a line
 */
#include "base/events.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

struct naik_events {
    naik_log *log;
    int fd;
    bool full; /* it was said that nothing more can be written */
};

/* Empty, no regular file, or begun by a run before. */
static bool holds_events(int fd)
{
    static const char begin[] = "{\"event\"";
    char found[sizeof begin] = "";
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return true;
    }
    const ssize_t got = pread(fd, found, sizeof begin - 1, 0);
    return got >= 0 && memcmp(found, begin, (size_t)got) == 0;
}

/* The existing file, or with `make` a new one; `*fd` is -1 where there is none. */
static naik_status open_log(naik_log *log, const char *path, bool make, int *fd)
{
    /* where a FIFO is full the log ends, and not the run */
    *fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | O_NONBLOCK | (make ? O_CREAT : 0), 0666);
    if (*fd < 0 && (make || errno != ENOENT)) {
        return NAIK_FAIL(log, naik_text_refused(errno), "run.events: %s cannot be opened: %s", path,
                         strerror(errno));
    }
    if (*fd >= 0 && !holds_events(*fd)) {
        close(*fd);
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "run.events: %s is there already and holds something else than events: "
                         "choose another name",
                         path);
    }
    return NAIK_OK;
}

naik_status naik_events_precheck(naik_log *log, const char *path)
{
    int fd;
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    naik_status status = open_log(log, path, false, &fd);
    if (status == NAIK_OK && fd >= 0) {
        close(fd);
    } else if (status == NAIK_OK && folder != NULL && access(folder, W_OK | X_OK) != 0) {
        status = NAIK_FAIL(log, naik_text_refused(errno), "run.events: %s cannot be opened: %s",
                           path, strerror(errno));
    }
    free(folder);
    return status;
}

/* Removes what stands behind the last newline. */
static void drop_torn_end(int fd)
{
    struct stat info;
    char block[4096];
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return;
    }
    off_t keep = info.st_size;
    while (keep > 0) {
        const off_t begin = keep > (off_t)sizeof block ? keep - (off_t)sizeof block : 0;
        const ssize_t got = pread(fd, block, (size_t)(keep - begin), begin);
        if (got != keep - begin) {
            return;
        }
        const char *newline = memrchr(block, '\n', (size_t)got);
        if (newline != NULL) {
            keep = begin + (newline - block) + 1;
            break;
        }
        keep = begin;
    }
    if (keep < info.st_size && ftruncate(fd, keep) != 0) {
        return; /* the reader has one bad line more */
    }
}

static void report_warning(void *data, const char *text)
{
    naik_events *events = data;
    naik_report *event = naik_events_begin(events, "warning");
    if (event != NULL) {
        naik_report_text(event, "text", text);
    }
    naik_events_write(events, &event);
}

naik_status naik_events_open(naik_log *log, const char *path, naik_events **out)
{
    naik_events *events = calloc(1, sizeof *events);
    *out = NULL;
    if (events == NULL) {
        return NAIK_FAIL(log, NAIK_ERR_MEMORY, "no memory for a log of events");
    }
    events->log = log;
    const naik_status status = open_log(log, path, true, &events->fd);
    if (status != NAIK_OK) {
        free(events);
        return status;
    }
    drop_torn_end(events->fd);
    naik_log_watch_warnings(log, report_warning, events);
    *out = events;
    return NAIK_OK;
}

void naik_events_close(naik_events **events)
{
    if (*events == NULL) {
        return;
    }
    naik_log_watch_warnings((*events)->log, NULL, NULL);
    close((*events)->fd);
    free(*events);
    *events = NULL;
}

naik_report *naik_events_begin(naik_events *events, const char *event)
{
    struct timespec now;
    naik_report *report = events != NULL ? naik_report_create() : NULL;
    if (report != NULL) {
        clock_gettime(CLOCK_REALTIME, &now);
        naik_report_text(report, "event", event);
        const long ms = now.tv_nsec / 1000000;
        naik_report_real(report, "time", (double)now.tv_sec + 1e-3 * (double)ms);
    }
    return report;
}

void naik_events_write(naik_events *events, naik_report **event)
{
    if (*event == NULL) {
        return;
    }
    char *line = naik_report_json(*event);
    naik_report_destroy(event);
    const size_t length = line != NULL ? strlen(line) : 0;
    if (line != NULL && !events->full) {
        line[length] = '\n'; /* in the place of the terminator: one write, no more needed */
        if (write(events->fd, line, length + 1) != (ssize_t)(length + 1)) {
            events->full = true;
            drop_torn_end(events->fd);
            naik_log_warn(events->log, "the log of events ends here: %s", strerror(errno));
        }
    }
    free(line);
}
