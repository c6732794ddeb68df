/* wilson_solve_ref.h - textbook solvers for the reference Wilson operator, propagators, mesons
 *
 * One vector, double precision, nothing clever: what they get and how many iterations they take is
 * what the product's solvers are compared with.
 */
#ifndef NAIK_TESTS_WILSON_SOLVE_REF_H
#define NAIK_TESTS_WILSON_SOLVE_REF_H

#include "wilson_ref.h"

/* Each solves Mh x = b on the parity of `s` from x = 0, and returns the iterations it took, -1 where
 * `limit` was not enough.
 *
 * BiCGStab: H. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631; the shadow residual is b.
 * Two applications of Mh an iteration; ends at |r| <= tolerance |b|, r as iterated. */
int wilson_ref_bicgstab(const wilson_schur *s, const wilson_spinor *b, double tolerance, int limit,
                        wilson_spinor *x);
/* Conjugate gradient on Mh^+ Mh x = Mh^+ b; ends at |Mh^+ r| <= tolerance |Mh^+ b|. */
int wilson_ref_cgnr(const wilson_schur *s, const wilson_spinor *b, double tolerance, int limit,
                    wilson_spinor *x);
/* Conjugate gradient on M^+ M x = M^+ src on the whole lattice, nothing preconditioned; ends as the
 * one before. */
int wilson_ref_cg_whole(const wilson_ref *w, const wilson_spinor *src, double tolerance, int limit,
                        wilson_spinor *x);

/* M x = src by BiCGStab on the Schur complement; iterations or -1. */
int wilson_ref_solve(const wilson_schur *s, const wilson_spinor *src, double tolerance,
                     wilson_spinor *x);

/* The propagator from a point: column 3 s + c is M^-1 of the source with spin s and colour c there.
 * Returns the largest |src - M x|/|src|, or infinity where a solve failed; the columns are the
 * caller's to free (wilson_ref_columns_free). */
double wilson_ref_propagator(const wilson_ref *w, const int at[NAIK_DIM], double tolerance,
                             wilson_spinor *column[12]);
void wilson_ref_columns_free(wilson_spinor *column[12]);

/* corr[t] = sum_x cos(px x) cos(py y) cos(pz z) tr [ g5 sink S source g5 S^+ ], p_k = 2 pi
 * momentum_k / size_k, S[3 spin + colour][3 spin + colour] with the sink first; the source at the
 * origin. */
void wilson_ref_meson(const wilson_ref *w, wilson_spinor *const column[12], const wilson_spin sink,
                      const wilson_spin source, const int momentum[3], double complex *corr);

#endif
