/* wilson_solve_ref.c - textbook solvers, propagators and mesons for the reference operator */
#include "wilson_solve_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/worst.h"

/* y += a x */
static void axpy(const wilson_ref *w, double complex a, const wilson_spinor *x, wilson_spinor *y)
{
    const double complex *from = (const double complex *)x;
    double complex *to = (double complex *)y;
    for (int64_t i = 0; i < 12 * w->volume; i++) {
        to[i] += wilson_complex(creal(a) * creal(from[i]) - cimag(a) * cimag(from[i]),
                                creal(a) * cimag(from[i]) + cimag(a) * creal(from[i]));
    }
}

/* p = r + b p */
static void xpay(const wilson_ref *w, const wilson_spinor *r, double complex b, wilson_spinor *p)
{
    double complex *to = (double complex *)p;
    const double complex *from = (const double complex *)r;
    for (int64_t i = 0; i < 12 * w->volume; i++) {
        to[i] = from[i] + wilson_complex(creal(b) * creal(to[i]) - cimag(b) * cimag(to[i]),
                                         creal(b) * cimag(to[i]) + cimag(b) * creal(to[i]));
    }
}

static void copy(const wilson_ref *w, const wilson_spinor *from, wilson_spinor *to)
{
    memcpy(to, from, (size_t)w->volume * sizeof *to);
}

static double norm2(const wilson_ref *w, const wilson_spinor *v)
{
    return creal(wilson_ref_dot(w, v, v));
}

int wilson_ref_bicgstab(const wilson_schur *s, const wilson_spinor *b, double tolerance, int limit,
                        wilson_spinor *x)
{
    const wilson_ref *w = s->w;
    wilson_spinor *r = wilson_ref_field(w->volume), *p = wilson_ref_field(w->volume);
    wilson_spinor *v = wilson_ref_field(w->volume), *t = wilson_ref_field(w->volume);
    const double stop = tolerance * tolerance * norm2(w, b);
    double complex rho = norm2(w, b);
    int iterations = 0;
    memset(x, 0, (size_t)w->volume * sizeof *x);
    copy(w, b, r);
    copy(w, b, p);
    while (!(norm2(w, r) <= stop) && iterations < limit) {
        wilson_ref_schur(s, WILSON_PLAIN, p, v);
        const double complex alpha = rho / wilson_ref_dot(w, b, v);
        axpy(w, -alpha, v, r); /* r is the s of the textbook */
        wilson_ref_schur(s, WILSON_PLAIN, r, t);
        const double complex tr = wilson_ref_dot(w, t, r); /* omega as bicgstab_scalars.h has it */
        const double cosine = cabs(tr) / sqrt(norm2(w, t) * norm2(w, r));
        const double complex omega = tr / norm2(w, t) * fmax(1, 0.6 / cosine);
        axpy(w, alpha, p, x);
        axpy(w, omega, r, x);
        axpy(w, -omega, t, r);
        const double complex rho_next = wilson_ref_dot(w, b, r);
        const double complex beta = rho_next / rho * (alpha / omega);
        rho = rho_next;
        axpy(w, -omega, v, p);
        xpay(w, r, beta, p);
        iterations++;
    }
    if (!(norm2(w, r) <= stop)) {
        iterations = -1;
    }
    free(r);
    free(p);
    free(v);
    free(t);
    return iterations;
}

/* out = B in or B^+ in, for conjugate gradients on B^+ B x = B^+ b */
typedef void (*apply_function)(const void *data, wilson_dagger dagger, const wilson_spinor *in,
                               wilson_spinor *out);

static int normal_cg(const wilson_ref *w, apply_function apply, const void *data,
                     const wilson_spinor *b, double tolerance, int limit, wilson_spinor *x)
{
    wilson_spinor *r = wilson_ref_field(w->volume), *p = wilson_ref_field(w->volume);
    wilson_spinor *bp = wilson_ref_field(w->volume), *z = wilson_ref_field(w->volume);
    int iterations = 0;
    memset(x, 0, (size_t)w->volume * sizeof *x);
    copy(w, b, r);
    apply(data, WILSON_DAGGER, r, z);
    copy(w, z, p);
    double zz = norm2(w, z);
    const double stop = tolerance * tolerance * zz;
    while (!(zz <= stop) && iterations < limit) {
        apply(data, WILSON_PLAIN, p, bp);
        const double alpha = zz / norm2(w, bp);
        axpy(w, alpha, p, x);
        axpy(w, -alpha, bp, r);
        apply(data, WILSON_DAGGER, r, z);
        const double zz_next = norm2(w, z);
        xpay(w, z, zz_next / zz, p);
        zz = zz_next;
        iterations++;
    }
    if (!(zz <= stop)) {
        iterations = -1;
    }
    free(r);
    free(p);
    free(bp);
    free(z);
    return iterations;
}

static void apply_schur(const void *data, wilson_dagger dagger, const wilson_spinor *in,
                        wilson_spinor *out)
{
    wilson_ref_schur(data, dagger, in, out);
}

static void apply_whole(const void *data, wilson_dagger dagger, const wilson_spinor *in,
                        wilson_spinor *out)
{
    wilson_ref_operator(data, dagger, in, out);
}

int wilson_ref_cgnr(const wilson_schur *s, const wilson_spinor *b, double tolerance, int limit,
                    wilson_spinor *x)
{
    return normal_cg(s->w, apply_schur, s, b, tolerance, limit, x);
}

int wilson_ref_cg_whole(const wilson_ref *w, const wilson_spinor *src, double tolerance, int limit,
                        wilson_spinor *x)
{
    return normal_cg(w, apply_whole, w, src, tolerance, limit, x);
}

int wilson_ref_solve(const wilson_schur *s, const wilson_spinor *src, double tolerance,
                     wilson_spinor *x)
{
    wilson_spinor *b = wilson_ref_field(s->w->volume);
    wilson_ref_schur_source(s, src, b);
    const int iterations = wilson_ref_bicgstab(s, b, tolerance, 2000, x);
    wilson_ref_schur_rebuild(s, src, x);
    free(b);
    return iterations;
}

double wilson_ref_propagator(const wilson_ref *w, const int at[NAIK_DIM], double tolerance,
                             wilson_spinor *column[12])
{
    const wilson_schur s = {.w = w, .parity = (naik_parity)naik_parity_of(at)};
    double largest = 0;
    for (int k = 0; k < 12; k++) {
        wilson_spinor *src = wilson_ref_field(w->volume);
        src[wilson_ref_site(w, at)][k / 3][k % 3] = 1;
        column[k] = wilson_ref_field(w->volume);
        const bool solved = wilson_ref_solve(&s, src, tolerance, column[k]) >= 0;
        largest = naik_worst(largest, solved ? wilson_ref_residual(w, src, column[k]) : INFINITY);
        free(src);
    }
    return largest;
}

void wilson_ref_columns_free(wilson_spinor *column[12])
{
    for (int k = 0; k < 12; k++) {
        free(column[k]);
        column[k] = NULL;
    }
}

/* tr [ left S right S^+ ] of the 12 x 12 matrix S at one site */
static double complex trace(wilson_spinor *const column[12], int64_t x, const wilson_spin left,
                            const wilson_spin right)
{
    double complex sum = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            for (int k = 0; k < 4; k++) {
                for (int l = 0; l < 4; l++) {
                    const double complex weight = left[i][j] * right[k][l];
                    for (int c = 0; weight != 0 && c < 9; c++) {
                        sum += weight * column[3 * k + c % 3][x][j][c / 3] *
                               conj(column[3 * l + c % 3][x][i][c / 3]);
                    }
                }
            }
        }
    }
    return sum;
}

void wilson_ref_meson(const wilson_ref *w, wilson_spinor *const column[12], const wilson_spin sink,
                      const wilson_spin source, const int momentum[3], double complex *corr)
{
    wilson_spin left, right;
    wilson_spin_multiply(wilson_gamma[4], sink, left);
    wilson_spin_multiply(source, wilson_gamma[4], right);
    for (int t = 0; t < w->size[3]; t++) {
        corr[t] = 0;
    }
    for (int64_t site = 0; site < w->volume; site++) {
        int x[NAIK_DIM];
        double weight = 1;
        wilson_ref_coords(w, site, x);
        for (int k = 0; k < 3; k++) {
            weight *= cos(2 * acos(-1) * momentum[k] * x[k] / w->size[k]);
        }
        corr[x[3]] += weight * trace(column, site, left, right);
    }
}
