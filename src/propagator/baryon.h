/* baryon.h - correlators of three quarks
 *
 * Quarks with spin:  C(t) = sum_x tr [ P <B(x) Bbar(x0)> ],  P = (1 + gt)/2, of the other parity (1 - gt)/2
 *
 *   octet     N = eps_abc (q_a^T C g5 r_b) s_c                                         C = gy gt
 *             L = 1/sqrt(6) eps_abc [2 (q_a^T C g5 r_b) s_c + (q_a^T C g5 s_b) r_c - (r_a^T C g5 s_b) q_c]
 *   decuplet  D_i = sqrt(2/3) eps_abc [(q_a^T C gi r_b) s_c + (r_a^T C gi s_b) q_c + (s_a^T C gi q_b) r_c]
 *
 * and Bbar = B^+ gt. N of u, d and u is the nucleon, of u, s and u the Sigma, of s, u and s the Xi; q and s change
 * places where they are one, r is a flavour of its own. L is the Lambda of u, d and s: no two change places. D has
 * spin 3/2: P stands for P (delta_ij - gi gj / 3) beside <D_j Dbar_i>, and i and j are summed. D is what three quarks
 * of one flavour give with eps (q C gi q) q, and two with 1/sqrt(3) eps [2 (q C gi s) q + (q C gi q) s], whose
 * contractions are the same function of the three propagators: Delta, Sigma*, Xi* and Omega.
 * D. Leinweber, R. Woloshyn, T. Draper, Phys. Rev. D43 (1991) 1659; D. Leinweber, T. Draper, R. Woloshyn, Phys. Rev.
 * D46 (1992) 3067.
 *
 * Staggered quarks, x over the sites at one corner of the hypercube (x, y and z modulo 2):
 *
 *   nucleon   C(t) = sum_x det G(x), rows by source colour
 *   Delta     C(t) = sum_x sum_abc eps_abc det [ (D_x G)_a, (D_y G)_b, (D_z G)_c ](x),
 *             (D_k G)(x) = 1/2 [ U_k(x) G(x + k) + U_k(x - k)^+ G(x - k) ]             U thin, or 1 in Coulomb gauge
 *
 * The eight corners are the eight tastes of the local nucleon. For three different quarks it is the mean over the six
 * assignments of them to the source colours, of the Delta to the directions.
 * M. Golterman, J. Smit, Nucl. Phys. B255 (1985) 328.
 *
 * No 1/V, no sign; three quarks change sign across an antiperiodic boundary. All sums are exact: the same bits on every
 * process grid. All functions are collective and return NAIK_ERR_MEMORY, NAIK_ERR_MPI.
 */
#ifndef NAIK_PROPAGATOR_BARYON_H
#define NAIK_PROPAGATOR_BARYON_H

#include "naik/gauge.h"
#include "propagator/spin_taste.h"

typedef enum naik_baryon {
    NAIK_NUCLEON,
    NAIK_DELTA,
    NAIK_LAMBDA, /* from here on of quarks with spin alone, */
    NAIK_NUCLEON_ODD,
    NAIK_DELTA_ODD,
    NAIK_LAMBDA_ODD,
    NAIK_DELTA_COULOMB, /* from here on of staggered quarks, */
    NAIK_NUCLEON_TASTE, /* and from here on eight: corner x + 2 y + 4 z */
    NAIK_BARYONS = NAIK_NUCLEON_TASTE + 8
} naik_baryon;

/* Whether quarks with or without spin have it. Local. */
static inline bool naik_baryon_has(int baryon, bool spin)
{
    return baryon <= (int)NAIK_DELTA || (baryon < (int)NAIK_DELTA_COULOMB) == spin;
}
/* Of staggered quarks: one whose quarks lie beside its corner. Local. */
static inline bool naik_baryon_is_displaced(int baryon)
{
    return baryon == (int)NAIK_DELTA || baryon == (int)NAIK_DELTA_COULOMB;
}

/* The corner that a baryon of staggered quarks is summed at, given those that all its sources carry (bits of
 * naik_source_corners): the first whose sites, or of a Delta whose three neighbours, are carried; of a taste its own.
 * beside: each source has its own displacement, so that the corner itself counts. false: there is none. Local. */
bool naik_baryon_corner(int baryon, unsigned corners, bool beside, int corner[NAIK_DIM - 1]);

/* out [size t] from columns [12][sites][4][3][2] of the three quarks, column 3 spin + colour; the first is the third
 * where their addresses are one. */
naik_status naik_spin_baryon(const naik_lattice *lattice, naik_baryon baryon,
                             const double *const quark[3], naik_complex *out);

/* out [size t] from g [3][sites][3][2] of the three quarks, which may be one; shifts: of the Delta, else it may be NULL. */
naik_status naik_staggered_baryon(const naik_lattice *lattice, naik_baryon baryon,
                                  naik_shifts *shifts, const int corner[NAIK_DIM - 1],
                                  const double *const g[3], naik_complex *out);
/* Bytes on a rank while a Delta of so many different quarks is made. Local. */
int64_t naik_staggered_baryon_bytes(const naik_lattice *lattice, int quarks);

#endif
