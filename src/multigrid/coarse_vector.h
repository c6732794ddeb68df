/* coarse_vector.h - coarse vectors, and the exchange of their outer layers between ranks */
#ifndef NAIK_MULTIGRID_COARSE_VECTOR_H
#define NAIK_MULTIGRID_COARSE_VECTOR_H

#include "multigrid/aggregates.h"

/* Zeroed, for at most `capacity` rhs, on either parity. Collective. NAIK_ERR_MEMORY */
naik_status naik_coarse_create(const naik_aggregates *aggregates, int components, int capacity,
                               naik_coarse **out);
void naik_coarse_destroy(naik_coarse **v);
size_t naik_coarse_bytes(const naik_aggregates *aggregates, int components, int capacity);

/* The largest power of 2 such that a product of at most `size` times it is below 2^60: what sums of products are
 * rounded to. 0 where there is nothing to be summed. */
double naik_coarse_scale(double size);
/* out [numbers][2]: what the backend has summed into `products`, over all ranks and without its scales; sums is room on
 * the host. Collective. NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_coarse_sums_take(naik_backend *backend, const int64_t *products, int64_t *sums,
                                  int numbers, const double *scale, double *out);
/* to = a, or a + b where b is not NULL, on one parity, all rhs. NAIK_ERR_DEVICE */
naik_status naik_coarse_set(naik_coarse *to, naik_parity parity, const naik_coarse *a,
                            const naik_coarse *b);

/* The exchange of vectors of one shape; its buffers. */
typedef struct naik_coarse_halo naik_coarse_halo;
/* Collective. NAIK_ERR_MEMORY; NAIK_ERR_ARG for faces of 2 GiB that are messages */
naik_status naik_coarse_halo_create(const naik_aggregates *aggregates, int components, int capacity,
                                    naik_coarse_halo **out);
void naik_coarse_halo_destroy(naik_coarse_halo **halo);
size_t naik_coarse_halo_bytes(const naik_aggregates *aggregates, int components, int capacity);
/* The halo sites of v, which stands on `parity`, become the neighbours' sites. Collective.
 * NAIK_ERR_MPI, NAIK_ERR_DEVICE; NAIK_ERR_ARG for a v with more bytes a site than vectors of the halo's shape */
naik_status naik_coarse_exchange(naik_coarse_halo *halo, naik_coarse *v, naik_parity parity);

#endif
