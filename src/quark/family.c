/* family.c - which quarks share near-null vectors, and which of them is the lighter */
#include "quark/family.h"

#include <math.h>
#include <stddef.h>

static bool same_twist(const naik_quark *a, const naik_quark *b)
{
    const double *p = naik_quark_twist(a), *q = naik_quark_twist(b);
    return p == q || (p != NULL && q != NULL && p[0] == q[0] && p[1] == q[1] && p[2] == q[2]);
}

bool quark_multigrid_is_family(const naik_quark *a, const naik_quark *b)
{
    return a->kind == b->kind && naik_quark_csw(a) == naik_quark_csw(b) && same_twist(a, b);
}

bool quark_multigrid_is_lighter(const naik_quark *a, const naik_quark *b)
{
    return a->mass < b->mass || (a->mass == b->mass && fabs(a->mu) < fabs(b->mu));
}
