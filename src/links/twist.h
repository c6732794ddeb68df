/* twist.h - twisted boundaries in space, as phases of links
 *
 *   U_mu(s) -> exp(2 pi i twist_mu / L_mu) U_mu(s),   mu = x, y, z
 *
 * Quarks on such links stay periodic and have the momentum `twist` on top of their own, in units of
 * 2 pi / L. But for a phase at each site, these are the links whose fields take exp(2 pi i twist)
 * across the boundary. All paths of a fat link lead one site on, those of a long link three, and
 * HISQ's projections keep phases: fat links take the phase of one hop, long ones of three.
 * P. Bedaque, PLB 593 (2004) 82; C. Sachrajda, G. Villadoro, PLB 609 (2005) 73.
 */
#ifndef NAIK_LINKS_TWIST_H
#define NAIK_LINKS_TWIST_H

#include "links/smear.h"

/* ", twist x y z" for the log; twist NULL: "". */
enum { NAIK_TWIST_TEXT = 96 };
void naik_twist_text(const double *twist, char text[NAIK_TWIST_TEXT]);

/* Whether two are one; NULL: none, as three zeros. */
bool naik_twist_same(const double *a, const double *b);
static inline bool naik_twist_none(const double twist[NAIK_DIM - 1])
{
    return twist[0] == 0 && twist[1] == 0 && twist[2] == 0;
}

/* New links, of `hops` sites each, where those of u are; u is only read.
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE. */
naik_status naik_gauge_twist(const naik_gauge *u, const double twist[NAIK_DIM - 1], int hops,
                             naik_gauge **out);

/* Twists fat and long links of a set, which takes new ones for those that it shares. Collective; after a failure
 * the set is as good as destroyed. NAIK_ERR_MEMORY, NAIK_ERR_DEVICE. */
naik_status naik_fatlong_twist(naik_fatlong *links, const double twist[NAIK_DIM - 1]);

#endif
