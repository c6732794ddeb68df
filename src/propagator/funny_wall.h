/* funny_wall.h - MILC's funny walls: one source each for mesons of six tastes
 *
 *   funnywall1 = [1 + (-1)^z + (-1)^(x+z+t) B] E                      pion5 + rhoz + pioni
 *   funnywall2 = [(-1)^(x+y+z+t) + (-1)^(x+y) + (-1)^(y+t) B] E      pion05 + rhoz0 + pioni0
 *
 * E is 1 on all sites of a time slice, and B moves a vector by one site in x and one in y:
 *
 *   B = (S_x S_y + S_y S_x)/2,   (S_k v)(x) = (U_k(x) v(x + k) + U_k(x - k)^+ v(x - k))/2
 *
 * with thin links without phases. As operators of spin and taste these are the three pions and rhos
 * with i = z that MILC adds up (apply_funnywall in generic/quark_source_sink_op.c, r_offset 0; it builds
 * them from shifts with the staggered phases, which are multiplied out above). Against E, funnywall1 is
 * meant for pion5, pioni5, pioni, pions, rhoi and rhos, funnywall2 for pion05, pionij, pioni0, pion0,
 * rhoi0 and rho0. Links in Coulomb gauge.
 * M. Golterman, J. Smit, Nucl. Phys. B245 (1984) 61; M. Golterman, Nucl. Phys. B273 (1986) 663.
 */
#ifndef NAIK_PROPAGATOR_FUNNY_WALL_H
#define NAIK_PROPAGATOR_FUNNY_WALL_H

#include "naik/source.h"
#include "propagator/gauss_smear.h"

/* out [sites][3][2] = column `colour` of a source of type NAIK_SOURCE_FUNNYWALL1 or _FUNNYWALL2 on
 * time slice source->origin[3]. The same bits on any number of ranks.
 *   hops  of stride 1, with that slice among the chosen ones
 * Collective. NAIK_ERR_ARG for another type, slice or colour; NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_funny_wall(const naik_lattice *lattice, const naik_source *source,
                            naik_gauss *hops, int colour, double *out);

#endif
