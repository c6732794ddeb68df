/* wilson_operator.h - Mh of quarks with spin as solvers and propagators take it (operator.h)
 *
 * B = Mh, which maps a parity onto itself: bicgstab.h solves Mh x_p = b_p, cg.h the normal equations
 * of it with shift 0. The algebra is that of wilson.h; the mass is the operator's own.
 */
#ifndef NAIK_OPERATOR_WILSON_OPERATOR_H
#define NAIK_OPERATOR_WILSON_OPERATOR_H

#include "operator/operator.h"
#include "operator/wilson.h"

extern const naik_operator_ops naik_operator_wilson;

/* Flops of Mh, a parity site. */
double naik_wilson_schur_flops(const naik_wilson *wilson);

/* Mh on spinors in one precision. */
typedef struct naik_mh {
    const naik_wilson *wilson;
    naik_field *scratch;
} naik_mh;
/* For at most `width` rhs. wilson is borrowed. Collective. NAIK_ERR_ARG, NAIK_ERR_MEMORY */
naik_status naik_mh_create(const naik_wilson *wilson, naik_precision vectors, int width,
                           naik_mh *out);
void naik_mh_destroy(naik_mh *mh);
naik_operator naik_mh_of(const naik_mh *mh);

#endif
