/* scaled_links.h - links times a number, as the long links of smeared actions are */
#ifndef NAIK_TESTS_SCALED_LINKS_H
#define NAIK_TESTS_SCALED_LINKS_H

#include "naik/gauge.h"

static inline void scale_links(naik_gauge *links, double scale)
{
    naik_complex *e = &links->link[0].e[0][0];
    for (int64_t i = 0; i < (int64_t)links->lattice->sites * 4 * 9; i++) {
        e[i].re *= scale;
        e[i].im *= scale;
    }
}

#endif
