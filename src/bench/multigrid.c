/* multigrid.c - `naik bench multigrid`: the parts of a multigrid cycle of Wilson quarks, the setup, and whole solves
 *
 * A line a part, of --nrhs right-hand sides together. dslash is one D in single, of which Mh has two; restrict,
 * prolong and coarse_dslash (half of the coarse operator, on half of its sites) exchange nothing between ranks;
 * coarse_solve has a restriction before it. solve is to --tolerance, b random on even sites.
 */
#include "backend/multigrid.h"

#include <math.h>

#include "backend/dslash.h"
#include "bench/bench.h"
#include "multigrid/setup.h"
#include "solver/bicgstab.h"

typedef struct parts {
    const bench *b;
    double mass;
    int nrhs;
    naik_operator_set set;
    naik_multigrid *mg;
    naik_field *r, *odd, *z; /* in single */
    double norm[NAIK_MAX_RHS];
    bench_solves solves;
    naik_preconditioner preconditioner;
} parts;

static naik_status setup(void *context)
{
    parts *p = context;
    const naik_multigrid_parameters parameters = naik_multigrid_defaults();
    naik_multigrid_destroy(&p->mg);
    return naik_multigrid_create(p->set.wilson[NAIK_DOUBLE],
                                 p->set.wilson[naik_operator_set_fastest(&p->set)], p->nrhs,
                                 &parameters, NULL, NULL, NULL, &p->mg);
}

static naik_status nothing(void *context)
{
    (void)context;
    return NAIK_OK;
}

static naik_status dslash(void *context)
{
    const parts *p = context;
    const naik_dslash_args args = {.form = NAIK_FORM_D,
                                   .parity = NAIK_EVEN,
                                   .links = p->mg->inner->links,
                                   .in = p->odd,
                                   .out = p->z};
    return naik_dslash(&args);
}

static naik_status smoother(void *context)
{
    const parts *p = context;
    const naik_cycle *c = p->mg->cycle;
    return naik_polynomial_apply(&p->mg->smoother[NAIK_EVEN], p->mg->inner, NAIK_EVEN, p->r,
                                 c->other, c->scratch, p->z);
}

static naik_status restrict_part(void *context)
{
    const parts *p = context;
    return p->b->backend->ops->multigrid->restrict_to(p->mg->used, NAIK_EVEN, p->r,
                                                      p->mg->cycle->b);
}

static naik_status prolong(void *context)
{
    const parts *p = context;
    return p->b->backend->ops->multigrid->prolong(
        p->mg->used, NAIK_EVEN, (const naik_coarse *const *)p->mg->cycle->e, p->z);
}

static naik_status coarse_dslash(void *context)
{
    const parts *p = context;
    const naik_cycle *c = p->mg->cycle;
    return p->b->backend->ops->multigrid->dslash(p->mg->coarse->used, NAIK_EVEN, c->e[1], NULL,
                                                 c->b[0]);
}

static naik_status coarse_solve(void *context)
{
    const parts *p = context;
    const naik_cycle *c = p->mg->cycle;
    naik_coarse_solve did;
    NAIK_PASS(restrict_part(context));
    return naik_coarse_solver_solve(c->coarse, c->b, p->norm, c->e, &did);
}

static naik_status cycle(void *context)
{
    const parts *p = context;
    return naik_cycle_apply(p->mg->cycle, NAIK_EVEN, p->r, p->norm, p->z, NULL);
}

static naik_status solve(void *context)
{
    parts *p = context;
    return bench_solve(&p->solves);
}

/* In the order of the lines; the first makes what the others work with. */
static const struct part {
    const char *name;
    bench_body body;
    bool once, solves;
} all[] = {{"setup", setup, true, false},
           {"cycle", cycle, false, false},
           {"dslash", dslash, false, false},
           {"smoother", smoother, false, false},
           {"restrict", restrict_part, false, false},
           {"prolong", prolong, false, false},
           {"coarse_dslash", coarse_dslash, false, false},
           {"coarse_solve", coarse_solve, false, false},
           {"solve", solve, false, true}};

static naik_status measure(parts *p, const struct part *part)
{
    const bench *b = p->b;
    bench_timing timing;
    bench_line line;
    NAIK_PASS(part->once ? bench_measure_long(b, nothing, part->body, p, &timing)
                         : bench_measure(b, part->body, p, &timing));
    const naik_links *links = p->mg->inner->links;
    bench_line_begin(b, &line);
    bench_put_kind(b, &line, NAIK_SINGLE, links->precision, links->recon);
    bench_put_text(&line, "part", part->name);
    bench_put_int(&line, "nrhs", p->nrhs);
    bench_put_machine(b, &line);
    bench_put_gauge(b, &line);
    bench_put_real(&line, "mass", "%g", p->mass);
    bench_put_csw(b, &line);
    bench_put_extents(&line, "aggregate", p->mg->aggregates->extent);
    if (part->solves) {
        bench_put_solves(b, &line, &p->solves.tally, p->nrhs, timing.median_s);
    }
    bench_put_real(&line, "us", "%.6g", timing.median_s * 1e6);
    bench_line_end(b, &line, 0, timing.median_s, &timing);
    return NAIK_OK;
}

/* What needs the multigrid of the setup. */
static naik_status prepare(parts *p)
{
    const bench *b = p->b;
    for (int c = 0; c < p->nrhs; c++) {
        p->norm[c] = 2 * sqrt(12.0 * (double)b->lattice->volume); /* gaussian: half of that */
    }
    p->solves.options.max_iterations = b->options->max_iterations;
    p->preconditioner = naik_multigrid_preconditioner(p->mg);
    p->solves.options.preconditioner = &p->preconditioner;
    return naik_solver_create(&naik_solver_multigrid, p->set.op, NAIK_SINGLE, p->nrhs,
                              &p->solves.solver);
}

static naik_status measure_parts(const bench *b, double mass, int nrhs)
{
    naik_status status = NAIK_OK;
    parts p = {.b = b, .mass = mass, .nrhs = nrhs, .set = {.wilson = {NULL}}};
    p.solves = (bench_solves){.b = b,
                              .options = naik_solver_defaults(),
                              .system = {.tolerance = b->options->tolerance},
                              .count = nrhs};
    naik_clover *clover = NULL;
    NAIK_TRY(bench_clover(b, mass, &clover));
    NAIK_TRY(naik_operator_set_thin(b->geometry, b->thin, clover, mass, 0,
                                    bench_link_precision(b, NAIK_SINGLE), bench_recon(b),
                                    NAIK_SINGLE, nrhs, &p.set));
    NAIK_TRY(naik_field_create_spin(b->geometry, NAIK_DOUBLE, NAIK_SPIN, nrhs, &p.solves.sources));
    NAIK_TRY(naik_field_create_spin(b->geometry, NAIK_SINGLE, NAIK_SPIN, nrhs, &p.r));
    NAIK_TRY(naik_field_create_spin(b->geometry, NAIK_SINGLE, NAIK_SPIN, nrhs, &p.odd));
    NAIK_TRY(naik_field_create_spin(b->geometry, NAIK_SINGLE, NAIK_SPIN, nrhs, &p.z));
    NAIK_TRY(naik_comm_agree(b->comm, bench_fill_spinors(b, p.solves.sources, NAIK_EVEN)));
    NAIK_TRY(naik_comm_agree(b->comm, bench_fill_spinors(b, p.r, NAIK_EVEN)));
    NAIK_TRY(naik_comm_agree(b->comm, bench_fill_spinors(b, p.odd, NAIK_ODD)));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        NAIK_TRY(measure(&p, &all[i]));
        if (i == 0) {
            NAIK_TRY(prepare(&p));
        }
    }
done:
    naik_solver_destroy(&p.solves.solver);
    naik_multigrid_destroy(&p.mg);
    naik_field_destroy(&p.solves.sources);
    naik_field_destroy(&p.r);
    naik_field_destroy(&p.odd);
    naik_field_destroy(&p.z);
    naik_operator_set_destroy(&p.set);
    naik_clover_destroy(&clover);
    return status;
}

naik_status bench_multigrid(const bench *b)
{
    const bench_options *o = b->options;
    if (bench_vectors(b) != NAIK_SINGLE) {
        return NAIK_FAIL(b->comm->log, NAIK_ERR_INPUT,
                         "naik bench multigrid: multigrid works in single precision");
    }
    for (int m = 0; m < o->mass_count; m++) {
        for (int i = 0; i < o->nrhs_count; i++) {
            NAIK_PASS(measure_parts(b, o->mass[m], o->nrhs[i]));
        }
    }
    return NAIK_OK;
}
