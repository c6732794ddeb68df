/* low_vectors.h - vectors of low modes on all sites, and the products of all pairs of them
 *
 * A vector is [sites][3][2] float in local lexicographic order, `count` of them lie one behind the other in backend
 * memory. The CPU and the GPU give the same bits: what is summed in floating point has a fixed order, and what is summed
 * over bricks, threads and ranks are integers.
 */
#ifndef NAIK_BACKEND_LOW_VECTORS_H
#define NAIK_BACKEND_LOW_VECTORS_H

#include "backend/backend.h"

/* A product of 1 is 2^NAIK_PAIR_BITS. */
enum { NAIK_PAIR_BITS = 60 };

/* What is multiplied, of one time slice; all arrays are in backend memory. */
typedef struct naik_low_pairs {
    const float *left;  /* [rows] vectors in single precision; NULL: they are in `wide` */
    const double *wide; /* [rows] vectors in double precision */
    const float *right; /* [count] vectors, which may be those on the left */
    int rows, count;
    const naik_complex *weight; /* [sites of a time slice], |weight| <= 2^NAIK_PAIR_BITS */
    int t;                      /* local */
    bool half;                  /* j >= i is enough; the rest of words is undefined */
    int most;                   /* 0, or j < most is enough; the rest of words is undefined */
    int64_t *words;             /* [2][rows][count][2] */
} naik_low_pairs;

typedef struct naik_low_ops {
    /* words[p][i][j], re and im, overwritten with
     *
     *   sum_bricks round( sum_{x in brick} weight(x) left_i(x)^+ right_j(x) )
     *
     * over this rank's sites x of time slice t with global parity p. A brick has 2^3 sites and begins at even coordinates, as
     * boxes do; the inner sum runs over its 4 sites of the parity as naik_brick_site has them, and over colours, by fma. */
    naik_status (*pairs)(const naik_geometry *geometry, const naik_low_pairs *args);
    /* out [sites][3][2] in backend memory = sum_i a[p][i] v_i, p the parity of the site, in the order of vectors;
     * a [2][count][2] in backend memory. */
    naik_status (*combine)(const naik_geometry *geometry, const float *vectors, int count,
                           const double *a, double *out);
    /* out [count][3][2] = what the vectors have at a site; both in backend memory. */
    naik_status (*at_site)(const naik_geometry *geometry, const float *vectors, int count,
                           int32_t site, float *out);
    /* vector = sites [sites][3][2], rounded; both in backend memory. */
    naik_status (*narrow)(const naik_geometry *geometry, const double *sites, float *vector);
} naik_low_ops;

/* The place in a time slice of site number k of 4 of a brick on a parity, whose first site is at x, y, z; parity: of the sum
 * of local x, y, z. */
NAIK_HD static inline int naik_brick_site(const int local[NAIK_DIM], int x, int y, int z,
                                          int parity, int k)
{
    const int i = k >> 1, j = k & 1;
    return x + i + local[0] * (y + j + local[1] * (z + ((i + j + parity) & 1)));
}

#endif
