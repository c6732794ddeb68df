/* output.c - two jobs with one output would write into the same .part, and each rename the other's
 */
#include "io/output.h"

naik_status naik_output_room(naik_comm *comm, const char *path, int64_t size_bytes,
                             char part[NAIK_PATH_MAX])
{
    naik_status status = NAIK_OK;
    char journal[NAIK_PATH_MAX];
    int64_t part_bytes = -1, journal_bytes = -1;
    NAIK_TRY(naik_output_precheck(comm, path, size_bytes, part));
    NAIK_TRY(naik_path_append(comm->log, path, ".journal", journal));
    NAIK_TRY(naik_file_size(comm, part, &part_bytes));
    NAIK_TRY(naik_file_size(comm, journal, &journal_bytes));
    if (part_bytes >= 0 && journal_bytes >= 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "%s is of an unfinished naik solve and would be lost: finish it by the "
                           "same naik solve, choose another output, or remove it and %s",
                           part, journal);
    }
done:
    return naik_comm_agree(comm, status);
}

naik_status naik_output_begin(naik_comm *comm, const char *path, int64_t size_bytes,
                              naik_output *out)
{
    naik_status status = NAIK_OK;
    out->comm = comm;
    out->lock = NULL;
    NAIK_TRY(naik_path_append(comm->log, path, "", out->path));
    NAIK_TRY(naik_output_room(comm, path, size_bytes, out->part));
    NAIK_TRY(naik_lock_acquire(comm, path, &out->lock));
done:
    return status;
}

naik_status naik_output_publish(naik_output *out)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_lock_confirm(out->comm, out->lock));
    status = naik_file_publish(out->comm, out->part, out->path, out->comm->io.replace);
    out->keep = status == NAIK_ERR_INPUT;
    NAIK_TRY(status);
    naik_lock_release(out->comm, &out->lock);
done:
    return status;
}

void naik_output_abandon(naik_output *out)
{
    if (out->lock != NULL && !out->keep && naik_lock_confirm(out->comm, out->lock) == NAIK_OK) {
        naik_file_remove(out->comm, out->part);
    }
    naik_lock_release(out->comm, &out->lock);
}
