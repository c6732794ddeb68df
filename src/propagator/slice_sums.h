/* slice_sums.h - exact sums over time slices of a number a site, on the host */
#ifndef NAIK_PROPAGATOR_SLICE_SUMS_H
#define NAIK_PROPAGATOR_SLICE_SUMS_H

#include "naik/gauge.h"
#include "naik/lattice.h"

/* The number at a site of this rank, x global. */
typedef naik_complex naik_slice_value(const void *data, int32_t site, const int x[NAIK_DIM]);

/* out [size t] = sum over the sites of each time slice, the same bits on every process grid.
 * Collective. NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_slice_sums(const naik_lattice *lat, naik_slice_value *value, const void *data,
                            naik_complex *out);

/* prod_k cos(2 pi p_k (x_k - origin_k) / n_k), the turns reduced in integers; x global, origin NULL:
 * the lattice's. */
double naik_slice_weight(const naik_lattice *lat, const int momentum[NAIK_DIM - 1],
                         const int *origin, const int x[NAIK_DIM]);

#endif
