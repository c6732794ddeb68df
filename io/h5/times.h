/* times.h - what moving fields takes, part by part, for whoever asks
 *
 * comm->io.times points to it, or to nothing, which is nobody. Seconds of this rank; where threads work
 * beside each other, the mean of them.
 */
#ifndef NAIK_IO_H5_TIMES_H
#define NAIK_IO_H5_TIMES_H

#include <time.h>

#include "naik/comm.h"

typedef enum naik_io_part {
    NAIK_IO_GATHER, /* reals of memory to bytes of the file, and to the rank that writes them */
    NAIK_IO_CHECKSUM,
    NAIK_IO_WRITE,
    NAIK_IO_FSYNC,
    NAIK_IO_READ,
    NAIK_IO_SCATTER, /* bytes of the file to reals of memory */
    NAIK_IO_PARTS
} naik_io_part;

typedef struct naik_io_times {
    double s[NAIK_IO_PARTS];
    bool pieces; /* something was moved by box_plain.h */
} naik_io_times;

static inline double naik_io_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What passed since *since belongs to `part`; *since is now. Accepts NULL for times. */
static inline void naik_io_count(naik_io_times *times, naik_io_part part, double *since)
{
    const double now = naik_io_clock();
    if (times != NULL) {
        times->s[part] += now - *since;
    }
    *since = now;
}

#endif
