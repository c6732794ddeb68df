/* output.c - two jobs with one output would write into the same .part, and each rename the other's
 */
#include "io/output.h"

#include "comm/paths.h"

naik_status naik_output_precheck(naik_comm *comm, const char *path, int64_t size_bytes,
                                 naik_beside use, char part[NAIK_PATH_MAX])
{
    naik_status status = NAIK_OK;
    NAIK_PASS(naik_path_append(comm->log, path, ".part", part));
    NAIK_PASS(naik_file_check_space(comm, path, 0));
    if (comm->rank == 0) {
        status = naik_file_check_name(comm->log, path);
        status = status != NAIK_OK ? status : naik_beside_check(comm->log, path, use);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    return naik_file_check_space(comm, part, size_bytes);
}

naik_status naik_output_room(naik_comm *comm, const char *path, int64_t size_bytes,
                             char part[NAIK_PATH_MAX])
{
    naik_status status = NAIK_OK;
    char journal[NAIK_PATH_MAX];
    int64_t part_bytes = -1, journal_bytes = -1;
    NAIK_TRY(naik_path_append(comm->log, path, ".part", part));
    NAIK_TRY(naik_path_append(comm->log, path, ".journal", journal));
    NAIK_TRY(naik_file_size(comm, part, &part_bytes));
    NAIK_TRY(naik_file_size(comm, journal, &journal_bytes));
    if (part_bytes >= 0 && journal_bytes >= 0) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "%s is of an unfinished naik solve and would be lost: finish it by the "
                           "same naik solve, choose another name, or remove it and %s",
                           part, journal);
        goto done;
    }
    NAIK_TRY(naik_output_precheck(comm, path, size_bytes, NAIK_BESIDE_ONE_GO, part));
done:
    return naik_comm_agree(comm, status);
}

naik_status naik_output_refuse(naik_comm *comm, const char *name, const char *path)
{
    char part[NAIK_PATH_MAX];
    int64_t size_bytes = -1;
    if (path != NULL && !comm->io.replace) { /* else whoever replaces it takes the lock over */
        NAIK_PASS(naik_file_size(comm, path, &size_bytes));
    }
    if (size_bytes >= 0) {
        NAIK_PASS(naik_lock_sweep(comm, path));
    }
    NAIK_PASS(naik_path_refuse_output(comm, name, path));
    if (path != NULL) {
        NAIK_PASS(naik_output_room(comm, path, 0, part));
    }
    return NAIK_OK;
}

naik_status naik_output_try(naik_comm *comm, const char *path, int64_t size_bytes, naik_output *out,
                            bool *held)
{
    out->comm = comm;
    out->lock = NULL;
    *held = false;
    NAIK_PASS(naik_path_append(comm->log, path, "", out->path));
    NAIK_PASS(naik_output_room(comm, path, size_bytes, out->part));
    return naik_lock_try(comm, path, &out->lock, held);
}

naik_status naik_output_begin(naik_comm *comm, const char *path, int64_t size_bytes,
                              naik_output *out)
{
    bool held;
    return naik_output_try(comm, path, size_bytes, out, &held);
}

naik_status naik_output_publish(naik_output *out)
{
    NAIK_PASS(naik_lock_confirm(out->comm, out->lock));
    const naik_status status =
        naik_file_publish(out->comm, out->part, out->path, out->comm->io.replace);
    out->keep = status == NAIK_ERR_INPUT;
    NAIK_PASS(status);
    naik_lock_release(out->comm, &out->lock);
    return NAIK_OK;
}

void naik_output_abandon(naik_output *out)
{
    if (out->lock != NULL && !out->keep && naik_lock_confirm(out->comm, out->lock) == NAIK_OK) {
        naik_file_remove(out->comm, out->part);
    }
    naik_lock_release(out->comm, &out->lock);
}
