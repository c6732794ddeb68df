/* create.c - choosing a backend at run time */
#include "backend/create.h"

#include <stdlib.h>
#include <string.h>

#include "backend/launch.h"
#include "backend/transport.h"
#include "comm/new.h"

/* The only build-dependent choice of the host code. */
#if defined(NAIK_GPU)
static const naik_backend_ops *const gpu_ops = &naik_backend_gpu;
#else
static const naik_backend_ops *const gpu_ops = NULL;
#endif

static naik_status open_backend(naik_backend *backend, const naik_backend_ops *ops,
                                const naik_backend_options *options)
{
    backend->ops = ops;
    backend->device =
        (naik_device){.memory = &ops->memory, .link_ops = ops->link_ops, .log = backend->log};
    naik_status status = naik_comm_agree(backend->comm, ops->open(backend, options));
    if (status != NAIK_OK) {
        ops->close(backend);
        backend->ops = NULL;
    }
    return status;
}

static void destroy(naik_backend *backend)
{
    naik_launch_release(backend);
    naik_transport_release(backend);
    if (backend->ops != NULL) {
        backend->ops->close(backend);
    }
    free(backend);
}

naik_status naik_backend_create(naik_comm *comm, const char *name,
                                const naik_backend_options *options, naik_backend **out)
{
    naik_status status = NAIK_OK;
    *out = NULL;
    bool automatic = strcmp(name, "auto") == 0;
    bool want_gpu = strcmp(name, "gpu") == 0;
    if (!automatic && !want_gpu && strcmp(name, "cpu") != 0) {
        return NAIK_FAIL(comm->log, NAIK_ERR_INPUT, "unknown backend '%s': choose auto, cpu or gpu",
                         name);
    }
    if (want_gpu && gpu_ops == NULL) {
        return NAIK_FAIL(
            comm->log, NAIK_ERR_INPUT,
            "this build has no GPU backend: build with make GPU=cuda or GPU=hip, or set "
            "run.backend to cpu");
    }
    naik_backend *backend = NULL;
    NAIK_TRY(naik_new(comm, sizeof *backend, "the backend", (void **)&backend));
    backend->comm = comm;
    backend->log = comm->log;
    backend->choices.launch_mode = options != NULL ? options->launch : NAIK_LAUNCH_AUTO;
    if (gpu_ops != NULL && (automatic || want_gpu)) {
        status = open_backend(backend, gpu_ops, options);
        if (status == NAIK_ERR_DEVICE && automatic) {
            naik_log_warn(comm->log, "no usable GPU (%s): running on the CPU",
                          naik_log_message(comm->log));
            naik_log_clear(comm->log);
            status = NAIK_OK;
        }
        NAIK_TRY(status);
    }
    if (backend->ops == NULL) {
        NAIK_TRY(open_backend(backend, &naik_backend_cpu, options));
    }
    NAIK_TRY(
        naik_transport_choose(backend, options != NULL ? options->transport : NAIK_TRANSPORT_AUTO));
    *out = backend;
done:
    if (status != NAIK_OK && backend != NULL) {
        destroy(backend);
    }
    return status;
}

void naik_backend_destroy(naik_backend **backend)
{
    if (*backend == NULL) {
        return;
    }
    destroy(*backend);
    *backend = NULL;
}
