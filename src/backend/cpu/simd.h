/* simd.h - vectors of LANES doubles (simd_d) and floats (simd_f), for the leaf kernels of the CPU
 *
 * A vector is as many registers as it takes, and a kernel that holds many numbers treats one
 * register of each after the other: the kernels are written once, and compiled for AVX-512, AVX2
 * and plain C (backend/cpu/kernels.c), where a register is a whole vector. Every operation is the IEEE
 * operation on each lane, products and sums are fused only where it says so: all instruction sets
 * give the same bits.
 */
#ifndef NAIK_BACKEND_CPU_SIMD_H
#define NAIK_BACKEND_CPU_SIMD_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
/* Parts of kernels: inlined, with their constants, where registers are the machine's; plain C would
 * take a compiler minutes. */
#if LANES == 1 || defined(NAIK_AVX512) || defined(NAIK_AVX2)
#define INLINE_PART INLINE
#define INLINE_ONE  INLINE
#else
#define INLINE_PART static __attribute__((noinline))
/* the same, and one of it for all constants */
#if defined(__GNUC__) && !defined(__clang__)
#define INLINE_ONE static __attribute__((noinline, noclone))
#else
#define INLINE_ONE INLINE_PART
#endif
#endif

/* Before a loop of so many turns over numbers that are to stay in registers. */
#if defined(__GNUC__) && !defined(__clang__)
#define UNROLL(turns) UNROLL_TEXT(GCC unroll turns)
#else
#define UNROLL(turns) UNROLL_TEXT(unroll turns)
#endif
#define UNROLL_TEXT(text) _Pragma(#text)

/* Registers, and the operations on them: REG_D(add)(a, b). */
#if LANES == 16 && defined(NAIK_AVX512)
#include <immintrin.h>
enum { REGISTERS = 32 };
typedef __m512d reg_d;
typedef __m512 reg_f;
#define REG_D(operation) _mm512_##operation##_pd
#define REG_F(operation) _mm512_##operation##_ps
#elif LANES == 16 && defined(NAIK_AVX2)
#include <immintrin.h>
enum { REGISTERS = 16 };
typedef __m256d reg_d;
typedef __m256 reg_f;
#define REG_D(operation) _mm256_##operation##_pd
#define REG_F(operation) _mm256_##operation##_ps
#else
enum { REGISTERS = 1 }; /* arrays, whatever becomes of them */
#define REG_D(operation) plain_##operation##_d
#define REG_F(operation) plain_##operation##_f
#define REAL             double
#define BITS             uint64_t
#define NAME(x)          x##_d
#define REAL_FMA         fma
#define REAL_SQRT        sqrt
#include "backend/cpu/simd_plain.inc"
#define REAL      float
#define BITS      uint32_t
#define NAME(x)   x##_f
#define REAL_FMA  fmaf
#define REAL_SQRT sqrtf
#include "backend/cpu/simd_plain.inc"
#endif

/* Whether the number is below the limit in every lane; not where one is NaN. */
INLINE bool reg_all_below_d(reg_d size, double limit)
{
#if LANES == 16 && defined(NAIK_AVX512)
    return _mm512_cmp_pd_mask(size, _mm512_set1_pd(limit), _CMP_LT_OQ) == 0xff;
#elif LANES == 16 && defined(NAIK_AVX2)
    return _mm256_movemask_pd(_mm256_cmp_pd(size, _mm256_set1_pd(limit), _CMP_LT_OQ)) == 0xf;
#else
    return plain_all_below_d(size, limit);
#endif
}
INLINE bool reg_all_below_f(reg_f size, float limit)
{
#if LANES == 16 && defined(NAIK_AVX512)
    return _mm512_cmp_ps_mask(size, _mm512_set1_ps(limit), _CMP_LT_OQ) == 0xffff;
#elif LANES == 16 && defined(NAIK_AVX2)
    return _mm256_movemask_ps(_mm256_cmp_ps(size, _mm256_set1_ps(limit), _CMP_LT_OQ)) == 0xff;
#else
    return plain_all_below_f(size, limit);
#endif
}

#define NAME(x) x##_d
#define REAL    double
#define REG     reg_d
#define OP      REG_D
#include "backend/cpu/simd_wide.inc"

#define NAME(x) x##_f
#define REAL    float
#define REG     reg_f
#define OP      REG_F
#include "backend/cpu/simd_wide.inc"

/* The number as it is, in a register: a compiler would rather load it again for every use. */
INLINE reg_f held_f(reg_f a)
{
#if LANES == 16 && (defined(NAIK_AVX512) || defined(NAIK_AVX2))
    __asm__("" : "+v"(a));
#endif
    return a;
}
INLINE reg_d held_d(reg_d a)
{
#if LANES == 16 && (defined(NAIK_AVX512) || defined(NAIK_AVX2))
    __asm__("" : "+v"(a));
#endif
    return a;
}

/* The same address; a compiler does not know what was read there before. */
INLINE const void *anew(const void *p)
{
#if LANES == 16 && (defined(NAIK_AVX512) || defined(NAIK_AVX2))
    __asm__ volatile("" : "+r"(p));
#endif
    return p;
}

/* Register i of a vector in memory whose lane k is to be lane from[k] of it: lanes that move
 * together to another sub-lattice (cpu.h), so that those of a register come from two registers at
 * most, the first lane's and the last lane's. fours: four from a multiple of four on come from four
 * such, as they nearly always do, which takes half as long where registers are short. */
INLINE reg_f permuted_f(const float *v, const int32_t *from, bool fours, int i)
{
#if LANES == 16 && defined(NAIK_AVX512)
    (void)fours;
    (void)i;
    return _mm512_permutexvar_ps(_mm512_loadu_si512(from), _mm512_loadu_ps(v));
#elif LANES == 16 && defined(NAIK_AVX2)
    const __m256i lane = _mm256_loadu_si256((const __m256i *)(from + 8 * i));
    if (fours) {
        const __m128 low = _mm_loadu_ps(v + (from[8 * i] & ~3));
        const __m128 high = _mm_loadu_ps(v + (from[8 * i + 4] & ~3));
        return _mm256_permutevar_ps(_mm256_set_m128(high, low), lane);
    }
    return _mm256_blendv_ps(_mm256_permutevar8x32_ps(_mm256_loadu_ps(v), lane),
                            _mm256_permutevar8x32_ps(_mm256_loadu_ps(v + 8), lane),
                            _mm256_castsi256_ps(_mm256_slli_epi32(lane, 28)));
#else
    reg_f out;
    (void)fours;
    for (int k = 0; k < LANES; k++) {
        out.x[k] = v[from[i * LANES + k]];
    }
    return out;
#endif
}

INLINE reg_d permuted_d(const double *v, const int32_t *from, bool fours, int i)
{
#if LANES == 16 && defined(NAIK_AVX512)
    (void)fours;
    const __m256i lane = _mm256_loadu_si256((const __m256i *)(from + 8 * i));
    return _mm512_permutex2var_pd(_mm512_loadu_pd(v), _mm512_cvtepi32_epi64(lane),
                                  _mm512_loadu_pd(v + 8));
#elif LANES == 16 && defined(NAIK_AVX2)
    const int32_t *lane = from + 4 * i;
    const int first = lane[0] / 4, last = lane[3] / 4;
    const __m256i wide = _mm256_cvtepi32_epi64(_mm_loadu_si128((const __m128i *)lane));
    const __m256i half = _mm256_slli_epi64(wide, 1); /* two numbers of 32 bits a lane */
    const __m256i halves =
        _mm256_or_si256(half, _mm256_slli_epi64(_mm256_or_si256(half, _mm256_set1_epi64x(1)), 32));
    const __m256 a = _mm256_castpd_ps(_mm256_loadu_pd(v + 4 * first));
    const __m256d of_first = _mm256_castps_pd(_mm256_permutevar8x32_ps(a, halves));
    if (fours) {
        return of_first;
    }
    const __m256i in_last =
        _mm256_cmpeq_epi64(_mm256_srli_epi64(wide, 2), _mm256_set1_epi64x(last));
    const __m256 b = _mm256_castpd_ps(_mm256_loadu_pd(v + 4 * last));
    return _mm256_blendv_pd(of_first, _mm256_castps_pd(_mm256_permutevar8x32_ps(b, halves)),
                            _mm256_castsi256_pd(in_last));
#else
    reg_d out;
    (void)fours;
    for (int k = 0; k < LANES; k++) {
        out.x[k] = v[from[i * LANES + k]];
    }
    return out;
#endif
}

/* A register of integers of 16 bits as floats. */
INLINE reg_f reg_load_i16(const int16_t *p)
{
#if LANES == 16 && defined(NAIK_AVX512)
    return _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)p)));
#elif LANES == 16 && defined(NAIK_AVX2)
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)p)));
#else
    reg_f out;
    for (int k = 0; k < LANES; k++) {
        out.x[k] = p[k];
    }
    return out;
#endif
}

/* A register of floats that are integers of 16 bits. */
INLINE void reg_store_i16(int16_t *p, reg_f a)
{
#if LANES == 16 && defined(NAIK_AVX512)
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtsepi32_epi16(_mm512_cvtps_epi32(a)));
#elif LANES == 16 && defined(NAIK_AVX2)
    const __m256i wide = _mm256_cvtps_epi32(a);
    _mm_storeu_si128((__m128i *)p, _mm_packs_epi32(_mm256_castsi256_si128(wide),
                                                   _mm256_extracti128_si256(wide, 1)));
#else
    for (int k = 0; k < LANES; k++) {
        p[k] = (int16_t)a.x[k];
    }
#endif
}

INLINE void store_i16(int16_t *p, simd_f a)
{
    for (int i = 0; i < REGS_f; i++) {
        reg_store_i16(p + i * WIDTH_f, a.r[i]);
    }
}

INLINE simd_f load_i16(const int16_t *p)
{
    simd_f out;
    for (int i = 0; i < REGS_f; i++) {
        out.r[i] = reg_load_i16(p + i * WIDTH_f);
    }
    return out;
}

INLINE simd_d double_of_f(simd_f v)
{
    simd_d out;
#if LANES == 16 && defined(NAIK_AVX512)
    out.r[0] = _mm512_cvtps_pd(_mm512_castps512_ps256(v.r[0]));
    out.r[1] = _mm512_cvtps_pd(_mm512_extractf32x8_ps(v.r[0], 1));
#else
    float lane[LANES];
    double wide[LANES];
    store_f(lane, v);
    for (int k = 0; k < LANES; k++) {
        wide[k] = lane[k];
    }
    out = load_d(wide);
#endif
    return out;
}

INLINE simd_d double_of_d(simd_d v)
{
    return v;
}

INLINE simd_f float_of_double(simd_d v)
{
    simd_f out;
#if LANES == 16 && defined(NAIK_AVX512)
    out.r[0] = _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(v.r[0])),
                                  _mm512_cvtpd_ps(v.r[1]), 1);
#else
    float lane[LANES];
    double wide[LANES];
    store_d(wide, v);
    for (int k = 0; k < LANES; k++) {
        lane[k] = (float)wide[k];
    }
    out = load_f(lane);
#endif
    return out;
}

/* v with its sign changed where the lowest bit of `bits` is set. */
INLINE reg_f reg_flip_f(reg_f v, reg_f bits)
{
#if LANES == 16 && defined(NAIK_AVX512)
    return _mm512_xor_ps(v, _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(bits), 31)));
#elif LANES == 16 && defined(NAIK_AVX2)
    return _mm256_xor_ps(v, _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_castps_si256(bits), 31)));
#else
    return plain_flip_f(v, bits);
#endif
}

INLINE reg_d reg_flip_d(reg_d v, reg_d bits)
{
#if LANES == 16 && defined(NAIK_AVX512)
    return _mm512_xor_pd(v, _mm512_castsi512_pd(_mm512_slli_epi64(_mm512_castpd_si512(bits), 63)));
#elif LANES == 16 && defined(NAIK_AVX2)
    return _mm256_xor_pd(v, _mm256_castsi256_pd(_mm256_slli_epi64(_mm256_castpd_si256(bits), 63)));
#else
    return plain_flip_d(v, bits);
#endif
}

/* Non-temporal stores, to a multiple of the size of a register: a line that is wholly written is
 * then not read first, nor fetched out of the caches of another processor that had it. */
INLINE void stream_f(float *p, simd_f a)
{
#if LANES == 16 && (defined(NAIK_AVX512) || defined(NAIK_AVX2))
    for (int i = 0; i < REGS_f; i++) {
        REG_F(stream)(p + i * WIDTH_f, a.r[i]);
    }
#else
    store_f(p, a);
#endif
}

INLINE void stream_d(double *p, simd_d a)
{
#if LANES == 16 && (defined(NAIK_AVX512) || defined(NAIK_AVX2))
    for (int i = 0; i < REGS_d; i++) {
        REG_D(stream)(p + i * WIDTH_d, a.r[i]);
    }
#else
    store_d(p, a);
#endif
}

/* What was streamed before is seen by others before what is stored after. */
INLINE void stream_end(void)
{
#if LANES == 16 && (defined(NAIK_AVX512) || defined(NAIK_AVX2))
    _mm_sfence();
#endif
}

/* Asks for part `part` of `parts` of the lines of memory from p, which will be read soon. A
 * processor drops what it is asked for while its few misses under way are taken, so ask for a line
 * now and then. */
INLINE void prefetch(const void *p, size_t size_bytes, size_t part, size_t parts)
{
    const size_t lines = (size_bytes + 63) / 64;
    for (size_t i = lines * part / parts; i < lines * (part + 1) / parts; i++) {
        __builtin_prefetch((const char *)p + 64 * i, 0, 2);
    }
}

#endif
