/* simd.h - vectors of LANES doubles (simd_d) and floats (simd_f), for the leaf kernels of the CPU
 *
 * A vector is as many registers as it takes: the kernels are written once, and compiled for
 * AVX-512, AVX2 and plain C (kernels_cpu.c). Every operation is the IEEE operation on each lane,
 * products and sums are fused only where it says so: all instruction sets give the same bits.
 */
#ifndef NAIK_SIMD_H
#define NAIK_SIMD_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

#if LANES == 16 && defined(NAIK_AVX512)
#include <immintrin.h>
typedef __m512d reg_d;
typedef __m512 reg_f;
#define D(operation) _mm512_##operation##_pd
#define F(operation) _mm512_##operation##_ps
#elif LANES == 16 && defined(NAIK_AVX2)
#include <immintrin.h>
typedef __m256d reg_d;
typedef __m256 reg_f;
#define D(operation) _mm256_##operation##_pd
#define F(operation) _mm256_##operation##_ps
#else
typedef double reg_d;
typedef float reg_f;
#define D(operation) plain_##operation##_d
#define F(operation) plain_##operation##_f
#define REAL         double
#define NAME(x)      plain_##x##_d
#define REAL_FMA     fma
#define REAL_SQRT    sqrt
#include "simd_plain.inc"
#define REAL      float
#define NAME(x)   plain_##x##_f
#define REAL_FMA  fmaf
#define REAL_SQRT sqrtf
#include "simd_plain.inc"
#endif

#define NAME(x) x##_d
#define REAL    double
#define REG     reg_d
#define OP      D
#include "simd_wide.inc"

#define NAME(x) x##_f
#define REAL    float
#define REG     reg_f
#define OP      F
#include "simd_wide.inc"

/* Lane k of the result is lane permutation[k] of v. */
INLINE simd_f permute_f(simd_f v, const int32_t *permutation)
{
    simd_f out;
#if LANES == 16 && defined(NAIK_AVX512)
    out.r[0] = _mm512_permutexvar_ps(_mm512_loadu_si512(permutation), v.r[0]);
#else
    float lane[LANES], moved[LANES];
    store_f(lane, v);
    for (int k = 0; k < LANES; k++) {
        moved[k] = lane[permutation[k]];
    }
    out = load_f(moved);
#endif
    return out;
}

INLINE simd_d permute_d(simd_d v, const int32_t *permutation)
{
    simd_d out;
#if LANES == 16 && defined(NAIK_AVX512)
    for (int i = 0; i < 2; i++) {
        const __m256i narrow = _mm256_loadu_si256((const __m256i *)(permutation + 8 * i));
        out.r[i] = _mm512_permutex2var_pd(v.r[0], _mm512_cvtepi32_epi64(narrow), v.r[1]);
    }
#else
    double lane[LANES], moved[LANES];
    store_d(lane, v);
    for (int k = 0; k < LANES; k++) {
        moved[k] = lane[permutation[k]];
    }
    out = load_d(moved);
#endif
    return out;
}

/* LANES integers of 16 bits as floats. */
INLINE simd_f load_i16(const int16_t *p)
{
    simd_f out;
#if LANES == 16 && defined(NAIK_AVX512)
    const __m256i narrow = _mm256_loadu_si256((const __m256i *)p);
    out.r[0] = _mm512_cvtepi32_ps(_mm512_cvtepi16_epi32(narrow));
#else
    float lane[LANES];
    for (int k = 0; k < LANES; k++) {
        lane[k] = p[k];
    }
    out = load_f(lane);
#endif
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
INLINE simd_f flip_f(simd_f v, simd_f bits)
{
    float lane[LANES], low[LANES];
    store_f(lane, v);
    store_f(low, bits);
    for (int k = 0; k < LANES; k++) {
        uint32_t a, b;
        memcpy(&a, &lane[k], sizeof a);
        memcpy(&b, &low[k], sizeof b);
        a ^= b << 31;
        memcpy(&lane[k], &a, sizeof a);
    }
    return load_f(lane);
}

INLINE simd_d flip_d(simd_d v, simd_d bits)
{
    double lane[LANES], low[LANES];
    store_d(lane, v);
    store_d(low, bits);
    for (int k = 0; k < LANES; k++) {
        uint64_t a, b;
        memcpy(&a, &lane[k], sizeof a);
        memcpy(&b, &low[k], sizeof b);
        a ^= b << 63;
        memcpy(&lane[k], &a, sizeof a);
    }
    return load_d(lane);
}

#undef D
#undef F

#endif
