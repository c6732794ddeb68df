/* device_memory.cu - the GPU's side of the shim */
#include "device_memory.h"
#include "gpu/gpu.h"

bool device_memory_is(const void *p)
{
    bool is = gpu_pointer_is(p, GPU_MEMORY_DEVICE);
    (void)gpu_last_error();
    return is;
}

/* A copy to the device may be on its way when the call returns, and no stream of the program waits
 * for it: an MPI's message has arrived. */
bool device_memory_copy(void *to, const void *from, size_t size_bytes)
{
    return gpu_copy_now(to, from, size_bytes) == gpu_success &&
           gpu_stream_sync(NULL) == gpu_success;
}
