/* version.h - which naik this is */
#ifndef NAIK_VERSION_H
#define NAIK_VERSION_H

#define NAIK_VERSION "0.6.0"

/* The version of the library linked, NAIK_VERSION when it was compiled. Never NULL. */
const char *naik_version(void);
/* The commit it was built from, "-dirty" appended where files differed; "unknown" outside git. */
const char *naik_version_git(void);
/* The compiler that built it, by its own words. */
const char *naik_version_compiler(void);

#endif
