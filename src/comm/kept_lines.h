/* kept_lines.h - lines "key: value" that runs keep for later ones in a small text file, below a header line
 *
 * Each header has a section of its own, so that a folder which machines share serves all of them. The file is
 * written beside its name and renamed, and what other runs have written meanwhile stays.
 */
#ifndef NAIK_COMM_KEPT_LINES_H
#define NAIK_COMM_KEPT_LINES_H

#include <stdbool.h>

#include "naik/status.h"

enum { NAIK_KEPT_SECTIONS = 16 };

/* The lines of the section `header`, "" where there is none or no file: *lines, the caller's to free, NULL without
 * memory. Headers begin with `mark`; *other: the file begins with something else, and is not to be written over. */
void naik_kept_lines_read(const char *path, const char *mark, const char *header, char **lines,
                          bool *other);

/* `lines` take the place of those with the same keys in the section, which becomes the first one of at most
 * NAIK_KEPT_SECTIONS; other lines stay. Folders above the file are made. False: nothing has changed. A run that
 * writes in the same instant may lose its lines. */
bool naik_kept_lines_merge(const char *path, const char *mark, const char *header,
                           const char *lines);

#endif
