/* runs.c - boxes to and from a file, a run after the other */
#include "io/runs.h"

#include <errno.h>
#include <unistd.h>

/* Shorter runs are for MPI-IO, which puts those of many ranks together. */
enum { LONG_RUN_BYTES = 1 << 16, SMALL_BOX_BYTES = 1 << 20 };

naik_runs naik_runs_of(const naik_lattice *lattice, int64_t site_bytes)
{
    naik_runs runs = {.lattice = lattice, .site_bytes = site_bytes, .run_sites = 1, .count = 1};
    bool whole = true; /* every direction so far */
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        *(whole ? &runs.run_sites : &runs.count) *= lattice->local[mu];
        whole = whole && lattice->local[mu] == lattice->size[mu];
    }
    return runs;
}

bool naik_runs_are_long(const naik_runs *runs)
{
    return runs->run_sites * runs->site_bytes >= LONG_RUN_BYTES ||
           naik_runs_bytes(runs) <= SMALL_BOX_BYTES;
}

int64_t naik_runs_first(const naik_runs *runs, int64_t run)
{
    int x[NAIK_DIM];
    naik_lattice_coords(runs->lattice, (int32_t)(run * runs->run_sites), x);
    return naik_lattice_global(runs->lattice, x);
}

int naik_bytes_write(int fd, int64_t offset, const void *from, int64_t count)
{
    const char *bytes = from;
    while (count > 0) {
        const ssize_t done = pwrite(fd, bytes, (size_t)count, offset);
        if (done < 0 && errno != EINTR) {
            return errno;
        }
        if (done == 0) {
            return ENOSPC;
        }
        if (done > 0) {
            bytes += done;
            offset += done;
            count -= done;
        }
    }
    return 0;
}

int naik_bytes_read(int fd, int64_t offset, void *into, int64_t count)
{
    char *bytes = into;
    while (count > 0) {
        const ssize_t done = pread(fd, bytes, (size_t)count, offset);
        if (done < 0 && errno != EINTR) {
            return errno;
        }
        if (done == 0) {
            return ENODATA;
        }
        if (done > 0) {
            bytes += done;
            offset += done;
            count -= done;
        }
    }
    return 0;
}

int naik_runs_write(const naik_runs *runs, int fd, int64_t offset, const void *box)
{
    const int64_t bytes = runs->run_sites * runs->site_bytes;
    int failed = 0;
    for (int64_t run = 0; run < runs->count && failed == 0; run++) {
        failed = naik_bytes_write(fd, offset + naik_runs_first(runs, run) * runs->site_bytes,
                                  (const char *)box + run * bytes, bytes);
    }
    return failed;
}

int naik_runs_read(const naik_runs *runs, int fd, int64_t offset, void *box, void *buffer,
                   naik_site_sum *sum)
{
    const int64_t most = NAIK_RUNS_BUFFER / runs->site_bytes;
    int failed = 0;
    for (int64_t run = 0; run < runs->count; run++) {
        const int64_t first = naik_runs_first(runs, run);
        for (int64_t site = 0; site < runs->run_sites; site += most) {
            const int64_t left = runs->run_sites - site, now = left < most ? left : most;
            char *into = box == NULL
                             ? buffer
                             : (char *)box + (run * runs->run_sites + site) * runs->site_bytes;
            failed = naik_bytes_read(fd, offset + (first + site) * runs->site_bytes, into,
                                     now * runs->site_bytes);
            if (failed != 0) {
                return failed;
            }
            naik_site_sum_add(sum, first + site, now, into);
        }
    }
    return 0;
}

void naik_runs_add(const naik_runs *runs, const void *box, naik_site_sum *sum)
{
    for (int64_t run = 0; run < runs->count; run++) {
        naik_site_sum_add(sum, naik_runs_first(runs, run), runs->run_sites,
                          (const char *)box + run * runs->run_sites * runs->site_bytes);
    }
}
