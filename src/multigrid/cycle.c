/* cycle.c - restrict, solve, prolong, smooth */
#include "multigrid/cycle.h"

#include <stdlib.h>

#include "base/timer.h"
#include "comm/new.h"

/* |A r| is at most so many |r| where the operator knows no better. */
static double largest_of(const naik_wilson *wilson)
{
    return wilson->largest;
}

enum { CYCLE_FIELDS = 4, CYCLE_COARSE = 4 };

size_t naik_cycle_bytes(const naik_aggregates *aggregates, int width,
                        const naik_multigrid_parameters *parameters)
{
    const naik_geometry *geometry = aggregates->geometry;
    const int components = 2 * parameters->vectors;
    return CYCLE_FIELDS * geometry->backend->ops->field.bytes(geometry->lattice, NAIK_SINGLE,
                                                              NAIK_SPIN * width) +
           CYCLE_COARSE * naik_coarse_bytes(aggregates, components, width) +
           naik_coarse_solver_bytes(aggregates, components, width, parameters->coarse_space);
}

naik_status naik_cycle_create(const naik_wilson *wilson, const naik_transfer *p,
                              const naik_coarse_operator *op, const naik_polynomial *smoother,
                              int width, const naik_multigrid_parameters *parameters,
                              naik_cycle **out)
{
    naik_status status = NAIK_OK;
    const naik_geometry *geometry = p->aggregates->geometry;
    naik_comm *comm = geometry->backend->comm;
    naik_cycle *c = NULL;
    *out = NULL;
    NAIK_TRY(naik_new(comm, sizeof *c, "a multigrid cycle", (void **)&c));
    *c = (naik_cycle){.wilson = wilson, .p = p, .op = op, .smoother = smoother, .width = width};
    naik_field **const fields[CYCLE_FIELDS] = {&c->rest, &c->other, &c->x, &c->scratch};
    for (size_t i = 0; i < CYCLE_FIELDS; i++) {
        NAIK_TRY(naik_field_create_spin(geometry, NAIK_SINGLE, NAIK_SPIN, width, fields[i]));
    }
    for (int i = 0; i < 2; i++) {
        NAIK_TRY(naik_coarse_create(p->aggregates, op->components, width, &c->b[i]));
        NAIK_TRY(naik_coarse_create(p->aggregates, op->components, width, &c->e[i]));
    }
    NAIK_TRY(naik_coarse_solver_create(op, width, parameters->coarse_space,
                                       parameters->coarse_tolerance, &c->coarse));
    *out = c;
    c = NULL;
done:
    naik_cycle_destroy(&c);
    return status;
}

void naik_cycle_destroy(naik_cycle **cycle)
{
    naik_cycle *c = *cycle;
    if (c == NULL) {
        return;
    }
    naik_field_destroy(&c->rest);
    naik_field_destroy(&c->other);
    naik_field_destroy(&c->x);
    naik_field_destroy(&c->scratch);
    for (int i = 0; i < 2; i++) {
        naik_coarse_destroy(&c->b[i]);
        naik_coarse_destroy(&c->e[i]);
    }
    naik_coarse_solver_destroy(&c->coarse);
    free(c);
    *cycle = NULL;
}

static void set_nrhs(naik_cycle *c, int nrhs)
{
    naik_field_set_nrhs(c->rest, nrhs);
    naik_field_set_nrhs(c->other, nrhs);
    naik_field_set_nrhs(c->x, nrhs);
    naik_field_set_nrhs(c->scratch, nrhs);
    for (int i = 0; i < 2; i++) {
        c->b[i]->nrhs = c->e[i]->nrhs = nrhs;
    }
}

naik_status naik_cycle_find_low(naik_cycle *c, naik_field *const (*vectors)[2], int blocks,
                                const double *length, bool refine)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(c->p->aggregates->geometry);
    double size[NAIK_MG_BLOCK];
    for (int b = 0; b < blocks; b++) {
        const int nrhs = vectors[b][NAIK_EVEN]->nrhs;
        set_nrhs(c, nrhs);
        NAIK_PASS(ops->restrict_to(c->p, NAIK_EVEN, vectors[b][NAIK_EVEN], c->b));
        NAIK_PASS(ops->restrict_to(c->p, NAIK_ODD, vectors[b][NAIK_ODD], c->e));
        for (int i = 0; i < nrhs; i++) {
            size[i] = 2 * length[b * NAIK_MG_BLOCK + i]; /* P^+ P is 1 but for rounding */
        }
        NAIK_PASS(naik_coarse_solver_find(c->coarse, b, c->b[NAIK_EVEN], c->e[NAIK_EVEN], size));
    }
    return naik_cycle_lower(c, refine);
}

naik_status naik_cycle_lower(naik_cycle *c, bool refine)
{
    naik_timer *timer = c->p->aggregates->geometry->backend->timer;
    naik_timer_start(timer, "low vectors");
    const naik_status status = naik_coarse_solver_lower(c->coarse, refine);
    naik_timer_stop(timer, "low vectors");
    return status;
}

/* x = the part on `parity` of what the coarse lattice makes of the source (A r, 0). */
static naik_status correct(naik_cycle *c, naik_parity parity, const naik_field *r,
                           const double *norm, int32_t *steps)
{
    const naik_multigrid_ops *ops = naik_multigrid_of(r->geometry);
    naik_timer *timer = r->geometry->backend->timer;
    double bound[NAIK_MG_WIDTH];
    naik_coarse_solve solve;
    for (int i = 0; i < r->nrhs; i++) {
        bound[i] = largest_of(c->wilson) * norm[i];
    }
    NAIK_PASS(naik_wilson_local(c->wilson, r, parity, c->rest));
    NAIK_PASS(ops->restrict_to(c->p, parity, c->rest, c->b));
    naik_timer_start(timer, "coarse lattice");
    NAIK_PASS(naik_coarse_solver_solve(c->coarse, c->b, bound, c->e, &solve));
    naik_timer_stop(timer, "coarse lattice");
    c->cycles++;
    c->steps += solve.most;
    for (int i = 0; steps != NULL && i < r->nrhs; i++) {
        steps[i] += solve.steps[i];
    }
    c->beyond += solve.beyond;
    const naik_coarse *const e[2] = {c->e[0], c->e[1]};
    return ops->prolong(c->p, parity, e, c->x);
}

naik_status naik_cycle_apply(naik_cycle *c, naik_parity parity, const naik_field *r,
                             const double *norm, naik_field *z, int32_t *steps)
{
    set_nrhs(c, r->nrhs);
    NAIK_PASS(correct(c, parity, r, norm, steps));
    NAIK_PASS(naik_wilson_schur_affine(c->wilson, parity, NULL, -1, c->x, 1, r, c->scratch, c->rest,
                                       NULL));
    NAIK_PASS(naik_polynomial_apply(&c->smoother[parity], c->wilson, parity, c->rest, c->other,
                                    c->scratch, z));
    const naik_combination sum = {z, 2, {{.v = z}, {.v = c->x}}};
    return r->geometry->backend->ops->field.combine(&sum, 1, NULL, NULL, NAIK_RHS_IDLE);
}

enum { COMPLEX_FLOPS = 8 }; /* a product, added */

double naik_cycle_flops(const naik_cycle *c, double mh)
{
    enum { ROWS = 12 };
    const int columns = c->p->vectors, count = c->smoother[0].count;
    /* P^+ and P; the residual and all of the polynomial but its first term; the sum */
    return 2.0 * ROWS * columns * COMPLEX_FLOPS + count * (mh + NAIK_SPINOR_AXPY_FLOPS) + 2 * ROWS;
}

double naik_cycle_step_flops(const naik_cycle *c)
{
    /* two hops, each onto half of the coarse sites, of which the fine parity has `fine` sites each */
    const double n = c->op->components;
    return NAIK_MG_POINTS * n * n * COMPLEX_FLOPS / c->p->aggregates->fine;
}
