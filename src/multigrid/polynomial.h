/* polynomial.h - the smoother: z = sum_k c_k Mh^k r, a fixed polynomial without any sum
 *
 * c minimises |r - Mh z| over noise. With as many coefficients it smooths as GCR with as many steps does, at
 * the same cost but for the sums.
 */
#ifndef NAIK_MULTIGRID_POLYNOMIAL_H
#define NAIK_MULTIGRID_POLYNOMIAL_H

#include "multigrid/parameters.h"
#include "operator/wilson.h"

enum { NAIK_MG_SMOOTHER_MOST = 12 };

typedef struct naik_polynomial {
    int count;
    double c[NAIK_MG_SMOOTHER_MOST];
    double left; /* |r - Mh z| / |r| of the noise it was made for */
} naik_polynomial;

/* Of `count` coefficients for Mh on parity p, from noise of this seed; wilson in double. Collective.
 * NAIK_ERR_NOT_CONVERGED   powers of Mh that are alike: nothing can be fitted
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_polynomial_fit(const naik_wilson *wilson, naik_parity p, int count, uint64_t seed,
                                naik_polynomial *out);

/* Backend memory that this takes meanwhile. */
size_t naik_polynomial_fit_bytes(const naik_geometry *geometry, int count);

/* z = sum_k c_k Mh^k r; z, other and scratch are different fields of the shape of r. */
naik_status naik_polynomial_apply(const naik_polynomial *polynomial, const naik_wilson *wilson,
                                  naik_parity p, const naik_field *r, naik_field *other,
                                  naik_field *scratch, naik_field *z);

/* Host memory that noise goes through, [sites][4][3][2]: its size, 0 where the backend makes noise itself, and
 * the memory, to be freed, NULL then. Collective. NAIK_ERR_MEMORY */
size_t naik_multigrid_noise_bytes(const naik_geometry *geometry);
naik_status naik_multigrid_noise_room(const naik_geometry *geometry, double **out);
/* Noise by seed, stream and global site into rhs c of v on a parity. */
naik_status naik_multigrid_noise(naik_field *v, naik_parity parity, int c, uint64_t seed,
                                 uint32_t stream, double *room);

#endif
