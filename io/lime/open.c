/* open.c - what a LIME file holds, found by rank 0 and known to all */
#include <stdlib.h>

#include "io/lime/lime.h"

naik_status naik_scidac_need_first(naik_log *log, const char *path, const naik_scidac_file *file)
{
    return !file->volume || file->has_dims
               ? NAIK_OK
               : NAIK_FAIL(log, NAIK_ERR_INPUT,
                           "'%s' is not the first file of a QIO volume: name that one, which ends "
                           "in .vol0000 as a rule",
                           path);
}

naik_status naik_scidac_open(naik_comm *comm, const char *path, naik_scidac_file **out)
{
    *out = NULL;
    naik_status status = NAIK_OK;
    naik_scidac_file *file = NULL;
    naik_scidac_field *field = NULL;
    if (comm->rank == 0) {
        status = naik_scidac_scan(comm->log, path, &file);
    } else {
        file = calloc(1, sizeof *file);
        if (file == NULL) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for records of a file");
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    field = file->field;
    status = naik_comm_broadcast(comm, file, sizeof *file, 0);
    file->field = field; /* a pointer of rank 0 means nothing elsewhere */
    NAIK_TRY(status);
    if (comm->rank != 0 && file->count > 0) {
        file->field = calloc((size_t)file->count, sizeof *file->field);
        if (file->field == NULL) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for records of a file");
        }
    }
    NAIK_TRY(naik_comm_agree(comm, status));
    if (file->count > 0) {
        NAIK_TRY(
            naik_comm_broadcast(comm, file->field, (size_t)file->count * sizeof *file->field, 0));
    }
    *out = file;
    file = NULL;
done:
    naik_scidac_close(&file);
    return status;
}
