/* hip_runtime.h - the part of HIP that naik uses, for wave64: device code as C++ of the host
 *
 * A thread of a kernel is a fiber; waves.cpp says what makes one wait. Memory order is the host's,
 * which is stronger than a GPU's: tools/memory_order.py looks at that.
 */
#ifndef WAVE64_HIP_RUNTIME_H
#define WAVE64_HIP_RUNTIME_H

#define HIP_VERSION_MAJOR 6

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

/* ---- the language */

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__    __attribute__((noinline))
#define __launch_bounds__(...)
/* Found between __start_wave64_shared and __stop_wave64_shared. */
#define __shared__ static __attribute__((section("wave64_shared")))
enum { WAVE64_DYNAMIC = 64 << 10 };
extern char wave64_dynamic_shared[WAVE64_DYNAMIC] __attribute__((aligned(16)));

struct uint2 {
    unsigned x, y;
} __attribute__((aligned(8)));
struct uint4 {
    unsigned x, y, z, w;
} __attribute__((aligned(16)));
struct float2 {
    float x, y;
} __attribute__((aligned(8)));
struct float4 {
    float x, y, z, w;
} __attribute__((aligned(16)));
struct double2 {
    double x, y;
} __attribute__((aligned(16)));
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
};
static inline uint2 make_uint2(unsigned x, unsigned y)
{
    return {x, y};
}
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return {x, y, z, w};
}
static inline float2 make_float2(float x, float y)
{
    return {x, y};
}
static inline float4 make_float4(float x, float y, float z, float w)
{
    return {x, y, z, w};
}
static inline double2 make_double2(double x, double y)
{
    return {x, y};
}

/* ---- what a thread is, and what it waits for */

enum { warpSize = 64 };
struct wave64_place {
    dim3 thread, block, block_dim, grid_dim;
};
extern const wave64_place *wave64_here;
#define threadIdx (wave64_here->thread)
#define blockIdx  (wave64_here->block)
#define blockDim  (wave64_here->block_dim)
#define gridDim   (wave64_here->grid_dim)

/* Code must not be moved over these, nor copied. */
#define WAVE64_MEETING __attribute__((convergent, noduplicate, noinline))
typedef enum wave64_kind { WAVE64_FROM, WAVE64_XOR, WAVE64_FENCE } wave64_kind;
void wave64_barrier() WAVE64_MEETING;
uint64_t wave64_meet(wave64_kind kind, uint64_t mine, int lane) WAVE64_MEETING;
void wave64_pause(); /* lets other waves, and other processes, go on */
unsigned long long wave64_clock();

#define __syncthreads()                        wave64_barrier()
#define __builtin_amdgcn_wave_barrier()        ((void)wave64_meet(WAVE64_FENCE, 0, 0))
#define __builtin_amdgcn_fence(order, scope)   __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __builtin_amdgcn_s_memrealtime()       wave64_clock()
#define __builtin_amdgcn_s_sleep(n)            wave64_pause()
#define __HIP_MEMORY_SCOPE_AGENT               4
#define __HIP_MEMORY_SCOPE_SYSTEM              5
#define __hip_atomic_load(p, order, scope)     __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define __hip_atomic_store(p, v, order, scope) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)

static inline int __shfl_xor(int v, int distance)
{
    return (int)(unsigned)wave64_meet(WAVE64_XOR, (unsigned)v, distance);
}
static inline float __shfl_xor(float v, int distance)
{
    int bits;
    memcpy(&bits, &v, sizeof bits);
    bits = __shfl_xor(bits, distance);
    memcpy(&v, &bits, sizeof v);
    return v;
}
static inline long long __shfl(long long v, int lane)
{
    return (long long)wave64_meet(WAVE64_FROM, (uint64_t)v, lane);
}
template <class T> static inline T atomicAdd(T *p, T v)
{
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);
}
template <class T> static inline T atomicMax(T *p, T v)
{
    T old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
    while (old < v &&
           !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return old;
}
template <class T> static inline T atomicMin(T *p, T v)
{
    T old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
    while (v < old &&
           !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return old;
}
static inline unsigned atomicInc(unsigned *p, unsigned last)
{
    const unsigned old = *p; /* of this device, whose blocks take turns */
    *p = old >= last ? 0 : old + 1;
    return old;
}

/* ---- arithmetic */

template <class To, class From> static inline To wave64_bits(From from)
{
    To to;
    static_assert(sizeof to == sizeof from, "of one size");
    memcpy(&to, &from, sizeof to);
    return to;
}
#define __uint_as_float(u)      wave64_bits<float, unsigned>(u)
#define __float_as_uint(f)      wave64_bits<unsigned, float>(f)
#define __double_as_longlong(d) wave64_bits<long long, double>(d)
#define __longlong_as_double(l) wave64_bits<double, long long>(l)
#define __double2loint(d)       ((int)wave64_bits<uint64_t, double>(d))
#define __double2hiint(d)       ((int)(wave64_bits<uint64_t, double>(d) >> 32))
#define __float_as_int(f)       wave64_bits<int, float>(f)
#define __int_as_float(i)       wave64_bits<float, int>(i)
using std::fma;
static inline double __hiloint2double(int high, int low)
{
    return wave64_bits<double>((uint64_t)(unsigned)high << 32 | (unsigned)low);
}
static inline long long __double2ll_rn(double d)
{
    return llrint(d);
}
static inline int __float2int_rn(float f)
{
    return (int)rintf(f);
}
static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((uint64_t)a * b >> 32);
}
static inline int __clz(int v)
{
    return v == 0 ? 32 : __builtin_clz((unsigned)v);
}
static inline float __fdividef(float a, float b)
{
    return a / b;
}
static inline float __builtin_amdgcn_rcpf(float x)
{
    return 1.0f / x;
}
static inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    const uint64_t all = (uint64_t)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        result |= (unsigned)(all >> 8 * (selector >> 4 * i & 7) & 0xff) << 8 * i;
    }
    return result;
}

/* ---- the host's side: runtime.cpp */

typedef enum hipError_t {
    hipSuccess = 0,
    hipErrorInvalidValue = 1,
    hipErrorOutOfMemory = 2,
    hipErrorInvalidConfiguration = 9,
    hipErrorStreamCaptureUnsupported = 900
} hipError_t;
typedef enum hipMemoryType {
    hipMemoryTypeUnregistered,
    hipMemoryTypeHost,
    hipMemoryTypeDevice
} hipMemoryType;
typedef enum hipMemcpyKind {
    hipMemcpyHostToDevice,
    hipMemcpyDeviceToHost,
    hipMemcpyDefault
} hipMemcpyKind;
enum {
    hipHostMallocDefault = 0,
    hipHostMallocMapped = 2,
    hipStreamNonBlocking = 1,
    hipDeviceMallocFinegrained = 1,
    hipEventDisableTiming = 2,
    hipStreamCaptureModeThreadLocal = 1,
    hipIpcMemLazyEnablePeerAccess = 1
};
typedef struct wave64_stream *hipStream_t;
typedef struct wave64_event *hipEvent_t;
typedef struct wave64_graph *hipGraph_t;
typedef struct wave64_graph *hipGraphExec_t;
typedef struct hipPointerAttribute_t {
    int type, device;
} hipPointerAttribute_t;
typedef struct hipDeviceProp_t {
    char name[256];
    int warpSize, multiProcessorCount, l2CacheSize;
    size_t totalGlobalMem;
} hipDeviceProp_t;
typedef struct hipIpcMemHandle_t {
    char reserved[64];
} hipIpcMemHandle_t;

const char *hipGetErrorString(hipError_t error);
hipError_t hipGetLastError();
hipError_t hipGetDeviceCount(int *count);
hipError_t hipSetDevice(int device);
hipError_t hipGetDevice(int *device);
hipError_t hipGetDeviceProperties(hipDeviceProp_t *out, int device);
hipError_t hipDeviceGetPCIBusId(char *text, int size, int device);
hipError_t hipMemGetInfo(size_t *left, size_t *total);
hipError_t hipDriverGetVersion(int *version);
hipError_t wave64_malloc(void **out, size_t size);
template <class T> static inline hipError_t hipMalloc(T **out, size_t size)
{
    return wave64_malloc((void **)out, size);
}
hipError_t hipExtMallocWithFlags(void **out, size_t size, unsigned flags);
hipError_t hipFree(void *memory);
hipError_t hipHostMalloc(void **out, size_t size, unsigned flags = 0);
hipError_t hipHostFree(void *memory);
hipError_t hipHostGetDevicePointer(void **out, void *memory, unsigned flags);
hipError_t hipPointerGetAttributes(hipPointerAttribute_t *out, const void *memory);
hipError_t hipMemsetAsync(void *to, int value, size_t size, hipStream_t stream);
hipError_t hipMemcpyAsync(void *to, const void *from, size_t size, hipMemcpyKind kind,
                          hipStream_t stream);
hipError_t hipMemcpy(void *to, const void *from, size_t size, hipMemcpyKind kind);
hipError_t hipStreamCreateWithFlags(hipStream_t *out, unsigned flags);
hipError_t hipStreamCreateWithPriority(hipStream_t *out, unsigned flags, int priority);
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *most);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipDeviceSynchronize(void);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags);
hipError_t hipEventCreateWithFlags(hipEvent_t *out, unsigned flags);
static inline hipError_t hipEventCreate(hipEvent_t *out)
{
    return hipEventCreateWithFlags(out, 0);
}
hipError_t hipEventDestroy(hipEvent_t event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float *ms, hipEvent_t from, hipEvent_t to);
hipError_t hipStreamBeginCapture(hipStream_t stream, int mode);
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *out);
hipError_t hipGraphInstantiate(hipGraphExec_t *out, hipGraph_t graph, void *node, char *text,
                               size_t size);
hipError_t hipGraphLaunch(hipGraphExec_t graph, hipStream_t stream);
hipError_t hipGraphDestroy(hipGraph_t graph);
hipError_t wave64_graph_exec_destroy(hipGraphExec_t graph);
#define hipGraphExecDestroy wave64_graph_exec_destroy
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *out, void *memory);
hipError_t hipIpcOpenMemHandle(void **out, hipIpcMemHandle_t handle, unsigned flags);
hipError_t hipIpcCloseMemHandle(void *memory);

/* ---- kernel<<<grid, block, 0, stream>>>(...) becomes wave64_kernel("kernel", kernel, grid, block,
 * 0, stream)(...) (translate.py) */

void wave64_launch(const char *name, dim3 grid, dim3 block, hipStream_t stream,
                   std::function<void()> thread);

template <class... P> struct wave64_bound {
    const char *name;
    void (*kernel)(P...);
    dim3 grid, block;
    hipStream_t stream;
    void operator()(P... arguments) const
    {
        void (*const run)(P...) = kernel;
        wave64_launch(name, grid, block, stream, [=]() { run(arguments...); });
    }
};
template <class... P>
static inline wave64_bound<P...> wave64_kernel(const char *name, void (*kernel)(P...), dim3 grid,
                                               dim3 block, size_t shared, hipStream_t stream)
{
    block = shared <= WAVE64_DYNAMIC ? block : dim3(0); /* which is refused */
    return {name, kernel, grid, block, stream};
}

#endif
