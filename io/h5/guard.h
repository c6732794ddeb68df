/* guard.h - a sentence instead of a crash where a damaged file brings HDF5 down
 *
 * HDF5 (seen with 1.10.8) follows some damaged messages of an object header into a null pointer.
 * Its metadata carry no checksum that would tell before. Between begin and end such a signal ends
 * the process with the exit status of corrupt data and a sentence that says what may be; the
 * launcher ends the job.
 * SIGBUS, which comes where /dev/shm is full, is a failure of the machine.
 */
#ifndef NAIK_IO_H5_GUARD_H
#define NAIK_IO_H5_GUARD_H

#include <signal.h>

enum { NAIK_GUARDED_SIGNALS = 4 };
typedef struct naik_h5_guard {
    struct sigaction before[NAIK_GUARDED_SIGNALS];
} naik_h5_guard;

/* Local; begin and end pair up on one thread. */
void naik_h5_guard_begin(naik_h5_guard *guard);
void naik_h5_guard_end(const naik_h5_guard *guard);

#endif
