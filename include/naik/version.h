/* version.h - which naik this is */
#ifndef NAIK_VERSION_H
#define NAIK_VERSION_H

#define NAIK_VERSION "0.6.0"

/* The version of the linked library, which is NAIK_VERSION of its sources. Never NULL. Local. */
const char *naik_version(void);
/* The commit from which the library was built, with "-dirty" behind it if files differed from the commit;
 * "unknown" outside git. Never NULL. Local. */
const char *naik_version_git(void);
/* The compiler that built the library, by the compiler's own words. Never NULL. Local. */
const char *naik_version_compiler(void);

#endif
