/* filter.h - Chebyshev polynomials of -D_eo D_oe, and what they tell of its spectrum
 *
 *   x = (2 (-D_eo D_oe) - high - low) / (high - low),   T_{k+1} = 2 x T_k - T_{k-1}
 *
 * |T_k| <= 1 on the interval [low, high]; below it T_k grows as cosh(k acosh |x|), so that a vector
 * that T_k was applied to has its low modes enlarged, the lowest most.
 * Y. Saad, Numerical Methods for Large Eigenvalue Problems (1992).
 */
#ifndef NAIK_MODES_FILTER_H
#define NAIK_MODES_FILTER_H

#include "backend/dslash.h"
#include "modes/modes.h"

typedef struct naik_filter {
    const naik_links *links; /* in single precision or 16 bits; borrowed */
    naik_modes_work *work;   /* borrowed */
    double low, high;        /* of -D_eo D_oe */
    int degree;              /* even, so that low modes get positive factors */
    naik_field *odd, *other; /* room, of the shape of v */
    int64_t applications;    /* of D_eo D_oe to one vector, so far */
    bool (*stop)(
        void *data); /* asked inside naik_filter_apply, the same on all ranks; NULL: never */
    void *stop_data;
} naik_filter;

/* Room for `nrhs` vectors; low, high and degree are the caller's to set. Collective. */
naik_status naik_filter_create(const naik_links *links, naik_modes_work *work, int nrhs,
                               naik_filter **out);
void naik_filter_destroy(naik_filter **filter);

/* v = T_degree v, in place. NAIK_ERR_INTERRUPTED where `stop` said so: v is then undefined */
naik_status naik_filter_apply(naik_filter *filter, naik_field *v);
/* The eigenvalue of -D_eo D_oe below `low` at which T_degree is `factor` > 1. */
double naik_filter_inverse(const naik_filter *filter, double factor);

/* A little above the largest eigenvalue, by Lanczos from the first rhs of v, which is only read. */
naik_status naik_filter_largest(naik_filter *filter, const naik_field *v, double *high);
/* About the n-th smallest eigenvalue, from moments of the spectral density: random vectors v
 * (overwritten), filter->high set, filter->low is 0 then; at most 2048 applications to each, of a search's
 * cost 2 to 10%.
 * A. Weisse et al., Rev. Mod. Phys. 78 (2006) 275. */
naik_status naik_filter_estimate(naik_filter *filter, naik_field *v, int n, double *lambda2);

#endif
