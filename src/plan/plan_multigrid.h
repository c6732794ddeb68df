/* plan_multigrid.h - whether a run may take multigrid, what it needs then, and from where on it pays
 *
 * solver.method multigrid always does. solver.method auto may where the lattice is cut into aggregates that
 * the boxes of the grid hold, and memory has room for it; otherwise `without` of the plan
 * says why not. The choices of an output keep which of the two it was.
 */
#ifndef NAIK_PLAN_PLAN_MULTIGRID_H
#define NAIK_PLAN_PLAN_MULTIGRID_H

#include "multigrid/setup.h"
#include "plan/plan.h"

enum { SOLVE_PLAN_MULTIGRID_TEXT = 24 };

/* Sets multigrid, multigrid_auto and without, as far as memory has no say. */
void solve_plan_allow_multigrid(solve_plan *plan, const naik_input *input, const naik_lattice *lat);
/* Memory is too small for the plan, which does without multigrid from now on; what_fits: a clause. */
void solve_plan_forgo_multigrid(solve_plan *plan, const char *what_fits);
/* Bytes of multigrid on this rank in its own batch, where the plan has it; a grid that does not hold it is refused elsewhere. */
naik_multigrid_sizes solve_plan_multigrid_sizes(const solve_plan *plan, const naik_input *input,
                                                const naik_geometry *geometry);
/* For the choices: " multigrid=on", or nothing. */
void solve_plan_describe_multigrid(const solve_plan *plan, char text[SOLVE_PLAN_MULTIGRID_TEXT]);
/* Takes what the choices of a begun output say. solved: it has solutions by multigrid; undecided: it may get some;
 * one that is neither goes on without it where it must. NAIK_ERR_INPUT   it cannot go on so */
naik_status solve_plan_restore_multigrid(solve_plan *plan, const naik_input *input, naik_log *log,
                                         const char *choices, bool solved, bool undecided);
void solve_plan_print_multigrid(const solve_plan *plan, const naik_input *input, naik_log *log);

#endif
