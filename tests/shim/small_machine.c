/* small_machine.c - a machine of NAIK_MACHINE_MIB mebibytes of memory, and NAIK_DISK_MIB free on every disk
 *
 * Preloaded (LD_PRELOAD), glibc only. Programs that ask how much there is are told so; what they take is given.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

long sysconf(int name)
{
    long (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "sysconf");
    const char *mib = getenv("NAIK_MACHINE_MIB");
    return name == _SC_PHYS_PAGES && mib != NULL ? atol(mib) * 1048576 / real(_SC_PAGESIZE)
                                                 : real(name);
}

int statvfs(const char *path, struct statvfs *out)
{
    int (*real)(const char *, struct statvfs *);
    *(void **)&real = dlsym(RTLD_NEXT, "statvfs");
    const char *mib = getenv("NAIK_DISK_MIB");
    const int failed = real(path, out);
    if (failed == 0 && mib != NULL) {
        out->f_bavail = (fsblkcnt_t)atol(mib) * 1048576 / out->f_frsize;
    }
    return failed;
}
