/* family.c - which quarks share near-null vectors, and which of them is the lighter */
#include "quark/family.h"

#include <math.h>

bool quark_multigrid_is_family(const naik_quark *a, const naik_quark *b)
{
    return a->kind == b->kind && naik_quark_csw(a) == naik_quark_csw(b) &&
           naik_twist_same(a->twist, b->twist);
}

bool quark_multigrid_is_lighter(const naik_quark *a, const naik_quark *b)
{
    return a->mass < b->mass || (a->mass == b->mass && fabs(a->mu) < fabs(b->mu));
}
