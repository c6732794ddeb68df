/* timer.h - where the time went: nested named regions with calls, seconds, flops and bytes
 *
 *     naik_timer_start(timer, "solve");
 *         naik_timer_start(timer, "dslash");
 *         naik_timer_count(timer, flops, bytes);
 *         naik_timer_stop(timer, "dslash");
 *     naik_timer_stop(timer, "solve");
 *
 * A region is known by its name and by the region it was opened in. Every function accepts NULL
 * for the timer and then does nothing, so that a library caller need not have one. Only the main
 * thread may call. Times are this rank's own; nothing here communicates.
 */
#ifndef NAIK_BASE_TIMER_H
#define NAIK_BASE_TIMER_H

#include <stddef.h>
#include <stdint.h>

#include "naik/log.h"

typedef struct naik_timer naik_timer;

/* The clock of the whole starts now. NAIK_ERR_MEMORY. The log is borrowed. */
naik_status naik_timer_create(naik_log *log, naik_timer **out);
void naik_timer_destroy(naik_timer **timer);

/* moved(data, opened, inside) is told of every region that opens by its name, of every one that
 * closes by NULL, and of the innermost region that is open now, "" for none; the texts live as long
 * as the timer. NULL: nobody is told any more. */
void naik_timer_observe(naik_timer *timer,
                        void (*moved)(void *data, const char *opened, const char *inside),
                        void *data);

/* Opens region `name` (copied, at most 31 characters) inside the region that is open. */
void naik_timer_start(naik_timer *timer, const char *name);
/* Closes the innermost open region, which must have this name: a region that an error path left
 * open inside is closed with it. A name that is not open is ignored, with one warning. */
void naik_timer_stop(naik_timer *timer, const char *name);
/* Adds work to the innermost open region; the regions around it include it. */
void naik_timer_count(naik_timer *timer, double flops, double bytes);

typedef struct naik_timer_region {
    int64_t calls;
    double time_s, flops, bytes; /* with everything inside */
} naik_timer_region;

/* What the region at "solve/dslash" holds so far, the open part included; zeros if unknown. */
naik_timer_region naik_timer_read(const naik_timer *timer, const char *path);
/* Seconds since naik_timer_create. */
double naik_timer_total_s(const naik_timer *timer);

/* One run of a kernel on a device, known by its name (at most 63 characters), which moved at least
 * `bytes`. */
void naik_timer_kernel(naik_timer *timer, const char *name, double seconds, double bytes);

/* Prints the table on the log: percent of the whole, seconds, calls, GFLOP/s, GB/s, children
 * indented under their parents in the order of first use, "other" where they leave a rest. Below it
 * the kernels of which some runs were timed: their mean microseconds, GB/s, and how many runs. */
void naik_timer_print(const naik_timer *timer);

/* The table for a program: "DEPTH SECONDS FLOPS BYTES NAME; " for each region, the whole first. */
void naik_timer_list(const naik_timer *timer, char *text, size_t text_size);

/* Seconds since an arbitrary start, monotonic. */
double naik_time_s(void);

#endif
