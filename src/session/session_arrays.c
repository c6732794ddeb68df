/* session_arrays.c - where the arrays of a session's caller lie: on the host, or on the session's GPU
 *
 * Only a GPU's run time can tell its memory from the host's, so that a session on CPUs takes every
 * pointer as the host's.
 */
#include "session/session_arrays.h"

#include "base/memory.h"
#include "session/session_input.h"

naik_status session_arrays_place(const workplace *w, const double *a, const double *b, bool *there)
{
    naik_status status = NAIK_OK;
    naik_device *device = &w->backend->device;
    bool mine[2] = {false, false};
    *there = false;
    if (device->memory->adopt == NULL) {
        return NAIK_OK;
    }
    status = device->memory->adopt(device, a, &mine[0]);
    if (status == NAIK_OK && b != NULL) {
        status = device->memory->adopt(device, b, &mine[1]);
    }
    if (status == NAIK_OK && b != NULL && mine[0] != mine[1]) {
        status = NAIK_FAIL(w->comm->log, NAIK_ERR_INPUT,
                           "one array lies on the GPU and one on the host: give both in one place");
    }
    NAIK_PASS(naik_comm_agree(w->comm, status));
    NAIK_PASS(session_compare(w->comm, mine[0], "kind of memory for its arrays"));
    *there = mine[0];
    return NAIK_OK;
}

naik_status session_arrays_fetch(const workplace *w, const double *there, size_t count,
                                 double **out)
{
    naik_status status = NAIK_OK;
    naik_backend *backend = w->backend;
    const size_t bytes = count * sizeof(double);
    *out = NULL;
    if (there == NULL) {
        return NAIK_OK;
    }
    NAIK_TRY(naik_alloc(w->comm->log, bytes, "a copy of an array", (void **)out));
    NAIK_TRY(naik_backend_download(backend, *out, there, bytes));
done:
    if (status != NAIK_OK) {
        naik_free(*out);
        *out = NULL;
    }
    return status;
}
