/* record.cu - an iteration recorded once as a graph and played back
 *
 * Launches that cannot be recorded, or not be made a graph, are made one by one: that is said once.
 */
#include "gpu/backend_gpu.h"

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

/* What the run time has against graphs is said once, and leaves no trace on the log. */
static void do_without(naik_backend *backend, gpu_error why)
{
    gpu_state *state = gpu_state_of(backend);
    (void)gpu_last_error();
    naik_log_clear(backend->log);
    if (!state->without_graphs) {
        naik_log_warn(
            backend->log,
            "this device cannot record launches (%s): naik launches every kernel by itself",
            why == gpu_success ? "one of them failed" : gpu_error_text(why));
    }
    state->without_graphs = true;
}

void gpu_record(naik_backend *backend, naik_status (*body)(void *data), void *data, int times,
                gpu_graph_exec *out)
{
    gpu_state *state = gpu_state_of(backend);
    naik_status status = NAIK_OK;
    gpu_graph graph = NULL;
    *out = NULL;
    if (state->without_graphs) {
        return;
    }
    gpu_error error = gpu_capture_begin(state->stream);
    if (error == gpu_success) {
        state->recording = true;
        for (int i = 0; i < times && status == NAIK_OK; i++) {
            status = body(data);
        }
        state->recording = false;
        error = gpu_capture_end(state->stream, &graph);
    }
    if (error == gpu_success && status == NAIK_OK) {
        error = gpu_graph_make(out, graph);
    }
    if (graph != NULL) {
        (void)gpu_graph_destroy(graph);
    }
    if (error != gpu_success || status != NAIK_OK) {
        *out = NULL;
        do_without(backend, error);
    }
}

naik_status gpu_repeat(naik_backend *backend, uint64_t serial, bool recorded,
                       naik_status (*body)(void *data), void *data, int times)
{
    gpu_state *state = gpu_state_of(backend);
    bool behind = false; /* one that is played back */
    int k = 0;
    recorded = recorded && !state->without_graphs;
    if (recorded && serial != state->recorded_serial && times >= RECORDED_ITERATIONS) {
        forget(state);
        NAIK_PASS(body(data)); /* the first time as it is: kernels are loaded on first use */
        gpu_record(backend, body, data, RECORDED_ITERATIONS, &state->recorded);
        recorded = state->recorded != NULL;
        state->recorded_serial = recorded ? serial : 0;
        k = 1;
    }
    while (k < times) {
        if (recorded && serial == state->recorded_serial && times - k >= RECORDED_ITERATIONS) {
            NAIK_PASS(GPU_CHECK(backend, gpu_graph_launch(state->recorded, state->stream),
                                "playing back an iteration"));
            k += RECORDED_ITERATIONS;
            behind = true;
        } else if (behind && times - k >= GPU_SAMPLED) {
            NAIK_PASS(gpu_sample(backend, serial, body, data));
            behind = false;
            k += GPU_SAMPLED;
        } else {
            NAIK_PASS(body(data));
            behind = false;
            k++;
        }
    }
    return NAIK_OK;
}
