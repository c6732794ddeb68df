/* cg_parts.h - what the files of conjugate gradient share: the stages of its batch are the rungs */
#ifndef NAIK_SOLVER_CG_PARTS_H
#define NAIK_SOLVER_CG_PARTS_H

#include "solver/batch.h"
#include "solver/cg.h"

enum { CG_SUMS = 3 }; /* |r|^2, Re (r, A p), |B r|^2 or |B p|^2 */

/* The operator and the vectors of a rung; a vector that the rung has not is NULL. */
naik_normal cg_normal(const naik_solver *s, naik_rung rung);
naik_cg_vectors cg_vectors(const naik_solver *s, naik_rung rung);
static inline naik_rung cg_rung_at_work(const naik_solver *s)
{
    return (naik_rung)s->now;
}
/* A loop of iterations, as launch.h asks for it. */
static inline naik_launch_loop cg_loop(const char *name, const naik_operator *op,
                                       const naik_field *field)
{
    return (naik_launch_loop){name, naik_operator_is_fused(op), op->precision, field};
}

/* quantum_ratio of an rhs (rhs.h): 2^12 times the mean of what a site adds to |r|^2. */
static inline double cg_quantum_ratio(const naik_solver *s)
{
    return 0x1p13 / (double)s->geometry->lattice->volume;
}

/* cg_iterate.c */
/* One step of every running rhs, counted, with B applied to the residual. Only enqueues. */
naik_status cg_step(naik_solver *s, const naik_normal *a, const naik_cg_vectors *v);
/* naik_solver_kind.run and close: before anything but iterations, what the last of them sent is
 * received. */
naik_status cg_run(naik_solver *s, int *count);
naik_status cg_close(naik_solver *s);
/* Whether rhs that ask for a true residual wait until more of them do. */
bool cg_waits_for_company(const naik_solver *s);

/* cg_check.c: naik_solver_kind.check; what the true |r|^2 = rr says of an rhs: done, and why (a
 * naik_solver_reason), or -1 to go on; the next stretch of iterations of an rhs starts from the true
 * |r|^2 = rr, inner_rr that of r as it is stored, inner_rs its product with A p. */
naik_status cg_check(naik_solver *s, const naik_solver_options *options,
                     const naik_solver_stream *stream);
int cg_verdict(const naik_solver *s, const naik_solver_options *options, int c, double rr);
void cg_resume(naik_solver *s, const naik_solver_options *options,
               const naik_solver_starter *starter, int c, double rr, double inner_rr,
               double inner_rs);

/* cg_ladder.c: the rung of a system that is loaded; into its state what the stretch of iterations up
 * to the true |r|^2 = rr says of an rhs; whether an rhs that was checked goes on at a safer rung, and
 * which. */
naik_rung cg_first_rung(const naik_solver *s, const naik_solver_options *options, double shift);
void cg_judge_stretch(naik_solver *s, int c, double rr);
bool cg_climbs(naik_solver *s, const naik_solver_options *options, int c, double rr);

#endif
