/* cost_multigrid.h - which masses of a planned run take multigrid, and what that takes
 *
 * solver.method multigrid takes it for all. auto takes it where the pilot run did, or where the iterations of the plan are more
 * than those from which on it pays (plan_multigrid.h). The grid and the memory of a case may have no room for it.
 */
#ifndef NAIK_PLAN_COST_MULTIGRID_H
#define NAIK_PLAN_COST_MULTIGRID_H

#include "plan/cost.h"

/* Sets multigrid, outer and steps of the masses of *c, out of its pilot. Local. */
void cost_multigrid_expect(const naik_input *input, cost *c);
/* Seconds of it in a case whose plan has it, whether it is taken or not. Local. NAIK_ERR_MEMORY */
naik_status cost_multigrid_time(naik_log *log, const naik_input *input, const cost *all,
                                cost_case *c);
/* Whether auto takes it for mass i as it did for a heavier one, without a try. */
bool cost_multigrid_follows(const cost *all, int i);
/* Iterations of the first column that auto gives up for multigrid, of mass i. */
int cost_multigrid_limit(const naik_input *input, const cost *all, int i);

#endif
