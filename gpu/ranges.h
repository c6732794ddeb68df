/* ranges.h - named ranges in the vendor's profiler; apart from gpu.h, since what it includes takes
 * two seconds to compile
 *
 * AMD's need a library of their own: none there.
 */
#ifndef NAIK_GPU_RANGES_H
#define NAIK_GPU_RANGES_H

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
