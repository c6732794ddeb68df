/* device.c - memory of a device or of the host */
#include "base/device.h"

#include "base/memory.h"

naik_status naik_device_alloc(naik_device *device, naik_log *log, size_t size_bytes,
                              const char *what, void **out)
{
    return device != NULL ? device->memory->alloc(device, size_bytes, what, out)
                          : naik_alloc(log, size_bytes, what, out);
}

void naik_device_free(naik_device *device, void *memory)
{
    if (device != NULL) {
        device->memory->release(device, memory);
    } else {
        naik_free(memory);
    }
}
