/* meson.h - local meson correlators from staggered propagators
 *
 *   C(t) = sum_x w(x - x0) phi(x - x0) sum_{c'} |G_{c'c}(x,t)|^2            for one source colour c
 *   w(y) = exp(2 pi i p.y/L), or the product over x, y, z of cos(2 pi p_k y_k / L_k)
 *
 * Coordinates are counted from x0, as a rule the origin of the source; then C does not depend on where in
 * space the source lies. t is that of the lattice. There is no factor 1/V. The formula is for a point source;
 * the caller adds up the source colours, in the order of the colours.
 *
 * The spins and tastes that need no link between quark and antiquark are those whose taste is the spin,
 * by MILC's names and labels:
 *
 *                       phi                  spin x taste, and the partner of opposite parity
 *   pion5    G5-G5      1                    g5 x g5, the Goldstone pion (PS)
 *   pion05   G1-G1      (-1)^(x+y+z+t)       g0g5 x g0g5 (SC), with 1 x 1, the scalar (a0)
 *   rhox     GX-GX      (-1)^x               gx x gx (VT), with b1; rhoy and rhoz with y and z
 *   rhox0    GXT-GXT    (-1)^(y+z)           gxg0 x gxg0 (PV), with a1; rhoy0, rhoz0 with the others two
 *
 * and, without a name, each of these times (-1)^t: GT-GT, G5T-G5T, GYZ-GYZ, GZX-GZX, GXY-GXY, G5X-G5X,
 * G5Y-G5Y, G5Z-G5Z.
 *
 * M. Golterman, Nucl. Phys. B273 (1986) 663.
 */
#ifndef NAIK_MESON_H
#define NAIK_MESON_H

#include "naik/lattice.h"

typedef enum naik_meson {
    NAIK_PION5,
    NAIK_PION05,
    NAIK_RHOX,
    NAIK_RHOY,
    NAIK_RHOZ,
    NAIK_RHOX0,
    NAIK_RHOY0,
    NAIK_RHOZ0,
    /* the same operators times (-1)^t: of pion5 and pion05, */
    NAIK_GT_GT,
    NAIK_G5T_G5T,
    NAIK_GYZ_GYZ, /* of rhox, rhoy, rhoz, */
    NAIK_GZX_GZX,
    NAIK_GXY_GXY,
    NAIK_G5X_G5X, /* of rhox0, rhoy0, rhoz0 */
    NAIK_G5Y_G5Y,
    NAIK_G5Z_G5Z,
    NAIK_MESONS /* how many there are */
} naik_meson;

/* C(t) of one solution, for one source colour.
 *
 *   frame   x0 and the momentum (lattice.h)
 *   g       [sites][3][2] double, canonical
 *   out     [size t][2] double, real and imaginary part
 *
 * Collective; exact sums, so the bits are the same on every process grid. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_meson_correlator(const naik_lattice *lattice, naik_meson meson,
                                  const naik_frame *frame, const double *g, double *out);

/* MILC's name, "pion5", "rhox0" ...; the label where there is no name. Local. */
const char *naik_meson_name(naik_meson meson);
/* MILC's label of spin and taste, "G5-G5", "GXT-GXT" ... Local. */
const char *naik_meson_label(naik_meson meson);
/* The meson of that name or label; NAIK_MESONS if there is none. Local. */
naik_meson naik_meson_of(const char *word);
/* phi(x), +1 or -1. Coordinates may be negative. Local. */
int naik_meson_sign(naik_meson meson, const int x[NAIK_DIM]);

#endif
