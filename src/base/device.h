/* device.h - memory that is not the host's
 *
 * Links that are built on a GPU stay there. What can lie in either memory says which by a pointer:
 * to the device, or NULL for the host. A backend (backend.h) begins with its device.
 */
#ifndef NAIK_BASE_DEVICE_H
#define NAIK_BASE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "naik/log.h"

typedef struct naik_device naik_device;

typedef struct naik_memory_ops {
    /* Zero where it is the host's memory, else of any content. */
    naik_status (*alloc)(naik_device *device, size_t size_bytes, const char *what, void **out);
    void (*release)(naik_device *device, void *memory);
    naik_status (*upload)(naik_device *device, void *to, const void *from_host, size_t size_bytes);
    naik_status (*download)(naik_device *device, void *to_host, const void *from,
                            size_t size_bytes);
    /* Waits for all work enqueued so far. */
    naik_status (*sync)(naik_device *device);
    /* Of w_i, the 32-bit words of this memory: sums[0] = sum w_i, sums[1] = sum (i + 1) w_i, both
     * modulo 2^64: a checksum that does not depend on order. size_bytes: a multiple of 4. Waits. */
    naik_status (*sum_words)(naik_device *device, const void *memory, size_t size_bytes,
                             uint64_t sums[2]);
    /* The rest is NULL where the memory is the host's. */
    /* Bytes that alloc can still give. */
    naik_status (*free_bytes)(naik_device *device, size_t *out);
    /* Bytes copied to and from the device since it was opened. */
    void (*moved)(const naik_device *device, double *up_bytes, double *down_bytes);
    /* Whether memory that somebody else allocated is this device's. If so, waits for all that anybody
     * has enqueued there. */
    naik_status (*adopt)(naik_device *device, const void *memory, bool *mine);
    /* Host memory from and to which copies are fastest. */
    naik_status (*alloc_host)(naik_device *device, size_t size_bytes, const char *what, void **out);
    void (*release_host)(naik_device *device, void *memory);
} naik_memory_ops;

struct naik_device {
    const naik_memory_ops *memory;
    const struct naik_link_ops *link_ops; /* how links are built in this memory (link_ops.h) */
    naik_log *log;                        /* borrowed */
};

/* Memory of the device, or of the host for NULL, where it is zeroed. NAIK_ERR_MEMORY */
naik_status naik_device_alloc(naik_device *device, naik_log *log, size_t size_bytes,
                              const char *what, void **out);
void naik_device_free(naik_device *device, void *memory);

#endif
