/* multishift_cost.h - what several masses cost, solved apart and from a shared Krylov space
 *
 * The rule behind `solver.multishift: auto`: bytes moved a parity site, by the floor model, from
 * the input alone, so that the same input is solved the same way everywhere. doc/performance-choices.md
 * has the formula and its check.
 */
#ifndef NAIK_PLAN_MULTISHIFT_COST_H
#define NAIK_PLAN_MULTISHIFT_COST_H

#include "solver/multishift.h"

typedef struct multishift_case {
    naik_precision vectors, links; /* of the iteration */
    int recon, points;
    int batch;          /* vectors at a time at most */
    int sources;        /* right-hand sides that have all of these masses */
    int masses;         /* >= 1, on the same links */
    const double *mass; /* > 0, any order */
    double tolerance;
} multishift_case;

/* Right-hand sides that share a Krylov space each, at a time; 0: impossible. */
int multishift_groups(const multishift_case *c);
/* Bytes a parity site of one right-hand side's masses. */
double multishift_separate_bytes(const multishift_case *c);
double multishift_shared_bytes(const multishift_case *c);
/* The part of mass number i in each: shared, the smallest has the space, the others what is theirs. */
double multishift_separate_bytes_of(const multishift_case *c, int i);
double multishift_shared_bytes_of(const multishift_case *c, int i);

#endif
