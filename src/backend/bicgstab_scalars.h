/* bicgstab_scalars.h - the scalars of BiCGStab and of conjugate gradient on the normal equations
 *
 *   BiCGStab for B x = b, s the shadow residual            CGNR, on B^+ B x = B^+ b
 *     alpha = rho/(s, B p)         r -= alpha B p             alpha = |z|^2/|B p|^2
 *     omega = (B r, r)/|B r|^2 L   x += alpha p + omega r     x += alpha p, r -= alpha B p
 *     r -= omega B r,              rho' = (s, r)              z = B^+ r
 *     beta = (rho'/rho)(alpha/omega)                          beta = |z'|^2/|z|^2
 *     p = r + beta (p - omega B p)                            p = z + beta p
 *
 * H. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631. Where B r and r are far from parallel, L
 * makes omega longer than what leaves the least residual: rho and alpha have few digits after a short
 * omega, and near the critical mass such steps are many (G. Sleijpen and H. van der Vorst, Numer.
 * Algorithms 10 (1995) 203). One record a right-hand side, beside
 * that of rhs.h, whose states, residuals and limits it uses; written once and compiled by every
 * backend. Vectors move by the coefficients below, of which an rhs that is not running uses none.
 */
#ifndef NAIK_BACKEND_BICGSTAB_SCALARS_H
#define NAIK_BACKEND_BICGSTAB_SCALARS_H

#include <math.h>

#include "backend/rhs.h"

/* Complex numbers that updates multiply vectors by, [NAIK_COEFFICIENTS][rhs][2] in backend memory. */
typedef enum naik_coefficient {
    NAIK_ALPHA,
    NAIK_MINUS_ALPHA,
    NAIK_OMEGA,
    NAIK_MINUS_OMEGA,
    NAIK_BETA,
    NAIK_MINUS_BETA_OMEGA,
    NAIK_COEFFICIENTS
} naik_coefficient;

typedef struct naik_bicgstab_record {
    double rho[2], alpha[2], omega[2], beta[2];
    double shadow2; /* |s|^2 */
    double zz;      /* |z|^2 of CGNR */
} naik_bicgstab_record;

/* What follows when its sums are known; sums as they are listed, a complex one as re and im: those of
 * naik_products (backend.h). */
typedef enum naik_bicgstab_stage {
    NAIK_STAGE_ALPHA,        /* |B p|^2, which it does not use, (s, B p) */
    NAIK_STAGE_OMEGA,        /* |B r|^2, (r, B r), |r|^2 */
    NAIK_STAGE_BETA,         /* |r|^2, (s, r) */
    NAIK_STAGE_NORMAL_ALPHA, /* |B p|^2 */
    NAIK_STAGE_NORMAL_BETA,  /* |z|^2, |r|^2 */
} naik_bicgstab_stage;
enum { NAIK_STAGE_SUMS = 4 }; /* of a stage, at most */

NAIK_HD static inline int naik_stage_sums(naik_bicgstab_stage stage)
{
    switch (stage) {
    case NAIK_STAGE_NORMAL_ALPHA: return 1;
    case NAIK_STAGE_NORMAL_BETA: return 2;
    case NAIK_STAGE_OMEGA: return 4;
    default: return 3;
    }
}

/* q = a / b */
NAIK_HD static inline void naik_complex_divide(const double a[2], const double b[2], double q[2])
{
    const double norm = b[0] * b[0] + b[1] * b[1];
    const double re = (a[0] * b[0] + a[1] * b[1]) / norm, im = (a[1] * b[0] - a[0] * b[1]) / norm;
    q[0] = re;
    q[1] = im;
}

/* q = a b */
NAIK_HD static inline void naik_complex_multiply(const double a[2], const double b[2], double q[2])
{
    const double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    q[0] = re;
    q[1] = im;
}

NAIK_HD static inline double naik_complex_norm2(const double a[2])
{
    return a[0] * a[0] + a[1] * a[1];
}

/* A rho this small beside the vectors that it is the product of, or an omega this small beside 1,
 * the order of B's eigenvalues, leads nowhere. */
#define NAIK_BREAKDOWN2 1e-30

/* The cosine of the angle between B r and r, squared, below which omega is lengthened as if it were
 * this: 0.6 takes at most 8% more iterations than 0 far from the critical mass, and a third of them near
 * it (doc/performance-wilson-gpu.md). */
#define NAIK_OMEGA_COSINE2 0.36

/* beta and rho from rho' = (s, r) of a residual with |r|^2 = rr; false where that breaks down. */
NAIK_HD static inline int naik_bicgstab_turn(naik_bicgstab_record *b, const double rho[2],
                                             double rr)
{
    double by[2], length[2];
    naik_complex_divide(rho, b->rho, by);
    naik_complex_divide(b->alpha, b->omega, length);
    naik_complex_multiply(by, length, b->beta);
    b->rho[0] = rho[0];
    b->rho[1] = rho[1];
    return naik_complex_norm2(rho) > NAIK_BREAKDOWN2 * b->shadow2 * rr &&
           naik_complex_norm2(b->beta) < 1e300;
}

/* |r|^2 after an iteration: counted, and what becomes of the rhs. */
NAIK_HD static inline void naik_bicgstab_count(naik_rhs *c, double rr)
{
    c->iterations++;
    c->rr_last = c->rr;
    c->rr = rr;
    if (rr > c->rr_max) {
        c->rr_max = rr;
    }
    if (!(rr < 1e300)) {
        c->state = NAIK_RHS_BROKEN;
    } else if (rr <= c->stop || rr <= c->delta2 * c->rr_max || c->iterations >= c->limit) {
        c->state = NAIK_RHS_CHECK;
    }
}

/* omega, from the sums of its stage, as long as the cosine allows. */
NAIK_HD static inline void naik_bicgstab_lengthen(naik_bicgstab_record *b,
                                                  const double sums[NAIK_STAGE_SUMS])
{
    const double least = NAIK_OMEGA_COSINE2 * sums[0] * sums[3];
    const double product = sums[1] * sums[1] + sums[2] * sums[2];
    if (product > 0 && product < least) {
        const double by = sqrt(least / product);
        b->omega[0] *= by;
        b->omega[1] *= by;
    }
}

/* sums in the order of naik_bicgstab_stage. An rhs that asks for its true residual has its new
 * direction made when that is known. */
NAIK_HD static inline void naik_bicgstab_take(naik_bicgstab_stage stage, naik_rhs *c,
                                              naik_bicgstab_record *b,
                                              const double sums[NAIK_STAGE_SUMS])
{
    int good = 1;
    if (c->state != NAIK_RHS_RUN) {
        return;
    }
    switch (stage) {
    case NAIK_STAGE_ALPHA:
        naik_complex_divide(b->rho, sums + 1, b->alpha);
        good = naik_complex_norm2(b->alpha) < 1e300;
        break;
    case NAIK_STAGE_OMEGA: /* (B r, r) is the conjugate of (r, B r) */
        b->omega[0] = sums[1] / sums[0];
        b->omega[1] = -sums[2] / sums[0];
        good = naik_complex_norm2(b->omega) > NAIK_BREAKDOWN2;
        naik_bicgstab_lengthen(b, sums);
        break;
    case NAIK_STAGE_BETA:
        naik_bicgstab_count(c, sums[0]);
        good = c->state != NAIK_RHS_RUN || naik_bicgstab_turn(b, sums + 1, sums[0]);
        break;
    case NAIK_STAGE_NORMAL_ALPHA:
        b->alpha[0] = b->zz / sums[0];
        b->alpha[1] = 0;
        good = b->alpha[0] < 1e300;
        break;
    case NAIK_STAGE_NORMAL_BETA:
        naik_bicgstab_count(c, sums[1]);
        if (c->state == NAIK_RHS_RUN) {
            b->beta[0] = sums[0] / b->zz;
            b->beta[1] = 0;
            b->zz = sums[0];
            good = b->beta[0] < 1e300;
        }
        break;
    }
    if (!good) {
        c->state = NAIK_RHS_BROKEN;
    }
}

/* The coefficients of rhs `c` of `count`. */
NAIK_HD static inline void naik_bicgstab_coefficients(const naik_bicgstab_record *b, int c,
                                                      int count, double (*out)[2])
{
    double product[2];
    naik_complex_multiply(b->beta, b->omega, product);
    for (int i = 0; i < 2; i++) {
        out[NAIK_ALPHA * count + c][i] = b->alpha[i];
        out[NAIK_MINUS_ALPHA * count + c][i] = -b->alpha[i];
        out[NAIK_OMEGA * count + c][i] = b->omega[i];
        out[NAIK_MINUS_OMEGA * count + c][i] = -b->omega[i];
        out[NAIK_BETA * count + c][i] = b->beta[i];
        out[NAIK_MINUS_BETA_OMEGA * count + c][i] = -product[i];
    }
}

#endif
