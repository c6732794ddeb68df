/* log.c - lines from rank 0, and the first failure's sentence kept until somebody prints it */
#include "naik/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/point_locale.h"
#include "base/text.h"

enum { MESSAGE_BYTES = 1024, LINE_BYTES = 4096 };

struct naik_log {
    int rank, size;
    bool quiet;
    bool warns;   /* though not rank 0 */
    bool muted;   /* warnings are not printed */
    bool live;    /* a passing line stands on the terminal */
    int terminal; /* whether there is one: 1 yes, -1 no, 0 not yet asked */
    int unheard;  /* errno of the first line that standard output did not take, or 0 */
    void (*hear)(void *data, const char *text);
    void *hear_data;
    void (*take)(void *data, bool warning, const char *text);
    void *take_data;
    naik_log_failure failure;
    char once[MESSAGE_BYTES]; /* the last warning of naik_log_warn_once */
};

/* As vsnprintf. What is printed has points in its numbers, whatever locale the process has. */
static int print(char *text, size_t text_size, const char *format, va_list args)
{
    const point_locale locale = point_locale_begin();
    const int length = vsnprintf(text, text_size, format, args);
    point_locale_end(locale);
    return length;
}

naik_log *naik_log_create(void)
{
    naik_log *log = calloc(1, sizeof *log);
    if (log != NULL) {
        log->size = 1;
    }
    return log;
}

void naik_log_destroy(naik_log **log)
{
    free(*log);
    *log = NULL;
}

void naik_log_set_rank(naik_log *log, int rank, int size)
{
    log->rank = rank;
    log->size = size;
}

void naik_log_set_muted(naik_log *log, bool muted)
{
    log->muted = muted;
}

void naik_log_set_warns(naik_log *log, bool warns)
{
    log->warns = warns;
}

void naik_log_set_quiet(naik_log *log, bool quiet)
{
    log->quiet = quiet;
}

/* What was printed goes out, or it is remembered that it did not. */
static void flush(naik_log *log)
{
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && log->unheard == 0) {
        log->unheard = errno != 0 ? errno : EIO;
    }
}

naik_status naik_log_check_output(naik_log *log)
{
    if (log->unheard == 0 || log->unheard == EPIPE) { /* who closed the pipe had heard enough */
        return NAIK_OK;
    }
    return NAIK_FAIL(log, NAIK_ERR_IO, "standard output cannot be written: %s",
                     strerror(log->unheard));
}

/* Takes the passing line away, if there is one. */
static void clear_live(naik_log *log)
{
    if (log->live) {
        fputs("\r\033[K", stdout);
        flush(log);
        log->live = false;
    }
}

/* Whether a person looks at standard output. Open MPI gives its ranks a terminal of their own,
 * wherever the launcher writes to: then the launcher's output decides. */
static bool on_terminal(void)
{
    char path[64];
    if (!isatty(STDOUT_FILENO)) {
        return false;
    }
    if (tcgetpgrp(STDOUT_FILENO) >= 0) { /* our own terminal */
        return true;
    }
    snprintf(path, sizeof path, "/proc/%ld/fd/1", (long)getppid());
    const int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    const bool terminal = fd >= 0 && isatty(fd);
    if (fd >= 0) {
        close(fd);
    }
    return terminal;
}

bool naik_log_live(naik_log *log, const char *format, ...)
{
    if (log->rank != 0 || log->quiet || log->take != NULL) {
        return false;
    }
    log->terminal = log->terminal != 0 ? log->terminal : on_terminal() ? 1 : -1;
    if (log->terminal < 0) {
        return false;
    }
    char text[160];
    va_list args;
    va_start(args, format);
    print(text, sizeof text, format, args);
    va_end(args);
    /* wrapping off meanwhile: a narrow terminal shows the beginning */
    printf("\r\033[?7l%s\033[K\033[?7h", text);
    flush(log);
    log->live = true;
    return true;
}

void naik_log_watch_warnings(naik_log *log, void (*hear)(void *data, const char *text), void *data)
{
    log->hear = hear;
    log->hear_data = data;
}

void naik_log_take(naik_log *log, void (*take)(void *data, bool warning, const char *text),
                   void *data)
{
    log->take = take;
    log->take_data = data;
}

void naik_log_line(naik_log *log, const char *format, ...)
{
    if (log->rank != 0 || (log->quiet && log->take == NULL)) {
        return;
    }
    clear_live(log);
    char text[LINE_BYTES];
    va_list args;
    va_start(args, format);
    const int length = print(text, sizeof text, format, args);
    va_end(args);
    if (log->take != NULL) {
        naik_text_tame(text, "\n\t");
        log->take(log->take_data, false, text);
        return;
    }
    if (length >= 0 && length < LINE_BYTES) {
        naik_text_tame(text, "\n\t"); /* it may come from a damaged file */
        fputs(text, stdout);
    } else { /* the program's own, such as its help */
        va_start(args, format);
        vfprintf(stdout, format, args);
        va_end(args);
    }
    fputc('\n', stdout);
    flush(log);
}

void naik_log_warn(naik_log *log, const char *format, ...)
{
    if (log->muted || (log->rank != 0 && !log->warns)) {
        return;
    }
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    print(text, sizeof text, format, args);
    va_end(args);
    naik_text_tame(text, "");
    clear_live(log);
    if (log->take != NULL) {
        log->take(log->take_data, true, text);
    } else {
        fprintf(stderr, "naik: warning: %s\n", text);
    }
    if (log->hear != NULL) {
        log->hear(log->hear_data, text);
    }
}

void naik_log_warn_once(naik_log *log, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    print(text, sizeof text, format, args);
    va_end(args);
    if (!log->muted && strcmp(text, log->once) != 0) {
        memcpy(log->once, text, sizeof text);
        naik_log_warn(log, "%s", text);
    }
}

naik_status naik_log_fail(naik_log *log, naik_status status, const char *file, int line,
                          const char *format, ...)
{
    if (log->failure.message[0] == '\0') {
        va_list args;
        va_start(args, format);
        print(log->failure.message, sizeof log->failure.message, format, args);
        va_end(args);
        naik_text_tame(log->failure.message, "");
        snprintf(log->failure.place, sizeof log->failure.place, "%s:%d", file, line);
        log->failure.rank = log->rank;
    }
    return status;
}

const char *naik_log_message(const naik_log *log)
{
    return log->failure.message;
}

const char *naik_log_place(const naik_log *log)
{
    return log->failure.place;
}

void naik_log_failure_get(const naik_log *log, naik_log_failure *out)
{
    *out = log->failure;
}

void naik_log_adopt(naik_log *log, const naik_log_failure *failure)
{
    log->failure = *failure;
}

void naik_log_clear(naik_log *log)
{
    log->failure.message[0] = '\0';
    log->failure.place[0] = '\0';
}

void naik_log_print_failure(const naik_log *log)
{
    fprintf(stderr, "naik: error: %s [rank %d, %s]\n", log->failure.message, log->failure.rank,
            log->failure.place);
}
