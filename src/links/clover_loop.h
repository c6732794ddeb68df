/* clover_loop.h - clover blocks in the host's memory: a row of naik_link_ops_host */
#ifndef NAIK_LINKS_CLOVER_LOOP_H
#define NAIK_LINKS_CLOVER_LOOP_H

#include "links/link_ops.h"

naik_status naik_clover_loop(const naik_ghosted *u, double diagonal, double csw,
                             naik_clover *clover, int64_t *singular);

#endif
