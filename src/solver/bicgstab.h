/* bicgstab.h - B x = b where B is not hermitian, batched over right-hand sides
 *
 * B is naik_operator_ops.apply on the sites of one parity, as Mh of Wilson quarks is (wilson.h).
 * BiCGStab (H. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992) 631), or conjugate gradient on
 * the normal equations, which needs more applications but never breaks down. The iteration runs in
 * the fastest storage that there is; whenever |r| has dropped by `delta` or claims to be converged,
 * the rhs freezes until the host polls, what was found is added to x in double, and r = b - B x is
 * formed in double (reliable updates, as cg.h). BiCGStab keeps its direction then, and begins anew
 * from r where that is not what was iterated, or where |r| was not halved for long; from x = 0 where x
 * had become worse than that. An rhs whose |r| is not halved below double, and one whose three new
 * beginnings brought nothing, goes on with BiCGStab in double; from there, for the latter reason, with
 * the normal equations in double. Only |b - B x| decides, whatever iterates. No bit depends on what
 * else is in the batch, nor on how often the host polls.
 */
#ifndef NAIK_SOLVER_BICGSTAB_H
#define NAIK_SOLVER_BICGSTAB_H

#include "solver/cg.h"

typedef enum naik_method {
    NAIK_METHOD_BICGSTAB,
    NAIK_METHOD_CG /* on the normal equations */
} naik_method;

/* Fields and scalars for a batch of `width` rhs, made once. */
typedef struct naik_bicgstab naik_bicgstab;

/* op      as of naik_cg_create; of those that are there the one of fewest bits is iterated with
 * vectors precision of the vectors that go with it; NAIK_DOUBLE: double is all there is
 * Collective. NAIK_ERR_ARG, NAIK_ERR_MEMORY */
naik_status naik_bicgstab_create(const naik_operator op[NAIK_PRECISIONS], naik_precision vectors,
                                 naik_method method, int width, naik_bicgstab **out);
void naik_bicgstab_destroy(naik_bicgstab **solver);
/* Bytes of the fields on this rank, without the operator's, for the memory plan. */
size_t naik_bicgstab_bytes(const naik_geometry *geometry, int spin, naik_precision vectors,
                           int width);

/* Solves all systems of the stream, whose shifts count for nothing. Of the options those that
 * concern rungs and stray are not used, nor the corrections of the stream's starter; what went into
 * its starting values is not counted. Collective. Failures as of naik_cg_solve. */
naik_status naik_bicgstab_solve(naik_bicgstab *solver, naik_parity parity,
                                const naik_cg_options *options, const naik_cg_stream *stream);
naik_solver naik_bicgstab_solver(naik_bicgstab *solver);

#endif
