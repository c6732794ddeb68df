/* immintrin.h - the AVX-512 operations of src/backend/cpu/simd.h, each made of two of AVX2
 *
 * In the place of the compiler's own header, which it includes: so .ci/run tests the kernels for
 * AVX-512 on a machine that lacks it. An operation that simd.h comes to use is to be added here.
 */
#ifndef NAIK_TESTS_IMMINTRIN_H
#define NAIK_TESTS_IMMINTRIN_H

#include_next <immintrin.h>
#include <stdint.h>

typedef struct two_d {
    __m256d half[2];
} two_d;
typedef struct two_f {
    __m256 half[2];
} two_f;
typedef struct two_i {
    __m256i half[2];
} two_i;
#define TWO static inline __attribute__((always_inline))

#define TWO_ARITHMETIC(T, R, suffix)                                                               \
    TWO T two_loadu_##suffix(const void *p)                                                        \
    {                                                                                              \
        const R *at = (const R *)p;                                                                \
        return (T){{_mm256_loadu_##suffix(at), _mm256_loadu_##suffix(at + 32 / sizeof(R))}};       \
    }                                                                                              \
    TWO void two_storeu_##suffix(R *p, T a)                                                        \
    {                                                                                              \
        _mm256_storeu_##suffix(p, a.half[0]);                                                      \
        _mm256_storeu_##suffix(p + 32 / sizeof(R), a.half[1]);                                     \
    }                                                                                              \
    TWO void two_stream_##suffix(R *p, T a)                                                        \
    {                                                                                              \
        _mm256_stream_##suffix(p, a.half[0]);                                                      \
        _mm256_stream_##suffix(p + 32 / sizeof(R), a.half[1]);                                     \
    }                                                                                              \
    TWO T two_set1_##suffix(R x)                                                                   \
    {                                                                                              \
        return (T){{_mm256_set1_##suffix(x), _mm256_set1_##suffix(x)}};                            \
    }                                                                                              \
    TWO T two_sqrt_##suffix(T a)                                                                   \
    {                                                                                              \
        return (T){{_mm256_sqrt_##suffix(a.half[0]), _mm256_sqrt_##suffix(a.half[1])}};            \
    }                                                                                              \
    TWO_BINARY(add, T, suffix)                                                                     \
    TWO_BINARY(sub, T, suffix)                                                                     \
    TWO_BINARY(mul, T, suffix)                                                                     \
    TWO_BINARY(div, T, suffix)                                                                     \
    TWO_BINARY(max, T, suffix)                                                                     \
    TWO_TERNARY(fmadd, T, suffix)                                                                  \
    TWO_TERNARY(fnmadd, T, suffix)
#define TWO_BINARY(name, T, suffix)                                                                \
    TWO T two_##name##_##suffix(T a, T b)                                                          \
    {                                                                                              \
        return (T){{_mm256_##name##_##suffix(a.half[0], b.half[0]),                                \
                    _mm256_##name##_##suffix(a.half[1], b.half[1])}};                              \
    }
#define TWO_TERNARY(name, T, suffix)                                                               \
    TWO T two_##name##_##suffix(T a, T b, T c)                                                     \
    {                                                                                              \
        return (T){{_mm256_##name##_##suffix(a.half[0], b.half[0], c.half[0]),                     \
                    _mm256_##name##_##suffix(a.half[1], b.half[1], c.half[1])}};                   \
    }
TWO_ARITHMETIC(two_d, double, pd)
TWO_ARITHMETIC(two_f, float, ps)

/* Lanes that move: index into the 16, or into the 8 of a and then the 8 of b. */
TWO two_i two_loadu_si512(const void *p)
{
    const __m256i *at = (const __m256i *)p;
    return (two_i){{_mm256_loadu_si256(at), _mm256_loadu_si256(at + 1)}};
}
TWO two_i two_cvtepi32_epi64(__m256i a)
{
    return (two_i){{_mm256_cvtepi32_epi64(_mm256_castsi256_si128(a)),
                    _mm256_cvtepi32_epi64(_mm256_extracti128_si256(a, 1))}};
}
TWO two_f two_permutexvar_ps(two_i index, two_f a)
{
    int32_t lane[16];
    float from[16], to[16];
    _mm256_storeu_si256((__m256i *)lane, index.half[0]);
    _mm256_storeu_si256((__m256i *)(lane + 8), index.half[1]);
    two_storeu_ps(from, a);
    for (int k = 0; k < 16; k++) {
        to[k] = from[lane[k] & 15];
    }
    return two_loadu_ps(to);
}
TWO two_d two_permutex2var_pd(two_d a, two_i index, two_d b)
{
    int64_t lane[8];
    double from[16], to[8];
    _mm256_storeu_si256((__m256i *)lane, index.half[0]);
    _mm256_storeu_si256((__m256i *)(lane + 4), index.half[1]);
    two_storeu_pd(from, a);
    two_storeu_pd(from + 8, b);
    for (int k = 0; k < 8; k++) {
        to[k] = from[lane[k] & 15];
    }
    return two_loadu_pd(to);
}

/* Conversions */
TWO two_i two_cvtepi16_epi32(__m256i a)
{
    return (two_i){{_mm256_cvtepi16_epi32(_mm256_castsi256_si128(a)),
                    _mm256_cvtepi16_epi32(_mm256_extracti128_si256(a, 1))}};
}
TWO two_f two_cvtepi32_ps(two_i a)
{
    return (two_f){{_mm256_cvtepi32_ps(a.half[0]), _mm256_cvtepi32_ps(a.half[1])}};
}
TWO two_d two_cvtps_pd(__m256 a)
{
    return (two_d){
        {_mm256_cvtps_pd(_mm256_castps256_ps128(a)), _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1))}};
}
TWO __m256 two_cvtpd_ps(two_d a)
{
    return _mm256_set_m128(_mm256_cvtpd_ps(a.half[1]), _mm256_cvtpd_ps(a.half[0]));
}
#define two_castps512_ps256(a)    ((a).half[0])
#define two_extractf32x8_ps(a, n) ((a).half[n])
#define two_castps256_ps512(a)    ((two_f){{(a), (a)}})
#define two_insertf32x8(a, b, n)  ((two_f){{(a).half[0], (b)}})

/* Bits */
TWO two_i two_castps_si512(two_f a)
{
    return (two_i){{_mm256_castps_si256(a.half[0]), _mm256_castps_si256(a.half[1])}};
}
TWO two_i two_castpd_si512(two_d a)
{
    return (two_i){{_mm256_castpd_si256(a.half[0]), _mm256_castpd_si256(a.half[1])}};
}
TWO two_f two_castsi512_ps(two_i a)
{
    return (two_f){{_mm256_castsi256_ps(a.half[0]), _mm256_castsi256_ps(a.half[1])}};
}
TWO two_d two_castsi512_pd(two_i a)
{
    return (two_d){{_mm256_castsi256_pd(a.half[0]), _mm256_castsi256_pd(a.half[1])}};
}
TWO two_i two_slli_epi32(two_i a, int n)
{
    return (two_i){{_mm256_slli_epi32(a.half[0], n), _mm256_slli_epi32(a.half[1], n)}};
}
TWO two_i two_slli_epi64(two_i a, int n)
{
    return (two_i){{_mm256_slli_epi64(a.half[0], n), _mm256_slli_epi64(a.half[1], n)}};
}
TWO_BINARY(xor, two_d, pd)
TWO_BINARY(xor, two_f, ps)
#define two_cmp_pd_mask(a, b, how)                                                                 \
    (_mm256_movemask_pd(_mm256_cmp_pd((a).half[0], (b).half[0], how)) |                            \
     _mm256_movemask_pd(_mm256_cmp_pd((a).half[1], (b).half[1], how)) << 4)

/* What holds a number in a register has none of this size. */
#define __asm__(...) ((void)0)

#define NAIK_AVX512_OF_AVX2    /* what these kernels need, in src/backend/cpu/kernels.c */
#define __m512d                two_d
#define __m512                 two_f
#define _mm512_loadu_pd        two_loadu_pd
#define _mm512_loadu_ps        two_loadu_ps
#define _mm512_storeu_pd       two_storeu_pd
#define _mm512_storeu_ps       two_storeu_ps
#define _mm512_stream_pd       two_stream_pd
#define _mm512_stream_ps       two_stream_ps
#define _mm512_set1_pd         two_set1_pd
#define _mm512_set1_ps         two_set1_ps
#define _mm512_sqrt_pd         two_sqrt_pd
#define _mm512_sqrt_ps         two_sqrt_ps
#define _mm512_add_pd          two_add_pd
#define _mm512_add_ps          two_add_ps
#define _mm512_sub_pd          two_sub_pd
#define _mm512_sub_ps          two_sub_ps
#define _mm512_mul_pd          two_mul_pd
#define _mm512_mul_ps          two_mul_ps
#define _mm512_div_pd          two_div_pd
#define _mm512_div_ps          two_div_ps
#define _mm512_max_pd          two_max_pd
#define _mm512_max_ps          two_max_ps
#define _mm512_fmadd_pd        two_fmadd_pd
#define _mm512_fmadd_ps        two_fmadd_ps
#define _mm512_fnmadd_pd       two_fnmadd_pd
#define _mm512_fnmadd_ps       two_fnmadd_ps
#define _mm512_xor_pd          two_xor_pd
#define _mm512_xor_ps          two_xor_ps
#define _mm512_loadu_si512     two_loadu_si512
#define _mm512_cvtepi32_epi64  two_cvtepi32_epi64
#define _mm512_permutexvar_ps  two_permutexvar_ps
#define _mm512_permutex2var_pd two_permutex2var_pd
#define _mm512_cvtepi16_epi32  two_cvtepi16_epi32
#define _mm512_cvtepi32_ps     two_cvtepi32_ps
#define _mm512_cvtps_pd        two_cvtps_pd
#define _mm512_cvtpd_ps        two_cvtpd_ps
#define _mm512_castps512_ps256 two_castps512_ps256
#define _mm512_extractf32x8_ps two_extractf32x8_ps
#define _mm512_castps256_ps512 two_castps256_ps512
#define _mm512_insertf32x8     two_insertf32x8
#define _mm512_castps_si512    two_castps_si512
#define _mm512_castpd_si512    two_castpd_si512
#define _mm512_castsi512_ps    two_castsi512_ps
#define _mm512_castsi512_pd    two_castsi512_pd
#define _mm512_slli_epi32      two_slli_epi32
#define _mm512_slli_epi64      two_slli_epi64
#define _mm512_cmp_pd_mask     two_cmp_pd_mask
#endif
