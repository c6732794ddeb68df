/* sample.cu - what the kernels of an iteration take, one by one
 *
 * Two iterations of each recorded shape, x moving in one of them, are launched kernel by kernel
 * behind one that is played back, so that the device never waits for the host, with an event after
 * every launch. Kernels pass over an rhs that has ended, in less time and without moving its bytes: the
 * solver says after its poll whether there was one, and then the times are dropped.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/backend_gpu.h"

extern "C" {
#include "base/timer.h"
}

enum { SAMPLE_MOST = 24, SAMPLE_NAME = 64 }; /* kernels of an iteration */

typedef struct gpu_sampling {
    bool active;
    uint64_t serial; /* last one sampled */
    int count;
    gpu_event event[SAMPLE_MOST + 1]; /* the first one before all */
    char name[SAMPLE_MOST][SAMPLE_NAME];
    double bytes[SAMPLE_MOST];
    int next_rhs; /* of the launch to come */
    double next_bytes;
} gpu_sampling;

static naik_status open_sampling(naik_backend *backend)
{
    gpu_state *state = gpu_state_of(backend);
    gpu_sampling *s = (gpu_sampling *)calloc(1, sizeof *s);
    if (s == NULL) {
        return NAIK_FAIL(backend->log, NAIK_ERR_MEMORY, "no memory for timing kernels");
    }
    state->sampling = s;
    for (int i = 0; i <= SAMPLE_MOST; i++) {
        NAIK_PASS(GPU_CHECK(backend, gpu_event_create(&s->event[i]), "making an event"));
    }
    return NAIK_OK;
}

void gpu_sample_close(naik_backend *backend)
{
    gpu_state *state = gpu_state_of(backend);
    for (int i = 0; state->sampling != NULL && i <= SAMPLE_MOST; i++) {
        if (state->sampling->event[i] != NULL) {
            (void)gpu_event_destroy(state->sampling->event[i]);
        }
    }
    free(state->sampling);
    state->sampling = NULL;
}

static bool is_wanted(const naik_backend *backend, uint64_t serial)
{
    const gpu_sampling *s = gpu_state_of(backend)->sampling;
    return backend->timer != NULL && (backend->comm->size == 1 || backend->route.single_node) &&
           (s == NULL || s->serial != serial);
}

naik_status gpu_sample(naik_backend *backend, uint64_t serial, naik_status (*body)(void *data),
                       void *data)
{
    naik_status status = NAIK_OK;
    gpu_state *state = gpu_state_of(backend);
    if (is_wanted(backend, serial)) {
        if (state->sampling == NULL) {
            status = open_sampling(backend);
            if (status != NAIK_OK) {
                gpu_sample_close(backend);
                return status;
            }
        }
        NAIK_PASS(GPU_CHECK(backend, gpu_event_record(state->sampling->event[0], state->stream),
                            "timing kernels"));
        state->sampling->serial = serial;
        state->sampling->count = 0;
        state->sampling->active = true;
    }
    for (int i = 0; i < GPU_SAMPLED && status == NAIK_OK; i++) {
        status = body(data);
    }
    if (state->sampling != NULL) {
        state->sampling->active = false;
    }
    return status;
}

void gpu_sample_drop(naik_backend *backend)
{
    gpu_sampling *s = gpu_state_of(backend)->sampling;
    if (s != NULL && s->active) {
        s->active = false;
        s->count = 0;
        s->serial = 0;
    }
}

void gpu_sample_moves(naik_backend *backend, int rhs, double bytes)
{
    gpu_sampling *s = gpu_state_of(backend)->sampling;
    if (s != NULL && s->active) {
        s->next_rhs = rhs;
        s->next_bytes = bytes;
    }
}

naik_status gpu_launched(naik_backend *backend, const char *what, const char *file, int line)
{
    gpu_state *state = gpu_state_of(backend);
    gpu_sampling *s = state->sampling;
    if (s != NULL && s->active && s->count < SAMPLE_MOST) {
        const int k = s->count++, rhs = s->next_rhs;
        char *name = s->name[k];
        snprintf(name, SAMPLE_NAME, rhs > 0 ? "%s, %d rhs" : "%s", what, rhs);
        s->bytes[k] = s->next_bytes;
        s->next_rhs = 0;
        s->next_bytes = 0;
        (void)gpu_event_record(s->event[k + 1], state->stream);
    }
    return gpu_report(backend, gpu_last_error(), what, file, line);
}

naik_status gpu_sample_collect(naik_backend *backend, bool whole)
{
    gpu_sampling *s = gpu_state_of(backend)->sampling;
    if (s == NULL || s->count == 0) {
        return NAIK_OK;
    }
    NAIK_PASS(GPU_CHECK(backend, gpu_event_sync(s->event[s->count]), "timing kernels"));
    for (int k = 0; whole && k < s->count; k++) {
        float ms = 0;
        NAIK_PASS(GPU_CHECK(backend, gpu_event_elapsed_ms(&ms, s->event[k], s->event[k + 1]),
                            "timing kernels"));
        naik_timer_kernel(backend->timer, s->name[k], 1e-3 * (double)ms, s->bytes[k]);
    }
    s->count = 0;
    s->serial = whole ? s->serial : 0;
    return NAIK_OK;
}
