/* prec.cuh - how vectors are stored: blocks of 32 sites, one policy struct a precision
 *
 * Storing a vector leaves it as it will be read. What is fetched is kept with the same bits, where
 * to store what was loaded might choose another scale.
 *
 *   double, single   [block][nrhs][3][32] complex
 *   half             [block][nrhs][32] of six 16-bit integers and the float scale: 16 bytes
 *
 * One thread's access is 8 or 16 bytes; neighbouring sites are neighbours in memory, in messages
 * (`stride`) the numbers of a vector. After the last block lie PREC_SPARE_RHS rhs that a kernel of
 * several rhs may read, never write.
 */
#ifndef NAIK_GPU_PREC_CUH
#define NAIK_GPU_PREC_CUH

#include "gpu/device.h"
#include "gpu/fields/su3.cuh"

enum { PREC_BLOCK = 32, PREC_SPARE_RHS = 8 };

struct vec_double {
    typedef double real;
    static constexpr naik_precision PRECISION = NAIK_DOUBLE;
    enum { RHS_BYTES = 3 * PREC_BLOCK * 16, LANE_BYTES = 16, STRIDE = PREC_BLOCK * LANE_BYTES };
    __device__ static inline colour_vector<double> load(const char *p, int stride = STRIDE)
    {
        colour_vector<double> v;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            double2 w = *(const double2 *)(p + i * stride);
            v.e[i] = {w.x, w.y};
        }
        return v;
    }
    __device__ static inline void store(char *p, colour_vector<double> &v, int stride = STRIDE)
    {
#pragma unroll
        for (int i = 0; i < 3; i++) {
            *(double2 *)(p + i * stride) = make_double2(v.e[i].re, v.e[i].im);
        }
    }
    typedef colour_vector<double> stored;
    __device__ static inline stored fetch(const char *p, int stride = STRIDE)
    {
        return load(p, stride);
    }
    __device__ static inline void keep(char *p, stored v, int stride = STRIDE)
    {
        store(p, v, stride);
    }
};

struct vec_single {
    typedef float real;
    static constexpr naik_precision PRECISION = NAIK_SINGLE;
    enum { RHS_BYTES = 3 * PREC_BLOCK * 8, LANE_BYTES = 8, STRIDE = PREC_BLOCK * LANE_BYTES };
    __device__ static inline colour_vector<float> load(const char *p, int stride = STRIDE)
    {
        colour_vector<float> v;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            float2 w = *(const float2 *)(p + i * stride);
            v.e[i] = {w.x, w.y};
        }
        return v;
    }
    __device__ static inline void store(char *p, colour_vector<float> &v, int stride = STRIDE)
    {
#pragma unroll
        for (int i = 0; i < 3; i++) {
            *(float2 *)(p + i * stride) = make_float2(v.e[i].re, v.e[i].im);
        }
    }
    typedef colour_vector<float> stored;
    __device__ static inline stored fetch(const char *p, int stride = STRIDE)
    {
        return load(p, stride);
    }
    __device__ static inline void keep(char *p, stored v, int stride = STRIDE)
    {
        store(p, v, stride);
    }
};

/* 16-bit integers are kept as q + 2^15, unsigned: put below the exponent of 2^23 they are the float
 * 2^23 + 2^15 + q without a conversion, which runs at a fraction of the rate of anything else. */
#define PREC_MAGIC_BITS 0x4b000000u
#define PREC_MAGIC      8421376.0f /* 2^23 + 2^15 */

__device__ static inline float prec_low(unsigned word)
{
    return __uint_as_float(__byte_perm(word, PREC_MAGIC_BITS, 0x7610));
}
__device__ static inline float prec_high(unsigned word)
{
    return __uint_as_float(__byte_perm(word, PREC_MAGIC_BITS, 0x7632));
}
/* Both 16-bit numbers of a word, for |q| <= 32767. */
__device__ static inline unsigned prec_word(float a, float b)
{
    unsigned low = (unsigned)(__float2int_rn(a) + 32768);
    unsigned high = (unsigned)(__float2int_rn(b) + 32768);
    return low | high << 16;
}

struct vec_half {
    typedef float real;
    static constexpr naik_precision PRECISION = NAIK_HALF;
    enum { RHS_BYTES = PREC_BLOCK * 16, LANE_BYTES = 16 };
    /* The scale has 15 significant bits, so that scale 2^23 and scale 2^15 are exact and one fma
     * removes the offset and scales. */
    __device__ static inline colour_vector<float> unpack(uint4 w)
    {
        float s = __uint_as_float(w.w);
        float offset = -PREC_MAGIC * s;
        colour_vector<float> v;
        v.e[0] = {fmaf(prec_low(w.x), s, offset), fmaf(prec_high(w.x), s, offset)};
        v.e[1] = {fmaf(prec_low(w.y), s, offset), fmaf(prec_high(w.y), s, offset)};
        v.e[2] = {fmaf(prec_low(w.z), s, offset), fmaf(prec_high(w.z), s, offset)};
        return v;
    }
    __device__ static inline colour_vector<float> load(const char *p)
    {
        return unpack(*(const uint4 *)p);
    }
    __device__ static inline uint4 pack(const colour_vector<float> &v)
    {
        float largest = 0, sum = 0;
#pragma unroll
        for (int i = 0; i < 3; i++) {
            largest = fmaxf(largest, fmaxf(fabsf(v.e[i].re), fabsf(v.e[i].im)));
            sum += v.e[i].re + v.e[i].im;
        }
        const bool finite = fabsf(sum) < 1e38f; /* else it must stay so, which integers cannot */
        float s = largest * (1.0f / 32767.0f);
        s = __uint_as_float((__float_as_uint(s) + 0x1ffu) & ~0x1ffu);
        /* below, the products with the scale are no longer exact */
        const bool plain = finite && s > 1e-34f;
        const float inverse = plain ? gpu_reciprocal(s) : 0.0f; /* q is rounded anyway */
        return make_uint4(prec_word(v.e[0].re * inverse, v.e[0].im * inverse),
                          prec_word(v.e[1].re * inverse, v.e[1].im * inverse),
                          prec_word(v.e[2].re * inverse, v.e[2].im * inverse),
                          plain    ? __float_as_uint(s)
                          : finite ? 0u
                                   : 0x7fc00000u);
    }
    __device__ static inline void store(char *p, colour_vector<float> &v)
    {
        const uint4 w = pack(v);
        *(uint4 *)p = w;
        v = unpack(w);
    }
    typedef uint4 stored;
    __device__ static inline stored fetch(const char *p, int = 0)
    {
        return *(const uint4 *)p;
    }
    __device__ static inline void keep(char *p, stored v, int = 0)
    {
        *(uint4 *)p = v;
    }
};

/* Where a site's numbers of an rhs begin; rhs follow at RHS_BYTES. */
template <class V> __device__ static inline size_t vec_offset(int site, int irhs, int nrhs)
{
    const unsigned at = (unsigned)site; /* a signed number takes longer to divide */
    return (size_t)(at / PREC_BLOCK * (unsigned)nrhs + (unsigned)irhs) * V::RHS_BYTES +
           (size_t)(at % PREC_BLOCK * V::LANE_BYTES);
}

/* Launches the kernel's instantiation for a precision. */
#define BY_PRECISION(precision, kernel, grid, threads, stream, ...)                                \
    do {                                                                                           \
        if ((precision) == NAIK_DOUBLE) {                                                          \
            kernel<vec_double><<<grid, threads, 0, stream>>>(__VA_ARGS__);                         \
        } else if ((precision) == NAIK_SINGLE) {                                                   \
            kernel<vec_single><<<grid, threads, 0, stream>>>(__VA_ARGS__);                         \
        } else {                                                                                   \
            kernel<vec_half><<<grid, threads, 0, stream>>>(__VA_ARGS__);                           \
        }                                                                                          \
    } while (0)

#endif
