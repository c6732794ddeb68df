/* wilson_quarks.h - operators of Wilson and clover quarks of one mass, as an input asks for them */
#ifndef NAIK_RUN_WILSON_QUARKS_H
#define NAIK_RUN_WILSON_QUARKS_H

#include "operator/wilson_operator.h"
#include "run/link_provider.h"
#include "run/plan.h"

/* For at most `width` rhs; one line on the log. twist: of twist.h, NULL: none. Collective.
 * NAIK_ERR_INPUT   a clover term that cannot be inverted, or a backend without Wilson quarks
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status wilson_quarks_create(const naik_link_provider *source, const naik_geometry *geometry,
                                 const solve_plan *plan, double mass, const double *twist,
                                 int width, naik_wilson_set *out);

#endif
