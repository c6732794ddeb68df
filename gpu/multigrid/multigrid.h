/* multigrid.h - the functions behind the table of multigrid.cu; their contracts are those of
 * src/backend/multigrid.h
 */
#ifndef NAIK_GPU_MULTIGRID_MULTIGRID_H
#define NAIK_GPU_MULTIGRID_MULTIGRID_H

#include "gpu/backend_gpu.h"

extern "C" {
#include "backend/multigrid.h"
}

/* aggregates.cu */
naik_status gpu_aggregates_open(naik_aggregates *aggregates);
void gpu_aggregates_close(naik_aggregates *aggregates);

/* transfer.cu */
size_t gpu_transfer_bytes(const naik_aggregates *a, int vectors, naik_precision precision);
size_t gpu_transfer_work_bytes(const naik_aggregates *a, int vectors);
naik_status gpu_transfer_set_columns(naik_transfer *p, naik_parity parity, int first,
                                     const naik_field *v);
naik_status gpu_transfer_get_columns(const naik_transfer *p, naik_parity parity, int chirality,
                                     int first, naik_field *v);
naik_status gpu_transfer_compress(naik_transfer *to, const naik_transfer *from);

/* orthonormalise.cu */
naik_status gpu_transfer_orthonormalise(naik_transfer *p, naik_orthonormal *out);

/* restrict.cu */
naik_status gpu_restrict(const naik_transfer *p, naik_parity parity, const naik_field *v,
                         naik_coarse *const out[2]);
naik_status gpu_galerkin(const naik_transfer *p, naik_parity parity, const naik_field *w, int k,
                         int column, float s, naik_coarse_links *m);

/* prolong.cu */
naik_status gpu_prolong(const naik_transfer *p, naik_parity parity, const naik_coarse *const e[2],
                        naik_field *v);

/* noise.cu */
naik_status gpu_multigrid_noise(naik_field *v, naik_parity parity, int irhs, uint64_t seed,
                                uint32_t stream);

/* matrices.cu */
naik_status gpu_coarse_links_clear(naik_coarse_links *m);
size_t gpu_coarse_links_bytes(const naik_aggregates *a, int components, naik_precision precision);
size_t gpu_coarse_invert_bytes(const naik_aggregates *a, int components);
naik_status gpu_coarse_invert(const naik_coarse_links *from, naik_coarse_links *to,
                              int64_t *singular);

/* coarse_dslash.cu */
naik_status gpu_coarse_dslash(const naik_coarse_links *m, naik_parity parity, const naik_coarse *in,
                              const naik_coarse *v, naik_coarse *out);
naik_status gpu_coarse_multiply(const naik_coarse_links *m, int which, naik_parity parity,
                                const naik_coarse *in, naik_coarse *out);

/* coarse.cu */
size_t gpu_coarse_site_bytes(int components, int capacity);
naik_status gpu_coarse_pack(const naik_coarse *v, const naik_aggregates *a, naik_parity parity,
                            int mu, int side, void *buffer);
naik_status gpu_coarse_clear(naik_coarse *v, size_t size_bytes);
naik_status gpu_coarse_from_host(naik_coarse *v, naik_parity parity, int irhs, const double *sites);
naik_status gpu_coarse_to_host(const naik_coarse *v, naik_parity parity, int irhs, double *sites);

/* coarse_sums.cu */
naik_status gpu_coarse_products(const naik_coarse *const *v, int count, const naik_coarse *w,
                                naik_parity parity, const double *scale, int64_t *products);
naik_status gpu_coarse_update(naik_coarse *w, naik_parity parity, const double *a,
                              const naik_coarse *const *v, int count, const double *b);
naik_status gpu_coarse_cross(const naik_coarse *const *v, int blocks, const naik_coarse *w,
                             naik_parity parity, const double *scale, int64_t *products);
naik_status gpu_coarse_mix(naik_coarse *w, naik_parity parity, const naik_coarse *const *v,
                           int blocks, const double *b);

#endif
