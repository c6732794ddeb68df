/* shifts.h - the scalars of shifted systems that ride along a conjugate gradient
 *
 *   (A + sigma) x_s = scale b      beside      A x = b
 *
 * have the same Krylov space, and residuals r_s = zeta r. From the base's alpha and beta follow
 *
 *   1/ratio' = 1 + sigma alpha + (alpha beta_last/alpha_last) (1 - ratio),  ratio = zeta'/zeta
 *   alpha_s = alpha ratio',   beta_s = beta ratio'^2
 *   x_s += alpha_s p_s,       p_s = zeta' r' + beta_s p_s
 *
 * with alpha_last = 1, beta_last = 0, ratio = 1, zeta = scale before the first step. One record a
 * shifted system; the records live where the fields live, as those of rhs.h, and are what the
 * base's rhs and its own numbers make of them: nothing else in the batch matters.
 * B. Jegerlehner, hep-lat/9612014.
 */
#ifndef NAIK_BACKEND_SHIFTS_H
#define NAIK_BACKEND_SHIFTS_H

#include "backend/rhs.h"

typedef struct naik_shift {
    double sigma;                 /* its shift less that of the base, >= 0 */
    double zeta, ratio;           /* now, and of the last step */
    double alpha, beta;           /* alpha_s, beta_s of the step to be taken by the vectors */
    double alpha_last, beta_last; /* the base's */
    double rr;                    /* |r_s|^2 as iterated */
    double stop;                  /* has converged at rr <= stop */
    int32_t running;              /* flag: takes part in further steps */
    int32_t moves;                /* flag: the vectors take the step that alpha and beta describe */
    int32_t iterations;
    int32_t reserved;
} naik_shift;

/* After naik_rhs_count_step of its base: describes the step that the base has taken, once. */
NAIK_HD static inline void naik_shift_step(naik_shift *s, const naik_rhs *base)
{
    s->moves = s->running && base->iterations > s->iterations;
    if (!s->moves) {
        return;
    }
    s->ratio = 1 / (1 + s->sigma * base->alpha +
                    base->alpha * (s->beta_last / s->alpha_last) * (1 - s->ratio));
    s->zeta *= s->ratio;
    s->alpha = base->alpha * s->ratio;
    s->beta = base->beta * s->ratio * s->ratio;
    s->alpha_last = base->alpha;
    s->beta_last = base->beta;
    s->rr = s->zeta * s->zeta * base->rr;
    s->iterations++;
    s->running = s->rr > s->stop; /* a NaN ends it too */
}

#endif
