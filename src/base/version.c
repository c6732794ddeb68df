/* version.c - the only file that is compiled again for every commit */
#include "naik/version.h"

#ifndef NAIK_GIT
#define NAIK_GIT "unknown"
#endif

const char *naik_version(void)
{
    return NAIK_VERSION;
}

const char *naik_version_git(void)
{
    return NAIK_GIT;
}

const char *naik_version_compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}
