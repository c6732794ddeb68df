/* gamma.h - gamma matrices in the DeGrand-Rossi basis, and their products
 *
 *   g5 = gx gy gz gt = diag(1, 1, -1, -1)
 *
 * Every product of them has one number in each row.
 */
#ifndef NAIK_PROPAGATOR_GAMMA_H
#define NAIK_PROPAGATOR_GAMMA_H

#include "lattice/su3.h"

enum { NAIK_GAMMA_SPINS = 4 };

/* Row i has value[i] in column[i]. */
typedef struct naik_gamma {
    int column[NAIK_GAMMA_SPINS];
    naik_complex value[NAIK_GAMMA_SPINS];
} naik_gamma;

extern const naik_gamma naik_gamma_1, naik_gamma_x, naik_gamma_y, naik_gamma_z, naik_gamma_t,
    naik_gamma_5;
/* [mu], of x, y, z, t */
extern const naik_gamma *const naik_gamma_mu[NAIK_GAMMA_SPINS];

naik_gamma naik_gamma_product(const naik_gamma *a, const naik_gamma *b);
/* The matrix of a set of directions, bits x = 1, y = 2, z = 4, t = 8: 1, gx to gt, of two gx gy, gz gx,
 * gy gz, gx gt, gy gt or gz gt, three are g5 times the fourth, all are g5. */
naik_gamma naik_gamma_of(unsigned directions);
/* v [4][3][2] becomes g v. */
void naik_gamma_times(const naik_gamma *g, double *v);

#endif
