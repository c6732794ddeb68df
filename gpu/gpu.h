/* gpu.h - one set of names for both vendors' run times; the only file that knows either
 *
 * Restricted to what CUDA 12 and 13 and ROCm 5.2 and 6 have in common.
 */
#ifndef NAIK_GPU_H
#define NAIK_GPU_H

/* HIP reads a file once for the host and once for the device, and makes constants on both: a table
 * of host functions must not be among those of the device. */
#if defined(__HIP_DEVICE_COMPILE__)
#define GPU_HOST_PASS 0
#else
#define GPU_HOST_PASS 1
#endif

#if defined(__HIPCC__)

#include <hip/hip_runtime.h>

#define GPU_VENDOR_NAME "HIP"
typedef hipError_t gpu_error;
typedef hipStream_t gpu_stream;
typedef hipEvent_t gpu_event;
typedef hipGraph_t gpu_graph;
typedef hipGraphExec_t gpu_graph_exec;
typedef hipDeviceProp_t gpu_properties;
#define gpu_success                 hipSuccess
#define gpu_error_memory            hipErrorOutOfMemory
#define gpu_error_text              hipGetErrorString
#define gpu_last_error              hipGetLastError
#define gpu_device_count            hipGetDeviceCount
#define gpu_device_set              hipSetDevice
#define gpu_device_properties       hipGetDeviceProperties
#define gpu_device_bus_id           hipDeviceGetPCIBusId
#define gpu_memory_info             hipMemGetInfo
#define gpu_malloc                  hipMalloc
#define gpu_free                    hipFree
#define gpu_malloc_host(p, n)       hipHostMalloc((p), (n), hipHostMallocDefault)
#define gpu_free_host               hipHostFree
#define gpu_memset                  hipMemsetAsync
#define gpu_copy_up(a, b, n, s)     hipMemcpyAsync((a), (b), (n), hipMemcpyHostToDevice, (s))
#define gpu_copy_down(a, b, n, s)   hipMemcpyAsync((a), (b), (n), hipMemcpyDeviceToHost, (s))
#define gpu_copy_within(a, b, n, s) hipMemcpyAsync((a), (b), (n), hipMemcpyDeviceToDevice, (s))
#define gpu_stream_create(s)        hipStreamCreateWithFlags((s), hipStreamNonBlocking)
#define gpu_stream_destroy          hipStreamDestroy
#define gpu_stream_sync             hipStreamSynchronize
#define gpu_event_create            hipEventCreate
#define gpu_event_destroy           hipEventDestroy
#define gpu_event_record            hipEventRecord
#define gpu_event_sync              hipEventSynchronize
#define gpu_event_elapsed_ms        hipEventElapsedTime
#define gpu_capture_begin(s)        hipStreamBeginCapture((s), hipStreamCaptureModeThreadLocal)
#define gpu_capture_end             hipStreamEndCapture
#define gpu_graph_make(e, g)        hipGraphInstantiate((e), (g), NULL, NULL, 0)
#define gpu_graph_launch            hipGraphLaunch
#define gpu_graph_destroy           hipGraphDestroy
#define gpu_graph_exec_destroy      hipGraphExecDestroy

enum { GPU_LANES = 64 }; /* threads that move together, at most */

#else

#include <cuda_runtime.h>

#define GPU_VENDOR_NAME             "CUDA"
typedef cudaError_t gpu_error;
typedef cudaStream_t gpu_stream;
typedef cudaEvent_t gpu_event;
typedef cudaGraph_t gpu_graph;
typedef cudaGraphExec_t gpu_graph_exec;
typedef cudaDeviceProp gpu_properties;
#define gpu_success                 cudaSuccess
#define gpu_error_memory            cudaErrorMemoryAllocation
#define gpu_error_text              cudaGetErrorString
#define gpu_last_error              cudaGetLastError
#define gpu_device_count            cudaGetDeviceCount
#define gpu_device_set              cudaSetDevice
#define gpu_device_properties       cudaGetDeviceProperties
#define gpu_device_bus_id           cudaDeviceGetPCIBusId
#define gpu_memory_info             cudaMemGetInfo
#define gpu_malloc                  cudaMalloc
#define gpu_free                    cudaFree
#define gpu_malloc_host(p, n)       cudaMallocHost((p), (n))
#define gpu_free_host               cudaFreeHost
#define gpu_memset                  cudaMemsetAsync
#define gpu_copy_up(a, b, n, s)     cudaMemcpyAsync((a), (b), (n), cudaMemcpyHostToDevice, (s))
#define gpu_copy_down(a, b, n, s)   cudaMemcpyAsync((a), (b), (n), cudaMemcpyDeviceToHost, (s))
#define gpu_copy_within(a, b, n, s) cudaMemcpyAsync((a), (b), (n), cudaMemcpyDeviceToDevice, (s))
#define gpu_stream_create(s)        cudaStreamCreateWithFlags((s), cudaStreamNonBlocking)
#define gpu_stream_destroy          cudaStreamDestroy
#define gpu_stream_sync             cudaStreamSynchronize
#define gpu_event_create            cudaEventCreate
#define gpu_event_destroy           cudaEventDestroy
#define gpu_event_record            cudaEventRecord
#define gpu_event_sync              cudaEventSynchronize
#define gpu_event_elapsed_ms        cudaEventElapsedTime
#define gpu_capture_begin(s)        cudaStreamBeginCapture((s), cudaStreamCaptureModeThreadLocal)
#define gpu_capture_end             cudaStreamEndCapture
#define gpu_graph_make(e, g)        cudaGraphInstantiate((e), (g), 0)
#define gpu_graph_launch            cudaGraphLaunch
#define gpu_graph_destroy           cudaGraphDestroy
#define gpu_graph_exec_destroy      cudaGraphExecDestroy

enum { GPU_LANES = 32 };

#endif

/* Loads of what is read once: kept out of the way of what is read again. */
#if defined(__HIPCC__)
typedef unsigned int gpu_vector4 __attribute__((ext_vector_type(4)));
typedef unsigned int gpu_vector2 __attribute__((ext_vector_type(2)));
__device__ static inline uint4 gpu_stream_load16(const void *p)
{
    gpu_vector4 v = __builtin_nontemporal_load((const gpu_vector4 *)p);
    return make_uint4(v.x, v.y, v.z, v.w);
}
__device__ static inline uint2 gpu_stream_load8(const void *p)
{
    gpu_vector2 v = __builtin_nontemporal_load((const gpu_vector2 *)p);
    return make_uint2(v.x, v.y);
}
__device__ static inline unsigned gpu_stream_load4(const void *p)
{
    return __builtin_nontemporal_load((const unsigned *)p);
}
#else
__device__ static inline uint4 gpu_stream_load16(const void *p)
{
    return __ldcs((const uint4 *)p);
}
__device__ static inline uint2 gpu_stream_load8(const void *p)
{
    return __ldcs((const uint2 *)p);
}
__device__ static inline unsigned gpu_stream_load4(const void *p)
{
    return __ldcs((const unsigned *)p);
}
#endif

/* Over the threads that move together; all of them must call. The result is in every thread. */
#if defined(__HIPCC__)
__device__ static inline unsigned gpu_lanes_sum(unsigned v)
{
    for (int d = warpSize / 2; d > 0; d /= 2) {
        v += (unsigned)__shfl_xor((int)v, d);
    }
    return v;
}
__device__ static inline unsigned gpu_lanes_max(unsigned v)
{
    for (int d = warpSize / 2; d > 0; d /= 2) {
        unsigned other = (unsigned)__shfl_xor((int)v, d);
        v = other > v ? other : v;
    }
    return v;
}
__device__ static inline int gpu_lanes_any(int v)
{
    return __any(v);
}
/* The value of the thread before this one (of thread 0: its own), of thread `lane`. */
__device__ static inline long long gpu_lanes_before(long long v)
{
    return __shfl_up(v, 1);
}
__device__ static inline long long gpu_lanes_from(long long v, int lane)
{
    return __shfl(v, lane);
}
#else
__device__ static inline unsigned gpu_lanes_sum(unsigned v)
{
    return __reduce_add_sync(0xffffffffu, v);
}
__device__ static inline unsigned gpu_lanes_max(unsigned v)
{
    return __reduce_max_sync(0xffffffffu, v);
}
__device__ static inline int gpu_lanes_any(int v)
{
    return __any_sync(0xffffffffu, v);
}
__device__ static inline long long gpu_lanes_before(long long v)
{
    return __shfl_up_sync(0xffffffffu, v, 1);
}
__device__ static inline long long gpu_lanes_from(long long v, int lane)
{
    return __shfl_sync(0xffffffffu, v, lane);
}
#endif

#endif
