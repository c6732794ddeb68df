/* host_loops.h - rows of naik_link_ops_host that have a file of their own */
#ifndef NAIK_LINKS_HOST_LOOPS_H
#define NAIK_LINKS_HOST_LOOPS_H

#include "links/link_ops.h"

/* ---- clover_loop.c: clover blocks */

naik_status naik_clover_loop(const naik_ghosted *u, double diagonal, double csw,
                             naik_clover *clover, int64_t *singular);

/* ---- turn_loops.c: gauge fixing */

naik_status naik_turn_loops_find(const naik_ghosted *u, int directions, double omega, int parity,
                                 naik_ghosted *turn);
naik_status naik_turn_loops_apply(const naik_ghosted *turn, int parity, naik_ghosted *u);
naik_status naik_turn_loops_divergence(const naik_ghosted *u, int directions, naik_exactsum *sum);
naik_status naik_turn_loops_reunitarise(naik_ghosted *u, int64_t *bad);
naik_status naik_turn_loops_store(const naik_ghosted *ghosted, int mu, naik_gauge *gauge);

#endif
