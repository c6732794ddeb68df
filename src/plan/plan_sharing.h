/* plan_sharing.h - whether the masses of a source share a Krylov space
 */
#ifndef NAIK_PLAN_PLAN_SHARING_H
#define NAIK_PLAN_PLAN_SHARING_H

#include "plan/plan.h"

/* The rule of solver.multishift: the bytes of all solves that could share, apart and together. Sets
 * shifts, groups, shared and multishift of the plan, of which precisions, batches and modes are
 * decided. */
void solve_plan_choose_sharing(solve_plan *plan, const naik_input *input);
/* What each mass costs apart and shared, by the bytes of the rule, the lightest alone being 1. */
void solve_plan_print_sharing(const solve_plan *plan, const naik_input *input, naik_log *log);

#endif
