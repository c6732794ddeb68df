/* status.h - what a function that can fail returns, and how failures travel
 *
 * Every naik function that can fail returns a naik_status and gives its results through its last
 * parameters. The sentence for the user is stored in the log (log.h) by whoever finds the fault;
 * callers only pass the code on: with NAIK_PASS, or, where they hold something, with NAIK_TRY, and
 * release it at their `done:` label.
 */
#ifndef NAIK_STATUS_H
#define NAIK_STATUS_H

/* Ordered by severity: where ranks disagree, the largest wins (comm.h, naik_comm_agree). */
typedef enum naik_status {
    NAIK_OK = 0,
    NAIK_ERR_NOT_CONVERGED, /* a solve stopped above its tolerance; everything else is done */
    NAIK_ERR_INTERRUPTED,   /* stopped on request; a rerun continues */
    NAIK_ERR_INPUT,         /* the user's input cannot be carried out */
    NAIK_ERR_ARG,           /* a caller broke a contract of this library */
    NAIK_ERR_CORRUPT,       /* data disagree with their own checksum or description */
    NAIK_ERR_MEMORY,        /* memory of host or device */
    NAIK_ERR_IO,            /* a file system refused a write, a read or a rename */
    NAIK_ERR_DEVICE,        /* a kernel, a copy or a device failed */
    NAIK_ERR_MPI            /* communication failed */
} naik_status;

/* One or two words for the status, for messages. Never NULL. */
const char *naik_status_text(naik_status status);

/* The exit status of the program for this status: 0 done, 1 wrong input, 2 memory, disk or device, 3 not
 * converged, 4 corrupt data, 5 interrupted, and the same command continues (doc/troubleshooting.md). */
int naik_status_exit(naik_status status);

/* Evaluates a call. If the call fails, the caller returns the status at once: for functions that hold
 * nothing to release. */
#define NAIK_PASS(call)                                                                            \
    do {                                                                                           \
        const naik_status passed = (call);                                                         \
        if (passed != NAIK_OK) {                                                                   \
            return passed;                                                                         \
        }                                                                                          \
    } while (0)

/* Evaluates a call. If the call fails, NAIK_TRY keeps the status in the local variable `status` and goes to
 * the local label `done`, where the caller releases what it holds and returns `status`. */
#define NAIK_TRY(call)                                                                             \
    do {                                                                                           \
        status = (call);                                                                           \
        if (status != NAIK_OK) {                                                                   \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

#endif
