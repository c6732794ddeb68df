/* small_machine.c - a machine of NAIK_MACHINE_MIB mebibytes of memory
 *
 * Preloaded (LD_PRELOAD), glibc only. Programs that ask how much there is are told so; what they take is given.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

long sysconf(int name)
{
    long (*real)(int);
    *(void **)&real = dlsym(RTLD_NEXT, "sysconf");
    const char *mib = getenv("NAIK_MACHINE_MIB");
    return name == _SC_PHYS_PAGES && mib != NULL ? atol(mib) * 1048576 / real(_SC_PAGESIZE)
                                                 : real(name);
}
