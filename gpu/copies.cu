/* copies.cu - between the host's memory and the device's
 *
 * Ordinary host memory, which is not pinned, cannot be read by the device at the link's speed:
 * large copies of it go through the two halves of the pinned buffer, one being copied by the host's
 * threads while the other travels.
 */
#include "gpu/device.h"

extern "C" {
#include "base/memory.h"
}

enum { COPY_PIECE = GPU_STAGING_BYTES / 2, COPY_DIRECT = 1 << 20 };

typedef struct copy_events {
    gpu_event travelled[2]; /* of either half */
} copy_events;

static void release_events(copy_events *events)
{
    for (int half = 0; half < 2; half++) {
        if (events->travelled[half] != NULL) {
            (void)gpu_event_destroy(events->travelled[half]);
        }
    }
}

static naik_status make_events(naik_backend *backend, copy_events *events)
{
    for (int half = 0; half < 2; half++) {
        NAIK_PASS(
            GPU_CHECK(backend, gpu_event_create(&events->travelled[half]), "making an event"));
    }
    return NAIK_OK;
}

static size_t piece_bytes(size_t begin, size_t size_bytes)
{
    return size_bytes - begin < COPY_PIECE ? size_bytes - begin : COPY_PIECE;
}

static naik_status upload_pieces(naik_backend *backend, char *to, const char *from,
                                 size_t size_bytes, copy_events *events)
{
    gpu_state *state = gpu_state_of(backend);
    int half = 0;
    for (size_t begin = 0; begin < size_bytes; begin += COPY_PIECE, half = !half) {
        const size_t bytes = piece_bytes(begin, size_bytes);
        char *pinned = (char *)state->pinned + half * COPY_PIECE;
        if (begin >= 2 * (size_t)COPY_PIECE) {
            NAIK_PASS(GPU_CHECK(backend, gpu_event_sync(events->travelled[half]),
                                "waiting for a copy to the device"));
        }
        naik_copy(pinned, from + begin, bytes);
        NAIK_PASS(GPU_CHECK(backend, gpu_copy_up(to + begin, pinned, bytes, state->stream),
                            "copying to the device"));
        NAIK_PASS(GPU_CHECK(backend, gpu_event_record(events->travelled[half], state->stream),
                            "recording an event"));
    }
    return NAIK_OK;
}

static naik_status start_download(naik_backend *backend, int half, const char *from, size_t bytes,
                                  copy_events *events)
{
    gpu_state *state = gpu_state_of(backend);
    NAIK_PASS(GPU_CHECK(
        backend,
        gpu_copy_down((char *)state->pinned + half * COPY_PIECE, from, bytes, state->stream),
        "copying from the device"));
    return GPU_CHECK(backend, gpu_event_record(events->travelled[half], state->stream),
                     "recording an event");
}

static naik_status download_pieces(naik_backend *backend, char *to, const char *from,
                                   size_t size_bytes, copy_events *events)
{
    gpu_state *state = gpu_state_of(backend);
    int half = 0;
    NAIK_PASS(start_download(backend, 0, from, piece_bytes(0, size_bytes), events));
    for (size_t begin = 0; begin < size_bytes; begin += COPY_PIECE, half = !half) {
        const size_t next = begin + COPY_PIECE;
        if (next < size_bytes) {
            NAIK_PASS(
                start_download(backend, !half, from + next, piece_bytes(next, size_bytes), events));
        }
        NAIK_PASS(GPU_CHECK(backend, gpu_event_sync(events->travelled[half]),
                            "waiting for a copy from the device"));
        naik_copy(to + begin, (char *)state->pinned + half * COPY_PIECE,
                  piece_bytes(begin, size_bytes));
    }
    return NAIK_OK;
}

/* Whether the device reads and writes this memory itself at the link's speed, or there is so little
 * of it that this does not matter. */
static bool goes_directly(const void *host, size_t size_bytes)
{
    if (size_bytes <= COPY_DIRECT || gpu_pointer_is(host, GPU_MEMORY_PINNED)) {
        return true;
    }
    (void)gpu_last_error(); /* of memory that the run time does not know */
    return false;
}

naik_status gpu_upload(naik_device *device, void *to, const void *from_host, size_t size_bytes)
{
    naik_backend *backend = gpu_backend_of(device);
    gpu_state *state = gpu_state_of(backend);
    naik_status status = NAIK_OK;
    copy_events events = {};
    state->bytes_up += (double)size_bytes;
    if (goes_directly(from_host, size_bytes)) {
        NAIK_TRY(GPU_CHECK(backend, gpu_copy_up(to, from_host, size_bytes, state->stream),
                           "copying to the device"));
    } else {
        NAIK_TRY(make_events(backend, &events));
        NAIK_TRY(upload_pieces(backend, (char *)to, (const char *)from_host, size_bytes, &events));
    }
    NAIK_TRY(gpu_sync(&backend->device)); /* the caller may reuse its memory */
done:
    release_events(&events);
    return status;
}

naik_status gpu_download(naik_device *device, void *to_host, const void *from, size_t size_bytes)
{
    naik_backend *backend = gpu_backend_of(device);
    gpu_state *state = gpu_state_of(backend);
    naik_status status = NAIK_OK;
    copy_events events = {};
    state->bytes_down += (double)size_bytes;
    if (goes_directly(to_host, size_bytes)) {
        NAIK_TRY(GPU_CHECK(backend, gpu_copy_down(to_host, from, size_bytes, state->stream),
                           "copying from the device"));
    } else {
        NAIK_TRY(make_events(backend, &events));
        NAIK_TRY(
            download_pieces(backend, (char *)to_host, (const char *)from, size_bytes, &events));
    }
    NAIK_TRY(gpu_sync(&backend->device)); /* which also says whether other devices failed */
done:
    release_events(&events);
    return status;
}

/* The calling thread may have chosen another device meanwhile. */
naik_status gpu_adopt(naik_device *device, const void *memory, bool *mine)
{
    naik_backend *backend = gpu_backend_of(device);
    const gpu_state *state = gpu_state_of(backend);
    int of = -1;
    NAIK_PASS(GPU_CHECK(backend, gpu_device_set(state->device), "choosing a device"));
    of = gpu_pointer_device(memory);
    *mine = of == state->device;
    (void)gpu_last_error(); /* of memory that the run time does not know */
    if (of >= 0 && !*mine) {
        return NAIK_FAIL(backend->log, NAIK_ERR_INPUT,
                         "an array lies on GPU %d and this session solves on GPU %d: give an array "
                         "on that GPU or on the host",
                         of, state->device);
    }
    if (*mine) {
        NAIK_PASS(GPU_CHECK(backend, gpu_device_sync(), "waiting for an array of the caller"));
    }
    return NAIK_OK;
}

void gpu_moved(const naik_device *device, double *up_bytes, double *down_bytes)
{
    const naik_backend *backend = (const naik_backend *)device;
    *up_bytes = gpu_state_of(backend)->bytes_up;
    *down_bytes = gpu_state_of(backend)->bytes_down;
}
