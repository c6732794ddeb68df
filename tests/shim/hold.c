/* hold.c - a program that waits at a place of its own choosing until a test lets it go on
 *
 * Preloaded (LD_PRELOAD), glibc only. Rank 0 of a job waits once, either after a line of its log that
 * begins with NAIK_HOLD_AT has gone out, or before it forces a file to disk whose path ends with
 * NAIK_HOLD_SYNC. While it waits the file NAIK_HOLD_FILE is there; it goes on when that file has been
 * removed or when a signal that it has blocked is pending. What a test does meanwhile comes in time,
 * however slow the machine is.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOKS = 100000, LOOK_US = 2500 }; /* after 250 s somebody has forgotten it */

static bool done, due;

static bool is_pending(void)
{
    sigset_t set;
    bool any = false;
    sigpending(&set);
    for (int i = 1; i < SIGRTMIN; i++) {
        any = any || sigismember(&set, i) == 1;
    }
    return any;
}

static void hold(void)
{
    const char *name = getenv("NAIK_HOLD_FILE");
    const char *open_mpi = getenv("OMPI_COMM_WORLD_RANK"), *other = getenv("PMI_RANK");
    const char *rank = open_mpi != NULL ? open_mpi : other;
    if (done || name == NULL || (rank != NULL && atoi(rank) != 0)) {
        return;
    }
    done = true;
    close(open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    for (int i = 0; i < LOOKS && access(name, F_OK) == 0 && !is_pending(); i++) {
        usleep(LOOK_US);
    }
    unlink(name);
}

int fputs(const char *text, FILE *to)
{
    int (*real)(const char *, FILE *);
    *(void **)&real = dlsym(RTLD_NEXT, "fputs");
    const char *at = getenv("NAIK_HOLD_AT");
    due = due || (to == stdout && at != NULL && strncmp(text, at, strlen(at)) == 0);
    return real(text, to);
}

int fflush(FILE *file)
{
    int (*real)(FILE *);
    *(void **)&real = dlsym(RTLD_NEXT, "fflush");
    const int result = real(file);
    if (due && file == stdout) {
        hold();
    }
    return result;
}

/* Whether the file's path ends as NAIK_HOLD_SYNC says. */
static bool is_the_file(int fd)
{
    const char *end = getenv("NAIK_HOLD_SYNC");
    char link[64], name[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, name, sizeof name - 1);
    return end != NULL && length >= (ssize_t)strlen(end) &&
           strcmp(name + length - strlen(end), end) == 0;
}

int fsync(int fd)
{
    int (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "fsync");
    if (is_the_file(fd)) {
        hold();
    }
    return real(fd);
}
