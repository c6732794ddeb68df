/* current.h - the conserved vector current between a quark and an antiquark
 *
 * The current J of M = 2m + D or M = m + 4 + C - D/2 is the one whose divergence is
 *
 *   sum_mu J_mu(x) - J_mu(x - mu) = p(x) (M q)(x) - (p M)(x) q(x)
 *
 * at every site, of every quark q and antiquark p: exactly, so that it vanishes where neither of two
 * solutions of one mass has a source, and needs no renormalisation.
 *
 * Staggered quarks, with p = eps q1 of the antiquark's propagator q1, V and L fat and long links as they
 * are in D (L = 0: naive), eps(x) = (-1)^(x+y+z+t):
 *
 *   J_mu(x) = A(x) + K(x) + K(x - mu) + K(x - 2 mu)
 *   A(x) = p(x)^+ V(x) q(x + mu) + p(x + mu)^+ V(x)^+ q(x)        K(x): the same with L and x + 3 mu
 *
 * Quarks with spin, with S of the quark and p = H g5 Z^+ g5 of the antiquark, H at the source:
 *
 *   J_mu(x) = 1/2 tr [ p(x + mu) (1 + g_mu) U(x)^+ S(x) - p(x) (1 - g_mu) U(x) S(x + mu) ]
 *
 * With a twisted mass p is of the quark of the other sign of mu, and the divergence is -2 i mu times the
 * pseudoscalar density of g5. L. Karsten, J. Smit, Nucl. Phys. B183 (1981) 103.
 */
#ifndef NAIK_PROPAGATOR_CURRENT_H
#define NAIK_PROPAGATOR_CURRENT_H

#include "links/smear.h"
#include "naik/gauge.h"
#include "naik/meson.h"
#include "propagator/faces.h"
#include "propagator/gamma.h"

/* The links of the hops of D, on the host, with phases, boundary and twist inside. */
typedef struct naik_hops {
    naik_gauge *one, *three; /* three: of three sites; NULL: there are none */
} naik_hops;
void naik_hops_clear(naik_hops *hops);
/* Copies of fat and long links on the host. Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE */
naik_status naik_hops_of(const naik_fatlong *fat, naik_hops *out);

/* What the links of one direction carry, and room for it. */
typedef struct naik_current {
    const naik_lattice *lattice; /* borrowed */
    int spin, mu;
    bool far;                  /* there are hops of three */
    naik_complex *one, *three; /* [sites] A and K above, counted from x0 of naik_current_fill */
    double *moved, *next;      /* [sites][spin][3][2] */
    naik_faces faces;
} naik_current;

/* Collective. NAIK_ERR_MEMORY; destroy it whatever comes back. */
naik_status naik_current_create(const naik_lattice *lattice, int spin, naik_current **out);
void naik_current_destroy(naik_current **current);
/* Bytes of one on a rank. Local. */
size_t naik_current_bytes(const naik_lattice *lattice, int spin);

/* What the links of direction mu carry.
 *
 *   x0                where eps is counted from
 *   source            H of quarks with spin; else NULL
 *   quark, antiquark  all columns, [columns][sites][spin][3][2]; they may be one
 *
 * The same bits on any number of ranks. Collective. NAIK_ERR_MPI */
naik_status naik_current_fill(naik_current *current, const naik_hops *hops, int mu,
                              const int x0[NAIK_DIM], const naik_gamma *source, const double *quark,
                              const double *antiquark);
/* out [size t] = sum over the x of each time slice of w(x - x0) J_mu(x), w of meson.h. Exact sums.
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_current_sum(const naik_current *current, const naik_frame *frame,
                             naik_complex *out);

/* out [sites][spin][3][2] = K f with K of sum over all x of w(x - x0) J_mu(x) = p^+ K q, or p K q of quarks with spin;
 * not in place. It overwrites what naik_current_fill made but for one and three. With any weight w
 *
 *   sum_mu [ K of w(x) J_mu(x) - w(x) J_mu(x - mu) ] = w M - M w
 *
 * as matrices. The same bits on any number of ranks. Collective. NAIK_ERR_MPI */
naik_status naik_current_apply(naik_current *current, const naik_hops *hops, int mu,
                               const naik_frame *frame, const double *f, double *out);
/* out [2][sites]: the weights of the links of direction mu that begin at each site, over one site and over three. Local.
 * NAIK_ERR_MEMORY */
naik_status naik_current_weights(const naik_lattice *lattice, const naik_frame *frame, int mu,
                                 naik_complex *out);

#endif
