/* report.h - a tree of named values, printed for people or as one JSON object
 *
 * Values are added in the order in which they are to be read. Running out of memory is remembered
 * and told by naik_report_print, so that building a report needs no checks.
 */
#ifndef NAIK_BASE_REPORT_H
#define NAIK_BASE_REPORT_H

#include <stdint.h>

#include "naik/log.h"

typedef struct naik_report naik_report;

naik_report *naik_report_create(void); /* NULL when memory is out */
void naik_report_destroy(naik_report **report);

/* Inside a list `name` is NULL. text NULL reads as "". */
void naik_report_text(naik_report *report, const char *name, const char *text);
void naik_report_int(naik_report *report, const char *name, int64_t value);
void naik_report_real(naik_report *report, const char *name, double value); /* NaN: null in JSON */
/* The column of a solve: colour, of spinors spin and colour (0 to 11 in that order). */
void naik_report_column(naik_report *report, bool spinors, int column);
void naik_report_bool(naik_report *report, const char *name, bool value);
void naik_report_begin(naik_report *report, const char *name); /* an object, until _end */
void naik_report_list(naik_report *report, const char *name);  /* a list, until _end */
void naik_report_end(naik_report *report);

/* *value: the number that was added last under this name, or -1. NAIK_ERR_MEMORY where memory was out
 * for something that was added, which may have been that number */
naik_status naik_report_find_int(naik_log *log, const naik_report *report, const char *name,
                                 int64_t *value);

/* As one JSON object on one line, from malloc; NULL when memory is out. */
char *naik_report_json(const naik_report *report);
/* Prints on the log. For people: "name: value" indented by depth; an object of a list is one line
 * of name=value. NAIK_ERR_MEMORY. */
naik_status naik_report_print(const naik_report *report, naik_log *log, bool json);

#endif
