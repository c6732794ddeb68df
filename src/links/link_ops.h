/* link_ops.h - the loops over sites that link building spends its time in, as one table
 *
 * links/ghosted.c, smear.c, fattener.c, gauge_fix.c, clover.c and backend/packed_links.c say what is built from what and
 * which faces travel; the loops run where the links are, in the host's memory or on a device. Both
 * go through the same operations on a site in the same order, explicit fma() included, and agree to
 * the bit.
 * All arguments are in the memory of the table. Local: none communicates. NAIK_ERR_DEVICE.
 */
#ifndef NAIK_LINKS_LINK_OPS_H
#define NAIK_LINKS_LINK_OPS_H

#include "base/device.h"
#include "base/exactsum.h"
#include "base/hd.h"
#include "naik/gauge.h"

typedef struct naik_ghosted naik_ghosted; /* ghosted.h */
typedef struct naik_fatlong naik_fatlong; /* smear.h */
typedef struct naik_clover naik_clover;   /* clover.h */

/* out(s) = sum_i term_i.weight term_i.ghosted(s) + weight sum_j St_{mu, nu_j}[inner_j](s)
 * with the staples of smear.h. Where weight is 1, the products are added to the terms one by one;
 * else to each other first. */
typedef struct naik_staple_sum {
    int terms, staples;
    struct {
        double weight;
        const naik_ghosted *ghosted;
    } term[4];
    struct {
        int nu;
        const naik_ghosted *inner; /* its ghost sites filled in direction nu */
    } staple[3];
    double weight;
    naik_ghosted *out; /* not one of the inputs; or NULL for ... */
    naik_gauge *gauge; /* ... its link mu */
} naik_staple_sum;

/* The links that lead into the box, which the stencil of its first sites needs: for each split mu
 * the last `distance` layers of links mu of the backward neighbour's box, [distance][sites of a
 * layer], in local lexicographic order with coordinate mu left out. */
typedef struct naik_link_layers {
    naik_matrix *link[NAIK_DIM]; /* NULL where mu is not split */
    int distance;                /* 1 of fat links, 3 of long ones */
} naik_link_layers;

typedef struct naik_link_ops {
    /* The box of link mu of a gauge field. */
    naik_status (*ghosted_fill)(const naik_gauge *gauge, int mu, naik_ghosted *ghosted);
    /* The sites with coordinates from..to-1, one layer across mu, from the field to message or back:
     * rows y, z, t of 18 numbers, of whole rows in x with their ghost sites or, for mu = x, of one
     * site. */
    naik_status (*ghosted_layer)(naik_ghosted *ghosted, int mu, const int from[NAIK_DIM],
                                 const int to[NAIK_DIM], bool pack, double *message);
    /* `count` sums for the links mu, u[NAIK_DIM] with edges and corners filled. */
    naik_status (*staples)(const naik_ghosted *u, int mu, const naik_staple_sum *sums, int count);
    /* weight a(s) b(s + mu), into a field that is neither a nor b, or with out NULL into link mu of
     * a gauge field. */
    naik_status (*product)(double weight, const naik_ghosted *a, const naik_ghosted *b, int mu,
                           naik_ghosted *out, naik_gauge *gauge);
    /* Gauge fixing (gauge_fix.h). g of every site of a parity, 1 on the others; u[NAIK_DIM] with
     * ghost sites in the first `directions`. */
    naik_status (*find_turns)(const naik_ghosted *u, int directions, double omega, int parity,
                              naik_ghosted *turn);
    /* u_mu(x) -> g(x) u_mu(x) g(x + mu)^+ on the box; turn with its ghost sites. */
    naik_status (*apply_turns)(const naik_ghosted *turn, int parity, naik_ghosted *u);
    /* Adds this rank's exact sum of Tr Delta^2 (naik_gauge_divergence) to *sum, in the host's
     * memory; u with ghost sites as for find_turns. Waits. */
    naik_status (*divergence)(const naik_ghosted *u, int directions, naik_exactsum *sum);
    /* naik_gauge_reunitarise of the box of u[NAIK_DIM]; *bad: how many links of this rank could not
     * be made unitary and are as they were. Waits. */
    naik_status (*reunitarise)(naik_ghosted *u, int64_t *bad);
    /* The box of a field to link mu of a gauge field. */
    naik_status (*ghosted_store)(const naik_ghosted *ghosted, int mu, naik_gauge *gauge);
    /* A = diagonal + C and A^-1 of all sites, and what *clover says of them, of this rank;
     * u[NAIK_DIM] with edges filled. *singular: the lowest global number of a site without A^-1, or
     * the volume. Waits. */
    naik_status (*clover)(const naik_ghosted *u, double diagonal, double csw, naik_clover *clover,
                          int64_t *singular);
    /* Every link becomes its U(3) projection, or with the links `thin` that it was smeared from its
     * SU(3) projection (unitarize.h); count[0] of this rank took the fall-back, count[1] of all
     * links are not unique. Waits. */
    naik_status (*project)(naik_gauge *gauge, const naik_gauge *thin, int64_t count[2]);
    /* out = a + s b; b NULL: s a. */
    naik_status (*combine)(const naik_gauge *a, double s, const naik_gauge *b, naik_gauge *out);
    /* out = a with links mu times phase[mu]; links whose phase is 1 keep their bits. */
    naik_status (*rotate)(const naik_gauge *a, const naik_complex phase[NAIK_DIM], naik_gauge *out);
    /* The largest |Re|, |Im| of any element on this rank. */
    naik_status (*largest)(const naik_gauge *gauge, double *out);
    /* How many links in direction t of this rank's slices t != `but` are not exactly 1. */
    naik_status (*others_in_time)(const naik_gauge *gauge, int but, int64_t *count);
    /* The last layers of links mu, as in naik_link_layers. */
    naik_status (*layers)(const naik_gauge *gauge, int mu, int distance, naik_matrix *out);
    /* The matrices that `count` sites from checkerboard site `begin` of a parity multiply by
     * (backend/packed_links.h), [count][points]; backward[0] of fat, backward[1] of long links. */
    naik_status (*points)(const naik_fatlong *source, const naik_link_layers backward[2],
                          int points, naik_parity parity, int32_t begin, int32_t count,
                          naik_matrix *out);
    const struct naik_shift_ops *shifts; /* shift_ops.h; NULL on the host */
} naik_link_ops;

extern const naik_link_ops naik_link_ops_host;

/* The table of a device; of the host for NULL. */
static inline const naik_link_ops *naik_link_ops_of(const naik_device *device)
{
    return device != NULL ? device->link_ops : &naik_link_ops_host;
}

/* Number of a site in its layer across mu: local lexicographic without coordinate mu. */
NAIK_HD static inline int64_t naik_link_layer_site(const int local[NAIK_DIM], const int x[NAIK_DIM],
                                                   int mu)
{
    int64_t number = 0;
    for (int nu = NAIK_DIM - 1; nu >= 0; nu--) {
        number = nu == mu ? number : number * local[nu] + x[nu];
    }
    return number;
}

#endif
