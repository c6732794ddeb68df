/* pages.c - finds the folder of the pages from the place of the program */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"

/* From the folder of the program: PREFIX/bin, or build/cpu of the sources. */
static const char *const folders[] = {"../share/doc/naik", "../.."};

void naik_pages_print_folder(naik_log *log)
{
    char program[PATH_MAX], name[PATH_MAX + 64], folder[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t i = 0; slash != NULL && i < sizeof folders / sizeof *folders; i++) {
        *slash = '\0';
        snprintf(name, sizeof name, "%s/%s/doc/machine-example.yaml", program, folders[i]);
        bool there = access(name, R_OK) == 0;
        snprintf(name, sizeof name, "%s/%s", program, folders[i]);
        if (there && realpath(name, folder) != NULL) {
            naik_log_line(log, "\ndoc/ and inputs/ are folders of %s", folder);
            return;
        }
    }
    naik_log_line(
        log, "\ndoc/ and inputs/ are folders of naik's sources; `make install` copies them to\n"
             "PREFIX/share/doc/naik");
}
