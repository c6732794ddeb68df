/* device.h - the device of this rank: stream, memory pool, staging, and how its errors are told */
#ifndef NAIK_GPU_DEVICE_H
#define NAIK_GPU_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "gpu/halo/peer.h"

extern "C" {
#include "backend/field.h"
#include "backend/low_vectors.h"
#include "backend/packed_links.h"
}

enum { GPU_STAGING_BYTES = 32 << 20 };

/* Blocks once taken from the device are kept and used again for requests of about their size. */
typedef struct gpu_block {
    void *memory;
    size_t size_bytes;
    bool in_use;
    bool open; /* other devices may be writing to it: never given back before the end */
} gpu_block;

typedef struct gpu_state {
    int device;
    gpu_properties properties;
    char bus_id[32];
    gpu_stream stream;
    gpu_block *blocks; /* [block_count], grows */
    int block_count, block_capacity;
    void *staging;   /* backend memory [GPU_STAGING_BYTES] for canonical arrays on their way */
    void *pinned;    /* host memory [GPU_STAGING_BYTES] */
    uint64_t *flags; /* backend memory [8], results of checks */
    double bytes_up, bytes_down;
    unsigned *ticket;              /* blocks that have read the rhs, 0 between launches (rhs.cuh) */
    naik_exactsum *taken;          /* backend memory [2] (rhs.cuh) */
    struct gpu_tuning *tuning;     /* tune.cu */
    struct gpu_sampling *sampling; /* sample.cu; NULL: nothing was sampled yet */
    bool recording;                /* launches */
    bool without_graphs;           /* they cannot be recorded here: record.cu */
    gpu_graph_exec recorded;       /* record.cu; NULL: none */
    uint64_t recorded_serial;
    bool shared;     /* some device is used by two ranks */
    bool opened;     /* memory to other ranks, at some time: the same on every rank */
    int processors;  /* of the smallest device of any rank: what launches are shaped by, so that
                        all ranks launch the same, and wait for each other in the same order */
    gpu_peers peers; /* peer.h */
} gpu_state;

static inline gpu_state *gpu_state_of(const naik_backend *backend)
{
    return (gpu_state *)backend->state;
}

/* A backend begins with its device (backend.h). */
static inline naik_backend *gpu_backend_of(naik_device *device)
{
    return (naik_backend *)device;
}

/* Turns a run-time error into a status with a sentence; `what` says what was being done. */
naik_status gpu_report(naik_backend *backend, gpu_error error, const char *what, const char *file,
                       int line);
#define GPU_CHECK(backend, call, what) gpu_report((backend), (call), (what), __FILE__, __LINE__)
/* gpu_report after a launch; also notes when the launch ends where the iteration is a sample. */
naik_status gpu_launched(naik_backend *backend, const char *what, const char *file, int line);
#define GPU_LAUNCHED(backend, what) gpu_launched((backend), (what), __FILE__, __LINE__)

naik_status gpu_open(naik_backend *backend, const naik_backend_options *options);
void gpu_close(naik_backend *backend);
void gpu_describe(const naik_backend *backend, char *text, size_t text_size);
naik_status gpu_alloc(naik_device *device, size_t size_bytes, const char *what, void **out);
/* gpu_alloc of memory that other ranks may map and write to. */
naik_status gpu_alloc_open(naik_backend *backend, size_t size_bytes, const char *what, void **out);
void gpu_release(naik_device *device, void *memory);
naik_status gpu_alloc_host(naik_device *device, size_t size_bytes, const char *what, void **out);
void gpu_release_host(naik_device *device, void *memory);
bool gpu_shared(const naik_backend *backend);
naik_status gpu_upload(naik_device *device, void *to, const void *from_host, size_t size_bytes);
naik_status gpu_download(naik_device *device, void *to_host, const void *from, size_t size_bytes);
naik_status gpu_sync(naik_device *device);
naik_status gpu_free_bytes(naik_device *device, size_t *out);
naik_status gpu_adopt(naik_device *device, const void *memory, bool *mine);
void gpu_moved(const naik_device *device, double *up_bytes, double *down_bytes);

#endif
