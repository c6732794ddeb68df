/* log.h - what the program says: lines for the user, and the sentence of the first failure
 *
 * A program makes a log before anything else, and hands it to all that can speak or fail. Lines go to
 * standard output from rank 0 only; warnings and errors go to standard error. Every function is local.
 * `format` is that of printf, and numbers are printed with a decimal point in every locale.
 */
#ifndef NAIK_LOG_H
#define NAIK_LOG_H

#include <stdbool.h>

#include "naik/status.h"

typedef struct naik_log naik_log;

#if defined(__GNUC__)
#define NAIK_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define NAIK_PRINTF(text, first)
#endif

/* A log that speaks for rank 0 of 1 until naik_log_set_rank. NULL when memory is out. */
naik_log *naik_log_create(void);
/* Frees the log and sets *log = NULL; accepts NULL in *log. */
void naik_log_destroy(naik_log **log);

/* Whose log this is: rank `rank` of `size`. naik_comm_create calls it. */
void naik_log_set_rank(naik_log *log, int rank, int size);
/* Whether a rank other than 0 prints warnings too, about work that it alone does. */
void naik_log_set_warns(naik_log *log, bool warns);
/* Muted: no warning is printed, and none reaches the function of naik_log_watch_warnings. */
void naik_log_set_muted(naik_log *log, bool muted);
/* Quiet: naik_log_line prints nothing (used by `--json` and by tests). Warnings still print. */
void naik_log_set_quiet(naik_log *log, bool quiet);

/* One line on standard output, from rank 0 only. The newline is added. */
void naik_log_line(naik_log *log, const char *format, ...) NAIK_PRINTF(2, 3);
/* A passing line on a terminal, from rank 0 only: the next passing line and everything else that the log
 * prints take its place. false: there is no terminal, and nothing was printed. */
bool naik_log_live(naik_log *log, const char *format, ...) NAIK_PRINTF(2, 3);
/* Whether standard output took all that was printed so far. NAIK_ERR_IO  it did not; the sentence has the
 * reason */
naik_status naik_log_check_output(naik_log *log);
/* From now on calls `hear` with `data` and the text of every warning of rank 0; NULL calls nothing. */
void naik_log_watch_warnings(naik_log *log, void (*hear)(void *data, const char *text), void *data);
/* From now on hands every line and every warning of rank 0 to `take` instead of printing it, also if the log
 * is quiet; NULL: they are printed again. */
void naik_log_take(naik_log *log, void (*take)(void *data, bool warning, const char *text),
                   void *data);
/* One line "naik: warning: ..." on standard error, from rank 0 only. */
void naik_log_warn(naik_log *log, const char *format, ...) NAIK_PRINTF(2, 3);
/* naik_log_warn, unless the last warning of this function had the same text: for files that are opened more
 * than once. */
void naik_log_warn_once(naik_log *log, const char *format, ...) NAIK_PRINTF(2, 3);

/* Records the sentence of a failure with its place and returns `status`. The first sentence since
 * the last naik_log_clear is kept: later ones are its consequences. Prints nothing.
 * Use through NAIK_FAIL. */
naik_status naik_log_fail(naik_log *log, naik_status status, const char *file, int line,
                          const char *format, ...) NAIK_PRINTF(5, 6);
/* Shows an analyser that the value of NAIK_FAIL is the status it was given. */
static inline naik_status naik_log_failed(naik_status status, naik_status recorded)
{
    (void)recorded;
    return status;
}
#define NAIK_FAIL(log, status, ...)                                                                \
    naik_log_failed((status), naik_log_fail((log), (status), __FILE__, __LINE__, __VA_ARGS__))

/* The kept sentence, without place; "" when there is none. Borrowed until the next failure. */
const char *naik_log_message(const naik_log *log);
/* "src/lattice/lattice.c:123", where the kept sentence was recorded; "" when there is none. */
const char *naik_log_place(const naik_log *log);
/* The kept failure, as ranks send it to each other. */
typedef struct naik_log_failure {
    char message[1024], place[128];
    int rank; /* of the job, which recorded the failure */
} naik_log_failure;
/* Copies the kept failure to `out`; its message is "" when there is none. */
void naik_log_failure_get(const naik_log *log, naik_log_failure *out);
/* Keeps `failure`, of another rank, in the place of the kept one. */
void naik_log_adopt(naik_log *log, const naik_log_failure *failure);
/* Forgets the kept failure. */
void naik_log_clear(naik_log *log);

/* Prints "naik: error: SENTENCE [rank R, FILE:LINE]" on standard error from this rank; R is the rank that
 * recorded the sentence. */
void naik_log_print_failure(const naik_log *log);

#endif
