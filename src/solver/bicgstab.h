/* bicgstab.h - B x = b where B is not hermitian, batched over right-hand sides
 *
 * B is naik_operator_ops.apply on the sites of one parity, as Mh of quarks with spin is (wilson.h).
 * BiCGStab (H. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631), or conjugate gradient on the
 * normal equations, which needs more applications but never breaks down. The iteration runs in the
 * fastest storage that there is; whenever |r| has dropped by `delta`, which single precision leaves out
 * where the end is near, or claims to be converged, the rhs freezes until the host polls, what was
 * found is added to x in double, and r = b - B x is formed in double (reliable updates, as cg.h).
 * BiCGStab keeps its direction then, and begins anew from r where that is not what was iterated, or
 * where |r| was not halved for long; from x = 0 where x had become worse than that. An rhs whose |r| is
 * not halved below double goes on with BiCGStab in double, in its direction; one whose three new
 * beginnings brought nothing goes on there as well, from r, and from there with the normal equations in
 * double. Only |b - B x| decides, whatever iterates. No bit depends on what else is in the batch, nor
 * on how often the host polls.
 *
 * naik_solver_multigrid begins with flexible GCR in single (gcr.h), whose preconditioner is a multigrid cycle.
 * An rhs that does not halve |r| in 32 of its iterations goes on with BiCGStab in double. What is kept of an
 * rhs in mid solve is x at its last true residual: from there the iterations are done again.
 */
#ifndef NAIK_SOLVER_BICGSTAB_H
#define NAIK_SOLVER_BICGSTAB_H

#include "solver/solver.h"

typedef enum naik_method {
    NAIK_METHOD_BICGSTAB,
    NAIK_METHOD_CG,        /* on the normal equations */
    NAIK_METHOD_MULTIGRID, /* GCR with the options' preconditioner */
    NAIK_METHOD_AUTO       /* of inputs alone: multigrid, or one of the others, as solves show */
} naik_method;

/* A solve iterates with the operator of fewest bits that is there. It uses neither the options of rungs and
 * stray, nor the shifts of systems, nor the corrections of a
 * starter. */
extern const naik_solver_kind naik_solver_bicgstab, naik_solver_normal, naik_solver_multigrid;
const naik_solver_kind *naik_method_solver(naik_method method);
/* Whether a kept state is of a solve that began with the preconditioner, and may have left it since. */
bool naik_solver_state_is_multigrid(const naik_solver_state *state);

#endif
