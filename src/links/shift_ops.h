/* shift_ops.h - the loops over sites of staggered operators with links and of their correlators, on a device
 *
 * contract/device_tie.c says what is made from what, and which faces travel. The loops go through the same operations
 * on a site in the same order as those of spin_taste.c and contract.c on the host, and agree with them to the bit.
 * Vectors are [sites][3][2] in local lexicographic order. All arguments are in the device's memory, but for lattices and
 * coordinates. Local: none communicates. NAIK_ERR_DEVICE.
 */
#ifndef NAIK_LINKS_SHIFT_OPS_H
#define NAIK_LINKS_SHIFT_OPS_H

#include "base/device.h"
#include "base/exactsum.h"
#include "base/hd.h"
#include "naik/gauge.h"

/* The parity of the sum of some coordinates, counted from r0: a mask of directions. */
NAIK_HD static inline int naik_sign_at(unsigned mask, const int x[NAIK_DIM], const int r0[NAIK_DIM])
{
    int sum = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        sum += (mask >> mu & 1) != 0 ? (x[mu] - r0[mu]) & 1 : 0;
    }
    return sum % 2 == 0 ? 1 : -1;
}

/* out(x) = sign(x)/2 [ U_mu(x) f(x + mu) + U_mu(x - mu)^+ f(x - mu) ] */
typedef struct naik_link_shift {
    const naik_lattice *lattice;
    const naik_matrix *link; /* [sites][NAIK_DIM] */
    int mu;
    unsigned mask; /* of the sign, */
    int r0[NAIK_DIM];
    const double *f;
    const double *ahead;  /* where mu is split: f beyond the box, */
    const double *behind; /* and U^+ f, [sites of a layer][3][2] (link_ops.h) */
    double *out;          /* not f */
} naik_link_shift;

/* sums [momenta][2][local T] = re and im of the sum over the x of each time slice of
 * w_p(x) sum over columns of g(x) h(x)^+, w_p(x) the product of its factors in the order of directions. */
typedef struct naik_tie_sums {
    const naik_lattice *lattice;
    const double *g, *h; /* [3] vectors */
    int momenta;
    const naik_complex *factor; /* [momenta][local x + local y + local z] */
    naik_exactsum *sums;
} naik_tie_sums;

typedef struct naik_shift_ops {
    naik_status (*shift)(naik_device *device, const naik_link_shift *step);
    /* face [sites of a layer][3][2] = f on a layer across mu, times U_mu^+ where links are given. */
    naik_status (*face)(naik_device *device, const naik_lattice *lattice, const naik_matrix *link,
                        int mu, int layer, const double *f, double *face);
    /* v = or += factor times a sign times f. */
    naik_status (*add_signed)(naik_device *device, const naik_lattice *lattice, unsigned mask,
                              const int r0[NAIK_DIM], double factor, const double *f, bool add,
                              double *v);
    naik_status (*tie)(naik_device *device, const naik_tie_sums *args);
} naik_shift_ops;

#endif
