/* output.c - two jobs with one output would write into the same .part, and each rename the other's
 */
#include "output.h"

naik_status naik_output_begin(naik_comm *comm, const char *path, int64_t size_bytes,
                              naik_output *out)
{
    naik_status status = NAIK_OK;
    out->comm = comm;
    out->lock = NULL;
    NAIK_TRY(naik_path_append(comm->log, path, "", out->path));
    NAIK_TRY(naik_output_look(comm, path, size_bytes, out->part));
    NAIK_TRY(naik_lock_acquire(comm, path, &out->lock));
done:
    return status;
}

naik_status naik_output_publish(naik_output *out)
{
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_lock_confirm(out->comm, out->lock));
    NAIK_TRY(naik_file_publish(out->comm, out->part, out->path));
    naik_lock_release(out->comm, &out->lock);
done:
    return status;
}

void naik_output_abandon(naik_output *out)
{
    if (out->lock != NULL && naik_lock_confirm(out->comm, out->lock) == NAIK_OK) {
        naik_file_remove(out->comm, out->part);
    }
    naik_lock_release(out->comm, &out->lock);
}
