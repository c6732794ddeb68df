/* paths.h - names that a user gave: what is read may not be written over */
#ifndef NAIK_COMM_PATHS_H
#define NAIK_COMM_PATHS_H

#include <stdio.h>
#include <sys/stat.h>

#include "naik/comm.h"

/* Whether two names lead to one file that is there. A NULL leads nowhere. Local. */
bool naik_path_same(const char *a, const char *b);

/* NAIK_ERR_INPUT where `output`, given as the option or key `name`, is one of the files that are
 * read. Entries of inputs [count] may be NULL. Collective; rank 0 looks. */
naik_status naik_path_refuse_input(naik_comm *comm, const char *name, const char *output,
                                   const char *const *inputs, int count);

/* NAIK_ERR_INPUT where the output `path`, given as the option or key `name`, has a name that naik
 * gives to files beside an output, or is there already and comm->io.replace is not set. A NULL path
 * is none. Collective; rank 0 looks. */
naik_status naik_path_refuse_output(naik_comm *comm, const char *name, const char *path);
/* NAIK_ERR_INPUT where `path` is a symbolic link that leads to no file. Local. */
naik_status naik_path_refuse_dangling(naik_log *log, const char *path);
/* The ending of such a name, or NULL. Local. */
const char *naik_path_side_ending(const char *path);

/* Gives a file its name; without `replace` not one that is there, a symbolic link included. Returns
 * 0 or an error number, EEXIST in that case. Local. */
int naik_path_rename(const char *from, const char *to, bool replace);

/* A regular file for reading, and what fstat says of it; NULL with errno, which is 0 where it is
 * something else. Waits for no writer of a FIFO, where the caller could not be interrupted. Local.
 */
FILE *naik_path_open(const char *path, struct stat *info);
/* A text that a person wrote, for reading. Local. NAIK_ERR_INPUT with the sentence: it is not
 * there, may not be read, or is no regular file; NAIK_ERR_IO: the system failed to open it */
naik_status naik_path_open_text(naik_log *log, const char *path, FILE **out);

#endif
