/* hints.c - what MPI-IO is to know, and to forget, before it opens a file */
#include "io/hints.h"

#include <semaphore.h>
#include <stdio.h>
#include <string.h>

/* Open MPI (4.1.4) takes, whenever the ranks of one node open a file, a semaphore that is named
 * after the last part of its path, for all jobs of that node. One that a job left taken when it was
 * killed would let every later job wait for ever. naik has no use for it, and whoever has it open
 * keeps it. */
static void forget_semaphore(const char *path)
{
    char name[256];
    const char *slash = strrchr(path, '/');
    snprintf(name, sizeof name, "OMPIO_%.240s", slash != NULL ? slash + 1 : path);
    sem_unlink(name);
}

const char *naik_mpi_name(const char *path, char text[NAIK_MPI_NAME])
{
    const char *before = strchr(path, '/') == NULL ? "./" : "";
#ifdef ROMIO_VERSION
    before = strchr(path, ':') != NULL ? "ufs:" : before; /* any file system will do */
#endif
    const int length = snprintf(text, NAIK_MPI_NAME, "%s%s", before, path);
    return before[0] != '\0' && length < NAIK_MPI_NAME ? text : path;
}

const char *naik_mpi_path(const char *name)
{
#ifdef ROMIO_VERSION
    static const char kind[] = "ufs:"; /* no path with ':' goes without it */
    if (strncmp(name, kind, sizeof kind - 1) == 0) {
        return name + sizeof kind - 1;
    }
#endif
    return name;
}

naik_status naik_hints_create(naik_comm *comm, const char *path, const char *text, MPI_Info *out)
{
    char pair[512];
    *out = MPI_INFO_NULL;
    if (comm->node_rank == 0) {
        forget_semaphore(path);
    }
    if (text == NULL || text[0] == '\0') {
        return NAIK_OK;
    }
    NAIK_PASS(naik_comm_check(comm, MPI_Info_create(out), "MPI_Info_create"));
    while (*text != '\0') {
        size_t length = strcspn(text, ";");
        snprintf(pair, sizeof pair, "%.*s", (int)length, text);
        char *equals = strchr(pair, '=');
        if (equals != NULL && equals != pair && equals[1] != '\0') {
            *equals = '\0';
            MPI_Info_set(*out, pair, equals + 1);
        }
        text += length + (text[length] == ';');
    }
    return NAIK_OK;
}
