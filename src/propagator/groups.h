/* groups.h - which solves of a stream share a Krylov space, and in which order
 *
 * Solves that the stream calls one group and whose source sits on one parity have the same
 * right-hand side up to a factor (naik_operator_ops.scale). The smallest mass of the whole group is the base of
 * its members even where it is solved already, so that a continued run makes the same bits.
 */
#ifndef NAIK_PROPAGATOR_GROUPS_H
#define NAIK_PROPAGATOR_GROUPS_H

#include "solver/multishift.h"

/* What is known of a solve before it is begun. */
typedef struct solve_info {
    double mass, tolerance;
    double scale;  /* power of two that the solver's source is multiplied by */
    bool on[2];    /* the source is not zero on even, on odd sites */
    int64_t group; /* -1: none */
    double base;   /* smallest mass of the group */
    bool taken;    /* solved, or among those being solved */
} solve_info;

/* Solves at work together. */
typedef struct group_batch {
    int groups;
    naik_shift_group group[NAIK_MAX_RHS];
    double base[NAIK_MAX_RHS];    /* mass */
    int64_t member[NAIK_MAX_RHS]; /* any one of each group: the source */
    int64_t count;                /* solves */
    int64_t *index;               /* [count] */
    int *of, *shift;              /* [count]: group and shift of each; of -1: none */
} group_batch;

/* Fills the batch, whose three lists have room for `count` entries, from the solves
 * todo[0..count-1] that are not taken yet: at most `groups` of at most `shifts` masses each. With
 * none left it takes all the others, groups 0. count 0: everything is taken. Local, the same on
 * all ranks. */
void group_batch_next(const naik_operator_ops *ops, solve_info info[], const int64_t todo[],
                      int64_t count, int groups, int shifts, group_batch *batch);

#endif
