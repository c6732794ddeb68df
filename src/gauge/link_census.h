/* link_census.h - what kind of links a field holds, seen in the matrices themselves
 *
 * Thin links are SU(3). Long links are a number s times unitary matrices, fat links are not. Signs that
 * another code has left in the links, of staggered phases or of the boundary in time, show in the
 * determinants: a sign of a 3 x 3 matrix is a sign of its determinant, in every gauge.
 */
#ifndef NAIK_GAUGE_LINK_CENSUS_H
#define NAIK_GAUGE_LINK_CENSUS_H

#include "naik/gauge.h"

/* |U U^+ - 1| above this is no rounding, whatever wrote the links. */
#define NAIK_CENSUS_FAR 0.05

typedef struct naik_link_census {
    int64_t links, last;     /* of the lattice: all, and the t-links of the last time slice */
    int64_t zero, zero_last; /* exactly zero: all, and of the last slice's t-links */
    int64_t off, far;        /* not zero, and |U U^+ - 1| above `limit`, above NAIK_CENSUS_FAR */
    int64_t negative[NAIK_DIM], negative_last; /* not far from unitary, of determinant -1 */
    int64_t turned; /* not far from unitary, of a determinant that is neither 1 nor -1 */
    double scale_least, scale_most; /* the root of |U|^2 / 3: least and most of those not zero */
    double shape_dev;               /* largest |U U^+ / s^2 - 1|, s of that link */
    /* Means of Re det U / |det U|, in -1 .. 1: by direction, of t those slices only whose links do not reach
     * around the lattice; with the sign of the staggered phases taken out; of t, those that reach. */
    double bare[NAIK_DIM], phased[NAIK_DIM], around;
} naik_link_census;

/* limit: of `off`; reach: sites that a link leads over, 1 or, of long links, 3. Every
 * number is the same on any number of ranks and threads. Collective. NAIK_ERR_MPI */
naik_status naik_link_census_take(const naik_gauge *links, double limit, int reach,
                                  naik_link_census *out);

/* Whether all links are one number times unitary matrices, within `tolerance`. */
bool naik_link_census_is_scaled(const naik_link_census *census, double tolerance);

#endif
