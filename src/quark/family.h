/* family.h - which quarks share near-null vectors, and which of them is the lighter */
#ifndef NAIK_QUARK_FAMILY_H
#define NAIK_QUARK_FAMILY_H

#include "operator/quark.h"

/* Whether two quarks share near-null vectors; whether `a` is the lighter of them. */
bool quark_multigrid_is_family(const naik_quark *a, const naik_quark *b);
bool quark_multigrid_is_lighter(const naik_quark *a, const naik_quark *b);
/* The mass of multigrid.setup_kappa. */
static inline double quark_multigrid_mass_of(double kappa)
{
    return 1 / (2 * kappa) - 4;
}
/* The kappa of a quark, such as that of the one whose near-null vectors were made. */
static inline double quark_multigrid_kappa_of(const naik_quark *quark)
{
    return 1 / (2 * (quark->mass + 4));
}

#endif
