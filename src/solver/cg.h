/* cg.h - conjugate gradient, batched over right-hand sides, with reliable updates
 *
 *   (shift_c + B^+ B) x_c = b_c   (operator.h), each rhs with its own shift
 *
 * The iteration runs on a rung of a ladder of storage. An rhs freezes until the host polls whenever
 * its residual may have strayed too far from the true one, has dropped by `delta`, claims to be
 * converged or has used up its iterations. Its true residual is then formed in double with the
 * operator in double, and only that decides. M. Clark et al., Comput. Phys. Commun. 181 (2010) 1517
 * (reliable updates, after G. Sleijpen, H. van der Vorst, Computing 56 (1996) 141); when they are
 * needed: H. van der Vorst, Q. Ye, SIAM J. Sci. Comput. 22 (2000) 835. An rhs that its rung does not
 * serve goes on at a safer one.
 */
#ifndef NAIK_SOLVER_CG_H
#define NAIK_SOLVER_CG_H

#include "solver/solver.h"

/* The operator in single precision serves the rungs single and classical. */
extern const naik_solver_kind naik_solver_cg;

/* Where a system begins unless it is told otherwise: the fastest rung that costs no iterations at
 * its shift (doc/performance-choices.md); `half`: with the operator in 16 bits at hand. */
naik_rung naik_rung_first(double shift, bool half);
/* |dx|/|r| up to which the iterated residual is believed. It strays from the true one by c |dx|, c
 * a property of the storage: 2.7e-7 in single precision, 2.6e-4 with 16-bit numbers
 * (doc/performance-choices.md). What is allowed for is 3e-2 |r| with 16-bit numbers, 1e-3 |r| in single and
 * 1e-4 |r| in the classical form, which is for shifts at which more costs iterations. */
double naik_cg_stray(naik_rung rung);
/* The drop of |r| after which a true residual is formed in any case. */
double naik_cg_delta(naik_rung rung);

#endif
