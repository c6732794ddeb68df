/* gcr_scalars.h - the numbers of a GCR of many right-hand sides, on whatever lattice
 *
 * With w_k = B z_k - sum_j h_jk w_j the step is x += alpha_k z'_k, r -= alpha_k w_k, where z'_k = z_k - sum_j h_jk
 * z'_j is never made: x is put together of the z_k with what naik_gcr_turn makes of alpha.
 */
#ifndef NAIK_SOLVER_GCR_SCALARS_H
#define NAIK_SOLVER_GCR_SCALARS_H

#include <stdbool.h>
#include <stddef.h>

/* alpha = (w, r) / |w|^2 from |w|^2 and that product; returns the part of |r|^2 that goes. */
static inline double naik_gcr_alpha(double ww, double re, double im, double alpha[2])
{
    alpha[0] = re / ww;
    alpha[1] = im / ww;
    return (re * re + im * im) / ww;
}

/* alpha [count][width][2] of rhs c becomes what its z_k are to be multiplied by; h [][row][width][2]: h_jk in row j. */
static inline void naik_gcr_turn(int count, int c, int width, int row, const double *h,
                                 double *alpha)
{
    const size_t each = 2 * (size_t)width;
    for (int k = count - 1; k > 0; k--) {
        const double *y = alpha + (size_t)k * each + 2 * (size_t)c;
        for (int j = 0; j < k; j++) {
            const double *g = h + ((size_t)j * (size_t)row + (size_t)k) * each + 2 * (size_t)c;
            double *a = alpha + (size_t)j * each + 2 * (size_t)c;
            a[0] -= g[0] * y[0] - g[1] * y[1];
            a[1] -= g[0] * y[1] + g[1] * y[0];
        }
    }
}

#endif
