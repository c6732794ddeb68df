/* tensor.cuh - products of 16-bit integers with numbers in single precision on matrix units
 *
 * Matrix units multiply numbers of 8 significant bits (bf16, with the exponents of single precision) and
 * add up in single precision. An integer of 16 bits is the sum of two of those exactly, a number in single
 * precision but for 2^-17 of itself; of the four products three are formed: what is left out is below
 * 2^-15 of a term at most, 2^-17 as a rule, and no scale is needed.
 */
#ifndef NAIK_GPU_MULTIGRID_TENSOR_CUH
#define NAIK_GPU_MULTIGRID_TENSOR_CUH

#include "gpu/fields/prec.cuh"

/* Two parts of four numbers, two numbers a word. */
typedef struct tensor_split {
    unsigned high[2], low[2];
} tensor_split;

#if GPU_HAS_TENSORS
/* Both numbers, rounded, in a word. */
__device__ static inline unsigned tensor_word(float first, float second)
{
    unsigned word;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
    return word;
}
/* sum += a b of 16 rows and 16 columns, and 8 columns */
__device__ static inline void tensor_add(float (&sum)[4], const unsigned (&a)[4],
                                         const unsigned (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
#else
__device__ static inline unsigned tensor_word(float, float)
{
    return 0;
}
__device__ static inline void tensor_add(float (&)[4], const unsigned (&)[4], const unsigned (&)[2])
{
}
#endif

__device__ static inline tensor_split split_numbers(float4 x)
{
    tensor_split s;
    s.high[0] = tensor_word(x.x, x.y);
    s.high[1] = tensor_word(x.z, x.w);
    s.low[0] = tensor_word(x.x - __uint_as_float(s.high[0] << 16),
                           x.y - __uint_as_float(s.high[0] & 0xffff0000u));
    s.low[1] = tensor_word(x.z - __uint_as_float(s.high[1] << 16),
                           x.w - __uint_as_float(s.high[1] & 0xffff0000u));
    return s;
}

/* Both integers of a word (prec.cuh): the upper 8 bits and the rest of either. */
__device__ static inline void split_integers(unsigned word, unsigned *high, unsigned *low)
{
    const float a = prec_low(word) - PREC_MAGIC, b = prec_high(word) - PREC_MAGIC;
    const unsigned a_bits = __float_as_uint(a), b_bits = __float_as_uint(b);
    const float a_rest = a - __uint_as_float(a_bits & 0xffff0000u);
    const float b_rest = b - __uint_as_float(b_bits & 0xffff0000u);
    *high = __byte_perm(a_bits, b_bits, 0x7632);
    *low = __byte_perm(__float_as_uint(a_rest), __float_as_uint(b_rest), 0x7632);
}

#endif
