/* runs.h - this rank's box of an array in a file, as the runs of bytes that it is there
 *
 * Whoever knows where a contiguous dataset begins moves a box by plain reads and writes, from any
 * thread and without MPI. Everything here is local, and tells a failure by the system's number.
 */
#ifndef NAIK_IO_RUNS_H
#define NAIK_IO_RUNS_H

#include "io/site_sums.h"

typedef struct naik_runs {
    const naik_lattice *lattice; /* borrowed: the array's extents, and the box */
    int64_t site_bytes;
    int64_t run_sites; /* of a run: consecutive sites in the file, and in local order */
    int64_t count;
} naik_runs;

naik_runs naik_runs_of(const naik_lattice *lattice, int64_t site_bytes);
static inline int64_t naik_runs_bytes(const naik_runs *runs)
{
    return runs->count * runs->run_sites * runs->site_bytes;
}
/* Whether plain reads and writes serve it well: runs are long, or there is little in the box. */
bool naik_runs_are_long(const naik_runs *runs);

/* Number in the array of the first site of a run. */
int64_t naik_runs_first(const naik_runs *runs, int64_t run);

/* `count` bytes to and from their place in a file, however many calls it takes. 0, or why not; ENODATA
 * where the file ends before. */
int naik_bytes_write(int fd, int64_t offset, const void *from, int64_t count);
int naik_bytes_read(int fd, int64_t offset, void *into, int64_t count);

/* The box, in local lexicographic order, into an array that begins at `offset` of the file. 0, or why
 * not. */
int naik_runs_write(const naik_runs *runs, int fd, int64_t offset, const void *box);
/* The box as it lies in the file: added to `sum`, and put into `box` if that is not NULL. Reads through
 * `buffer` of NAIK_RUNS_BUFFER bytes otherwise. 0, or why not; ENODATA where the file ends before. */
enum { NAIK_RUNS_BUFFER = 1 << 21 };
int naik_runs_read(const naik_runs *runs, int fd, int64_t offset, void *box, void *buffer,
                   naik_site_sum *sum);
void naik_runs_add(const naik_runs *runs, const void *box, naik_site_sum *sum);

#endif
