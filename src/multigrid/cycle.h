/* cycle.h - one multigrid cycle for Mh of Wilson quarks: a coarse correction, then the smoother
 *
 * The two-level cycle for Mh x_p = r_p: M of the source (A_pp r_p, 0) is solved on the coarse lattice, its
 * solution's part on p comes back, and the polynomial smooths what is left of r. Only sites of p are read
 * and written.
 */
#ifndef NAIK_MULTIGRID_CYCLE_H
#define NAIK_MULTIGRID_CYCLE_H

#include "multigrid/coarse_operator.h"
#include "multigrid/polynomial.h"

typedef struct naik_cycle {
    const naik_wilson *wilson;       /* with vectors in single; borrowed */
    const naik_transfer *p;          /* borrowed */
    const naik_coarse_operator *op;  /* borrowed */
    const naik_polynomial *smoother; /* [2] by parity; borrowed */
    naik_coarse_solver *coarse;
    naik_field *rest, *other, *x, *scratch; /* scratch on the other parity */
    naik_coarse *b[2], *e[2];
    int width;
    int64_t cycles,
        steps,  /* since it was made: applications, coarse steps of the slowest rhs, and */
        beyond; /* rhs whose coarse operator was too large for its sums */
} naik_cycle;

/* For at most `width` rhs. Collective. NAIK_ERR_MEMORY */
naik_status naik_cycle_create(const naik_wilson *wilson, const naik_transfer *p,
                              const naik_coarse_operator *op, const naik_polynomial *smoother,
                              int width, const naik_multigrid_parameters *parameters,
                              naik_cycle **out);
void naik_cycle_destroy(naik_cycle **cycle);
size_t naik_cycle_bytes(const naik_aggregates *aggregates, int width,
                        const naik_multigrid_parameters *parameters);

/* Low vectors of the coarse operator at hand, of test vectors [blocks][2] by parity, of at most `length`; or of those
 * that were given before, where the operator is another one now. refine: solves are to come. Collective.
 * NAIK_ERR_MPI, NAIK_ERR_DEVICE */
naik_status naik_cycle_find_low(naik_cycle *cycle, naik_field *const (*vectors)[2], int blocks,
                                const double *length, bool refine);
naik_status naik_cycle_lower(naik_cycle *cycle, bool refine);

/* z = what one cycle makes of r, both in single on `parity`; norm [nrhs]: |r|, 0: an rhs without coarse
 * correction; steps[c] += coarse steps of rhs c, NULL: not counted. z and r differ. Collective. NAIK_ERR_MPI,
 * NAIK_ERR_DEVICE */
naik_status naik_cycle_apply(naik_cycle *cycle, naik_parity parity, const naik_field *r,
                             const double *norm, naik_field *z, int32_t *steps);
/* Flops of a cycle without its coarse steps, and of one of them: an rhs and parity site. Of the operator's, which
 * takes mh for Mh. */
double naik_cycle_flops(const naik_cycle *cycle, double mh);
double naik_cycle_step_flops(const naik_cycle *cycle);

#endif
