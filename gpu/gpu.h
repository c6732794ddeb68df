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
#define gpu_success               hipSuccess
#define gpu_error_memory          hipErrorOutOfMemory
#define gpu_error_text            hipGetErrorString
#define gpu_last_error            hipGetLastError
#define gpu_device_count          hipGetDeviceCount
#define gpu_device_set            hipSetDevice
#define gpu_device_get            hipGetDevice
#define gpu_device_sync           hipDeviceSynchronize
#define gpu_device_properties     hipGetDeviceProperties
#define gpu_device_bus_id         hipDeviceGetPCIBusId
#define gpu_memory_info           hipMemGetInfo
#define gpu_driver_version        hipDriverGetVersion
#define gpu_malloc                hipMalloc
#define gpu_free                  hipFree
#define gpu_malloc_host(p, n)     hipHostMalloc((p), (n), hipHostMallocDefault)
#define gpu_free_host             hipHostFree
#define gpu_memset                hipMemsetAsync
#define gpu_copy_up(a, b, n, s)   hipMemcpyAsync((a), (b), (n), hipMemcpyHostToDevice, (s))
#define gpu_copy_down(a, b, n, s) hipMemcpyAsync((a), (b), (n), hipMemcpyDeviceToHost, (s))
#define gpu_copy_any(a, b, n, s)  hipMemcpyAsync((a), (b), (n), hipMemcpyDefault, (s))
#define gpu_stream_create(s)      hipStreamCreateWithFlags((s), hipStreamNonBlocking)
#define gpu_stream_destroy        hipStreamDestroy
#define gpu_stream_sync           hipStreamSynchronize
#define gpu_event_create          hipEventCreate
#define gpu_event_destroy         hipEventDestroy
#define gpu_event_record          hipEventRecord
#define gpu_event_sync            hipEventSynchronize
#define gpu_event_elapsed_ms      hipEventElapsedTime
#define gpu_capture_begin(s)      hipStreamBeginCapture((s), hipStreamCaptureModeThreadLocal)
#define gpu_capture_end           hipStreamEndCapture
#define gpu_graph_make(e, g)      hipGraphInstantiate((e), (g), NULL, NULL, 0)
#define gpu_graph_launch          hipGraphLaunch
#define gpu_graph_destroy         hipGraphDestroy
#define gpu_graph_exec_destroy    hipGraphExecDestroy
#define gpu_stream_wait(s, e)     hipStreamWaitEvent((s), (e), 0)
#define gpu_event_create_plain(e) hipEventCreateWithFlags((e), hipEventDisableTiming)
#define gpu_stream_range          hipDeviceGetStreamPriorityRange
#define gpu_stream_create_urgent(s, urgency)                                                       \
    hipStreamCreateWithPriority((s), hipStreamNonBlocking, (urgency))
typedef hipIpcMemHandle_t gpu_ipc_handle;
#define gpu_ipc_get        hipIpcGetMemHandle
#define gpu_ipc_open(p, h) hipIpcOpenMemHandle((p), (h), hipIpcMemLazyEnablePeerAccess)
#define gpu_ipc_close      hipIpcCloseMemHandle
/* Memory that other devices may write to while a kernel here reads it. */
#define gpu_malloc_open(p, n)   hipExtMallocWithFlags((p), (n), hipDeviceMallocFinegrained)
#define gpu_malloc_mapped(p, n) hipHostMalloc((p), (n), hipHostMallocMapped)
#define gpu_mapped_address      hipHostGetDevicePointer

#define GPU_HAS_TENSORS 0
enum {
    GPU_LANES = 64, /* threads that move together */
    /* Whether kernels of a graph follow each other more quickly than those launched one by one: on
     * AMD that depends on the release of ROCm, so it is measured. */
    GPU_GRAPHS_ARE_QUICK = 0,
    GPU_STREAM_PASSES_L1 = 1, /* gpu_stream_load leaves nothing in the first-level cache */
    /* Pairs of points to unroll: clang takes the loads of all that are unrolled to the front, and
     * runs out of registers. */
    GPU_UNROLLED_PAIRS = 1
};

#else

#include <cuda_runtime.h>

#define GPU_VENDOR_NAME           "CUDA"
typedef cudaError_t gpu_error;
typedef cudaStream_t gpu_stream;
typedef cudaEvent_t gpu_event;
typedef cudaGraph_t gpu_graph;
typedef cudaGraphExec_t gpu_graph_exec;
typedef cudaDeviceProp gpu_properties;
#define gpu_success               cudaSuccess
#define gpu_error_memory          cudaErrorMemoryAllocation
#define gpu_error_text            cudaGetErrorString
#define gpu_last_error            cudaGetLastError
#define gpu_device_count          cudaGetDeviceCount
#define gpu_device_set            cudaSetDevice
#define gpu_device_get            cudaGetDevice
#define gpu_device_sync           cudaDeviceSynchronize
#define gpu_device_properties     cudaGetDeviceProperties
#define gpu_device_bus_id         cudaDeviceGetPCIBusId
#define gpu_memory_info           cudaMemGetInfo
#define gpu_driver_version        cudaDriverGetVersion
#define gpu_malloc                cudaMalloc
#define gpu_free                  cudaFree
#define gpu_malloc_host(p, n)     cudaMallocHost((p), (n))
#define gpu_free_host             cudaFreeHost
#define gpu_memset                cudaMemsetAsync
#define gpu_copy_up(a, b, n, s)   cudaMemcpyAsync((a), (b), (n), cudaMemcpyHostToDevice, (s))
#define gpu_copy_down(a, b, n, s) cudaMemcpyAsync((a), (b), (n), cudaMemcpyDeviceToHost, (s))
#define gpu_copy_any(a, b, n, s)  cudaMemcpyAsync((a), (b), (n), cudaMemcpyDefault, (s))
#define gpu_stream_create(s)      cudaStreamCreateWithFlags((s), cudaStreamNonBlocking)
#define gpu_stream_destroy        cudaStreamDestroy
#define gpu_stream_sync           cudaStreamSynchronize
#define gpu_event_create          cudaEventCreate
#define gpu_event_destroy         cudaEventDestroy
#define gpu_event_record          cudaEventRecord
#define gpu_event_sync            cudaEventSynchronize
#define gpu_event_elapsed_ms      cudaEventElapsedTime
#define gpu_capture_begin(s)      cudaStreamBeginCapture((s), cudaStreamCaptureModeThreadLocal)
#define gpu_capture_end           cudaStreamEndCapture
#define gpu_graph_make(e, g)      cudaGraphInstantiate((e), (g), 0)
#define gpu_graph_launch          cudaGraphLaunch
#define gpu_graph_destroy         cudaGraphDestroy
#define gpu_graph_exec_destroy    cudaGraphExecDestroy
#define gpu_stream_wait(s, e)     cudaStreamWaitEvent((s), (e), 0)
#define gpu_event_create_plain(e) cudaEventCreateWithFlags((e), cudaEventDisableTiming)
#define gpu_stream_range          cudaDeviceGetStreamPriorityRange
#define gpu_stream_create_urgent(s, urgency)                                                       \
    cudaStreamCreateWithPriority((s), cudaStreamNonBlocking, (urgency))
typedef cudaIpcMemHandle_t gpu_ipc_handle;
#define gpu_ipc_get             cudaIpcGetMemHandle
#define gpu_ipc_open(p, h)      cudaIpcOpenMemHandle((p), (h), cudaIpcMemLazyEnablePeerAccess)
#define gpu_ipc_close           cudaIpcCloseMemHandle
#define gpu_malloc_open(p, n)   cudaMalloc((p), (n))
#define gpu_malloc_mapped(p, n) cudaHostAlloc((p), (n), cudaHostAllocMapped)
#define gpu_mapped_address      cudaHostGetDevicePointer

#define GPU_HAS_TENSORS 1 /* multigrid/tensor.cuh */
enum { GPU_LANES = 32, GPU_GRAPHS_ARE_QUICK = 1, GPU_STREAM_PASSES_L1 = 0, GPU_UNROLLED_PAIRS = 2 };

/* For sm_8x the compiler needs a few registers more than for sm_90. */
#if defined(GPU_SM_8X)
#define GPU_MORE_REGISTERS 1
#endif

#endif

#if !defined(GPU_MORE_REGISTERS)
#define GPU_MORE_REGISTERS 0
#endif

/* A function off the way: compiled once, not once a call. On AMD a call takes all registers. */
#if defined(__HIPCC__)
#define GPU_RARE inline
#else
#define GPU_RARE __noinline__
#endif

/* Whether p is memory of this type; and the device whose memory p is, or -1. Both leave an error, to be
 * cleared, where the run time does not know p. */
#if defined(__HIPCC__)
static inline bool gpu_pointer_is(const void *p, int type)
{
    hipPointerAttribute_t about;
#if HIP_VERSION_MAJOR >= 6
    return hipPointerGetAttributes(&about, p) == hipSuccess && (int)about.type == type;
#else
    return hipPointerGetAttributes(&about, p) == hipSuccess && (int)about.memoryType == type;
#endif
}
static inline int gpu_pointer_device(const void *p)
{
    hipPointerAttribute_t about;
    return gpu_pointer_is(p, hipMemoryTypeDevice) &&
                   hipPointerGetAttributes(&about, p) == hipSuccess
               ? about.device
               : -1;
}
enum { GPU_MEMORY_DEVICE = hipMemoryTypeDevice, GPU_MEMORY_PINNED = hipMemoryTypeHost };
#define gpu_copy_now(a, b, n) hipMemcpy((a), (b), (n), hipMemcpyDefault)
#else
static inline bool gpu_pointer_is(const void *p, int type)
{
    cudaPointerAttributes about;
    return cudaPointerGetAttributes(&about, p) == cudaSuccess && (int)about.type == type;
}
static inline int gpu_pointer_device(const void *p)
{
    cudaPointerAttributes about;
    return cudaPointerGetAttributes(&about, p) == cudaSuccess &&
                   (about.type == cudaMemoryTypeDevice || about.type == cudaMemoryTypeManaged)
               ? about.device
               : -1;
}
enum { GPU_MEMORY_DEVICE = cudaMemoryTypeDevice, GPU_MEMORY_PINNED = cudaMemoryTypeHost };
#define gpu_copy_now(a, b, n) cudaMemcpy((a), (b), (n), cudaMemcpyDefault)
#endif

/* The same number, which the compiler does not know to have been used before: what is made of it is
 * made once more, and takes no register meanwhile. */
#if GPU_MORE_REGISTERS && !defined(__HIPCC__)
__device__ static inline int gpu_again(int i)
{
    asm volatile("" : "+r"(i));
    return i;
}
#else
__device__ static inline int gpu_again(int i)
{
    return i;
}
#endif

/* A kernel launched behind another may, if `early`, begin when the blocks of that one have all
 * begun; until gpu_await_kernel it must touch nothing that earlier kernels write. Elsewhere than on
 * CUDA sm_90 and newer it begins when that one has ended. */
#if defined(__HIPCC__) || defined(GPU_SM_8X)
template <class... Parameters, class... Arguments>
static inline void gpu_launch_behind(void (*kernel)(Parameters...), bool, dim3 grid, dim3 block,
                                     gpu_stream stream, Arguments... arguments)
{
    kernel<<<grid, block, 0, stream>>>(Parameters(arguments)...);
}
__device__ static inline void gpu_await_kernel(void)
{
}
__device__ static inline void gpu_prefetch(const void *)
{
}
#else
template <class... Parameters, class... Arguments>
static inline void gpu_launch_behind(void (*kernel)(Parameters...), bool early, dim3 grid,
                                     dim3 block, gpu_stream stream, Arguments... arguments)
{
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = block;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    (void)cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}
/* From here on what earlier kernels wrote is there; the next kernel may begin. */
__device__ static inline void gpu_await_kernel(void)
{
    asm volatile("griddepcontrol.wait;" ::: "memory");
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
__device__ static inline void gpu_prefetch(const void *p)
{
    asm volatile("prefetch.global.L2 [%0];" : : "l"(p));
}
#endif

/* Named ranges in the vendor's profiler, for who asks before including this: NVIDIA's header takes
 * two seconds to compile. AMD's need a library of their own: none there. */
#if defined(GPU_WITH_RANGES)
#if !defined(__HIPCC__) && defined(__has_include)
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define GPU_RANGES 1
#endif
#endif
static inline void gpu_range_begin(const char *name)
{
#if defined(GPU_RANGES)
    (void)nvtxRangePushA(name);
#else
    (void)name;
#endif
}
static inline void gpu_range_end(void)
{
#if defined(GPU_RANGES)
    (void)nvtxRangePop();
#endif
}
#endif

/* 1/x, to the last bit or two. */
#if defined(__HIPCC__)
__device__ static inline float gpu_reciprocal(float x)
{
    return __builtin_amdgcn_rcpf(x);
}
#else
__device__ static inline float gpu_reciprocal(float x)
{
    return __fdividef(1.0f, x);
}
#endif

/* Where one of several allocations begins, `base` being another of them. AMD's compiler keeps a
 * distance from base: of a pointer chosen between two it would not know that it is global memory.
 * NVIDIA's needs fewer registers for the pointer. */
#if defined(__HIPCC__)
typedef int64_t gpu_place;
static const gpu_place GPU_NOWHERE = 1; /* no distance between allocations, multiples of 16 */
__device__ static inline gpu_place gpu_place_of(const char *base, const char *p)
{
    return p - base;
}
__device__ static inline const char *gpu_at(const char *base, gpu_place place, size_t offset)
{
    return base + (place + (int64_t)offset);
}
#else
typedef const char *gpu_place;
static const gpu_place GPU_NOWHERE = NULL;
__device__ static inline gpu_place gpu_place_of(const char *, const char *p)
{
    return p;
}
__device__ static inline const char *gpu_at(const char *, gpu_place place, size_t offset)
{
    return place + offset;
}
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

/* The same of links. Where a block's threads read them again for other rhs (`shared`) AMD's
 * first-level cache must keep them, which it does with no load of that kind. */
template <bool SHARED> __device__ static inline uint4 gpu_link_load16(const void *p)
{
    return GPU_STREAM_PASSES_L1 && SHARED ? *(const uint4 *)p : gpu_stream_load16(p);
}
template <bool SHARED> __device__ static inline uint2 gpu_link_load8(const void *p)
{
    return GPU_STREAM_PASSES_L1 && SHARED ? *(const uint2 *)p : gpu_stream_load8(p);
}
template <bool SHARED> __device__ static inline unsigned gpu_link_load4(const void *p)
{
    return GPU_STREAM_PASSES_L1 && SHARED ? *(const unsigned *)p : gpu_stream_load4(p);
}

/* Brings `bytes`, a multiple of 16, from p on into the second-level cache, where one instruction
 * does that. */
__device__ static inline void gpu_prefetch_all(const void *p, unsigned bytes)
{
#if defined(__HIPCC__) || defined(GPU_SM_8X)
    (void)p;
    (void)bytes;
#else
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" : : "l"(p), "r"(bytes));
#endif
}

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
/* What they wrote to shared memory is seen by all of them. */
__device__ static inline void gpu_lanes_sync(void)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
    __builtin_amdgcn_wave_barrier();
}
/* The value of thread `lane`. */
__device__ static inline long long gpu_lanes_from(long long v, int lane)
{
    return __shfl(v, lane);
}
/* The float of the thread whose number differs by the bit `distance`. */
#define gpu_lanes_swap(v, distance) __shfl_xor((v), (distance))
#else
__device__ static inline unsigned gpu_lanes_sum(unsigned v)
{
    return __reduce_add_sync(0xffffffffu, v);
}
__device__ static inline unsigned gpu_lanes_max(unsigned v)
{
    return __reduce_max_sync(0xffffffffu, v);
}
__device__ static inline void gpu_lanes_sync(void)
{
    __syncwarp();
}
__device__ static inline long long gpu_lanes_from(long long v, int lane)
{
    return __shfl_sync(0xffffffffu, v, lane);
}
#define gpu_lanes_swap(v, distance) __shfl_xor_sync(0xffffffffu, (v), (distance))
#endif

/* Counts from 0 to `last` and then from 0 again. Orders nothing: for loads whose values have been
 * used before. */
__device__ static inline unsigned gpu_draw_ticket(unsigned *ticket, unsigned last)
{
#if defined(__HIP_DEVICE_COMPILE__) /* headers of ROCm 5 name what newer compilers do not have */
    return __builtin_amdgcn_atomic_inc32(ticket, last, __ATOMIC_RELAXED, "agent");
#else
    return atomicInc(ticket, last);
#endif
}

#include "gpu/order.h"

#endif
