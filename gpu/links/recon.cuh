/* recon.cuh - how links are stored: four links of a kind (mu = x, y, z, t) at a site are a group
 *
 *   block of 32 sites: [kind: +1, -1, +3, -3] groups of 4 R numbers a site, R = 18 or compressed
 *   double, single   group [mu][pairs of numbers][32], an odd last number by itself
 *   half             group [pairs of mu][pairs of numbers][32] of 8 bytes, the numbers of two links
 *                    beside each other
 *
 * The operator is antihermitian to the bit in every storage. Of uncompressed links, the backward
 * one is -U(s - mu)^+, with the same numbers as U at the other end. Where they are
 * rebuilt it is U(s - mu), which is so from the same bits at both ends. Compressed links are L/s:
 *   13: two rows, phase of the determinant D;  third row = conj(row0 x row1) D
 *   12: two rows of eta V, V in SU(3), eta = +-1 in the lowest bit of the first number
 *    9: phases of D, a1, c1; a2, a3, b1 (rows a, b, c; M. Clark et al., Comput. Phys. Commun. 181
 *       (2010) 1517, with the determinant kept in the formulas)
 *    8: those of 9 without the first, of eta V, eta as in 12
 *    6: 18 numbers of 10 bits, offset by 2^9, three to a 32-bit word (16-bit links only): a long
 *       link is 1/24 of a fat one, and so is its rounding; group [pairs of mu][3][32] of 16 bytes
 * A phase phi is kept as tan(phi/4): what is rebuilt from it has modulus 1 whatever the rounding.
 */
#ifndef NAIK_GPU_RECON_CUH
#define NAIK_GPU_RECON_CUH

#include "gpu/fields/prec.cuh"

__device__ static inline double reciprocal(double x)
{
    return 1.0 / x;
}
__device__ static inline float reciprocal(float x)
{
    return gpu_reciprocal(x);
}
__device__ static inline double positive_root(double x)
{
    return x > 0 ? sqrt(x) : 0;
}
__device__ static inline float positive_root(float x)
{
    return x > 0 ? x * rsqrtf(x) : 0;
}

template <class T> __device__ static inline cplx<T> phase_of(T t)
{
    T r = reciprocal(fma(t, t, (T)1));
    T c = fma(-t, t, (T)1) * r, s = (t + t) * r; /* cos, sin of half the angle */
    return {fma(c, c, -(s * s)), (s + s) * c};
}

template <class T> __device__ static inline cplx<T> times(cplx<T> a, cplx<T> det)
{
    return mul(a, det);
}
template <class T> __device__ static inline cplx<T> times(cplx<T> a, T eta)
{
    return scale(eta, a);
}
/* D: a phase, or eta */
template <class T, class D> __device__ static inline void third_row(colour_matrix<T> &u, D det)
{
    u.e[2][0] = times(cross_conj(u.e[0][1], u.e[1][2], u.e[0][2], u.e[1][1]), det);
    u.e[2][1] = times(cross_conj(u.e[0][2], u.e[1][0], u.e[0][0], u.e[1][2]), det);
    u.e[2][2] = times(cross_conj(u.e[0][0], u.e[1][1], u.e[0][1], u.e[1][0]), det);
}

/* Whether eta is in the lowest bit of the first number. */
NAIK_HD constexpr bool recon_keeps_sign(int recon)
{
    return recon == 12 || recon == 8;
}

/* inverse D conj(a), D the phase of 9 numbers or eta of 8 */
template <int R, class T>
__device__ static inline cplx<T> times_determinant(cplx<T> phase, bool negative, T inverse,
                                                   cplx<T> a)
{
    if constexpr (R == 9) {
        return scale(inverse, mul(phase, conj(a)));
    }
    return scale(negative ? -inverse : inverse, conj(a));
}

/* The matrix from its R numbers; `negative` is eta of 12 and 8. */
template <int R, class T>
__device__ static inline void expand(const T n[R], bool negative, colour_matrix<T> &u)
{
    if constexpr (R < 12) {
        const T *m = n + (R - 8);
        const cplx<T> det = R == 9 ? phase_of(n[0]) : cplx<T>{};
        cplx<T> a1 = phase_of(m[0]), c1 = phase_of(m[1]);
        cplx<T> a2 = {m[2], m[3]}, a3 = {m[4], m[5]}, b1 = {m[6], m[7]};
        T rest = fma(a2.re, a2.re, a2.im * a2.im) + fma(a3.re, a3.re, a3.im * a3.im);
        a1 = scale(positive_root((T)1 - rest), a1);
        c1 = scale(positive_root(rest - fma(b1.re, b1.re, b1.im * b1.im)), c1);
        T inverse = reciprocal(rest);
        cplx<T> t = times_determinant<R>(det, negative, inverse, c1);
        cplx<T> w = times_determinant<R>(det, negative, inverse, b1);
        cplx<T> a1b1 = scale(inverse, mul(conj(a1), b1)), a1c1 = scale(inverse, mul(conj(a1), c1));
        u.e[0][0] = a1;
        u.e[0][1] = a2;
        u.e[0][2] = a3;
        u.e[1][0] = b1;
        u.e[1][1] = mul_add(conj(a3), {-t.re, -t.im}, mul(a2, {-a1b1.re, -a1b1.im}));
        u.e[1][2] = mul_add(conj(a2), t, mul(a3, {-a1b1.re, -a1b1.im}));
        u.e[2][0] = c1;
        u.e[2][1] = mul_add(conj(a3), w, mul(a2, {-a1c1.re, -a1c1.im}));
        u.e[2][2] = mul_add(conj(a2), {-w.re, -w.im}, mul(a3, {-a1c1.re, -a1c1.im}));
    } else {
#pragma unroll
        for (int i = 0; i < (R == 18 ? 9 : 6); i++) {
            u.e[i / 3][i % 3] = {n[2 * i], n[2 * i + 1]};
        }
        if constexpr (R == 13) {
            third_row(u, phase_of(n[12]));
        } else if constexpr (R == 12) {
            third_row(u, negative ? (T)-1 : (T)1);
        }
    }
}

enum { RECON_WORDS = 6, RECON_TENTH = 511 }; /* the largest number of 10 bits */

/* ---- reading: a group is opened, then its four links are taken one after the other: link k = 0, 1
 * of pair 0, then of pair 1 (mu = 2 pair + k) */

/* S: double, float, short; SHARED: other threads of the block read the same links. */
template <class S, int R, bool SHARED = false> struct link_group;

/* Two numbers that lie beside each other. */
template <bool SHARED> __device__ static inline cplx<double> load_pair(const char *p, double)
{
    uint4 w = gpu_link_load16<SHARED>(p);
    return {__hiloint2double((int)w.y, (int)w.x), __hiloint2double((int)w.w, (int)w.z)};
}
template <bool SHARED> __device__ static inline cplx<float> load_pair(const char *p, float)
{
    uint2 w = gpu_link_load8<SHARED>(p);
    return {__uint_as_float(w.x), __uint_as_float(w.y)};
}

template <int R, bool SHARED> struct link_group<double, R, SHARED> {
    enum { BYTES = PREC_BLOCK * 4 * R * 8 };
    const char *base, *odd; /* of this lane: pairs of numbers, the odd last one */
    __device__ inline void open(const char *group, int lane)
    {
        base = group + lane * 16;
        odd = group + (R / 2) * PREC_BLOCK * 16 + lane * 8;
    }
    __device__ inline void get(int pair, int k, colour_matrix<double> &u) const
    {
        double n[R];
        const int mu = 2 * pair + k;
        const char *p = base + mu * (PREC_BLOCK * R * 8);
#pragma unroll
        for (int i = 0; i < R / 2; i++) {
            cplx<double> w = load_pair<SHARED>(p + i * PREC_BLOCK * 16, 0.0);
            n[2 * i] = w.re;
            n[2 * i + 1] = w.im;
        }
        if constexpr (R % 2 == 1) {
            uint2 w = gpu_link_load8<SHARED>(odd + mu * (PREC_BLOCK * R * 8));
            n[R - 1] = __hiloint2double((int)w.y, (int)w.x);
        }
        expand<R>(n, recon_keeps_sign(R) && (__double2loint(n[0]) & 1), u);
    }
};

template <int R, bool SHARED> struct link_group<float, R, SHARED> {
    enum { BYTES = PREC_BLOCK * 4 * R * 4 };
    const char *base, *odd;
    __device__ inline void open(const char *group, int lane)
    {
        base = group + lane * 8;
        odd = group + (R / 2) * PREC_BLOCK * 8 + lane * 4;
    }
    __device__ inline void get(int pair, int k, colour_matrix<float> &u) const
    {
        float n[R];
        const int mu = 2 * pair + k;
        const char *p = base + mu * (PREC_BLOCK * R * 4);
#pragma unroll
        for (int i = 0; i < R / 2; i++) {
            cplx<float> w = load_pair<SHARED>(p + i * PREC_BLOCK * 8, 0.0f);
            n[2 * i] = w.re;
            n[2 * i + 1] = w.im;
        }
        if constexpr (R % 2 == 1) {
            n[R - 1] = __uint_as_float(gpu_link_load4<SHARED>(odd + mu * (PREC_BLOCK * R * 4)));
        }
        expand<R>(n, recon_keeps_sign(R) && (__float_as_uint(n[0]) & 1), u);
    }
};

/* Two links at a time, to hold few registers. Numbers of 18 stay integers (their unit is in the
 * kernel's scale), compressed ones are in units of 2^-15. */
template <int R, bool SHARED> struct link_group<short, R, SHARED> {
    enum { BYTES = PREC_BLOCK * 4 * R * 2 };
    const char *base, *odd;
    uint2 word[R / 2]; /* number 2i of two links (x), number 2i + 1 (y) */
    unsigned last;
    __device__ inline void open(const char *group, int lane)
    {
        base = group + lane * 8;
        odd = group + (R / 2) * PREC_BLOCK * 8 + lane * 4;
    }
    __device__ inline void load(int pair)
    {
        const size_t begin = (size_t)pair * (PREC_BLOCK * 2 * R * 2);
#pragma unroll
        for (int i = 0; i < R / 2; i++) {
            word[i] = gpu_link_load8<SHARED>(base + begin + i * PREC_BLOCK * 8);
        }
        if constexpr (R % 2 == 1) {
            last = gpu_link_load4<SHARED>(odd + begin);
        }
    }
    __device__ static inline float number(unsigned w, int k)
    {
        float x = k == 0 ? prec_low(w) : prec_high(w);
        return R == 18 ? x - PREC_MAGIC : fmaf(x, 1.0f / 32768.0f, -PREC_MAGIC * (1.0f / 32768.0f));
    }
    __device__ inline void get(int pair, int k, colour_matrix<float> &u)
    {
        float n[R];
        if (k == 0) {
            load(pair);
        }
#pragma unroll
        for (int i = 0; i < R / 2; i++) {
            n[2 * i] = number(word[i].x, k);
            n[2 * i + 1] = number(word[i].y, k);
        }
        if constexpr (R % 2 == 1) {
            n[R - 1] = number(last, k);
        }
        expand<R>(n, recon_keeps_sign(R) && (word[0].x >> (16 * k) & 1), u);
    }
};

template <bool SHARED> struct link_group<short, RECON_WORDS, SHARED> {
    enum { BYTES = PREC_BLOCK * 4 * RECON_WORDS * 4 };
    const char *base;
    uint4 word[3];
    __device__ inline void open(const char *group, int lane)
    {
        base = group + lane * 16;
    }
    /* 10 bits from bit 10 on below the exponent of 2^23 are 2^10 (2^13 + q). */
    __device__ static inline float middle(unsigned w)
    {
        float x = __uint_as_float((w & 0xffc00u) | PREC_MAGIC_BITS);
        return fmaf(x, 1.0f / 1024.0f, -(8192.0f + 512.0f));
    }
    __device__ static inline void unpack(unsigned w, float n[3])
    {
        n[0] = __uint_as_float((w & 0x3ffu) | PREC_MAGIC_BITS) - (8388608.0f + 512.0f);
        n[1] = middle(w);
        n[2] = middle(w >> 10);
    }
    /* The words of link k. */
    __device__ inline void take(int pair, int k, unsigned out[RECON_WORDS])
    {
        if (k == 0) {
#pragma unroll
            for (int i = 0; i < 3; i++) {
                word[i] = gpu_link_load16<SHARED>(base + (pair * 3 + i) * PREC_BLOCK * 16);
            }
        }
        const unsigned all[12] = {word[0].x, word[0].y, word[0].z, word[0].w, word[1].x, word[1].y,
                                  word[1].z, word[1].w, word[2].x, word[2].y, word[2].z, word[2].w};
#pragma unroll
        for (int i = 0; i < RECON_WORDS; i++) {
            out[i] = all[k * RECON_WORDS + i];
        }
    }
    __device__ inline void get(int pair, int k, colour_matrix<float> &u)
    {
        unsigned w[RECON_WORDS];
        float n[18];
        take(pair, k, w);
#pragma unroll
        for (int i = 0; i < RECON_WORDS; i++) {
            unpack(w[i], n + 3 * i);
        }
        expand<18>(n, false, u);
    }
};

/* ---- reading one row of a link that is stored whole; the same bits as link_group's */

NAIK_HD constexpr bool recon_is_uncompressed(int recon)
{
    return recon == 18 || recon == RECON_WORDS;
}

template <class S, int R> struct link_row; /* R whole */

template <class T> struct link_row<T, 18> {
    enum { PAIR = PREC_BLOCK * 2 * (int)sizeof(T) };
    const char *base;
    __device__ inline void open(const char *group, int lane, int row)
    {
        base = group + lane * 2 * (int)sizeof(T) + 3 * row * PAIR;
    }
    __device__ inline void get(int pair, int k, cplx<T> (&u)[3]) const
    {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            u[j] = load_pair<false>(base + (9 * (2 * pair + k) + j) * PAIR, (T)0);
        }
    }
};

template <> struct link_row<short, 18> {
    enum { PAIR = PREC_BLOCK * 8 }; /* of two links */
    const char *base;
    uint2 word[3];
    __device__ inline void open(const char *group, int lane, int row)
    {
        base = group + lane * 8 + 3 * row * PAIR;
    }
    __device__ inline void get(int pair, int k, cplx<float> (&u)[3])
    {
        typedef link_group<short, 18> whole;
#pragma unroll
        for (int j = 0; j < 3; j++) {
            if (k == 0) {
                word[j] = gpu_stream_load8(base + (9 * pair + j) * PAIR);
            }
            u[j] = {whole::number(word[j].x, k), whole::number(word[j].y, k)};
        }
    }
};

/* Row i is words 2i and 2i + 1. */
template <> struct link_row<short, RECON_WORDS> {
    link_group<short, RECON_WORDS> whole;
    int row;
    __device__ inline void open(const char *group, int lane, int which)
    {
        whole.open(group, lane);
        row = which;
    }
    __device__ inline void get(int pair, int k, cplx<float> (&u)[3])
    {
        unsigned w[RECON_WORDS];
        float n[6];
        whole.take(pair, k, w);
        whole.unpack(row == 0 ? w[0] : row == 1 ? w[2] : w[4], n);
        whole.unpack(row == 0 ? w[1] : row == 1 ? w[3] : w[5], n + 3);
#pragma unroll
        for (int j = 0; j < 3; j++) {
            u[j] = {n[2 * j], n[2 * j + 1]};
        }
    }
};

#endif
