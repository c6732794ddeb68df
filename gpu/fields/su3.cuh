/* su3.cuh - complex numbers, colour vectors and 3 x 3 matrices in registers
 *
 * Every product is a chain of explicit fma in one fixed order, so that all kernels agree to the
 * bit.
 */
#ifndef NAIK_GPU_SU3_CUH
#define NAIK_GPU_SU3_CUH

#include "gpu/gpu.h"

template <class T> struct cplx {
    T re, im;
};

template <class T> struct colour_matrix {
    cplx<T> e[3][3];
};

template <class T> struct colour_vector {
    cplx<T> e[3];
};

template <class T> __device__ static inline cplx<T> conj(cplx<T> a)
{
    return {a.re, -a.im};
}
template <class T> __device__ static inline cplx<T> scale(T s, cplx<T> a)
{
    return {s * a.re, s * a.im};
}
template <class T> __device__ static inline cplx<T> mul(cplx<T> a, cplx<T> b)
{
    return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
}
/* acc + a b */
template <class T> __device__ static inline cplx<T> mul_add(cplx<T> a, cplx<T> b, cplx<T> acc)
{
    return {fma(-a.im, b.im, fma(a.re, b.re, acc.re)), fma(a.im, b.re, fma(a.re, b.im, acc.im))};
}
/* a b - c d, conjugated: an element of conj(row x row) */
template <class T>
__device__ static inline cplx<T> cross_conj(cplx<T> a, cplx<T> b, cplx<T> c, cplx<T> d)
{
    cplx<T> p = mul(a, b);
    p = mul_add({-c.re, -c.im}, d, p);
    return conj(p);
}

/* acc += u v */
template <class T>
__device__ static inline void add_product(const colour_matrix<T> &u, const colour_vector<T> &v,
                                          colour_vector<T> &acc)
{
#pragma unroll
    for (int i = 0; i < 3; i++) {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            acc.e[i] = mul_add(u.e[i][j], v.e[j], acc.e[i]);
        }
    }
}

/* -u^+ */
template <class T>
__device__ static inline colour_matrix<T> minus_adjoint(const colour_matrix<T> &u)
{
    colour_matrix<T> w;
#pragma unroll
    for (int i = 0; i < 3; i++) {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            w.e[i][j] = {-u.e[j][i].re, u.e[j][i].im};
        }
    }
    return w;
}

/* y += a x */
template <class T>
__device__ static inline void axpy(T a, const colour_vector<T> &x, colour_vector<T> &y)
{
#pragma unroll
    for (int i = 0; i < 3; i++) {
        y.e[i] = {fma(a, x.e[i].re, y.e[i].re), fma(a, x.e[i].im, y.e[i].im)};
    }
}

/* p + f q of a colour vector, f real or i times it. */
template <bool IMAGINARY, class T>
__device__ static inline colour_vector<T> projected(T f, const colour_vector<T> &p,
                                                    const colour_vector<T> &q)
{
    colour_vector<T> h;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        h.e[i] = {fma(IMAGINARY ? -f : f, IMAGINARY ? q.e[i].im : q.e[i].re, p.e[i].re),
                  fma(f, IMAGINARY ? q.e[i].re : q.e[i].im, p.e[i].im)};
    }
    return h;
}

/* Re (v, w), in double */
template <class T>
__device__ static inline double real_product(const colour_vector<T> &v, const colour_vector<T> &w)
{
    double sum = 0;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        sum = fma((double)v.e[i].re, (double)w.e[i].re, sum);
        sum = fma((double)v.e[i].im, (double)w.e[i].im, sum);
    }
    return sum;
}

/* Im (v, w), in double */
template <class T>
__device__ static inline double imaginary_product(const colour_vector<T> &v,
                                                  const colour_vector<T> &w)
{
    double sum = 0;
#pragma unroll
    for (int i = 0; i < 3; i++) {
        sum = fma((double)v.e[i].re, (double)w.e[i].im, sum);
        sum = fma(-(double)v.e[i].im, (double)w.e[i].re, sum);
    }
    return sum;
}

#endif
