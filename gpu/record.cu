/* record.cu - an iteration recorded once as a graph and played back */
#include "backend_gpu.h"

static void forget(gpu_state *state)
{
    if (state->recorded != NULL) {
        (void)gpu_graph_exec_destroy(state->recorded);
    }
    state->recorded = NULL;
    state->recorded_serial = 0;
}

/* Several iterations in one graph: fewer launches. */
enum { RECORDED_ITERATIONS = 5 };

static naik_status record(naik_backend *backend, naik_status (*body)(void *data), void *data)
{
    naik_status status = NAIK_OK;
    gpu_state *state = gpu_state_of(backend);
    gpu_graph graph = NULL;
    NAIK_TRY(GPU_CHECK(backend, gpu_capture_begin(state->stream), "recording an iteration"));
    state->recording = true;
    for (int i = 0; i < RECORDED_ITERATIONS && status == NAIK_OK; i++) {
        status = body(data);
    }
    state->recording = false;
    {
        gpu_error ended = gpu_capture_end(state->stream, &graph);
        NAIK_TRY(status);
        NAIK_TRY(GPU_CHECK(backend, ended, "recording an iteration"));
    }
    NAIK_TRY(GPU_CHECK(backend, gpu_graph_make(&state->recorded, graph),
                       "preparing a recorded iteration"));
done:
    if (graph != NULL) {
        (void)gpu_graph_destroy(graph);
    }
    return status;
}

naik_status gpu_repeat(naik_backend *backend, uint64_t serial, naik_status (*body)(void *data),
                       void *data, int times)
{
    naik_status status = NAIK_OK;
    gpu_state *state = gpu_state_of(backend);
    const naik_launch_mode how = backend->choices.launch_mode;
    /* messages of MPI cannot be recorded */
    const bool alone = (backend->comm->size == 1 || backend->route.single_node) &&
                       how != NAIK_LAUNCH_SEPARATE && how != NAIK_LAUNCH_FUSED;
    bool behind = false; /* one that is played back */
    int k = 0;
    if (alone && serial != state->recorded_serial && times >= RECORDED_ITERATIONS) {
        forget(state);
        NAIK_TRY(body(data)); /* the first time as it is: kernels are loaded on first use */
        NAIK_TRY(record(backend, body, data));
        state->recorded_serial = serial;
        k = 1;
    }
    while (k < times) {
        if (alone && serial == state->recorded_serial && times - k >= RECORDED_ITERATIONS) {
            NAIK_TRY(GPU_CHECK(backend, gpu_graph_launch(state->recorded, state->stream),
                               "playing back an iteration"));
            k += RECORDED_ITERATIONS;
            behind = true;
        } else if (behind && times - k >= GPU_SAMPLED) {
            NAIK_TRY(gpu_sample(backend, serial, body, data));
            behind = false;
            k += GPU_SAMPLED;
        } else {
            NAIK_TRY(body(data));
            behind = false;
            k++;
        }
    }
    NAIK_TRY(gpu_sample_collect(backend));
done:
    return status;
}
