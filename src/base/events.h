/* events.h - what a run did, as JSON lines for other programs
 *
 * Every line is one object with "event" and "time" (seconds since 1970, UTC), appended by a single
 * write, so that a kill at any moment leaves whole lines; an end that was torn off by a crash of
 * the machine is removed by the next run. Reruns append. One rank writes; the others, and runs
 * without a log of events, have NULL, which every function accepts.
 */
#ifndef NAIK_BASE_EVENTS_H
#define NAIK_BASE_EVENTS_H

#include "base/report.h"

typedef struct naik_events naik_events;

/* Whether the file can be opened and holds nothing but events. Changes nothing. Local. NAIK_ERR_INPUT
 */
naik_status naik_events_precheck(naik_log *log, const char *path);
/* Opens or makes the file; warnings of the log become events from now on. Local.
 * NAIK_ERR_INPUT it cannot be opened, or holds something else; NAIK_ERR_MEMORY */
naik_status naik_events_open(naik_log *log, const char *path, naik_events **out);
void naik_events_close(naik_events **events);

/* A report that holds "event" and "time", to be filled and given to _write; NULL with events NULL
 * or without memory. */
naik_report *naik_events_begin(naik_events *events, const char *event);
/* Writes and destroys it. A file that takes no more is warned about once. */
void naik_events_write(naik_events *events, naik_report **event);

#endif
