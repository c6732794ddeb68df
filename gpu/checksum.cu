/* checksum.cu - sums over the words of backend memory, to notice when they change */
#include "gpu/backend_gpu.h"

enum { CHECKSUM_THREADS = 256, CHECKSUM_BLOCKS = 1024 };

__global__ void sum_words_kernel(const uint32_t *word, size_t count, unsigned long long *sums)
{
    __shared__ unsigned long long of_block[2];
    unsigned long long plain = 0, placed = 0;
    if (threadIdx.x < 2) {
        of_block[threadIdx.x] = 0;
    }
    __syncthreads();
    const size_t stride = (size_t)gridDim.x * CHECKSUM_THREADS;
    for (size_t i = (size_t)blockIdx.x * CHECKSUM_THREADS + threadIdx.x; i < count; i += stride) {
        plain += word[i];
        placed += (unsigned long long)(i + 1) * word[i];
    }
    atomicAdd(&of_block[0], plain);
    atomicAdd(&of_block[1], placed);
    __syncthreads();
    if (threadIdx.x < 2) {
        atomicAdd(&sums[threadIdx.x], of_block[threadIdx.x]);
    }
}

naik_status gpu_sum_words(naik_device *device, const void *memory, size_t size_bytes,
                          uint64_t sums[2])
{
    naik_backend *backend = gpu_backend_of(device);
    gpu_state *state = gpu_state_of(backend);
    NAIK_PASS(GPU_CHECK(backend, gpu_memset(state->flags, 0, 2 * sizeof *sums, state->stream),
                        "clearing a checksum"));
    sum_words_kernel<<<CHECKSUM_BLOCKS, CHECKSUM_THREADS, 0, state->stream>>>(
        (const uint32_t *)memory, size_bytes / sizeof(uint32_t),
        (unsigned long long *)state->flags);
    NAIK_PASS(GPU_LAUNCHED(backend, "summing the words of memory"));
    return gpu_download(&backend->device, sums, state->flags, 2 * sizeof *sums);
}
