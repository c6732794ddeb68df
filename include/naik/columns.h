/* columns.h - the scalars of a batched conjugate gradient, one record a right-hand side
 *
 * The records live where the fields live. The functions below are the whole scalar arithmetic of
 * the iteration, written once and compiled by every backend. A column that is not running is
 * frozen: every update leaves it untouched, so that how often the host looks never changes a bit.
 */
#ifndef NAIK_COLUMNS_H
#define NAIK_COLUMNS_H

#include <stdint.h>

#include "naik/hd.h"

typedef enum naik_column_state {
    NAIK_COLUMN_IDLE = 0, /* holds no system, or a finished one */
    NAIK_COLUMN_RUN,      /* iterating */
    NAIK_COLUMN_CHECK,    /* frozen, asks the host for its true residual (a reliable update) */
    NAIK_COLUMN_BROKEN    /* frozen by a NaN or a direction without positive curvature */
} naik_column_state;

typedef struct naik_column {
    double shift;       /* 4 m^2 */
    double rr, rr_last; /* |r|^2 of the iterated residual, now and one iteration before */
    double alpha, beta; /* of the step that r has taken and x and p take next; alpha 0: x has */
    double rr_max;      /* largest rr since the last reliable update */
    double stop;        /* asks for a check at rr <= stop ... */
    double delta2;      /* ... and at rr <= delta2 rr_max; 0: never for this reason */
    int32_t state;      /* naik_column_state */
    int32_t iterations;
    int32_t limit;   /* asks for a check when iterations reach it */
    int32_t pending; /* flag: has an alpha whose step is not counted yet */
} naik_column;

/* After |D p|^2 and |p|^2 are known: alpha = rr / p.Ap, where p.Ap = shift |p|^2 + |D p|^2, since
 * D is antihermitian. */
NAIK_HD static inline void naik_column_alpha(naik_column *c, double dp2, double p2)
{
    const double pap = c->shift * p2 + dp2;
    if (c->state != NAIK_COLUMN_RUN) {
        return;
    }
    c->alpha = c->rr / pap;
    c->pending = 1;
    if (!(pap > 0) || !(c->alpha < 1e300)) { /* also catches NaN */
        c->state = NAIK_COLUMN_BROKEN;
        c->alpha = 0;
        c->pending = 0;
    }
}

/* After the residual is updated and |r|^2 known: beta, the tests, and the next state. */
NAIK_HD static inline void naik_column_step(naik_column *c, double rr)
{
    c->pending = 0;
    if (c->state != NAIK_COLUMN_RUN) {
        c->alpha = 0;
        return;
    }
    c->iterations++;
    c->rr_last = c->rr;
    c->rr = rr;
    c->beta = rr / c->rr_last;
    if (rr > c->rr_max) {
        c->rr_max = rr;
    }
    if (!(rr < 1e300)) {
        c->state = NAIK_COLUMN_BROKEN;
    } else if (rr <= c->stop || rr <= c->delta2 * c->rr_max || c->iterations >= c->limit) {
        c->state = NAIK_COLUMN_CHECK;
    }
}

#endif
