/* wilson_ref.h - the slow, obvious Wilson, clover and twisted-mass operator that fast ones are tested
 * against
 *
 *   M = A - D/2,   A = m + 4 + C + i mu g5
 *   (D psi)(x) = sum_mu (1 - g_mu) U_mu(x) psi(x+mu) + (1 + g_mu) U_mu(x-mu)^+ psi(x-mu)
 *   C = -(csw/2) sum_{mu<nu} g_mu g_nu F_mu,nu,   F = (Q - Q^+)/8, Q the four plaquettes around x
 *
 * with the gamma matrices of the DeGrand-Rossi basis written out and no projection. Antiperiodic in
 * t means -1 on the t-links of the last time slice. No factor 1/2 in D; a propagator is M^-1 src.
 * K. Wilson, Phys. Rev. D10 (1974) 2445; B. Sheikholeslami, R. Wohlert, Nucl. Phys. B259 (1985) 572.
 *
 * It shares no code with kernels, halos or hop tables: every rank holds the whole lattice and
 * counts global coordinates. Fields are arrays [volume] of the global lattice, x fastest, the same
 * on every rank. Therefore for small lattices only.
 */
#ifndef NAIK_TESTS_WILSON_REF_H
#define NAIK_TESTS_WILSON_REF_H

#include <complex.h>
#include <string.h>

#include "naik/gauge.h"

typedef double complex wilson_spinor[4][3];  /* [spin][colour] */
typedef double complex wilson_colour[3][3];  /* [row][column] */
typedef double complex wilson_spin[4][4];    /* [row][column] */
typedef double complex wilson_block[12][12]; /* row and column 3 spin + colour */

typedef struct wilson_ref {
    int size[NAIK_DIM];
    int64_t volume;
    double mass;
    wilson_colour (*link)[NAIK_DIM];  /* [volume][mu], with the sign of the boundary */
    wilson_block *diagonal, *inverse; /* [volume]: A and A^-1; NULL where csw = mu = 0 */
} wilson_ref;

/* The operator on thin links without phases, which may be spread over ranks in any way.
 * Collective. NAIK_ERR_ARG: a lattice of more than 2^16 sites, or a singular A; NAIK_ERR_MEMORY,
 * NAIK_ERR_MPI */
naik_status wilson_ref_create(const naik_gauge *u, bool antiperiodic_t, double mass,
                              double twisted_mass, double csw, wilson_ref **out);
void wilson_ref_destroy(wilson_ref **w);

/* re + i im, whatever they are; not every compiler has CMPLX. */
static inline double complex wilson_complex(double re, double im)
{
    const double parts[2] = {re, im};
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

/* g_mu for mu = 0..3; g5 = g_x g_y g_z g_t for mu = 4. */
extern const wilson_spin wilson_gamma[5];
/* out = a b; out = gamma in. Not in place. */
void wilson_spin_multiply(const wilson_spin a, const wilson_spin b, wilson_spin out);
void wilson_spin_apply(const wilson_spin gamma, const wilson_spinor in, wilson_spinor out);

/* Zeroed [count] spinors; ends the program where there is no memory. */
wilson_spinor *wilson_ref_field(int64_t count);
/* The numbers of all ranks' boxes, `in` [sites][4][3][2] in local order, in global order. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status wilson_ref_collect(const naik_lattice *lat, const double *in, wilson_spinor *out);

int64_t wilson_ref_site(const wilson_ref *w, const int x[NAIK_DIM]); /* taken periodically */
void wilson_ref_coords(const wilson_ref *w, int64_t site, int x[NAIK_DIM]);

/* Which of a pair of operators. */
typedef enum wilson_dagger { WILSON_PLAIN, WILSON_DAGGER } wilson_dagger;

/* Below: `in` and `out` are [volume], not the same array. */

/* out = D in or D^+ in. */
void wilson_ref_dslash(const wilson_ref *w, wilson_dagger dagger, const wilson_spinor *in,
                       wilson_spinor *out);
/* out = A in, or A^-1 in. */
void wilson_ref_diagonal(const wilson_ref *w, const wilson_spinor *in, wilson_spinor *out);
void wilson_ref_inverse(const wilson_ref *w, const wilson_spinor *in, wilson_spinor *out);
/* out = M in or M^+ in. */
void wilson_ref_operator(const wilson_ref *w, wilson_dagger dagger, const wilson_spinor *in,
                         wilson_spinor *out);

/* The even-odd Schur complement on parity p, q the other:
 *
 *   symmetric   Mh = 1 - 1/4 A_pp^-1 D_pq A_qq^-1 D_qp
 *   asymmetric  Mh = A_pp - 1/4 D_pq A_qq^-1 D_qp
 *
 * `in` counts on p only; `out` is zero on q. */
typedef struct wilson_schur {
    const wilson_ref *w;
    naik_parity parity;
    bool asymmetric;
} wilson_schur;
void wilson_ref_schur(const wilson_schur *s, wilson_dagger dagger, const wilson_spinor *in,
                      wilson_spinor *out);
/* b_p = A_pp^-1 (src_p + 1/2 D_pq A_qq^-1 src_q), without the A_pp^-1 in the asymmetric form. */
void wilson_ref_schur_source(const wilson_schur *s, const wilson_spinor *src, wilson_spinor *b);
/* x_q = A_qq^-1 (src_q + 1/2 D_qp x_p), written beside the x_p that x holds. */
void wilson_ref_schur_rebuild(const wilson_schur *s, const wilson_spinor *src, wilson_spinor *x);

/* <a, b> = sum a* b over the lattice. */
double complex wilson_ref_dot(const wilson_ref *w, const wilson_spinor *a, const wilson_spinor *b);
/* |src - M x| / |src| on the whole lattice. */
double wilson_ref_residual(const wilson_ref *w, const wilson_spinor *src, const wilson_spinor *x);

#endif
