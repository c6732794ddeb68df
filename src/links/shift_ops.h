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

/* How many directions a set of them has. */
static inline int naik_direction_count(unsigned set)
{
    int count = 0;
    for (; set != 0; set &= set - 1) {
        count++;
    }
    return count;
}

/* The parity of the sum of some coordinates, counted from r0: a mask of directions. */
NAIK_HD static inline int naik_sign_at(unsigned mask, const int x[NAIK_DIM], const int r0[NAIK_DIM])
{
    int sum = 0;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        sum += (mask >> mu & 1) != 0 ? (x[mu] - r0[mu]) & 1 : 0;
    }
    return sum % 2 == 0 ? 1 : -1;
}

/* out(x) = half sum over the directions mu of [ U_mu(x) f_mu(x + mu) + U_mu(x - mu)^+ f_mu(x - mu) ], of `count` vectors that
 * lie behind each other. */
typedef struct naik_link_shift {
    const naik_lattice *lattice;
    const naik_matrix *link; /* [sites][NAIK_DIM] */
    unsigned directions;
    double half;
    int count;                 /* 1 or 3 */
    const double *f[NAIK_DIM]; /* of each direction */
    double *ahead[NAIK_DIM];   /* where mu is split: f_mu beyond the box, */
    double *behind[NAIK_DIM];  /* and U^+ f_mu, [count][sites of a layer][3][2] (link_ops.h) */
    double *out;               /* none of f */
} naik_link_shift;

/* What the links of direction mu, which is not split, carry of a vector: out(x) = w(x) U(x) f(x + n) + w(x - n) U(x - n)^+ f(x - n),
 * of links over n = 1 site, then of those over 3 with their own w (current_apply.c). */
typedef struct naik_link_current {
    const naik_lattice *lattice;
    int mu;
    const naik_matrix *one, *three; /* [sites][NAIK_DIM]; three may be NULL */
    const naik_complex *weight;     /* [2][sites], of both */
    const double *f;
    double *out; /* not f */
} naik_link_current;

/* The product of two quarks at each site, out(x) = or += sum over `columns` columns of g(x) h(x)^+. */
typedef struct naik_tie_product {
    const naik_lattice *lattice;
    const double *g, *h; /* [columns] vectors */
    int columns;
    bool add;
    naik_complex *out; /* [sites] */
} naik_tie_product;

/* sums [operators][momenta][2][local T] = re and im of the sum over the x of each time slice of sign_o(x) w_p(x) v(x), w_p
 * the product of its factors in the order of directions. */
enum { NAIK_TIE_OPERATORS = 16 };
typedef struct naik_tie_sums {
    const naik_lattice *lattice;
    const naik_complex *v; /* [sites] */
    int operators;         /* NAIK_TIE_OPERATORS at most */
    unsigned mask[NAIK_TIE_OPERATORS];
    int sign[NAIK_TIE_OPERATORS];
    int r0[NAIK_DIM]; /* of the signs */
    int momenta;
    const naik_complex *factor; /* [momenta][local x + local y + local z] */
    naik_exactsum *sums;
} naik_tie_sums;

typedef struct naik_shift_ops {
    naik_status (*shift)(naik_device *device, const naik_link_shift *step);
    /* face [count][sites of a layer][3][2] = f [count] on a layer across mu, times U_mu^+ where links are given. */
    naik_status (*face)(naik_device *device, const naik_lattice *lattice, const naik_matrix *link,
                        int mu, int layer, int count, const double *f, double *face);
    naik_status (*current)(naik_device *device, const naik_link_current *args);
    naik_status (*product)(naik_device *device, const naik_tie_product *args);
    naik_status (*sums)(naik_device *device, const naik_tie_sums *args);
    /* values [count] on the host = sums [count], rounded. Waits. */
    naik_status (*values)(naik_device *device, const naik_exactsum *sums, int count,
                          double *values);
    /* v [sites][3][2] = the numbers of a vector in single precision. */
    naik_status (*widen)(naik_device *device, const naik_lattice *lattice, const float *from,
                         double *v);
    /* v = sign times the sign of that mask times v. */
    naik_status (*give_sign)(naik_device *device, const naik_lattice *lattice, unsigned mask,
                             const int r0[NAIK_DIM], int sign, double *v);
} naik_shift_ops;

#endif
