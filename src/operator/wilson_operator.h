/* wilson_operator.h - Mh of Wilson and clover quarks as solvers and propagators take it (operator.h)
 *
 * B = Mh, which maps a parity onto itself: bicgstab.h solves Mh x_p = b_p, cg.h the normal equations
 * of it with shift 0. The algebra is that of wilson.h; the mass is the operator's own.
 */
#ifndef NAIK_OPERATOR_WILSON_OPERATOR_H
#define NAIK_OPERATOR_WILSON_OPERATOR_H

#include "operator/operator.h"
#include "operator/wilson.h"

extern const naik_operator_ops naik_operator_wilson;

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

/* Mh in every precision that a solve iterates in, [naik_precision]; not stored so: NULL, op without
 * ops. In double it always is. */
typedef struct naik_wilson_set {
    naik_wilson *wilson[NAIK_PRECISIONS];
    naik_mh mh[NAIK_PRECISIONS];
    naik_operator op[NAIK_PRECISIONS];
} naik_wilson_set;
/* As naik_wilson_create; in the `fastest` storage, with `recon` numbers a link there, and in
 * double. vectors: of what goes with it. Collective. */
naik_status naik_wilson_set_create(const naik_geometry *geometry, const naik_gauge *u,
                                   const naik_clover *clover, double mass, double twisted_mass,
                                   naik_precision fastest, int recon, naik_precision vectors,
                                   int width, naik_wilson_set *out);
void naik_wilson_set_destroy(naik_wilson_set *set);
/* Bytes of all of it on this rank, for the memory plan. */
size_t naik_wilson_set_bytes(const naik_geometry *geometry, bool clover, naik_precision fastest,
                             int recon, naik_precision vectors, int width);

#endif
