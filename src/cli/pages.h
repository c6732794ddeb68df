/* pages.h - where the pages and the inputs are that the program names */
#ifndef NAIK_CLI_PAGES_H
#define NAIK_CLI_PAGES_H

#include "naik/log.h"

/* Prints the folder below which a reader finds doc/ and inputs/: that of `make install` beside the
 * program, or the sources in which the program was built. */
void naik_pages_print_folder(naik_log *log);

#endif
