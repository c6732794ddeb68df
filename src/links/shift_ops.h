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

/* The fields of sets with `links` directions, from those of sets with one less:
 *   f_S(x) = 0.5 / links sum over the directions mu of S of [ U_mu(x) f_T(x + mu) + U_mu(x - mu)^+ f_T(x - mu) ],
 * T being S without mu. Each field is `count` vectors behind each other. Vectors of the empty set are [sites][3][2]; those of
 * others, which are shifted again, [3][sites][2], so that neighbouring threads read neighbouring numbers. */
enum { NAIK_DIRECTION_SETS = 1 << NAIK_DIM };
typedef struct naik_link_shift {
    const naik_lattice *lattice;
    const naik_complex *link;             /* as lay_out gives them */
    int links, count;                     /* count: 1 or 3 */
    unsigned made;                        /* bit number S: whether f_S is made */
    const double *f[NAIK_DIRECTION_SETS]; /* f_T */
    /* Where mu is split, [place][count][sites of a layer][3][2]: f_T beyond the box, and U^+ f_T (link_ops.h), place being
     * that of T among the sets of as many directions without mu. */
    double *ahead[NAIK_DIM], *behind[NAIK_DIM];
    bool by_site;                     /* f_S are [sites][3][2] all the same */
    double *out[NAIK_DIRECTION_SETS]; /* f_S, none of f_T; NULL: it is not kept */
    /* += or = the product with g, as of naik_tie_product; NULL: none is made. */
    const double *g;
    bool add;
    naik_complex *product[NAIK_DIRECTION_SETS];
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

/* sums [operators][momenta][2][local T] = re and im of the sum over the x of each time slice of sign_o(x) w_p(x) v_o(x), w_p
 * the product of its factors in the order of directions. Operators of the same v stand beside each other. */
enum { NAIK_TIE_OPERATORS = 16 };
typedef struct naik_tie_sums {
    const naik_lattice *lattice;
    int operators;                             /* NAIK_TIE_OPERATORS at most */
    const naik_complex *v[NAIK_TIE_OPERATORS]; /* [sites] */
    unsigned mask[NAIK_TIE_OPERATORS];
    int sign[NAIK_TIE_OPERATORS];
    int r0[NAIK_DIM]; /* of the signs */
    int momenta;
    const naik_complex *factor; /* [momenta][local x + local y + local z] */
    naik_exactsum *sums;
} naik_tie_sums;

typedef struct naik_shift_ops {
    /* out [NAIK_DIM][9][sites] = the numbers of link [sites][NAIK_DIM], so that neighbouring threads read neighbouring ones. */
    naik_status (*lay_out)(naik_device *device, const naik_lattice *lattice,
                           const naik_matrix *link, naik_complex *out);
    naik_status (*shift)(naik_device *device, const naik_link_shift *step);
    /* face [count][sites of a layer][3][2] = f [count] on a layer across mu, times U_mu^+ where links are given; by_site: f is
     * [sites][3][2], otherwise [3][sites][2]. */
    naik_status (*face)(naik_device *device, const naik_lattice *lattice, const naik_complex *link,
                        int mu, int layer, int count, bool by_site, const double *f, double *face);
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
