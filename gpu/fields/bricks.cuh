/* bricks.cuh - blocks of modes on the GPU, in single precision and in bricks of 16 bits (backend/field.h)
 *
 *   bricks   [block of 32 sites][nrhs]: [32] of four 16-bit numbers, then [32] of two, kept as vec_half
 *            keeps them; after all sites float scales [bricks][nrhs]
 *
 * Sites are in the order of all fields, so neighbouring threads read neighbouring words. Bricks are numbered as
 * checkerboard sites of a box of half the extents are, and in each row as their sites are.
 */
#ifndef NAIK_GPU_BRICKS_CUH
#define NAIK_GPU_BRICKS_CUH

#include "gpu/fields/prec.cuh"
#include "gpu/fields/stencil.cuh"

extern "C" {
#include "backend/field.h"
}

typedef struct gpu_bricks {
    int count;
    int stride_y, stride_z, stride_t;   /* of sites of a parity */
    gpu_divider half_x, half_y, half_z; /* half the extents */
} gpu_bricks;

static inline gpu_bricks gpu_bricks_of(const naik_lattice *lat)
{
    gpu_bricks b = {};
    b.count = lat->volume_cb / NAIK_BRICK_SITES;
    b.stride_y = lat->local[0] / 2;
    b.stride_z = b.stride_y * lat->local[1];
    b.stride_t = b.stride_z * lat->local[2];
    b.half_x = gpu_divider_of((uint32_t)lat->local[0] / 2);
    b.half_y = gpu_divider_of((uint32_t)lat->local[1] / 2);
    b.half_z = gpu_divider_of((uint32_t)lat->local[2] / 2);
    return b;
}

/* Where the brick's first site is on the checkerboard. */
__device__ static inline int brick_origin(const gpu_bricks &b, int brick)
{
    const int row = gpu_divide(brick, b.half_x);
    const int plane = gpu_divide(row, b.half_y);
    const int t = gpu_divide(plane, b.half_z);
    const int x = brick - row * (int)b.half_x.divisor;
    const int y = row - plane * (int)b.half_y.divisor, z = plane - t * (int)b.half_z.divisor;
    return x + 2 * (y * b.stride_y + z * b.stride_z + t * b.stride_t);
}

/* From the brick's first site to its site k. */
__device__ static inline int brick_step(const gpu_bricks &b, int k)
{
    return (k & 1) * b.stride_y + (k >> 1 & 1) * b.stride_z + (k >> 2) * b.stride_t;
}

__device__ static inline int brick_of_site(const gpu_bricks &b, int site)
{
    const int row = gpu_divide(site, b.half_x), x = site - row * (int)b.half_x.divisor;
    const int pairs = row / 2, plane = gpu_divide(pairs, b.half_y);
    const int y = pairs - plane * (int)b.half_y.divisor;
    const int planes = plane / 2, t = gpu_divide(planes, b.half_z);
    const int z = planes - t * (int)b.half_z.divisor;
    return ((t / 2 * (int)b.half_z.divisor + z) * (int)b.half_y.divisor + y) *
               (int)b.half_x.divisor +
           x;
}

/* A block of modes; V is vec_single or this. What is fetched becomes numbers with its brick's scale, which has 15
 * significant bits, so that one fma removes the offset and scales. */
struct vec_brick {
    typedef float real;
    enum {
        RHS_BYTES = PREC_BLOCK * 12,
        PAIRS = PREC_BLOCK * 8 /* bytes of the first four numbers */
    };
    struct stored {
        uint2 first;
        unsigned last;
    };
    /* Where the scales of a field of so many sites and rhs begin. */
    __host__ __device__ static inline size_t scales(size_t sites, int nrhs)
    {
        return (sites + PREC_BLOCK - 1) / PREC_BLOCK * (size_t)nrhs * RHS_BYTES;
    }
    __device__ static inline void store(char *field, int site, int irhs, int nrhs,
                                        const colour_vector<float> &v, float scale)
    {
        const bool plain = scale > 0;
        unsigned w[3];
#pragma unroll
        for (int i = 0; i < 3; i++) {
            w[i] = prec_word(plain ? v.e[i].re / scale : 0.0f, plain ? v.e[i].im / scale : 0.0f);
        }
        put(field, site, irhs, nrhs, w);
    }
    __device__ static inline void put(char *field, int site, int irhs, int nrhs,
                                      const unsigned (&w)[3])
    {
        char *p = field + start(site, irhs, nrhs);
        const int lane = (unsigned)site % PREC_BLOCK;
        *(uint2 *)(p + lane * 8) = make_uint2(w[0], w[1]);
        *(unsigned *)(p + PAIRS + lane * 4) = w[2];
    }
    __device__ static inline size_t start(int site, int irhs, int nrhs)
    {
        return (size_t)((unsigned)site / PREC_BLOCK * (unsigned)nrhs + (unsigned)irhs) * RHS_BYTES;
    }
};

/* A mode of a block at a site of a brick, and its scale there. */
template <class V> struct mode_reader;
template <> struct mode_reader<vec_single> {
    typedef vec_single::stored stored;
    __device__ static inline float4 scales(const char *, const gpu_bricks &, int, int)
    {
        return make_float4(0, 0, 0, 0); /* not looked at */
    }
    __device__ static inline stored fetch(const char *block, int site, int mode)
    {
        return vec_single::fetch(block + vec_offset<vec_single>(site, mode, NAIK_MODES_BLOCK));
    }
    __device__ static inline colour_vector<float> unpack(const stored &v, float)
    {
        return v;
    }
};
template <> struct mode_reader<vec_brick> {
    typedef vec_brick::stored stored;
    __device__ static inline float scale(const char *block, const gpu_bricks &b, int brick,
                                         int mode)
    {
        return *(const float *)(block + at_scale(b, brick, mode));
    }
    /* Of four modes from a multiple of four on. */
    __device__ static inline float4 scales(const char *block, const gpu_bricks &b, int brick,
                                           int mode)
    {
        return *(const float4 *)(block + at_scale(b, brick, mode));
    }
    __device__ static inline size_t at_scale(const gpu_bricks &b, int brick, int mode)
    {
        return vec_brick::scales((size_t)b.count * NAIK_BRICK_SITES, NAIK_MODES_BLOCK) +
               ((size_t)brick * NAIK_MODES_BLOCK + (size_t)mode) * sizeof(float);
    }
    __device__ static inline stored fetch(const char *block, int site, int mode)
    {
        const char *p = block + vec_brick::start(site, mode, NAIK_MODES_BLOCK);
        const int lane = (unsigned)site % PREC_BLOCK;
        return {*(const uint2 *)(p + lane * 8),
                *(const unsigned *)(p + vec_brick::PAIRS + lane * 4)};
    }
    __device__ static inline colour_vector<float> unpack(const stored &w, float scale)
    {
        const float offset = -PREC_MAGIC * scale;
        colour_vector<float> v;
        v.e[0] = {fmaf(prec_low(w.first.x), scale, offset),
                  fmaf(prec_high(w.first.x), scale, offset)};
        v.e[1] = {fmaf(prec_low(w.first.y), scale, offset),
                  fmaf(prec_high(w.first.y), scale, offset)};
        v.e[2] = {fmaf(prec_low(w.last), scale, offset), fmaf(prec_high(w.last), scale, offset)};
        return v;
    }
};

/* A thread's site in one block of modes after the other. */
template <class V> struct modes_at;
template <> struct modes_at<vec_single> {
    size_t own;
    const char *from;
    __device__ inline modes_at(const gpu_bricks &, int site)
        : own(vec_offset<vec_single>(site, 0, NAIK_MODES_BLOCK)), from(nullptr)
    {
    }
    __device__ inline void open(const char *block)
    {
        from = block + own;
    }
    __device__ inline colour_vector<float> load(int mode) const
    {
        return vec_single::load(from + mode * vec_single::RHS_BYTES);
    }
};
template <> struct modes_at<vec_brick> {
    size_t own, last, of_brick; /* the first four numbers, the last two, and scales */
    const char *from;
    float4 scale[NAIK_MODES_BLOCK / 4];
    __device__ inline modes_at(const gpu_bricks &b, int site)
        : own(vec_brick::start(site, 0, NAIK_MODES_BLOCK) + (unsigned)site % PREC_BLOCK * 8),
          last(own + vec_brick::PAIRS - (unsigned)site % PREC_BLOCK * 4),
          of_brick(mode_reader<vec_brick>::at_scale(b, brick_of_site(b, site), 0)), from(nullptr)
    {
    }
    __device__ inline void open(const char *block)
    {
        from = block;
#pragma unroll
        for (int i = 0; i < NAIK_MODES_BLOCK / 4; i++) {
            scale[i] = *(const float4 *)(block + of_brick + i * sizeof(float4));
        }
    }
    /* The number of the mode is known when this is compiled. */
    __device__ inline colour_vector<float> load(int mode) const
    {
        const int at = mode * vec_brick::RHS_BYTES;
        const float4 four = scale[mode / 4];
        const vec_brick::stored v = {*(const uint2 *)(from + own + at),
                                     *(const unsigned *)(from + last + at)};
        return mode_reader<vec_brick>::unpack(v, mode % 4 == 0   ? four.x
                                                 : mode % 4 == 1 ? four.y
                                                 : mode % 4 == 2 ? four.z
                                                                 : four.w);
    }
};

#endif
