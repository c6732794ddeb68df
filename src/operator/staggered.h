/* staggered.h - M = 2m + D and its even-odd Schur complement
 *
 *   A x = (4 m^2 - D_pq D_qp) x   on parity p (q the other), hermitian and positive: M^+ M on p
 *   M x = src with b = M^+ src:   A x_p = b_p = 2m src_p - D_pq src_q,
 *                                 x_q = (src_q - D_qp x_p) / (2m)
 */
#ifndef NAIK_OPERATOR_STAGGERED_H
#define NAIK_OPERATOR_STAGGERED_H

#include "backend/dslash.h"
#include "operator/operator.h"

extern const naik_operator_ops naik_operator_staggered;

/* A with these links, which are borrowed. */
naik_operator naik_staggered_of(const naik_links *links);
double naik_staggered_step_flops(int points);

/* A with its links in every precision that a solve iterates in, [naik_precision]; not stored so:
 * links NULL, op without ops. In double they always are. */
typedef struct naik_staggered {
    naik_links *links[NAIK_PRECISIONS];
    naik_operator op[NAIK_PRECISIONS];
} naik_staggered;
/* Packs those from the `fastest` storage on, with `recon` numbers a long link there. Collective.
 * As naik_links_create. */
naik_status naik_staggered_create(const naik_geometry *geometry, const naik_fatlong *source,
                                  naik_precision fastest, int recon, naik_staggered *out);
void naik_staggered_destroy(naik_staggered *staggered);
/* Bytes of all of them on this rank, for the memory plan. */
size_t naik_staggered_bytes(const naik_geometry *geometry, naik_precision fastest, int recon,
                            int points);
naik_links *naik_staggered_fastest(const naik_staggered *staggered);

#endif
