/* rhs.h - the scalars of a batched conjugate gradient, one record a right-hand side
 *
 * The records live where the fields live. The functions below are the whole scalar arithmetic of
 * the iteration, written once and compiled by every backend. An rhs that is not running is
 * frozen: every update leaves it untouched, so that how often the host polls changes no bit.
 */
#ifndef NAIK_BACKEND_RHS_H
#define NAIK_BACKEND_RHS_H

#include <stdint.h>

#include "base/hd.h"

typedef enum naik_rhs_state {
    NAIK_RHS_IDLE = 0, /* holds no system, or a finished one */
    NAIK_RHS_RUN,      /* iterating */
    NAIK_RHS_CHECK,    /* frozen, asks the host for its true residual (a reliable update) */
    NAIK_RHS_BROKEN,   /* frozen by a NaN or a direction without positive curvature */
    NAIK_RHS_WAIT,     /* holds a system whose stage (solver/batch.h) is not at work */
    NAIK_RHS_HELD      /* holds a finished system that is handed back later */
} naik_rhs_state;

/* An rhs asks for a reliable update after this many iterations of its own, twice, three times as
 * many and so on: rhs that began together ask together, which costs one pass over the links. */
enum { NAIK_RENEW_EVERY = 10 };

typedef struct naik_rhs {
    double shift;       /* 4 m^2 */
    double rr, rr_last; /* |r|^2 of the iterated residual, now and one iteration before */
    double rs;          /* Re (r, A p), p the direction that r came by */
    double pap;         /* (p, A p) of that direction */
    double pp;          /* |p|^2 of that direction */
    double xp, xx; /* Re (dx, p), |dx|^2 of what was added to x since the last reliable update */
    double alpha, beta; /* of the step that is taken next, or was taken last */
    /* x moves with every second step. In one it stays, and x_deferred = alpha: alpha p is left to
     * the next step or to apply_deferred_update. In the next x_deferred = 0, and x moves by
     * x_deferred_last times the direction before and alpha times this one. Classical: every
     * update is left to update_direction. */
    double x_deferred_last, x_deferred;
    double rr_max; /* largest rr since the last reliable update */
    double stop;   /* asks for a check at rr <= stop ... */
    double delta2; /* ... at rr <= delta2 rr_max; 0: never for this reason */
    double stray2; /* ... and at rr <= stray2 |dx|^2: r may have strayed from the true residual */
    /* A site's share of a sum is hardly ever as large; of a site of single precision a GPU takes it
     * to a multiple of 2^-49 sum_quantum or finer. */
    double sum_quantum;
    /* sum_quantum / rr where it was set: at a reliable update or, where there are none, with every
     * step. So it depends on nothing but the rhs. */
    double quantum_ratio;
    int32_t state; /* naik_rhs_state */
    int32_t iterations;
    int32_t limit;     /* asks for a check when iterations reach it */
    int32_t pending;   /* flag: has taken a step that is not counted yet */
    int32_t classical; /* flag: D is applied to p; the third sum is |D p|^2, not |D r|^2 */
    int32_t reserved;
} naik_rhs;

/* The norms of p and dx come from the scalars alone, as in exact arithmetic:
 *
 *   |p'|^2 = |r|^2 + beta^2 |p|^2,   (dx, p') = beta (dx, p)            p' = r + beta p
 *   |dx'|^2 = |dx|^2 + 2 alpha (dx, p') + alpha^2 |p'|^2                dx' = dx + alpha p'
 *   (dx', p') = (dx, p') + alpha |p'|^2
 *
 * since r is orthogonal to p and dx (T. Steihaug, SIAM J. Numer. Anal. 20 (1983) 626). */
NAIK_HD static inline void naik_rhs_new_direction(naik_rhs *c)
{
    c->pp = c->rr + c->beta * c->beta * c->pp;
    c->xp *= c->beta;
}

/* By how much |r|^2 may fall while `sum_quantum` stands still, before sums become too coarse: a site's
 * mean share is then still 2^7 units. */
#define NAIK_RHS_LEAST_SHARE 0x1p-30

/* Whether the rhs asks for its true residual. */
NAIK_HD static inline int naik_rhs_needs_check(const naik_rhs *c)
{
    const int coarse = c->quantum_ratio * c->rr < NAIK_RHS_LEAST_SHARE * c->sum_quantum;
    const int renew = c->iterations % NAIK_RENEW_EVERY == 0 &&
                      (c->rr <= c->delta2 * c->rr_max || c->rr <= c->stray2 * c->xx);
    return renew || coarse || c->rr <= c->stop || c->iterations >= c->limit;
}

/* What becomes known of a step when |r|^2 and Re (r, A p) of what it left are: beta, the tests, and
 * the next state. */
NAIK_HD static inline void naik_rhs_count_step(naik_rhs *c, double rr, double rs)
{
    if (!c->pending) {
        return;
    }
    c->pending = 0;
    c->iterations++;
    c->rr_last = c->rr;
    c->rr = rr;
    c->rs = rs;
    c->beta = rr / c->rr_last;
    c->xx += c->alpha * (2 * c->xp + c->alpha * c->pp);
    c->xp += c->alpha * c->pp;
    if (c->delta2 == 0) {
        c->sum_quantum = c->quantum_ratio * rr;
    }
    if (rr > c->rr_max) {
        c->rr_max = rr;
    }
    if (!(rr < 1e300)) {
        c->state = NAIK_RHS_BROKEN;
    } else if (naik_rhs_needs_check(c)) {
        c->state = NAIK_RHS_CHECK;
    }
}

/* (p', A p') of the direction p' = r + beta p, from |D r|^2:
 *
 *   (p', A p') = (r, A r) + 2 beta Re (r, A p) + beta^2 (p, A p)
 *   (r, A r)   = shift |r|^2 + |D r|^2
 *
 * since D is antihermitian. So an iteration needs its sums over ranks once (A. T. Chronopoulos and
 * C. W. Gear, J. Comput. Appl. Math. 25 (1989) 153, who put Re (r, A p) = -|r|^2/alpha into it: in
 * single precision that does not hold). The terms cancel where p has little curvature, so light
 * quarks in single precision want the classical form, where D p is summed and nothing cancels.
 * A direction that rounding has left without curvature is dropped where reliable updates correct
 * rounding; shifted systems (shifts.h), which have none, could not follow. */
NAIK_HD static inline double naik_rhs_curvature(naik_rhs *c, double dr2)
{
    const double gradient = c->shift * c->rr + dr2;
    const double pap =
        c->beta != 0 ? gradient + c->beta * (2 * c->rs + c->beta * c->pap) : gradient;
    if (pap > 0 || !(c->delta2 > 0)) {
        return pap;
    }
    c->beta = 0; /* also for NaN */
    return gradient;
}

/* The next step, when |D r|^2, or |D p|^2 of the new direction, is known: alpha = |r|^2/(p, A p).
 */
NAIK_HD static inline void naik_rhs_next_step(naik_rhs *c, double d2)
{
    if (c->state != NAIK_RHS_RUN) {
        c->alpha = 0;
        return;
    }
    if (!c->classical) {
        c->pap = naik_rhs_curvature(c, d2);
    }
    naik_rhs_new_direction(c);
    if (c->classical) {
        c->pap = c->shift * c->pp + d2;
    }
    c->alpha = c->rr / c->pap;
    if (!(c->pap > 0) || !(c->alpha < 1e300)) {
        c->state = NAIK_RHS_BROKEN;
        c->alpha = 0;
        return;
    }
    c->pending = 1;
    c->x_deferred_last = c->x_deferred;
    c->x_deferred = c->x_deferred_last != 0 && !c->classical ? 0 : c->alpha;
}

#endif
