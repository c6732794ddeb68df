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

#endif
