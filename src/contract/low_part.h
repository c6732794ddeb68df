/* low_part.h - the part of staggered propagators and mesons that low modes carry, on the host
 *
 * With the even sites v of a mode (modes.h), D_eo D_oe v = -4 lambda^2 v, and its odd sites w = D_oe v / (2 lambda), both of
 * length 1, D has the eigenvalues +2 i lambda and -2 i lambda on the span of v and w. Both together give
 *
 *   G_low = sum over modes of g [ m (v v^+ + w w^+) + lambda (v w^+ - w v^+) ],    g = 1/(2 (m^2 + lambda^2))
 *
 * of M^-1 = (2m + D)^-1. A local meson of it, from a point source at y and in the mean over all y of the lattice, is
 *
 *   C(t) = 1/V sum over y, x with x_t = y_t + t of w(x - y) phi(x - y) Tr G_low(x, y) G_low(x, y)^+
 *        = 1/V sum_s sum_ij g_i g_j { m^2 [ E_ij(s+t) E_ij(s)* + O_ij(s+t) O_ij(s)* ]
 *                                     + lambda_i lambda_j [ E_ij(s+t) O_ij(s)* + O_ij(s+t) E_ij(s)* ] }
 *   E_ij(s) = sum over even x of time slice s of w(x) phi(x) v_i(x)^+ v_j(x)        O_ij(s): the same of odd x and w_i, w_j
 *
 * because w and phi of a difference are products. All masses come from one E and O. They are sums of numbers rounded to
 * multiples of 2^-60, so that their bits know nothing of ranks and threads.
 *
 * A mode that is none exactly does no harm: v and w are then two vectors, and the formulas those of what they define.
 */
#ifndef NAIK_CONTRACT_LOW_PART_H
#define NAIK_CONTRACT_LOW_PART_H

#include "naik/meson.h"
#include "propagator/current.h"

typedef struct low_part {
    const naik_lattice *lattice;           /* borrowed */
    int count;                             /* of modes */
    float *vector;                         /* [count][sites][6]: v on even sites, w on odd ones */
    double *lambda;                        /* [count] */
    naik_complex *sums;                    /* [T][2][count][count]: E and O */
    int64_t *words;                        /* [2][count][count][2], of one time slice */
    double *whole, *moved, *next, *hopped; /* [sites][6] */
    naik_faces faces;
} low_part;

/* Bytes of one on a rank. Local. */
int64_t low_part_bytes(const naik_lattice *lattice, int count);
/* lambda2 [count] as modes.h has it. NAIK_ERR_MEMORY; clear it whatever comes back. Local. */
naik_status low_part_create(const naik_lattice *lattice, int count, const double *lambda2,
                            low_part *out);
void low_part_clear(low_part *part);
/* Mode number `index`, even [sites / 2][6] in checkerboard order along x; hops: the links of D. Collective.
 * *length: |D_oe v|^2, which lambda2 is. NAIK_ERR_MPI */
naik_status low_part_put(low_part *part, int index, const float *even, const naik_hops *hops,
                         double *length);

/* c [2][count]: v^+ src of all modes, then w^+ src; exact sums. Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status low_part_project(const low_part *part, const double *src, naik_complex *c);
/* out [sites][6] = G_low src of this mass. Local. */
void low_part_solution(const low_part *part, const naik_complex *c, double mass, double *out);
/* out [masses][size t] = C(t) above; frame->origin is not asked for, and its weight is no cosine where it moves.
 * Collective. NAIK_ERR_MPI */
naik_status low_part_meson(low_part *part, naik_meson meson, const naik_frame *frame,
                           const double *mass, int masses, naik_complex *out);

#endif
