/* guard.c - signals while HDF5 decodes a file that may be damaged
 *
 * The handler may only do what a signal handler may: write a constant and leave.
 */
#include "io/h5/guard.h"

#include <string.h>
#include <unistd.h>

enum { EXIT_MACHINE = 2, EXIT_CORRUPT = 4 };

static const int guarded[NAIK_GUARDED_SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};

static void leave(int number)
{
    static const char crash[] =
        "naik: error: the program crashed while HDF5 or MPI had a file open: the file may be "
        "damaged, or a library at fault\n";
    static const char bus[] = "naik: error: mapped memory could not be reached while a file was "
                              "open: is /dev/shm full?\n";
    /* HDF5 maps no files, but MPI shares memory between ranks. */
    ssize_t written = number == SIGBUS ? write(STDERR_FILENO, bus, sizeof bus - 1)
                                       : write(STDERR_FILENO, crash, sizeof crash - 1);
    (void)written;
    _exit(number == SIGBUS ? EXIT_MACHINE : EXIT_CORRUPT);
}

void naik_h5_guard_begin(naik_h5_guard *guard)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = leave;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < NAIK_GUARDED_SIGNALS; i++) {
        sigaction(guarded[i], &action, &guard->before[i]);
    }
}

void naik_h5_guard_end(const naik_h5_guard *guard)
{
    for (int i = 0; i < NAIK_GUARDED_SIGNALS; i++) {
        sigaction(guarded[i], &guard->before[i], NULL);
    }
}
