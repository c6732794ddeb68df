/* log.c - lines from rank 0, and the first failure's sentence kept until somebody prints it */
#include "naik/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct naik_log {
    int rank, size;
    bool quiet;
    char message[1024];
    char place[128];
};

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

void naik_log_set_quiet(naik_log *log, bool quiet)
{
    log->quiet = quiet;
}

void naik_log_line(naik_log *log, const char *format, ...)
{
    if (log->rank != 0 || log->quiet) {
        return;
    }
    va_list args;
    va_start(args, format);
    vfprintf(stdout, format, args);
    va_end(args);
    fputc('\n', stdout);
    fflush(stdout);
}

void naik_log_warn(naik_log *log, const char *format, ...)
{
    if (log->rank != 0) {
        return;
    }
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fprintf(stderr, "naik: warning: %s\n", text);
}

naik_status naik_log_fail(naik_log *log, naik_status status, const char *file, int line,
                          const char *format, ...)
{
    if (log->message[0] == '\0') {
        va_list args;
        va_start(args, format);
        vsnprintf(log->message, sizeof log->message, format, args);
        va_end(args);
        snprintf(log->place, sizeof log->place, "%s:%d", file, line);
    }
    return status;
}

const char *naik_log_message(const naik_log *log)
{
    return log->message;
}

const char *naik_log_place(const naik_log *log)
{
    return log->place;
}

void naik_log_clear(naik_log *log)
{
    log->message[0] = '\0';
    log->place[0] = '\0';
}

void naik_log_print_failure(const naik_log *log)
{
    fprintf(stderr, "naik: error: %s [rank %d, %s]\n", log->message, log->rank, log->place);
}
