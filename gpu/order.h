/* order.h - memory that another device or the host writes to meanwhile: in which order it is seen
 *
 * A part of gpu.h, which includes it.
 */
#ifndef NAIK_GPU_ORDER_H
#define NAIK_GPU_ORDER_H

/* Words that another device or the host writes meanwhile, and a clock to stop waiting by. What
 * is 8 bytes, and the 8-byte halves of 16 bytes, arrive whole (halo/words.cuh lives on that).
 *
 * What the threads of several blocks have stored into another device's memory is to be seen there
 * by whoever sees a flag:
 *   every thread that has stored   gpu_release_stores, then a barrier of the block
 *   one thread of each block       gpu_release_block, then it counts its block
 *   that of the last block         gpu_release_flags, then gpu_store_flag
 *   there                          gpu_load_flag until it is raised, gpu_acquire_flag, a barrier,
 *                                  then plain loads by the whole block
 * On CUDA a barrier hands on what a fence of one thread orders. On AMD no wave waits for its stores
 * at a barrier (compilers since LLVM 16), so each must before; fences of all devices write back or
 * invalidate whole caches, so only the last block has one, and whoever looks at a flag has none
 * while he looks. GPU_MARK leaves a name at this place for tools/memory_order.py. */
#if defined(__HIP_DEVICE_COMPILE__)
#define GPU_MARK(name) asm volatile("naik_" name "_%=:" : : : "memory")
#else
#define GPU_MARK(name)
#endif
#if defined(__HIPCC__)
__device__ static inline void gpu_release_stores(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
}
__device__ static inline void gpu_release_block(void)
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
}
__device__ static inline void gpu_release_flags(void)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
#if defined(__HIP_DEVICE_COMPILE__) /* LLVM 19 waits for stores only, not for the writing back */
    asm volatile("s_waitcnt vmcnt(0)" : : : "memory");
#endif
}
__device__ static inline unsigned gpu_load_flag(const unsigned *p)
{
    return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
__device__ static inline void gpu_acquire_flag(void)
{
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "");
}
/* Between two looks: lets the other waves work. */
__device__ static inline void gpu_pause(void)
{
    __builtin_amdgcn_s_sleep(1);
}
__device__ static inline void gpu_store_flag(unsigned *p, unsigned value)
{
    __hip_atomic_store(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
__device__ static inline uint2 gpu_load_half(const void *p)
{
    const unsigned long long v = __hip_atomic_load((const unsigned long long *)p, __ATOMIC_RELAXED,
                                                   __HIP_MEMORY_SCOPE_SYSTEM);
    return make_uint2((unsigned)v, (unsigned)(v >> 32));
}
__device__ static inline void gpu_store_half(void *p, uint2 v)
{
    __hip_atomic_store((unsigned long long *)p, (unsigned long long)v.y << 32 | v.x,
                       __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
}
__device__ static inline uint4 gpu_load_halves(const void *p)
{
    const unsigned long long *from = (const unsigned long long *)p;
    unsigned long long a = __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    unsigned long long b = __hip_atomic_load(from + 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
    return make_uint4((unsigned)a, (unsigned)(a >> 32), (unsigned)b, (unsigned)(b >> 32));
}
__device__ static inline void gpu_store_halves(void *p, uint4 v)
{
    unsigned long long *to = (unsigned long long *)p;
    __hip_atomic_store(to, (unsigned long long)v.y << 32 | v.x, __ATOMIC_RELAXED,
                       __HIP_MEMORY_SCOPE_SYSTEM);
    __hip_atomic_store(to + 1, (unsigned long long)v.w << 32 | v.z, __ATOMIC_RELAXED,
                       __HIP_MEMORY_SCOPE_SYSTEM);
}
/* A word that other blocks add to meanwhile. */
__device__ static inline long long gpu_load_word(const long long *p)
{
    return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
__device__ static inline unsigned long long gpu_time_ns(void)
{
    return __builtin_amdgcn_s_memrealtime() * 10; /* counts at 100 MHz */
}
#else
__device__ static inline void gpu_release_stores(void)
{
}
__device__ static inline void gpu_release_block(void)
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}
__device__ static inline void gpu_release_flags(void)
{
    asm volatile("fence.acq_rel.sys;" ::: "memory");
}
__device__ static inline unsigned gpu_load_flag(const unsigned *p)
{
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ static inline void gpu_acquire_flag(void)
{
}
__device__ static inline void gpu_pause(void)
{
}
__device__ static inline void gpu_store_flag(unsigned *p, unsigned value)
{
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" : : "l"(p), "r"(value) : "memory");
}
__device__ static inline uint2 gpu_load_half(const void *p)
{
    unsigned long long v;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
    return make_uint2((unsigned)v, (unsigned)(v >> 32));
}
__device__ static inline void gpu_store_half(void *p, uint2 v)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;"
                 :
                 : "l"(p), "l"((unsigned long long)v.y << 32 | v.x)
                 : "memory");
}
__device__ static inline uint4 gpu_load_halves(const void *p)
{
    uint4 v;
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}
__device__ static inline void gpu_store_halves(void *p, uint4 v)
{
    asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                 : "memory");
}
__device__ static inline long long gpu_load_word(const long long *p)
{
    return *(const volatile long long *)p;
}
__device__ static inline unsigned long long gpu_time_ns(void)
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#endif

/* In a build for tests (GPU_FLAGS=-DNAIK_TEST_DELAYS): one warp in eight waits here for up to 30 us.
 * Stands where what is done next must not depend on how long it takes to come: between what is
 * stored and its flag, between a flag and what is read. */
__device__ static inline void gpu_dawdle(void)
{
#if defined(NAIK_TEST_DELAYS)
    const unsigned long long begin = gpu_time_ns();
    const unsigned warp =
        (blockIdx.x * 31 + blockIdx.y * 17 + threadIdx.y * 7 + threadIdx.x / GPU_LANES);
    const unsigned dice = ((unsigned)(begin >> 5) ^ warp * 2654435761u) * 2246822519u;
    while (dice >> 29 == 0 && gpu_time_ns() - begin < (dice >> 14 & 0x7fff)) {
        gpu_pause();
    }
#endif
}

#endif
